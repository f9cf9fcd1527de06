"""An environment with PyTorch and without CUDA packages of its own, for `make matrix --cuda-from`.

On the CPU, PyTorch needs its CUDA libraries only in order to be imported, and they are most of what there is to install. So
those of another environment are linked: any of the same major version that it imports with.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List, Sequence

from tools import environments
from tools.environments import LOGS, ROOT, VENVS, SetupError
from tools.interpreters import Interpreter

_CUDA = re.compile(r"(nvidia|cuda|triton|pytorch-triton)\b")


def own_requirements(metadata: str) -> List[str]:
    """What a release of PyTorch requires, without CUDA packages and without extras, from the METADATA of its wheel."""
    lines = [line.partition(":")[2].strip() for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    return [line for line in lines if not _CUDA.match(line) and not re.search(r"\bextra\s*==", line)]


def ensure(name: str, interpreter: Interpreter, release: str, extras: Sequence[str], lenders: Sequence[Path]) -> Path:
    """The Python of the environment `name`. A SetupError if PyTorch imports with none of the lenders' libraries."""
    folder, stamp = VENVS / name, VENVS / name / "depyf-lean.json"
    wanted = json.dumps([interpreter.path, interpreter.full, release, list(extras)])
    python = environments._python_of(folder)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted and _imports(python):
        return python
    LOGS.mkdir(parents=True, exist_ok=True)
    log_path = LOGS / f"setup-{name}.log"
    with open(str(log_path), "w", encoding="utf-8") as log:
        pip = environments._create(folder, interpreter, False, log)
        install = [*pip, "install", *environments._PIP_OPTIONS]
        if not environments._run([*install, "--no-deps", f"torch =={release}"], log):
            raise SetupError(f"pip could not install torch {release}; see {log_path}")
        site = next(folder.glob("**/site-packages"))
        needs = own_requirements(next(site.glob("torch-*.dist-info/METADATA")).read_text(encoding="utf-8"))
        if not environments._run([*install, *needs, *extras], log):
            raise SetupError(f"pip could not install {', '.join([*needs, *extras])}; see {log_path}")
    if not _imports(python) and not any(_borrow(python, site, lender) for lender in lenders):
        shutil.rmtree(str(folder), ignore_errors=True)
        raise SetupError(f"torch {release} imports with none of the CUDA libraries given")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _borrow(python: Path, site: Path, lender: Path) -> bool:
    """Link the lender's libraries, if there are any, and see whether PyTorch imports with them."""
    for nvidia in sorted(lender.glob("**/site-packages/nvidia")):
        # 2.6 and 2.7 look for one of them beside the others' folder
        for name, place in (("nvidia", nvidia), ("cusparselt", nvidia / "cusparselt")):
            link = site / name
            if link.is_symlink():
                link.unlink()
            if not link.exists() and place.exists():
                link.symlink_to(place.resolve(), target_is_directory=True)
        if _imports(python):
            return True
    return False


def _imports(python: Path) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [str(python), "-c", "import torch"]
    return python.exists() and subprocess.run(command, capture_output=True, env=environment).returncode == 0
