"""The code of a graph module with the lines of the file that it was dumped to.

The dumped text shows the same statements with types, shapes and comments, and maybe another signature. The statements
of the module's own code are given the places of those in the file; what is compiled is the module's own code.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Dict, Iterator, List, Optional

from depyf import compatibility


@dataclass(frozen=True)
class Relinked:
    """A function of a graph module, and its code with the lines of a file."""

    function: FunctionType
    code: CodeType


def relinked(graph_module: Any, text: str, path: str) -> List[Relinked]:
    """The forward functions of a graph module and the modules inside it, as far as the file shows them."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return list(_relinked_class(graph_module, classes[0], path)) if classes else []


def _relinked_class(graph_module: Any, shown: ast.ClassDef, path: str) -> Iterator[Relinked]:
    forward = next((node for node in shown.body if isinstance(node, ast.FunctionDef) and node.name == "forward"), None)
    if forward is not None:
        made = _relinked_forward(graph_module, forward, path)
        if made is not None:
            yield made
    for node in shown.body:
        inner = getattr(graph_module, node.name, None) if isinstance(node, ast.ClassDef) else None
        if inner is not None and hasattr(inner, "graph") and isinstance(node, ast.ClassDef):
            yield from _relinked_class(inner, node, path)


def _relinked_forward(graph_module: Any, shown: ast.FunctionDef, path: str) -> Optional[Relinked]:
    compatibility.recompile_for_real(graph_module)
    function = type(graph_module).forward
    if not isinstance(function, FunctionType):
        return None
    own = _own_forward(graph_module)
    if own is None or not _place_like(own, shown):
        return None
    module = ast.Module(body=[own], type_ignores=[])
    code = _code_named(compile(module, path, "exec", dont_inherit=True), own.name)
    if code is None or not _same(function.__code__, code):
        return None
    return Relinked(function, code)


def _own_forward(graph_module: Any) -> Optional[ast.FunctionDef]:
    tree = ast.parse(graph_module.code)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            return node
    return None


def _place_like(own: ast.FunctionDef, shown: ast.FunctionDef) -> bool:
    """Give each statement the place of its like in the file; False when the file shows another graph."""
    wanted = [ast.dump(_plain(statement)) for statement in shown.body]
    found = 0
    _move(own, shown)
    for statement in own.body:
        if found < len(wanted) and ast.dump(_plain(statement)) == wanted[found]:
            _move(statement, shown.body[found])
            found += 1
        else:
            _move(statement, shown)  # unpacking of arguments, which the file shows as a signature
    return found == len(wanted)


def _plain(statement: ast.stmt) -> ast.stmt:
    """An assignment with a type is an assignment."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.Assign(targets=[statement.target], value=statement.value, type_comment=None)
    return statement


def _move(node: ast.AST, to: ast.stmt) -> None:
    place: Dict[str, Any] = {
        "lineno": to.lineno,
        "col_offset": to.col_offset,
        "end_lineno": to.lineno if isinstance(to, ast.FunctionDef) else to.end_lineno,
        "end_col_offset": to.col_offset + 1 if isinstance(to, ast.FunctionDef) else to.end_col_offset,
    }
    for inner in ast.walk(node):
        if hasattr(inner, "lineno"):
            for name, value in place.items():
                setattr(inner, name, value)


def _code_named(module: CodeType, name: str) -> Optional[CodeType]:
    for constant in module.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == name:
            return constant
    return None


def _same(a: CodeType, b: CodeType) -> bool:
    """Compiled from the same statements, two code objects differ in lines only."""
    return (a.co_names, a.co_varnames, a.co_consts, a.co_freevars, a.co_argcount) == (
        b.co_names,
        b.co_varnames,
        b.co_consts,
        b.co_freevars,
        b.co_argcount,
    )
