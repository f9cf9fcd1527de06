"""More functions for `test_runs`: generators, coroutines, and what only newer versions have. See `samples`."""

from __future__ import annotations

GENERATORS = {
    "generator": """
        def f(p, m, am):
            x = yield p(1)
            p(2, x)
            try:
                y = yield p(3)
            except Fault as error:
                y = yield ("caught", error.args)
            finally:
                p(4)
            for i in range(2):
                yield p(5, i)
            return x, y
    """,
    "delegation": """
        def f(p, m, am):
            def inner():
                try:
                    x = yield p(1)
                    yield p(2, x)
                    return "inner"
                finally:
                    p(3)
            try:
                x = yield from inner()
            except Fault:
                x = "fault"
            y = yield from p(4, [1, 2])
            with m(5, True):
                yield from inner()
            return x, y
    """,
    "stop_iteration": """
        def f(p, m, am):
            yield p(1)
            try:
                raise StopIteration(p(2))
            finally:
                yield p(3)
    """,
}

COROUTINES = {
    "awaits": """
        async def f(p, m, am):
            async def g(n):
                return p(n)
            x = await g(1)
            try:
                y = await g(2) + await g(3)
            except Fault:
                y = await g(4)
            finally:
                await g(5)
            return x, y
    """,
    "async_with": """
        async def f(p, m, am):
            out = []
            async with am(1, True) as a:
                out.append(p(3, a))
                async with am(4, False):
                    out.append(p(6))
            async with am(7, False):
                return out, p(9)
    """,
    "async_for": """
        async def f(p, m, am):
            class Items:
                def __init__(self):
                    self.n = 0
                def __aiter__(self):
                    p(1)
                    return self
                async def __anext__(self):
                    self.n += 1
                    if p(2, self.n) > 3:
                        raise StopAsyncIteration
                    return self.n
            out = []
            async for i in Items():
                if i == 2:
                    continue
                out.append(p(3, i))
            else:
                out.append(p(4))
            try:
                async for i in Items():
                    out.append(p(5, i))
                    if i == 2:
                        break
            finally:
                out.append(p(6))
            out.append([p(7, i) async for i in Items()])
            return out
    """,
}

# name -> (first version, source)
NEWER = {
    "parenthesized_decorators": ((3, 9), """
        def f(p, m, am):
            def twice(n):
                return lambda g: lambda *a: (g(*a), n)
            @(twice)(p(1))
            @twice(p(2))
            def g(a):
                return a
            return g(3), {"a": 1} | {"b": p(3)}
    """),
    "match": ((3, 10), """
        class Point:
            __match_args__ = ("x", "y")
            def __init__(self, x, y):
                self.x, self.y = x, y
        def f(p, m, am):
            out = []
            for subject in (1, "s", [1, 2], (1, 2, 3, 4), {"a": 1, "b": 2}, {"a": 1}, Point(1, 2), Point(3, 4), None, 2.5, []):
                match p(1, subject):
                    case 1 | 2:
                        out.append(("int", p(2)))
                    case str() as s:
                        out.append(s)
                    case [1, x]:
                        out.append(("pair", x))
                    case [a, *rest, b] if p(3):
                        out.append((a, rest, b))
                    case {"a": 1, "b": v}:
                        out.append(("ab", v))
                    case {"a": v, **rest}:
                        out.append(("a", v, rest))
                    case Point(1, y=y):
                        out.append(("point", y))
                    case Point(x=3) | Point(y=9):
                        out.append("other point")
                    case None | True:
                        out.append(None)
                    case float(v):
                        out.append(v)
                    case _:
                        out.append("?")
            return out
    """),
    "parenthesized_with": ((3, 10), """
        def f(p, m, am):
            with (m(1, True) as a, m(3, True) as b):
                return p(5), a, b
            return "swallowed"
    """),
    "except_star": ((3, 11), """
        def f(p, m, am):
            out = []
            for group in ([ValueError(1), KeyError(2)], [ValueError(1), ExceptionGroup("in", [KeyError(3)])], [OSError(4)]):
                try:
                    try:
                        p(1)
                        raise ExceptionGroup("g", group)
                    except* ValueError as error:
                        out.append((p(2), len(error.exceptions)))
                    except* (KeyError, Fault) as error:
                        out.append((p(3), type(error).__name__))
                    else:
                        out.append("none")
                    finally:
                        out.append(p(4))
                except ExceptionGroup as error:
                    out.append((error.message, len(error.exceptions)))
            return out
    """),
    "type_parameters": ((3, 12), """
        def f(p, m, am):
            def g[T](a: T) -> T:
                return a
            class A[T]:
                x = p(1)
            return g(p(2)), len(g.__type_params__), A.x, A[int]
    """),
    "inlined_cells": ((3, 12), """
        def f(p, m, am):
            x = p(1)
            y = [(lambda: x) for x in range(3)]
            z = [x for x in p(2, "ab")]
            def g():
                return x
            try:
                w = [(x, p(3, i)) for i in range(2) for x in range(i, 3)]
            except Fault:
                w = None
            return [k() for k in y], z, g(), w, x
    """),
    "nested_strings": ((3, 12), """
        def f(p, m, am):
            x = p(1)
            return f"{f"{x!r:>{p(2, 5)}}" + "b"!s:<10}|{x=}|{x:{'>'}{p(3)}}"
    """),
    "template": ((3, 14), """
        def f(p, m, am):
            x = t"a{p(1)}b{p(2)!r:>{p(3)}}"
            return x.strings, [(i.value, i.expression, i.conversion, i.format_spec) for i in x.interpolations]
    """),
    "comprehension_unpacking": ((3, 15), """
        def f(p, m, am):
            x = p(1, [[1, 2], [3]])
            return [*y for y in x], {*y for y in x}, {**d for d in p(2, [{1: 2}])}, list((*y for y in x))
    """),
}  # fmt: skip
