"""Run Python in one of the project's environments: python -m tools.in_environment (checks | torch | gauntlet | 3.x | any) ARGUMENT...

Makes the environment first where needed. `any` is the newest Python found. Standard library only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.environments import ROOT, SetupError, ensure_checks, ensure_gauntlet, ensure_tests, ensure_torch
from tools.interpreters import best_by_version, find_all, parse_minor


def environment_python(name: str) -> Path:
    found = find_all()
    best = best_by_version(found)
    if not best:
        raise SetupError("no CPython 3.8 ... 3.15 was found")
    if name == "checks":
        return ensure_checks(found)
    if name == "torch":
        return ensure_torch(found)[0]
    if name == "gauntlet":
        return ensure_gauntlet(found)
    minor = max(best) if name == "any" else parse_minor(name)
    if minor not in best:
        raise SetupError(f"no CPython {name} was found; name one in DEPYF_PYTHONS")
    return ensure_tests(best[minor])


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        python = environment_python(sys.argv[1])
    except SetupError as error:
        print(f"cannot set up '{sys.argv[1]}': {error}", file=sys.stderr)
        return 1
    return subprocess.call([str(python), *sys.argv[2:]], cwd=str(ROOT), env={**os.environ, "PYTHONPATH": str(ROOT)})


if __name__ == "__main__":
    sys.exit(main())
