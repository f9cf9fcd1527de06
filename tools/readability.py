"""How near a decompiled text is to the source a person wrote: function by function, by their normalised ASTs.

The measure is strict: one node that differs after `tools.normalise` makes the whole function (nested ones included) differ.
A function that differs may still have compiled to the very same bytecode; then no decompiler could know better, and
that share is counted beside it.
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from tools.normalise import FUNCTIONS, normalise
from tools.sources import nested


class Difference(NamedTuple):
    """One function that came back with another AST: where it differs first, and both sides as text."""

    module: str
    qualname: str
    kind: str
    source: str
    decompiled: str
    same_bytecode: bool


class Readability(NamedTuple):
    """The figures of one module."""

    functions: int
    same: int
    differences: List[Difference]


def functions_of(tree: ast.AST) -> Dict[Tuple[str, int], ast.AST]:
    """Every def of a module by its dotted path and its number among those of one path."""
    found: Dict[Tuple[str, int], ast.AST] = {}
    numbers: Dict[str, int] = {}
    stack: List[Tuple[str, ast.AST]] = [("", tree)]
    while stack:
        prefix, node = stack.pop()
        for child in reversed(list(ast.iter_child_nodes(node))):
            inside = prefix
            if isinstance(child, FUNCTIONS + (ast.ClassDef,)):
                inside = f"{prefix}{child.name}."
            stack.append((inside, child))
        if isinstance(node, FUNCTIONS):
            path = prefix[:-1]
            numbers[path] = numbers.get(path, -1) + 1
            found[path, numbers[path]] = node
    return found


def _text(node: Any) -> str:
    if node is None:
        return "(nothing)"
    if isinstance(node, list):
        return "\n".join(map(_text, node)) or "(nothing)"
    if not isinstance(node, ast.AST):
        return repr(node)
    try:
        return ast.unparse(ast.fix_missing_locations(node))
    except Exception:  # 3.8 has no unparse
        return ast.dump(node)


def _name(node: Any) -> str:
    return type(node).__name__ if isinstance(node, ast.AST) else "nothing" if node is None else "value"


def first_difference(mine: Any, theirs: Any, parent: str = "") -> Optional[Tuple[str, Any, Any]]:
    """Where two trees differ first, outermost statement that shows it: (kind, mine, theirs)."""
    if type(mine) is not type(theirs):
        return f"{parent}: {_name(mine)} came back as {_name(theirs)}", mine, theirs
    if isinstance(mine, list):
        for index in range(max(len(mine), len(theirs))):
            left = mine[index] if index < len(mine) else None
            right = theirs[index] if index < len(theirs) else None
            found = first_difference(left, right, parent)
            if found is not None:
                return found
        return None
    if not isinstance(mine, ast.AST):
        if mine == theirs and type(mine) is type(theirs):
            return None
        return f"{parent}: another value", mine, theirs
    for field in mine._fields:
        left, right = getattr(mine, field, None), getattr(theirs, field, None)
        found = first_difference(left, right, f"{type(mine).__name__}.{field}")
        if found is not None:
            kind, inner_mine, inner_theirs = found
            small = not isinstance(inner_mine, ast.stmt) and not isinstance(inner_theirs, ast.stmt)
            if isinstance(mine, ast.stmt) and small:
                return kind, mine, theirs
            return found
    return None


def _same_code(mine: types.CodeType, theirs: types.CodeType) -> bool:
    """The same instructions, names and constants all the way down; lines and file name aside."""
    for attribute in ("co_code", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_flags", "co_exceptiontable"):
        if getattr(mine, attribute, None) != getattr(theirs, attribute, None):
            return False
    if len(mine.co_consts) != len(theirs.co_consts):
        return False
    for left, right in zip(mine.co_consts, theirs.co_consts):
        if isinstance(left, types.CodeType) and isinstance(right, types.CodeType):
            if not _same_code(left, right):
                return False
        elif repr(left) != repr(right) or type(left) is not type(right):
            return False
    return True


def _codes(code: Optional[types.CodeType]) -> Dict[Tuple[str, int], types.CodeType]:
    found: Dict[Tuple[str, int], types.CodeType] = {}
    numbers: Dict[str, int] = {}
    for item in nested(code) if code is not None else ():
        numbers[item.qualname] = numbers.get(item.qualname, -1) + 1
        found[item.qualname, numbers[item.qualname]] = item.code
    return found


def _differences(
    module: str, mine: Dict[Tuple[str, int], ast.AST], theirs: Dict[Tuple[str, int], ast.AST], codes: Tuple[Any, Any]
) -> Iterator[Difference]:
    original, recompiled = _codes(codes[0]), _codes(codes[1])
    for key, function in mine.items():
        if key not in theirs:
            yield Difference(module, key[0], "the function did not come back", _text(function), "", False)
            continue
        found = first_difference(function, theirs[key])
        if found is not None:
            left, right = original.get(key), recompiled.get(key)
            same = left is not None and right is not None and _same_code(left, right)
            yield Difference(module, key[0], found[0], _text(found[1]), _text(found[2]), same)


def measure(
    module: str,
    source: Any,
    decompiled: Optional[str],
    original: Optional[types.CodeType] = None,
    recompiled: Optional[types.CodeType] = None,
) -> Readability:
    """Compare a module's source with its decompiled text; with both code objects, look for equal bytecode too."""
    mine = functions_of(normalise(ast.parse(source)))
    try:
        theirs = functions_of(normalise(ast.parse(decompiled), drops_dead=False)) if decompiled is not None else {}
    except SyntaxError:
        theirs = {}
    found = list(_differences(module, mine, theirs, (original, recompiled)))
    return Readability(len(mine), len(mine) - len(found), found)


def report(results: List[Readability], commonest: int = 10, examples: int = 2) -> str:
    """The figures over all modules, and the commonest differences with small examples."""
    total = sum(result.functions for result in results)
    same = sum(result.same for result in results)
    differences = [difference for result in results for difference in result.differences]
    beyond = sum(difference.same_bytecode for difference in differences)
    share = 100.0 / max(total, 1)
    lines = [
        f"readability: {same:,} of {total:,} functions have the AST of their source: {same * share:.2f} %",
        f"             {beyond:,} more differ but compile to the same bytecode: {(same + beyond) * share:.2f} %",
    ]
    for kind, count in Counter(difference.kind for difference in differences).most_common(commonest):
        of_kind = [difference for difference in differences if difference.kind == kind]
        alike = sum(difference.same_bytecode for difference in of_kind)
        lines.append(f"{count:7,}  {kind}" + (f" ({alike:,} of them with the same bytecode)" if alike else ""))
        of_kind.sort(key=lambda difference: (difference.same_bytecode, len(difference.source) + len(difference.decompiled)))
        for example in of_kind[:examples]:
            lines.append(f"         {example.module}:{example.qualname}")
            lines.extend("           - " + line for line in example.source.splitlines()[:8])
            lines.extend("           + " + line for line in example.decompiled.splitlines()[:8])
    return "\n".join(lines)
