"""Returns and raises that the compiler repeated instead of jumping to them: one statement of the source, so one block again.

Line numbers tell: copies of one return stand on one line, and two returns of the source hardly ever do.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, Hashable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import ABOVE, BELOW, Block, Graph, Instruction
from depyf.bytecode.effects import effect_of

from .cleanup_lines import Cleanups
from .depths import depth_at
from .iteration import names_given_back
from .managers import leaves_for_good
from .used_values import alike_at, first_use, origin, same_origin, values_at
from .ways import CANNOT_RAISE, jump_from, written_handler

Split = Callable[[Graph, Block, int], Block]
LONGEST_COPY = 6  # the compiler copies only what is short


def join_copied_returns(graph: Graph, split: Split, written: FrozenSet[int]) -> None:
    """`written` are the lines on which a return stands alone: that is nobody's copy of falling off the end."""
    others = [handler.target for handler in graph.handlers if not _is_plain(handler.target)]
    if not all(_leaves_manager(target) for target in others):
        # `finally` has copies of its own, whose ends must not be mixed up
        cleanups = Cleanups(graph, others)
        _join_cleanups_that_raise(graph, split, cleanups)
        _join_statements(graph, split, cleanups)
        _join_ends_of_expressions(graph, split, True)
        _join_raises(graph, split, True)
        return
    # while each has its own ways in; the instructions are kept, so that no other can get the identity of one of them
    fallen = {id(block.terminator): block.terminator for block in graph.blocks if _falls_off(block, written)}
    _join_statements(graph, split, Cleanups(graph, []))
    _join_ends_of_expressions(graph, split, bool(others))
    _join_raises(graph, split, bool(others))
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
    for block in _leaving_on_one_line(graph):
        copy = cleanups.copy_of(block)
        if copy is not None or block.instructions[-1].op != "RERAISE":
            start = _start_of_line(block)
            if start is not None:
                groups.setdefault((copy, depth_at(block, start), key_from(block, start)), []).append((block, start))
    for copies in groups.values():
        if len(copies) > 2:
            copies = _join_longer(graph, copies, split)
        longer = _with_what_stands_before(_whole_blocks(copies)) if len(copies) > 1 else copies
        alone = all(block.terminator.op == "RAISE" and not _begins_at(block, start) for block, start in longer)
        if len(copies) > 1 and not (alone and longer is copies):
            before = _before(longer)
            join_places(graph, longer, split)
            _join_before(graph, before, split)
    _join_bodies_of_cases(graph, split, cleanups)


_LEAVE = frozenset(("RETURN", "RAISE", "RERAISE"))


def _leaving_on_one_line(graph: Graph) -> List[Block]:
    """The blocks that leave on a line on which another does: only these can be copies of one another."""
    leaving = [block for block in graph.blocks if block.instructions[-1].op in _LEAVE]
    by_line: Dict[Optional[int], int] = {}
    for block in leaving:
        line = block.instructions[-1].line
        by_line[line] = by_line.get(line, 0) + 1
    by_line.pop(None, None)
    if len(leaving) == len(by_line):
        return []
    return [block for block in leaving if by_line.get(block.instructions[-1].line, 0) > 1]


def _join_bodies_of_cases(graph: Graph, split: Split, cleanups: Cleanups) -> None:
    """Those that only raise, and so begin with dropping the subject; that may have the line of the pattern in one of the copies."""
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in _leaving_on_one_line(graph):
        if block.instructions[0].op != "POP" or block.terminator.op != "RAISE":
            continue
        dropped = next(n for n, i in enumerate(block.instructions) if i.op != "POP")
        if block.predecessors and _start_of_line(block) in (0, dropped):
            key = (cleanups.copy_of(block), block.depth, dropped, key_from(block, dropped))
            groups.setdefault(key, []).append((block, 0))
    for copies in groups.values():
        if len(copies) > 1:
            join_places(graph, copies, split)


def _before(copies: List[Tuple[Block, int]]) -> List[Block]:
    """Where a try begins in the middle of what was repeated, the blocks in front of it end in copies, too."""
    before = [block.predecessors[0] for block, start in copies if not start and len(block.predecessors) == 1]
    if len(set(before)) < len(copies) or len({(id(block.handler), block.copy) for block in before}) > 1:
        return []
    return before if all(block.terminator.op == "FALL" for block in before) else []


