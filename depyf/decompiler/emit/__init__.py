"""Emit: the last stage, from the tree to text and a line map.

The tree must be complete: no symbolic value undecided, no jump left. Nothing is evaluated or reordered here; the text
parses to the tree that was given.
"""

from __future__ import annotations

import sys
from typing import List, Optional, Sequence, Set, Tuple, Union

from .. import tree
from .lines import Emitted
from .names import NameTaken
from .printer import Docstring, Printer
from .statements import STATEMENTS

__all__ = ["Emitted", "emit"]


def emit(
    node: Union[tree.Module, tree.Stmt, Sequence[tree.Stmt]],
    *,
    indentation: int = 4,
    width: int = 100,
    version: Optional[Tuple[int, int]] = None,
) -> Emitted:
    """The text of a module, of one statement, or of a list of statements, for the grammar of `version`."""
    reserved: Set[str] = set()
    while True:
        printer = Printer(indentation, width, version or sys.version_info[:2], reserved, STATEMENTS)
        try:
            start(printer, node)
            printer.run()
        except NameTaken as taken:
            # a name chosen for something else is a real name further on: choose another one
            reserved.add(taken.name)
            continue
        text = "\n".join(printer.lines) + "\n"
        if not printer.lines:
            printer.marks.append([])  # an empty module is an empty line
        return Emitted(text, printer.w.objects.objects, printer.w.names.renamed, printer.marks)


def start(printer: Printer, node: Union[tree.Module, tree.Stmt, Sequence[tree.Stmt]]) -> None:
    docstring: Optional[str] = None
    if isinstance(node, tree.Module):
        statements: List[tree.Stmt] = node.body
        docstring = node.docstring
    elif isinstance(node, tree.Stmt):
        statements = [node]
    else:
        statements = list(node)
    printer.pending.extend(reversed(statements))
    if docstring is not None:
        printer.pending.append(Docstring(docstring, apart=True))
    elif not statements and not isinstance(node, tree.Module):
        printer.pending.append("pass")
