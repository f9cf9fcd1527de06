"""Command line of the gauntlet: choose tasks, run them, keep the resume file, write the page.

    python -m gauntlet                      all architectures: plain, with forced graph breaks, training for a sample
    python -m gauntlet --backend inductor   a sample with Inductor
    python -m gauntlet bert hf:llama        those whose names contain one of the words
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import signal
import sys
from functools import partial
from importlib.metadata import version
from typing import Dict, List, Sequence

from gauntlet import records, report
from gauntlet.pool import run_pool
from gauntlet.preload import preload
from gauntlet.records import Key, Record
from gauntlet.work import Task, complete, work
from tools.commits import examined_commit
from tools.progress import progress

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="gauntlet", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only architectures whose names contain one of these")
    parser.add_argument("--rounds", default="plain,forced,training", help="plain, forced, training (all)")
    parser.add_argument("--backend", default="eager", help="backend of torch.compile (eager); another one runs a sample")
    parser.add_argument("--sample", type=int, default=0, help="at most so many architectures, spread over all")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds that one architecture may take (240)")
    parser.add_argument("--records", default=os.path.join(ROOT, "docs", "models.jsonl"), help="the resume file (docs/models.jsonl)")
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "models.md"), help="the page to write")
    parser.add_argument("--again", action="store_true", help="run again what failed")
    parser.add_argument("--renew", action="store_true", help="only run again what there is a result of, from another commit")
    parser.add_argument("--fresh", action="store_true", help="forget the resume file")
    parser.add_argument("--report", action="store_true", help="only write the page from the resume file")
    return parser.parse_args(arguments)


def chosen(names: List[str], words: Sequence[str], sample: int) -> List[str]:
    """The names that contain a word, at most `sample` of them, spread evenly."""
    found = [name for name in names if not words or any(word in name for word in words)]
    if sample and len(found) > sample:
        found = [found[number * len(found) // sample] for number in range(sample)]
    return found


def tasks_for(names: List[str], round_: str, backend: str, done: Dict[Key, Record], again: bool, renew: str = "") -> List[Task]:
    """What is left to do in a round: what has no record, and what runs at all; with `renew`, only what is of another commit."""
    tasks = []
    for name in names:
        record = done.get((name, round_, backend))
        if renew and record is None:
            continue
        if record is not None and (records.settled(record) or not again) and renew in ("", record.get("code")):
            continue
        plain = done.get((name, "plain", "eager"))
        if plain is not None and plain["outcome"] == "not run" and round_ != "plain":
            continue  # it would only be said twice
        tasks.append(Task(name, round_, backend))
    return tasks


def run(given: argparse.Namespace, names: List[str]) -> None:
    keep = os.path.join(ROOT, "build", "gauntlet", "failed")
    code = examined_commit()
    for round_ in given.rounds.split(","):
        done = records.load(given.records)
        # a sample for what is slow and says less; a sample has to be of models that run
        slow = (round_ == "training" or given.backend != "eager") and not given.renew
        sample = given.sample or (30 if slow else 0)
        running = [n for n in names if done.get((n, "plain", "eager"), {}).get("outcome") != "not run"] if sample else names
        tasks = tasks_for(
            chosen(running, given.words, sample), round_, given.backend, done, given.again, code if given.renew else ""
        )
        print(f"{round_}, {given.backend}: {len(tasks)} to run", file=sys.stderr, flush=True)
        results = run_pool(tasks, partial(work, keep=keep), given.jobs, given.limit, memory=12 << 30)
        for task, result in progress(results, len(tasks), round_):
            record = complete(task, result, code)
            records.append(given.records, record)
            if record["outcome"] == "failed":
                print(f"\n{task.name} ({round_}): {'; '.join(record['wrong'])[:500]}", file=sys.stderr, flush=True)


def versions() -> str:
    libraries = [f"{name} {version(name)}" for name in ("torch", "transformers", "timm")]
    return f"CPython {platform.python_version()}, {', '.join(libraries)}"


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    given = parse(arguments)
    signal.signal(signal.SIGTERM, _interrupt)  # so that children are ended too
    if given.fresh and os.path.exists(given.records):
        shutil.move(given.records, given.records + ".before")
    preload()
    from gauntlet.catalogue import all_names

    names = all_names()
    if not given.report:
        try:
            run(given, names)
        except KeyboardInterrupt:
            print("\ninterrupted; the next run goes on from here", file=sys.stderr)
            return 130
    records.tidy(given.records)
    done = list(records.load(given.records).values())
    report.write(given.page, done, len(names), versions())
    print(report.summary(done))
    return 1 if any(record["outcome"] == "failed" for record in done) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
