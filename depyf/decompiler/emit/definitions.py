"""Functions, classes and type aliases, with their decorators, docstrings and type parameters."""

from __future__ import annotations

from typing import Dict, Optional, Sequence

from .. import tree
from . import quoting
from .expressions import push_arguments, push_parameters
from .precedence import TEST
from .printer import Docstring, EndOfClass, Printer, StatementHandler
from .writer import COMMA, Writer


def definition(p: Printer, decorators: Sequence[tree.Expr], offset: int) -> None:
    """Blank lines and decorators before a definition; what its end asks for is put on the stack."""
    if not p.first:
        p.blank = 1 if p.indent else 2
    for decorator in decorators:
        p.begin(-1)
        p.w.out.append("@")
        p.w.write(decorator, TEST)
        p.end()
    p.begin(offset)
    p.pending.append(0)


def body(p: Printer, statements: Sequence[tree.Stmt], docstring: Optional[str], apart: bool) -> None:
    if docstring is None:
        p.block(statements)
        return
    p.pending.append(-1)
    p.pending.extend(reversed(statements))
    p.pending.append(Docstring(docstring, apart))
    p.pending.append(1)


def write_docstring(p: Printer, item: Docstring) -> None:
    p.begin(-1)
    for line in quoting.docstring(item.text, p.indent, p.version).split("\n"):
        p.lines.append(line)
        p.marks.append([])
    if item.apart:
        p.blank = 1


def function_def(p: Printer, node: tree.FunctionDef) -> None:
    definition(p, node.decorators, node.offset)
    w = p.w
    w.out.append("async def " if node.is_async else "def ")
    w.out.append(w.names[node.name])
    type_parameters(w, node.type_parameters)
    w.out.append("(")
    push_parameters(w, node.parameters, (COMMA,))
    w.run()
    w.out.append(")")
    if node.returns is not None:
        w.out.append(" -> ")
        w.write(node.returns, TEST)
    w.out.append(":")
    p.end()
    body(p, node.body, node.docstring, apart=False)


def class_def(p: Printer, node: tree.ClassDef) -> None:
    definition(p, node.decorators, node.offset)
    w = p.w
    w.out += ("class ", w.names[node.name])
    type_parameters(w, node.type_parameters)
    if node.args or node.keywords:
        w.out.append("(")
        push_arguments(w, node.args, node.keywords)
        w.run()
        w.out.append(")")
    w.out.append(":")
    p.end()
    w.class_depth += 1
    p.pending.append(EndOfClass())
    body(p, node.body, node.docstring, apart=True)


def end_of_class(p: Printer, item: EndOfClass) -> None:
    p.w.class_depth -= 1


def type_alias(p: Printer, node: tree.TypeAlias) -> None:
    p.begin(node.offset)
    p.w.out.append("type " + p.w.names[node.name])
    type_parameters(p.w, node.type_parameters)
    p.w.out.append(" = ")
    p.value(node.value, TEST)
    p.end()


STARS = {"typevar": "", "typevartuple": "*", "paramspec": "**"}


def type_parameters(w: Writer, parameters: Sequence[tree.TypeParameter]) -> None:
    if not parameters:
        return
    w.out.append("[")
    for index, parameter in enumerate(parameters):
        if index:
            w.out.append(COMMA)
        w.out.append(STARS[parameter.kind] + w.names[parameter.name])
        if parameter.bound is not None:
            w.out.append(": ")
            w.write(parameter.bound, TEST)
        if parameter.default is not None:
            w.out.append(" = ")
            w.write(parameter.default, TEST)
    w.out.append("]")


HANDLERS: Dict[type, StatementHandler] = {
    Docstring: write_docstring,
    EndOfClass: end_of_class,
    tree.FunctionDef: function_def,
    tree.ClassDef: class_def,
    tree.TypeAlias: type_alias,
}
