"""`match`: finds the code of each case's pattern in the graph, and puts one CASE instruction in its place.

Follows the way of success from where the subject lies on top of the stack, with the stack as `holes`, until nothing of
the pattern is left on it. Every test on that way fails to the same place: the next case. Alternatives of an or-pattern
fail to the next alternative and succeed to a common place. Whatever does not fit is left as it is: then it is no match.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

from ..tree import Attr, Binary, Const, Expr, Name, Pattern, Tuple_, Unary
from .holes import Condition, Hole, JoinedHole, Length, NoPattern, Parts, Rest, constants, is_literal
from .ways import CANNOT_RAISE, Place, lead_alike


class Case:
    """One case: its pattern, what it stores (in order), and whether it takes the subject off the stack."""

    __slots__ = ("pattern", "guard", "stores", "taken", "pops", "line", "is_alternative", "before_default", "can_raise")

    def __init__(self, pattern: Pattern, stores: List[Instruction], pops: bool, line: Optional[int]) -> None:
        self.pattern = pattern
        self.guard: Optional[Expr] = None
        self.stores = stores
        self.taken = stores  # every instruction whose names matter to who declares what
        self.pops = pops
        self.line = line
        self.before_default = True
        self.can_raise = True
        self.is_alternative = False  # the next case is an alternative to this one, with a copy of its body


class _Subject:
    """The subject itself, which the pattern of a case works on a copy of."""


_SUBJECT = _Subject()


class _Run:
    """Follows the code of one pattern, or of one alternative of it."""

    def __init__(self, stack: List[Any], alternative: bool, handler: Any) -> None:
        self.stack = stack
        self.floor = len(stack) - 1  # what lies below is not the pattern's
        self.alternative = alternative
        self.handler = handler
        self.fails: List[Tuple[Block, int]] = []
        self.stores: List[Instruction] = []
        self.tests = 0
        self.visited: List[Block] = []

    def go(self, block: Block, position: int) -> Place:
        """Where the body begins, or where the alternatives meet."""
        while True:
            if self.is_complete():  # the body may begin with a try
                return block, position
            if block.handler is not self.handler and any(i.op not in CANNOT_RAISE for i in block.instructions) or len(self.visited) > 10000:
                raise NoPattern()
            while position < len(block.instructions) - 1:
                if self.is_complete():
                    return block, position
                position = self.one(block, position)
                if position < 0:  # an or-pattern, which ends elsewhere
                    block, position = self.joined
            if self.is_complete():
                return block, position
            block = self.leave(block)
            position = 0
            if self.alternative and len(block.predecessors) > 1:
                return block, position

    def is_complete(self) -> bool:
        return not self.alternative and len(self.stack) == self.floor

    def one(self, block: Block, position: int) -> int:
        """Executes one instruction that ends no block."""
        instruction = block.instructions[position]
        if instruction.op == "COPY" and instruction.arg == 1 and isinstance(self.stack[-1], Hole) and not self.stores:
            if self.alternatives(block, position):
                return -1
        operation = _OPERATIONS.get(instruction.op)
        if operation is None:
            raise NoPattern()
        operation(self, instruction)
        if len(self.stack) < self.floor:
            raise NoPattern()
        return position + 1

    def leave(self, block: Block) -> Block:
        terminator = block.terminator
        self.visited.append(block)
        if terminator.op in ("FALL", "JUMP"):
            return block.successors[0]
        if terminator.op != "BRANCH" or self.stores:
            raise NoPattern()
        condition = self.pop()
        if not isinstance(condition, Condition):
            raise NoPattern()
        condition.apply()
        self.tests += 1
        succeeds, fails = block.successors if condition.holds else block.successors[::-1]
        self.fails.append((fails, len(self.stack)))
        return succeeds

    # ------------------------------------------------------------ or-patterns

    def alternatives(self, block: Block, position: int) -> bool:
        """Tries an or-pattern that begins with the COPY at `position`; goes on to where it ends."""
        depth = len(self.stack)
        try:
            found, stacks, last, join = self.each_alternative(block, position)
        except (NoPattern, IndexError):
            return False
        subject = self.stack[-1]
        subject.become("or", found)
        self.stack = self.stack + [JoinedHole(list(slot)) for slot in zip(*[s[depth:] for s in stacks])]
        self.fails.extend(last)
        self.tests += 1
        self.joined = join
        return True

    joined: Place

    def each_alternative(self, block: Block, position: int) -> Any:
        depth = len(self.stack)
        found: List[Hole] = []
        stacks: List[List[Any]] = []
        join: Optional[Place] = None
        while True:
            root = Hole()
            run = _Run([*self.stack, root], True, self.handler)
            end = run.go(block, position + 1)
            if join is not None and join != end:
                raise NoPattern()
            join = end
            found.append(root)
            stacks.append(run.stack)
            self.visited.extend(run.visited)
            if len(run.stack) != len(stacks[0]):
                raise NoPattern()
            target = common_target(run.fails, depth)
            if target is None or not _copies(target):
                break
            block, position = target
        if len(found) < 2:
            raise NoPattern()
        return found, stacks, run.fails, join

    # ------------------------------------------------------------ the stack

    def pop(self) -> Any:
        if len(self.stack) <= self.floor:
            raise NoPattern()
        return self.stack.pop()

    def pop_plain(self) -> Any:
        value = self.pop()
        if not isinstance(value, Expr):
            raise NoPattern()
        return value

    def top_hole(self) -> Hole:
        if not isinstance(self.stack[-1], Hole):
            raise NoPattern()
        return self.stack[-1]


def _copies(place: Place) -> bool:
    instruction = place[0].instructions[place[1]]
    return instruction.op == "COPY" and instruction.arg == 1


def common_target(fails: List[Tuple[Block, int]], depth: int) -> Optional[Place]:
    """Where all the failing tests go once the stack is popped down to `depth`; None if that is not one place."""
    targets = list(dict.fromkeys(target_of(block, at, depth) for block, at in fails))
    first = targets[0] if targets else None
    if first is None or any(other is None or not lead_alike(first, other) for other in targets[1:]):
        return None
    return targets[-1]


def target_of(block: Block, at: int, depth: int) -> Optional[Place]:
    position = 0
    passed: Set[Block] = set()
    while True:
        instruction = block.instructions[position]
        if instruction.op in ("FALL", "JUMP"):
            if block in passed:  # a loop that does nothing
                return (block, position) if at == depth else None
            passed.add(block)
            block, position = block.successors[0], 0
        elif at == depth:
            return block, position
        elif instruction.op == "POP" and at > depth:
            at -= 1
            position += 1
        else:
            return None


# ---------------------------------------------------------------- instructions


def _const(run: _Run, instruction: Instruction) -> None:
    run.stack.append(Const(instruction.arg, instruction.offset))


def _load(run: _Run, instruction: Instruction) -> None:
    run.stack.append(Name(instruction.arg, instruction.offset))


def _load_from_mapping(run: _Run, instruction: Instruction) -> None:
    run.pop_plain()
    _load(run, instruction)


def _load_locals(run: _Run, instruction: Instruction) -> None:
    run.stack.append(Name("__classdict__", instruction.offset))


def _load_attr(run: _Run, instruction: Instruction) -> None:
    run.stack.append(Attr(run.pop_plain(), instruction.arg, instruction.offset))


def _unary(run: _Run, instruction: Instruction) -> None:
    run.stack.append(Unary(instruction.arg, run.pop_plain(), instruction.offset))


def _binary(run: _Run, instruction: Instruction) -> None:
    right = run.pop_plain()
    left = run.pop()
    if isinstance(left, Length):
        if instruction.arg != "-" or not isinstance(right, Const) or left.less:
            raise NoPattern()
        run.stack.append(Length(left.hole, right.value))
    elif isinstance(left, Expr):
        run.stack.append(Binary(left, instruction.arg, right, instruction.offset))
    else:
        raise NoPattern()


def _build_tuple(run: _Run, instruction: Instruction) -> None:
    items = [run.pop_plain() for _ in range(instruction.arg)]
    run.stack.append(Tuple_(items[::-1], instruction.offset))


def _copy(run: _Run, instruction: Instruction) -> None:
    if len(run.stack) - instruction.arg < run.floor:
        raise NoPattern()
    run.stack.append(run.stack[-instruction.arg])


def _swap(run: _Run, instruction: Instruction) -> None:
    stack, count = run.stack, instruction.arg
    if len(stack) - count < run.floor:
        raise NoPattern()
    stack[-1], stack[-count] = stack[-count], stack[-1]


def _pop(run: _Run, instruction: Instruction) -> None:
    run.pop()


def _nothing(run: _Run, instruction: Instruction) -> None:
    pass


def _invert(run: _Run, instruction: Instruction) -> None:
    condition = run.pop()
    if not isinstance(condition, Condition):
        raise NoPattern()
    run.stack.append(Condition(condition.hole, condition.kind, condition.detail, not condition.holds))


def _compare(run: _Run, instruction: Instruction) -> None:
    right = run.pop_plain()
    left = run.pop()
    op = instruction.arg
    if isinstance(left, Length) and op in ("==", ">=") and isinstance(right, Const) and not left.less:
        run.stack.append(Condition(left.hole, "length", (op, right.value), True))
    elif isinstance(left, Hole) and op == "==" and is_literal(right):
        run.stack.append(Condition(left, "value", right, True))
    else:
        raise NoPattern()


def _is(run: _Run, instruction: Instruction) -> None:
    right = run.pop_plain()
    left = run.pop()
    if not isinstance(right, Const) or not (right.value is None or isinstance(right.value, bool)):
        raise NoPattern()
    if isinstance(left, Parts) and right.value is None:
        run.stack.append(Condition(left.hole, "found", None, bool(instruction.arg)))
    elif isinstance(left, Hole):
        run.stack.append(Condition(left, "value", right, not instruction.arg))
    else:
        raise NoPattern()


def _match_kind(kind: str) -> Callable[[_Run, Instruction], None]:
    def operation(run: _Run, instruction: Instruction) -> None:
        run.stack.append(Condition(run.top_hole(), kind, None, True))

    return operation


def _get_len(run: _Run, instruction: Instruction) -> None:
    run.stack.append(Length(run.top_hole()))


def _match_keys(run: _Run, instruction: Instruction) -> None:
    keys = constants(run.stack[-1])
    hole = run.stack[-2]
    if not isinstance(hole, Hole) or hole.kind != "mapping" or hole.detail is not None:
        raise NoPattern()
    hole.detail = keys
    hole.split(len(keys))
    run.stack.append(Parts(hole, len(keys)))


def _match_class(run: _Run, instruction: Instruction) -> None:
    names = [one.value for one in constants(run.pop_plain()) if isinstance(one, Const)]
    cls = run.pop_plain()
    hole = run.pop()
    if not isinstance(hole, Hole):
        raise NoPattern()
    hole.become("class", (cls, instruction.arg, names))
    hole.split(instruction.arg + len(names))
    run.stack.append(Parts(hole, instruction.arg + len(names)))


def _unpack(run: _Run, instruction: Instruction) -> None:
    value = run.pop()
    if isinstance(value, Parts):
        items: List[Any] = list(value.hole.split(value.count))
    elif isinstance(value, Hole) and value.kind == "sequence":
        items = list(value.split(instruction.arg))
    else:
        items = list(constants(value))
    if len(items) != instruction.arg:
        raise NoPattern()
    run.stack.extend(reversed(items))


def _unpack_ex(run: _Run, instruction: Instruction) -> None:
    before, after = instruction.arg
    value = run.pop()
    if not isinstance(value, Hole) or value.kind != "sequence":
        raise NoPattern()
    run.stack.extend(reversed(value.split(before + 1 + after, before)))


def _load_item(run: _Run, instruction: Instruction) -> None:
    key = run.pop()
    value = run.pop()
    if isinstance(value, Parts) and isinstance(key, Const):
        run.stack.append(value.hole.item(key.value))
    elif not isinstance(value, Hole) or value.kind != "sequence":
        raise NoPattern()
    elif isinstance(key, Const) and type(key.value) is int and key.value >= 0:
        run.stack.append(value.item(key.value))
    elif isinstance(key, Length) and key.hole is value and key.less > 0:
        run.stack.append(value.item(-key.less))
    else:
        raise NoPattern()


def _build_map(run: _Run, instruction: Instruction) -> None:
    if instruction.arg:
        raise NoPattern()
    run.stack.append(Rest())


def _dict_update(run: _Run, instruction: Instruction) -> None:
    hole = run.pop()
    rest = run.stack[-instruction.arg]
    if not isinstance(rest, Rest) or rest.hole is not None or not isinstance(hole, Hole) or hole.kind != "mapping":
        raise NoPattern()
    rest.hole = hole


def _delete_item(run: _Run, instruction: Instruction) -> None:
    run.pop_plain()
    if not isinstance(run.pop(), Rest):
        raise NoPattern()


def _copy_without_keys(run: _Run, instruction: Instruction) -> None:
    run.pop_plain()
    run.stack.append(Rest(run.top_hole()))


def _store(run: _Run, instruction: Instruction) -> None:
    value = run.pop()
    if run.alternative or not isinstance(value, (Hole, Rest)):
        raise NoPattern()
    value.name(instruction.arg)
    run.stores.append(instruction)


_OPERATIONS: Dict[str, Callable[[_Run, Instruction], None]] = {
    "CONST": _const,
    "LOAD_LOCAL": _load,
    "LOAD_NAME": _load,
    "LOAD_GLOBAL": _load,
    "LOAD_CELL": _load,
    "LOAD_LOCALS": _load_locals,
    "LOAD_DICT_OR_CELL": _load_from_mapping,
    "LOAD_DICT_OR_GLOBAL": _load_from_mapping,
    "LOAD_ATTR": _load_attr,
    "UNARY": _unary,
    "BINARY": _binary,
    "BUILD_TUPLE": _build_tuple,
    "COPY": _copy,
    "SWAP": _swap,
    "POP": _pop,
    "TRUTH": _nothing,
    "NOT": _invert,
    "COMPARE": _compare,
    "IS": _is,
    "MATCH_SEQUENCE": _match_kind("sequence"),
    "MATCH_MAPPING": _match_kind("mapping"),
    "MATCH_KEYS": _match_keys,
    "MATCH_CLASS": _match_class,
    "GET_LEN": _get_len,
    "UNPACK": _unpack,
    "UNPACK_EX": _unpack_ex,
    "LOAD_ITEM": _load_item,
    "BUILD_MAP": _build_map,
    "DICT_UPDATE": _dict_update,
    "DELETE_ITEM": _delete_item,
    "COPY_DICT_WITHOUT_KEYS": _copy_without_keys,
    "STORE_LOCAL": _store,
    "STORE_NAME": _store,
    "STORE_GLOBAL": _store,
    "STORE_CELL": _store,
}


_NAMING = frozenset(("LOAD_LOCAL", "LOAD_CELL", "LOAD_DICT_OR_CELL", "LOAD_GLOBAL"))


# ---------------------------------------------------------------- cases


class Found:
    """A case as it stands in the graph: where its body begins, and where control goes if it does not match."""

    __slots__ = ("case", "body", "otherwise", "visited")

    def __init__(self, case: Case, body: Place, otherwise: Place, visited: List[Block]) -> None:
        self.case = case
        self.body = body
        self.otherwise = otherwise
        self.visited = visited


def find_case(block: Block, position: int) -> Optional[Found]:
    """The case whose pattern begins at `position`, with the subject on top of the stack."""
    found = _find(block, position, [Hole()], True)
    if found is None and _copies((block, position)):
        found = _find(block, position + 1, [_SUBJECT, Hole()], False)
    return found


def _find(block: Block, position: int, stack: List[Any], pops: bool) -> Optional[Found]:
    root = stack[-1]
    run = _Run(stack, False, block.handler)
    try:
        body = run.go(block, position)
        if not run.tests:
            return None
        otherwise = common_target(run.fails, run.floor)
        if otherwise is None:
            return None
        case = Case(root.pattern(), run.stores, pops, block.instructions[position].line)
        case.taken = [i for b in [block, *run.visited] for i in b.instructions if i.op in _NAMING]
        case.taken.extend(run.stores)
        tests = [i for b in run.visited for i in b.instructions[position if b is block else 0 :]]
        case.can_raise = any(i.op not in CANNOT_RAISE for i in tests)
    except (NoPattern, IndexError):
        return None
    return Found(case, body, otherwise, run.visited)


__all__ = ["Case", "Found", "find_case", "Graph"]
