"""Make a failing piece of source small: delta debugging over its AST (over its lines on 3.8, which cannot unparse).

`minimise(text, fails)` keeps the program failing while it drops statements, replaces compound statements by their bodies and
expressions by parts of themselves. As a command: given module:qualname, reduce that function to a small case.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import sys
import textwrap
import time
from typing import Any, Callable, Iterator, List, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.roundtrip import EQUAL, Outcome, attempt, prove, reason_class  # noqa: E402
from tools.sources import compile_text, stdlib_files  # noqa: E402

Fails = Callable[[str], bool]


def check(text: str, timeout: float = 20.0) -> Outcome:
    """There and back with a whole module's text; the outcome's reason says what failed. Not compiling is EQUAL: no failure."""
    from depyf import Decompiler

    try:
        code = compile_text(text, "<case>")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Outcome("<module>", EQUAL, "does not compile")
    back, failure = attempt("decompile", lambda: Decompiler(code).decompile(), timeout)
    if back is None:
        return Outcome("<module>", "FAILED", failure)
    again, failure = attempt("the text does not compile", lambda: compile_text(back, "<case>"), timeout)
    if again is None:
        return Outcome("<module>", "FAILED", failure)
    return prove("<module>", code, again, timeout)


def same_failure(reason: str) -> Fails:
    """A predicate: the round trip fails with a reason of the same class."""
    wanted = reason_class(reason)

    def fails(text: str) -> bool:
        outcome = check(text)
        return outcome.status != EQUAL and reason_class(outcome.reason) == wanted

    return fails


def _lists(tree: ast.AST) -> Iterator[Tuple[ast.AST, str, List[Any]]]:
    """Every list of statements, handlers, cases, arguments or elements of a tree."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value:
                yield node, field, value


def _without(tree: ast.AST) -> Iterator[Callable[[], Callable[[], None]]]:
    """Edits that remove items of lists, larger pieces first; each gives back the way to undo it."""
    found = sorted(_lists(tree), key=lambda item: -len(list(ast.walk(item[0]))))
    for node, field, items in found:
        size = len(items)
        chunk = size
        while chunk:
            for start in range(0, size, chunk):
                yield _removal(node, field, start, chunk)
            chunk //= 2


def _removal(node: ast.AST, field: str, start: int, chunk: int) -> Callable[[], Callable[[], None]]:
    def apply() -> Callable[[], None]:
        before = list(getattr(node, field))
        after = before[:start] + before[start + chunk :]
        if field == "body" and not after and isinstance(node, ast.stmt):
            after = [ast.Pass()]
        setattr(node, field, after)
        return lambda: setattr(node, field, before)

    return apply


