"""Lifts basic blocks to expressions and effects: symbolic execution of each block, in reverse postorder.

The law: each effect appears once, in bytecode order. `pending` holds the expressions that were evaluated but not yet
used, in the order of evaluation; an expression takes its operands only from the end of it, and a statement finds it
empty. Whatever would break that is assigned to a temporary at the moment it was evaluated. Values that cross blocks
are `Held` (or `Joined`, where ways in differ); whether they print in place is decided by the stages after this.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.codes import is_function, parameter_count
from depyf.errors import DecompilationError

from ..tree import Assign, AugAssign, Const, Expr, ExprStmt, Name, NamedExpr, Stmt
from .needs import NeedsTemporaries, needs_names
from .rebinding import save_reads_before_walruses
from .states import NOTHING, State
from .temporaries import Temporaries, has_slice, name_parts
from .values import (
    NULL,
    Chained,
    Copied,
    Fresh,
    Held,
    Inplace,
    Iterator,
    Joined,
    Local,
    Marker,
    NextItem,
    Saved,
    UnpackedItem,
    Value,
    is_comprehension,
)

_NOTHING: Set[int] = set()


class LiftedBlock:
    """What a block does: `statements`, the `test` of a BRANCH, and the state at each successor.

    `held` are the values of the stack that this block computed, `waiting` all that still wait to be used."""

    __slots__ = ("statements", "test", "exits", "held", "waiting", "loop")

    def __init__(self) -> None:
        self.statements: List[Stmt] = []
        self.test: Optional[Expr] = None
        self.exits: Sequence[State] = ()
        self.held: Sequence[Held] = ()
        self.waiting: Sequence[Expr] = ()
        self.loop: Optional[Tuple[Iterator, NextItem]] = None

    def keep(self, value: Held) -> None:
        if not isinstance(self.held, list):
            self.held = []
        self.held.append(value)


Operation = Callable[["Lifter", Instruction], None]

# values that are not yet what they are as an operand; all others are taken from the stack as they are
UNSETTLED: FrozenSet[type] = frozenset((Chained, UnpackedItem, Inplace, Copied))
# values whose evaluation nobody can see, so that they are never pending; locals may be unbound, which matters when all is kept safe
_UNSEEN: FrozenSet[type] = frozenset((Const, Local, NULL.__class__))
UNSEEN_IF_SAFE = _UNSEEN - {Local}


class Lifter:
    """Executes one block at a time; `operations` (in the modules beside this) has a function for each op."""

    safe = False  # whether what crosses blocks gets a temporary, here: see `KeepingLifter`
    unseen = _UNSEEN

    def __init__(self, code: Any, temporaries: Temporaries, operations: Dict[str, Operation]) -> None:
        self.code = code
        self.parameters = frozenset(code.co_varnames[: parameter_count(code)])
        self.named: FrozenSet[int] = frozenset()  # offsets of copies whose value gets a temporary
        self.unprotected: Dict[int, bool] = {}  # and of those whose test no handler protects: see `Regions`
        self.is_function = is_function(code)
        self.container_class: Any = None  # set when fresh containers are evaluated
        self.escape: Any = None
        self.unsettled = UNSETTLED
        self.same_value: Callable[[Expr, Expr], bool] = operator.is_
        self.entry_depth = 0
        self.used = False
        self.shares = False  # a value was copied, or used in another block than that which computed it
        self.given_back: List[Tuple[Saved, int]] = []  # what inlined comprehensions had hidden, and where
        self.hiding: Set[Block] = set()  # where they hide it
        self.whole: Dict[int, Expr] = {}  # displays that were built by themselves, not as the arguments of a call, by identity
        self.keyed: Dict[int, Tuple[Expr, int, int]] = {}  # likewise, those that grow: see `displays._keyed_at_end`
        self.skip = 0  # instructions that the one before them has dealt with
        self.temporaries = temporaries
        self.operations = operations
        self.stack: List[Expr] = []
        self.pending: List[Expr] = []
        self.inherited: Set[int] = _NOTHING  # what was pending when the block began
        self.out: List[Stmt] = []
        self.block: Optional[Block] = None
        self.position = 0
        self.lifted = LiftedBlock()

    # ------------------------------------------------------------ one block

    def run(self, block: Block, state: State) -> LiftedBlock:
        self.block = block
        self.stack = list(state.stack)
        self.entry_depth = len(self.stack)
        self.pending = list(state.pending)
        self.inherited = {id(v) for v in self.pending} if self.pending else _NOTHING
        self.lifted = LiftedBlock()
        self.out = self.lifted.statements
        operations = self.operations
        instruction = block.instructions[0]
        try:
            if state.tests:
                from .tested import run_behind_tests

                run_behind_tests(self, block, list(state.tests))
                return self.lifted
            for self.position, instruction in enumerate(block.instructions):
                if self.skip:
                    self.skip -= 1
                    continue
                operations[instruction.op](self, instruction)
        except (IndexError, KeyError, AttributeError, TypeError) as problem:
            raise self.error(f"cannot lift this instruction here ({problem!r})", instruction) from problem
        return self.lifted

    def is_safe(self, stack: List[Expr]) -> bool:
        """The same above `stack`."""
        return False

    def error(self, what: str, instruction: Instruction) -> DecompilationError:
        return DecompilationError(
            what, code_name=self.code.co_name, offset=instruction.offset, opcode=instruction.op
        )

    def is_whole(self, value: Expr) -> bool:
        """Whether a display must stay one: its items are not items of what it is unpacked into."""
        return id(value) in self.whole

    def current(self) -> Instruction:
        assert self.block is not None
        return self.block.instructions[self.position]

    def following(self, distance: int = 1) -> Optional[Instruction]:
        """The instruction `distance` after the current one in this block."""
        assert self.block is not None
        position = self.position + distance
        instructions = self.block.instructions
        return instructions[position] if position < len(instructions) else None

    def hold(self, stack: List[Expr]) -> State:
        """The state at the block's end, with its pending values held for the blocks after it."""
        if not stack and not self.pending:
            return NOTHING
        kept = self._targets_wait(stack)
        for stored in [v for v in self.pending if isinstance(v, Chained) and id(v) not in kept]:
            named = self.walrus(stored)
            stack = [named if v is stored else v for v in stack]
        pending = self.pending
        stack = self._hold_locals(stack)
        if not pending:
            return State(stack, NOTHING.pending)
        if self.safe or any(v.__class__ is Chained and id(v) not in kept for v in pending):  # a statement has stored it already
            self.stack = stack
            self.spill()
            return State(self.stack, NOTHING.pending)
        result: List[Expr] = []
        for index, value in enumerate(pending):
            if not isinstance(value, (Held, Joined)) and id(value) not in kept:
                held = Held(value, self.block, value.offset)
                self.shares = True
                self.lifted.keep(held)
                stack = [held if v is value else v for v in stack]
                pending[index] = value = held
            result.append(value)
        alive = {id(v) for v in stack}
        result = [v for v in result if id(v) in alive]
        below = self._below_barrier(stack)
        self.lifted.waiting = [v for v in result if id(v) not in below]
        return State(stack, result)

    def _targets_wait(self, stack: List[Expr]) -> Set[int]:
        """Values of assignments to several targets, of which one has branches: they are what they are behind those."""
        if self.safe:
            return _NOTHING
        found = {id(v) for v in self.pending if isinstance(v, (Chained, UnpackedItem)) or isinstance(v, Copied) and not v.evaluated}
        if found and self.block is not None and self.block.terminator.op in ("JUMP", "FALL"):
            top = next((v for v in reversed(stack) if not isinstance(v, Marker)), None)
            if id(top) not in self.inherited:  # else the block has only dropped what lay above, as at the end of a chain
                found.discard(id(top))  # the value of a way through an expression, which may be returned out of a clause
        return found

    def _hold_locals(self, stack: List[Expr]) -> List[Expr]:
        """A local on the stack is held too: a later block may store to it, unless it is a temporary."""
        safe = self.safe
        for index, value in enumerate(stack):
            local = value.value if safe and isinstance(value, Copied) and value.name is None else value
            if isinstance(local, Local) and local.id not in self.temporaries.made:
                held = Held(local, self.block, local.offset)
                self.shares = True
                self.lifted.keep(held)
                if not safe:
                    self._replace_pending(value, held)  # reading it may fail
                stack = [*stack[:index], held, *stack[index + 1 :]]
        return stack

    # ------------------------------------------------------------ the stack

    def pop(self) -> Expr:
        """The top of the stack as an operand."""
        value = self.stack.pop()
        kind = value.__class__
        if kind not in self.unsettled:
            return value
        if kind is Chained:
            return self.walrus(value)  # type: ignore[arg-type]
        if kind is UnpackedItem:
            return self.settle(value)  # type: ignore[arg-type]
        if kind is self.container_class:
            escaped: Expr = self.escape(self, value)
            return escaped
        if kind is Inplace:
            return self.settle_inplace(value)  # type: ignore[arg-type]
        if kind is Copied and not value.evaluated:  # type: ignore[attr-defined]
            if id(value) not in [id(v) for v in self.stack]:
                return self.only_copy(value)  # type: ignore[arg-type]
        return value

    def only_copy(self, value: Copied) -> Expr:
        """The other copies are gone unused: nothing is shared any more."""
        inner = value.value
        assert inner is not None
        for index, one in enumerate(self.pending):
            if one is value:
                self.pending[index] = inner
        return inner

    def pops(self, count: int) -> List[Expr]:
        if not count:
            return []
        stack = self.stack
        values = stack[-count:]
        if len(values) == count and self.unsettled.isdisjoint([value.__class__ for value in values]):
            del stack[-count:]
            return values
        values = []
        for _ in range(count):
            values.append(self.pop_beside(values))
        values.reverse()
        return values

    def pop_beside(self, values: List[Expr]) -> Expr:
        """The top of the stack as an operand of what takes `values` too: copies of one value stay copies."""
        if self.stack[-1].__class__ is Copied and any(self.stack[-1] is value for value in values):
            return self.stack.pop()
        return self.pop()

    def push(self, value: Expr) -> None:
        """Pushes a value whose evaluation nobody can see."""
        self.stack.append(value)

    def push_effect(self, value: Expr) -> None:
        self.stack.append(value)
        self.pending.append(value)

    def build(self, value: Expr, operands: List[Expr], effect: bool = True) -> None:
        """Pushes an expression over `operands`, which `use` has approved."""
        if effect or self.used:
            self.pending.append(value)
        self.stack.append(value)

    def use(self, operands: List[Expr]) -> List[Expr]:
        """Takes operands, in the order they are printed, out of `pending`; spills where the order would change."""
        pending = self.pending
        left = size = len(pending)
        if size:
            known: Optional[Set[int]] = None
            for value in reversed(operands):
                if left and value is pending[left - 1]:
                    left -= 1
                elif value.__class__ not in self.unseen:
                    if known is None:
                        known = {id(v) for v in pending}
                    if id(value) in known:
                        return self._spill_operands(operands)
            del pending[left:]
        self.used = left < size
        if self.shares:
            self._mark_copies(operands)
        return operands

    def use_one(self, value: Expr) -> Expr:
        """`use` for what has one operand, as most has."""
        pending = self.pending
        if not pending:
            self.used = False
        elif value is pending[-1]:
            pending.pop()
            self.used = True
        elif value.__class__ in self.unseen:
            self.used = False
        else:
            return self.use([value])[0]
        if value.__class__ is Copied:
            value.evaluated = True
        return value

    def _mark_copies(self, operands: List[Expr]) -> None:
        for value in operands:
            if value.__class__ is Copied:
                value.evaluated = True

    def _spill_operands(self, operands: List[Expr]) -> List[Expr]:
        self.spill(operands)
        self.used = False
        return operands

    def spill(self, operands: Optional[List[Expr]] = None) -> None:
        """Assigns everything pending to temporaries, in the order of evaluation; `operands` is renamed in place."""
        save_reads_before_walruses(self, operands)
        for value in self.pending:
            if not self.safe and id(value) in self.inherited and isinstance(value, (Chained, Copied)):
                raise NeedsTemporaries()  # what it waits for is no expression
            if isinstance(value, UnpackedItem):
                raise needs_names(value)
            if isinstance(value, (Held, Joined)):
                value.crossed = True  # assigned where it was computed, or on every way into this block
                continue
            if is_comprehension(value):
                raise self.error("the function of a comprehension cannot be kept", self.current())
            late = isinstance(value, Fresh) and value.name is None  # a comprehension, once its loop is built
            if isinstance(value, Value) and not late and (value.value is not None or value.name is not None):
                if value.name is None:
                    value.name = self.temporaries.new()
                    assert value.value is not None
                    self.out.append(Assign([Name(value.name)], value.value, value.offset))
                if value.__class__ is Copied:
                    value.evaluated = True  # the copies that remain are its name
                continue
            if has_slice(value):
                self.out += name_parts(value, self.temporaries)
                continue
            name = self.temporaries.new()
            self._assign_temporary(name, value)
            self._rename(value, Local(name, value.offset), operands)
        self.pending.clear()

    def _assign_temporary(self, name: str, value: Expr) -> None:
        if isinstance(value, Chained):
            self.out.append(Assign([Name(name), *value.targets], value.value, value.offset))
        elif isinstance(value, Inplace):
            self.out.append(Assign([Name(name)], value.left, value.offset))
            self.out.append(AugAssign(Name(name), value.op, value.right, value.offset))
        else:
            self.out.append(Assign([Name(name)], value, value.offset))

    def settle_inplace(self, value: Inplace) -> Expr:
        """The result of an in-place operator is used without being stored back."""
        self._drop_pending(value)
        if self.pending:
            self._before_statement()
        name = self.temporaries.new()
        self._assign_temporary(name, value)
        return Local(name, value.offset)

    def _rename(self, old: Expr, new: Expr, operands: Optional[List[Expr]]) -> None:
        for values in (self.stack, operands or ()):
            for index, value in enumerate(values):
                if value is old:
                    values[index] = new  # type: ignore[index]

    # ------------------------------------------------------------ statements

    def emit(self, statement: Stmt) -> None:
        if self.pending:
            self._before_statement()
        self.out.append(statement)

    def _before_statement(self) -> None:
        below = self._below_barrier(self.stack)
        if not below:
            self.spill()
            return
        waiting = [v for v in self.pending if id(v) in below]
        self.pending = [v for v in self.pending if id(v) not in below]
        self.spill()
        self.pending = waiting

    def _below_barrier(self, stack: List[Expr]) -> Set[int]:
        """What an inlined comprehension finds below its own values waits for its result, and is not crossed."""
        for index in range(len(stack) - 1, -1, -1):
            kind = stack[index].__class__
            if kind is Saved or kind is Fresh and stack[index + 1 : index + 2] and stack[index + 1].__class__ is Iterator:
                return {id(v) for v in stack[:index]}
        return set()

    def stored(self, name: str) -> None:
        """A local gets a new value: reads of the old one that are still on the stack are saved."""
        for index in range(self._hidden_below(name), len(self.stack)):
            value = self.stack[index]
            if isinstance(value, Held):
                if value.value.__class__ is Local and value.value.id == name:
                    value.crossed = True
                continue
            if value.__class__ is self.container_class:
                self._save_item(value, name)
            inner = value.value if isinstance(value, Copied) else value
            if inner.__class__ is Local and inner.id == name and getattr(value, "name", None) is None:
                temporary = self.temporaries.new()
                self.emit(Assign([Name(temporary)], Local(name, value.offset), value.offset))
                if isinstance(value, Copied) and not self.safe:
                    value.name = temporary
                else:  # a copy may have been used already
                    self.stack[index] = Local(temporary, value.offset)

    def _hidden_below(self, name: str) -> int:
        """Up to where the stack does not see a local: an inlined comprehension has a variable of the same name."""
        for index in range(len(self.stack) - 1, -1, -1):
            value = self.stack[index]
            if isinstance(value, Saved) and value.local == name:
                return index
        return 0

    def _save_item(self, container: Any, name: str) -> None:
        """A container holds the old value of a local that is about to change."""
        work, seen = [container], set()
        while work:
            current = work.pop()
            for index, item in enumerate(current.items):
                if item.__class__ is Local and item.id == name:
                    temporary = self.temporaries.new()
                    self.emit(Assign([Name(temporary)], Local(name, item.offset), item.offset))
                    current.items[index] = Local(temporary, item.offset)
                elif item.__class__ is self.container_class and id(item) not in seen:
                    seen.add(id(item))
                    work.append(item)

    # ------------------------------------------------------------ values with a history

    def walrus(self, chained: Chained) -> Expr:
        """A stored value is used as an expression: (name := value), or a temporary where the target is no name."""
        if all(isinstance(target, Name) for target in chained.targets):
            result: Expr = chained.value
            for target in chained.targets:
                result = NamedExpr(target, result, chained.offset)  # type: ignore[arg-type]
            self._replace_pending(chained, result)
            return result
        name = self.temporaries.new()
        self._drop_pending(chained)
        self.emit(Assign([Name(name), *chained.targets], chained.value, chained.offset))
        result = Local(name, chained.offset)
        self._rename(chained, result, None)
        return result

    def _replace_pending(self, old: Expr, new: Expr) -> None:
        for index, value in enumerate(self.pending):
            if value is old:
                self.pending[index] = new

    def _drop_pending(self, old: Expr) -> None:
        self.pending = [v for v in self.pending if v is not old]

    def settle(self, item: UnpackedItem) -> Expr:
        from .unpacking import settle

        return settle(self, item)

    def complete(self, unpacking: Any) -> None:
        from .stores import finish_unpacking

        finish_unpacking(self, unpacking)

    # ------------------------------------------------------------ terminators shared by all

    def end(self, state: State) -> None:
        self.lifted.exits = (state,) * len(self.block.successors) if self.block is not None else ()


def expression_statement(lifter: Lifter, value: Expr, offset: int) -> None:
    lifter.emit(ExprStmt(lifter.use_one(value), offset))