def _join_before(graph: Graph, before: List[Block], split: Split) -> None:
    if before:
        before = [block for block, _ in _join_whole_blocks(graph, [(block, 0) for block in before], split)]
        _join_values(graph, before, split, ({0}, {1}))


def _join_longer(graph: Graph, copies: List[Tuple[Block, int]], split: Split) -> List[Tuple[Block, int]]:
    """Where only some of the copies begin earlier: those are joined there, and are one copy from then on."""
    copies = _join_whole_blocks(graph, copies, split)
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block, start in copies:
        apart = _left_clause(block) if start <= _leaves(block) else 0
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
        groups.setdefault((block.depth, key_from(block, 0), _left_clause(block), own), []).append((block, start))
    if len(groups) > 1:
        for some in groups.values():
            if len(some) > 1:
                start, before = some[0][1], _before([(block, 0) for block, _ in some])
                some[:] = [(join_places(graph, [(block, 0) for block, _ in some], split), start)]
                _join_before(graph, before, split)
    return [copy for some in groups.values() for copy in some]


def _join_ends_of_expressions(graph: Graph, split: Split, apart: bool) -> None:
    """Copies of what uses a value that several ways lead to: return f(a if b else c)."""
    groups: Dict[Tuple[Any, ...], List[Block]] = {}
    for block in _leaving_on_one_line(graph):
        last = block.instructions[-1]
        groups.setdefault((last.line, last.op, id(block.handler), block.copy, _left_clause(block)), []).append(block)
    for (line, op, *_), blocks in groups.items():
        for cluster in _clusters(blocks, line) if apart or op == "RERAISE" else [blocks]:
            _join_by_end(graph, cluster, split, ({0}, {1}))
        for cluster in _clusters(blocks, line, True) if apart and op != "RERAISE" else []:
            left = [block for block in cluster if block.terminator.op == op]
            _join_by_end(graph, left, split, ({1},))  # a clean-up that ends on such lines leaves no value


def _left_clause(block: Block) -> int:
    """Tells apart the clauses that blocks begin by leaving, each of its own try."""
    leaves = block.instructions[0].op == "POP_EXCEPT" and bool(block.predecessors)
    return id(written_handler(block.predecessors[0])) if leaves else 0


def _leaves(block: Block) -> int:
    """How many instructions at the beginning of a block leave a clause, and delete its name."""
    if block.instructions[0].op != "POP_EXCEPT":
        return names_given_back(block)
    deletes = [i.op.partition("_")[0] for i in block.instructions[1:4]] == ["CONST", "STORE", "DELETE"]
    return 4 if deletes else 1


def _join_raises(graph: Graph, split: Split, apart: bool) -> None:
    """Copies of a raise that follow what only chose among values: raise a from b if c else d."""
    groups: Dict[Tuple[Any, ...], List[Block]] = {}
    for block in _leaving_on_one_line(graph):
        if block.terminator.op == "RAISE" and block.terminator.arg:
            end = len(block.instructions) - 1
            if values_at(block, end):
                key = (block.terminator.line, block.terminator.arg, id(block.handler), block.copy, depth_at(block, end))
                groups.setdefault(key, []).append(block)
    for (line, *_), blocks in groups.items():
        for cluster in _clusters(blocks, line) if apart else [blocks]:
            if len(cluster) > 1:
                join_places(graph, [(block, len(block.instructions) - 1) for block in cluster], split)


def _join_by_end(graph: Graph, blocks: List[Block], split: Split, counts: Tuple[Set[int], ...]) -> None:
    """Apart by their last instructions; and then all, if one of them is nothing but the end of all."""
    found: Dict[Hashable, List[Block]] = {}
    left: List[Block] = []
    if len(blocks) > 2:
        blocks = _join_behind_chains(graph, _join_uses(graph, blocks, split), split, counts)
    for block in blocks if len(blocks) > 1 else ():
        if len(block.instructions) == 1:
            left.append(block)
        else:
            found.setdefault(tuple(key_of_instruction(i) for i in block.instructions[-2:]), []).append(block)
    ends = bool(left)
    for same in found.values():
        home = _join_values(graph, same, split, counts) if len(same) > 1 else None
        left += same if home is None else [home]
    if ends and len(left) > 1:
        _join_values(graph, left, split, counts)


