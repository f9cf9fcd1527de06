"""The parts of a call through torch.compile, each measured by itself, in microseconds.

All variants of the call are timed in turns, since machines slow down and speed up, and the best turn of each counts.
"""

from __future__ import annotations

import time
import timeit
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Callable, Dict

from depyf.optimization import compatibility
from depyf.optimization.direct import calls_only_its_graph, direct_call
from depyf.optimization.target import Target

_BATCH = 0.002  # seconds


@dataclass(frozen=True)
class Parts:
    """What a call takes, what its compiled code takes alone, and what makes the difference."""

    call: float  # through torch.compile
    direct: float  # the compiled code itself
    wrapper: float  # torch.compile's wrapper around the call
    frame: float  # looking up the entry, and running its code in the place of the frame
    markers: float  # PyTorch's profiling markers in the compiled code
    guards: float  # evaluating the guards, between two runs of the compiled code as in a real call

    @property
    def overhead(self) -> float:
        """What a call takes longer than its compiled code, measured."""
        return self.call - self.direct

    @property
    def explained(self) -> float:
        """The sum of the parts: to be compared with the overhead."""
        return self.wrapper + self.frame + self.markers + self.guards


def measure_parts(target: Target, entry: Any, frame_locals: Dict[str, Any], seconds: float) -> Parts:
    """Time a call that an entry serves in all variants."""
    args, kwargs = target.arguments(frame_locals)
    code = entry.code
    compiled = target.compiled
    direct = target.bind(direct_call(target, code))
    check = compatibility.guard_check(entry)

    def with_guards() -> None:
        direct(*args, **kwargs)
        check(frame_locals)

    def guards_skipped() -> None:
        compiled(*args, **kwargs)

    variants: Dict[str, Callable[[], object]] = {
        "call": lambda: compiled(*args, **kwargs),
        "direct": lambda: direct(*args, **kwargs),
        "with guards": with_guards,
        "guards skipped": guards_skipped,
    }
    if calls_only_its_graph(code) and target.context is not None:
        as_it_is = code.replace(co_name=code.co_name)
        compatibility.run_without_compiling(as_it_is)
        function = target.with_code(as_it_is)
        marked, wrapped = target.bind(function), target.bind(target.context(function))
        variants["with markers"] = lambda: marked(*args, **kwargs)
        variants["wrapped"] = lambda: wrapped(*args, **kwargs)
    best = _best_of_turns(variants, seconds)
    marked_time = best.get("with markers", best["direct"])
    wrapped_time = best.get("wrapped", marked_time)
    return Parts(
        call=best["call"],
        direct=best["direct"],
        wrapper=max(wrapped_time - marked_time, 0.0),
        frame=max(best["guards skipped"] - wrapped_time, 0.0),
        markers=max(marked_time - best["direct"], 0.0),
        guards=max(best["with guards"] - best["direct"], 0.0),
    )


def _best_of_turns(variants: Dict[str, Callable[[], object]], seconds: float) -> Dict[str, float]:
    """Short batches of calls, many times in turns: short enough to fit between two interruptions by other programs."""
    timers = {name: timeit.Timer(call, timer=time.thread_time) for name, call in variants.items()}
    sizes = {name: max(int(_BATCH / max(timer.timeit(5) / 5, 1e-7)), 2) for name, timer in timers.items()}
    best = dict.fromkeys(variants, float("inf"))
    turns = max(int(seconds / _BATCH / len(variants)), 5)
    deadline = time.monotonic() + 4 * seconds  # of a processor that others use too we get less than all
    for turn in range(turns):
        for name, timer in timers.items():
            switched_off = compatibility.guards_switched_off() if name == "guards skipped" else nullcontext()
            with switched_off:
                best[name] = min(best[name], timer.timeit(sizes[name]) / sizes[name] * 1e6)
        if turn >= 5 and time.monotonic() > deadline:
            break
    return best
