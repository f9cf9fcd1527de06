"""Events: what may run code, raise, or be observed. The walk demands that both sides have the same ones in the same order.

`PLAIN` says in data how most instructions are events: the values they use and pop, and how many results they push.
Instructions that are events only sometimes are in `steps`; what an event never does is decided here too.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, List, Tuple

# what the walk does besides comparing
FORK, RETURN, LEAVE, NEXT, RAISE, DIVERGE = "FORK", "RETURN", "LEAVE", "NEXT", "RAISE", "DIVERGE"

# events that run no code of the program: they cannot raise, nor change what is known of cells and truth values
QUIET: FrozenSet[str] = frozenset(
    (
        "STORE_CELL",
        "MAKE_CELL",
        "MAKE_FUNCTION",
        "SET_FUNCTION_FIELD",
        "LIST_APPEND",
        "LIST_TO_TUPLE",
        "LOAD_LOCALS",
        "GENERATOR",
    )
)

# the results of these are exactly True or False
BOOLEAN: FrozenSet[str] = frozenset(("TRUTH", "CONTAINS", "EXC_MATCH"))


class Event:
    """The next event of one side. `operands` are compared, `pops` and `pushes` say how the stack changes after it."""

    __slots__ = ("kind", "static", "operands", "pops", "pushes", "inverted", "nulls", "again")

    def __init__(
        self,
        kind: str,
        static: Any,
        operands: List[int],
        pops: int = 0,
        pushes: int = 0,
        inverted: bool = False,
        nulls: int = 0,
        again: int = 0,
    ) -> None:
        self.kind = kind
        self.static = static
        self.operands = operands
        self.pops = pops
        self.pushes = pushes
        self.inverted = inverted  # the result goes onto the stack negated
        self.nulls = nulls  # so many NULLs above the results
        self.again = again  # the outcome of the same test just before, if it is a truth test that is made again

    def words(self) -> str:
        static = self.static
        if static is None or static == ():
            return self.kind
        if self.kind == "CALL":
            count, keywords = static
            return f"CALL with {count} argument{'' if count == 1 else 's'}" + (
                f", keywords {', '.join(keywords)}" if keywords else ""
            )
        return f"{self.kind} {static if isinstance(static, str) else repr(static)}"


# uses (from the top), pops, pushes
Plain = Tuple[int, int, int]

PLAIN: Dict[str, Plain] = {}
for _plain, _names in {
    (0, 0, 0): "DELETE_GLOBAL DELETE_NAME SETUP_ANNOTATIONS GENERATOR",
    (0, 0, 1): "LOAD_GLOBAL LOAD_NAME LOAD_LOCALS",
    (1, 1, 0): "STORE_GLOBAL STORE_NAME DELETE_ATTR IMPORT_STAR PRINT",
    (1, 1, 1): "LOAD_DICT_OR_GLOBAL LOAD_ATTR CONVERT AWAITABLE AITER YIELD",
    (1, 1, 2): "LOAD_SPECIAL",
    (1, 0, 1): "IMPORT_FROM ANEXT",
    (2, 2, 0): "STORE_ATTR",
    (2, 2, 1): "BUILD_TEMPLATE SET_FUNCTION_FIELD IMPORT EXC_MATCH PREP_RERAISE_STAR",
    (2, 2, 2): "EG_MATCH",
    (2, 1, 1): "COPY_DICT_WITHOUT_KEYS",
    (2, 0, 1): "MATCH_KEYS",
    (3, 3, 1): "SUPER MATCH_CLASS",
}.items():
    for _name in _names.split():
        PLAIN[_name] = _plain

# the same where it depends on the argument
BY_ARGUMENT: Dict[str, Callable[[Any], Plain]] = {
    "BUILD_STRING": lambda n: (n, n, 1),
    "FORMAT": lambda has_spec: (1 + has_spec, 1 + has_spec, 1),
    "BUILD_INTERPOLATION": lambda arg: (2 + arg[1], 2 + arg[1], 1),
    "MAKE_FUNCTION": lambda fields: (len(fields) + 1, len(fields) + 1, 1),
    "INTRINSIC": lambda arg: (arg[1], arg[1], 1),
    "ENTER": lambda slots: (1, 1, slots + 1),
    "ENTER_ASYNC": lambda slots: (1, 1, slots + 1),
    "YIELD_FROM": lambda slots: (slots + 1, slots + 1, 1),
}
