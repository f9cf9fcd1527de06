"""`python -m depyf.bytecode FILE_OR_MODULE[:qualname]`: prints the graphs of its code objects.

For people who debug the decompiler. A file is compiled and a module's source is; nothing is run.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from types import CodeType
from typing import Iterator, List, Tuple

from depyf.bytecode import describe, graph_of


def _source(name: str) -> str:
    if os.path.exists(name):
        return name
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise SystemExit(f"depyf.bytecode: no Python file and no module with a source: {name}")
    return spec.origin


def named_codes(code: CodeType) -> Iterator[Tuple[str, CodeType]]:
    """Every code object in `code`, outermost first, with its dotted name."""
    work: List[Tuple[str, CodeType]] = [("", code)]
    while work:
        prefix, code = work.pop(0)
        name = f"{prefix}.{code.co_name}" if prefix else code.co_name
        yield name, code
        inner = "" if code.co_name == "<module>" else name
        work.extend((inner, const) for const in code.co_consts if isinstance(const, CodeType))


def main(arguments: List[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    name, _, wanted = arguments[0].partition(":")
    path = _source(name)
    with open(path, "rb") as file:
        module = compile(file.read(), path, "exec", dont_inherit=True)
    found = False
    for qualname, code in named_codes(module):
        if not wanted or qualname == wanted or qualname.startswith(wanted + "."):
            found = True
            print(f"--- {qualname}, line {code.co_firstlineno}")
            print(describe(graph_of(code)))
    if not found:
        print(f"depyf.bytecode: no {wanted} in {path}", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
