"""Which guards could be dropped, on what condition, and with which option of PyTorch.

By what the guard looks at, not by what it costs. 'safe' means: only code that replaces functions, builtins or modules
of a running program could make it fail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from depyf.compatibility.behaviours import present
from depyf.optimization.guards import Guard

_GLOBALS = "torch.compiler.skip_guard_on_globals_unsafe"
_MODULES = "torch.compiler.skip_guard_on_all_nn_modules_unsafe"
_WITHOUT_FILTERS = "depyf.optimization.skip_guards"  # for releases whose torch.compile takes no guard_filter_fn
_INBUILT = "torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe"
# parts of a module that PyTorch's source expressions go through on their way to a parameter, buffer or child
_PART_OF_MODULE = re.compile(
    r"\._modules\b|\._parameters\b|\._buffers\b|\._forward_(pre_)?hooks\b|\._backward_(pre_)?hooks\b"
)
_FIXED_KINDS = frozenset({"ID_MATCH", "TYPE_MATCH", "DICT_CONTAINS", "NOT_NONE", "DICT_LENGTH"})


@dataclass(frozen=True)
class Advice:
    """What can be done about a guard."""

    verdict: str  # 'safe', 'if', 'keep'
    condition: str  # for 'if': what has to hold; for 'keep': what it protects from
    option: str  # a guard_filter_fn for torch.compile's options, or what there is instead; empty for 'keep'

    def __str__(self) -> str:
        if self.verdict == "keep":
            return f"no: {self.condition}"
        how = self.option.rpartition(".")[2]
        return f"safe: {how}" if self.verdict == "safe" else f"if {self.condition}: {how}"


def advice_for(guard: Guard) -> Advice:
    """Judge one guard by its source and kinds."""
    kinds = set(guard.kinds)
    if guard.source.startswith("G["):
        if kinds <= _FIXED_KINDS:
            return Advice("safe", "", _option(_GLOBALS))
        return Advice("if", "the global never changes", _option(_GLOBALS))
    if _PART_OF_MODULE.search(guard.source):
        return Advice("if", "the model is not changed after compiling", _option(_MODULES))
    if "L['self']" in guard.source and "TENSOR_MATCH" not in kinds:
        return Advice("if", "the object's attributes are not changed after compiling", _option(_MODULES))
    if kinds & {"GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE"}:
        return Advice("keep", "it sees grad mode, autocast and modes change", "")
    if "TENSOR_MATCH" in kinds:
        return Advice("keep", "it sees dtype, device and shape of an input change", "")
    return Advice("keep", "it sees an argument change", "")


def _option(name: str) -> str:
    return name if present("guard_filters") else _WITHOUT_FILTERS
