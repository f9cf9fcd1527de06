"""One handler for each statement that is not a definition, and the table of all of them."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

from .. import tree
from ..lifting.values import resolve
from . import definitions, printer
from .expressions import bare, push_target
from .precedence import ATOM, TEST, YIELD
from .printer import Elif, Printer, StarClause, StatementHandler
from .writer import COMMA, Writer

# ---------------------------------------------------------------- simple statements


def assign(p: Printer, node: tree.Assign) -> None:
    p.begin(node.offset)
    w = p.w
    unpacks = False
    for target in node.targets:
        target = resolve(target)
        unpacks = unpacks or target.__class__ is tree.Tuple_
        write_target(p, target)
        w.out.append(" = ")
    p.value(node.value, statement_value(node.value, unpacks))
    p.end()


def write_target(p: Printer, target: tree.Expr) -> None:
    """A target of a statement: a tuple gets parentheses only if it has to be broken."""
    w = p.w
    start = len(w.out)
    if target.__class__ is tree.Name:  # as most are: what `run` would do
        if target.offset >= 0:
            w.marks += (start, target.offset)
        w.out.append(w.names[target.id])
        return
    push_target(w, target, (COMMA,))
    w.run()
    if isinstance(target, tree.Tuple_) and len(target.items) > 1:
        p.optional.append((start, len(w.out)))


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
    w.write(target, ATOM + 1 if isinstance(target, tree.Name) and not node.simple else ATOM)
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
    if node.value is None:
        p.w.out.append("return")
    else:
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
            w.write(node.cause, TEST)
    p.end()


def delete(p: Printer, node: tree.Delete) -> None:
    p.begin(node.offset)
    w = p.w
    w.out.append("del ")
    w.push_list(node.targets, TEST)
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
    declare(p, "global ", node.names, node.offset)


def nonlocal_(p: Printer, node: tree.Nonlocal) -> None:
    declare(p, "nonlocal ", node.names, node.offset)


def declare(p: Printer, keyword: str, names: Sequence[str], offset: int) -> None:
    """One or more lines: a declaration has no brackets to break it in."""
    text = keyword
    for name in names:
        written = p.w.names[name]
        if text == keyword:
            text += written
        elif len(p.indent) + len(text) + len(written) + 2 > p.width:
            p.line(text, offset)
            text, offset = keyword + written, -1
        else:
            text += ", " + written
    p.line(text, offset)


def import_(p: Printer, node: tree.Import) -> None:
    begin_import(p, node.offset)
    p.w.out.append("lazy import " if node.lazy else "import ")
    p.w.out += imported(p.w, node.names)
    end_import(p)


def begin_import(p: Printer, offset: int) -> None:
    """A module's imports stand together, with an empty line before and after them."""
    if not p.indent and p.lines:
        if p.imported == len(p.lines):
            p.blank = 0
        elif not p.blank:
            p.blank = 1
    p.begin(offset)


def end_import(p: Printer) -> None:
    p.end()
    if not p.indent:
        p.blank = 1
        p.imported = len(p.lines)


def import_from(p: Printer, node: tree.ImportFrom) -> None:
    begin_import(p, node.offset)
    out = p.w.out
    lazy = "lazy " if node.lazy else ""
    out.append(f"{lazy}from {'.' * node.level}{dotted(p.w, node.module)} import ")
    start = len(out)
    if node.names[0][0] == "*":
        out.append("*")
    else:
        out += imported(p.w, node.names)
        p.optional.append((start, len(out)))
    end_import(p)


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
    if node.apart:
        p.blank = p.blank or 1
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
            p.pending.append(Elif(only))
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
    write_target(p, resolve(node.target))
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
        p.pending.append(StarClause(handler) if node.star else handler)
    p.block(node.body)


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
    except_clause(p, item.node, "except*")


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


STATEMENTS: Dict[type, StatementHandler] = {
    **printer.HANDLERS,
    **definitions.HANDLERS,
    Elif: elif_,
    StarClause: star_clause,
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
    tree.Match: match,
    tree.MatchCase: match_case,
}
