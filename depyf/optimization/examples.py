"""Arguments that an entry accepts, made up from its guards: tensors from TENSOR_MATCH, plain values from EQUALS_MATCH.

Only for parameters that a guard describes directly. Whether the guess is right is decided by the guards themselves.
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any, Dict, Optional

import torch

from depyf import compatibility
from depyf.optimization.guards import guards_of_entry
from depyf.optimization.target import Target

_TENSOR = re.compile(
    r"check_tensor\(L\['(?P<name>\w+)'\], \w+, .*?, (?P<dtype>torch\.\w+), device=(?P<device>[^,]+), "
    r"requires_grad=(?P<grad>\w+), size=(?P<size>\[[^\]]*\]), stride=(?P<stride>\[[^\]]*\])\)"
)
_EQUAL = re.compile(r"L\['(?P<name>\w+)'\] == (?P<value>.+)$")
_DYNAMIC_SIZE = 7  # for a dimension that the guard leaves open: neither 0 nor 1, on which PyTorch specialises


def example_locals(target: Target, entry: Any) -> Optional[Dict[str, Any]]:
    """Locals that the guards of an entry accept, or None when they do not say enough."""
    made: Dict[str, Any] = {}
    for guard in guards_of_entry(entry, None, 0.0):
        for check in guard.checks:
            _learn(check, made)
    for name, parameter in target.signature.parameters.items():
        if name not in made:
            if parameter.default is not inspect.Parameter.empty:
                made[name] = parameter.default
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                made[name] = ()
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                made[name] = {}
    if target.instance is not None:
        made[target.code.co_varnames[0]] = target.instance
    made.update(target.closure_values())
    if any(name not in made for name in target.signature.parameters):
        return None
    try:
        return made if compatibility.guards_hold(entry, made) else None
    except (KeyError, AttributeError, TypeError):  # a guard looks inside something that was made up wrongly
        return None


def _learn(check: str, made: Dict[str, Any]) -> None:
    tensor = _TENSOR.search(check)
    if tensor is not None:
        made[tensor["name"]] = _tensor(tensor)
        return
    equal = _EQUAL.match(check)
    if equal is not None:
        try:
            made[equal["name"]] = ast.literal_eval(equal["value"])
        except (ValueError, SyntaxError):
            return


def _tensor(described: re.Match[str]) -> Any:
    size = [_DYNAMIC_SIZE if part is None else part for part in ast.literal_eval(described["size"])]
    stride = ast.literal_eval(described["stride"])
    dtype = getattr(torch, described["dtype"].rpartition(".")[2])
    device = described["device"]
    where = "cpu" if device == "None" else f"cuda:{device}"
    made = torch.ones(size, dtype=dtype, device=where)
    if all(step is not None for step in stride) and list(made.stride()) != list(stride):
        made = torch.empty_strided(size, stride, dtype=dtype, device=where).fill_(1)
    return made.requires_grad_(described["grad"] == "True")
