# since: 3.10
def loop(items):
    for item in items:
        match item:
            case 1:
                pass
            case [a]:
                break
            case 2 | 3:
                use(item)
                close()
            case _ if flag:
                other()
            case str():
                text()
    else:
        nothing()
    return items


def nested(x, y):
    match x:
        case [a, *_] if a:
            match y:
                case 1:
                    return 1
                case {"k": k}:
                    x = k
        case None:
            if lock:
                x = y.next()
        case _:
            raise ValueError(x)
    return x


def guards(x):
    match x:
        case n if n < 0:
            return -1
        case n if n > 0 and n % 2 or n == 4:
            return 1
        case 0 if not x.real:
            return 0
        case _:
            return 3


async def waiting(x):
    match await x:
        case [a] if await a:
            async with a as b:
                return b


def captured(x):
    global where
    match x:
        case [where, *_]:
            return where
        case other:
            return lambda: other


def tries(x):
    match x:
        case 0:
            return x
        case 8:
            try:
                return first(x)
            except Exception:
                raise ValueError(x)
        case 93:
            try:
                return second(x)
            except Exception:
                raise TypeError(x)
        case _:
            raise KeyError(x)
