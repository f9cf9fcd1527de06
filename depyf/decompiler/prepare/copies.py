"""Returns and raises that the compiler repeated instead of jumping to them: one statement of the source, so one block again.

Line numbers tell: copies of one return stand on one line, and two returns of the source hardly ever do.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Hashable, List, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.effects import effect_of

from .cleanup_lines import Cleanups
from .copied_values import join_ends_of_expressions, join_raises, join_values
from .depths import depth_at
from .iteration import names_given_back
from .joining import (
    LONGEST_COPY,
    Split,
    blocks_in_front,
    common_end,
    count_leaving,
    join_places,
    key_from,
    key_of_instruction,
    leaving_on_one_line,
    left_clause,
    whole_blocks,
)
from .managers import leaves_for_good
from .used_values import alike_at


def join_copied_returns(graph: Graph, split: Split, written: FrozenSet[int]) -> None:
    """`written` are the lines on which a return stands alone: that is nobody's copy of falling off the end."""
    others = [handler.target for handler in graph.handlers if not _is_plain(handler.target)]
    if not all(_leaves_manager(target) for target in others):
        # `finally` has copies of its own, whose ends must not be mixed up
        cleanups = Cleanups(graph, others)
        if not _MATCHES.isdisjoint(graph.ops):
            _join_behind_patterns(graph, split, cleanups)
        _join_cleanups_that_raise(graph, split, cleanups)
        _join_statements(graph, split, cleanups)
        join_ends_of_expressions(graph, split, True)
        join_raises(graph, split, True)
        return
    if not _MATCHES.isdisjoint(graph.ops):
        _join_behind_patterns(graph, split, Cleanups(graph, []))
    # while each has its own ways in; the instructions are kept, so that no other can get the identity of one of them
    fallen = {id(block.terminator): block.terminator for block in graph.blocks if _falls_off(block, written)}
    _join_statements(graph, split, Cleanups(graph, []))
    join_ends_of_expressions(graph, split, bool(others))
    join_raises(graph, split, bool(others))
    if len(fallen) > 1:
        returns = [block for block in graph.blocks if id(block.terminator) in fallen]
        # what was joined above may return a value that was chosen before
        ends = [(block, len(block.instructions) - 2) for block in returns if [i.op for i in block.instructions[-2:-1]] == ["CONST"]]
        if len(ends) > 1:
            join_places(graph, ends, split)


def _join_cleanups_that_raise(graph: Graph, split: Split, cleanups: Cleanups) -> None:
    """finally: raise. What a `return` runs of it on its way out, repeated for each of the values that were chosen on one line, which
    is none of the `finally` itself."""
    targets = {handler.target for handler in graph.handlers}
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in graph.blocks:
        lines = {before.terminator.line for before in block.predecessors}
        if block.depth and block.terminator.op == "RAISE" and len(lines) == 1 and block not in targets:
            if lines.isdisjoint((None, block.terminator.line)) and lines.isdisjoint(cleanups.lines):
                groups.setdefault((block.depth, lines.pop(), key_from(block, 0)), []).append((block, 0))
    for copies in groups.values():
        if len(copies) > 1:
            join_places(graph, copies, split)


def _begins_at(block: Block, start: int) -> bool:
    """Whether a block begins there, or an except clause or a `with` that swallowed an exception has ended right before."""
    instructions = block.instructions
    if not start or instructions[start - 1].op.startswith("DELETE_") or instructions[start].op == "POP":
        return True
    while start and instructions[start - 1].op == "POP":  # the manager's own values
        start -= 1
    return start > 0 and instructions[start - 1].op == "POP_EXCEPT"


