"""What becomes of frames that PyTorch does not compile, or no more: said where people look, with the line and the hints."""

from __future__ import annotations

from typing import Any, List

import pytest
import torch

from tests.torch.inspector import support


@support.requires("graph_break_hints")
def test_failure_is_explained_with_the_users_line(tmp_path: Any) -> None:
    def printing(x: Any) -> Any:
        y = x + 1
        print("no")
        return y

    def run() -> None:
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(printing, fullgraph=True, backend="eager")(torch.ones(3))

    support.dumped(tmp_path, run)
    text = support.read(tmp_path, "index.md")
    line = printing.__code__.co_firstlineno + 2
    assert f"it failed at [test_failures.py:{line}]" in text and "  - hint: " in text


@support.requires("graph_break_hints")
@pytest.mark.skipif(not hasattr(torch._dynamo.config, "recompile_limit"), reason="the limit has another name")
def test_functions_that_are_compiled_no_more_say_so(tmp_path: Any) -> None:
    def scaled(x: Any, k: int) -> Any:
        return x * k

    def run() -> List[Any]:
        with torch._dynamo.config.patch(recompile_limit=2):
            compiled = torch.compile(scaled, backend="eager", dynamic=False)
            return [compiled(torch.ones(3), k) for k in range(4)]

    support.dumped(tmp_path, run)
    assert "and PyTorch compiles it no more: " in support.read(tmp_path, "full_code_for_scaled_0.py")
    assert "**0/2** `scaled`, [test_failures.py:" in support.read(tmp_path, "index.md")
