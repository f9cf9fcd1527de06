"""Why a mutant that the proof calls EQUAL truly is: arguments that look at the raw bytecode only, never at the proof.

Each argument is a function of the original code and the mutation; it answers with its reason where it holds.
"""

from __future__ import annotations

import types
from typing import Any, Callable, List, Optional

Argument = Callable[[types.CodeType, Any], Optional[str]]

ARGUMENTS: List[Argument] = []


def explain(code: types.CodeType, mutation: Any) -> Optional[str]:
    """The first argument that holds, or None."""
    for argument in ARGUMENTS:
        reason = argument(code, mutation)
        if reason is not None:
            return reason
    return None
