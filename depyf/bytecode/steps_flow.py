"""Lowering functions for control: jumps, loops, returns, generators, with statements, exceptions; and for the stack.

Each takes the builder, the raw instruction's index and its argument; what depends on the version is bound beforehand.
"""

from __future__ import annotations

from typing import Callable

from depyf.bytecode.builder import Builder

Step = Callable[[Builder, int, int], None]

_CO_ASYNC_GENERATOR = 0x200
_ASYNC_GEN_WRAP = 4  # the intrinsic function
_SPECIAL_METHODS = ("__enter__", "__exit__", "__aenter__", "__aexit__")


def jump(b: Builder, index: int, arg: int) -> None:
    b.end("JUMP", None, index, (b.raw.targets[index],))


def pop_jump(jump_if: bool) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.test(index)
        b.branch(index, jump_if)

    return step


def pop_jump_none(jump_if: bool) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.emit("CONST", None, index)
        b.emit("IS", False, index)
        b.branch(index, jump_if)

    return step


def jump_or_pop(jump_if: bool) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.emit("COPY", 1, index)
        b.emit("TRUTH", None, index)
        b.branch_here(index, jump_if)
        b.emit("POP", None, index)

    return step


def for_iter(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.end("NEXT", (slots, b.loop_exits.get(index, True)), index, (None, b.raw.targets[index]))

    return step


def return_value(b: Builder, index: int, arg: int) -> None:
    b.end("RETURN", None, index)


def return_const(b: Builder, index: int, arg: int) -> None:
    b.emit("CONST", b.look("consts", arg, index), index)
    b.end("RETURN", None, index)


def raise_varargs(b: Builder, index: int, arg: int) -> None:
    if arg > 2:
        raise b.raw.error(f"raise of {arg} values", index)
    b.end("RAISE", arg, index)


def reraise(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.end("RERAISE", (slots, bool(arg)), index)

    return step


def end_async_for(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.end("END_ASYNC_FOR", slots, index, (None,))

    return step


def copy(b: Builder, index: int, arg: int) -> None:
    if arg < 1:
        raise b.raw.error("copy of slot 0", index)
    b.emit("COPY", arg, index)


def swap(b: Builder, index: int, arg: int) -> None:
    if arg < 2:
        raise b.raw.error(f"swap with slot {arg}", index)
    b.emit("SWAP", arg, index)


def return_generator(b: Builder, index: int, arg: int) -> None:
    """The None that resumes the generator is pushed here and popped by the next instruction, which `folds` absorbs."""
    b.emit("GENERATOR", b.leaks, index)


def yield_value(b: Builder, index: int, arg: int) -> None:
    """An asynchronous generator wraps what it yields (3.11+); that is part of yielding, so it must not be missing."""
    raw = b.raw
    before = raw.name(index - 1) if index else ""
    wrapped = before == "ASYNC_GEN_WRAP" or (before == "CALL_INTRINSIC_1" and raw.args[index - 1] == _ASYNC_GEN_WRAP)
    if wrapped != bool(raw.code.co_flags & _CO_ASYNC_GENERATOR):
        b.refuse("only what asynchronous generators yield is wrapped", index)
        return
    b.emit("YIELD", None, index)


def send(slots: int) -> Step:
    """`folds` has removed the rest of the loop; the target is where it ends."""

    def step(b: Builder, index: int, arg: int) -> None:
        if index not in b.sends:
            b.refuse("SEND without the loop around it", index)
            return
        b.emit("YIELD_FROM", slots, index)
        b.end("JUMP", None, index, (b.raw.targets[index],))

    return step


def end_send(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        for n in range(2, 2 + slots):
            b.emit("SWAP", n, index)
        for _ in range(slots):
            b.emit("POP", None, index)

    return step


def get_iter_flags(b: Builder, index: int, arg: int) -> None:
    """3.15: one opcode for all ways to get an iterator, which takes two slots of the stack."""
    if arg not in (0, 3):
        raise b.raw.error(f"unknown kind of iteration {arg}", index)
    b.emit("YIELD_FROM_ITER" if arg else "ITER", 2, index)


def pop_iter(b: Builder, index: int, arg: int) -> None:
    b.emit("POP", None, index)
    b.emit("POP", None, index)


def load_special(b: Builder, index: int, arg: int) -> None:
    """The first of the with statement's two; `folds` has marked those that are part of an ENTER."""
    if arg >= len(_SPECIAL_METHODS):
        raise b.raw.error(f"unknown special method {arg}", index)
    b.emit("LOAD_SPECIAL", _SPECIAL_METHODS[arg], index)


def cleanup_throw(b: Builder, index: int, arg: int) -> None:
    b.refuse("CLEANUP_THROW outside of a SEND loop", index)


def check_exc_match(b: Builder, index: int, arg: int) -> None:
    b.emit("COPY", 2, index)
    b.emit("SWAP", 2, index)
    b.emit("EXC_MATCH", None, index)
