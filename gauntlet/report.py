"""`docs/models.md` from the records: totals on top, a line for each architecture, and what did not run with its reason."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterable, List, Tuple

Record = Dict[str, Any]

_PLACE = re.compile(r"(?:/[^/\s'\"]+)+/site-packages/")

_TITLES = {
    "plain": "as they are",
    "forced": "with forced graph breaks, several shapes and dtypes",
    "training": "two training steps",
}
_ORDER = ("plain", "forced", "training")
_SUMS = ("bytecodes", "equal", "linked", "graphs", "graph_breaks", "recompiles", "guards", "files")

_SUM_TITLES = ("bytecodes", "EQUAL", "linked", "graphs", "graph breaks", "recompiled", "guards", "files")


def groups(records: Iterable[Record]) -> List[Tuple[Tuple[str, str], List[Record]]]:
    """Records by (round, backend), in the order of the page."""
    found: Dict[Tuple[str, str], List[Record]] = {}
    for record in sorted(records, key=lambda r: r["name"]):
        found.setdefault((record["round"], record["backend"]), []).append(record)
    return sorted(found.items(), key=lambda item: (item[0][1] != "eager", _ORDER.index(item[0][0])))


def total(records: List[Record]) -> Dict[str, int]:
    ran = [r for r in records if r["outcome"] != "not run"]
    sums = {name: sum(r.get(name, 0) for r in ran) for name in _SUMS}
    return {
        "tried": len(records),
        "ran": len(ran),
        "passed": sum(r["outcome"] == "passed" for r in records),
        "failed": sum(r["outcome"] == "failed" for r in records),
        "changed": sum(any(w.startswith("output changed") for w in r.get("wrong", [])) for r in ran),
        "not_deterministic": sum("not_deterministic" in r for r in ran),
        **sums,
    }


def summary(records: List[Record]) -> str:
    lines = []
    for (round_, backend), group in groups(records):
        count = total(group)
        lines.append(
            f"{round_}, {backend}: {count['ran']} of {count['tried']} architectures ran, {count['passed']} passed, "
            f"{count['failed']} failed; {count['bytecodes']} bytecodes, {count['equal']} EQUAL, {count['linked']} linked"
        )
    return "\n".join(lines)


def write(path: str, records: List[Record], catalogue: int = 0, versions: str = "") -> None:
    """`catalogue` is how many architectures there are to try."""
    with open(path + ".part", "w", encoding="utf-8") as stream:
        stream.write(page(records, catalogue, versions))
    os.replace(path + ".part", path)


def page(records: List[Record], catalogue: int = 0, versions: str = "") -> str:
    lines = ["# Models", "", _INTRODUCTION, "", "## Totals", ""]
    lines += [f"{versions}. " + _reached(records, catalogue), ""] if versions else []
    lines += _totals(records)
    for (round_, backend), group in groups(records):
        lines += ["", f"## Architectures {_TITLES[round_]}, backend {_shown(round_, backend)}", "", *_table(group)]
    lines += ["", "## What did not run", "", _NOT_RUN, "", *_not_run(records)]
    return "\n".join(lines).rstrip() + "\n"


_INTRODUCTION = """\
What `make gauntlet` found: architectures of `transformers` and `timm` in tiny random configurations, each in a process of its
own, run eagerly, under `torch.compile`, and under `torch.compile` inside `depyf.prepare_debug`. [gauntlet.md](gauntlet.md) says
what is compared and how. A model passes when its outputs are those of plain `torch.compile` bit by bit, every bytecode that
PyTorch produced is decompiled, proven EQUAL and linked, every cache entry runs from the dump, every file parses, PyTorch
counted the same graphs and graph breaks, and depyf noted no problem. The last column is the commit that it was run with."""

_NOT_RUN = """\
These do not run without depyf either: the reason is what the eager model, or `torch.compile` without depyf, said to the
likeliest of the inputs that were tried."""


def _reached(records: List[Record], catalogue: int) -> str:
    tried = len({r["name"] for r in records if r["round"] == "plain" and r["backend"] == "eager"})
    left = f"; {catalogue - tried:,} were not tried in this run" if catalogue > tried else ""
    return f"Of {max(catalogue, tried):,} architectures in the catalogue {tried:,} were tried{left}."


def _totals(records: List[Record]) -> List[str]:
    lines = [_header(["round", "backend"], ["tried", "ran", "passed", "failed", "output changed", *_SUM_TITLES])]
    for (round_, backend), group in groups(records):
        count = total(group)
        names = ("tried", "ran", "passed", "failed", "changed", *_SUMS)
        ran = [record for record in group if record["outcome"] != "not run"]
        unknown = {name for name in _SUMS if any(name not in record for record in ran)}  # of older records
        cells = ["" if name in unknown else f"{count[name]:,}" for name in names]
        lines.append(f"| {round_} | {_shown(round_, backend)} | {' | '.join(cells)} |")
    unsteady = sorted({r["name"] for r in records if "not_deterministic" in r and r["outcome"] != "not run"})
    if unsteady:
        lines += ["", "Two runs without depyf differ, so nothing is said of the output of: " + ", ".join(unsteady) + "."]
    return lines


def _table(group: List[Record]) -> List[str]:
    titles = [title for title in _SUM_TITLES if title != "graphs"]
    lines = [_header(["architecture", "model", "inputs", "outcome"], [*titles, "seconds plain", "seconds with depyf", "code"])]
    for record in group:
        if record["outcome"] == "not run":
            continue
        numbers = [record.get(n, "") for n in ("bytecodes", "equal", "linked", "graph_breaks", "recompiles", "guards", "files")]
        times = [f"{record[n]:.1f}" if n in record else "" for n in ("plain_seconds", "depyf_seconds")]
        outcome = record["outcome"] if record["outcome"] == "passed" else "**failed**: " + _cell("; ".join(record["wrong"])[:300])
        described = [record["name"], _cell(record.get("model", "")), _cell(record.get("inputs", "")), outcome]
        cells = [*described, *numbers, *times, record.get("code", "")]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def _not_run(records: List[Record]) -> List[str]:
    lines = ["| architecture | round | backend | reason |", "|---|---|---|---|"]
    rows = [r for _, group in groups(records) for r in group if r["outcome"] == "not run"]
    lines += [f"| {r['name']} | {r['round']} | {r['backend']} | {_cell(r['reason'])} |" for r in rows]
    return lines if rows else ["Everything that was tried ran."]


def _shown(round_: str, backend: str) -> str:
    """Backend eager has no backward graph, so training uses the next simple one."""
    return "aot_eager" if round_ == "training" and backend == "eager" else backend


def _header(words: List[str], numbers: List[str]) -> str:
    return f"| {' | '.join(words + numbers)} |\n" + "|---" * len(words) + "|--:" * len(numbers) + "|"


def _cell(text: str) -> str:
    plain = _PLACE.sub("", " ".join(str(text).split()))  # where libraries are installed is nobody's business
    return plain.replace("|", "\\|").replace("<", "&lt;")
