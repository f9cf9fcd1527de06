"""Functions that `test_runs` runs twice: natively and on the machine. Each takes a probe `p` and shows what it does.

`p(n, value)` notes n, raises Fault if that is where the run is told to fail, and returns value (n if there is none).
`m(n, swallows)` is a context manager that probes n on entry and n + 1 on exit; `am` the same for `async with`.
"""

from __future__ import annotations

EVERY_VERSION = {
    "operators": """
        def f(p, m, am):
            a, b = p(1, 7), p(2, 3)
            x = [a + b, a - b, a * b, a / b, a // b, a % b, a ** b, a << b, a >> b, a & b, a ^ b, a | b, -a, +a, ~a, not a]
            a += b; a -= 2; a *= b; a //= 2; a %= 5; a **= 2; a <<= 1; a >>= 1; a &= 7; a ^= 1; a |= 8; a /= 2
            return x, a, a < b, a <= b, a == b, a != b, a > b, a >= b, a is b, a is not b, a in [b], a not in [b]
    """,
    "chains": """
        def f(p, m, am):
            x = p(1) < p(2) < p(3) != p(4)
            y = p(5) and p(6, 0) or p(7) and not p(8)
            z = p(9) if p(10, 0) else p(11)
            if p(12) < p(13) < p(14, 0) or p(15, []):
                return x, y
            if not (p(16, 0) and p(17)) or p(18):
                return x, y, z
    """,
    "none_tests": """
        def f(p, m, am):
            out = []
            for x in (None, 1):
                if x is None:
                    out.append(p(1))
                if x is not None:
                    out.append(p(2))
                while x is not None:
                    x = p(3, None)
                out.append(x is None)
            return out
    """,
    "loops": """
        def f(p, m, am):
            total = 0
            for i in p(1, range(5)):
                if i == 1:
                    continue
                if p(2, i) == 4:
                    break
                for j in range(i):
                    total += p(3, j)
                else:
                    total += 100
            else:
                total += 1000
            while p(4, total) > 50:
                total -= 60
                if total == 7:
                    break
            else:
                total += 1
            for i in ():
                pass
            else:
                p(5)
            return total
    """,
    "unpacking": """
        def f(p, m, am):
            a, (b, *c), *d, e = p(1, [1, "xyz", 3, 4, 5])
            [g, h] = p(2, (1, 2))
            *i, = p(3, "ab")
            x = [*p(4, "ab"), 1, *p(5, "cd")]
            y = {*p(6, [1]), 2}, (*p(7, [1]), 2), {**p(8, {1: 2}), 3: 4, **p(9, {5: 6})}
            return a, b, c, d, e, g, h, i, x, y
    """,
    "calls": """
        def f(p, m, am):
            def g(a, b=2, *args, c, d=4, **kw):
                return a, b, args, c, d, sorted(kw.items())
            return (
                g(p(1), c=p(2)), g(p(3), p(4), p(5), c=p(6), e=p(7)), g(*p(8, [1, 2]), c=p(9)),
                g(*p(10, [1]), *p(11, [2]), **p(12, {"c": 1}), d=p(13)), g(1, **p(14, {"c": 3, "d": 4})),
                "a b".split(p(15, " ")), "{x}".format(x=p(16)), [].append(p(17)), dict(a=1, **{"b": p(18)}),
                max(p(19, [3, 4]), key=lambda v: -v),
            )
    """,
    "items": """
        def f(p, m, am):
            x = list(range(10))
            x[p(1)] = p(2)
            x[p(3, 2):p(4, 4)] = p(5, "ab")
            del x[p(6, 0)], x[p(7, 2):]
            y = {}
            y[p(8)], y["k"] = p(9), p(10)
            y["k"] += p(11)
            return x[p(12, 0)], x[:1], x[::2], x[-1:0:-1], y
    """,
    "attributes": """
        class Box:
            pass
        def f(p, m, am):
            box = Box()
            box.a = p(1)
            box.a += p(2)
            box.b = box.a
            del box.b
            try:
                box.b
            except AttributeError:
                return box.a, p(3), hasattr(box, "b")
    """,
    "strings": """
        def f(p, m, am):
            x, w = p(1, 3.14159), p(2, 10)
            return f"{x}", f"a{x!r}b{x!s}c{x!a}", f"{x:.2f}|{x:>{w}.1f}|{x!r:>12}|{p(3)}", f"{{}}" f"{x}" "z"
    """,
    "try_except": """
        def f(p, m, am):
            out = []
            try:
                out.append(p(1))
                try:
                    out.append(p(2))
                except ZeroDivisionError:
                    out.append(p(3))
                except (KeyError, Fault) as error:
                    out.append(p(4, str(error)))
                    try:
                        out.append(p(5))
                    except Fault:
                        out.append(p(6))
                        raise
                else:
                    out.append(p(7))
                out.append(p(8))
            except Fault as error:
                out.append(error.args)
            except:
                out.append("other")
            return out
    """,
    "raising": """
        def f(p, m, am):
            try:
                try:
                    p(1)
                    raise ValueError(p(2))
                except ValueError as error:
                    p(3)
                    raise KeyError(p(4)) from error
            except KeyError as error:
                p(5)
                return str(error), str(error.__cause__)
    """,
    "try_finally": """
        def f(p, m, am):
            out = []
            for i in range(6):
                try:
                    out.append(p(1))
                    if i == 1:
                        continue
                    if i == 3:
                        break
                    out.append(p(2))
                finally:
                    out.append(p(3))
                    if i == 2:
                        out.append("two")
                out.append(p(4))
            try:
                return out, p(5)
            finally:
                p(6)
                try:
                    p(7)
                finally:
                    p(8)
    """,
    "finally_overrides": """
        def f(p, m, am):
            out = []
            for i in range(5):
                try:
                    out.append(p(1))
                    return out
                finally:
                    out.append(p(2))
                    if i < 2:
                        continue
                    if i == 2:
                        break
            while True:
                try:
                    out.append(p(3))
                finally:
                    return out, p(4)
    """,
    "finally_loop_first": """
        def f(p, m, am):
            x = [1, 2]
            try:
                p(1)
            finally:
                while x:
                    p(2, x.pop())
            return p(3)
    """,
    "finally_try_first": """
        def f(p, m, am):
            try:
                p(1)
            finally:
                try:
                    p(2)
                except Fault:
                    p(3)
                finally:
                    p(4)
            return p(5)
    """,
    "try_everything": """
        def f(p, m, am):
            out = []
            def g():
                nonlocal out
                for i in range(3):
                    try:
                        try:
                            out.append(p(1, i))
                            if i == 1:
                                raise KeyError(i)
                        except KeyError as error:
                            out.append(p(2))
                            return str(error)
                        else:
                            out.append(p(3))
                        finally:
                            out.append(p(4))
                    finally:
                        out.append(p(5))
            out.append(g())
            return out
    """,
    "nested_returns": """
        def f(p, m, am):
            try:
                try:
                    with m(1, False) as a:
                        try:
                            return p(3, a)
                        finally:
                            p(4)
                finally:
                    p(5)
            except Fault as error:
                return "fault", error.args
            finally:
                p(6)
    """,
    "with": """
        def f(p, m, am):
            out = []
            with m(1, True) as a, m(3, False):
                out.append(p(5, a))
                with m(6, True):
                    out.append(p(8))
                out.append(p(9))
            out.append(p(10))
            for i in range(3):
                with m(11, True):
                    if i == 1:
                        continue
                    if i == 2:
                        break
                    out.append(p(13))
            with m(14, False):
                return out, p(16)
    """,
    "with_in_handler": """
        def f(p, m, am):
            try:
                p(1)
                raise ValueError
            except ValueError:
                with m(2, True):
                    p(4)
                    raise
            return p(5)
    """,
    "closures": """
        def f(p, m, am):
            x = p(1)
            y = p(2)
            def g(a, b=x):
                nonlocal y
                y += a
                def h():
                    return x, y, b
                return h
            h = g(p(3))
            z = [lambda: (x, i) for i in range(2)]
            x = p(4)
            del y
            try:
                return h(), y
            except NameError:
                return [k() for k in z], "unbound"
    """,
    "comprehensions": """
        def f(p, m, am):
            n = p(1, 3)
            x = "kept"
            a = [p(2, x) for x in range(n) if x % 2 == 0 for y in range(x)]
            b = {x: y for x in range(n) for y in range(x) if y}
            c = {x * n for x in range(4)}
            d = list(p(3, x) for x in range(n) if x)
            e = [[i + j for j in range(i)] for i in range(n)]
            g = [(lambda: i)() for i in range(n)]
            return a, b, c, d, e, g, x
    """,
    "unbound": """
        def f(p, m, am):
            if p(1, 0):
                x = 1
            try:
                del x
            except NameError:
                p(2)
            try:
                return x
            except UnboundLocalError:
                return p(3)
    """,
    "globals": """
        counter = 1
        def f(p, m, am):
            global counter, another
            counter += p(1)
            another = counter
            del another
            try:
                return counter, another
            except NameError:
                return counter, len("abc")
    """,
    "asserts": """
        def f(p, m, am):
            assert p(1), p(2)
            try:
                assert p(3, 0), p(4, "message")
            except AssertionError as error:
                return error.args
    """,
    "imports": """
        def f(p, m, am):
            import os.path, string as text
            from os import path as q, sep
            import os.path as r
            from os.path import join
            return p(1), q is os.path is r, text.digits, sep, join is q.join
    """,
    "classes": """
        def f(p, m, am):
            value = p(1)
            class A(dict, metaclass=type):
                x = value
                def g(self, n):
                    return super().__len__() + n, super(A, self).__len__(), __class__ is A
                y = [x for _ in range(2)]
            class B(A):
                def g(self, n):
                    return "B", super().g(n), p(2)
            return A(a=1).g(3), B().g(1), A.y
    """,
    "annotations": """
        def f(p, m, am):
            x: int = p(1)
            y: "never"
            def g(a: int, b: "str" = "s", *, c: float = 1.5) -> bool:
                return a, b, c
            return x, g(2), sorted(g.__annotations__)
    """,
    "lambda_defaults": """
        def f(p, m, am):
            g = lambda a, b=p(1), *c, d=p(2), **e: (a, b, c, d, e)
            return g(1), g(1, 2, 3, d=4, f=5)
    """,
    "walrus": """
        def f(p, m, am):
            out = []
            while (n := p(1, len(out))) < 3:
                out.append(n)
            if any((found := v) == 2 for v in out):
                out.append(found)
            return out
    """,
}
