"""Every file of tests/cases there and back: proven equal, the same text twice, and the tree that was written.

A case is a module. Comments at its head say from which version on it compiles (`# since: 3.12`) and why its text may
differ from what was written (`# differs: the reason`); without the latter, the trees must be equal.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import types
import warnings
from typing import Dict, Iterator, List, NamedTuple

import pytest

from depyf.decompiler import Decompiler

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases")
HEADERS = {"since", "differs"}
NEWEST = (3, 15)


class Case(NamedTuple):
    name: str
    text: str
    headers: Dict[str, str]

    @property
    def since(self) -> tuple:
        return tuple(int(n) for n in self.headers.get("since", "3.8").split("."))


def read(name: str) -> Case:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        text = file.read()
    headers = {}
    for line in text.splitlines():
        found = re.fullmatch(r"# (\w+): (.+)", line)
        if not found:
            break
        headers[found.group(1)] = found.group(2)
    return Case(name, text, headers)


ALL = [read(name) for name in sorted(os.listdir(FOLDER)) if name.endswith(".py")]
CASES = [case for case in ALL if case.since <= sys.version_info[:2]]
BY_NAME = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def compiled(case: Case) -> types.CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(case.text, case.name, "exec", dont_inherit=True)


def functions(code: types.CodeType) -> Iterator[types.CodeType]:
    """The functions that are written as such: not the code the compiler makes for scopes of types and annotations."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from functions(constant)
            written = not constant.co_name.startswith("<") and constant.co_name != "__annotate__"
            if written and constant.co_flags & 1 and not code.co_name.startswith("<generic"):
                yield constant


def test_every_file_is_a_case() -> None:
    assert [name for name in os.listdir(FOLDER) if not name.endswith(".py") and name != "__pycache__"] == []
    for case in ALL:
        assert set(case.headers) <= HEADERS, case.name
        assert (3, 8) <= case.since <= NEWEST, case.name


@BY_NAME
def test_module_is_proven(case: Case) -> None:
    decompiler = Decompiler(compiled(case))
    text = decompiler.decompile(verify=True)
    assert decompiler.verdict, f"{decompiler.verdict}\n{text}"


@BY_NAME
def test_functions_are_proven(case: Case) -> None:
    failed: List[str] = []
    for code in functions(compiled(case)):
        if code.co_name in _type_scopes(case):
            continue
        decompiler = Decompiler(code)
        text = decompiler.decompile(verify=True)
        if not decompiler.verdict:
            failed.append(f"{code.co_name}: {decompiler.verdict}\n{text}")
    assert not failed, "\n".join(failed)


def _type_scopes(case: Case) -> List[str]:
    """The names of aliases and type parameters: their values are functions, but no one wrote them as such."""
    return [getattr(node.name, "id", node.name) for node in ast.walk(ast.parse(case.text)) if type(node).__name__ == "TypeAlias"]


@BY_NAME
def test_twice_is_once(case: Case) -> None:
    text = Decompiler(compiled(case)).decompile()
    again = compile(text, case.name, "exec", dont_inherit=True)
    assert Decompiler(again).decompile() == text


@BY_NAME
def test_tree_is_the_one_written(case: Case) -> None:
    text = Decompiler(compiled(case)).decompile()
    same = ast.dump(ast.parse(text)) == ast.dump(ast.parse(case.text))
    if "differs" in case.headers:
        assert not same, f"the trees are equal: {case.name} needs no `differs`"
    else:
        assert same, text