def _join_behind_chains(graph: Graph, blocks: List[Block], split: Split, counts: Tuple[Set[int], ...]) -> List[Block]:
    """Where a chain of comparisons fails, its operand is dropped before what else is a whole block, in c if not a < b < d else e;
    or before what uses the value of the chain, in (f := a < b < c) if d else e."""
    whole = {(block.depth, key_from(block, 0)): block for block in blocks}
    result = list(blocks)
    for block in blocks:
        home: Optional[Block] = None
        if _drops_operand(block):
            other = whole.get((block.depth - 1, key_from(block, 1)))
            home = join_places(graph, [(other, 0), (block, 1)], split) if other in result else None
        elif [i.op for i in block.instructions[:2]] == ["SWAP", "POP"]:
            other = _end_of_operand(block, result)
            home = _join_values(graph, [block, other], split, counts) if other is not None else None
        if home is not None:
            result = [one for one in result if one is not block and one is not other] + [home]
    return result


def _end_of_operand(block: Block, among: List[Block]) -> Optional[Block]:
    """The only one of some blocks to which a chain of comparisons leads, where it goes on; it ends early in `block`."""
    reached = [s for before in block.predecessors[-1:] for s in before.successors if s is not block]
    for one in reached:
        if one not in among and len(reached) < _MOST:
            reached += [s for s in one.successors if s not in reached]
    found = [one for one in reached if one in among]
    return found[0] if len(found) == 1 and found[0] is not block else None


_MOST = 60  # blocks of an operand


def _drops_operand(block: Block) -> bool:
    """Whether a block is where chains of comparisons fail."""
    if block.instructions[0].op != "POP":
        return False
    tests = [[i.op for i in before.instructions[-3:] if i.op != "TRUTH"][-2:] for before in block.predecessors]
    return all(ops[-1] == "BRANCH" and ops[0] in ("COMPARE", "CONTAINS", "IS") for ops in tests)


def _join_uses(graph: Graph, blocks: List[Block], split: Split) -> List[Block]:
    """What uses a value from before the branches was written once: in return not a < b < (c if d else e), the last comparison.

    The ways that lead to one such use are joined there, and are one from then on; others join them later. Before that, those
    that also bring the same value: in raise a(b if (c if d else e) else f), that of `b`."""
    blocks = _join_same_uses(graph, blocks, split)
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in blocks:
        start = first_use(block)
        key = (start, id(block)) if start is None else (depth_at(block, start), key_from(block, start), origin(block, start))
        groups.setdefault(key, []).append((block, start or 0))
    if len(groups) == 1:
        return blocks
    result: List[Block] = []
    for copies in groups.values():
        if len(copies) > 1 and all(not start or values_at(block, start) == 1 for block, start in copies):
            result.append(join_places(graph, _whole_blocks(copies), split))
        else:
            result += [block for block, _ in copies]
    return result


def _join_same_uses(graph: Graph, blocks: List[Block], split: Split) -> List[Block]:
    groups: Dict[Hashable, List[Block]] = {}
    for block in blocks:
        start = first_use(block)
        key = id(block) if not start else (block.depth, key_from(block, 0), origin(block, start))
        groups.setdefault(key, []).append(block)
    return [join_places(graph, [(block, 0) for block in same], split) if len(same) > 1 else same[0] for same in groups.values()]


def _join_values(graph: Graph, blocks: List[Block], split: Split, counts: Tuple[Set[int], ...]) -> Optional[Block]:
    """Joins the longest common end before which each block has one value, or none; the block that it becomes.

    Where that is the end of an except clause, what uses a value right before it may have been repeated, too."""
    length = _common_end(blocks)
    while length and not (alike_at(blocks, length, counts) and same_origin(blocks, length)) or _cuts_exit(blocks[0], length):
        length -= 1
    starts = [len(block.instructions) - length for block in blocks]
    depths = {depth_at(block, start) for block, start in zip(blocks, starts)}
    if not (length > 1 or 0 in starts) or not length or len(depths) > 1:
        return None
    before = [] if any(starts) else _before([(block, 0) for block in blocks])
    home = join_places(graph, list(zip(blocks, starts)), split)
    if before:
        drops = all(i.op == "POP" for block in before for i in block.instructions[:-1])  # what alternatives of a case match
        _join_values(graph, before, split, ({0}, {1}) if drops else ({1},))
    return home


