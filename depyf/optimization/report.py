"""guard_report: what the guards of a compiled function cost, which lines caused them, and which could be dropped.

The report measures a call through torch.compile against a direct call of the same compiled code, and explains the
difference part by part: PyTorch's wrapper around the call, the lookup, its profiling markers, and each guard.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

from depyf import compatibility
from depyf.optimization.advice import Advice, advice_for
from depyf.optimization.entries import entries_of
from depyf.optimization.examples import example_locals
from depyf.optimization.guards import Guard, guards_of_entry
from depyf.optimization.parts import Parts, measure_parts
from depyf.optimization.table import table
from depyf.optimization.target import Target, target_of

_FIXED = {
    "wrapper": "torch.compile's wrapper around the call",
    "frame": "looking up the entry and replacing the frame",
    "markers": "profiling markers in the compiled code",
    "caches": "the guards below again: in a call they find the processor's caches cold",
}


@dataclass(frozen=True)
class GuardCost:
    """One row: the guards on one source of one entry."""

    guard: Guard
    microseconds: Optional[float]  # with warm caches; None where it was not timed
    share: Optional[float]  # of the call through torch.compile
    advice: Advice

    @property
    def count(self) -> int:
        return len(self.guard.checks)


@dataclass(frozen=True)
class EntryReport:
    """One compiled entry."""

    name: str
    guards: List[GuardCost]
    parts: Optional[Parts]  # None where no arguments were known that its guards accept


@dataclass(frozen=True)
class GuardReport:
    """The report on a function; print it for the tables."""

    function: str
    entries: List[EntryReport] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.entries:
            return f"{self.function}: nothing is compiled yet; call it first."
        return "\n\n".join(_entry_text(self.function, entry) for entry in self.entries)


def guard_report(fn: Callable[..., Any], *args: Any, seconds: float = 2.0, **kwargs: Any) -> GuardReport:
    """What each guard of each compiled entry of a function costs. Give the arguments of a call to measure with.

    Without arguments, or for entries that do not accept them, arguments are made up from the guards themselves where
    those say enough (tensors and plain values); an entry for which that fails is listed without times. `seconds` is
    about how long the measuring of one entry may take. The function is called with the arguments, many times.
    """
    target = target_of(fn)
    examples: List[Dict[str, Any]] = [target.frame_locals(args, kwargs)] if args or kwargs else []
    with compatibility.as_in_a_call(target.context):
        reports = [_entry_report(target, entry, examples, seconds) for entry in entries_of(target)]
    return GuardReport(target.function.__qualname__, reports)


def _entry_report(target: Target, entry: Any, examples: List[Dict[str, Any]], seconds: float) -> EntryReport:
    frame_locals = next((known for known in examples if compatibility.guards_hold(entry, known)), None)
    if frame_locals is None:
        frame_locals = example_locals(target, entry)
    name = compatibility.entry_name(entry)
    if frame_locals is None:
        return EntryReport(name, [_row(guard, None) for guard in guards_of_entry(entry, None, 0.0)], None)
    guards = guards_of_entry(entry, frame_locals, seconds / 2)
    alone = sum(guard.microseconds or 0.0 for guard in guards)
    parts = measure_parts(target, entry, frame_locals, alone, seconds / 2)
    return EntryReport(name, [_row(guard, parts.call) for guard in guards], parts)


def _row(guard: Guard, call: Optional[float]) -> GuardCost:
    cost = guard.microseconds
    return GuardCost(guard, cost, None if call is None or cost is None else cost / call, advice_for(guard))


def _entry_text(function: str, entry: EntryReport) -> str:
    lines = [f"{function} {entry.name}".rstrip() + f": {sum(row.count for row in entry.guards)} guards"]
    parts = entry.parts
    rows = [["µs", "of call", "count", "guard", "line", "could be dropped"]]
    if parts is None:
        lines.append("  not timed: give guard_report the arguments of a call that this entry serves")
    else:
        lines.append(
            f"  a call {parts.call:.2f} µs, its compiled code alone {parts.direct:.2f} µs, overhead "
            f"{parts.overhead:.2f} µs; the parts below add up to {parts.explained:.2f} µs"
        )
        for name, what in _FIXED.items():
            cost: float = getattr(parts, name)
            rows.append([_us(cost), _share(cost / parts.call), "", what, "", "yes: depyf's skip_guards"])
    for row in sorted(entry.guards, key=lambda row: -(row.microseconds or 0.0)):
        what = f"{', '.join(row.guard.kinds)} on {row.guard.source}"
        rows.append([_us(row.microseconds), _share(row.share), str(row.count), what, row.guard.line, str(row.advice)])
    return "\n".join(lines) + "\n" + table(rows)


def _us(value: Optional[float]) -> str:
    return "" if value is None else f"{value:.2f}"


def _share(value: Optional[float]) -> str:
    return "" if value is None else f"{100 * value:.1f} %"
