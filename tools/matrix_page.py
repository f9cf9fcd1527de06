"""docs/compatibility.md, written from the rows of `make matrix`: what was run, what it gave, what each release lacks."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Counter as CounterType
from typing import Dict, List, Sequence, Tuple

from depyf.compatibility.behaviours import BEHAVIOURS
from tools.matrix_rows import HEADLINES, LEFT_OUT, Row

_INTRODUCTION = """# PyTorch releases and CPython versions

Written by `make matrix` from what it ran; do not edit. Each row is a release of PyTorch, installed in an environment of
its own on the CPU, with the headline examples (`tools/headlines.py`): `prepare_debug` on a function with a graph break
and on one that is compiled again for another shape and trained, with the backends eager, aot_eager and inductor, where
results must be the same to the bit, every transformed bytecode proven EQUAL and linked, and every stage's file there;
`debug()` with lines of dumped code, graphs and kernels being run and nothing compiled; `install()`; and the dispatcher. Then the
tests under `tests/torch`, except `{left_out}`, which injects faults into depyf's own functions. Programs are scripts that users
already have, run unchanged. The last column is the commit that a row was run with.
"""


def order(row: Row) -> Tuple[List[int], List[int]]:
    return [int(part) for part in re.findall(r"\d+", row.release)], [int(part) for part in row.python.split(".")]


def cell(row: Row, names: Sequence[str]) -> str:
    """One word for some of the headline examples of a row."""
    results = [row.headlines.get(name, "not run") for name in names]
    if all(result == "passed" for result in results):
        return "yes"
    return "not run" if all(result == "not run" for result in results) else "**no**"


def tests_cell(row: Row) -> str:
    if row.tested:
        return f"{row.passed} / {row.failed} / {row.skipped}"
    return "not run"


def main_table(rows: Sequence[Row]) -> List[str]:
    lines = [
        "| PyTorch | CPython | `prepare_debug` | `debug` | `install` | dispatcher | programs | tests passed / failed / skipped | code |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        programs = f"{sum(r == 'passed' for r in row.scripts.values())} of {len(row.scripts)}" if row.scripts else "not run"
        cells = [(row.version or row.release) + (" °" if row.borrowed else ""), row.interpreter or row.python, cell(row, HEADLINES[:2])]
        cells += [cell(row, [name]) for name in HEADLINES[2:]] + [programs, tests_cell(row), row.commit or "?"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def totals(rows: Sequence[Row]) -> str:
    whole = sum(row.headlines_ok for row in rows)
    tested = [row for row in rows if row.tested]
    return (
        f"{len(rows)} rows, {len({row.release for row in rows})} releases, {len({row.python for row in rows})} CPython versions. "
        f"All headline examples pass in {whole} of {len(rows)} rows. The tests were run in {len(tested)} rows: "
        f"{sum(row.passed for row in tested)} passed, {sum(row.failed for row in tested)} failed, "
        f"{sum(row.skipped for row in tested)} skipped."
    )


def problems(rows: Sequence[Row]) -> List[str]:
    lines: List[str] = []
    for row in rows:
        where = f"{row.release} on {row.python}"
        if row.error:
            lines.append(f"- {where}: {row.error}")
        found: Dict[str, str] = {**row.headlines, **row.scripts}
        lines += [f"- {where}, {name}: {result}" for name, result in found.items() if result != "passed"]
        lines += [f"- {where}, test `{name}`" for name in row.failures]
    return lines


def lacking(rows: Sequence[Row]) -> List[str]:
    """For each behaviour the releases that were seen without it."""
    lines = ["| behaviour | since | without it | seen without it |", "|---|---|---|---|"]
    for behaviour in BEHAVIOURS:
        without = [row.release for row in rows if row.behaviours.get(behaviour.name) is False]
        since = ".".join(map(str, behaviour.since))
        seen = ", ".join(dict.fromkeys(without)) or "none"
        lines.append(f"| `{behaviour.name}` | {since} | {behaviour.without} | {seen} |")
    return lines


def skipped(rows: Sequence[Row]) -> List[str]:
    count: CounterType[str] = Counter()
    places: Dict[str, List[str]] = {}
    for row in rows:
        for reason, number in row.reasons.items():
            count[reason] += number
            places.setdefault(reason, []).append(row.release)
    return [
        f"- {number} × {reason} ({', '.join(dict.fromkeys(places[reason]))})" for reason, number in count.most_common()
    ]


def page(rows: Sequence[Row]) -> str:
    rows = sorted(rows, key=order)
    parts = [_INTRODUCTION.format(left_out=LEFT_OUT), totals(rows), "", *main_table(rows)]
    if any(row.borrowed for row in rows):
        parts += ["", "° installed with CUDA libraries of another release, which PyTorch loads and nothing here uses."]
    bad = problems(rows)
    if bad:
        parts += ["", "## What failed", "", *bad]
    parts += ["", "## What older releases lack", "", *lacking(rows)]
    reasons = skipped(rows)
    if reasons:
        parts += ["", "## What was skipped, and why", "", *reasons]
    return "\n".join(parts) + "\n"


def write(rows: Sequence[Row], path: Path) -> None:
    path.write_text(page(rows), encoding="utf-8")
