"""One handler for each statement, and the loop that writes them line by line, without recursion.

What is still to be written waits on a stack: statements, lines such as `else:`, and numbers that shift the
indentation (1: deeper, -1: back, 0: a definition has ended).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from .. import tree
from ..values import resolve
from . import expressions, patterns, strings
from .expressions import COMMA, bare, push_arguments, push_parameters, push_target
from .layout import Layout
from .precedence import ATOM, BIT_OR, TEST, TUPLE, YIELD
from .writer import Handler, Writer

EXPRESSIONS: Dict[type, Handler] = {**expressions.HANDLERS, **strings.HANDLERS, **patterns.HANDLERS}


class Elif:
    """The If that is the whole of another's else branch."""

    __slots__ = ("node",)

    def __init__(self, node: tree.If) -> None:
        self.node = node


Pending = Union[tree.Stmt, tree.ExceptClause, tree.MatchCase, Elif, str, int]


class Printer:
    """Writes statements; `lines` and `marks` grow together, one entry for each line of text."""

    def __init__(self, indentation: int, width: int, version: Tuple[int, int], reserved: Set[str]) -> None:
        self.w = Writer(version, EXPRESSIONS, reserved)
        self.version = version
        self.step = " " * indentation
        self.layout = Layout(indentation, width, version)
        self.width = width
        self.indent = ""
        self.lines: List[str] = []
        self.marks: List[List[int]] = []
        self.pending: List[Pending] = []
        self.first = True  # nothing of this block is written yet
        self.blank = 0  # empty lines due before the next statement
        self.classes: List[bool] = []
        # where in `out` parentheses may be added to break the line inside them
        self.optional: List[Tuple[int, int]] = []

    def run(self) -> None:
        pending = self.pending
        while pending:
            item = pending.pop()
            STATEMENTS[item.__class__](self, item)

    # ------------------------------------------------------------ lines

    def begin(self, offset: int) -> None:
        """Start a statement's line."""
        if self.blank:
            self.empty_lines()
        self.first = False
        if offset >= 0:
            self.w.marks += (0, offset)

    def empty_lines(self) -> None:
        if not self.first:
            for _ in range(self.blank):
                self.lines.append("")
                self.marks.append([])
        self.blank = 0

    def end(self) -> None:
        """Finish the line that is in the writer."""
        w = self.w
        text = "".join(w.out)
        if len(text) + len(self.indent) > self.width or "\n" in text:
            self.layout.place(self, text)
        else:
            self.lines.append(self.indent + text)
            self.marks.append(w.marks)
        w.out = []
        w.marks = []
        if self.optional:
            self.optional = []

    def line(self, text: str, offset: int = -1) -> None:
        self.begin(offset)
        self.lines.append(self.indent + text)
        self.marks.append(self.w.marks)
        self.w.marks = []

    def value(self, node: tree.Expr, needed: int) -> None:
        """An expression that may be put in parentheses when the line gets too long."""
        out = self.w.out
        start = len(out)
        self.w.push(node, needed)
        self.w.run()
        self.optional.append((start, len(out)))

    # ------------------------------------------------------------ blocks

    def block(self, body: Sequence[tree.Stmt]) -> None:
        pending = self.pending
        pending.append(-1)
        if body:
            pending.extend(reversed(body))
        else:
            pending.append("pass")
        pending.append(1)

    def test(self, keyword: str, node: tree.Expr) -> None:
        """`if`, `elif` or `while` with its condition, where a walrus needs no parentheses."""
        self.w.out.append(keyword)
        node = resolve(node)
        self.value(node, 0 if node.__class__ is tree.NamedExpr else TEST)
        self.w.out.append(":")
        self.end()


def shift(p: Printer, by: int) -> None:
    if by > 0:
        p.indent += p.step
        p.first = True
        p.blank = 0
    elif by < 0:
        p.indent = p.indent[: len(p.indent) - len(p.step)]
    else:
        p.blank = 1 if p.indent else 2
        if p.classes.pop():
            p.w.class_depth -= 1


def clause(p: Printer, text: str) -> None:
    """A line such as `else:` that continues a statement."""
    p.blank = 0
    p.line(text)


# ---------------------------------------------------------------- simple statements


def assign(p: Printer, node: tree.Assign) -> None:
    p.begin(node.offset)
    w = p.w
    unpacks = False
    for target in node.targets:
        target = resolve(target)
        unpacks = unpacks or target.__class__ is tree.Tuple_
        push_target(w, target)
        w.run()
        w.out.append(" = ")
    p.value(node.value, statement_value(node.value, unpacks))
    p.end()


def statement_value(node: tree.Expr, bare_tuple: bool) -> int:
    """What the right side of an assignment asks for: a yield needs no parentheses there, a tuple need not."""
    node = resolve(node)
    if node.__class__ is tree.Yield or node.__class__ is tree.YieldFrom:
        return YIELD
    return bare(node) if bare_tuple else TEST


def aug_assign(p: Printer, node: tree.AugAssign) -> None:
    p.begin(node.offset)
    p.w.write(node.target, ATOM)
    p.w.out.append(f" {node.op}= ")
    p.value(node.value, statement_value(node.value, False))
    p.end()