def _join_statements(graph: Graph, split: Split, cleanups: Cleanups) -> None:
    """Those of a `finally` body only within one copy of it."""
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in leaving_on_one_line(graph):
        copy = cleanups.copy_of(block)
        if copy is not None or block.instructions[-1].op != "RERAISE":
            start = _start_of_line(block)
            if start is not None:
                groups.setdefault((copy, depth_at(block, start), key_from(block, start)), []).append((block, start))
    for copies in groups.values():
        if len(copies) > 2:
            copies = _join_longer(graph, copies, split)
        longer = _with_what_stands_before(whole_blocks(copies)) if len(copies) > 1 else copies
        alone = all(block.terminator.op == "RAISE" and not _begins_at(block, start) for block, start in longer)
        if len(copies) > 1 and not (alone and longer is copies):
            before = blocks_in_front(longer)
            join_places(graph, longer, split)
            _join_before(graph, before, split)
    _join_bodies_of_cases(graph, split, cleanups)


def _join_bodies_of_cases(graph: Graph, split: Split, cleanups: Cleanups) -> None:
    """Those that only raise, and so begin with dropping the subject; that may have the line of the pattern in one of the copies."""
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in leaving_on_one_line(graph):
        if block.instructions[0].op != "POP" or block.terminator.op != "RAISE":
            continue
        dropped = next(n for n, i in enumerate(block.instructions) if i.op != "POP")
        if block.predecessors and _start_of_line(block) in (0, dropped):
            key = (cleanups.copy_of(block), block.depth, dropped, key_from(block, dropped))
            groups.setdefault(key, []).append((block, 0))
    for copies in groups.values():
        if len(copies) > 1:
            join_places(graph, copies, split)


def _join_behind_patterns(graph: Graph, split: Split, cleanups: Cleanups) -> None:
    """case a() | b(): return c. Each alternative ends in taking apart what it matched, and what follows may have been repeated."""
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in leaving_on_one_line(graph):
        if block.instructions[0].op == "UNPACK" and _has_matched(block):
            begin = next(n for n, i in enumerate(block.instructions) if n and i.op != "POP")
            key = (cleanups.copy_of(block), depth_at(block, 1), begin, key_from(block, begin))
            groups.setdefault(key, []).append((block, 1))
    for copies in groups.values():
        if len(copies) > 1:
            join_places(graph, copies, split)


_MATCHES = frozenset(("MATCH_CLASS", "MATCH_KEYS"))  # these leave what was found, or None


def _has_matched(block: Block) -> bool:
    """Whether a block is where the last part of a class or mapping was found."""
    before = block.predecessors[0].instructions if len(block.predecessors) == 1 else []
    return [i.op for i in before[-4:]] == ["COPY", "CONST", "IS", "BRANCH"] and before[-5].op in _MATCHES


def _join_before(graph: Graph, before: List[Block], split: Split) -> None:
    if before:
        before = [block for block, _ in _join_whole_blocks(graph, [(block, 0) for block in before], split)]
        join_values(graph, before, split, ({0}, {1}))


def _join_longer(graph: Graph, copies: List[Tuple[Block, int]], split: Split) -> List[Tuple[Block, int]]:
    """Where only some of the copies begin earlier: those are joined there, and are one copy from then on."""
    copies = _join_whole_blocks(graph, copies, split)
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block, start in copies:
        apart = left_clause(block) if start <= count_leaving(block) else 0
        before = (key_of_instruction(block.instructions[start - 1]), apart) if start else id(block)
        groups.setdefault(before, []).append((block, start))
    left: List[Tuple[Block, int]] = []
    for some in groups.values():
        longer = _with_what_stands_before(some) if len(some) > 1 and len(groups) > 1 else some
        if longer is some:
            left += some
            continue
        block, start = some[0]
        length = len(block.instructions) - start
        home = join_places(graph, longer, split)
        left.append((home, len(home.instructions) - length))
    return left


def _join_whole_blocks(graph: Graph, copies: List[Tuple[Block, int]], split: Split) -> List[Tuple[Block, int]]:
    """Where some of the copies are whole blocks that are the same: in `case [[a | b] | c]`, the ends of the inner alternatives."""
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block, start in copies:
        own = names_given_back(block) and id(block)
        groups.setdefault((block.depth, key_from(block, 0), left_clause(block), own), []).append((block, start))
    if len(groups) > 1:
        for some in groups.values():
            if len(some) > 1:
                start, before = some[0][1], blocks_in_front([(block, 0) for block, _ in some])
                some[:] = [(join_places(graph, [(block, 0) for block, _ in some], split), start)]
                _join_before(graph, before, split)
    return [copy for some in groups.values() for copy in some]


