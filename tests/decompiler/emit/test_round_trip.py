"""Modules of the standard library: source, tree, text, and the same syntax tree again; and the line map of each."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from pathlib import Path
from typing import Any, List

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit

from .from_ast import Converter, canonical, first_difference

LIBRARY = Path(os.path.dirname(os.__file__))

# a mixture of styles: classes, tables, long calls, f-strings, async, regular expressions, deep conditions
MODULES = """
argparse asyncio/tasks bdb collections/__init__ configparser contextlib csv dataclasses difflib dis
email/_header_value_parser enum functools heapq html/entities inspect json/encoder logging/__init__ opcode pathlib pickle
re selectors socket sre_parse string subprocess textwrap tokenize traceback typing unittest/mock uuid
""".split()


def read(path: Path) -> Any:
    """The source of a module and its syntax tree, or None for what is no Python of this version."""
    try:
        source = path.read_text(encoding="utf-8")
        return source, ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def clean(doc: str) -> str:
    """What the compiler keeps of a docstring: since 3.13 without its common indentation."""
    return inspect.cleandoc(doc) if sys.version_info >= (3, 13) else doc


def check(path: Path, width: int) -> None:
    read_back = read(path)
    if read_back is None:
        return
    source, parsed = read_back
    converter = Converter()
    emitted = emit(converter(parsed), width=width)
    difference = first_difference(canonical(source, clean), canonical(emitted.text, clean))
    assert difference is None, f"{path}:\n{difference}"
    assert not emitted.objects
    assert not emitted.renamed
    assert len(emitted.line_offsets) == emitted.text.count("\n")
    assert all(offsets == sorted(set(offsets)) for offsets in emitted.line_offsets)


@pytest.mark.parametrize("module, width", [(m, 100) for m in MODULES] + [(m, 50) for m in MODULES[::6]])
def test_module_comes_back(module: str, width: int) -> None:
    path = LIBRARY / f"{module}.py"
    if not path.exists():
        path = LIBRARY / module / "__init__.py"
    if not path.exists():
        pytest.skip("not in this version")
    check(path, width)


@pytest.mark.slow
@pytest.mark.skipif("DEPYF_WHOLE_LIBRARY" not in os.environ, reason="minutes; set DEPYF_WHOLE_LIBRARY=1")
def test_whole_library_comes_back() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20000)  # for ast and the converter, not for the emitter
    try:
        for path in sorted(LIBRARY.rglob("*.py")):
            if "site-packages" not in path.parts:
                check(path, 100)
    finally:
        sys.setrecursionlimit(limit)


def offsets_of(node: Any) -> List[int]:
    """The offsets of all nodes in a tree."""
    found: List[int] = []
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, (list, tuple)):
            pending.extend(item)
            continue
        names = [name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ())]
        if isinstance(item, t.Node):
            found.append(item.offset)
        pending.extend(getattr(item, name) for name in names if name != "offset")
    return found


@pytest.mark.parametrize("width", [100, 30])
def test_every_node_is_on_a_line(width: int) -> None:
    _, parsed = read(LIBRARY / "textwrap.py")
    tree = Converter()(parsed)
    emitted = emit(tree, width=width)
    on_lines = [offset for offsets in emitted.line_offsets for offset in offsets]
    assert sorted(on_lines) == sorted(set(offsets_of(tree)) - {tree.offset})


def test_nodes_are_on_the_line_that_shows_them() -> None:
    call = t.Call(
        t.Name("function", 2),
        [t.Name("first_argument", 4), t.Binary(t.Name("second", 6), "+", t.Const(1, 8), 10)],
        [("keyword", t.Call(t.Name("inner", 12), [], [], 14))],
        16,
    )
    body = [t.If(t.Name("condition", 0), [t.Return(call, 18)], [t.Pass(20)], 1)]
    emitted = emit(t.FunctionDef("f", [], body, docstring="Two\nlines."), width=40)  # type: ignore[arg-type]
    shown = dict(zip(emitted.text.splitlines(), emitted.line_offsets))
    assert shown == {
        "def f():": [],
        '    """Two': [],
        emitted.text.splitlines()[2]: [],
        "    if condition:": [0, 1],
        "        return function(": [2, 16, 18],
        "            first_argument,": [4],
        "            second + 1,": [6, 8, 10],
        "            keyword=inner(),": [12, 14],
        "        )": [],
        "    else:": [],
        "        pass": [20],
    }
