"""Passes over plain statements: the Python a person would have written. `tidy` is the list of them, in order."""

from __future__ import annotations

from typing import Any, List

from depyf.bytecode.codes import annotations_in_match_count, formats_are_constants, has_match

from ..marks import Lines
from ..prepare.stale_mangling import class_around
from ..tree import Stmt
from .asserts import asserted_names, make_asserts
from .behind_else import put_behind_else
from .bodies import drop_bookkeeping, drop_empty_defaults, drop_returns
from .dead_jumps import DeadJumps
from .endings import Endings, return_choices
from .finals import merge_finally
from .gaps import Gaps
from .indents import Indents
from .jumps_behind import write_jumps_once
from .one_line import TAKEN_APART, join_lines
from .private_order import order_private_names
from .returns_behind import take_out_of_tries, write_breaks
from .rotated import merge_rotated
from .several_items import join_items
from .single_cases import make_single_cases
from .split_tests import join_split_tests
from .star_endings import drop_unwritten_clauses
from .tested_outside import test_outside
from .unfolded import keep_displays, keep_formatted, keep_walruses
from .used_once import write_where_used

_ENTERS = frozenset(("ENTER", "ENTER_ASYNC"))
# without these, and without handlers, there is no `if`, `with` or `try`
_BEFORE_BODIES = _ENTERS | {"BRANCH"}
_COMPARES = frozenset(("COMPARE", "IS"))
_DISPLAYS = frozenset(("BUILD_LIST", "BUILD_SET"))
_ITERATES = frozenset(("ITER", "AITER"))


def tidy(body: Any, kind: str) -> List[Stmt]:
    statements: List[Stmt] = body.statements
    graph = body.regions.graph
    if kind == "class":
        drop_bookkeeping(statements)
    if kind in ("class", "module"):
        drop_returns(statements)  # these have no `return` at all
        drop_empty_defaults(statements)
    if graph.handlers:
        drop_unwritten_clauses(statements)
    if "RAISE" in graph.ops:
        lines = Lines([]) if body.generated else body.lines
        # before `if` bodies that raise are looked at as endings
        make_asserts(statements, asserted_names(graph), lines, kind not in ("class", "module"))
    if body.has_loops and "BRANCH" in graph.ops:
        merge_rotated(statements)
    if not body.generated and (graph.handlers or not graph.ops.isdisjoint(_BEFORE_BODIES)):
        if body.has_loops:
            join_split_tests(statements, body.lines)
        indents = Indents(body.code, body.lines, statements)
        if "BRANCH" in graph.ops:
            put_behind_else(statements, body.lines, indents)
        if body.has_loops:
            write_jumps_once(statements, indents)  # before what asks whether a branch leaves
        if graph.handlers:
            take_out_of_tries(statements, body.lines)
        if body.has_loops:
            write_breaks(statements, body.lines, indents)
        return_choices(statements, body.lines)  # needs the returns that the next pass drops
        restorer = indents if indents.are_known() else Gaps(body.lines, statements, DeadJumps(graph))
        restorer.restore()  # behind what looks for two returns in a row
        if not graph.ops.isdisjoint(_ENTERS):
            join_items(statements, body.lines, indents)  # when returns stand where they were written
    if not body.generated and not graph.ops.isdisjoint(TAKEN_APART):
        join_lines(statements, body.lines)
    if body.generated:
        write_where_used(body)
    if "COPY" in graph.ops:
        keep_walruses(statements)
    if "COPY" in graph.ops and "BRANCH" in graph.ops and not graph.ops.isdisjoint(_ITERATES):
        test_outside(statements)  # a test before a comprehension may have a walrus
    if "BUILD_SET" in graph.ops and not formats_are_constants():
        keep_formatted(statements)
    if not graph.ops.isdisjoint(_DISPLAYS):
        # when walruses stand where they were
        keep_displays(statements, "CONTAINS" in graph.ops, "ITER" in graph.ops, kind == "comprehension")
    if body.private:
        order_private_names(statements, body.private, class_around(body.code))  # when all else stands where it shall
    if not body.generated and has_match() and not graph.ops.isdisjoint(_COMPARES):
        if annotations_in_match_count() or "SETUP_ANNOTATIONS" not in graph.ops:
            make_single_cases(statements, body.lines)  # behind all that looks at an `if`
    Endings(body.lines, body.regions.written.returns).drop(statements)
    if graph.handlers:
        merge_finally(statements)  # when no `return` stands behind the inner one any more
    return statements
