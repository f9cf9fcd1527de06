"""Which opcodes are known: for users who want to see that a version is covered."""

from __future__ import annotations

import sys
from typing import List, Optional

from depyf.bytecode import opcodes


def supported_opnames(version: Optional[opcodes.Version] = None) -> List[str]:
    """The names of the opcodes of `version` (the running one by default) that can be lowered."""
    return sorted(opcodes.numbers(version or sys.version_info[:2]))
