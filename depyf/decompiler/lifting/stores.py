"""What happens to a value when it is stored: which statement that was.

Assignment, chained and augmented assignment, unpacking, definitions, imports and the targets of `for` and `with`
all end in the same store instructions; the value on the stack tells them apart.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from depyf.bytecode.canonical import Instruction

from ..nesting.annotated import AnnotationEntry
from ..nesting.generics import Generic
from ..structuring.jumps import Update
from ..tree import (
    Assign,
    Attr,
    AugAssign,
    Call,
    Const,
    Delete,
    Expr,
    Import,
    Item,
    Name,
    Slice,
    Starred,
    Stmt,
    Tuple_,
)
from .lift import Lifter
from .needs import needs_names
from .unbinding import unbind
from .values import (
    NULL,
    Chained,
    Class,
    Copied,
    Fresh,
    Function,
    Held,
    Imported,
    ImportedName,
    Inplace,
    Local,
    Marker,
    Saved,
    UnpackedItem,
    Unpacking,
)


class Define(Stmt):
    """`def` or `class`: stores a decorated function or class under its own name."""

    __slots__ = ("target", "definition", "decorators")

    def __init__(self, target: Name, definition: Expr, decorators: List[Expr], offset: int) -> None:
        self.target = target
        self.definition = definition
        self.decorators = decorators
        self.offset = offset


# ---------------------------------------------------------------- instructions


def lift_store_local(lifter: Lifter, instruction: Instruction) -> None:
    if len(lifter.stack) > 1 and _starts_parallel_assignment(lifter):
        return
    value = lifter.stack.pop()
    if value is NULL:
        unbind(lifter, instruction)
        return
    if instruction.arg == ".generic_base":  # follows from the type parameters of a class
        lifter.use([value])
        return
    store(lifter, Name(instruction.arg, instruction.offset), value, [], instruction, instruction.arg)


def _starts_parallel_assignment(lifter: Lifter) -> bool:
    """a, b = b, a without a swap: two or three values on the stack, and as many stores in a row. Of a, a = b, c the first is dropped.

    What a comprehension among the values has hidden is given back in between."""
    following = lifter.following()
    if following is None or following.op not in ("STORE_LOCAL", "POP"):
        return False
    stores = _parallel_stores(lifter)
    taken = lifter.stack[len(lifter.stack) - len(stores) :]
    pairs = list(zip(reversed(stores), taken))
    hidden = [(i, v) for i, v in pairs if isinstance(v, Saved)]
    if len(pairs) - len(hidden) < 2:
        return False
    popped = lifter.pops(len(stores))
    values = lifter.use([v for v in popped if not isinstance(v, Saved)])
    lifter.given_back.extend((v, i.offset) for i, v in hidden)
    names = [i.arg or stores[0].arg for i, v in pairs if not isinstance(v, Saved)]
    lifter.skip = len(stores) - 1
    for name in reversed(names):
        lifter.stored(name)
    offset = lifter.current().offset
    targets: List[Expr] = [Name(name) for name in names]
    lifter.emit(Assign([Tuple_(targets, offset)], Tuple_(values, offset), offset))
    return True


def _parallel_stores(lifter: Lifter) -> List[Instruction]:
    """The stores in a row from the current one on that take plain values, up to the last that does."""
    stores: List[Instruction] = []
    last = 0
    following = lifter.following(0)
    while following is not None and following.op in ("STORE_LOCAL", "POP") and len(stores) < len(lifter.stack):
        value = lifter.stack[-len(stores) - 1]
        waits = following.op == "STORE_LOCAL" or any(v is value for v in lifter.pending)
        plain = waits and _is_plain(value, lifter.stack)
        if not plain and not (stores and isinstance(value, Saved) and value.local == following.arg):
            break
        stores.append(following)
        last = len(stores) if plain else last
        following = lifter.following(len(stores))
    return stores[:last]


def _is_plain(value: Expr, stack: List[Expr]) -> bool:
    if isinstance(value, Chained):  # a, b = b, (c := d), once all targets of that are known
        return sum(1 for v in stack if v is value) == 1 and all(isinstance(target, Name) for target in value.targets)
    return not isinstance(value, (Marker, Copied, Inplace, Function, Class))


def lift_store_name(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.stack.pop()
    store(lifter, Name(instruction.arg, instruction.offset), value, [], instruction)


def lift_store_attr(lifter: Lifter, instruction: Instruction) -> None:
    owner = lifter.pop()
    value = lifter.stack.pop()
    target = Attr(owner, instruction.arg, instruction.offset)
    store(lifter, target, value, [owner], instruction)


def lift_store_item(lifter: Lifter, instruction: Instruction) -> None:
    owner, key = lifter.pops(2)
    value = lifter.stack.pop()
    if isinstance(owner, Fresh) and isinstance(key, Const) and lifter.code.co_name == "__annotate__":
        [value] = lifter.use([value])
        lifter.emit(AnnotationEntry(key.value, value, instruction.offset))
        return
    store(lifter, Item(owner, key, instruction.offset), value, [owner, key], instruction)


def lift_delete_name(lifter: Lifter, instruction: Instruction) -> None:
    lifter.emit(Delete([Name(instruction.arg, instruction.offset)], instruction.offset))


def lift_delete_local(lifter: Lifter, instruction: Instruction) -> None:
    lifter.stored(instruction.arg)
    lift_delete_name(lifter, instruction)


def lift_delete_attr(lifter: Lifter, instruction: Instruction) -> None:
    [owner] = lifter.use([lifter.pop()])
    target = Attr(owner, instruction.arg, instruction.offset)
    lifter.emit(Delete([target], instruction.offset))


def lift_delete_item(lifter: Lifter, instruction: Instruction) -> None:
    owner, key = lifter.use(lifter.pops(2))
    lifter.emit(Delete([Item(owner, key, instruction.offset)], instruction.offset))


def finish_unpacking(lifter: Lifter, unpacking: Unpacking) -> None:
    targets: List[Expr] = []
    for position, target in enumerate(unpacking.targets):
        assert target is not None
        targets.append(Starred(target) if position == unpacking.star else target)
    value = unpacking.value
    made = Tuple_(targets, unpacking.offset)
    if isinstance(value, (Copied, Chained)) and any(v is value for v in lifter.stack):
        _go_on_with_chain(lifter, made, value)
        return
    _store_plainly(lifter, made, value, unpacking.offset)


def _go_on_with_chain(lifter: Lifter, target: Expr, value: Expr) -> None:
    """a, b = c = value: the value has been unpacked, and another target follows."""
    if isinstance(value, Chained):
        value.targets.append(target)
        lifter.pending.append(value)
        return
    assert isinstance(value, Copied)
    if value.name is not None or value.value is None:
        _store_plainly(lifter, target, value, target.offset)
        return
    chained = Chained(value.value, [target], target.offset)
    lifter.stack[:] = [chained if v is value else v for v in lifter.stack]
    lifter.pending.append(chained)


# ---------------------------------------------------------------- storing


def store(
    lifter: Lifter,
    target: Expr,
    value: Expr,
    owners: List[Expr],
    instruction: Instruction,
    local: Optional[str] = None,
) -> None:
    """`target` gets `value`, which is off the stack; `owners` are the target's own operands."""
    if value.__class__ in lifter.unsettled or isinstance(value, Marker):
        _store_unsettled(lifter, target, value, owners, instruction, local)
    else:
        _store_value(lifter, target, value, owners, instruction, local)


