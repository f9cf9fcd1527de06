# since: 3.13
def function[T = int, *Ts = *tuple[int, ...], **P = [int, str]](x: T, *args: *Ts) -> None:
    pass


class Box[T: object = str, U: (int, float) = int]:
    x: T


type Pair[A, B = A] = tuple[A, B]
