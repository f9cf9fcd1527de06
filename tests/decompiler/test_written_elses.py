"""`else` behind a branch that leaves, where line numbers alone tell nothing.

Layout and what nothing reaches tell up to 3.9, columns since 3.11."""

from __future__ import annotations

import ast
import sys
import textwrap

import pytest

from depyf.decompiler import Decompiler

pytestmark = pytest.mark.skipif(sys.version_info[:2] == (3, 10), reason="3.10 has neither dead code nor columns")

ELSE_BEHIND_RAISE = """
def f(n):
    if n == 0:
        raise ValueError
    elif n == 1:
        n = first(n)
    last(n)
"""
NO_ELSE_BEHIND_RAISE = """
def f(n):
    if n == 0:
        raise ValueError
    if n == 1:
        raise TypeError
    return n
"""
FREE_LINE_BEHIND_RAISE = """
def f(n):
    if n == 0:
        raise ValueError

    return n
"""
ELSE_BEHIND_BREAK = """
def f(n):
    while n:
        if n == 2:
            first(n)
            break
        else:
            second(n)
            n = third(n)
    last(n)
"""
ELSE_BEHIND_CONTINUE = """
def f(items):
    for item in items:
        if item == 2:
            first(item)
            continue
        elif item == 3:
            second(item)
        third(item)
"""
LOOP_THAT_LEAVES = """
def f(items):
    for item in items:
        if item == 2:
            while True:
                if first(item):
                    raise ValueError
                second(item)
        third(item)
"""
NESTED_ELSES = """
def f(a, b):
    if a:
        if b:
            raise ValueError
        else:
            raise TypeError
    else:
        a = b
        first(a)
    return a
"""
IN_A_TRY = """
def f(a, b):
    try:
        if a:
            raise ValueError
        else:
            first(b)
        second(b)
    except TypeError:
        if b:
            raise
        elif a:
            third(a)
        last(a)
"""
ELSE_AT_END = """
def f(data):
    n = len(data)
    if n % 2 == 1:
        return data[n // 2]
    else:
        i = n // 2
        return data[i - 1] + data[i]
"""
FREE_LINE_BEFORE_END = """
def f(data):
    if first(data):
        return second(data)

    return data
"""
ELSE_OF_TRY_AT_END = """
def f(data, key):
    try:
        data[key]
    except KeyError:
        return False
    else:
        return True
"""
NO_ELSE_OF_TRY = """
def f(data, key):
    try:
        data[key]
    except KeyError:
        return False

    return True
"""
ELIF_AT_END = """
def f(a):
    if a:
        return 1
    elif first(a):
        return 2
    else:
        return 3
"""
NO_ELIF_AT_END = """
def f(a):
    if a:
        return 1
    if first(a):
        return 2
    return 3
"""
BEHIND_A_BRANCH_THAT_LEAVES = """
def f(a):
    if first(a):
        files = second(a)
    else:
        warn(a)
        return None
    return files
"""
ENDS_WITH_RETURN_UNDER_ELSE = """
def f(a):
    if a:
        first(a)
    else:
        return second(a)
"""
ENDS_WITH_RAISE_UNDER_ELSE = """
def f(a):
    if first(a):
        second(a)
    else:
        third(a)
        raise ValueError
"""
IF_UNDER_ELSE_AT_END = """
def f(a):
    if a == 1:
        return first(a)
    else:
        if a < 1:
            raise ValueError(
                a)
        b = second(a)
        return b
"""
# what nothing reaches is not written, and its jumps tell nothing about what is
BEHIND_DEAD_CODE = """
def f(a, b):
    if a:
        raise ValueError
        if b:
            pass
        else:
            first(b)
    second(b)
"""
BEHIND_DEAD_CODE_WRITTEN = """
def f(a, b):
    if a:
        raise ValueError
    second(b)
"""


@pytest.mark.parametrize(
    "text",
    [
        ELSE_BEHIND_RAISE, NO_ELSE_BEHIND_RAISE, FREE_LINE_BEHIND_RAISE, ELSE_BEHIND_BREAK, ELSE_BEHIND_CONTINUE, LOOP_THAT_LEAVES,
        NESTED_ELSES, IN_A_TRY, ELSE_AT_END, FREE_LINE_BEFORE_END, ELSE_OF_TRY_AT_END, NO_ELSE_OF_TRY, ELIF_AT_END, NO_ELIF_AT_END,
        ENDS_WITH_RETURN_UNDER_ELSE, ENDS_WITH_RAISE_UNDER_ELSE, IF_UNDER_ELSE_AT_END,
    ],
)  # fmt: skip
def test_else_comes_back_where_it_was_written(text: str) -> None:
    assert written(text) == without_end(text)


@pytest.mark.skipif(sys.version_info >= (3, 10), reason="since 3.10 a short return is repeated instead of jumped to")
def test_what_a_branch_leads_to_stands_behind_it() -> None:
    assert written(BEHIND_A_BRANCH_THAT_LEAVES) == without_end(BEHIND_A_BRANCH_THAT_LEAVES)


def test_dead_code_tells_of_no_else() -> None:
    assert written(BEHIND_DEAD_CODE) == without_end(BEHIND_DEAD_CODE_WRITTEN)


def written(text: str) -> str:
    decompiler = Decompiler(compile(textwrap.dedent(text), "written", "exec"))
    result = decompiler.decompile(verify=True)
    assert decompiler.verdict, result
    return without_end(result)


def without_end(text: str) -> str:
    """The tree, without the `return None` that the text of a function ends with."""
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    if isinstance(last, ast.Return) and (last.value is None or getattr(last.value, "value", 0) is None):
        del function.body[-1]
    return ast.dump(function)
