"""Fresh containers, evaluated while decompiling: for code that no person wrote.

PyTorch passes a frame's values to resume functions through lists of lists that it builds, slices, extends and pops on
the stack. A list or tuple that was built in the frame and that nobody else has seen is known item by item, so all of
that can be computed here, and only what comes out of it is printed. `operations()` is the table of instructions with
these in place of the plain ones; a code object gets it when the plain ones find such a shape (`NeedsContainers`).
Everything put into a container is first assigned to a temporary, unless it is one already, so nothing moves.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Dict, List, Optional

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.codes import defined_name
from depyf.bytecode.effects import effect_of

from ..tree import Assign, Const, Expr, List_, Name, Slice, Tuple_
from . import calls, discards, unpacking
from .lift import Lifter, Operation
from .operations import OPERATIONS
from .states import State
from .values import NULL, ClosureCell, Copied, Local, Value, resolve


class Container(Value):
    """A list or tuple that only this frame has seen. `value` is its display, which shares the items."""

    __slots__ = ("kind", "items")

    def __init__(self, kind: str, items: List[Expr], offset: int) -> None:
        self.kind = kind
        self.items = items
        Value.__init__(self, List_(items, offset) if kind == "list" else Tuple_(items, offset), offset)


# ---------------------------------------------------------------- references


def references(values: List[Expr], container: Container) -> int:
    """How often `container` occurs in `values` and in the containers reachable from there."""
    count = 0
    seen: List[int] = []
    work = list(values)
    while work:
        value = work.pop()
        if value is container:
            count += 1
        if isinstance(value, Container) and id(value) not in seen:
            seen.append(id(value))
            work.extend(value.items)
    return count


def escape(lifter: Lifter, container: Container) -> Expr:
    """The container leaves the frame: printed in place, or under a name if something else still refers to it."""
    for index, item in enumerate(container.items):
        if isinstance(item, Container):
            container.items[index] = escape(lifter, item)
    if container.name is None and references(live_slots(lifter), container):
        container.name = lifter.temporaries.new()
        assert container.value is not None
        lifter.emit(Assign([Name(container.name)], container.value, container.offset))
    if container.name is None:
        return container.value if container.value is not None else container
    named = Local(container.name, container.offset)
    replace_everywhere(lifter.stack, container, named)
    return named


def live_slots(lifter: Lifter) -> List[Expr]:
    """The slots of the stack that something may still use: where the block leaves the frame, what it reaches down to."""
    block = lifter.block
    assert block is not None
    if block.terminator.op not in ("RETURN", "RAISE"):
        return lifter.stack
    depth = lifter.entry_depth
    for instruction in block.instructions[: lifter.position + 1]:
        pops, pushes = effect_of(instruction.op, instruction.arg)
        depth += pushes - pops
    lowest = depth - pushes  # what the current instruction does not take itself
    for instruction in block.instructions[lifter.position + 1 :]:
        pops, pushes = effect_of(instruction.op, instruction.arg)
        depth -= pops
        lowest = min(lowest, depth)
        depth += pushes
    return lifter.stack[max(0, lowest) :]


def replace_everywhere(values: List[Expr], old: Expr, new: Expr) -> None:
    work: List[List[Expr]] = [values]
    seen: List[int] = []
    while work:
        current = work.pop()
        for index, value in enumerate(current):
            if value is old:
                current[index] = new
            elif isinstance(value, Container) and id(value) not in seen:
                seen.append(id(value))
                work.append(value.items)


def copied_state(state: State) -> State:
    """Each block works on containers of its own: what one way does to them, another must not see."""
    if not any(isinstance(v, Container) for v in state.stack):
        return state
    made: Dict[int, Container] = {}

    def copy(value: Expr) -> Expr:
        if not isinstance(value, Container):
            return value
        if id(value) not in made:
            fresh = made[id(value)] = Container(value.kind, [], value.offset)
            fresh.items.extend(copy(v) for v in value.items)
        return made[id(value)]

    return State([copy(v) for v in state.stack], state.pending, state.tests)


def same_containers(one: Expr, other: Expr) -> bool:
    """Whether two ways lead to the same contents."""
    if isinstance(one, Container) and isinstance(other, Container):
        if one.kind != other.kind or len(one.items) != len(other.items):
            return False
        return all(same_containers(a, b) for a, b in zip(one.items, other.items))
    if isinstance(one, Const) and isinstance(other, Const):
        return type(one.value) is type(other.value) and one.value == other.value
    if isinstance(one, Name) and isinstance(other, Name):
        return one.id == other.id
    return one is other


# ---------------------------------------------------------------- instructions


def _settled(lifter: Lifter, values: List[Expr]) -> List[Expr]:
    """Values that may be repeated and moved: everything else gets a temporary."""
    if any(id(v) in {id(p) for p in lifter.pending} for v in values):
        lifter.spill(values)
    return [Local(v.name, v.offset) if isinstance(v, Copied) and v.name is not None else v for v in values]


def _raw(lifter: Lifter, count: int) -> List[Expr]:
    values: List[Expr] = []
    for _ in range(count):
        top = lifter.stack[-1]
        values.append(lifter.stack.pop() if isinstance(top, Container) else lifter.pop_beside(values))
    values.reverse()
    return values


def build(kind: str) -> Operation:
    def operation(lifter: Lifter, instruction: Instruction) -> None:
        items = _settled(lifter, _raw(lifter, instruction.arg))
        lifter.push(Container(kind, items, instruction.offset))

    return operation


def copy(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.stack[-instruction.arg]
    if isinstance(value, Container):
        lifter.push(value)
    else:
        OPERATIONS["COPY"](lifter, instruction)


def swap(lifter: Lifter, instruction: Instruction) -> None:
    stack = lifter.stack
    stack[-1], stack[-instruction.arg] = stack[-instruction.arg], stack[-1]


def pop(lifter: Lifter, instruction: Instruction) -> None:
    if isinstance(lifter.stack[-1], Container):
        lifter.stack.pop()
    else:
        discards.lift_pop(lifter, instruction)


def position(key: Expr, container: Container) -> Optional[int]:
    key = resolve(key)
    if isinstance(key, Const) and type(key.value) is int and -len(container.items) <= key.value < len(container.items):
        return key.value
    return None


def slice_of(key: Expr) -> Optional[slice]:
    key = resolve(key)
    if isinstance(key, Const) and isinstance(key.value, slice):  # 3.14 and later have slices as constants
        bounds = (key.value.start, key.value.stop, key.value.step)
        return key.value if all(bound is None or type(bound) is int for bound in bounds) else None
    if not isinstance(key, Slice):
        return None
    parts: List[Any] = []
    for part in (key.start, key.stop, key.step):
        if part is None:
            parts.append(None)
        elif isinstance(part, Const) and (part.value is None or type(part.value) is int):
            parts.append(part.value)
        else:
            return None
    return slice(*parts)


def load_item(lifter: Lifter, instruction: Instruction) -> None:
    container, key = lifter.stack[-2], lifter.stack[-1]
    if isinstance(container, Container):
        index, part = position(key, container), slice_of(key)
        if index is not None or part is not None:
            del lifter.stack[-2:]
            if index is not None:
                lifter.push(container.items[index])
            elif part is not None:
                lifter.push(Container(container.kind, container.items[part], instruction.offset))
            lifter._drop_pending(key)
            return
    OPERATIONS["LOAD_ITEM"](lifter, instruction)


def store_item(lifter: Lifter, instruction: Instruction) -> None:
    value, container, key = lifter.stack[-3:]
    if isinstance(container, Container) and container.kind == "list":
        index, part = position(key, container), slice_of(key)
        if index is not None:
            del lifter.stack[-3:]
            container.items[index] = _settled(lifter, [value])[0]
            return
        if part is not None and part.step is None and isinstance(value, Container):
            del lifter.stack[-3:]
            container.items[part] = list(value.items)
            return
    OPERATIONS["STORE_ITEM"](lifter, instruction)


def delete_item(lifter: Lifter, instruction: Instruction) -> None:
    container, key = lifter.stack[-2:]
    if isinstance(container, Container) and container.kind == "list":
        index, part = position(key, container), slice_of(key)
        if index is not None or part is not None:
            del lifter.stack[-2:]
            del container.items[index if index is not None else part]  # type: ignore[arg-type]
            return
    OPERATIONS["DELETE_ITEM"](lifter, instruction)


def list_extend(lifter: Lifter, instruction: Instruction) -> None:
    value, container = lifter.stack[-1], lifter.stack[-1 - instruction.arg]
    if isinstance(container, Container) and container.kind == "list":
        more = _known_items(value)
        if more is not None:
            lifter.stack.pop()
            container.items.extend(more)
            return
    OPERATIONS["LIST_EXTEND"](lifter, instruction)


def _known_items(value: Expr) -> Optional[List[Expr]]:
    if isinstance(value, Container):
        return list(value.items)
    if isinstance(value, Const) and isinstance(value.value, tuple):
        return [Const(v) for v in value.value]
    return None


def list_append(lifter: Lifter, instruction: Instruction) -> None:
    container = lifter.stack[-1 - instruction.arg]
    if isinstance(container, Container) and container.kind == "list":
        [value] = _settled(lifter, _raw(lifter, 1))
        container.items.append(value)
        return
    OPERATIONS["LIST_APPEND"](lifter, instruction)


def list_to_tuple(lifter: Lifter, instruction: Instruction) -> None:
    container = lifter.stack[-1]
    if isinstance(container, Container):
        lifter.stack[-1] = Container("tuple", list(container.items), instruction.offset)
    else:
        OPERATIONS["LIST_TO_TUPLE"](lifter, instruction)


def unpack(lifter: Lifter, instruction: Instruction) -> None:
    container = lifter.stack[-1]
    if isinstance(container, Container) and len(container.items) == instruction.arg:
        lifter.stack.pop()
        lifter.stack.extend(reversed(container.items))
    else:
        if isinstance(container, Container):
            lifter.stack[-1] = escape(lifter, lifter.stack.pop())  # type: ignore[arg-type]
        unpacking.lift_unpack(lifter, instruction)


def call_ex(lifter: Lifter, instruction: Instruction) -> None:
    """f(*[a, b]) of a known list is f(a, b)."""
    has_kwargs, _ = instruction.arg
    where = len(lifter.stack) - (2 if has_kwargs else 1)
    sequence = lifter.stack[where]
    if isinstance(sequence, Container):
        lifter.stack[where] = NULL  # its items are all that is used of it
        items = [escape(lifter, v) if isinstance(v, Container) else v for v in sequence.items]
        lifter.stack[where] = Tuple_(items, sequence.offset)
    calls.call_ex(lifter, instruction)


def make_function(lifter: Lifter, instruction: Instruction) -> None:
    if "closure" in instruction.arg:
        fields = len(instruction.arg)
        _closure_by_itself(lifter, len(lifter.stack) - 1 - fields + instruction.arg.index("closure"))
    calls.make_function(lifter, instruction)


def set_function_field(lifter: Lifter, instruction: Instruction) -> None:
    if instruction.arg == "closure":
        _closure_by_itself(lifter, len(lifter.stack) - 2)
    calls.set_function_field(lifter, instruction)


def _closure_by_itself(lifter: Lifter, where: int) -> None:
    """PyTorch makes several functions with one tuple of cells; in the text each has its own, of the same cells."""
    cells = lifter.stack[where]
    if isinstance(cells, Container) and cells.kind == "tuple" and cells.name is None:
        if all(isinstance(cell, ClosureCell) for cell in cells.items):
            lifter.stack[where] = Tuple_(list(cells.items), cells.offset)


def jump(name: str) -> Operation:
    plain = OPERATIONS[name]

    def operation(lifter: Lifter, instruction: Instruction) -> None:
        plain(lifter, instruction)
        lifter.lifted.exits = [copied_state(state) for state in lifter.lifted.exits]

    return operation


def operations() -> Dict[str, Operation]:
    return {
        **OPERATIONS,
        "BUILD_LIST": build("list"),
        "BUILD_TUPLE": build("tuple"),
        "COPY": copy,
        "SWAP": swap,
        "POP": pop,
        "LOAD_ITEM": load_item,
        "STORE_ITEM": store_item,
        "DELETE_ITEM": delete_item,
        "LIST_EXTEND": list_extend,
        "LIST_APPEND": list_append,
        "LIST_TO_TUPLE": list_to_tuple,
        "UNPACK": unpack,
        "CALL_EX": call_ex,
        "MAKE_FUNCTION": make_function,
        "SET_FUNCTION_FIELD": set_function_field,
        "JUMP": jump("JUMP"),
        "FALL": jump("FALL"),
        "BRANCH": jump("BRANCH"),
    }


# ---------------------------------------------------------------- stores that nobody reads


def drop_dead_stores(code: CodeType, blocks: List[Block]) -> None:
    """Locals that are stored and deleted but never read: the stores become pops. A definition is none without its name, nor is
    an import."""
    read = {"LOAD_LOCAL", "LOAD_CLEAR", "LOAD_CLOSURE", "LOAD_CELL", "MAKE_CELL"}
    used = {i.arg for b in blocks for i in b.instructions if i.op in read}
    used.update(defined_name(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    for block in blocks:
        imports = {i.line for i in block.instructions if i.op == "IMPORT"}
        used.update(i.arg for i in block.instructions if i.op == "STORE_LOCAL" and i.line in imports)
    for block in blocks:
        kept: List[Instruction] = []
        for instruction in block.instructions:
            if instruction.op == "STORE_LOCAL" and instruction.arg not in used:
                kept.append(Instruction("POP", None, instruction.offset, instruction.line))
            elif instruction.op != "DELETE_LOCAL" or instruction.arg in used:
                kept.append(instruction)
        block.instructions = kept
