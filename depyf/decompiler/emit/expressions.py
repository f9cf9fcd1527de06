"""One handler for each class of expression: it pushes the node's parts on the writer's stack, the last one first.

A handler may append to `out` only what comes before everything it pushes. Fragments that `layout` must not take
for a separator or an operator to break at are pushed in two halves.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple, Union

from .. import tree
from ..lifting.values import Builtin, ClosureCell, Copied, Local, resolve
from . import formats, literals, subscripts
from .precedence import AND, ATOM, AWAIT, BIT_OR, FACTOR, NOT, OF_OPERATOR, OR, TEST, TUPLE
from .quoting import is_text, text_literal
from .strings import nested_literal
from .writer import COMMA, Handler, Mark, Writer, mark

SPACED = {op: f" {op} " for op in (*OF_OPERATOR, "<", ">", "<=", ">=", "==", "!=", "is", "is not", "in", "not in")}
BRACKETS = {"list": ("[", "]"), "set": ("{", "}"), "dict": ("{", "}"), "generator": ("(", ")")}


def constant(w: Writer, node: tree.Const) -> None:
    value = node.value
    if type(value) is tuple and literals.is_literal(value):
        push_items(w, [tree.Const(item) for item in value])
        return
    if w.quotes is not None and isinstance(value, (str, bytes)):
        w.out.append(nested_literal(w, value))
        return
    text = text_literal(value) if type(value) is str and is_text(value) else literals.scalar(value)
    if text is None:
        text = w.objects.name_of(value, w.class_depth > 0)
    w.out.append(text)


def builtin(w: Writer, node: Builtin) -> None:
    w.out.append(w.names[node.name])


def name(w: Writer, node: tree.Name) -> None:
    w.out.append(w.names[node.id])


def closure_cell(w: Writer, node: ClosureCell) -> None:
    """A cell that is a value of its own, as PyTorch hands them around: there is no shorter way to write one."""
    w.out.append(f"(lambda: {w.names[node.name]}).__closure__[0]")


def verbatim(w: Writer, node: tree.Verbatim) -> None:
    w.out.append(node.text)


def attribute(w: Writer, node: tree.Attr) -> None:
    w.stack.append(w.attributes[node.name])
    push_primary(w, node.value)


def push_primary(w: Writer, node: tree.Expr) -> None:
    """What may stand before `.name`: an int needs parentheses there, or its dot would make it a float."""
    if node.__class__ is not tree.Name:
        node = resolve(node)
        if node.__class__ is tree.Const and type(node.value) is int:
            w.stack += (")", node, "(")
            return
    w.push(node, ATOM)


def push_items(w: Writer, items: Sequence[tree.Expr]) -> None:
    """The items of a tuple, without its parentheses."""
    if not items:
        w.stack.append("()")
        return
    if len(items) == 1:
        w.stack.append(",")
    w.push_list(items, TEST)


def tuple_(w: Writer, node: tree.Tuple_) -> None:
    push_items(w, node.items)


def list_(w: Writer, node: tree.List_) -> None:
    w.stack.append("]")
    w.push_list(node.items, TEST)
    w.out.append("[")


def set_(w: Writer, node: tree.Set_) -> None:
    w.stack.append("}")
    w.push_list(node.items or [tree.Starred(tree.Tuple_([]))], TEST)
    w.out.append("{")


def dict_(w: Writer, node: tree.Dict_) -> None:
    push, stack, items = w.push, w.stack, node.items
    stack.append("}")
    last = len(items) - 1
    for index in range(last, -1, -1):
        if index != last:
            stack.append(COMMA)
        key, value = items[index]
        if key is None:
            push(value, BIT_OR)
            stack.append("**")
        else:
            push(value, TEST)
            stack.append(": ")
            push(key, TEST)
    w.out.append("{")


def call(w: Writer, node: tree.Call) -> None:
    stack, args, keywords = w.stack, node.args, node.keywords
    if len(args) == 1 and not keywords:
        only = args[0]
        if only.__class__ is not tree.Name:
            only = resolve(only)
            if isinstance(only, tree.Comprehension) and only.kind == "generator":
                stack.append(only)  # its own parentheses are the call's
                w.push(node.func, ATOM)
                return
    if args or keywords:
        stack.append(")")
        push_arguments(w, args, keywords)
        stack.append("(")
    else:
        stack.append("()")
    w.push(node.func, ATOM)


def push_arguments(
    w: Writer, args: Sequence[tree.Expr], keywords: Sequence[Tuple[Optional[str], tree.Expr]]
) -> None:
    stack, push = w.stack, w.push
    separate = False
    for keyword, value in reversed(keywords):
        if separate:
            stack.append(COMMA)
        separate = True
        if keyword is None:
            push(value, TEST)
            stack.append("**")
            continue
        written = w.keyword_names[keyword]
        if written:
            push(value, TEST)
            stack.append(written)
        else:
            stack.append("}")
            push(value, TEST)
            stack += (": ", literals.string(keyword), "**{")
    for arg in reversed(args):
        if separate:
            stack.append(COMMA)
        separate = True
        push(arg, TEST)


def starred(w: Writer, node: tree.Starred) -> None:
    # a call would take any test here, a display only what binds like |; the narrower one serves both
    w.push(node.value, BIT_OR)
    w.out.append("*")


def unary(w: Writer, node: tree.Unary) -> None:
    if node.op == "not":
        w.out.append("not ")
        w.push(node.operand, NOT)
    else:
        w.out.append(node.op)
        w.push(_late(node.operand) if node.op == "~" and _folds_wrongly(node.operand, w.version) else node.operand, FACTOR)


def _folds_wrongly(operand: tree.Expr, version: Tuple[int, int]) -> bool:
    """~True warns where it is evaluated (3.12+), but the compilers of 3.12 and 3.13 evaluate it themselves, if they see it."""
    return (3, 12) <= version < (3, 14) and _is_constant_truth(operand)


def _is_constant_truth(operand: tree.Expr) -> bool:
    """Whether the compiler finds True or False there: it computes `not 1.5` and `True & False`, too."""
    value = resolve(operand)
    if isinstance(value, tree.Unary):
        return value.op == "not" and (isinstance(resolve(value.operand), tree.Const) or _is_constant_truth(value.operand))
    if isinstance(value, tree.Binary):
        return value.op in ("&", "|", "^") and _is_constant_truth(value.left) and _is_constant_truth(value.right)
    return isinstance(value, tree.Const) and isinstance(value.value, bool)


def _late(value: tree.Expr) -> tree.Expr:
    """A constant that the compiler sees only when it has made instructions of it."""
    return tree.BoolOp("or", [tree.Const(None), value], value.offset)


def binary(w: Writer, node: tree.Binary) -> None:
    op = node.op
    if op == "**":
        w.push(node.right, FACTOR)
        w.stack.append(" ** ")
        w.push(node.left, AWAIT)
        return
    own = OF_OPERATOR[op]
    right = node.right
    if op == "%" and formats.would_become_fields(node, w.version):
        right = _late(right)  # only the tuple itself is taken apart
    w.push(right, own + 1)
    w.stack.append(SPACED[op])
    w.push(node.left, own)


def compare(w: Writer, node: tree.Compare) -> None:
    push, stack = w.push, w.stack
    for index in range(len(node.ops) - 1, -1, -1):
        push(node.comparators[index], BIT_OR)
        stack.append(SPACED[node.ops[index]])
    push(node.left, BIT_OR)


def bool_op(w: Writer, node: tree.BoolOp) -> None:
    push, stack, values = w.push, w.stack, node.values if w.version < (3, 14) else _operands(node)
    needed, separator = (NOT, " and ") if node.op == "and" else (AND, " or ")
    last = len(values) - 1
    for index in range(last, -1, -1):
        if index != last:
            stack.append(separator)
        push(values[index], needed)


def _operands(node: tree.BoolOp) -> List[tree.Expr]:
    """With those of a first operand that is the same operator over values from several blocks, and has no unprotected tests. In
    parentheses it would get some: since 3.14 the compiler jumps from there past what is tested next."""
    values = node.values
    while True:
        first, inner = values[0], resolve(values[0])
        if inner is first or not isinstance(inner, tree.BoolOp) or inner.op != node.op or not inner.flat:
            return values
        if isinstance(first, Copied) and first.unprotected:
            return values
        values = inner.values + values[1:]


def if_exp(w: Writer, node: tree.IfExp) -> None:
    w.push(node.orelse, TEST)
    w.stack.append(" else ")
    w.push(node.test, OR)
    w.stack.append(" if ")
    w.push(node.body, OR)


def named_expr(w: Writer, node: tree.NamedExpr) -> None:
    w.push(node.value, TEST)
    w.stack.append(" := ")
    w.push(node.target, ATOM)


def yield_(w: Writer, node: tree.Yield) -> None:
    if node.value is None:
        w.out.append("yield")
        return
    w.out.append("yield ")
    w.push(node.value, bare(node.value))


def bare(node: tree.Expr) -> int:
    """The precedence to ask for where a tuple of two or more needs no parentheses."""
    node = resolve(node)
    kind = node.__class__
    if kind is tree.Tuple_:
        return TUPLE if len(node.items) > 1 else TEST  # type: ignore[attr-defined]
    if kind is tree.Const and type(node.value) is tuple:  # type: ignore[attr-defined]
        return TUPLE if len(node.value) > 1 else TEST  # type: ignore[attr-defined]
    return TEST


def yield_from(w: Writer, node: tree.YieldFrom) -> None:
    w.out.append("yield from ")
    w.push(node.value, TEST)


def await_(w: Writer, node: tree.Await) -> None:
    w.out.append("await ")
    w.push(node.value, ATOM)


def push_target(w: Writer, node: tree.Expr, separator: Tuple[str, ...] = (" ", ",")) -> None:
    """A target without parentheses around its tuple. In a comprehension its commas are not for breaking at."""
    node = resolve(node)
    if not isinstance(node, tree.Tuple_) or len(node.items) < 2:
        w.push(node, TEST)
        return
    separate = False
    for part in reversed(node.items):
        if separate:
            w.stack += separator
        separate = True
        w.push(part, TEST)
    w.stack.append(Mark(node.offset))


def comprehension(w: Writer, node: tree.Comprehension) -> None:
    stack, push = w.stack, w.push
    opening, closing = BRACKETS[node.kind]
    stack.append(closing)
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            push(condition, OR)
            stack += (" ", " if")
        push(generator.iter, OR)
        stack += (" ", " in")
        push_target(w, generator.target)
        stack.append(" async for " if generator.is_async else " for ")
    if node.value is not None:
        push(node.value, TEST)
        stack.append(": ")
        push(node.element, TEST)
    elif node.kind == "dict":  # {**element for ...}, since 3.15
        push(node.element, BIT_OR)
        stack.append("**")
    else:
        push(node.element, TEST)
    w.out.append(opening)


def lambda_(w: Writer, node: tree.Lambda) -> None:
    w.push(node.body, TEST)
    w.stack.append(": ")
    if node.parameters:
        push_parameters(w, node.parameters, (" ", ","))
        w.out.append("lambda ")
    else:
        w.out.append("lambda")


def push_parameters(w: Writer, parameters: Sequence[tree.Parameter], separator: Tuple[str, ...]) -> None:
    """The parameters of a function or lambda, with the markers `/` and `*` where they are due."""
    stack, first = w.stack, True
    for entry in reversed(with_markers(parameters)):
        if not first:
            stack += separator
        first = False
        if isinstance(entry, str):
            stack.append(entry)
            continue
        if entry.default is not None:
            w.push(entry.default, TEST)
            stack.append("=" if entry.annotation is None else " = ")
        if entry.annotation is not None:
            w.push(entry.annotation, TEST)
            stack.append(": ")
        stack.append(w.names[entry.name])
        if entry.kind == "vararg":
            stack.append("*")
        elif entry.kind == "kwarg":
            stack.append("**")


def with_markers(parameters: Sequence[tree.Parameter]) -> List[Union[str, tree.Parameter]]:
    result: List[Union[str, tree.Parameter]] = []
    before = ""
    star = False
    for parameter in parameters:
        kind = parameter.kind
        if before == "positional_only" and kind != before:
            result.append("/")
        if kind == "vararg":
            star = True
        elif kind == "keyword_only" and not star:
            result.append("*")
            star = True
        result.append(parameter)
        before = kind
    if before == "positional_only":
        result.append("/")
    return result


HANDLERS: Dict[type, Handler] = {
    Mark: mark,
    **subscripts.HANDLERS,
    tree.Const: constant,
    tree.Name: name,
    tree.Verbatim: verbatim,
    Local: name,
    Builtin: builtin,
    ClosureCell: closure_cell,
    tree.Attr: attribute,
    tree.Call: call,
    tree.Unary: unary,
    tree.Binary: binary,
    tree.Compare: compare,
    tree.BoolOp: bool_op,
    tree.IfExp: if_exp,
    tree.NamedExpr: named_expr,
    tree.Starred: starred,
    tree.Tuple_: tuple_,
    tree.List_: list_,
    tree.Set_: set_,
    tree.Dict_: dict_,
    tree.Yield: yield_,
    tree.YieldFrom: yield_from,
    tree.Await: await_,
    tree.Comprehension: comprehension,
    tree.Lambda: lambda_,
}
