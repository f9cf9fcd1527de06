"""What `make demo` shows, run inside the environment that tools/demo.py made.

With PyTorch: toy_example under prepare_debug, the tree of files it left, and the first of them. Without: functions of
the standard library, decompiled and proven.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import textwrap
import types
from pathlib import Path
from typing import Iterator, List

import depyf

ROOT = Path(__file__).resolve().parent.parent
DUMP = ROOT / "depyf_demo"


def heading(text: str) -> None:
    print(f"\n=== {text} ===\n", flush=True)


def indented(text: str) -> str:
    return textwrap.indent(text.rstrip("\n"), "    ")


def tree(folder: Path, prefix: str = "") -> Iterator[str]:
    entries = sorted(folder.iterdir(), key=lambda path: (path.is_dir(), path.name))
    for i, entry in enumerate(entries):
        last = i == len(entries) - 1
        size = "" if entry.is_dir() else f"  ({entry.stat().st_size:,} bytes)"
        yield f"{prefix}{'`-- ' if last else '|-- '}{entry.name}{size}"
        if entry.is_dir():
            yield from tree(entry, prefix + ("    " if last else "|   "))


def first_file(folder: Path) -> Path:
    """The file that a reader starts with: the whole story of the first compiled function."""
    stories = sorted(folder.glob("**/full_code_for_*.py"), key=lambda path: path.name)
    own = [path for path in stories if "toy_example" in path.name]
    return (own or stories or sorted(folder.glob("**/*.py")))[0]


def functions() -> List[types.FunctionType]:
    """Small functions that each show something else: loops, a generator with try, early returns, comprehensions."""
    import difflib
    import heapq

    return [textwrap.indent, heapq.merge, difflib.get_close_matches, textwrap.dedent]


def show_decompiler() -> int:
    """A few functions of the standard library, decompiled and proven; 1 if a proof failed."""
    proven = True
    for function in functions():
        decompiler = depyf.Decompiler(function)
        text = decompiler.decompile(verify=True)
        heading(f"{function.__module__}.{function.__qualname__}: {decompiler.verdict}")
        print(indented(text))
        proven = proven and bool(decompiler.verdict)
    return 0 if proven else 1


def show_torch() -> int:
    """toy_example under prepare_debug, in a process of its own: the README's own example."""
    backend = "inductor"
    if not any(map(shutil.which, filter(None, [os.environ.get("CXX"), "c++", "g++", "clang++", "cl"]))):
        print("There is no C++ compiler, which Inductor needs: this uses the backend aot_eager.")
        backend = "aot_eager"
    shutil.rmtree(str(DUMP), ignore_errors=True)
    heading("examples/toy.py, run under depyf.prepare_debug")
    print(indented((ROOT / "examples" / "toy.py").read_text(encoding="utf-8")), flush=True)
    command = [sys.executable, str(ROOT / "examples" / "toy.py"), str(DUMP), backend]
    status = subprocess.call(command, cwd=str(ROOT))
    if status or not DUMP.is_dir():
        print(f"examples/toy.py ended with status {status}", file=sys.stderr)
        return status or 1
    heading(f"what came out, in {DUMP.name}/")
    print("\n".join(tree(DUMP)))
    first = first_file(DUMP)
    heading(str(first.relative_to(ROOT)))
    print(first.read_text(encoding="utf-8"))
    return 0


def main() -> int:
    if importlib.util.find_spec("torch") is not None:
        return show_torch()
    return show_decompiler()


if __name__ == "__main__":
    sys.exit(main())
