{*a}
[a]
[*a, b]
{**a}
{a: b, **c}
[[x for x in y]]


def inside():
    [a]
    {*a}
    {a: 1, "b": 2}
    (a, *b)
    return [d for d in e]
