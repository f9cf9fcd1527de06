"""The runner behind `make demo`: makes an environment with PyTorch and shows there what depyf does.

The environment is the one that PyTorch's tests use, under .venvs/torch; the second run finds it ready. Standard
library only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from tools.environments import ROOT, VENVS, SetupError, ensure, ensure_torch
from tools.interpreters import best_by_version, find_all


def main() -> int:
    started = time.time()
    found = find_all()
    if not found:
        print("No CPython 3.8 ... 3.15 was found on the PATH, under pyenv or in DEPYF_PYTHONS.", file=sys.stderr)
        return 1
    print("Setting up (a few minutes the first time, nothing the second) ...", flush=True)
    try:
        python, interpreter, release = ensure_torch(found)
        about = f"PyTorch {release}"
    except SetupError as error:
        print(f"PyTorch could not be set up, so this shows the decompiler alone. {error}", file=sys.stderr)
        newest = max(best_by_version(found).values(), key=lambda i: i.version)
        try:
            python, interpreter, about = ensure("demo", newest, ["flit_core >=3.12,<5"]), newest, "no PyTorch"
        except SetupError as second:
            print(f"The environment for the demo could not be made: {second}", file=sys.stderr)
            return 1
    print(f"CPython {interpreter.full}, {about}; ready after {time.time() - started:.1f} s\n", flush=True)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(VENVS / "cache" / "demo" / "inductor")
    return subprocess.call([str(python), str(ROOT / "tools" / "demo_steps.py")], cwd=str(ROOT), env=environment)


if __name__ == "__main__":
    sys.exit(main())
