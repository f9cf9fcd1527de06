# since: 3.10
def returns_a_constant(a):
    match a:
        case 1:
            h
        case e() | f():
            return 1


def returns_a_global(a):
    match a:
        case 1:
            h
        case e() | f():
            return x


def falls_off(a):
    match a:
        case 1:
            h
        case e() | f():
            g


def returns_what_it_bound(a):
    match a:
        case 1:
            h
        case e(x) | f(x):
            return x


def values_in_classes(a):
    match a:
        case 1:
            h
        case e(1) | f(2):
            raise g


def binds_and_raises(a):
    match a:
        case 1:
            h
        case e(x) | f(x):
            raise g


def raises_a_call(a):
    match a:
        case 1:
            h
        case e() | f():
            raise g(1)


def alone(a):
    match a:
        case e() | f():
            raise g(1)


def sequences_and_mappings(a):
    match a:
        case [] | {}:
            raise g
        case [1, x] | [2, x]:
            raise x


def three(a):
    match a:
        case 1:
            h
        case e() | f() | k():
            raise g


def guards_and_names(a):
    match a:
        case e() | f() if x:
            raise g
        case k() | l() as m:
            raise m


def inside_a_sequence(a):
    match a:
        case [e() | f(), 1]:
            raise g
        case 3:
            z


def mappings(a):
    match a:
        case [x] | [x, _]:
            return x
        case {"k": v} | {"l": v}:
            return v
        case _:
            return x


def values(a):
    match a:
        case 1 | 2:
            return x
        case None | True:
            return y
        case "a" | "b" if z:
            return z
        case q.r | q.s:
            return w()


def in_a_with(a):
    with b:
        match a:
            case int() | str():
                return 1
            case float(real=r) | complex(real=r):
                return r


def in_a_try(a):
    try:
        match a:
            case int() | str():
                return a
            case [int() | str() as x, *_]:
                return x
    except E:
        match a:
            case int() | str():
                return a
        return 2


def in_a_try_with_finally(a):
    try:
        match a:
            case int() | str():
                return a
            case {"x": int() | str()}:
                return 3
    finally:
        done()


def in_a_generator(xs):
    for a in xs:
        match a:
            case int() | str():
                return a
            case [e(), f()] | [f(), e()]:
                yield a
            case e(x=1) | f(y=2):
                raise E(a)


def in_a_while(a):
    while a:
        match a.next():
            case int() | str() as n:
                a = n
            case list() | tuple() if a:
                break
            case _:
                return a
    return 7


def choices(a):
    match a:
        case int() | str():
            return a and b
        case list() | tuple():
            return b if a else c


def then_a_return(a):
    match a:
        case int() | str():
            return None
        case list() | tuple():
            x = 1
    return x
