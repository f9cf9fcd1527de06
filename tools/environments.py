"""Virtual environments under .venvs/, made when first needed and kept while what they were made from stays the same.

Works with interpreters that lack ensurepip (some distributions take it out): pip of the base interpreter, or of any
other one, installs into the environment then. Standard library only; everything pip says goes to the log.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, List, Optional, Sequence, Tuple

from tools.interpreters import Interpreter

ROOT = Path(__file__).resolve().parent.parent
VENVS = ROOT / ".venvs"
LOGS = VENVS / "logs"

# pip picks the newest release that the interpreter at hand can run (3.8 gets pytest 8.3, 3.15 gets 9.x)
TEST_REQUIREMENTS = ["pytest >=8.3,<10", "hypothesis >=6.100,<7", "flit_core >=3.12,<5"]
# exact: a new release of a linter must not turn a green tree red
RUFF = "ruff ==0.17.4"
CHECK_REQUIREMENTS = [RUFF, "mypy ==2.4.1", "flit_core >=3.12,<5"]
# ruff for the dumps that the tests write
TORCH_EXTRAS = ["dill", "debugpy", "numpy", RUFF]
# the models of the gauntlet; torchvision asks for the very PyTorch it was built with, and its Python code does without
GAUNTLET_REQUIREMENTS = ["torch ==2.13.0", "transformers ==5.22.0", "timm ==1.0.30", "dill", "numpy", "pillow", "flit_core >=3.12,<5"]
GAUNTLET_WITHOUT_DEPENDENCIES = ["torchvision ==0.28.0"]
TORCH_CHOICES = ["torch ==2.13.0", "torch"]
# the order in which a Python is tried for PyTorch: widest choice of wheels first
TORCH_PYTHONS = [(3, 11), (3, 12), (3, 10), (3, 13), (3, 14), (3, 9), (3, 15), (3, 8)]

_PIP_OPTIONS = ["--disable-pip-version-check", "--no-input", "-q"]


class SetupError(Exception):
    """An environment could not be made; the message says which step failed and where its output is."""


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: Sequence[str], log: IO[str]) -> bool:
    log.write("$ {}\n".format(" ".join(command)))
    log.flush()
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=str(ROOT)).returncode == 0


def _project_metadata() -> str:
    """The part of pyproject.toml that an installed package depends on."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return text.split("\n[tool.", 1)[0]


def _pip_for(folder: Path, interpreter: Interpreter, log: IO[str]) -> List[str]:
    """A command that installs into the environment."""
    python = str(_python_of(folder))
    if _run([python, "-m", "pip", "--version"], log):
        return [python, "-m", "pip"]
    for base in (interpreter.path, sys.executable):
        if _run([base, "-m", "pip", "--python", python, "--version"], log):
            return [base, "-m", "pip", "--python", python]
    raise SetupError(f"no pip for Python {interpreter.full} ({interpreter.path}): install its ensurepip or pip")


def _create(folder: Path, interpreter: Interpreter, site_packages: bool, log: IO[str]) -> List[str]:
    """Make the bare environment; returns the pip command for it."""
    shutil.rmtree(str(folder), ignore_errors=True)
    options = ["--system-site-packages"] if site_packages else []
    if not _run([interpreter.path, "-m", "venv", *options, str(folder)], log):
        shutil.rmtree(str(folder), ignore_errors=True)
        if not _run([interpreter.path, "-m", "venv", "--without-pip", *options, str(folder)], log):
            raise SetupError(f"python -m venv failed for Python {interpreter.full} ({interpreter.path})")
    if site_packages and interpreter.is_venv:
        # --system-site-packages reaches the base interpreter's packages only, not those of the venv it is made from
        target = next(folder.glob("**/site-packages"))
        (target / "outer-venv.pth").write_text(interpreter.purelib + "\n", encoding="utf-8")
    return _pip_for(folder, interpreter, log)


def ensure(
    name: str,
    interpreter: Interpreter,
    requirements: Sequence[str],
    site_packages: bool = False,
    alternatives: Sequence[str] = (),
    without_dependencies: Sequence[str] = (),
) -> Path:
    """The Python of the environment `name`, made or made anew where needed, with the package installed editable.

    alternatives: requirements of which the first that installs is taken.
    without_dependencies: requirements whose own requirements are not installed.
    """
    folder, stamp = VENVS / name, VENVS / name / "depyf-stamp.json"
    wanted = json.dumps(
        [interpreter.path, interpreter.full, site_packages, list(requirements), list(alternatives), str(ROOT)]
        + [_project_metadata(), *without_dependencies]
    )
    python = _python_of(folder)
    if stamp.is_file() and python.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    LOGS.mkdir(parents=True, exist_ok=True)
    log_path = LOGS / f"setup-{name}.log"
    with open(str(log_path), "w", encoding="utf-8") as log:
        started = time.time()
        pip = _create(folder, interpreter, site_packages, log)
        install = [*pip, "install", *_PIP_OPTIONS]
        if alternatives and not any(_run([*install, choice], log) for choice in alternatives):
            raise SetupError(f"pip could not install any of {', '.join(alternatives)}; see {log_path}")
        if not _run([*install, *requirements], log):
            raise SetupError(f"pip could not install {', '.join(requirements)}; see {log_path}")
        if without_dependencies and not _run([*install, "--no-deps", *without_dependencies], log):
            raise SetupError(f"pip could not install {', '.join(without_dependencies)}; see {log_path}")
        if not _run([*install, "--no-build-isolation", "--no-deps", "-e", str(ROOT)], log):
            raise SetupError(f"the package itself could not be installed; see {log_path}")
        log.write(f"ready after {time.time() - started:.1f} s\n")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def ensure_tests(interpreter: Interpreter) -> Path:
    """The environment for the tests that need no PyTorch."""
    return ensure(f"py{interpreter.short}", interpreter, TEST_REQUIREMENTS)


def ensure_checks(found: Sequence[Interpreter]) -> Path:
    """The environment for lint and types, under a Python that current linters run on."""
    modern = [i for i in found if i.minor in ((3, 11), (3, 12), (3, 13), (3, 14))]
    if not modern:
        raise SetupError("ruff and mypy need one of CPython 3.11 ... 3.14, and none was found")
    return ensure("checks", max(modern, key=lambda i: i.has_pip), CHECK_REQUIREMENTS)


def ensure_torch(found: Sequence[Interpreter]) -> Tuple[Path, Interpreter, str]:
    """The environment for what needs PyTorch: (its python, the interpreter it stands on, the release of PyTorch).

    A PyTorch that is installed already is used as it is; otherwise one is installed for the first Python it can be
    installed for.
    """
    requirements = TEST_REQUIREMENTS + TORCH_EXTRAS
    order = sorted(found, key=lambda i: TORCH_PYTHONS.index(i.minor))
    problem: Optional[SetupError] = None
    for interpreter in [i for i in order if i.has_torch]:
        try:
            python = ensure("torch", interpreter, requirements, site_packages=True)
            return python, interpreter, torch_release(python)
        except SetupError as error:
            problem = error
    for interpreter in [i for i in order if not i.has_torch]:
        try:
            python = ensure("torch", interpreter, requirements, alternatives=TORCH_CHOICES)
            return python, interpreter, torch_release(python)
        except SetupError as error:
            problem = error
    raise problem or SetupError("no interpreter that PyTorch could be installed for")


def ensure_gauntlet(found: Sequence[Interpreter]) -> Path:
    """The environment for the gauntlet: PyTorch and the libraries of models."""
    order = sorted((i for i in found if i.minor in ((3, 11), (3, 12), (3, 13), (3, 10))), key=lambda i: TORCH_PYTHONS.index(i.minor))
    problem = SetupError("the gauntlet needs one of CPython 3.10 ... 3.13, and none was found")
    for interpreter in order:
        try:
            return ensure(
                "gauntlet", interpreter, GAUNTLET_REQUIREMENTS, without_dependencies=GAUNTLET_WITHOUT_DEPENDENCIES
            )
        except SetupError as error:
            problem = error
    raise problem


def torch_release(python: Path) -> str:
    """The release of the environment's PyTorch; the first time it is also made sure that it imports."""
    proof_of_import = python.parent.parent / "torch-imports"
    code = "from importlib.metadata import version; print(version('torch'))"
    done = subprocess.run(
        [str(python), "-c", code if proof_of_import.exists() else f"import torch; {code}"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SetupError("PyTorch is installed but does not import: " + done.stderr.strip().splitlines()[-1])
    proof_of_import.touch()
    return done.stdout.strip()
