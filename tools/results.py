"""What a job of `make test` came to: read from pytest's report, and shown as the closing table.

Counts and skip reasons come from the JUnit file that pytest writes, not from its text.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Counter as CounterType
from typing import List, Sequence


@dataclass
class Result:
    """One row of the table."""

    label: str
    what: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    note: str = ""
    log: str = ""
    reasons: CounterType[str] = field(default_factory=Counter)
    failures: List[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.failed == 0


def read_report(path: Path, result: Result) -> None:
    """Fill the counts from a JUnit file; a missing or broken one leaves them as they are."""
    try:
        root = ElementTree.parse(str(path)).getroot()
    except (OSError, ElementTree.ParseError):
        return
    for case in root.iter("testcase"):
        skipped = case.find("skipped")
        wrong = [found for found in (case.find("failure"), case.find("error")) if found is not None]
        if wrong:
            result.failed += 1
            name = "::".join(filter(None, (case.get("classname"), case.get("name"))))
            result.failures.append(f"{name}\n{_shortened(wrong[0].text or wrong[0].get('message') or '')}")
        elif skipped is not None:
            result.skipped += 1
            kind = "expected failure: " if skipped.get("type") == "pytest.xfail" else ""
            reason = " ".join((skipped.get("message") or "no reason given").split())
            result.reasons[kind + reason] += 1
        else:
            result.passed += 1


def _shortened(text: str, lines: int = 40) -> str:
    """The end of a failure's report, which says what was wrong; indented."""
    every = text.strip().splitlines()
    left_out = ["..."] if len(every) > lines else []
    return "\n".join("    " + line[:300] for line in left_out + every[-lines:])


def table(results: Sequence[Result]) -> str:
    """The closing table as text."""
    header = ["", "what ran", "passed", "failed", "skipped", "seconds", ""]
    rows: List[List[str]] = [header]
    for r in results:
        outcome = r.note or ("ok" if r.ok else f"FAILED, see {r.log}")
        rows.append([r.label, r.what, str(r.passed), str(r.failed), str(r.skipped), f"{r.seconds:.0f}", outcome])
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i in (2, 3, 4, 5) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def skip_summary(results: Sequence[Result]) -> str:
    """Every reason for which something was skipped, with the number of tests and where."""
    where: CounterType[str] = Counter()
    places = {}
    for result in results:
        for reason, count in result.reasons.items():
            where[reason] += count
            places.setdefault(reason, []).append(f"{result.label}: {count}")
    return "\n".join(f"  {count:4} x {reason}  [{', '.join(places[reason])}]" for reason, count in where.most_common())
