"""Run commands into logs with a time limit, and end them with all that they started when the runner is stopped.

Each command gets a process group of its own; ending it ends the group. Safe to use from several threads.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Dict, Optional, Sequence, Set

_GRACE = 20.0  # seconds between asking a command to end and ending it
TIMED_OUT = -1000  # no exit status, and no negated signal


class Interrupted(Exception):
    """The runner is being stopped: nothing new is started."""


class Processes:
    """The commands under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: Set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(
        self,
        command: Sequence[str],
        log: Path,
        timeout: float,
        folder: Path,
        environment: Optional[Dict[str, str]] = None,
    ) -> int:
        """The command's exit status, or TIMED_OUT; what it prints is added to the log."""
        with open(str(log), "a", encoding="utf-8") as out:
            out.write("$ {}\n".format(" ".join(command)))
            out.flush()
            with self._lock:
                if self._stopped:
                    raise Interrupted
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    cwd=str(folder),
                    env=environment,
                    start_new_session=True,
                )
                self._live.add(process)
            try:
                return process.wait(timeout=timeout)
            except subprocess.TimeoutExpired:
                out.write(f"\nstill running after {timeout:.0f} s: ended\n")
                out.flush()
                _ask_to_end(process)
                return TIMED_OUT
            finally:
                _end(process)
                process.wait()
                with self._lock:
                    self._live.discard(process)

    def end_all(self) -> None:
        """End what runs, and start nothing any more."""
        with self._lock:
            self._stopped = True
            for process in self._live:
                _end(process)


def _ask_to_end(process: subprocess.Popen[bytes]) -> None:
    """As Ctrl-C does it: pytest then still writes its report, and says where it was."""
    if os.name != "nt":
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            pass


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and what it left behind."""
    if os.name == "nt":
        if process.poll() is None:
            process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass  # it ended by itself, and left nothing behind
