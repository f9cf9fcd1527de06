"""What `tools.nestings` nests: kinds of expressions and statements, `□` being the place where another one goes.

Expressions stand one on a line; statements are parted by empty lines.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

HOLE = "□"


def _lines(text: str) -> List[str]:
    return [line for line in text.strip("\n").split("\n") if line]


def _statements(text: str) -> List[str]:
    return text.strip("\n").split("\n\n")


ATOMS = ("a", '1', "'text'", 'None', '()', '...', '-1.5', 'True', '[]', '{}')

EXPRESSIONS = _lines("""
a + □
□ - b
-□
not □
□ < b
a == □
a < □ < c
□ < b < c
a < b < □
□ in b
a not in □
□ is None
□ and b
a and □
□ or b
a or □
a and □ or b
not (□ or b)
□ if b else c
a if □ else c
a if b else □
□.u
□[0]
a[□]
a[□:b]
a[b:□]
a[::□]
a[□, 1]
a[1:□, b]
□(1)
□.m(1)
a.m(□)
a(□)
a(1, □)
a(*□)
a(b, *□)
a(*□, b)
a(*b, *□)
a(k=□)
a(j=1, k=□)
a(**□)
a(b, k=1, **□)
a(**b, **□)
a(*b, **□)
a(*□, k=1)
a.m(*□)
a.m(k=□)
[□]
[1, □]
[*□]
[1, *□]
(□,)
(*□,)
(*□, *b)
{□}
{1, □}
{*□}
{*b, *□}
{a: □}
{□: a}
{1: 2, 3: □}
{**□}
{'a': 1, **□}
{**b, 'a': □}
[x for x in □]
[□ for x in a]
[x for x in a if □]
[x for x in a if b if □]
[x for y in a for x in □]
[x for x in □ for y in x]
{□ for x in a}
{x for x in □}
{x: □ for x in a}
{□: x for x in a}
{x: x for x in □}
(□ for x in a)
(x for x in □)
(x for x in a if □)
sum(x for x in □)
[lambda: x for x in □]
[[y for y in □] for x in a]
[x for [x] in [□]]
[x for x in [□]]
lambda: □
lambda p=□: p
lambda p: □
lambda *, p=□: p
f'{□}'
f'{□!r:>5}'
f'{a:{□}}'
f'x{a}y{□}z'
'%s' % □
'%s %r' % (a, □)
(t := □)
a(t := □)
""")

EXPRESSIONS_IN_GENERATORS = _lines("""
(yield □)
(yield from □)
""")

EXPRESSIONS_IN_COROUTINES = _lines("""
await □
[x async for x in □]
[await x for x in □]
""")

EXPRESSIONS_SINCE: Dict[Tuple[int, int], List[str]] = {
    (3, 11): _lines("""
a[*□]
"""),
    (3, 14): _lines("""
t'{□}'
t'x{a}{□!r:>{b}}'
"""),
}

# what an expression stands in
CONTEXTS = _statements("""
□

r = □

r = s = □

r, s = □

r, s = a, □

r, s = □, b

r, *s = □

[r.u, s[0]] = □

a.u = □

a[□] = b

(□).u = b

a[□:1] = b

a.u, b[□] = c

r += □

a.u += □

a[□] += b

(□).u -= b

r: int = □

r: □ = a

a.u: □

return □

return a, □

if □:
    b()

if □:
    b()
else:
    c()

if not □:
    b()
c()

if a:
    b()
elif □:
    c()
d()

if a and □:
    b()

if a:
    return □
return b

while □:
    b()

while □:
    if c:
        break
else:
    d()

while True:
    if □:
        break

for x in □:
    b()

for x in □:
    break
else:
    c()

for x in a:
    r = □

for (□).u in b:
    c()

for a[□] in b:
    c()

with □:
    b()

with □ as x, c as y:
    b()

with a as x, □ as y:
    return b

with a as (□).u:
    b()

with a:
    return □

assert □

assert a, □

raise □

raise a from □

del (□).u

del a[□]

try:
    r = □
except E:
    b()

try:
    b()
except □:
    c()

try:
    b()
except E as e:
    return □

try:
    return □
finally:
    b()

try:
    b()
finally:
    r = □

@□
def inner():
    pass

@a
@□
class inner:
    pass

def inner(p=□, *, q=□):
    return p

def inner(p: □):
    return p

def inner() -> □:
    pass

class inner(□):
    pass

class inner(a, k=□):
    pass

class inner:
    r = □

class inner:
    r: □ = 1

print(□, file=□)
""")

CONTEXTS_IN_GENERATORS = _statements("""
yield □

r = yield □

yield a, □

r = yield from □
""")

CONTEXTS_IN_COROUTINES = _statements("""
async with □ as x, b:
    c()

async for x in □:
    b()

await □

return await □
""")

CONTEXTS_SINCE: Dict[Tuple[int, int], List[str]] = {
    (3, 10): _statements("""
match □:
    case 1:
        b()
    case _:
        c()

match a:
    case [x, *_] if □:
        b()

match a, □:
    case x, y:
        b()
"""),
    (3, 11): _statements("""
try:
    r = □
except* E:
    r = □
"""),
    (3, 12): _statements("""
type A[T: □] = □

def inner[T: □](p: □ = □):
    pass

class inner[T: □](□):
    r: □
"""),
}

STATEMENTS = _statements("""
if a:
    □

if a:
    □
else:
    b()

if a:
    b()
else:
    □

if a:
    b()
elif c:
    □
else:
    d()

if a and b:
    □

if not a:
    □

while a:
    □

while True:
    □

while a or b:
    □

while a:
    □
else:
    b()

while a:
    b()
else:
    □

for x in a:
    □

for x in a:
    □
else:
    b()

for x in a:
    if b:
        break
else:
    □

try:
    □
except E:
    b()

try:
    b()
except E:
    □

try:
    b()
except E as e:
    □

try:
    b()
except E:
    c()
except:
    □

try:
    b()
except E:
    c()
else:
    □

try:
    □
except E:
    c()
else:
    d()

try:
    □
finally:
    b()

try:
    b()
finally:
    □

try:
    □
except E:
    b()
finally:
    c()

try:
    b()
except E as e:
    □
finally:
    c()

try:
    b()
except E:
    c()
finally:
    □

with a:
    □

with a as x, b:
    □

b()
□

□
b()

if a:
    □
    return b

if a:
    □
    c()
""")

STATEMENTS_IN_COROUTINES = _statements("""
async with a as x:
    □

async for x in a:
    □

async for x in a:
    □
else:
    b()
""")

STATEMENTS_SINCE: Dict[Tuple[int, int], List[str]] = {
    (3, 10): _statements("""
match a:
    case 1:
        □
    case [x, y] if b:
        c()

match a:
    case C(x=1) | None:
        b()
    case _:
        □
"""),
    (3, 11): _statements("""
try:
    □
except* E:
    b()

try:
    b()
except* E as e:
    □
except* F:
    c()
"""),
}

# what the innermost statement is
ENDS = _statements("""
pass

y()

r = y

del r

return

return y

return y if z else w

return y and z

raise

raise y

break

continue

assert y

import y

if y:
    break

if y:
    continue

if y:
    return z

if y:
    raise z

if y:
    return z
else:
    w()

r = y if z else w
""")

ENDS_IN_GENERATORS = _statements("""
yield y

r = yield
""")

ENDS_IN_COROUTINES = _statements("""
await y
""")

# where the nested statements stand
AROUND = _statements("""
□

□
z()

for q in w:
    □
    t()

while q:
    □

□
return q

for q in w:
    □
return q
""")
