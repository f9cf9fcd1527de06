"""The law of a prepared graph: blocks may be cut and joined, but the stack is as deep behind a jump as before it."""

from __future__ import annotations

from types import CodeType

import pytest

from depyf import DecompilationError
from depyf.bytecode import graph_of
from depyf.decompiler.prepare.laws import check_depths
from depyf.decompiler.prepare.regions import prepare

TEXT = """
def f(c):
    if c:
        return a and b if E else None
    with c as d:
        for x in d:
            try:
                g(x if x else None)
            finally:
                h()
"""


def function() -> CodeType:
    return next(one for one in compile(TEXT, "<text>", "exec").co_consts if isinstance(one, CodeType))


@pytest.mark.parametrize("how", [{}, {"joined": True}, {"cleanups": True}, {"expanded": frozenset({-1})}, {"generated": True}])
def test_depths_agree_however_a_graph_is_read(how: dict) -> None:
    graph = graph_of(function())
    prepare(graph, **how)
    check_depths(graph)


def test_a_jump_to_another_depth_is_noticed() -> None:
    graph = graph_of(function())
    prepare(graph)
    target = next(block.successors[0] for block in graph.blocks if block.terminator.op in ("JUMP", "FALL"))
    target.depth += 1
    with pytest.raises(DecompilationError, match="deep before a jump"):
        check_depths(graph)