def _store_unsettled(
    lifter: Lifter, target: Expr, value: Expr, owners: List[Expr], instruction: Instruction, local: Optional[str]
) -> None:
    offset = instruction.offset
    if lifter.container_class is not None and isinstance(value, lifter.container_class):
        value = lifter.escape(lifter, value)
    if isinstance(value, UnpackedItem):
        _store_item(lifter, target, value, owners)
        return
    if isinstance(value, Saved):
        lifter.given_back.append((value, offset))
        return  # the variable that it hid is back
    if isinstance(value, (Imported, ImportedName)):
        _store_import(lifter, target, value, offset)
        return
    if isinstance(value, Copied) and not value.evaluated and any(v is value for v in lifter.stack):
        _rebind(lifter, local)
        _start_chain(lifter, target, value, owners, offset)
        return
    if isinstance(value, Chained):
        _rebind(lifter, local)
        _store_chained(lifter, target, value, owners, offset)
        return
    if isinstance(value, Copied) and not value.evaluated:
        value = lifter.only_copy(value)
    if isinstance(value, Inplace):
        if _store_augmented(lifter, target, value, owners, local, offset):
            return
        value = lifter.settle_inplace(value)
    _store_value(lifter, target, value, owners, instruction, local)


def _rebind(lifter: Lifter, local: Optional[str]) -> None:
    """(local := value) in the operand of `local.a += ...`."""
    if local is None:
        return
    if lifter.safe:
        lifter.stored(local)  # what was read before is no part of the same expression
        return
    for value in lifter.stack:
        if isinstance(value, Copied) and isinstance(value.value, Local) and value.value.id == local:
            value.rebound = True


