"""Value numbering: every value of either frame is a number, and equal numbers are proven equal values.

One numbering serves both sides. Constants are numbered by type and value all the way down; a term is a pure function of
other numbers (`a is b`, `not t`, ...); everything else is opaque. What is said here of a number holds on every path.
"""

from __future__ import annotations

import struct
from types import CodeType
from typing import Any, Dict, FrozenSet, List, Optional, Set, Tuple

from depyf.proof.verdict import unknown

NULL = 0  # the interpreter's NULL, and what an unbound local holds
_TERM_DEPTH = 40
_DEPTH = 60  # nesting of a constant beyond which it is compared by identity

_PLAIN = frozenset((int, str, bytes, bool, type(None), type(Ellipsis)))
# constants of these types are equal as dictionary keys exactly if they have one type and one value
KEY_TYPES = frozenset((int, str, bytes, type(None)))
_TRUTH_TYPES = _PLAIN | {float, complex, frozenset}
_SINGLETONS = (None, True, False, Ellipsis)


def constant_key(value: Any, depth: int = 0) -> Any:
    """Equal keys mean constants that no program can tell apart, but for the identity of immutable objects."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return kind, struct.pack("<d", value)
    if kind is complex:
        return kind, struct.pack("<dd", value.real, value.imag)
    if depth < _DEPTH:
        if kind is tuple:
            return (kind, *(constant_key(item, depth + 1) for item in value))
        if kind is frozenset:
            return kind, frozenset(constant_key(item, depth + 1) for item in value)
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return (kind, *(constant_key(item, depth + 1) for item in parts))
    return "object", id(value)


class Values:
    """The numbers given out during one comparison, and what is known of each."""

    def __init__(self) -> None:
        self.last = 0
        self._by_key: Dict[Any, int] = {}
        self._by_identity: Dict[int, int] = {}
        self._kept: List[Any] = []  # keeps the objects alive whose identities are keys
        self.constant: Dict[int, Any] = {}  # number -> value, but for tuples and slices
        self.items: Dict[int, Tuple[int, ...]] = {}  # number of a constant tuple -> numbers of its items
        self.slices: Dict[int, Tuple[int, ...]] = {}  # the same of a constant slice: start, stop, step
        self._terms: Dict[Tuple[Any, ...], int] = {}
        self.term: Dict[int, Tuple[Any, ...]] = {}  # number -> (function, argument numbers or plain data)
        self._depth: Dict[int, int] = {}  # of terms
        self.boolean: Set[int] = set()  # exactly True or False
        self.exceptions: Set[int] = set()  # raised in this frame, so certainly exceptions
        self.maybe: Set[int] = set()  # may be NULL: a local that may be unbound
        self.frame_readers: Dict[int, str] = {}  # results of loading `locals`, `super` and their like
        # results of loading an attribute for a call: what lies on the stack there is a NULL and the bound method, or the
        # plain function and the object, as the object decides; so nothing but the call may look at it
        self.for_call: Set[int] = set()
        self.origin: Dict[int, Tuple[str, Any]] = {}  # for people: the event that gave the value
        self.folding = True  # whether operators over constants are computed
        self.folded = False  # whether one was
        self.separate_cells = False  # up to 3.10 a parameter that is a cell has a slot of each kind
        self.none = self.const(None)
        self.true = self.const(True)
        self.false = self.const(False)
        self.boolean.update((self.true, self.false))

    def fresh(self) -> int:
        self.last += 1
        return self.last

    def result(self, kind: str, static: Any) -> int:
        """A new opaque value, which the named event gave."""
        self.last += 1
        self.origin[self.last] = (kind, static)
        return self.last

    def fresh_boolean(self) -> int:
        number = self.fresh()
        self.boolean.add(number)
        return number

    # constants

    def const(self, value: Any) -> int:
        number = self._by_identity.get(id(value))
        if number is None:
            number = self._new_const(value, 0)
            self._by_identity[id(value)] = number
            self._kept.append(value)
        return number

    def _new_const(self, value: Any, depth: int) -> int:
        kind = type(value)
        if depth < _DEPTH:
            if kind is tuple:
                return self.tuple_of(tuple(self._new_const(item, depth + 1) for item in value))
            if kind is slice:
                parts = (value.start, value.stop, value.step)
                return self.slice_of(tuple(self._new_const(item, depth + 1) for item in parts))
        key = constant_key(value)
        number = self._by_key.get(key)
        if number is None:
            number = self._by_key[key] = self.fresh()
            self.constant[number] = value
        return number

    def _intern(self, kind: str, numbers: Tuple[int, ...], table: Dict[int, Tuple[int, ...]]) -> int:
        key = (kind, numbers)
        number = self._by_key.get(key)
        if number is None:
            number = self._by_key[key] = self.fresh()
            table[number] = numbers
        return number

    def tuple_of(self, numbers: Tuple[int, ...]) -> int:
        """The constant tuple of these constants."""
        return self._intern("tuple", numbers, self.items)

    def slice_of(self, numbers: Tuple[int, ...]) -> int:
        return self._intern("slice", numbers, self.slices)

    def is_constant(self, number: int) -> bool:
        return number in self.constant or number in self.items or number in self.slices

    def code(self, number: int) -> Optional[CodeType]:
        value = self.constant.get(number)
        return value if isinstance(value, CodeType) else None

    def integer(self, number: int) -> Optional[int]:
        value = self.constant.get(number)
        return value if type(value) is int else None

    def index(self, number: int) -> Optional[int]:
        """What a constant means as a position or a number of repetitions: True is 1 there."""
        value = self.constant.get(number)
        return int(value) if isinstance(value, int) and type(value) in (int, bool) else None

    def is_key(self, number: int) -> bool:
        """Whether this constant hashes and compares without running code, and equals nothing of another number."""
        return number in self.constant and type(self.constant[number]) in KEY_TYPES

    def same_type(self, first: int, second: int) -> bool:
        return type(self.constant[first]) is type(self.constant[second])

    def truth(self, number: int) -> Optional[bool]:
        """The truth of a constant, if testing it runs no code."""
        if number in self.constant:
            value = self.constant[number]
            return bool(value) if type(value) in _TRUTH_TYPES else None
        if number in self.items:
            return bool(self.items[number])
        return None

    # terms

    def apply(self, function: str, *arguments: Any) -> int:
        """The value of a pure function: the same number for the same arguments."""
        key = (function, *arguments)
        number = self._terms.get(key)
        if number is None:
            depth = 1 + max(
                [self._depth.get(argument, 0) for argument in arguments if type(argument) is int], default=0
            )
            if depth > _TERM_DEPTH:
                raise unknown("a value that is computed in too many steps")
            number = self._terms[key] = self.fresh()
            self.term[number] = key
            self._depth[number] = depth
        return number

    def negate(self, number: int) -> int:
        """`not` of an exact boolean."""
        if number == self.true:
            return self.false
        if number == self.false:
            return self.true
        term = self.term.get(number)
        if term is not None and term[0] == "not":
            return int(term[1])
        result = self.apply("not", number)
        self.boolean.add(result)
        return result

    def is_computed(self, number: int) -> bool:
        """Whether a boolean is a function of values, `a is b` and the like: it can be computed again. Its opposite counts as itself."""
        term = self.term.get(number)
        if term is not None and term[0] == "not":
            term = self.term.get(term[1])
        return term is not None

    def predicate(self, function: str, *arguments: Any) -> int:
        result = self.apply(function, *arguments)
        self.boolean.add(result)
        return result

    def identical(self, first: int, second: int) -> int:
        """`first is second`, for values that are no fresh containers."""
        if self._singleton(first) and self._singleton(second):
            return self.true if first == second else self.false
        if first == second and not self.is_constant(first):
            return self.true
        return self.predicate("is", min(first, second), max(first, second))

    def _singleton(self, number: int) -> bool:
        return number in self.constant and any(self.constant[number] is value for value in _SINGLETONS)

    def describe(self, number: int) -> str:
        """Words for a value, for people."""
        if number == NULL:
            return "nothing"
        if number in self.constant:
            text = repr(self.constant[number])
            return text if len(text) <= 60 else text[:57] + "..."
        if number in self.items:
            return "(" + ", ".join(self.describe(item) for item in self.items[number][:4]) + ")"
        if number in self.term:
            function, *arguments = self.term[number]
            return f"{function}({', '.join(self.describe(a) if isinstance(a, int) else str(a) for a in arguments)})"
        if number in self.origin:
            kind, static = self.origin[number]
            words = kind if static in (None, ()) else f"{kind} {static}"
            return words if kind.startswith(("the ", "a ")) else f"the value of {words}"
        return "a value that depends on the path"


# called, these look into the frame that calls them: at all locals, or at the first one
LOCALS_READERS: FrozenSet[str] = frozenset(("locals", "vars", "eval", "exec", "dir"))
FRAME_READERS = LOCALS_READERS | {"super"}