def ann_assign(p: Printer, node: tree.AnnAssign) -> None:
    p.begin(node.offset)
    w = p.w
    target = resolve(node.target)
    w.write(target, 100 if target.__class__ is tree.Name and not node.simple else ATOM)
    w.out.append(": ")
    w.write(node.annotation, TEST)
    if node.value is not None:
        w.out.append(" = ")
        p.value(node.value, statement_value(node.value, False))
    p.end()


def expr_stmt(p: Printer, node: tree.ExprStmt) -> None:
    p.begin(node.offset)
    p.value(node.value, statement_value(node.value, False))
    p.end()


def return_(p: Printer, node: tree.Return) -> None:
    p.begin(node.offset)
    p.w.out.append("return ")
    p.value(node.value, bare(node.value))
    p.end()


def raise_(p: Printer, node: tree.Raise) -> None:
    p.begin(node.offset)
    w = p.w
    w.out.append("raise")
    if node.exception is not None:
        w.out.append(" ")
        p.value(node.exception, TEST)
        if node.cause is not None:
            w.out.append(" from ")
            p.value(node.cause, TEST)
    p.end()


def delete(p: Printer, node: tree.Delete) -> None:
    p.begin(node.offset)
    w = p.w
    w.out.append("del ")
    expressions.push_list(w, node.targets, TEST)
    w.run()
    p.end()


def assert_(p: Printer, node: tree.Assert) -> None:
    p.begin(node.offset)
    p.w.out.append("assert ")
    p.value(node.test, TEST)
    if node.message is not None:
        p.w.out.append(COMMA)
        p.value(node.message, TEST)
    p.end()


def pass_(p: Printer, node: tree.Pass) -> None:
    p.line("pass", node.offset)


def break_(p: Printer, node: tree.Break) -> None:
    p.line("break", node.offset)


def continue_(p: Printer, node: tree.Continue) -> None:
    p.line("continue", node.offset)


def global_(p: Printer, node: tree.Global) -> None:
    names = p.w.names
    p.line("global " + ", ".join([names[name] for name in node.names]), node.offset)


def nonlocal_(p: Printer, node: tree.Nonlocal) -> None:
    names = p.w.names
    p.line("nonlocal " + ", ".join([names[name] for name in node.names]), node.offset)


def import_(p: Printer, node: tree.Import) -> None:
    p.begin(node.offset)
    p.w.out.append("lazy import " if node.lazy else "import ")
    p.w.out += imported(p.w, node.names)
    p.end()


def import_from(p: Printer, node: tree.ImportFrom) -> None:
    p.begin(node.offset)
    out = p.w.out
    lazy = "lazy " if node.lazy else ""
    out.append(f"{lazy}from {'.' * node.level}{dotted(p.w, node.module)} import ")
    start = len(out)
    if node.names[0][0] == "*":
        out.append("*")
    else:
        out += imported(p.w, node.names)
        p.optional.append((start, len(out)))
    p.end()


def dotted(w: Writer, module: str) -> str:
    return ".".join([w.names[part] for part in module.split(".")]) if module else ""


def imported(w: Writer, names: Sequence[Tuple[str, Optional[str]]]) -> List[str]:
    fragments: List[str] = []
    for name, alias in names:
        fragments.append(dotted(w, name) if alias is None else f"{dotted(w, name)} as {w.names[alias]}")
        fragments.append(COMMA)
    del fragments[-1:]
    return fragments


# ---------------------------------------------------------------- compound statements


def if_(p: Printer, node: tree.If) -> None:
    p.begin(node.offset)
    p.test("if ", node.test)
    if_body(p, node)


def elif_(p: Printer, item: Elif) -> None:
    p.blank = 0
    p.begin(item.node.offset)
    p.test("elif ", item.node.test)
    if_body(p, item.node)


def if_body(p: Printer, node: tree.If) -> None:
    orelse = node.orelse
    if orelse:
        only = orelse[0]
        if len(orelse) == 1 and only.__class__ is tree.If:
            p.pending.append(Elif(only))  # type: ignore[arg-type]
        else:
            else_(p, orelse)
    p.block(node.body)


def else_(p: Printer, orelse: Sequence[tree.Stmt]) -> None:
    if orelse:
        p.block(orelse)
        p.pending.append("else:")


def while_(p: Printer, node: tree.While) -> None:
    p.begin(node.offset)
    p.test("while ", node.test)
    else_(p, node.orelse)
    p.block(node.body)


def for_(p: Printer, node: tree.For) -> None:
    p.begin(node.offset)
    w = p.w
    w.out.append("async for " if node.is_async else "for ")
    push_target(w, node.target)
    w.run()
    w.out.append(" in ")
    p.value(node.iter, TEST)
    w.out.append(":")
    p.end()
    else_(p, node.orelse)
    p.block(node.body)