def _cuts_exit(block: Block, length: int) -> bool:
    """Whether the last `length` instructions of a block begin among the arguments of leaving a manager: nobody chose among those."""
    start = len(block.instructions) - length
    around = block.instructions[max(start - 1, 0) : start + 3]
    if not start or not length or (around[0].op, around[0].arg) != ("CONST", None):
        return False
    call = next((n for n, i in enumerate(around) if (i.op, i.arg) != ("CONST", None)), 0)
    before = block.instructions[max(start - 4 + call, 0) : start - 1 + call]
    if around[call].op != "CALL" or [(i.op, i.arg) for i in before] != [("CONST", None)] * 3:
        return False
    return around[call].arg in ((3, ABOVE), (2, BELOW))


def _clusters(blocks: List[Block], line: int, below: bool = False) -> List[List[Block]]:
    """Blocks that branches on `line` lead to, or on lines `below` it, by the block in which that line begins."""
    if len(blocks) < 2:
        return []
    found: Dict[Block, List[Block]] = {}
    for block in blocks:
        first, seen = block, {block}
        # the value was found in an except clause, or in a try body that the return leaves, under that handler
        leaves = block.instructions[0].op == "POP_EXCEPT" or all(i.op in CANNOT_RAISE for i in block.instructions)
        handler = written_handler(block.predecessors[0] if leaves and block.predecessors else block)
        while first.predecessors:
            before = first.predecessors[0]
            branched = before.terminator.line
            if branched is None or branched < line or branched > line and not below:
                break
            if before in seen or written_handler(before) is not handler:
                break
            seen.add(before)
            first = before
        found.setdefault(first, []).append(block)
    return [cluster for cluster in found.values() if len(cluster) > 1]


def _common_end(blocks: List[Block]) -> int:
    """How many instructions, line by line the same, all blocks end in."""
    length = 0
    apart = len({_left_clause(block) for block in blocks}) > 1
    longest = min(len(block.instructions) - (_leaves(block) if apart else names_given_back(block)) for block in blocks)
    while length < longest:  # 3.10 copies a call with many keywords, too
        if len({key_of_instruction(block.instructions[-1 - length]) for block in blocks}) > 1:
            break
        length += 1
    return length


def _whole_blocks(copies: List[Tuple[Block, int]]) -> List[Tuple[Block, int]]:
    """Copies of a block of which the return is only the end: all of it is shared."""
    keys = {(block.depth, key_from(block, 0), _left_clause(block)) for block, _ in copies}
    return [(block, 0) for block, _ in copies] if len(keys) == 1 and not names_given_back(copies[0][0]) else copies


def _with_what_stands_before(copies: List[Tuple[Block, int]]) -> List[Tuple[Block, int]]:
    """Copies that begin earlier: in `t = a < b < c; del t` with the store of a value that several ways lead to."""
    blocks = [block for block, _ in copies]
    shortest = max(len(block.instructions) - start for block, start in copies)
    length = _common_end(blocks)
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


def key_from(block: Block, start: int) -> Hashable:
    """What a block does from there on, and where: copies have the same."""
    return (
        id(block.handler),
        block.copy,
        tuple([key_of_instruction(i) for i in block.instructions[start:]]),
    )


def key_of_instruction(instruction: Instruction) -> Hashable:
    """3.10 gives what adds a keyword to many of them the line of the value, which may be chosen from several lines."""
    line = None if instruction.op == "MAP_ADD" else instruction.line
    return instruction.op, line, _key_of(instruction.arg)


def _key_of(argument: Any) -> Hashable:
    return type(argument), repr(argument)


def join_places(graph: Graph, copies: List[Tuple[Block, int]], split: Split) -> Block:
    last, start = max(copies, key=lambda copy: copy[0].terminator.offset)
    home = split(graph, last, start) if start else last
    for block, start in copies:
        if block is not last:
            jump_from(block, start, home)
    return home
