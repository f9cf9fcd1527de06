"""`depyf.explain.dump_src`: a compiled function as text, from its cache entries."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import depyf.explain
from tests.torch.inspector import support


def toy(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


@pytest.mark.parametrize("of", ["compiled", "original", "code"])
def test_dump_src(of: str) -> None:
    compiled = torch.compile(toy, backend="eager")
    compiled(torch.ones(3), torch.ones(3))
    text = depyf.explain.dump_src({"compiled": compiled, "original": toy, "code": toy.__code__}[of])
    compile(text, "dumped", "exec", dont_inherit=True)
    for part in (
        "def __guard_0_for_toy(L, G, **___kwargs_ignored):",
        "def __resume_at_",
        "def toy(a",
    ):
        assert part in text
    assert support.checks_tensor(text, "a")


def test_module() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x + 1

    model = torch.compile(Model(), backend="eager")
    model(torch.ones(1, 2))
    assert "__guard_0_for_forward" in depyf.explain.dump_src(model)


def test_not_compiled() -> None:
    with pytest.raises(ValueError, match="has no compiled code"):
        depyf.explain.dump_src(toy)
    with pytest.raises(TypeError, match="cannot find the code"):
        depyf.explain.dump_src(3)
