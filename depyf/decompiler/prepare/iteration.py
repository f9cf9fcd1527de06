"""Shapes of iteration in the graph: the wait for an asynchronous loop's next item, and the end of an inlined comprehension."""

from __future__ import annotations

from depyf.bytecode.canonical import Block, Graph, Instruction

from .depths import depth_at


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


def names_given_back(block: Block) -> int:
    """How many instructions at the beginning of a block end an inlined comprehension: each gives back what it has hidden itself."""
    first, *others = block.instructions
    if first.op != "SWAP" or not any(before.terminator.op in ("NEXT", "END_ASYNC_FOR") for before in block.predecessors):
        return 0
    return first.arg if all(one.op == "STORE_LOCAL" for one in others[: first.arg - 1]) else 0


def _begins_comprehension(block: Block) -> bool:
    """Whether an empty container is put below an iterator here."""
    instructions = block.instructions[:-1]
    while instructions and instructions[-1].op in ("SWAP", "ITER", "AITER"):
        instructions.pop()
    return bool(instructions) and instructions[-1].op in _CONTAINERS and instructions[-1].arg == 0


_CONTAINERS = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP")
