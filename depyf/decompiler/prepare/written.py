"""What line numbers tell about how code was written: a jump or a bare return that has a line of its own.

`continue` and `return` leave no trace in the bytecode but their line; code that falls to the same place shares the
line of something else. Code that was generated has lines that say nothing, and then nothing is concluded.
"""

from __future__ import annotations

from itertools import chain
from types import CodeType
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.positions import spans

from .clauses import is_name_cleanup

# RERAISE, EXC_ENTER: up to 3.8 what the compiler adds to the end of a handler has the line of its last statement
_LEAVES = frozenset(("JUMP", "FALL", "POP", "POP_EXCEPT", "SWAP", "CONST", "RETURN", "NULL", "RERAISE", "EXC_ENTER"))
_BUT_RETURN = _LEAVES - {"RETURN"}


class Written(NamedTuple):
    """The lines on which nothing stands but leaving, and those of them on which a `return` may stand."""

    jumps: FrozenSet[int]
    returns: FrozenSet[int]


_NOTHING = Written(frozenset(), frozenset())


def lines_of_jumps(graph: Graph, may_return: bool) -> Written:
    """The lines on which nothing stands but leaving: by a jump or, where that can be written, by returning None."""
    leaves = _LEAVES if may_return else _BUT_RETURN
    if graph.handlers:
        written = [i for block in graph.blocks for i in _without_cleanup(block.instructions)]
        beside = [i for block in graph.unreached for i in _without_cleanup(block.instructions)]
    else:
        written = [i for block in graph.blocks for i in block.instructions]
        beside = [i for block in graph.unreached for i in block.instructions]
    # the lines on which something else stands
    busy = {i.line for i in chain(written, beside) if i.op not in leaves or i.op == "CONST" and i.arg is not None}
    if graph.handlers:
        busy.update(_lines_of_clauses(graph))
    found = {i.line for i in written if i.line not in busy and i.op != "FALL" and i.line is not None}
    if not found:
        return _NOTHING
    widths = _widths(graph.code, found)
    jumps = frozenset([line for line in found if widths.get(line) != len("pass")])
    return Written(jumps, frozenset([line for line in jumps if widths.get(line) not in (len("break"), len("continue"))]))


def lines_of_ways(graph: Graph) -> Dict[Tuple[int, int], Optional[int]]:
    """For ways out of branches, by offset and position, the line of the first branch that leads to the same place, where that is
    another one: parts of one condition do, while what a written jump leads to has been repeated for it, or is behind that jump."""
    first: Dict[Block, Optional[int]] = {}
    found: Dict[Tuple[int, int], Optional[int]] = {}
    for block in graph.blocks:
        branch = block.instructions[-1]
        if branch.op == "BRANCH":
            for position, target in enumerate(block.successors):
                line = first.setdefault(target, branch.line)
                if line != branch.line:
                    found[branch.offset, position] = line
    return found


def _widths(code: CodeType, lines: Set[int]) -> Dict[int, int]:
    """How wide the statements on some lines are, where columns tell (3.11+): that is which keyword it was.

    Of `return None` sometimes only `None` is left, behind seven columns of `return `."""
    return {
        line: len("return None") if (width, column % 4) == (len("None"), 3) else width
        for line, column, width in spans(code)
        if line in lines
    }


def _lines_of_clauses(graph: Graph) -> Iterator[Optional[int]]:
    """Lines that say nothing about how an except clause ends: of `except:` itself, and where control falls off its end."""
    for block in graph.blocks:
        instructions = block.instructions
        if instructions[0].op == "EXC_ENTER" and instructions[1].op == "POP":
            yield instructions[0].line
        yield from _ends_of_clauses(instructions)


def _without_cleanup(instructions: List[Instruction]) -> List[Instruction]:
    """All but `name = None; del name`, with which the compiler leaves `except ... as name`, on the line of what leaves it."""
    if [i for i in instructions if i.op[:7] == "DELETE_"]:
        return [*_past_cleanups(instructions)]
    return instructions


def _past_cleanups(instructions: List[Instruction]) -> Iterator[Instruction]:
    position = 0
    while position < len(instructions):
        if is_name_cleanup(instructions[position : position + 3]):
            position += 3
        else:
            yield instructions[position]
            position += 1


def _ends_of_clauses(instructions: List[Instruction]) -> Iterator[int]:
    """The lines on which control falls off the end of `except ... as name`: 3.8 deletes the name before it leaves the handler."""
    for position, instruction in enumerate(instructions):
        if instruction.op == "POP_EXCEPT" and position > 2 and instruction.line is not None:
            if is_name_cleanup(instructions[position - 3 : position]):
                yield instruction.line
