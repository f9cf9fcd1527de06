"""Find the CPython interpreters of this machine: named in DEPYF_PYTHONS, on the PATH, or under pyenv.

Runs on any Python 3.8+ with the standard library only. What a candidate is gets asked of the candidate itself;
one that does not start or is not a CPython of a supported version is left out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

SUPPORTED: Tuple[Tuple[int, int], ...] = tuple((3, minor) for minor in range(8, 16))

_PROBE = """
import importlib.util, json, sys, sysconfig
have = lambda name: importlib.util.find_spec(name) is not None
print(json.dumps({
    "implementation": sys.implementation.name, "version": sys.version_info[:3], "executable": sys.executable,
    "venv": sys.prefix != sys.base_prefix, "purelib": sysconfig.get_paths()["purelib"],
    "pip": have("ensurepip") or have("pip"), "tests": have("test.support"), "torch": have("torch"),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """One CPython that can be started."""

    path: str
    version: Tuple[int, int, int]
    source: str  # where it was found: DEPYF_PYTHONS, PATH or pyenv
    is_venv: bool
    purelib: str
    has_pip: bool
    has_stdlib_tests: bool
    has_torch: bool

    @property
    def minor(self) -> Tuple[int, int]:
        return self.version[:2]

    @property
    def short(self) -> str:
        return "{}.{}".format(*self.minor)

    @property
    def full(self) -> str:
        return ".".join(map(str, self.version))


def parse_minor(text: str) -> Tuple[int, int]:
    """'3.11' -> (3, 11)."""
    major, _, minor = text.strip().partition(".")
    return int(major), int(minor.split(".")[0])


def probe(path: str, source: str) -> Optional[Interpreter]:
    """Ask the candidate what it is; None when it is nothing for us."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = subprocess.run(
            [path, "-c", _PROBE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
            env=environment,
            cwd=os.path.abspath(os.sep),
        )
        facts = json.loads(done.stdout.decode().strip().splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None
    version = tuple(facts["version"])
    if facts["implementation"] != "cpython" or version[:2] not in SUPPORTED or facts["free_threaded"]:
        return None
    return Interpreter(
        path=facts["executable"] or path,
        version=version,
        source=source,
        is_venv=facts["venv"],
        purelib=facts["purelib"],
        has_pip=facts["pip"],
        has_stdlib_tests=facts["tests"],
        has_torch=facts["torch"],
    )


def _names() -> List[str]:
    suffix = ".exe" if os.name == "nt" else ""
    names = ["python{}.{}".format(*version) for version in reversed(SUPPORTED)] + ["python3", "python"]
    return [name + suffix for name in names]


def _in_folder(folder: Path) -> Iterator[str]:
    for name in _names():
        candidate = folder / name
        if candidate.is_file() and os.access(str(candidate), os.X_OK):
            yield str(candidate)


def _named() -> Iterator[str]:
    for entry in filter(None, os.environ.get("DEPYF_PYTHONS", "").split(os.pathsep)):
        path = Path(entry).expanduser()
        if path.is_dir():
            yield from _in_folder(path / "bin" if (path / "bin").is_dir() else path)
        else:
            yield shutil.which(str(path)) or str(path)


def _under_pyenv() -> Iterator[str]:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    if root.is_dir():
        for version in sorted(root.iterdir()):
            if version.name.startswith("3."):
                for name in ("python", "python3"):
                    if (version / "bin" / name).exists():
                        yield str(version / "bin" / name)
                        break


def _candidates() -> Iterator[Tuple[str, str]]:
    for path in _named():
        yield path, "DEPYF_PYTHONS"
    shims = os.sep + "shims"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        # pyenv's shims start what _under_pyenv finds anyway, slowly, or nothing
        if folder and not folder.rstrip(os.sep).endswith(shims):
            for path in _in_folder(Path(folder)):
                yield path, "PATH"
    for path in _under_pyenv():
        yield path, "pyenv"
    yield sys.executable, "PATH"


def _rank(found: Interpreter) -> Tuple[bool, bool, bool, Tuple[int, int, int]]:
    """Which of two of the same minor version is better: named, able to install, complete, newest."""
    return (found.source == "DEPYF_PYTHONS", found.has_pip, found.has_stdlib_tests, found.version)


def find_all() -> List[Interpreter]:
    """Every interpreter found, the best one of a minor version first."""
    seen: Dict[str, Interpreter] = {}
    for path, source in _candidates():
        real = os.path.realpath(path)
        # a venv's python is a link to its base's: the same file, another interpreter
        key = path if os.path.exists(os.path.join(os.path.dirname(path), "..", "pyvenv.cfg")) else real
        if key in seen:
            continue
        found = probe(path, source)
        if found is not None:
            seen[key] = found
        elif source == "DEPYF_PYTHONS":
            print(f"DEPYF_PYTHONS: {path} is no CPython 3.8 ... 3.15 that starts", file=sys.stderr)
    return sorted(seen.values(), key=_rank, reverse=True)


def best_by_version(found: List[Interpreter]) -> Dict[Tuple[int, int], Interpreter]:
    """One interpreter for each minor version, oldest version first."""
    best: Dict[Tuple[int, int], Interpreter] = {}
    for interpreter in found:
        best.setdefault(interpreter.minor, interpreter)
    return {minor: best[minor] for minor in SUPPORTED if minor in best}


if __name__ == "__main__":
    for interpreter in best_by_version(find_all()).values():
        torch = "  with torch" if interpreter.has_torch else ""
        print(f"{interpreter.full:8} {interpreter.source:13} {interpreter.path}{torch}")
