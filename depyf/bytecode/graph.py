"""`graph_of`: the whole way from a code object to its control-flow graph.

Every failure comes out as DecompilationError with the code object's name; DEPYF_CHECK=1 checks the laws each time.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Set, Tuple

from depyf import checking
from depyf.bytecode.blockstack import walk_block_stack
from depyf.bytecode.builder import Builder
from depyf.bytecode.canonical import FreeName, Graph
from depyf.bytecode.cfg import make_graph
from depyf.bytecode.closures import mark_closures
from depyf.bytecode.codes import local_names
from depyf.bytecode.expand import expand
from depyf.bytecode.folds import fold
from depyf.bytecode.lowering import lower
from depyf.bytecode.opcodes import Version
from depyf.bytecode.ranges import Protection, read_exception_table
from depyf.bytecode.raw import Raw, decode


def graph_of(code: Any, version: Optional[Version] = None) -> Graph:
    """The control-flow graph of `code`, which was compiled by CPython `version` (the running one by default)."""
    if version is None:
        version = sys.version_info[:2]
    raw = decode(code, version)
    if version >= (3, 11):
        protection = read_exception_table(raw)
    elif version >= (3, 9):
        protection = walk_block_stack(raw)
    else:
        raw, protection = expand(raw)
    builder = Builder(raw, protection, _pools(code, version))
    if version >= (3, 11) and code.co_freevars and raw.layout.number["COPY_FREE_VARS"] not in raw.ops:
        raise raw.error("the free variables are not copied into the frame", 0)
    fold(builder)
    lower(builder, _leaders(raw, protection))
    graph = make_graph(builder)
    graph.lines = raw.unit_lines
    if version >= (3, 13):
        mark_closures(graph)
    if checking.laws:
        from depyf.bytecode.laws import check

        check(graph, version)
    return graph


def _leaders(raw: Raw, protection: Protection) -> Set[int]:
    """The instructions that control comes to other than from the one before."""
    leaders: Set[int] = {0, *raw.targets.values(), *raw.nexts.values()}
    leaders.update([target for target, _, _ in protection.handlers])
    return leaders


def _pools(code: Any, version: Version) -> Dict[str, Tuple[Any, ...]]:
    """The tables that arguments index. Since 3.11 locals and cells share one numbering of the frame's slots."""
    names, cells = local_names(code), code.co_cellvars
    free = code.co_freevars
    if free and not set(free).isdisjoint((*names, *cells)):
        free = tuple([FreeName(name) if name in names or name in cells else name for name in free])
    if version >= (3, 11):
        if cells:
            known = set(names)
            names += tuple([cell for cell in cells if cell not in known])
        names += free
        cells = names
    else:
        cells += free
    return {"consts": code.co_consts, "names": code.co_names, "locals": names, "cells": cells}
