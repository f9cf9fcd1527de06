"""The seam to the decompiler: the source of one code object, what the proof says of it, and code that can stand in for it.

Never raises. Where the decompiler is missing, refuses, or proves nothing, the text is the disassembly in comments, which
is valid Python, and there is no code to put in place of the original.
"""

from __future__ import annotations

import dis
import inspect
import sys
from types import CodeType
from typing import Any, List, NamedTuple, Optional

from depyf import compatibility
from depyf.inspector.origins import with_origins


class Source(NamedTuple):
    """`code` is there only when it was proven EQUAL and its lines are those of `text`, counted from 1."""

    text: str
    status: str
    reason: str
    code: Optional[CodeType]


def linked_source(code: CodeType, name: str, path: str) -> Source:
    """Source of transformed code as a function called `name`, with code compiled from that very text; plainly if need be."""
    readable = _linked_source(code, name, path, False)
    if readable.code is not None:
        return readable
    plain = _linked_source(code, name, path, True)
    return readable if plain.code is None else plain


def _linked_source(code: CodeType, name: str, path: str, plain: bool) -> Source:
    try:
        from depyf.decompiler import Decompiler
        from depyf.decompiler.recompiling.recompile import made_like
        from depyf.proof import verify

        decompiler = Decompiler(code)
        # PyTorch 2.7 copies each argument of a graph to a local of its own
        text = decompiler.decompile(overwite_fn_name=name, drop_unread=True, plain=plain)
    except Exception as error:
        return Source(commented_disassembly(code, name), "UNKNOWN", _reason(error), None)
    shown = _with_origins(decompiler, text)
    try:
        replacement = _with_locals_of(code, made_like(decompiler.compile(path), code, path))
        verdict = verify(code, replacement)
    except Exception as error:
        return Source(shown, "UNKNOWN", _reason(error), None)
    mismatch = "" if not verdict else _mismatch(code, replacement)
    if not verdict or mismatch:
        return Source(shown, str(verdict.status), mismatch or str(verdict.reason), None)
    return Source(shown, "EQUAL", "", replacement)


def _with_origins(decompiler: Any, text: str) -> str:
    try:
        return with_origins(text, decompiler.code, decompiler.line_map)
    except Exception:  # comments that are missing harm nobody
        return text


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _with_locals_of(code: CodeType, other: CodeType) -> CodeType:
    """Early PyTorch copies a frame's locals by name, and fails on names that the code which stands in does not have.

    Since 3.11 cells stand behind the locals in one table, so that adding locals moves them. A resume function may have a local
    beside a free variable of the same name. What comes out is proven, not trusted.
    """
    missing = _missing_locals(code, other)
    if not missing:
        return other
    names = (*other.co_varnames, *missing)
    if not (other.co_cellvars or other.co_freevars) or sys.version_info < (3, 11):
        return other.replace(co_varnames=names, co_nlocals=len(names))
    moved = _with_moved_cells(other, len(missing))
    return other if moved is None else other.replace(co_varnames=names, co_nlocals=len(names), co_code=moved)


def _missing_locals(code: CodeType, other: CodeType) -> List[str]:
    return [name for name in code.co_varnames if name not in (*other.co_varnames, *other.co_cellvars)]


def _with_moved_cells(code: CodeType, by: int) -> Optional[bytes]:
    """The instructions where cells stand `by` places further behind; None where an argument would not fit (3.11+)."""
    one_place, found, high = {*dis.haslocal, *dis.hasfree}, bytearray(code.co_code), 0
    for index in range(0, len(found), 2):
        opcode, argument = found[index], high << 8 | found[index + 1]
        high = argument if opcode == dis.EXTENDED_ARG else 0
        if opcode not in one_place:
            continue
        if dis.opname[opcode].count("_FAST") > 1:  # two places of four bits each
            if max(argument >> 4, argument & 15) >= code.co_nlocals:
                return None
        elif argument >= code.co_nlocals:
            moved = argument + by
            if moved > (255 if argument < 256 else 65535):
                return None
            found[index + 1] = moved & 255
            if argument > 255:  # the byte above stands in the EXTENDED_ARG right before
                found[index - 1] = moved >> 8
    return bytes(found)


def _mismatch(code: CodeType, other: CodeType) -> str:
    """What Dynamo would refuse in code that stands in for its own: it raises into the compilation if these differ."""
    for name in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars", "co_cellvars", "co_name"):
        if getattr(code, name) != getattr(other, name):
            return f"the recompiled code has another {name}: {getattr(other, name)!r}, not {getattr(code, name)!r}"
    star = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if (code.co_flags ^ other.co_flags) & star:
        return "the recompiled code takes other star arguments"
    count = code.co_argcount + code.co_kwonlyargcount + bin(code.co_flags & star).count("1")
    if code.co_varnames[:count] != other.co_varnames[:count]:
        return f"the recompiled code has other parameters: {other.co_varnames[:count]}"
    missing = _missing_locals(code, other)
    if missing and compatibility.frame_needs_all_locals():
        return f"the recompiled code lacks locals that this PyTorch copies: {', '.join(missing)}"
    return ""


def readable_source(code: CodeType, name: Optional[str] = None) -> str:
    """Source of any code object for reading, nothing proven."""
    try:
        from depyf.decompiler import Decompiler

        return Decompiler(code).decompile(overwite_fn_name=name)
    except Exception as error:
        return (
            f"# {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}\n"
            + commented_disassembly(code, name or code.co_name)
        )


class _Shown:
    """Stands for a constant whose own representation may be long, slow, or the user's code."""

    def __init__(self, value: object) -> None:
        self._text = f"<{type(value).__name__}>"

    def __repr__(self) -> str:
        return self._text


def commented_disassembly(code: CodeType, name: str) -> str:
    """The bytecode as comments. Constants are spelled out only where that is short and runs no code of the user's."""
    simple = (int, float, complex, bool, str, bytes, type(None), type(...))
    shown = code.replace(co_consts=tuple(c if type(c) in simple else _Shown(c) for c in code.co_consts))
    lines = [f"# disassembly of {name}, which could not be decompiled:"]
    for instruction in dis.get_instructions(shown):
        target = ">>" if instruction.is_jump_target else "  "
        argument = instruction.argrepr if instruction.arg is not None else ""
        argument = argument if len(argument) <= 100 else argument[:97] + "..."
        lines.append(f"# {target} {instruction.offset:5} {instruction.opname:30} {argument}".rstrip())
    return "\n".join(lines) + "\n"


def moved_down(code: CodeType, lines: int, path: str) -> CodeType:
    """The same code, its own and its nested lines counted from `lines` further down in the file at `path`.

    All of CPython's line tables are relative to the first line, so that is the only thing that moves. Code objects that PyTorch
    uses as values come from other files, and stay what they are.
    """
    constants = tuple(
        moved_down(c, lines, path) if isinstance(c, CodeType) and c.co_filename == path else c for c in code.co_consts
    )
    return code.replace(co_firstlineno=code.co_firstlineno + lines, co_filename=path, co_consts=constants)
