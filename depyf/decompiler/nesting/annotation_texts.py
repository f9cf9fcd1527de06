"""The text of an annotation under `from __future__ import annotations`, as a person would have written it.

CPython 3.8 folds constants before it makes the text: `Callable[..., None]` becomes 'Callable[(Ellipsis, None)]', the text of a
subscript with a constant tuple, which no source but the first has.
"""

from __future__ import annotations

import ast
from typing import List, Tuple

from depyf.bytecode.codes import folds_annotations

Edit = Tuple[int, int, bytes]  # from where to where, and what stands there instead


def written(text: str) -> str:
    """The source that has this text; `text` itself where nothing was folded."""
    if not folds_annotations() or "Ellipsis" not in text and "[(" not in text:
        return text
    source = f"({text})"
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    edits: List[Edit] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and all(map(_is_constant, node.elts)):
            edits.extend(_span(e, b"...") for e in node.elts if isinstance(e, ast.Name))
        if isinstance(node, ast.Subscript):
            edits.extend(_without_parentheses(node, source.encode()))
    made = source.encode()
    for start, end, new in sorted(edits, reverse=True):
        made = made[:start] + new + made[end:]
    return made[1:-1].decode()


def _is_constant(node: ast.expr) -> bool:
    """Whether a node may stand in the text of a constant tuple, where ... is written by its name."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant) or isinstance(node, ast.Name) and node.id == "Ellipsis"


def _without_parentheses(node: ast.Subscript, source: bytes) -> List[Edit]:
    """Only a tuple that was folded has parentheses in a subscript; one of less than two items needs them."""
    inside = getattr(node.slice, "value", None)
    if not isinstance(inside, ast.Tuple) or len(inside.elts) < 2:
        return []
    start, end, _ = _span(inside, b"")
    if source[start : start + 1] != b"(" or not all(map(_is_constant, inside.elts)):
        return []
    return [(start, start + 1, b""), (end - 1, end, b"")]


def _span(node: ast.expr, new: bytes) -> Edit:
    assert node.end_col_offset is not None
    return node.col_offset, node.end_col_offset, new
