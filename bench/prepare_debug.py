"""What prepare_debug costs: wall time with it divided by wall time without it, and memory.

    python bench/prepare_debug.py [--quick] [--rounds N] [--only WORDS]

Each measurement runs in a process of its own with cold caches; with and without alternate, and medians are compared.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def transformer(layers: int = 12) -> Any:
    import torch

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.0)
    return torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).train()


def compile_transformer(backend: str) -> Callable[[], Any]:
    import torch

    model = torch.compile(transformer(), backend=backend)
    data = torch.randn(2, 16, 64)

    def run() -> None:
        model(data).sum().backward()

    return run


def many_functions(count: int) -> Callable[[], Any]:
    import torch

    torch._dynamo.config.cache_size_limit = 2000
    namespace: Dict[str, Any] = {"torch": torch}
    for number in range(count):
        exec(f"def f{number}(x, y):\n    z = x * {number} + y\n    return z.relu(), z + 1\n", namespace)
    data = torch.ones(4)

    def run() -> None:
        for number in range(count):
            torch.compile(namespace[f"f{number}"], backend="eager")(data, data)

    return run


def graph_breaks() -> Callable[[], Any]:
    import torch

    def body(x: Any) -> Any:
        for _ in range(3):
            x = x.sin() + 1
        torch._dynamo.graph_break()
        return x.cos()

    def run() -> None:
        for size in range(2, 22):
            torch.compile(body, backend="eager", dynamic=False)(torch.ones(size))
            torch._dynamo.reset()

    return run


CASES: Dict[str, Callable[[], Callable[[], Any]]] = {
    "inductor, cold, 12-layer transformer": lambda: compile_transformer("inductor"),
    "eager, 12-layer transformer": lambda: compile_transformer("eager"),
    "eager, 20 times a graph break": graph_breaks,
    "eager, 100 small functions": lambda: many_functions(100),
    "eager, 1,000 small functions": lambda: many_functions(1000),
}
AIMS = {"inductor, cold, 12-layer transformer": 1.10, "eager, 12-layer transformer": 1.5}


def cpu_seconds() -> float:
    """Processor time of this process and of the compilers it ran: what a busy machine does not change much."""
    import resource

    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def warm_up() -> None:
    """Import and initialise what any first compilation does, so that it is not counted to either side."""
    import torch

    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    torch._dynamo.reset()


def measure(case: str, with_depyf: bool, directory: str) -> Dict[str, Any]:
    """In a child process: seconds for the case, leaving included, and the memory that was needed."""
    import resource

    import torch

    import depyf

    torch.set_num_threads(2)
    if case == "per call":
        return per_call(directory)
    run = CASES[case]()
    warm_up()
    manager: Any = depyf.prepare_debug(directory) if with_depyf else None
    began, began_cpu = time.perf_counter(), cpu_seconds()
    if manager is not None:
        manager.__enter__()
    run()
    if manager is not None:
        manager.__exit__(None, None, None)
    result: Dict[str, Any] = {
        "seconds": time.perf_counter() - began,
        "cpu": cpu_seconds() - began_cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if with_depyf:
        with open(os.path.join(directory, "session.json"), encoding="utf-8") as stream:
            data = json.load(stream)
        codes = [c["transformed"] for f in data["functions"] for c in f["compilations"] if c["transformed"]]
        result["linked"] = f"{sum(code['linked'] for code in codes)}/{len(codes)}"
    return result


BODY = """
def body(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b
"""


def per_call(directory: str) -> Dict[str, Any]:
    """Seconds per call of a function with a graph break, after compilation and outside of prepare_debug.

    Two copies of it in one process, one compiled inside, called in turns; processor time of this thread, best turn.
    """
    import torch

    import depyf

    torch.set_num_threads(1)
    a, b = torch.ones(10), torch.ones(10)
    compiled: List[Callable[..., Any]] = []
    for with_depyf in (False, True):
        namespace: Dict[str, Any] = {"torch": torch}
        exec(BODY, namespace)
        compiled.append(torch.compile(namespace["body"], backend="eager"))
        with depyf.prepare_debug(directory) if with_depyf else contextlib.nullcontext():
            compiled[-1](a, b)
    best = [float("inf"), float("inf")]
    for turn in range(600):
        for which in (0, 1) if turn % 2 else (1, 0):
            call = compiled[which]
            call(a, b)
            began = time.thread_time()
            for _ in range(30):
                call(a, b)
            best[which] = min(best[which], (time.thread_time() - began) / 30)
    return {"without": best[0], "with": best[1]}


def in_process(case: str, with_depyf: bool) -> Dict[str, Any]:
    work = tempfile.mkdtemp(prefix="depyf-bench-")
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": os.path.join(work, "inductor"), "PYTHONPATH": ROOT}
    command = [sys.executable, os.path.abspath(__file__), "--child", case, os.path.join(work, "dump")]
    try:
        done = subprocess.run([*command, str(int(with_depyf))], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr[-3000:])
        return dict(json.loads(done.stdout.splitlines()[-1]))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def compare_calls(rounds: int) -> None:
    results = [in_process("per call", True) for _ in range(rounds)]
    for result in results:
        without, ours = result["without"], result["with"]
        print(
            f"{'per call, processor time':40} {without * 1e6:9.2f} -> {ours * 1e6:9.2f} µs  {ours / without:6.3f}x"
            " (aim 1.00 within noise)",
            flush=True,
        )


def compare(case: str, rounds: int) -> None:
    with_it: List[Dict[str, Any]] = []
    without: List[Dict[str, Any]] = []
    for number in range(rounds):
        order = (True, False) if number % 2 else (False, True)
        for used in order:
            (with_it if used else without).append(in_process(case, used))
    ours, theirs = (statistics.median([r["seconds"] for r in results]) for results in (with_it, without))
    cpu_ours, cpu_theirs = (statistics.median([r["cpu"] for r in results]) for results in (with_it, without))
    memory = max(r["memory"] for r in with_it) - max(r["memory"] for r in without)
    aim = f" (aim {AIMS[case]:.2f})" if case in AIMS else ""
    linked = with_it[-1].get("linked", "")
    print(
        f"{case:40} {theirs:9.2f} -> {ours:9.2f} s  {ours / theirs:6.3f}x{aim}"
        f"  processor time {cpu_ours / cpu_theirs:.3f}x  memory {memory:+.0f} MB  linked {linked}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one round, without the long ones")
    parser.add_argument("--only", default="", help="measure only cases with this in their name")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        case, directory, used = given.child
        print(json.dumps(measure(case, used == "1", directory)))
        return
    print(f"wall time without -> with prepare_debug, {given.rounds} rounds each")
    for case in CASES:
        if given.only in case and not (given.quick and (case.startswith("inductor") or "1,000" in case)):
            compare(case, 1 if given.quick else given.rounds)
    if given.only in "per call":
        compare_calls(1 if given.quick else given.rounds)


if __name__ == "__main__":
    main()
