# Pairs that must be EQUAL. A case is `# case: name`, optionally `# since: 3.x`, a module, a line `# ---`, a module.

# case: a value on the stack or in a temporary
def f(a, b):
    return g(a + b, a.x)
# ---
def f(a, b):
    t0 = g
    t1 = a
    t2 = b
    t3 = t1 + t2
    t4 = t1.x
    t5 = t0(t3, t4)
    return t5

# case: the names of locals do not matter
def f(a):
    for item in a:
        total = item + 1
        print(total)
# ---
def f(a):
    for x in a:
        y = x + 1
        print(y)

# case: nested ifs and a conjunction
def f(a, b):
    if a and b:
        return 1
    return 2
# ---
def f(a, b):
    if a:
        if b:
            return 1
    return 2

# case: a negated condition with its branches exchanged
def f(a):
    if not a:
        x = 1
    else:
        x = 2
    return x
# ---
def f(a):
    if a:
        x = 2
    else:
        x = 1
    return x

# case: a condition in a value, and an if
def f(a):
    x = g() if a else h()
    return x
# ---
def f(a):
    if a:
        return g()
    else:
        return h()

# case: is not, and not is
def f(a, b):
    return a is not b
# ---
def f(a, b):
    return not a is b

# case: not in, and not in
def f(a, b):
    if a not in b:
        return 1
    return 2
# ---
def f(a, b):
    if not (a in b):
        return 1
    return 2

# case: identity has no effect
def f(a):
    a is None
    return a
# ---
def f(a):
    return a

# case: while True with a break
def f(a):
    while a.more():
        a.step()
    return a
# ---
def f(a):
    while True:
        if not a.more():
            break
        a.step()
    return a

# case: return in finally's place
def f(a):
    try:
        x = a()
    finally:
        done()
    return x
# ---
def f(a):
    try:
        y = a()
        t = y
    finally:
        done()
    return t

# case: a flag instead of an else on the loop
def f(a):
    for x in a:
        if x:
            break
    else:
        return 1
    return 2
# ---
def f(a):
    found = False
    for x in a:
        if x:
            found = True
            break
    if found:
        return 2
    return 1

# case: the same tail twice
def f(a):
    if a:
        x = 1
    else:
        x = 2
    return g(x)
# ---
def f(a):
    if a:
        return g(1)
    return g(2)

# case: a tuple that is built and taken apart
def f(a, b):
    a, b = b, a
    return a - b
# ---
def f(a, b):
    t = (b, a)
    a = t[0]
    b = t[1]
    return a - b

# case: a list that has not escaped
def f(a, b):
    return g(a, b)
# ---
def f(a, b):
    t = [b, a, a]
    del t[2]
    t[0], t[1] = t[1], t[0]
    return g(*t)

# case: slices of fresh lists
def f(a, b, c):
    return [b, c]
# ---
def f(a, b, c):
    t = [a, b, c]
    u = t[1:]
    del t[0]
    u[:] = t
    return u

# case: keywords in a fresh dict
def f(a, b):
    return g(a, key=b)
# ---
def f(a, b):
    return g(*(a,), **{'key': b})

# case: an unpacked constant
def f(a):
    x, y = (1, 2)
    return g(y, x)
# ---
def f(a):
    return g(2, 1)

# case: a starred target over a fresh list
def f(a, b, c):
    return g(a, [b, c])
# ---
def f(a, b, c):
    x, *y = [a, b, c]
    return g(x, y)

# case: the truth of a fresh container
def f(a):
    return 1
# ---
def f(a):
    if [a]:
        return 1
    return 2

# case: a list comprehension is one
def f(a):
    return [x + 1 for x in a if x]
# ---
def f(a):
    return [x + 1 for x in a if not not x]

# case: line numbers of a class body
class A:
    x = 1
    def f(self): return self.x
# ---


class A:

    x = 1

    def f(self):
        return self.x

# case: nested functions and closures
def f(a):
    def g(b):
        return a + b
    return g
# ---
def f(a):

    def g(b):
        t = a
        return t + b
    x = g
    return x

# case: generators
def f(a):
    x = yield a
    y = yield from g(x)
    return y
# ---
def f(a):
    t = a
    x = yield t
    t = g(x)
    return (yield from t)

# case: with and exceptions
def f(a):
    with a as b, b.c:
        try:
            return b.d()
        except (KeyError, ValueError) as e:
            log(e)
            raise
        finally:
            end()
# ---
def f(a):
    with a as b:
        with b.c:
            try:
                t = b.d()
                return t
            except (KeyError, ValueError) as error:
                u = error
                log(u)
                raise
            finally:
                end()

# case: async
async def f(a):
    async with a as b:
        async for x in b:
            await x
        return [y async for y in x]
# ---
async def f(a):
    async with a as c:
        b = c
        async for z in b:
            x = z
            await x
        t = [y async for y in x]
        return t

# case: loops without events
def f(a):
    while True:
        pass
# ---
def f(a):
    x = 1
    while True:
        x = 2

# case: code that is never reached
def f(a):
    return a
# ---
def f(a):
    while True:
        return a
        g()

# case: many silent tests in a row
def f(a=None, b=None, c=None, d=None, e=None, g=None, h=None, i=None, j=None, k=None, l=None, m=None, n=None):
    if a is None: a = 1
    if b is None: b = 1
    if c is None: c = 1
    if d is None: d = 1
    if e is None: e = 1
    if g is None: g = 1
    if h is None: h = 1
    if i is None: i = 1
    if j is None: j = 1
    if k is None: k = 1
    if l is None: l = 1
    if m is None: m = 1
    if n is None: n = 1
    return x(a, b, c, d, e, g, h, i, j, k, l, m, n)
# ---
def f(a=None, b=None, c=None, d=None, e=None, g=None, h=None, i=None, j=None, k=None, l=None, m=None, n=None):
    if a is not None: pass
    else: a = 1
    if b is None: b = 1
    if c is None: c = 1
    if d is None: d = 1
    if e is None: e = 1
    if g is None: g = 1
    if h is None: h = 1
    if i is None: i = 1
    if j is None: j = 1
    if k is None: k = 1
    if l is None: l = 1
    if m is None: m = 1
    if n is None: n = 1
    t = x
    return t(a, b, c, d, e, g, h, i, j, k, l, m, n)

# case: match
# since: 3.10
def f(a):
    match a:
        case [x, *rest]: return x, rest
        case {'k': v}: return v
        case A(b=1) | None: return 0
        case _: return 1
# ---
def f(a):
    t = a
    match t:
        case [x, *rest]:
            u = (x, rest)
            return u
        case {'k': v}: return v
        case A(b=1) | None: return 0
    return 1

# case: a local that may be unbound
def f(a):
    if a:
        x = g()
    return x
# ---
def f(a):
    if a:
        t = g()
        x = t
    return x

# case: a class in a function, another prefix of its qualified name
class A:
    def f(self):
        class B:
            def g(self): return super().g()
        return B
# only: f
# ---
def f(self):
    class B:
        def g(self): return super().g()
    return B
# only: f
