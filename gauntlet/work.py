"""One task in its own process: measures a model, keeps the dump of what failed, and names the reason of what did not run."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import Any, Dict

from gauntlet.build import DoesNotRun, one_line
from gauntlet.pool import Phase
from gauntlet.rounds import ROUNDS, measure


@dataclass(frozen=True)
class Task:
    name: str
    round: str
    backend: str


def work(task: Task, phase: Phase, keep: str = "") -> Dict[str, Any]:
    """Run in the child. `keep` is a folder for the dumps of what failed."""
    folder = tempfile.mkdtemp(prefix="gauntlet-dump-")
    try:
        record = measure(task.name, ROUNDS[task.round], task.backend, folder, phase)
        if record["outcome"] == "failed" and keep:
            target = os.path.join(keep, f"{task.round}-{task.backend}-{task.name}".replace("/", "-").replace(":", "-"))
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(folder, target)
        return record
    except DoesNotRun as error:
        return {"outcome": "not run", "reason": f"does not run eagerly: {error}"}
    except MemoryError as error:
        return {"outcome": "not run", "reason": f"out of memory: {one_line(error)}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def complete(task: Task, record: Dict[str, Any], code: str = "") -> Dict[str, Any]:
    """In the parent: a process that ended early ran out of time or crashed, and the phase says whose time that was.

    `code` is the commit that was examined."""
    if record["outcome"] == "ended":
        where = {"eager": "the eager model", "plain": "torch.compile without depyf", "plain again": "torch.compile without depyf"}
        if record["phase"] in where:
            record = {**record, "outcome": "not run", "reason": f"{where[record['phase']]}: {record['reason']}"}
        else:
            record = {**record, "outcome": "failed", "wrong": [f"inside prepare_debug: {record['reason']}"]}
    return {"name": task.name, "round": task.round, "backend": task.backend, "code": code, **record}
