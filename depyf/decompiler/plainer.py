"""Which functions to decompile plainly, where a text cannot be made or is not proven.

What recognises statements may be wrong about a shape that nobody foresaw. The plain text of a function concludes nothing from lines
and gives a name to all that crosses blocks: longer, but with less to be wrong about. Only functions can have it, since in
modules and classes such names could be seen.
"""

from __future__ import annotations

from types import CodeType
from typing import Dict, FrozenSet, Iterator, List, Tuple

from depyf.bytecode.codes import is_function
from depyf.utils import collect_all_code_objects


def functions_in(code: CodeType) -> FrozenSet[int]:
    """Every function in `code`, itself among them, by identity: constants of generated code may have no hash."""
    return frozenset(id(one) for one in collect_all_code_objects(code) if is_function(one))


def unproven(code: CodeType, compiled: CodeType) -> FrozenSet[int]:
    """The innermost functions of `code` that are not proven equal to their partners in `compiled`."""
    from depyf.proof import verify

    found = set()
    work = [(code, compiled)]
    while work:
        one, other = work.pop()
        if verify(one, other):
            continue
        inside = [pair for pair in _pairs(one, other) if not verify(*pair)]
        work += inside
        if not inside and is_function(one):
            found.add(id(one))
    return frozenset(found)


def _children(code: CodeType) -> List[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _pairs(code: CodeType, compiled: CodeType) -> Iterator[Tuple[CodeType, CodeType]]:
    """Nested code objects of both, by name and in order among those of one name."""
    partners: Dict[str, List[CodeType]] = {}
    for child in reversed(_children(compiled)):
        partners.setdefault(child.co_name, []).append(child)
    for child in _children(code):
        if partners.get(child.co_name):
            yield child, partners[child.co_name].pop()
