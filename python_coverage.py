"""Print which opcodes of the running CPython the decompiler supports: `python python_coverage.py`.

Exit status 1 if any is missing, so that it can serve as a check on a new Python.
"""

from __future__ import annotations

import dis
import sys
from typing import List

from depyf import Decompiler

# never in the co_code of a function: cache space, the interpreter's own entry and exit, and what it writes over an
# instruction while it runs
_NEVER_IN_CODE = frozenset({"CACHE", "RESERVED", "INTERPRETER_EXIT", "EXIT_INIT_CHECK", "ENTER_EXECUTOR", "TRACE_RECORD"})
_PSEUDO = 256  # from here on: what the compiler resolves before there is a code object


def opcodes_in_code() -> List[str]:
    """The opcodes that co_code of the running version can hold."""
    return sorted(
        name
        for name, number in dis.opmap.items()
        if number < _PSEUDO and name not in _NEVER_IN_CODE and not name.startswith("INSTRUMENTED_")
    )


def main() -> int:
    supported = set(Decompiler.supported_opnames())
    opcodes = opcodes_in_code()
    missing = [name for name in opcodes if name not in supported]
    for name in opcodes:
        print(f"{name:35} {'supported' if name in supported else 'NOT SUPPORTED'}")
    share = 100.0 * (len(opcodes) - len(missing)) / len(opcodes)
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"CPython {version}: {len(opcodes) - len(missing)} of {len(opcodes)} opcodes supported ({share:.1f} %)")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
