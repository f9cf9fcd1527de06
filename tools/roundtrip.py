"""One module there and back: decompile its code object, compile the text, prove module and functions equal.

A module is decompiled once; nested code objects of both sides are paired in order, so the cost stays one decompilation.
Where the module as a whole fails, each function is tried by itself, so that one bad function costs only itself.
"""

from __future__ import annotations

import contextlib
import re
import signal
import threading
import time
import types
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from tools.sources import Source, children, compile_source, compile_text, kind, nested

EQUAL, DIFFERENT, UNKNOWN, FAILED = "EQUAL", "DIFFERENT", "UNKNOWN", "FAILED"
STATUSES = (EQUAL, DIFFERENT, UNKNOWN, FAILED)
MODULE = "<module>"


class TimeIsUp(BaseException):
    """Raised by the alarm; no `except Exception` of the code under test may swallow it."""


class Outcome(NamedTuple):
    """What became of one code object."""

    qualname: str
    status: str
    reason: str = ""


class ModuleResult(NamedTuple):
    """What became of a module: its own outcome, one for each of its functions, the text if there was one."""

    name: str
    path: str
    module: Outcome
    functions: List[Outcome]
    classes: List[Outcome]
    text: Optional[str]
    seconds: float
    compile_seconds: float
    recompiled: Optional[types.CodeType] = None
    original: Optional[types.CodeType] = None


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Stop what runs too long, where the platform can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(signum: int, frame: Any) -> None:
        raise TimeIsUp()

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(what: str, work: Callable[[], Any], seconds: float = 60.0) -> Tuple[Any, str]:
    """The result and '', or None and the reason why there is none. Says when an error is not the promised one."""
    from depyf.errors import DecompilationError

    try:
        with alarm(seconds):
            return work(), ""
    except DecompilationError as error:
        return None, f"{what}: {error}"
    except TimeIsUp:
        return None, f"{what}: took more than {seconds:g} s"
    except RecursionError:
        return None, f"{what}: RecursionError"
    except Exception as error:
        return None, f"{what}: raised {type(error).__name__}: {error}"


def status_of(verdict: Any) -> str:
    """A verdict's status as text, whether it is an enumeration's member or a string."""
    status = verdict.status
    return str(getattr(status, "name", status))


def prove(qualname: str, original: types.CodeType, other: types.CodeType, seconds: float = 60.0) -> Outcome:
    """verify() as an Outcome."""
    from depyf import verify

    verdict, failure = attempt("verify", lambda: verify(original, other), seconds)
    if verdict is None:
        return Outcome(qualname, FAILED, failure)
    status = status_of(verdict)
    return Outcome(qualname, status, "" if status == EQUAL else str(verdict.reason))


def decompile_module(code: types.CodeType, seconds: float) -> Tuple[Optional[str], str]:
    """The module's text, or the reason."""
    from depyf import Decompiler

    return attempt("decompile", lambda: Decompiler(code).decompile(), seconds)


def one_by_itself(qualname: str, code: types.CodeType, seconds: float) -> Outcome:
    """Decompile, compile and prove one function's code object outside its module."""
    from depyf import Decompiler

    back, failure = attempt("decompile", lambda: Decompiler.decompile_and_compile_like(code, code), seconds)
    return Outcome(qualname, FAILED, failure) if back is None else prove(qualname, code, back, seconds)


def pairs(original: types.CodeType, other: types.CodeType) -> Iterator[Tuple[str, types.CodeType, Any]]:
    """Nested code objects of both in step: by name, and in order among those of one name; None where there is no partner."""
    stack: List[Tuple[str, types.CodeType, Optional[types.CodeType]]] = [("", original, other)]
    while stack:
        prefix, mine, theirs = stack.pop()
        waiting: Dict[str, List[types.CodeType]] = {}
        for child in children(theirs) if theirs is not None else []:
            waiting.setdefault(child.co_name, []).append(child)
        for child in children(mine):
            same_name = waiting.get(child.co_name)
            partner = same_name.pop(0) if same_name else None
            yield prefix + child.co_name, child, partner
            stack.append((f"{prefix}{child.co_name}.", child, partner))


def _collect(outcomes: Iterator[Tuple[types.CodeType, Outcome]]) -> Tuple[List[Outcome], List[Outcome]]:
    functions, classes = [], []
    for code, outcome in outcomes:
        if kind(code) == "function":
            functions.append(outcome)
        elif kind(code) == "class":
            classes.append(outcome)
    return functions, classes


def _each_by_itself(code: types.CodeType, seconds: float) -> Iterator[Tuple[types.CodeType, Outcome]]:
    for item in nested(code):
        if kind(item.code) == "function":
            yield item.code, one_by_itself(item.qualname, item.code, seconds)
        elif kind(item.code) == "class":
            yield item.code, Outcome(item.qualname, FAILED, "the module failed")


def _each_pair(original: types.CodeType, other: types.CodeType, seconds: float) -> Iterator[Tuple[types.CodeType, Outcome]]:
    for qualname, mine, theirs in pairs(original, other):
        if kind(mine) not in ("function", "class"):
            continue
        if theirs is not None:
            outcome = prove(qualname, mine, theirs, seconds)
        else:
            outcome = Outcome(qualname, FAILED, "no code object of that name came back")
        if outcome.status != EQUAL and kind(mine) == "function":
            # the pairing may be at fault, or the module around it
            alone = one_by_itself(qualname, mine, seconds)
            outcome = alone if alone.status == EQUAL else outcome
        yield mine, outcome


def round_trip(source: Source, seconds: float = 60.0, keep_code: bool = False) -> Optional[ModuleResult]:
    """Everything about one file; None if the running version cannot compile it."""
    start = time.perf_counter()
    code = compile_source(source)
    compiled = time.perf_counter()
    if code is None:
        return None

    def result(module: Outcome, both: Tuple[List[Outcome], List[Outcome]], text: Any, back: Any) -> ModuleResult:
        spent = time.perf_counter() - compiled
        kept = (back, code) if keep_code else (None, None)
        return ModuleResult(source.name, source.path, module, both[0], both[1], text, spent, compiled - start, *kept)

    text, failure = decompile_module(code, seconds)
    back = None
    if text is not None:
        back, failure = attempt("the text does not compile", lambda: compile_text(text, source.path), seconds)
    if back is None:
        return result(Outcome(MODULE, FAILED, failure), _collect(_each_by_itself(code, seconds)), text, None)
    whole = prove(MODULE, code, back, seconds)
    if whole.status == EQUAL:
        # the proof of a module covers every code object inside it
        both = _collect((item.code, Outcome(item.qualname, EQUAL)) for item in nested(code))
    else:
        both = _collect(_each_pair(code, back, seconds))
    return result(whole, both, text, back)


def reason_class(reason: str) -> str:
    """A reason without its particulars, so that equal kinds of failure are counted together."""
    first = reason.strip().splitlines()[0] if reason.strip() else "no reason given"
    first = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", first)
    return re.sub(r"\b\d+\b", "N", first)[:160]
