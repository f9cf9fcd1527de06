"""Where to set a breakpoint in each kind of dumped file, which line comes next, and which local is a tensor there."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Dict, List, NamedTuple

PROGRAM = Path(__file__).with_name("program.py")

KINDS = {
    "eager": ["transformed code", "resume function", "captured graph", "own function, fallen back"],
    "aot_eager": [
        "transformed code",
        "resume function",
        "forward graph",
        "backward graph",
        "own function, fallen back",
    ],
    "inductor": [
        "transformed code",
        "resume function",
        "Inductor's wrapper, forward",
        "Inductor's wrapper, backward",
        "own function, fallen back",
    ],
}

_FILES = {
    "transformed code": "__transformed_code_0_for_toy.py",
    "resume function": "__transformed_code_0_for_*resume_in_toy*.py",
    # of the first graph, which has number 0 before PyTorch 2.5, and 1 since
    "captured graph": "__compiled_fn_[01].Captured_Graph.0.py",
    "forward graph": "__compiled_fn_[01].Forward_graph.0.py",
    "backward graph": "__compiled_fn_[01].Backward_graph.0.py",
    "Inductor's wrapper, forward": "__compiled_fn_[01].kernel_0.py",
    "Inductor's wrapper, backward": "__compiled_fn_[01].kernel_1.py",
}


class Place(NamedTuple):
    file: str
    line: int
    next_line: int
    tensor: str


def places(backend: str, dump: Path) -> Dict[str, Place]:
    """A place in each kind of file that this backend runs."""
    found: Dict[str, Place] = {}
    for kind in KINDS[backend]:
        if kind == "own function, fallen back":
            found[kind] = _place(PROGRAM, "toy", 0, "a")
            continue
        path = sorted(dump.glob(_FILES[kind]))[0]
        if path.name.startswith("__transformed_code_"):
            found[kind] = _place(path, path.stem, 0, "a" if kind == "transformed code" else "b")
        else:
            found[kind] = _place(path, "call" if ".kernel_" in path.name else "forward", 1, "")
    return found


def _place(path: Path, function: str, statement: int, tensor: str) -> Place:
    tree = ast.parse(path.read_text())
    body = next(node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function)
    lines: List[int] = list(dict.fromkeys(node.lineno for node in body))
    name = tensor or next(node.id for node in ast.walk(body[0]) if isinstance(node, ast.Name) and _stored(node))
    return Place(str(path), lines[statement], lines[statement + 1], name)


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)
