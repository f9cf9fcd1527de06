# since: 3.12
# differs: what the compiler dropped was the docstring of a bound (up to 3.13), and another text would be
type A[T: (4 and "text") < b, S: (0 or "text") < "b", *P] = 4
type A[T: "" or "text" or b] = "text"


def f[T: -("text" or b)](a): ...


class A[T: "x" | None, S: "x" | b, R: -b < "a"]: ...
class A[T: ("" or a, "text"), S: (*("%s" % 1), *b), R: (a if b else a,), Q: (a if b or True else c, d)]: ...