def _store_value(
    lifter: Lifter, target: Expr, value: Expr, owners: List[Expr], instruction: Instruction, local: Optional[str]
) -> None:
    if owners:
        value, *owners = lifter.use([value, *owners])
        _rebind_owners(target, owners)
    else:
        value = lifter.use_one(value)
    if local is not None and lifter.stack:
        lifter.stored(local)
    _store_plainly(lifter, target, value, instruction.offset)


def _rebind_owners(target: Expr, owners: List[Expr]) -> None:
    """Spilling may have renamed a target's operands."""
    if isinstance(target, Attr):
        target.value = owners[0]
    elif isinstance(target, Item):
        target.value, target.key = owners


def _store_plainly(lifter: Lifter, target: Expr, value: Expr, offset: int) -> None:
    if isinstance(value, UnpackedItem):
        fill(lifter, value, target)
        return
    if isinstance(value, Chained):
        lifter._drop_pending(value)
        lifter.emit(Assign([*value.targets, target], value.value, offset))
        return
    if value.__class__ in _MAY_DEFINE and isinstance(target, Name):
        definition, decorators = undecorate(value)
        if definition is not None and _defines(target.id, _own_name(definition)):
            lifter.emit(Define(target, definition, decorators, offset))
            return
    lifter.emit(Assign([target], value, offset))


_MAY_DEFINE = frozenset((Function, Class, Generic, Call))  # the last by a decorator


def _store_item(lifter: Lifter, target: Expr, value: UnpackedItem, owners: List[Expr]) -> None:
    if owners:
        owners = lifter.use(owners)
        _rebind_owners(target, owners)
    fill(lifter, value, target)


def fill(lifter: Lifter, item: UnpackedItem, target: Expr) -> None:
    unpacking = item.unpacking
    if unpacking.targets[item.position] is not None:
        raise needs_names(item)  # another way has stored it as well
    lifter._drop_pending(item)
    unpacking.targets[item.position] = target
    unpacking.missing -= 1
    if not unpacking.missing:
        if isinstance(target, Name):
            for name in _names(unpacking):
                lifter.stored(name)
        finish_unpacking(lifter, unpacking)


def _names(unpacking: Unpacking) -> List[str]:
    return [t.id for t in unpacking.targets if isinstance(t, Name)]


def _start_chain(lifter: Lifter, target: Expr, value: Copied, owners: List[Expr], offset: int) -> None:
    inner = value.value
    assert inner is not None
    values = lifter.use([value, *owners])
    _rebind_owners(target, values[1:])
    if values[0] is not value:  # it was spilled
        _store_plainly(lifter, target, values[0], offset)
        return
    chained = Chained(inner, [target], offset)
    lifter.stack[:] = [chained if v is value else v for v in lifter.stack]
    lifter.pending.append(chained)


