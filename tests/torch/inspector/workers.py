"""Many processes and threads that compile into one directory; run as a program for the full size.

    python -m tests.torch.inspector.workers DIRECTORY --processes 8 --threads 4 --functions 200

prints how many of the functions are there. With `--kills N` it starts the same N times, kills the processes at random
times, and checks that every file left behind is whole.
"""

from __future__ import annotations

import argparse
import ast
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, List

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def work(directory: str, number: int, threads: int, functions: int) -> None:
    """One process: each of its threads compiles functions of its own."""
    import torch

    import depyf
    from depyf.compatibility.behaviours import present

    namespace: Any = {}
    errors: List[BaseException] = []

    def define(name: str, text: str) -> None:
        """In a file: what has none, 2.2 compiles through a function of its own, and where threads compile that one at the
        same time it crashes, without depyf too."""
        path = os.path.join(place, f"{name}.py")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        exec(compile(text, path, "exec"), namespace)

    def compile_all(thread: int) -> None:
        try:
            for index in range(functions):
                name = f"f_{number}_{thread}_{index}"
                define(name, f"def {name}(x):\n    return x * {index} + {thread}\n")
                result = torch.compile(namespace[name], backend="eager")(torch.ones(2))
                assert result.tolist() == [index + thread] * 2
        except BaseException as error:
            errors.append(error)

    if not present("first_compilation_in_threads"):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    with tempfile.TemporaryDirectory() as place, depyf.prepare_debug(directory):
        started = [threading.Thread(target=compile_all, args=(thread,)) for thread in range(threads)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
    if errors:
        raise errors[0]


def start(directory: str, processes: int, threads: int, functions: int) -> List[Any]:
    environment = {**os.environ, "PYTHONPATH": ROOT, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.torch.inspector.workers", directory]
    sizes = ["--threads", str(threads), "--functions", str(functions)]
    return [
        subprocess.Popen([*command, "--number", str(number), *sizes], env=environment, cwd=ROOT)
        for number in range(processes)
    ]


def functions_there(directory: str) -> int:
    """How many functions have their full code, their transformed code, their graph, and a place in a session's data."""
    full = {os.path.basename(p) for p in glob.glob(f"{directory}/**/full_code_for_f_*.py", recursive=True)}
    code = {os.path.basename(p) for p in glob.glob(f"{directory}/**/__transformed_code_*.py", recursive=True)}
    listed = set()
    for path in glob.glob(f"{directory}/**/session.json", recursive=True):
        with open(path, encoding="utf-8") as stream:
            listed |= {function["name"] for function in json.load(stream).get("functions", [])}
    return sum(
        f"full_code_for_{name}_0.py" in full and f"__transformed_code_0_for_{name}.py" in code for name in listed
    )


def broken_files(directory: str) -> List[str]:
    """Files that are not whole: Python that does not parse, JSON that does not load, an index without its end."""
    broken = []
    for base, folders, names in os.walk(directory):
        folders[:] = [folder for folder in folders if folder != ".depyf"]
        for name in names:
            path = os.path.join(base, name)
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            try:
                if name.endswith(".py"):
                    ast.parse(text)
                    assert text.startswith("# depyf: ")
                elif name.endswith(".json"):
                    json.loads(text)
                assert text.endswith("\n")
            except (SyntaxError, ValueError, AssertionError):
                broken.append(path)
    return broken


def kill_at_random(directory: str, times: int, seed: int) -> int:
    """Start two processes, kill them in the middle, after a random number of files and some random time.

    Gives how many files were checked in all.
    """
    chance = random.Random(seed)
    checked = 0
    for attempt in range(times):
        target = os.path.join(directory, f"kill_{attempt}")
        running = start(target, 2, 2, 200)
        try:
            wanted = chance.randint(1, 150)  # of 800
            while len(glob.glob(f"{target}/**/__transformed_code_*.py", recursive=True)) < wanted:
                assert all(process.poll() is None for process in running), "ended before it was killed"
                time.sleep(0.02)
            time.sleep(chance.random() * 0.2)
        finally:
            for process in running:
                process.send_signal(signal.SIGKILL)
            for process in running:
                process.wait()
        broken = broken_files(target)
        assert not broken, broken
        checked += len(glob.glob(f"{target}/**/*.py", recursive=True))
        print(f"killed {attempt + 1} of {times}: {checked} files checked, all whole", flush=True)
    return checked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--functions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--number", type=int, default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.number is not None:
        work(given.directory, given.number, given.threads, given.functions)
        return
    if given.kills:
        kill_at_random(given.directory, given.kills, seed=0)
        return
    began = time.time()
    running = start(given.directory, given.processes, given.threads, given.functions)
    failed = sum(process.wait() != 0 for process in running)
    wanted = given.processes * given.threads * given.functions
    there = functions_there(given.directory)
    print(f"{there} of {wanted} functions are there, {failed} processes failed, {time.time() - began:.0f} s")
    sys.exit(there != wanted or failed != 0)


if __name__ == "__main__":
    main()
