"""Subscripts: slices have their own syntax there, and a tuple needs no parentheses."""

from __future__ import annotations

from typing import Dict, Optional

from .. import tree
from ..lifting.values import resolve
from . import literals
from .precedence import ATOM, TEST
from .writer import COMMA, Handler, Mark, Writer


def item(w: Writer, node: tree.Item) -> None:
    w.stack.append("]")
    push_key(w, resolve(node.key))
    w.stack.append("[")
    w.push(node.value, ATOM)


def push_key(w: Writer, key: tree.Expr) -> None:
    """The inside of a subscript, where slices have their own syntax and a tuple needs no parentheses."""
    if key.__class__ is tree.Const:
        key = open_key(key)
    if isinstance(key, tree.Slice):
        push_slice(w, key)
    elif isinstance(key, tree.Tuple_) and key.items:
        items = [resolve(part) for part in key.items]
        items = [open_key(p) if isinstance(p, tree.Const) and type(p.value) is slice else p for p in items]
        starred = any(part.__class__ is tree.Starred for part in items)
        plain = len(items) == 1 and not starred and items[0].__class__ is not tree.Slice
        if plain or (starred and w.version < (3, 11)):
            w.push(key, TEST)
            return
        if len(items) == 1 and not starred:
            w.stack.append(",")
        separator = ""
        for part in reversed(items):
            if separator:
                w.stack.append(separator)
            separator = COMMA
            if isinstance(part, tree.Slice):
                push_slice(w, part)
            else:
                w.push(part, TEST)
        w.stack.append(Mark(key.offset))
    else:
        w.push(key, TEST)


def open_key(key: tree.Const) -> tree.Expr:
    """A constant key with its tuple and its slices (constants themselves since 3.14) opened."""
    value = key.value
    if type(value) is slice:
        parts = [None if part is None else tree.Const(part) for part in (value.start, value.stop, value.step)]
        return tree.Slice(parts[0], parts[1], parts[2], key.offset)
    if type(value) is tuple and all(type(part) is slice or literals.is_literal(part) for part in value):
        return tree.Tuple_([open_key(tree.Const(part)) if type(part) is slice else tree.Const(part) for part in value])
    return key


def push_slice(w: Writer, node: tree.Slice) -> None:
    start, stop, step = (absent(part) for part in (node.start, node.stop, node.step))
    if step is not None:
        w.push(step, TEST)
        w.stack.append(":")
    if stop is not None:
        w.push(stop, TEST)
    w.stack.append(":")
    if start is not None:
        w.push(start, TEST)
    w.stack.append(Mark(node.offset))


def absent(node: Optional[tree.Expr]) -> Optional[tree.Expr]:
    """None where a slice's part is left out, or is the constant None: both mean the same."""
    if node is not None:
        node = resolve(node)
        if isinstance(node, tree.Const) and node.value is None:
            return None
    return node


def bare_slice(w: Writer, node: tree.Slice) -> None:
    """A slice that is not a key is written as the call that makes it."""
    w.stack.append(")")
    w.push_list([part or tree.Const(None) for part in (node.start, node.stop, node.step)], TEST)
    w.out.append("slice")
    w.stack.append("(")


HANDLERS: Dict[type, Handler] = {
    tree.Item: item,
    tree.Slice: bare_slice,
}