def _with_what_stands_before(copies: List[Tuple[Block, int]]) -> List[Tuple[Block, int]]:
    """Copies that begin earlier: in `t = a < b < c; del t` with the store of a value that several ways lead to."""
    blocks = [block for block, _ in copies]
    shortest = max(len(block.instructions) - start for block, start in copies)
    length = common_end(blocks)
    while length > shortest and not alike_at(blocks, length):
        length -= 1
    longer = [(block, len(block.instructions) - length) for block in blocks]
    if length <= shortest or len({depth_at(block, start) for block, start in longer}) > 1:
        return copies
    return longer


def _falls_off(block: Block, written: FrozenSet[int]) -> bool:
    """Whether a block ends in the return that nobody wrote: it has the line of whatever stands before it."""
    if block.instructions[-1].op != "RETURN" or len(block.instructions) < 2 or block.handler is not None or block.copy:
        return False
    value = block.instructions[-2]
    if value.op != "CONST" or value.arg is not None or value.line is None or value.line in written:
        return False
    if len(block.instructions) > 2:
        return block.instructions[-3].line == value.line and not leaves_for_good(block)
    return bool(block.predecessors) and all(_falls_to(before, block, value.line) for before in block.predecessors)


def _falls_to(before: Block, block: Block, line: int) -> bool:
    """Whether a block leads to a return that has its own line, and not because the return was written on that line."""
    if before.terminator.line != line:
        return False
    if before.terminator.op == "BRANCH":  # where an `if` falls through to, one may have been written on its line
        target = before.successors[0 if before.terminator.arg else 1]
        return target is block or target.offset <= before.offset  # a jump back is the test of a loop
    return before.terminator.op == "NEXT"


_RESTORES = frozenset(("SWAP", "POP", "STORE", "COPY", "CONST", "DELETE", "RERAISE"))


def _is_plain(block: Block) -> bool:
    """Whether a handler is that of `except`, or one that the compiler adds to restore something."""
    ops = [i.op for i in block.instructions]
    if "EXC_MATCH" in ops or "EG_MATCH" in ops or "END_ASYNC_FOR" in ops or "LIST_APPEND" in ops:
        return True
    if ops[0] in ("PUSH_EXC", "EXC_ENTER"):
        ops = ops[1:]
        if ops[0] == "POP":
            return True
        if ops == ["RERAISE"]:
            return False  # finally: pass
    return ops[-1] == "RERAISE" and all(op.partition("_")[0] in _RESTORES or op == "POP_EXCEPT" for op in ops)


def _leaves_manager(block: Block) -> bool:
    """Whether a handler is that of `with`."""
    return any(instruction.op == "WITH_EXCEPT" for instruction in block.instructions)


def _start_of_line(block: Block) -> Optional[int]:
    """Where the return statement begins that a block ends in, if it needs nothing of the stack. The body of a case that only raises
    begins with dropping the subject."""
    instructions = block.instructions
    line = instructions[-1].line
    if line is None:
        return None
    start = len(instructions)
    while start and instructions[start - 1].line == line:
        start -= 1
    if len(instructions) - start > LONGEST_COPY:
        return None
    depth, first = 0, start
    while instructions[-1].op == "RAISE" and instructions[first].op == "POP":
        first += 1
    for position in range(first, len(instructions) - (instructions[-1].op == "RERAISE")):
        needed, pushed = effect_of(instructions[position].op, instructions[position].arg)
        if needed > depth:
            if not _drops_below(instructions, position, needed - depth):
                return None
            depth = needed
        depth += pushed - needed
    return start


def _drops_below(instructions: List[Instruction], position: int, count: int) -> bool:
    """Whether what lies below is only swapped to be dropped from under what is returned: the iterator of a loop, or an exception."""
    if instructions[position].op != "SWAP":
        return False
    dropping = next(i for i in instructions[position:] if i.op != "SWAP")
    return dropping.op == "POP_EXCEPT" or count == 1 and instructions[position + 1].op == "POP"
