"""The parts of a call through torch.compile, each measured by itself, in microseconds.

All variants of the call are timed in turns, since machines slow down and speed up: in each turn each variant makes the
same number of calls, after one that does not count. Calls that follow one another find more in the processor's caches,
so a variant that got fewer calls than another would look slower than it is.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Callable, Dict

from depyf import compatibility
from depyf.optimization.direct import calls_only_its_graph, direct_call
from depyf.optimization.target import Target

_BATCH = 0.001  # seconds: short enough to fit between two interruptions by other programs
_FEWEST_CALLS = 4
_FEWEST_TURNS = 12
_PATIENCE = 8  # times as long as asked for, where other programs leave us only a part of a processor


@dataclass(frozen=True)
class Parts:
    """What a call takes, what its compiled code takes alone, and what makes the difference."""

    call: float  # through torch.compile
    direct: float  # the compiled code itself
    wrapper: float  # torch.compile's wrapper around the call
    frame: float  # looking up the entry, and running its code in the place of the frame
    markers: float  # PyTorch's profiling markers in the compiled code
    guards: float  # evaluating the guards again and again, and nothing else
    caches: float  # what they take longer in a call, where the rest of it has used the processor's caches in between

    @property
    def overhead(self) -> float:
        """What a call takes longer than its compiled code, measured."""
        return self.call - self.direct

    @property
    def explained(self) -> float:
        """The sum of the parts: to be compared with the overhead."""
        return self.wrapper + self.frame + self.markers + self.guards + self.caches


def measure_parts(
    target: Target, entry: Any, frame_locals: Dict[str, Any], guards_alone: float, seconds: float
) -> Parts:
    """Time a call that an entry serves in all variants; `guards_alone` is what its guards take by themselves."""
    best = _best_of_turns(_variants(target, entry, frame_locals), seconds)
    direct = best["direct"]
    wrapped = best["wrapped"]
    # Code with a graph break only runs inside the wrapper, which is then no part of the difference.
    marked = best.get("with markers", wrapped)
    # With guards skipped, PyTorch still evaluates those that tell its entries apart: they are guards, not lookup.
    still_evaluated = best["deciding guards inside"] - best["nothing inside"]
    guards = best["guards inside"] - best["nothing inside"]
    return Parts(
        call=best["call"],
        direct=direct,
        wrapper=max(wrapped - marked, 0.0),
        frame=max(best["guards skipped"] - wrapped - still_evaluated, 0.0),
        markers=max(marked - direct, 0.0),
        guards=guards_alone,
        caches=max(guards - guards_alone, 0.0),
    )


def _variants(target: Target, entry: Any, frame_locals: Dict[str, Any]) -> Dict[str, Callable[[], object]]:
    """A call in the ways whose differences are the parts."""
    args, kwargs = target.arguments(frame_locals)
    compiled = target.compiled
    direct = target.bind(direct_call(target, entry.code))
    # the transformed code with its markers; torch.compile must not take the copy for something to compile
    code = entry.code.replace(co_name=entry.code.co_name)
    compatibility.run_without_compiling(code)
    marked = target.with_code(code)
    in_context = target.context or _unchanged
    wrapped = target.bind(in_context(marked))

    def inside(check: Callable[[Dict[str, Any]], object]) -> Callable[[], object]:
        """Evaluate something where PyTorch evaluates the guards: inside its wrapper, before the compiled code."""

        def checked(*args: Any, **kwargs: Any) -> object:
            check(frame_locals)
            return marked(*args, **kwargs)

        compatibility.run_without_compiling(checked.__code__)
        function = target.bind(in_context(checked))
        return lambda: function(*args, **kwargs)

    variants: Dict[str, Callable[[], object]] = {
        "call": lambda: compiled(*args, **kwargs),
        "direct": lambda: direct(*args, **kwargs),
        "wrapped": lambda: wrapped(*args, **kwargs),
        "guards skipped": lambda: compiled(*args, **kwargs),
        "nothing inside": inside(bool),
        "deciding guards inside": inside(compatibility.deciding_guard_check(entry)),
        "guards inside": inside(compatibility.guard_check(entry)),
    }
    if calls_only_its_graph(entry.code):
        bound = target.bind(marked)
        variants["with markers"] = lambda: bound(*args, **kwargs)
    return variants


def _unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _best_of_turns(variants: Dict[str, Callable[[], object]], seconds: float) -> Dict[str, float]:
    """Microseconds of a call of each variant: its best turn, the one that other programs disturbed least."""
    names = list(variants)
    calls = max(int(_BATCH / max(_batch(variants["direct"], _FEWEST_CALLS), 1e-7)), _FEWEST_CALLS)
    best = dict.fromkeys(names, float("inf"))
    turn = 0
    ours_since, since = time.thread_time(), time.monotonic()
    while turn < _FEWEST_TURNS or (
        time.thread_time() - ours_since < seconds and time.monotonic() - since < _PATIENCE * seconds
    ):
        # each turn begins with another variant, since each leaves its own traces in the caches for the next one
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            with compatibility.guards_switched_off() if name == "guards skipped" else nullcontext():
                best[name] = min(best[name], _batch(variants[name], calls) * 1e6)
        turn += 1
    return best


def _batch(call: Callable[[], object], calls: int) -> float:
    """Seconds of one call, in processor time of this thread; the first of a batch does not count."""
    call()
    repeat = [None] * calls
    start = time.thread_time()
    for _ in repeat:
        call()
    return (time.thread_time() - start) / calls
