"""Shapes of iteration in the graph: the wait for an asynchronous loop's next item, its end, and that of an inlined comprehension."""

from __future__ import annotations

from typing import Callable, Dict, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

from .depths import depth_at, effect


def split_async_loops(graph: Graph) -> None:
    """`async for`: the wait for the next item and its StopAsyncIteration handler become one NEXT."""
    for block in list(graph.blocks):
        for position, instruction in enumerate(block.instructions):
            if instruction.op == "ANEXT" and block.handler is not None:
                end = block.handler.target
                if end.terminator.op == "END_ASYNC_FOR":
                    _make_async_next(graph, block, position, end)
                break


def _make_async_next(graph: Graph, block: Block, position: int, end: Block) -> None:
    """Replaces ANEXT, CONST None, YIELD_FROM; the wait may end the block, or run into the next one."""
    rest_of = block.instructions
    after = position + (4 if rest_of[position + 1].op == "NULL" else 3)
    if after >= len(rest_of) + 1 or rest_of[after - 1].op != "YIELD_FROM":
        return
    rest = Block(len(graph.blocks))
    rest.instructions = rest_of[after:]
    rest.successors = block.successors
    rest.handler = block.handler
    rest.depth = depth_at(block, position) + 1
    for successor in rest.successors:
        successor.predecessors = [rest if p is block else p for p in successor.predecessors]
    exhausted = end.successors[0]
    terminator = Instruction("NEXT", (1, True, True), rest_of[position].offset, rest_of[position].line)
    block.instructions = rest_of[:position] + [terminator]
    block.successors = (rest, exhausted)
    rest.predecessors = [block]
    exhausted.predecessors.insert(0, block)  # before the handler, which is seen through later
    graph.blocks.append(rest)


def end_comprehensions(graph: Graph) -> None:
    """An inlined comprehension that ends its try body: an empty block of that body is where its value is complete."""
    for block in list(graph.blocks):
        if block.terminator.op != "NEXT" or block.successors[1].handler is block.handler:
            continue
        if not any(_begins_comprehension(before) for before in block.predecessors):
            continue
        exhausted = block.successors[1]
        end = Block(len(graph.blocks))
        end.instructions = [Instruction("FALL", None, block.terminator.offset, block.terminator.line)]
        end.successors, end.predecessors = (exhausted,), [block]
        end.handler, end.depth = block.handler, exhausted.depth
        exhausted.predecessors = [end if p is block else p for p in exhausted.predecessors]
        block.successors = (block.successors[0], end)
        graph.blocks.append(end)


def split_behind_breaks(graph: Graph, leaves: Set[Block], split: Callable[[Graph, Block, int], Block]) -> None:
    """What follows the drop of an iterator stands behind the loop, though no jump may show it: `else` is laid out far behind."""
    iterators: Dict[Block, Tuple[int, ...]] = {graph.blocks[0]: ()}  # how deep the stack is below each, and it
    work = [graph.blocks[0]]
    while work:
        block = work.pop()
        there = iterators[block]
        left = _first_drop(block, there[-1]) if there else None
        while left is not None:
            there = tuple(one for one in there if one <= depth_at(block, left))
            if block not in leaves and any(i.op not in _ENDS for i in block.instructions[left:]):
                block = split(graph, block, left)
                left = 0
            left = _first_drop(block, there[-1], left) if there else None
        ways = list(zip(block.successors, [there] * len(block.successors)))
        if block.terminator.op == "NEXT":
            ways[0] = block.successors[0], (*there, block.depth)
        if block.handler is not None:
            ways.append((block.handler.target, tuple(one for one in there if one <= block.handler.depth)))
        for target, around in ways:
            if target not in iterators:
                iterators[target] = around
                work.append(target)


def _first_drop(block: Block, depth: int, start: int = 0) -> Optional[int]:
    """The position behind the first instruction that leaves less than `depth` on the stack."""
    current = depth_at(block, start)
    for position, instruction in enumerate(block.instructions[start:], start + 1):
        needed, pushed = effect(instruction)
        current += pushed - needed
        if current < depth and position < len(block.instructions):
            return position
    return None


_ENDS = frozenset(("POP", "SWAP", "CONST", "RETURN", "JUMP", "FALL"))


def names_given_back(block: Block) -> int:
    """How many instructions at the beginning of a block end an inlined comprehension: each gives back what it has hidden itself."""
    first, *others = block.instructions
    if first.op != "SWAP" or not any(before.terminator.op in ("NEXT", "END_ASYNC_FOR") for before in block.predecessors):
        return 0
    return first.arg if all(one.op == "STORE_LOCAL" for one in others[: first.arg - 1]) else 0


def give_back_first(graph: Graph) -> None:
    """STORE value; STORE hidden, behind an inlined comprehension: the compiler has exchanged the stores to spare a swap, where what
    stores the value was repeated. The copies that other ways lead to begin with that store, so it comes last again."""
    hidden = {i.arg for block in graph.blocks for i in block.instructions if i.op == "LOAD_CLEAR"}
    for block in graph.blocks:
        count = _stores_exchanged(block, hidden)
        if count and any(_ends_iteration(before) for before in block.predecessors):
            first, *others = block.instructions[: count + 1]
            swap = Instruction("SWAP", count + 1, first.offset, first.line)
            block.instructions[: count + 1] = [swap, others[-1], *others[:-1], first]


def _stores_exchanged(block: Block, hidden: Set[str]) -> int:
    """How many variables are given back behind the store of another one, at the beginning of a block."""
    first = block.instructions[0]
    if first.op != "STORE_LOCAL" or first.arg in hidden:
        return 0
    count = 0
    for instruction in block.instructions[1 : block.depth]:
        if instruction.op != "STORE_LOCAL" or instruction.arg not in hidden:
            break
        count += 1
    return count


def _ends_iteration(block: Block) -> bool:
    """Whether a block ends a loop when it is exhausted, or only leads on from where one ended."""
    if len(block.instructions) == 1 and block.terminator.op in ("JUMP", "FALL"):
        return any(before.terminator.op == "NEXT" for before in block.predecessors)
    return block.terminator.op in ("NEXT", "END_ASYNC_FOR")


def _begins_comprehension(block: Block) -> bool:
    """Whether an empty container is put below an iterator here."""
    instructions = block.instructions[:-1]
    while instructions and instructions[-1].op in ("SWAP", "ITER", "AITER"):
        instructions.pop()
    return bool(instructions) and instructions[-1].op in _CONTAINERS and instructions[-1].arg == 0


_CONTAINERS = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP")
