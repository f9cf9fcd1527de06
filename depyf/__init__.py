"""depyf: Python source from CPython bytecode, proven equal to it; and a view into torch.compile.

The public names are loaded when they are first used (PEP 562), so that `import depyf` stays cheap and never
imports torch.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as type checkers know it; `typing` alone would cost more than all of this module

if TYPE_CHECKING:
    from typing import Any, List

    from depyf.debugging import debug, vscode
    from depyf.decompiler import Decompiler, decompile
    from depyf.errors import DecompilationError
    from depyf.inspector import prepare_debug
    from depyf.logs import install, uninstall
    from depyf.proof import Verdict, verify

__version__ = "1.0.0.dev0"

__all__ = [
    "DecompilationError",
    "Decompiler",
    "Verdict",
    "__version__",
    "debug",
    "decompile",
    "install",
    "prepare_debug",
    "uninstall",
    "verify",
    "vscode",
]

# public name -> the module that defines it
_HOME = {
    "DecompilationError": "depyf.errors",
    "Decompiler": "depyf.decompiler",
    "Verdict": "depyf.proof",
    "debug": "depyf.debugging",
    "decompile": "depyf.decompiler",
    "install": "depyf.logs",
    "prepare_debug": "depyf.inspector",
    "uninstall": "depyf.logs",
    "verify": "depyf.proof",
    "vscode": "depyf.debugging",
}

# submodules that users reach as attributes after a plain `import depyf`
_SUBMODULES = frozenset({"decompiler", "errors", "explain", "optimization", "proof", "utils"})


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"depyf.{name}")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'depyf' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__) | _SUBMODULES)
