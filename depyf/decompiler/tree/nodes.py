"""What all nodes of the tree have in common."""

from __future__ import annotations


class Node:
    __slots__ = ("offset",)
    offset: int

    def __repr__(self) -> str:
        names = [n for k in type(self).__mro__ for n in getattr(k, "__slots__", ()) if n != "offset"]
        return f"{type(self).__name__}({', '.join(repr(getattr(self, n, None)) for n in names)})"


class Expr(Node):
    __slots__ = ()


class Stmt(Node):
    __slots__ = ()
