"""Drives pdb and debugpy through the same program, and says for each kind of dumped file what they saw.

python -m tests.torch.debugging.debuggers      prints the table of kind x debugger
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Tuple

from tests.torch.debugging.dap import Client
from tests.torch.debugging.places import KINDS, PROGRAM, Place, places
from tests.torch.debugging.terminal import Terminal, python

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 600.0


class Seen(NamedTuple):
    """What a debugger showed at one breakpoint."""

    hit: bool  # it stopped in that file on that line
    tensor: str  # how it showed the local tensor
    stepped: bool  # `next` went to the next line of that file


def environment() -> Dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONBREAKPOINT", "TORCH_LOGS")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1", "TERM": "dumb", "COLUMNS": "400"}


def with_pdb(backend: str, dump: Path) -> Dict[str, Seen]:
    terminal = Terminal(python(str(PROGRAM), backend, str(dump)), environment(), SECONDS)
    try:
        terminal.until("(Pdb) ")
        assert "files to step through" in terminal.seen and "paused" in terminal.seen, terminal.seen
        wanted = places(backend, dump)
        for number, place in enumerate(wanted.values(), 1):
            answer = terminal.command(f"b {place.file}:{place.line}")
            assert f"Breakpoint {number} at {place.file}:{place.line}" in answer, answer
        seen: Dict[str, Seen] = {}
        while len(seen) < len(wanted):
            kind = _kind_at(terminal.command("c"), wanted)
            tensor = terminal.command(f"p {wanted[kind].tensor}").partition("tensor(")
            terminal.command(f"clear {1 + list(wanted).index(kind)}")
            others = " ".join(str(number) for number, other in enumerate(wanted, 1) if other != kind and other not in seen)
            terminal.command(f"disable {others}")  # the line may call a graph, where another breakpoint is
            after = _position(terminal.command("next"))
            seen[kind] = Seen(True, "".join(tensor[1:]), after == (wanted[kind].file, wanted[kind].next_line))
            terminal.command(f"enable {others}")
        rest = terminal.finish("c")
        assert "finished" in rest and terminal.returncode == 0, rest
        return seen
    finally:
        terminal.close()


def _position(text: str) -> Tuple[str, int]:
    found = re.findall(r"^> (.+?)\((\d+)\)", text, re.MULTILINE)
    return (found[-1][0], int(found[-1][1])) if found else ("", 0)


def _kind_at(text: str, wanted: Dict[str, Place]) -> str:
    where = _position(text)
    for kind, place in wanted.items():
        if where == (place.file, place.line):
            return kind
    raise AssertionError(f"stopped at {where}, where no breakpoint is:\n{text}")


def with_debugpy(backend: str, dump: Path) -> Dict[str, Seen]:
    from depyf.debugging.launch import rules

    errors = tempfile.TemporaryFile()
    program = subprocess.Popen(
        python(str(PROGRAM), backend, str(dump), "debugpy"),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )
    try:
        assert program.stdout is not None
        port = int(program.stdout.readline().split()[1])
        client = Client(port, SECONDS)
        try:
            client.attach(justMyCode=True, subProcess=False, rules=rules(dump))
            seen = _step_with(client, backend, dump)
        except AssertionError as problem:
            errors.seek(0)
            raise AssertionError(f"{problem}; the program said:\n{errors.read().decode()}") from problem
        finally:
            client.close()
        assert "finished" in program.stdout.read() and program.wait(timeout=60) == 0
        return seen
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
        errors.close()


def _step_with(client: Client, backend: str, dump: Path) -> Dict[str, Seen]:
    thread = client.stopped()  # depyf.debug() pauses
    wanted = places(backend, dump)
    left: Dict[str, Place] = dict(wanted)
    _set_breakpoints(client, wanted, left)
    seen: Dict[str, Seen] = {}
    while left:
        client.request("continue", threadId=thread)
        thread = client.stopped()
        frame = client.top_frame(thread)
        at = (frame["source"]["path"], frame["line"])
        kind = next((kind for kind, place in left.items() if at == (place.file, place.line)), None)
        assert kind is not None, f"stopped at {at}, where no breakpoint is"
        tensor = client.local(frame, wanted[kind].tensor) or ""
        _set_breakpoints(client, wanted, {})  # the line may call a graph, where another breakpoint is
        client.request("next", threadId=thread)
        thread = client.stopped()
        after = client.top_frame(thread)
        stepped = (after["source"]["path"], after["line"]) == (wanted[kind].file, wanted[kind].next_line)
        seen[kind] = Seen(True, tensor, stepped)
        del left[kind]
        _set_breakpoints(client, wanted, left)
    client.request("continue", threadId=thread)
    client.event("terminated", "exited")
    return seen


def _set_breakpoints(client: Client, wanted: Dict[str, Place], left: Dict[str, Place]) -> None:
    for place in wanted.values():
        lines = [{"line": other.line} for other in left.values() if other.file == place.file]
        answer = client.request("setBreakpoints", source={"path": place.file}, breakpoints=lines)
        assert all(point["verified"] for point in answer["breakpoints"]), answer


def table(runs: Dict[str, Callable[[str, Path], Dict[str, Seen]]]) -> str:
    lines = [f"{'backend':10} {'kind':30} " + " ".join(f"{name:28}" for name in runs)]
    for backend, kinds in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            seen = {name: run(backend, Path(folder) / name) for name, run in runs.items()}
        for kind in kinds:
            cells: List[str] = []
            for name in runs:
                got = seen[name][kind]
                cells.append(
                    f"{'hit' if got.hit else 'MISSED'}, tensor, {'next' if got.stepped else 'NO NEXT'}"
                    if got.tensor.startswith("tensor(")
                    else f"NO TENSOR: {got.tensor[:20]}"
                )
            lines.append(f"{backend:10} {kind:30} " + " ".join(f"{cell:28}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    print(table({"pdb": with_pdb, "debugpy": with_debugpy}))
    sys.exit(0)
