"""The decompiler: prepare -> lift -> structure -> passes -> emit. `pipeline` is the table of contents, `interface` what users call."""

from __future__ import annotations

from depyf.errors import DecompilationError

from .interface import Decompiler, decompile

__all__ = ["DecompilationError", "Decompiler", "decompile"]
