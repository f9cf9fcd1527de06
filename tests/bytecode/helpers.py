"""Shared by the tests of the bytecode model: graphs of small sources, and short forms to compare them with."""

from __future__ import annotations

import sys
import textwrap
from types import CodeType
from typing import Any, Iterator, List, Tuple

import pytest

from depyf.bytecode import Graph, graph_of
from depyf.bytecode.laws import check

VERSION = sys.version_info[:2]
BEFORE_311 = VERSION < (3, 11)


def since(*version: int) -> Any:
    """Skips a test on versions whose syntax or bytecode does not have it yet."""
    return pytest.mark.skipif(VERSION < version, reason=f"needs CPython {version[0]}.{version[1]}")


def until(*version: int) -> Any:
    return pytest.mark.skipif(VERSION > version, reason=f"only up to CPython {version[0]}.{version[1]}")


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all inside it, outermost first."""
    work = [code]
    while work:
        code = work.pop(0)
        yield code
        work.extend(const for const in code.co_consts if isinstance(const, CodeType))


def compiled(source: str, name: str = "f") -> CodeType:
    """The code object called `name` in a source."""
    module = compile(textwrap.dedent(source), "<test>", "exec", dont_inherit=True)
    return next(code for code in codes(module) if code.co_name == name)


def checked(code: CodeType) -> Graph:
    graph = graph_of(code)
    check(graph)
    return graph


def graph(source: str, name: str = "f") -> Graph:
    """The graph of a function in a source, checked against the laws."""
    return checked(compiled(source, name))


def steps(graph: Graph) -> List[Tuple[str, Any]]:
    """All instructions in the order of the blocks, without the fall-throughs between them."""
    return [(i.op, i.arg) for block in graph.blocks for i in block.instructions if i.op != "FALL"]


def expression(text: str) -> List[Tuple[str, Any]]:
    """What an expression is lowered to, without what returns it."""
    found = steps(graph(f"def f(a, b, c, d):\n    return {text}\n"))
    assert found[-1] == ("RETURN", None)
    return [step for step in found[:-1] if step[0] != "MAKE_CELL"]


def ops(graph: Graph) -> List[str]:
    return [op for op, _ in steps(graph)]


def find(graph: Graph, op: str) -> List[Any]:
    """The arguments of all instructions with this op."""
    return [arg for found, arg in steps(graph) if found == op]
