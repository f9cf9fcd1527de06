"""Tells a load of a cell from a load of a local: since 3.13 both are LOAD_FAST of the slot.

A slot of a cell or free variable holds the cell, so loading it is LOAD_CLOSURE. Only inlined comprehensions swap what
a slot holds; where one does, the slots' contents are followed through the graph.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, FreeName, Graph, Instruction
from depyf.bytecode.effects import edge_depths, effect_of

# what each followed name's slot holds (True: a cell), and the same for each slot of the stack
State = Tuple[Dict[str, Optional[bool]], List[Optional[bool]]]

# no handler sees the state before one of these: what is restored behind a comprehension is restored at once
_CANNOT_RAISE = frozenset(("SWAP", "COPY", "POP", "STORE_LOCAL", "LOAD_CLEAR", "CONST", "NULL", "FALL", "JUMP"))


def mark_closures(graph: Graph) -> None:
    """Turn each LOAD_LOCAL of a slot that holds a cell into LOAD_CLOSURE."""
    code = graph.code
    if not code.co_cellvars and not code.co_freevars:
        return
    names = {*code.co_cellvars, *set(code.co_freevars).difference(code.co_varnames)}
    swapped = _swapped(graph, names)
    for block in graph.blocks:
        for instruction in block.instructions:
            if instruction.op != "LOAD_LOCAL":
                continue
            if type(instruction.arg) is FreeName or instruction.arg in names and instruction.arg not in swapped:
                instruction.op = "LOAD_CLOSURE"
    if swapped:
        _follow(graph, swapped)


def _swapped(graph: Graph, names: Set[str]) -> Set[str]:
    """Cell and free variables whose slot is saved and restored by an inlined comprehension, or made a cell late."""
    swapped = set()
    prologue = True
    for block in graph.blocks:
        for instruction in block.instructions:
            if instruction.op == "MAKE_CELL":
                if not prologue:
                    swapped.add(instruction.arg)
            else:
                prologue = False
                if instruction.op == "LOAD_CLEAR" and instruction.arg in names:
                    swapped.add(instruction.arg)
    return swapped


def _follow(graph: Graph, names: Set[str]) -> None:
    """Walk all blocks with what the slots of `names` hold; values that disagree at a join are unknown (None)."""
    code = graph.code
    free = set(code.co_freevars).difference(code.co_cellvars)
    slots: Dict[str, Optional[bool]] = {name: name in free for name in names}
    states: Dict[Block, State] = {graph.blocks[0]: (slots, [])}
    work = [graph.blocks[0]]
    loads: Dict[Instruction, bool] = {}
    while work:
        block = work.pop()
        slots, stack = dict(states[block][0]), list(states[block][1])
        handler = block.handler
        for instruction in block.instructions[:-1]:
            if handler is not None and instruction.op not in _CANNOT_RAISE:
                pushed: List[Optional[bool]] = [False] * (handler.lasti + 1)
                _join(states, work, handler.target, slots, stack[: handler.depth] + pushed)
            _step(instruction, slots, stack, loads)
        last = block.instructions[-1]
        if handler is not None and last.op not in _CANNOT_RAISE:
            _join(states, work, handler.target, slots, stack[: handler.depth] + [False] * (handler.lasti + 1))
        for successor, depth in zip(block.successors, edge_depths(last.op, last.arg, len(stack))):
            _join(states, work, successor, slots, (stack + [False])[:depth])
    for load, is_cell in loads.items():
        if is_cell:
            load.op = "LOAD_CLOSURE"


def _step(
    instruction: Instruction,
    slots: Dict[str, Optional[bool]],
    stack: List[Optional[bool]],
    loads: Dict[Instruction, bool],
) -> None:
    op, arg = instruction.op, instruction.arg
    if op == "COPY":
        stack.append(stack[-arg])
    elif op == "SWAP":
        stack[-1], stack[-arg] = stack[-arg], stack[-1]
    elif op == "LOAD_CLEAR":
        stack.append(slots.get(arg, False))
        slots[arg] = False
    elif op == "STORE_LOCAL":
        slots[arg] = stack.pop()
    elif op == "MAKE_CELL":
        slots[arg] = True
    else:
        if op == "LOAD_LOCAL" and arg in slots:
            loads[instruction] = slots[arg] is True
        pops, pushes = effect_of(op, arg)
        if pops:
            del stack[-pops:]
        stack.extend([False] * pushes)


def _join(
    states: Dict[Block, State],
    work: List[Block],
    target: Block,
    slots: Dict[str, Optional[bool]],
    stack: List[Optional[bool]],
) -> None:
    """Merge into the state at the target's start; what changes only goes from known to unknown, so this ends."""
    old = states.get(target)
    if old is None:
        states[target] = (dict(slots), stack)
        work.append(target)
        return
    changed = False
    for name, value in slots.items():
        if old[0].get(name, value) != value and old[0][name] is not None:
            old[0][name] = None
            changed = True
    for position, value in enumerate(stack):
        if old[1][position] != value and old[1][position] is not None:
            old[1][position] = None
            changed = True
    if changed:
        work.append(target)