def _simpler(tree: ast.AST) -> Iterator[Callable[[], Callable[[], None]]]:
    """Edits that put a part in the place of the whole: a body for its statement, an operand for its expression, a name."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                for part in _parts(value):
                    yield _replacement(node, field, None, part)
                if field in ("returns", "annotation", "msg", "cause", "guard"):
                    yield _replacement(node, field, None, None)
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.stmt):
                        for body in ("body", "orelse", "finalbody", "handlers"):
                            inside = getattr(item, body, None)
                            if isinstance(inside, list) and inside and isinstance(inside[0], ast.stmt):
                                if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                                    yield _replacement(node, field, index, inside)
                    elif isinstance(item, ast.expr):
                        for part in _parts(item):
                            yield _replacement(node, field, index, part)


def _parts(expression: ast.expr) -> Iterator[ast.expr]:
    if isinstance(expression, (ast.Name, ast.Constant)) or isinstance(getattr(expression, "ctx", None), (ast.Store, ast.Del)):
        return
    yield ast.Name("a", ast.Load())
    for child in ast.iter_child_nodes(expression):
        if isinstance(child, ast.expr) and not isinstance(child, ast.Starred):
            yield child


def _replacement(node: ast.AST, field: str, index: Optional[int], new: Any) -> Callable[[], Callable[[], None]]:
    def apply() -> Callable[[], None]:
        if index is None:
            before = getattr(node, field)
            setattr(node, field, new)
            return lambda: setattr(node, field, before)
        items = list(getattr(node, field))
        if index >= len(items):
            return lambda: None
        changed = items[:index] + (list(new) if isinstance(new, list) else [new]) + items[index + 1 :]
        setattr(node, field, changed)
        return lambda: setattr(node, field, items)

    return apply


def _written(tree: ast.AST) -> Optional[str]:
    try:
        return ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree))) + "\n"
    except Exception:
        return None


def by_tree(text: str, fails: Fails, seconds: float) -> str:
    """Edits over and over until none helps or the time is up."""
    start = time.monotonic()
    tree = ast.parse(text)
    best = _written(tree)
    if best is None or not fails(best):
        return text
    smaller = True
    while smaller and time.monotonic() - start < seconds:
        smaller = False
        for edits in (_without, _simpler):
            for edit in edits(tree):
                if time.monotonic() - start > seconds:
                    return best
                undo = edit()
                candidate = _written(tree)
                if candidate is not None and len(candidate) < len(best) and fails(candidate):
                    best, smaller = candidate, True
                    tree = ast.parse(best)
                    break  # the tree is another one now
                undo()
            if smaller:
                break
    return best


def by_lines(text: str, fails: Fails, seconds: float) -> str:
    """Remove runs of lines while the rest still compiles and fails."""
    start = time.monotonic()
    lines = text.splitlines(keepends=True)
    chunk = max(len(lines) // 2, 1)
    while chunk and time.monotonic() - start < seconds:
        index, removed = 0, False
        while index < len(lines) and time.monotonic() - start < seconds:
            candidate = lines[:index] + lines[index + chunk :]
            if candidate and fails("".join(candidate)):
                lines, removed = candidate, True
            else:
                index += chunk
        if not removed:
            chunk //= 2
    return "".join(lines)


def minimise(text: str, fails: Fails, seconds: float = 60.0) -> str:
    """The smallest text found in the time that still fails."""
    return by_tree(text, fails, seconds) if hasattr(ast, "unparse") else by_lines(text, fails, seconds)


def function_source(module: str, qualname: str) -> str:
    """The source of one function of the standard library as a module of its own, inside its classes if it has any."""
    source = next(source for source in stdlib_files("all") if source.name == module)
    text = source.read().decode("utf-8", "replace")
    body: List[ast.stmt] = ast.parse(text).body
    path = [part for part in qualname.split(".") if part != "<locals>" and not part.startswith("<")]
    heads: List[str] = []
    found: Any = None
    for part in path:
        named = [n for statement in body for n in ast.walk(statement) if getattr(n, "name", None) == part and isinstance(n, ast.stmt)]
        if not named:
            break
        if isinstance(found, ast.ClassDef):
            heads.append(f"class {found.name}:")
        found = named[0]
        body = getattr(found, "body", [])
    if found is None:
        return text
    first = min([found.lineno] + [decorator.lineno for decorator in found.decorator_list])
    piece = textwrap.dedent("\n".join(text.splitlines()[first - 1 : found.end_lineno])) + "\n"
    for head in reversed(heads):
        piece = f"{head}\n{textwrap.indent(piece, '    ')}"
    return piece


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="minimise", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("target", help="module:qualname of the standard library, or a .py file")
    it.add_argument("--seconds", type=float, default=60.0)
    it.add_argument("-o", "--output", metavar="FILE", help="write the case here instead of printing it")
    options = it.parse_args(arguments)
    if options.target.endswith(".py"):
        with open(options.target, encoding="utf-8") as file:
            text = file.read()
    else:
        text = function_source(*options.target.split(":", 1))
    outcome = check(text)
    if outcome.status == EQUAL:
        print(f"{options.target} by itself comes back EQUAL {outcome.reason}")
        return 1
    small = minimise(text, same_failure(outcome.reason), options.seconds)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(small)
    print(f"# {outcome.status}: {outcome.reason.splitlines()[0]}\n{small}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
