# Pairs that must be DIFFERENT, in the format of equal.py.

# case: another constant
def f(a): return a + 1
# ---
def f(a): return a + 2

# case: True and 1
def f(a): return a is True or g(True)
# ---
def f(a): return a is True or g(1)

# case: zero and minus zero
def f(a): return 0.0
# ---
def f(a): return -0.0

# case: 1 and 1.0 inside of a tuple
def f(a): return (1, (2, 3))
# ---
def f(a): return (1, (2.0, 3))

# case: bytes and str
def f(a): return 'a'
# ---
def f(a): return b'a'

# case: operands exchanged
def f(a, b): return a - b
# ---
def f(a, b): return b - a

# case: another operator
def f(a, b): return a - b
# ---
def f(a, b): return a + b

# case: in place or not
def f(a, b):
    a += b
    return a
# ---
def f(a, b):
    a = a + b
    return a

# case: an attribute
def f(a): return a.x
# ---
def f(a): return a.y

# case: a global
def f(a): return g(a)
# ---
def f(a): return h(a)

# case: the order of evaluation
def f(a, b): return g(a.x, b.y)
# ---
def f(a, b):
    t = b.y
    return g(a.x, t)

# case: a test more
def f(a, b):
    if a: pass
    return b
# ---
def f(a, b):
    return b

# case: a load more
def f(a):
    a.x
    return a
# ---
def f(a):
    return a

# case: the polarity of a branch
def f(a):
    if a: return 1
    return 2
# ---
def f(a):
    if not a: return 1
    return 2

# case: or and and
def f(a, b): return a or b
# ---
def f(a, b): return a and b

# case: the result of a conjunction is a value
def f(a, b): return a and b
# ---
def f(a, b):
    if a:
        return b
    return False

# case: a call outside of the try
def f(a):
    try:
        x = a()
        g(x)
    except ValueError:
        pass
# ---
def f(a):
    try:
        x = a()
    except ValueError:
        pass
    else:
        g(x)

# case: another exception
def f(a):
    try: a()
    except ValueError: return 1
# ---
def f(a):
    try: a()
    except TypeError: return 1

# case: the handler's order
def f(a):
    try: a()
    except ValueError: return 1
    except TypeError: return 2
# ---
def f(a):
    try: a()
    except TypeError: return 2
    except ValueError: return 1

# case: raised inside of the handler or after it
def f(a):
    try: a()
    except ValueError:
        g()
# ---
def f(a):
    try: a()
    except ValueError:
        pass
    else:
        return
    g()

# case: finally runs or not
def f(a):
    try: a()
    finally: g()
# ---
def f(a):
    a()
    g()

# case: which value the handler sees
def f(a):
    x = 1
    try:
        x = 2
        a()
        x = 3
        a()
    except ValueError:
        return x
# ---
def f(a):
    x = 1
    try:
        x = 2
        a()
        a()
        x = 3
    except ValueError:
        return x

# case: a list or a tuple
def f(a): return [a]
# ---
def f(a): return (a,)

# case: one list twice or two lists
def f(a):
    x = [a]
    return g(x, x)
# ---
def f(a):
    return g([a], [a])

# case: changed before it escapes or after
def f(a):
    x = [a]
    x[0] = 1
    g(x)
# ---
def f(a):
    x = [a]
    g(x)
    x[0] = 1

# case: the order of dict items
def f(a, b): return {'a': a, 'b': b}
# ---
def f(a, b): return {'b': b, 'a': a}

# case: the names of keywords
def f(a): return g(x=a)
# ---
def f(a): return g(y=a)

# case: a keyword or a position
def f(a): return g(x=a)
# ---
def f(a): return g(a)

# case: parameters
def f(a, b=1): return a
# ---
def f(a, c=1): return a

# case: a parameter that is keyword-only
def f(a, b): return a
# ---
def f(a, *, b): return a

# case: defaults
def f(a, b=1): return a
# ---
def f(a, b=2): return a

# case: keyword defaults of a nested function
def f():
    def g(*, a=1): return a
    return g
# ---
def f():
    def g(*, a=True): return a
    return g

# case: inside of a nested function
def f():
    def g(a): return a + 1
    return g
# ---
def f():
    def g(a): return a + 2
    return g

# case: the docstring
def f():
    "one"
    return 1
# ---
def f():
    "two"
    return 1

# case: the name of a nested function
def f():
    def g(): pass
    return g
# ---
def f():
    def h(): pass
    return h

# case: generator or not
def f(a):
    yield a
# ---
def f(a):
    return a

# case: what is sent
def f(a):
    x = yield a
    return x
# ---
def f(a):
    x = yield a
    return a

# case: stored before the call or after
def f(a):
    x = 1
    g(lambda: x)
    x = 2
    a()
# ---
def f(a):
    x = 1
    g(lambda: x)
    a()
    x = 2

# case: which cell
def f(a, b):
    return lambda: a
# ---
def f(a, b):
    return (lambda a: (lambda: a))(b)

# case: a global store
def f(a):
    global x
    x = a
# ---
def f(a):
    global y
    y = a

# case: a name of a class body
class A:
    x = 1
# ---
class A:
    y = 1

# case: a base class
class A(B): pass
# ---
class A(C): pass

# case: a local that may be unbound
def f(a):
    if a:
        x = 1
    return x
# ---
def f(a):
    x = None
    if a:
        x = 1
    return x

# case: what locals() shows
def f(a):
    x = 1
    y = 2
    return locals()
# ---
def f(a):
    x = 2
    y = 1
    return locals()

# case: from where it is imported
def f():
    from a import b
    return b
# ---
def f():
    from ..a import b
    return b

# case: raise from
def f(a, b): raise a from b
# ---
def f(a, b): raise a

# case: which exception is being handled
def f(a):
    try: a()
    except ValueError:
        g()
        return 1
# ---
def f(a):
    try: a()
    except ValueError:
        pass
    else:
        return None
    g()
    return 1

# case: a loop or a test
def f(a):
    while a.x: a.y()
# ---
def f(a):
    if a.x: a.y()

# case: break or continue
def f(a):
    for x in a:
        if x: break
        g(x)
# ---
def f(a):
    for x in a:
        if x: continue
        g(x)

# case: a loop that never ends
def f(a):
    while True: pass
# ---
def f(a):
    return None

# case: slices
def f(a): return a[1:2]
# ---
def f(a): return a[1:2:1]

# case: a format specification
def f(a): return f'{a:x}'
# ---
def f(a): return f'{a!r:x}'

# case: the order of the context managers
def f(a, b):
    with a, b: pass
# ---
def f(a, b):
    with b, a: pass
