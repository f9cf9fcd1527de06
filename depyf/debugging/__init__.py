"""Stepping through compiled code: `depyf.debug()`, `depyf.vscode()`. Importing this imports no torch."""

from __future__ import annotations

from depyf.debugging.launch import vscode
from depyf.debugging.stepping import debug
from depyf.debugging.watching import BadValueFound

__all__ = ["BadValueFound", "debug", "vscode"]
