"""The same program in another layout: every module compiled from its source and from the source re-laid must be EQUAL.

Other lines give other jump threading, other copies of small blocks and other fused instructions, so this shows that the proof
sees through them. Re-laid by ast.unparse (3.9+), or by moving tokens to other lines, which 3.8 needs.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import sys
import tokenize
import warnings
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.progress import percent, progress, table  # noqa: E402
from tools.roundtrip import EQUAL, MODULE, STATUSES, Outcome, pairs, prove, reason_class  # noqa: E402
from tools.sources import Source, choose, compile_text, kind, nested, stdlib_files  # noqa: E402


class Relaid(NamedTuple):
    """The outcomes of one module: its own, and one for each of its functions."""

    module: Outcome
    functions: List[Outcome]


def by_unparse(text: bytes) -> str:
    """What ast.unparse makes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.unparse(ast.parse(text))


def by_tokens(text: bytes) -> str:
    """A blank line after each statement, a new line after each comma in brackets, a backslash before each `=` or `+` elsewhere."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
    lines = text.decode(encoding).splitlines(keepends=True)
    inserted: List[Tuple[int, int, str]] = []
    depth = 0
    interpolated = 0  # inside an f-string of 3.12+, whose tokens must stay where they are
    for token in tokenize.tokenize(io.BytesIO(text).readline):
        name = tokenize.tok_name[token.type]
        interpolated += name in ("FSTRING_START", "TSTRING_START")
        interpolated -= name in ("FSTRING_END", "TSTRING_END")
        if interpolated:
            continue
        if token.type == tokenize.NEWLINE and token.string:
            inserted.append((*token.end, "\n"))
        if token.type != tokenize.OP:
            continue
        depth += token.string in ("(", "[", "{")
        depth -= token.string in (")", "]", "}")
        if depth and token.string == ",":
            inserted.append((*token.end, "\n"))
        elif not depth and token.string in ("=", "+", "+="):
            inserted.append((*token.start, "\\\n"))
    for row, column, piece in reversed(inserted):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + piece + line[column:]
    return "".join(lines)


METHODS = {"unparse": by_unparse, "tokens": by_tokens}


def default_method() -> str:
    """unparse where there is one."""
    return "unparse" if hasattr(ast, "unparse") else "tokens"


def relay(source: Source, method: str) -> Optional[Tuple[Any, Any]]:
    """Both code objects; None if the file cannot be compiled or re-laid."""
    text = source.read()
    try:
        original = compile_text(text, source.path)
        relaid = METHODS[method](text)
        if method == "unparse" and ast.dump(ast.parse(relaid)) != ast.dump(ast.parse(text)):
            return None  # ast.unparse itself changed the program (an escaped surrogate, an infinity in a complex number)
        return original, compile_text(relaid, source.path)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError, IndexError):
        return None


def compare(source: Source, method: str, timeout: float) -> Optional[Relaid]:
    """The proof of one module and of its functions."""
    both = relay(source, method)
    if both is None:
        return None
    whole = prove(MODULE, both[0], both[1], timeout)
    if whole.status == EQUAL:
        return Relaid(whole, [Outcome(i.qualname, EQUAL) for i in nested(both[0]) if kind(i.code) == "function"])
    functions = []
    for qualname, mine, theirs in pairs(both[0], both[1]):
        if kind(mine) == "function":
            functions.append(prove(qualname, mine, theirs, timeout) if theirs is not None else Outcome(qualname, "FAILED", "lost"))
    return Relaid(whole, functions)


def outcomes(sources: List[Source], method: str, timeout: float) -> Iterator[Tuple[Source, Optional[Relaid]]]:
    """Module by module."""
    for source in progress(sources, label=f"re-laid by {method}"):
        yield source, compare(source, method, timeout)


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="relaid", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--method", choices=sorted(METHODS), default=default_method())
    it.add_argument("--tests", action="store_true", help="the standard library's tests too")
    it.add_argument("--sample", type=int, help="modules chosen at random")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--timeout", type=float, default=60.0)
    it.add_argument("--reasons", type=int, default=10)
    options = it.parse_args(arguments)
    sources = choose(stdlib_files("all" if options.tests else "library"), options.sample, options.seed)
    counts: Dict[str, int] = Counter()
    reasons: Dict[str, List[str]] = {}
    modules = equal_modules = left_out = 0
    for source, relaid in outcomes(sources, options.method, options.timeout):
        if relaid is None:
            left_out += 1
            continue
        modules += 1
        equal_modules += relaid.module.status == EQUAL
        counts.update(outcome.status for outcome in relaid.functions)
        for outcome in [relaid.module] + relaid.functions:
            if outcome.status != EQUAL:
                reasons.setdefault(f"{outcome.status}  {reason_class(outcome.reason)}", []).append(f"{source.name}:{outcome.qualname}")
    for key, places in sorted(reasons.items(), key=lambda item: -len(item[1]))[: options.reasons]:
        print(f"{len(places):6,}  {key}   e.g. {', '.join(places[:3])}")
    total = sum(counts.values())
    header = ("", "left out", "modules", "EQUAL", "functions", *STATUSES, "share")
    line = ["{}.{} {}".format(*sys.version_info[:2], options.method), left_out, modules, equal_modules, total]
    print(table(header, [line + [counts[status] for status in STATUSES] + [percent(counts[EQUAL], total)]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
