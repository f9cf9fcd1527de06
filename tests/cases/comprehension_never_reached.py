# differs: what is never reached is not known but for the variables it has
[a for b[c] in d if () for c in a]
(a for b.c in d if () async for e in f)
(a async for b.c in d if c if () for c in g for [] in (lambda *h: c))
{a: b for c in d for e.f in d if False for g[e] in a if (c for e in g)}
[a for c in d for [] in e if () for [] in a if (lambda **b: c)]
def f(a):
    return [a for b[c] in d if () for c in a], [[x for x.y in z if () for x in y] for z in a if z]
class C:
    {a for () in a if () for b in b for () in c if (b for d in e)}


async def awaited_in_generators():
    return (a for b in c if True or await None)


async def awaited_in_lists():
    return [a for b in c if b for d in b if d if True or await None]
