"""A process for each task, so many at a time, each with a time limit. Forks, so that what the parent imported is there.

Nothing that a task does can reach the runner: it may crash, hang, or eat memory, and becomes a record all the same.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

Record = Dict[str, Any]
Phase = Callable[[str], None]
Work = Callable[[Any, Phase], Record]


@dataclass
class _Child:
    task: Any
    started: float
    folder: str
    expired: bool = False


def run_pool(
    tasks: Sequence[Any], work: Work, jobs: int = 2, limit: float = 180.0, memory: int = 0
) -> Iterator[Tuple[Any, Record]]:
    """Yield (task, record) as they end. A task that gives none gets one with `outcome` "ended" and the phase it was in."""
    waiting = list(tasks)
    running: Dict[int, _Child] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                task = waiting.pop(0)
                folder = tempfile.mkdtemp(prefix="gauntlet-")
                pid = _start(task, work, folder, memory)
                running[pid] = _Child(task, time.monotonic(), folder)
            ended = _wait_for_one(running, limit)
            if ended is not None:
                pid, status = ended
                child = running.pop(pid)
                yield child.task, _result(child, status, limit)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _start(task: Any, work: Work, folder: str, memory: int) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()  # compilers that it starts are ended with it
        _redirect(os.path.join(folder, "log"))
        if memory:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        record = work(task, lambda name: _write(os.path.join(folder, "phase"), name))
        _write(os.path.join(folder, "record"), json.dumps(record))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _redirect(path: str) -> None:
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    sys.stdout = sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # whatever they were before


def _write(path: str, text: str) -> None:
    with open(path + ".part", "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(path + ".part", path)


def _wait_for_one(running: Dict[int, _Child], limit: float) -> Any:
    """(process, status) of a child that ended, or None after a moment; ends those whose time is up."""
    for pid, child in running.items():
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return pid, status
        if time.monotonic() - child.started > limit and not child.expired:
            child.expired = True
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:  # not yet a group of its own
                os.kill(pid, signal.SIGKILL)
    time.sleep(0.02)
    return None


def _result(child: _Child, status: int, limit: float) -> Record:
    seconds = round(time.monotonic() - child.started, 2)
    record: Record = {}
    text = _read(child.folder, "record")
    if text:
        record = json.loads(text)
    else:
        how = f"longer than {limit:.0f} s" if child.expired else _how_it_ended(status)
        last: List[str] = [line for line in _read(child.folder, "log").splitlines() if line.strip()][-1:]
        reason = how if child.expired else f"{how}: {' '.join(last)[:200]}"
        record = {"outcome": "ended", "phase": _read(child.folder, "phase"), "reason": reason}
    record["seconds"] = seconds
    for name in ("record", "phase", "log"):
        if os.path.exists(os.path.join(child.folder, name)):
            os.remove(os.path.join(child.folder, name))
    os.rmdir(child.folder)
    return record


def _how_it_ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"ended with status {os.WEXITSTATUS(status)}"


def _read(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""
