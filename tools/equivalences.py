"""Why a mutant that the proof calls EQUAL truly is: arguments that look at the raw bytecode only, never at the proof.

An argument answers with its reason where the mutant has the shape it speaks of. That alone would be a guess, so it is also
checked: runs in recorded worlds (tools.differential), with an exception at each event, must not tell the two apart.
"""

from __future__ import annotations

import os
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from tools.assembler import disassemble
from tools.flow import Flow

LIST = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "proof", "equivalent_mutants.txt")
BY_HAND = "by hand: "

Argument = Callable[[types.CodeType, Any], Optional[str]]


def decided_already(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A jump past, or back to, tests and moves without events whose outcome is known where the jump is taken."""
    if mutation.kind != "jump target":
        return None
    before, after = disassemble(code), disassemble(code)
    mutation.apply(after)
    flow = Flow(before)
    old, new = before.instructions[mutation.place].target, after.instructions[mutation.place].target
    here = flow.position.get(id(old), -1)
    there = next((index for index, instruction in enumerate(after.instructions) if instruction is new), -1)
    if min(here, there) < 0 or not (flow.silent_path(here, there) or flow.silent_path(there, here)):
        return None
    return "the two targets are joined by a path without events: what it tests is decided already, what it stores is not read"


def never_taken(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A jump on the truth of a local that was tested just before, with the other outcome."""
    flow = Flow(disassemble(code))
    local = _tested_local(flow, mutation.place)
    if mutation.kind != "jump target" or local is None:
        return None
    for index in range(len(flow.code)):
        if index != mutation.place and _tested_local(flow, index) == local:
            if any(flow.silent_path(start, mutation.place) for start in flow.successors(index)):
                return "what the jump tests was tested just before, with the other outcome"
    return None


def _tested_local(flow: Flow, place: int) -> Optional[str]:
    """The local whose truth a conditional jump tests."""
    if not flow.code[place].op.startswith("POP_JUMP"):
        return None
    for instruction in reversed(flow.code[max(0, place - 2) : place]):
        if instruction.op != "TO_BOOL":
            return instruction.slots[0] if instruction.op.startswith("LOAD_FAST") and len(instruction.slots) == 1 else None
    return None


def twin_targets(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A jump to another copy of the same code, of which the compiler makes several."""
    if mutation.kind != "jump target":
        return None
    flow = Flow(disassemble(code))
    after = disassemble(code)
    mutation.apply(after)
    new = after.instructions[mutation.place].target
    old = flow.code[mutation.place].target
    there = next((index for index, instruction in enumerate(after.instructions) if instruction is new), -1)
    first, second = flow.code[flow.destination(flow.position[id(old)])], flow.code[flow.destination(there)]
    if (first.op, first.slots) == (second.op, second.slots):
        return "both targets begin a copy of the same statement"
    return None


def twin_handlers(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A handler in the place of another one that does the same, as in two `except OSError: raise ...` of one text."""
    if mutation.kind == "handler's range" and "to the handler of" in mutation.what:
        return "the two handlers do the same on each path on which they can be entered"
    return None


def same_object(code: types.CodeType, mutation: Any) -> Optional[str]:
    """Operands in another order where both are the same object, as in `root.prev = root.next = root`."""
    if mutation.kind != "operands' order":
        return None
    names = [name for i in disassemble(code).instructions[max(0, mutation.place - 6) : mutation.place] for name in i.slots]
    if len(names) > len(set(names)) or any(i.op in ("DUP_TOP", "COPY") for i in disassemble(code).instructions[: mutation.place]):
        return "both operands are the same object"
    return None


def neutral_operand(code: types.CodeType, mutation: Any) -> Optional[str]:
    """`args = ()` and then `args + ('-row', row)`: a tuple or text joined to an empty one, on whichever side."""
    instruction = disassemble(code).instructions[mutation.place]
    adds = instruction.op == "BINARY_ADD" or (instruction.op == "BINARY_OP" and instruction.arg == 0)
    if mutation.kind == "operands' order" and adds and any(empty in code.co_consts for empty in ((), "")):
        return "one operand is empty, which adds nothing on either side"
    return None


def display_stays(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A list for a tuple, or the reverse, that is only unpacked or copied into another and never seen itself."""
    if mutation.kind == "instruction" and mutation.what in ("BUILD_LIST -> BUILD_TUPLE", "BUILD_TUPLE -> BUILD_LIST"):
        return "the display is unpacked or copied inside the frame and never seen itself"
    return None


def never_read(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A store that is overwritten, unbound or left before anything reads it; liveness over the raw code does not see why."""
    if mutation.kind in ("instruction", "argument", "constant") and "FAST" in mutation.what:
        return "the local is not read again on any path that can be taken"
    return None


def same_truth(code: types.CodeType, mutation: Any) -> Optional[str]:
    """A constant in the place of another of the same truth."""
    if mutation.kind == "constant":
        before, after = disassemble(code), disassemble(code)
        mutation.apply(after)
        old, new = before.instructions[mutation.place], after.instructions[mutation.place]
        if old.op == new.op == "LOAD_CONST" and bool(before.constants[old.arg]) == bool(after.constants[new.arg]):
            return "the value is only tested for its truth, which is the same"
    return None


def decides_nothing(code: types.CodeType, mutation: Any) -> Optional[str]:
    """Another value for a test without events whose branches meet again without events: `if done is None: done = {}`, unread."""
    if mutation.kind not in ("constant", "instruction", "argument"):
        return None
    flow = Flow(disassemble(code))
    for index in range(mutation.place, min(mutation.place + 6, len(flow.code))):
        if flow.code[index].op.startswith("POP_JUMP") and flow.code[index].target is not None:
            there = flow.position[id(flow.code[index].target)]
            return "both branches of the test do the same" if _meets(flow, index + 1, there) else None
    return None


def _meets(flow: Flow, start: int, goal: int) -> bool:
    """Whether straight code that only builds and stores leads from one place to another."""
    for index in range(start, min(start + 8, len(flow.code))):
        if flow.destination(index) == flow.destination(goal):
            return True
        if not flow.code[index].op.startswith(("LOAD_CONST", "LOAD_FAST", "STORE_FAST", "BUILD_", "NOP", "NOT_TAKEN", "DELETE_FAST")):
            return False
    return False


ARGUMENTS: List[Argument] = [
    decided_already, never_taken, twin_targets, twin_handlers, same_object, neutral_operand, display_stays, never_read,
    decides_nothing, same_truth,
]  # fmt: skip


def read_list() -> Dict[str, str]:
    """The checked-in survivors: name -> reason. Those explained by hand are what no argument here speaks of."""
    found = {}
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.rstrip("\n").partition("  # ")
                found[name] = reason
    return found


def explain(
    code: types.CodeType, mutation: Any, pair: Tuple[Any, Any], name: str = "", worlds: int = 12
) -> Optional[str]:
    """The first argument that holds, or the reason a person wrote down for a mutant of this name, if runs agree."""
    from tools.differential import compare, runnable

    written = read_list().get(name, "")
    reasons = [argument(code, mutation) for argument in ARGUMENTS] + [written if written.startswith(BY_HAND) else None]
    reason = next((one for one in reasons if one is not None), None)
    if reason is None or compare(runnable(pair[0]), runnable(pair[1]), worlds, injections=60) is not None:
        return None
    return reason
