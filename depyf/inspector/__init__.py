"""The inspector for torch.compile: records what the compiler did and writes it down as files that read like a book.

Importing this imports no torch; entering `prepare_debug` does.
"""

from __future__ import annotations

from depyf.inspector.prepare import prepare_debug

__all__ = ["prepare_debug"]
