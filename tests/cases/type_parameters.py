# since: 3.12
def identity[T](x: T) -> T:
    return x


def many[T: int, U: (str, bytes), *Ts, **P](x: T, u: U, *args: *Ts, key=default(), **kwargs: P.kwargs) -> None:
    def inner[V](y: V = x) -> T:
        return y

    return inner


class Box[T]:
    content: T

    def map[U](self, function: Callable[[T], U]) -> "Box[U]":
        return Box(function(self.content))


class Sub[T: Hashable](Base[T], Other, metaclass=Meta):
    pass


class Spread[*Ts](*bases, **options):
    def method(self, *args: *Ts) -> None:
        super().method(*args)


@decorate
@decorate(1)
class Decorated[T]:
    pass


@decorate(lambda f: f)
def defaults[T](x=1, *, y: int = 2, z=lambda: 3) -> int:
    return x


async def coroutine[T](x: T) -> T:
    return await x


type Alias = int | str
type Generic[T, *Ts, **P] = dict[T, tuple[*Ts], Callable[P, T]]
type Lazy = [Later for _ in range(3)]


def scope():
    type Local[T: Bound] = list[T]
    return Local
