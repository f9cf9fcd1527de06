"""From lowered blocks to the graph: stack depths, reachability, needless block borders removed.

One walk from the entry over normal and handler edges measures the depth at each block; what it does not reach is
dead. Everything is iterative, and each block is looked at once.
"""

from __future__ import annotations

from typing import List

from depyf.bytecode.builder import Builder
from depyf.bytecode.canonical import Block, Graph, Handler
from depyf.bytecode.effects import FIXED, VARIABLE, edge_depths, effect_of
from depyf.errors import DecompilationError

# how many more slots canonical instructions may use for a moment than the one they were lowered from
_LOWERING_SLACK = 8


def make_graph(builder: Builder) -> Graph:
    """The control-flow graph of what `builder` has lowered."""
    builder.finish()
    handlers = builder.make_handlers()
    builder.forget_layout()
    reached = _measure(builder, handlers)
    if builder.sends:
        _check_sends(builder, reached)
    if len(builder.blocks) == 1 and not handlers and not builder.blocks[0].successors:
        return Graph(builder.raw.code, builder.blocks, [], [], builder.folded)  # straight lines, as half of all functions are
    dead = _dead_offsets(builder, reached)
    blocks = [block for block in builder.blocks if reached[block.index]]
    unreached = [block for block in builder.blocks if not reached[block.index]] if dead else []
    used = {block.handler.index for block in blocks if block.handler is not None}
    handlers = [handler for handler in handlers if handler.index in used]
    _check_nesting(builder, handlers)
    _link_predecessors(blocks)
    blocks = _merge(blocks, handlers, builder.folded)
    if builder.handler_starts or builder.raw.copies:
        # a copy may keep what another folds, and EXC_ENTER stands at a handler's first instruction, whatever that is
        alive = {instruction.offset for block in blocks for instruction in block.instructions}
        builder.folded = sorted(set(builder.folded) - alive)
    for index, block in enumerate(blocks):
        block.index = index
    for index, handler in enumerate(handlers):
        handler.index = index
    graph = Graph(builder.raw.code, blocks, handlers, dead, builder.folded)
    graph.unreached = unreached
    return graph


def _measure(builder: Builder, handlers: List[Handler]) -> bytearray:
    """Set the depth of each block that can be reached; return which those are, by index."""
    setups = builder.setups
    deepest = builder.raw.code.co_stacksize + _LOWERING_SLACK
    entry = builder.blocks[0]
    reached = bytearray(len(builder.blocks))
    reached[0] = True
    work = [entry]
    while work:
        block = work.pop()
        for number, below in setups.get(block.index, ()):
            handlers[number].depth = block.depth - below
        depth = _through(builder, block, deepest)
        last = block.instructions[-1]
        depths = edge_depths(last.op, last.arg, depth)
        if len(depths) != len(block.successors):
            raise _error(builder, "control runs off the end of the code", last.offset)
        edges = list(zip(block.successors, depths))
        handler = block.handler
        if handler is not None:
            if handler.depth > block.depth or handler.depth < 0:
                message = f"handler cuts the stack to {handler.depth}, but its range starts at depth {block.depth}"
                raise _error(builder, message, block.offset)
            edges.append((handler.target, handler.depth + handler.lasti + 1))
        for successor, depth in edges:
            if not reached[successor.index]:
                reached[successor.index] = True
                successor.depth = depth
                work.append(successor)
            elif successor.depth != depth:
                message = f"stack depths {successor.depth} and {depth} meet"
                raise _error(builder, message, successor.offset)
    return reached


def _through(builder: Builder, block: Block, deepest: int) -> int:
    """The depth before the block's terminator acts; checks that no instruction takes or leaves more than there may be."""
    depth = block.depth
    fixed, variable = FIXED.get, VARIABLE
    pops = pushes = 0
    for instruction in block.instructions:
        op = instruction.op
        pops, pushes = fixed(op) or variable[op](instruction.arg)
        depth -= pops
        if depth < 0:
            raise _error(builder, "stack underflow", instruction.offset)
        depth += pushes
        if depth > deepest:
            raise _error(builder, "the stack grows beyond co_stacksize", instruction.offset)
    if builder.unsupported and block.instructions[-1].offset in builder.unsupported:
        offset = block.instructions[-1].offset
        raise _error(builder, builder.unsupported[offset], offset)
    return depth - pushes + pops


def _check_sends(builder: Builder, reached: bytearray) -> None:
    """A folded SEND loop must have handled exceptions at its own depth, or it was not the compiler's."""
    expected = {builder.raw.offsets[index]: depth for index, depth in builder.sends.items() if depth is not None}
    for block in builder.blocks:
        if not reached[block.index]:
            continue
        depth = block.depth
        for instruction in block.instructions:
            if instruction.op == "YIELD_FROM" and expected.get(instruction.offset, depth) != depth:
                raise _error(builder, "SEND loop is cleaned up at another depth", instruction.offset)
            pops, pushes = effect_of(instruction.op, instruction.arg)
            depth += pushes - pops


def _check_nesting(builder: Builder, handlers: List[Handler]) -> None:
    """An exception in a handler goes to the next outer one, and so on outwards: never in a circle."""
    for handler in handlers:
        outer = handler.target.handler
        steps = 0
        while outer is not None:
            outer = outer.target.handler
            steps += 1
            if steps > len(handlers):
                raise _error(builder, "a handler is covered by itself", handler.target.offset)


def _error(builder: Builder, message: str, offset: int) -> DecompilationError:
    code = builder.raw.code
    number = builder.raw.data[offset]
    return DecompilationError(message, code.co_name, offset, builder.raw.layout.name[number] or number)


def _dead_offsets(builder: Builder, reached: bytearray) -> List[int]:
    """Offsets of raw instructions of which nothing can be reached; what was absorbed counts as folded instead."""
    if 0 not in reached:
        return []
    dead = [block for block in builder.blocks if not reached[block.index]]
    candidates = {instruction.offset for block in dead for instruction in block.instructions}
    for block in builder.blocks if candidates else ():  # of one instruction several blocks may be made
        if reached[block.index]:
            candidates.difference_update([instruction.offset for instruction in block.instructions])
    candidates.difference_update(builder.folded)
    builder.folded.extend(candidates & builder.absorbed)
    return sorted(candidates - builder.absorbed)


def _link_predecessors(blocks: List[Block]) -> None:
    for block in blocks:
        for successor in block.successors:
            # both ways of a branch may go to one block, which has one predecessor then
            if not (successor.predecessors and successor.predecessors[-1] is block):
                successor.predecessors.append(block)


def _merge(blocks: List[Block], handlers: List[Handler], folded: List[int]) -> List[Block]:
    """Join a block with the one after it where the border between them means nothing."""
    entered = {handler.target.index for handler in handlers}
    merged: List[Block] = []
    last = None
    for block in blocks:
        if (
            last is not None
            and len(block.predecessors) == 1
            and block.predecessors[0] is last
            and last.instructions[-1].op in ("FALL", "JUMP")
            and block.handler is last.handler
            and block.index not in entered
            and block.instructions[0].offset >= last.instructions[-1].offset
        ):
            border = last.instructions.pop()
            if border.op == "JUMP" and not (last.instructions and last.instructions[-1].offset == border.offset):
                folded.append(border.offset)
            last.instructions += block.instructions
            last.successors = block.successors
            for successor in dict.fromkeys(block.successors):
                position = successor.predecessors.index(block)
                successor.predecessors[position] = last
            continue
        if last is not None and last.instructions[-1].op == "JUMP" and last.successors[0] is block:
            last.instructions[-1].op = "FALL"
        merged.append(block)
        last = block
    return merged
