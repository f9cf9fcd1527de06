"""Private names beside a class with type parameters, where CPython 3.12 goes on as if inside of that class (see `stale_mangling`).

In the order in which the text is compiled, a name that is mangled for such a class is written out wherever it does not stand behind
it; one that is not mangled has to stand before it, so an `if` of which the class would come first has its arms exchanged.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from ..structuring.logic import negate
from ..structuring.walk import child_lists, falls_through
from ..tree import Attr, ClassDef, FunctionDef, If, Node, Stmt, Try, While

Met = Union[ClassDef, Attr]
Way = List[Tuple[List[Stmt], int]]  # from the outermost list in, and which statement in each
_STATEMENTS = frozenset(("body", "orelse", "finalbody"))
_NOT_WALKED = frozenset(("code", "block", "offset"))


def order_private_names(statements: List[Stmt], compiled: Dict[int, str], around: Optional[str]) -> None:
    """`compiled` has the private names of attributes as they are in the bytecode, by offset; `around` is the class around it all."""
    names = _Names(compiled, f"_{around.lstrip('_')}__" if around else "__")
    exchanged: Set[int] = set()
    while True:
        wrong = names.out_of_order(statements)
        if wrong is None or not _exchange(statements, *wrong, exchanged):
            break
    names.write(statements)


class _Names(NamedTuple):
    compiled: Dict[int, str]
    plain: str  # what private names begin with that are mangled for no class in this code

    def is_plain(self, name: str) -> bool:
        return name.startswith(self.plain) and not name.endswith("__")

    def must_be_before(self, node: Met) -> bool:
        return isinstance(node, Attr) and self.is_plain(self.compiled.get(node.offset, node.name))

    def out_of_order(self, statements: List[Stmt]) -> Optional[Tuple[ClassDef, Attr]]:
        """A class, and a name behind it that has to stand before it."""
        before: Optional[ClassDef] = None
        for node in _in_order(statements):
            if isinstance(node, ClassDef):
                before = before or node
            elif before is not None and self.must_be_before(node):
                return before, node
        return None

    def write(self, statements: List[Stmt]) -> None:
        """Names that are compiled to what they shall be where they stand."""
        prefix: Optional[str] = None
        for node in _in_order(statements):
            if isinstance(node, ClassDef):
                prefix = f"_{node.name.lstrip('_')}__"
            elif node.offset in self.compiled:
                name = self.compiled[node.offset]
                if prefix is not None and name.startswith(prefix):
                    node.name = name[len(prefix) - 2 :]
                elif not self.is_plain(name):
                    node.name = name


# ---------------------------------------------------------------- the order of compilation


def _in_order(statements: List[Stmt]) -> Iterator[Met]:
    """Classes with type parameters, and attributes; without what is compiled more than once, which is the same in text again."""
    work: List[Any] = statements[::-1]
    while work:
        node = work.pop()
        if isinstance(node, list):
            work += node[::-1]
        elif isinstance(node, (ClassDef, FunctionDef)):
            yield from _in_definition(node)
        else:
            if not isinstance(node, While):
                yield from _attributes(node)
            work += _lists_in_order(node)[::-1]


def _in_definition(node: Union[ClassDef, FunctionDef]) -> Iterator[Met]:
    yield from _attributes(node.decorators)
    if isinstance(node, FunctionDef):
        yield from _attributes([*node.parameters, node.returns])
        for inside in _in_order(node.body):
            if isinstance(inside, ClassDef):
                break  # names behind it are its own
            yield inside
    elif node.type_parameters:
        yield node
    else:
        yield from _attributes([node.args, node.keywords])


def _lists_in_order(statement: Stmt) -> List[List[Stmt]]:
    if isinstance(statement, Try):
        return [statement.body, statement.orelse, *[clause.body for clause in statement.clauses]]
    return child_lists(statement)


def _attributes(node: Any) -> Iterator[Attr]:
    """Those in a node, but not in the statements inside it."""
    seen: Set[int] = set()
    work = [node]
    while work:
        node = work.pop()
        if isinstance(node, (list, tuple)):
            work += node
        elif hasattr(node, "__slots__") and not isinstance(node, (str, dict)) and id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, Attr):
                yield node
            without = _STATEMENTS | _NOT_WALKED if _holds_statements(node) else _NOT_WALKED
            slots = [slot for kind in type(node).__mro__ for slot in getattr(kind, "__slots__", ())]
            work += [getattr(node, slot, None) for slot in slots if slot not in without]


def _holds_statements(node: Any) -> bool:
    return isinstance(node, Stmt) or not isinstance(node, Node) and hasattr(node, "body")


# ---------------------------------------------------------------- another order


def _exchange(statements: List[Stmt], first: ClassDef, second: Attr, exchanged: Set[int]) -> bool:
    """Puts the branch in which `second` stands before that of `first`, if that is possible."""
    way, other = _way_to(statements, first), _way_to(statements, second)
    for depth, ((current, index), (beside, behind)) in enumerate(zip(way, other)):
        if current is beside and index == behind:
            continue
        if current is beside:
            return depth + 1 < len(way) and _take_in(current, index, way[depth + 1][0], exchanged)
        outer, place = way[depth - 1]
        return _swap(outer[place], exchanged)
    return False


def _way_to(statements: List[Stmt], wanted: Node) -> Way:
    work: List[Way] = [[(statements, index)] for index in range(len(statements))]
    while work:
        way = work.pop()
        statement = way[-1][0][way[-1][1]]
        if statement is wanted or any(one is wanted for one in _alone(statement)):
            return way
        work += [[*way, (inner, index)] for inner in child_lists(statement) for index in range(len(inner))]
    return []


def _alone(statement: Stmt) -> Iterator[Met]:
    """What is met in a statement itself."""
    return _in_definition(statement) if isinstance(statement, (ClassDef, FunctionDef)) else _attributes(statement)


def _take_in(current: List[Stmt], index: int, arm: List[Stmt], exchanged: Set[int]) -> bool:
    """What follows a statement whose `arm` ends elsewhere belongs to what does not."""
    statement, rest = current[index], current[index + 1 :]
    if falls_through(arm):
        return False
    if isinstance(statement, If):
        other = statement.orelse if arm is statement.body else statement.body
        del current[index + 1 :]
        other += rest
        return arm is statement.orelse or _swap(statement, exchanged)
    if not isinstance(statement, Try) or statement.finalbody or any(falls_through(clause.body) for clause in statement.clauses):
        return False
    del current[index + 1 :]
    statement.orelse += rest
    return True


def _swap(statement: Stmt, exchanged: Set[int]) -> bool:
    if not isinstance(statement, If) or id(statement) in exchanged:
        return False
    exchanged.add(id(statement))
    statement.test, statement.body, statement.orelse = negate(statement.test), statement.orelse, statement.body
    return True
