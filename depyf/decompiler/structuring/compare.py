"""Structural equality of unfinished trees: whether two pieces of code are copies of one another.

Offsets are ignored; symbolic values are seen through; constants are equal only with the same type and value.
"""

from __future__ import annotations

from typing import Any, List, Tuple

from ..lifting.values import Caught, ClosureCell, Iterator, ManagerPart, Marker, Namespace, Value, resolve
from ..prepare.cases import Subject
from ..tree import Const, Name, Node, Return
from .jumps import HeldHere, Jump

_IGNORED = frozenset(("offset", "line", "certain", "held", "index", "copies"))  # index, copies: see AnnotationMark


def same(one: Any, other: Any) -> bool:
    work: List[Tuple[Any, Any]] = [(one, other)]
    while work:
        a, b = work.pop()
        if a is b:
            continue
        if isinstance(a, Value):
            a = resolve(a)
        if isinstance(b, Value):
            b = resolve(b)
        if a is b:
            continue
        if isinstance(a, Name) and isinstance(b, Name):
            if a.id != b.id:
                return False
            continue
        if isinstance(a, Return) and isinstance(b, Jump) or isinstance(a, Jump) and isinstance(b, Return):
            work.append((_returned(a), _returned(b)))
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, (list, tuple)):
            if len(a) != len(b):
                return False
            work.extend(zip(a, b))
        elif isinstance(a, dict):
            if list(a) != list(b):
                return False
            work.extend(zip(a.values(), b.values()))
        elif isinstance(a, Const):
            if not same_constant(a.value, b.value):
                return False
        elif isinstance(a, Jump):
            if a.label is b.label or _same_ending(a.label.block, b.label.block):
                continue
            one, other = _returned(a), _returned(b)
            if one is a or other is b:
                return False
            work.append((one, other))
        elif isinstance(a, Iterator):
            if (a.given, a.is_async) != (b.given, b.is_async):
                return False
            work.append((a.value, b.value))
        elif isinstance(a, Subject):
            work.append((a.value, b.value))
        elif isinstance(a, Marker):
            if not _same_marker(a, b, work):
                return False
        elif isinstance(a, Node) or hasattr(type(a), "__slots__") and not isinstance(a, HeldHere):
            for kind in type(a).__mro__:
                for name in getattr(kind, "__slots__", ()):
                    if name not in _IGNORED:
                        work.append((getattr(a, name, None), getattr(b, name, None)))
        elif a != b:
            return False
    return True


def _same_marker(a: Marker, b: Any, work: List[Tuple[Any, Any]]) -> bool:
    """Markers of one kind: what they stand for, as far as two copies can agree on it; `work` gets what they hold."""
    if isinstance(a, Caught):
        return a.handler is b.handler and a.part == b.part
    if isinstance(a, ClosureCell):
        return bool(a.name == b.name)
    if isinstance(a, ManagerPart):
        work.append((a.manager, b.manager))
        return bool(a.part == b.part)
    return isinstance(a, Namespace)


def _returned(statement: Any) -> Any:
    """What a return gives, or a jump to a place that does nothing but return; else the statement itself."""
    if isinstance(statement, Return):
        return statement.value
    block, stack = statement.label.block, list(statement.stack)
    for _ in range(_LONGEST_WAY):
        for instruction in block.instructions:
            if instruction.op == "RETURN":
                return stack[-1]
            if instruction.op == "CONST":
                stack.append(Const(instruction.arg))
            elif instruction.op == "POP":
                stack.pop()
            elif instruction.op == "SWAP":
                stack[-1], stack[-instruction.arg] = stack[-instruction.arg], stack[-1]
            elif instruction.op not in ("FALL", "JUMP"):
                return statement
        block = block.successors[0]
    return statement


_LONGEST_WAY = 5  # ends of clauses that one return passes


def _same_ending(a: Any, b: Any) -> bool:
    """The compiler repeats a short return instead of jumping to it."""
    if a.terminator.op != "RETURN" or len(a.instructions) != len(b.instructions) or len(a.instructions) > 3:
        return False
    return all(x.op == y.op and same_constant(x.arg, y.arg) for x, y in zip(a.instructions, b.instructions))


def same_constant(a: Any, b: Any) -> bool:
    """Equal in type and value, all the way down; code objects of one source are equal but for their lines."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same_constant(x, y) for x, y in zip(a, b))
    if hasattr(a, "co_code"):
        return _same_code(a, b)
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)
    try:
        return bool(a == b)
    except Exception:
        return False


def _same_code(a: Any, b: Any) -> bool:
    if a.co_code != b.co_code or a.co_name != b.co_name or len(a.co_consts) != len(b.co_consts):
        return False
    if (a.co_names, a.co_varnames, a.co_freevars) != (b.co_names, b.co_varnames, b.co_freevars):
        return False
    return all(same_constant(x, y) for x, y in zip(a.co_consts, b.co_consts))
