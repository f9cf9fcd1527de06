"""The spiller: its code does the same, with values in named locals."""

from __future__ import annotations

import types
from typing import Any, List

import pytest

from tools.sources import compile_text
from tools.spiller import spill, spill_all

CASES = {
    "arithmetic": (
        'def f(a, b):\n'
        '    return (a + b) * (a - b) // 2\n',
        (7, 4),
    ),
    "loop": (
        'def f(n):\n'
        '    out = []\n'
        '    for i in range(n):\n'
        '        if i % 2: continue\n'
        '        out.append(i)\n'
        '    return out\n',
        (7,),
    ),
    "handler": (
        'def f(x):\n'
        '    try:\n'
        '        return 1 / x\n'
        '    except ZeroDivisionError as e:\n'
        '        return str(e)\n'
        '    finally:\n'
        '        x = None\n',
        (0,),
    ),
    "with": (
        'def f(x):\n'
        '    import contextlib\n'
        '    with contextlib.suppress(KeyError) as y:\n'
        '        return {}[x]\n'
        '    return y\n',
        (1,),
    ),
    "generator": (
        'def f(n):\n'
        '    def g():\n'
        '        got = yield n\n'
        '        yield from range(n)\n'
        '    return list(g())\n',
        (3,),
    ),
    "coroutine": (
        'def f(n):\n'
        '    async def g(): return n\n'
        '    async def h(): return await g() + 1\n'
        '    try:\n'
        '        h().send(None)\n'
        '    except StopIteration as e:\n'
        '        return e.value\n',
        (3,),
    ),
    "comprehensions": (
        'def f(n):\n'
        '    return [i for i in range(n) if i], {i: [j for j in range(i)] for i in range(n)}, sum(i for i in range(n))\n',
        (4,),
    ),
    "calls": (
        'def f(*a, **k):\n'
        '    g = lambda *x, key=1, **y: (x, key, y)\n'
        "    return g(*a, 5, key=2, **k), '%s'.__mod__('x'), f'{a!r:>10}'\n",
        (1, 2),
    ),
    "closure": (
        'def f(x):\n'
        '    def g():\n'
        '        nonlocal x\n'
        '        x += 1\n'
        '        return x\n'
        '    return g() + g()\n',
        (1,),
    ),
    "class": (
        'def f(x):\n'
        '    class C(dict):\n'
        '        y = x\n'
        '        def m(self): return super().get(1, __class__.__name__)\n'
        '    return C().m(), C.y\n',
        (1,),
    ),
    "unpacking": (
        'def f(x):\n'
        '    a, *b = x\n'
        '    (c, d), e = (a, 1), b\n'
        "    return [*b, a, c, d, e], {**{'k': a}}\n",
        ([1, 2, 3],),
    ),
    "chain": (
        'def f(x):\n'
        '    return 1 < x < 5 or not x and x is not None\n',
        (3,),
    ),
}  # fmt: skip


def function(code: types.CodeType) -> Any:
    namespace: Any = {}
    exec(code, namespace)
    return namespace["f"]


@pytest.mark.parametrize("name", sorted(CASES))
def test_spilled_code_gives_the_same_result(name: str) -> None:
    text, arguments = CASES[name]
    code = compile_text(text, "<test>")
    before, after = function(code), function(spill_all(code))
    assert after.__code__.co_code != before.__code__.co_code
    assert after(*arguments) == before(*arguments)


def names(code: types.CodeType) -> List[str]:
    return [name for name in code.co_varnames if name.startswith("__spilled_")]


def test_every_operand_has_a_name() -> None:
    code = function(compile_text("def f(a, b):\n    return a.x + b[0]\n", "<test>")).__code__
    assert len(names(spill(code))) >= 5


def test_code_without_fast_locals_is_left_alone() -> None:
    module = compile_text("x = 1 + y\n", "<test>")
    assert spill(module) is module
