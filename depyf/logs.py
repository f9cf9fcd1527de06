"""depyf.install() and depyf.uninstall(): with TORCH_LOGS="+bytecode", PyTorch's log shows source under its bytecode.

A filter on PyTorch's own bytecode logger extends the records ORIGINAL BYTECODE and MODIFIED BYTECODE by the decompiled
source and what the proof says of it. Costs nothing while that log is off, and never raises into a compilation.
"""

from __future__ import annotations

import logging
import sys
from types import CodeType, FrameType
from typing import Optional

_PREFIXES = ("ORIGINAL BYTECODE", "MODIFIED BYTECODE")


def install() -> None:
    """Show decompiled source in PyTorch's bytecode log. Calling it again changes nothing."""
    logger = _bytecode_logger()
    if not any(isinstance(known, _SourceFilter) for known in logger.filters):
        logger.addFilter(_SourceFilter())


def uninstall() -> None:
    """Undo `install`, if it was called."""
    logger = _bytecode_logger()
    for known in list(logger.filters):
        if isinstance(known, _SourceFilter):
            logger.removeFilter(known)


def _bytecode_logger() -> logging.Logger:
    from torch._dynamo import convert_frame

    logger: logging.Logger = convert_frame.bytecode_log
    return logger


class _SourceFilter(logging.Filter):
    """Lets every record pass; those that show a code object say its source too."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            text = record.getMessage()
            if text.startswith(_PREFIXES):
                code = _code_being_logged()
                if code is not None:
                    record.msg, record.args = f"{text.rstrip()}\n{source_of(code)}\n", None
        except Exception as error:  # a log line is no reason to fail a compilation
            record.msg = f"{record.msg}\npossible source code: not shown, since {type(error).__name__}: {error}"
        return True


def source_of(code: CodeType) -> str:
    """'possible source code:', the verdict, and the source of a code object; or the reason why there is none."""
    from depyf.decompiler import Decompiler
    from depyf.errors import DecompilationError

    decompiler = Decompiler(code)
    try:
        text = decompiler.decompile(verify=True)
    except DecompilationError as error:
        return f"possible source code: none, since {error}"
    verdict = decompiler.verdict
    said = "EQUAL: the source is proven to do what the bytecode does" if verdict else str(verdict).splitlines()[0]
    return f"possible source code:\n# verdict: {said}\n{text.rstrip()}"


def _code_being_logged() -> Optional[CodeType]:
    """The code object that the record shows: an argument of Dynamo's log_bytecode, which is logging just now (2.2+)."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "log_bytecode" and frame.f_globals.get("__name__") == "torch._dynamo.convert_frame":
            code = frame.f_locals.get("code")
            return code if isinstance(code, CodeType) else None
        frame = frame.f_back
    return None
