"""Reads the case files: pairs of modules, compiled, and what of them is to be compared."""

from __future__ import annotations

import os
import re
import sys
import warnings
from types import CodeType
from typing import Any, Iterator, List, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))


class Case(NamedTuple):
    name: str
    first: str
    second: str


def read(file: str) -> List[Case]:
    with open(os.path.join(HERE, "cases", file), encoding="utf-8") as stream:
        parts = re.split(r"^# case: (.*)\n", stream.read(), flags=re.M)
    cases = []
    for name, text in zip(parts[1::2], parts[2::2]):
        since = re.search(r"^# since: 3\.(\d+)$", text, flags=re.M)
        if since and sys.version_info < (3, int(since.group(1))):
            continue
        first, second = text.split("# ---\n")
        cases.append(Case(name, first, second))
    return cases


def compiled(text: str) -> Any:
    """The function or class `f` or `A` of a module: a function is made, of a class the code is taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # return in finally, since 3.14
        module = compile(text, "<case>", "exec", dont_inherit=True)
    only = re.search(r"^# only: (\w+)$", text, flags=re.M)
    if only:
        return next(code for code in walk(module) if code.co_name == only.group(1))
    codes = [constant for constant in module.co_consts if isinstance(constant, CodeType)]
    if codes[0].co_name == "f" and len(codes) == 1:
        namespace: dict = {}
        exec(module, namespace)
        return namespace["f"]
    return module


def walk(code: CodeType) -> Iterator[CodeType]:
    todo: List[CodeType] = [code]
    while todo:
        code = todo.pop()
        yield code
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
