"""`verify`: from two code objects to the verdict, nested code objects included.

WHAT IS ASSUMED, here and nowhere else (docs/proof.md says the same at more length). Two code objects are equal if no
program can tell them apart, except by:
- line numbers, file names, tracebacks, f_lasti, tracing and profiling;
- object lifetime: when a value that is no longer used is let go;
- the locals of a function as frames show them. A call of what the name `locals`, `vars`, `eval`, `exec` or `dir` gives
  sees the locals that both sides have by name; names that only one of them has are temporaries. `super()` sees the
  first parameter;
- exceptions that can come at any instruction: MemoryError, KeyboardInterrupt and other signals, a full stack; what another
  thread does between two instructions;
- the identity of immutable constants and of tuples and slices made of them, and the order of a constant frozenset;
- the truth of an object that one of them tests twice with nothing in between, and the other once, or that either keeps on
  the stack to be tested again at once: CPython's own jump threading takes it to be the same;
- what iter() gives for an argument that one of them steps as an iterator and never asked for one: the argument itself,
  as for every iterator. A generator expression gets its iterator that way;
- what the free variables, the globals and the builtins hold: both run in the same environment.
"""

from __future__ import annotations

from types import CodeType, FunctionType, MethodType
from typing import Any, List, Optional, Set, Tuple

from depyf import checking
from depyf.bytecode import Graph, graph_of
from depyf.errors import DecompilationError
from depyf.proof.metadata import QualifiedNames, ambiguous, defaults_difference, metadata_difference, same_slots
from depyf.proof.shape import same_bytes, same_graphs
from depyf.proof.slots import separate_free
from depyf.proof.threading import thread
from depyf.proof.verdict import DIFFERENT, EQUAL, UNKNOWN, Failure, Verdict
from depyf.proof.walk import Walk

Task = Tuple[CodeType, CodeType, Tuple[str, ...]]


def verify(a: Any, b: Any) -> Verdict:
    """Whether two functions, methods or code objects behave the same. Never raises because of what they contain."""
    function, other = _unwrap(a), _unwrap(b)
    if isinstance(function, FunctionType) and isinstance(other, FunctionType):
        reason = defaults_difference(function, other)
        if reason is not None:
            return Verdict(DIFFERENT, reason, where=(function.__name__,))
    try:
        return _verify_codes(_code(function), _code(other))
    except RecursionError:
        return Verdict(UNKNOWN, "constants are nested too deeply")


def _verify_codes(a: CodeType, b: CodeType) -> Verdict:
    """Prove the pair and every pair of nested code objects that the proof comes to rest on."""
    names = QualifiedNames(a, b)
    todo: List[Task] = [(a, b, (a.co_name,))]
    seen: Set[Tuple[int, int]] = set()
    doubt: Optional[Verdict] = None
    while todo:
        first, second, where = todo.pop()
        if first is second or (id(first), id(second)) in seen:
            if first is second and len(where) == 1:
                doubt = _readable(first, where)
            continue
        seen.add((id(first), id(second)))
        verdict, codes = _verify_pair(first, second, where, names)
        if verdict.status == DIFFERENT:
            return verdict
        if verdict.status == UNKNOWN:
            doubt = verdict if doubt is None else doubt
        todo += [(one, other, (*where, one.co_name)) for one, other in reversed(codes)]
    return Verdict(EQUAL) if doubt is None else doubt


def _readable(code: CodeType, where: Tuple[str, ...]) -> Optional[Verdict]:
    """A code object is equal to itself, if it is one at all."""
    try:
        graph_of(code)
    except DecompilationError as error:
        return Verdict(UNKNOWN, str(error), where=where)
    return None


def _verify_pair(
    a: CodeType, b: CodeType, where: Tuple[str, ...], names: QualifiedNames
) -> Tuple[Verdict, List[Tuple[CodeType, CodeType]]]:
    reason = metadata_difference(a, b)
    if reason is None and len(where) > 1:
        first, second = getattr(a, "co_qualname", ""), getattr(b, "co_qualname", "")
        if not names.agree(first, second):
            reason = f"the qualified names differ: {first!r} and {second!r}"
    if reason is not None:
        return Verdict(DIFFERENT, reason, where=where), []
    try:
        graph = graph_of(a)  # even if the bytes are the same: they must be bytecode
        codes = same_bytes(graph, b)
        if codes is not None:
            return Verdict(EQUAL), codes
        graphs = graph, graph_of(b)
    except DecompilationError as error:
        return Verdict(UNKNOWN, str(error), where=where), []
    if (ambiguous(a) or ambiguous(b)) and not same_slots(*graphs):
        return Verdict(UNKNOWN, "one name means two variables of the frame", where=where), []
    separate_free(*graphs)
    codes = same_graphs(*graphs)
    if codes is not None:
        return Verdict(EQUAL), codes
    verdict, walk = _walk(*graphs, names, where, True)
    if not verdict and walk.values.folded:
        verdict, walk = _walk(*graphs, names, where, False)
    if verdict.status == DIFFERENT and thread(graphs[0]) | thread(graphs[1]):
        threaded, walk = _walk(*graphs, names, where, True)
        verdict = threaded if threaded else verdict
    return verdict, walk.codes if verdict else []


def _walk(
    first: Graph, second: Graph, names: QualifiedNames, where: Tuple[str, ...], folding: bool
) -> Tuple[Verdict, Walk]:
    walk = Walk(first, second, names)
    walk.values.folding = folding
    try:
        walk.run()
    except Failure as failure:
        return Verdict(failure.status, failure.reason, walk.offsets(), walk.path(), where), walk
    except (IndexError, KeyError, AssertionError, TypeError, ValueError) as error:
        # a law of the bytecode that does not hold, or a fault of ours: either way nothing is proven
        if checking.laws:
            raise
        return Verdict(UNKNOWN, f"the walk failed: {type(error).__name__}: {error}", walk.offsets(), (), where), walk
    return Verdict(EQUAL), walk


def _unwrap(obj: Any) -> Any:
    return obj.__func__ if isinstance(obj, MethodType) else obj


def _code(obj: Any) -> CodeType:
    code = obj if isinstance(obj, CodeType) else getattr(obj, "__code__", None)
    if not isinstance(code, CodeType):
        raise TypeError(f"verify needs functions, methods or code objects, not {type(obj).__name__}")
    return code