def try_(p: Printer, node: tree.Try) -> None:
    p.line("try:", node.offset)
    if node.finalbody:
        p.block(node.finalbody)
        p.pending.append("finally:")
    else_(p, node.orelse)
    for handler in reversed(node.clauses):
        p.pending.append(StarClause(handler) if node.star else handler)  # type: ignore[arg-type]
    p.block(node.body)


class StarClause(Elif):
    """An `except*` clause."""

    __slots__ = ()


def except_clause(p: Printer, node: tree.ExceptClause, keyword: str = "except") -> None:
    p.blank = 0
    p.begin(node.offset)
    w = p.w
    w.out.append(keyword)
    if node.pattern is not None:
        w.out.append(" ")
        w.write(node.pattern, TEST)
        if node.name is not None:
            w.out.append(" as " + w.names[node.name])
    w.out.append(":")
    p.end()
    p.block(node.body)


def star_clause(p: Printer, item: StarClause) -> None:
    except_clause(p, item.node, "except*")  # type: ignore[arg-type]


def with_(p: Printer, node: tree.With) -> None:
    p.begin(node.offset)
    w = p.w
    out = w.out
    out.append("async with " if node.is_async else "with ")
    start = len(out)
    for index, (manager, target) in enumerate(node.items):
        if index:
            out.append(COMMA)
        manager = resolve(manager)
        alone = len(node.items) == 1 and target is None
        if alone and is_tuple(manager):
            out.append("(")  # in its own parentheses only, it would be a list of managers
            w.write(manager, TEST)
            out.append(")")
        else:
            w.write(manager, TEST)
        if target is not None:
            out.append(" as ")
            w.write(target, TEST)
    if len(node.items) > 1 and p.version >= (3, 10):
        p.optional.append((start, len(out)))
    out.append(":")
    p.end()
    p.block(node.body)


def is_tuple(node: tree.Expr) -> bool:
    return isinstance(node, tree.Tuple_) or (isinstance(node, tree.Const) and type(node.value) is tuple)


def match(p: Printer, node: tree.Match) -> None:
    p.begin(node.offset)
    p.w.out.append("match ")
    p.value(node.subject, TEST)
    p.w.out.append(":")
    p.end()
    p.pending.append(-1)
    p.pending.extend(reversed(node.cases))
    p.pending.append(1)


def match_case(p: Printer, node: tree.MatchCase) -> None:
    p.blank = 0
    p.begin(-1)
    w = p.w
    w.out.append("case ")
    start = len(w.out)
    w.stack.append(node.pattern)
    w.run()
    p.optional.append((start, len(w.out)))
    if node.guard is not None:
        w.out += (" if", " ")
        p.value(node.guard, TEST)
    w.out.append(":")
    p.end()
    p.block(node.body)


# ---------------------------------------------------------------- definitions


def definition(p: Printer, decorators: Sequence[tree.Expr], offset: int, is_class: bool) -> None:
    """Blank lines and decorators before a definition; what its end asks for is put on the stack."""
    if not p.first:
        p.blank = 1 if p.indent else 2
    p.classes.append(is_class)
    for decorator in decorators:
        p.begin(-1)
        p.w.out.append("@")
        p.w.write(decorator, TEST)
        p.end()
    p.begin(offset)
    p.pending.append(0)


def body(p: Printer, statements: Sequence[tree.Stmt], docstring: Optional[str]) -> None:
    if docstring is None:
        p.block(statements)
        return
    p.pending.append(-1)
    p.pending.extend(reversed(statements))
    p.pending.append(Docstring(docstring))  # type: ignore[arg-type]
    p.pending.append(1)


class Docstring:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def write_docstring(p: Printer, item: Docstring) -> None:
    p.begin(-1)
    for line in strings.docstring(item.text, p.indent, p.version).split("\n"):
        p.lines.append(line)
        p.marks.append([])


def function_def(p: Printer, node: tree.FunctionDef) -> None:
    definition(p, node.decorators, node.offset, False)
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
    body(p, node.body, node.docstring)


def class_def(p: Printer, node: tree.ClassDef) -> None:
    definition(p, node.decorators, node.offset, True)
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
    body(p, node.body, node.docstring)


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


STATEMENTS: Dict[type, Callable[[Printer, Any], None]] = {
    int: shift,
    str: clause,
    Elif: elif_,
    StarClause: star_clause,
    Docstring: write_docstring,
    tree.Assign: assign,
    tree.AugAssign: aug_assign,
    tree.AnnAssign: ann_assign,
    tree.ExprStmt: expr_stmt,
    tree.Return: return_,
    tree.Raise: raise_,
    tree.Delete: delete,
    tree.Assert: assert_,
    tree.Pass: pass_,
    tree.Break: break_,
    tree.Continue: continue_,
    tree.Global: global_,
    tree.Nonlocal: nonlocal_,
    tree.Import: import_,
    tree.ImportFrom: import_from,
    tree.If: if_,
    tree.While: while_,
    tree.For: for_,
    tree.ExceptClause: except_clause,
    tree.Try: try_,
    tree.With: with_,
    tree.FunctionDef: function_def,
    tree.ClassDef: class_def,
    tree.TypeAlias: type_alias,
    tree.Match: match,
    tree.MatchCase: match_case,
}