def _store_chained(lifter: Lifter, target: Expr, value: Chained, owners: List[Expr], offset: int) -> None:
    values = lifter.use([value, *owners])
    _rebind_owners(target, values[1:])
    if values[0] is not value:
        _store_plainly(lifter, target, values[0], offset)
        return
    if any(v is value for v in lifter.stack):
        value.targets.append(target)
        lifter.pending.append(value)
        return
    if isinstance(value.value, Inplace):
        value.value = lifter.settle_inplace(value.value)
    for one in [*value.targets, target] if lifter.stack else ():
        if isinstance(one, Name):
            lifter.stored(one.id)
    lifter.emit(Assign([*value.targets, target], value.value, offset))


def _store_augmented(
    lifter: Lifter, target: Expr, value: Inplace, owners: List[Expr], local: Optional[str], offset: int
) -> bool:
    left = value.left
    if isinstance(left, Held) and left.name is None and not left.crossed and left.value is not None:
        left = left.value  # the operand took more than one block
    if not same_place(target, left):
        return False
    values = lifter.use([value, *owners])
    if values[0] is not value:
        _rebind_owners(target, values[1:])
        _store_plainly(lifter, target, values[0], offset)
        return True
    if local is not None:
        lifter.stored(local)
    if isinstance(value.left, Held):
        lifter.emit(Update(target, value.left, value.op, value.right, offset))
    else:
        lifter.emit(AugAssign(left, value.op, value.right, offset))
    return True


def same_place(target: Expr, left: Expr) -> bool:
    """Whether what is stored to is what was read: the same variable, or the very same owner and key."""
    if isinstance(target, Name):
        return isinstance(left, Name) and left.id == target.id
    if isinstance(target, Attr):
        return isinstance(left, Attr) and left.name == target.name and _same_copy(left.value, target.value)
    if isinstance(target, Item) and isinstance(left, Item):
        return _same_copy(left.value, target.value) and _same_copy(left.key, target.key)
    return False


def _same_copy(one: Expr, other: Expr) -> bool:
    if one is other:
        return True
    if isinstance(one, Slice) and isinstance(other, Slice):
        parts = zip((one.start, one.stop, one.step), (other.start, other.stop, other.step))
        return all(a is b or a is not None and b is not None and _same_copy(a, b) for a, b in parts)
    if isinstance(one, Const) and isinstance(other, Const):
        return one.value is other.value
    return isinstance(one, Copied) and one.value is other or isinstance(other, Copied) and other.value is one


# ---------------------------------------------------------------- definitions


def undecorate(value: Expr) -> Tuple[Optional[Expr], List[Expr]]:
    """The function or class inside a row of one-argument calls, and the decorators around it."""
    decorators: List[Expr] = []
    while isinstance(value, Call) and len(value.args) == 1 and not value.keywords:
        decorators.append(value.func)
        value = value.args[0]
    if isinstance(value, (Function, Class, Generic)):
        return value, decorators
    return None, decorators


def _own_name(definition: Expr) -> str:
    if isinstance(definition, Generic):
        return definition.own_name
    if isinstance(definition, Class):
        return definition.name
    assert isinstance(definition, Function)
    return str(definition.code.co_name)


def _defines(stored: str, name: str) -> bool:
    """Whether `def name` stores `stored`: in the body of a class, `def __name` stores _Class__name, whatever the class is called."""
    if stored == name:
        return True
    private = name.startswith("__") and not name.endswith("__")
    return private and stored.endswith(name) and stored.startswith("_") and stored[1] != "_"


# ---------------------------------------------------------------- imports


def _store_import(lifter: Lifter, target: Expr, value: Expr, offset: int) -> None:
    if isinstance(value, ImportedName):
        origin = value.origin
        if origin.fromlist:
            name = target.id if isinstance(target, Name) else None
            if name is not None:
                origin.names.append((value.name, None if name == value.name else name))
                return
        elif isinstance(target, Name):  # import a.b.c as d
            statement: Stmt = Import([(origin.module, target.id)], origin.lazy, origin.offset)
            lifter.emit(statement)
            return
    if isinstance(value, Imported) and isinstance(target, Name):
        top = value.module.partition(".")[0]
        alias = None if target.id == top else target.id
        lifter.emit(Import([(value.module, alias)], value.lazy, value.offset))
        return
    raise lifter.error("an import that no import statement makes", Instruction("IMPORT", None, offset, None))
