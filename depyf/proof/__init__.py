"""The proof that two code objects behave the same: `verify(a, b)`."""

from __future__ import annotations

from depyf.proof.prove import verify
from depyf.proof.verdict import DIFFERENT, EQUAL, UNKNOWN, Verdict

__all__ = ["DIFFERENT", "EQUAL", "UNKNOWN", "Verdict", "verify"]
