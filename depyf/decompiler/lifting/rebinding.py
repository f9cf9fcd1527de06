"""Walruses that become statements of their own, before what was read in front of them: `a > (a := b)` with a name for its parts.

Reading a variable is nothing that anybody sees, so it waits on the stack for where it is used. Where a walrus that stands behind
it is assigned to a temporary first, the variable would be read too late: it gets a temporary, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional

from ..structuring.expressions import expressions_in
from ..tree import Assign, Expr, ExprStmt, Name, NamedExpr
from .values import Chained, Local

if TYPE_CHECKING:
    from .lift import Lifter


def save_reads_before_walruses(lifter: Lifter, operands: Optional[List[Expr]]) -> None:
    """Before everything pending is assigned; `operands` are those that are off the stack already."""
    stored: Dict[str, int] = {}  # the last walrus of each name, by its offset: instructions of a block are in the order of these
    for value in lifter.pending:
        stored.update(_stored_in(value))
    for values in (lifter.stack, operands or []) if stored else ():
        for index, value in enumerate(values):
            if isinstance(value, Local) and 0 <= value.offset < stored.get(value.id, -1):
                temporary = lifter.temporaries.new()
                lifter.out.append(Assign([Name(temporary)], value, value.offset))
                values[index] = Local(temporary, value.offset)


def _stored_in(value: Expr) -> Dict[str, int]:
    found = [(target, value.offset) for target in value.targets] if isinstance(value, Chained) else []
    found += [(one.target, one.offset) for one in expressions_in(ExprStmt(value)) if isinstance(one, NamedExpr)]
    return {target.id: offset for target, offset in found if isinstance(target, Name)}
