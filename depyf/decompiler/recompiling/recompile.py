"""Compiles decompiled text back to a code object that can stand in for the one it came from.

What text cannot say is carried over: constants that are no literals, illegal names, the closure around a function.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Dict, List, Optional, cast

from depyf.bytecode.codes import future_flags, is_function, parameter_count
from depyf.errors import DecompilationError

from .carried import carry_functions, order_free
from .cells import load_cells
from .iterators import take_iterators
from .qualified import with_qualified_names
from .quietly import compile_quietly

_FILE = "<decompiled>"
_OUTER = "__depyf_outer"


def compile_back(
    text: str,
    code: CodeType,
    objects: Dict[str, Any],
    renamed: Dict[str, str],
    filename: str = _FILE,
) -> CodeType:
    """The code object that `text`, decompiled from `code`, compiles to."""
    try:
        tree = ast.parse(text, filename)
        if objects:
            tree = _Placeholders(objects).visit(tree)
        free = [legal for name in code.co_freevars for legal in [_legal(name, renamed)]]
        if is_function(code):
            if free:
                tree.body = [_enclose(tree.body, free)]
            made = compile_quietly(tree, filename, future_flags(code))
            found = take_iterators(load_cells(_function_code(made, free), code), code)
        else:
            found = compile_quietly(tree, filename, future_flags(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise DecompilationError(f"the decompiled text does not compile: {problem}", code_name=code.co_name) from problem
    found = _restore(found, objects, renamed)
    return carry_functions(order_free(found, code.co_freevars), code) if is_function(code) else found


def _legal(name: str, renamed: Dict[str, str]) -> str:
    for legal, original in renamed.items():
        if original == name:
            return legal
    return name


def _enclose(body: List[ast.stmt], free: List[str]) -> ast.stmt:
    """def outer(): a = b = None; def function(): ... — so that its free variables are free again."""
    template = ast.parse(f"def {_OUTER}():\n    {' = '.join(free)} = None\n")
    outer = template.body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body.extend(body)
    return ast.fix_missing_locations(outer)


def _class_around(body: List[ast.stmt], name: str) -> ast.stmt:
    outer = ast.parse(f"class {name}:\n    pass\n").body[0]
    assert isinstance(outer, ast.ClassDef)
    outer.body = body or outer.body
    return ast.fix_missing_locations(outer)


def _function_code(module: CodeType, free: List[str]) -> CodeType:
    codes = [c for c in module.co_consts if isinstance(c, CodeType)]
    if free:
        codes = [c for c in codes[0].co_consts if isinstance(c, CodeType)]
    return codes[-1]


class _Placeholders(ast.NodeTransformer):
    """Puts constants that the compiler accepts and never folds in the place of placeholders."""

    def __init__(self, objects: Dict[str, Any]) -> None:
        self.objects = objects

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.objects and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Constant(cast(Any, frozenset([_mark(node.id)]))), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.func = _unseen(node.func)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        node.value = _unseen(node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.left, node.comparators = _unseen(node.left), [_unseen(operand) for operand in node.comparators]
        return node


def _unseen(node: ast.expr) -> ast.expr:
    """A placeholder where the compiler would warn that such a literal cannot be called, indexed or told by `is`.

    What cannot happen leaves no code behind.
    """
    if not (isinstance(node, ast.Constant) and isinstance(cast(Any, node.value), frozenset)):
        return node
    choice = ast.IfExp(ast.Constant(True), node, node)
    ast.copy_location(choice.test, node)
    return ast.copy_location(choice, node)


def _mark(name: str) -> str:
    return f"depyf placeholder {name}"


def _restore(code: CodeType, objects: Dict[str, Any], renamed: Dict[str, str]) -> CodeType:
    """Gives constants and names back what the text could not hold, in nested code too."""
    if not objects and not renamed:
        return code
    marks = {frozenset([_mark(name)]): value for name, value in objects.items()}

    def constant(value: Any) -> Any:
        if isinstance(value, CodeType):
            return _restore(value, objects, renamed)
        if isinstance(value, frozenset):
            return marks.get(value, value)
        if isinstance(value, tuple):
            return tuple(constant(v) for v in value)
        return value

    def names(values: Any) -> Any:
        return tuple(renamed.get(n, n) for n in values)

    return code.replace(
        co_consts=tuple(constant(v) for v in code.co_consts),
        co_names=names(code.co_names),
        co_varnames=names(code.co_varnames),
        co_freevars=names(code.co_freevars),
        co_cellvars=names(code.co_cellvars),
        co_name=renamed.get(code.co_name, code.co_name),
    )


def made_like(code: CodeType, reference: CodeType, filename: Optional[str]) -> CodeType:
    """`code` with the reference's name, flags and place, if its arguments, cells and free variables are the same."""
    code = with_qualified_names(code, reference)
    count = parameter_count(reference)
    if code.co_varnames[:count] != reference.co_varnames[:count]:
        raise DecompilationError(
            f"its arguments {code.co_varnames[:count]} are not those of the reference, "
            f"{reference.co_varnames[:count]}",
            code_name=reference.co_name,
        )
    for field in ("co_freevars", "co_cellvars"):
        if getattr(code, field) != getattr(reference, field):
            raise DecompilationError(
                f"its {field} {getattr(code, field)} are not those of the reference, {getattr(reference, field)}",
                code_name=reference.co_name,
            )
    fields: Dict[str, Any] = {
        "co_name": reference.co_name,
        "co_flags": reference.co_flags,
        "co_filename": filename if filename is not None else code.co_filename,
    }
    if hasattr(reference, "co_qualname"):
        fields["co_qualname"] = reference.co_qualname
    return code.replace(**fields)
