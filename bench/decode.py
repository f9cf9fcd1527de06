"""What decoding costs: the time to make the graphs of the standard library, as a ratio to compile() of its sources.

    python -m bench.decode [--sample N]

Also how the cost grows with the length of one function: a doubling should cost about twice as much.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from typing import List, Tuple

from depyf.bytecode import graph_of
from depyf.bytecode.dominators import dominators
from tools.progress import progress, table
from tools.sources import choose, compile_source, compile_text, nested, stdlib_files

SIZES = (500, 1000, 2000, 4000)


def measure(sample: int) -> Tuple[float, float, float, int]:
    """Seconds to compile, to decode, to find dominators; and the number of code objects. Best of two, file by file."""
    compiling = decoding = dominating = 0.0
    count = 0
    for source in progress(choose(stdlib_files("library"), sample, seed=0), label="decode", always=True):
        if compile_source(source) is None:
            continue
        text = source.read()
        best = [float("inf")] * 3
        for _ in range(2):
            start = time.process_time()
            module = compile_text(text, source.path)
            compiled = time.process_time()
            codes = [module, *[item.code for item in nested(module)]]
            begun = time.process_time()
            graphs = [graph_of(code) for code in codes]
            decoded = time.process_time()
            for graph in graphs:
                dominators(graph)
            times = (compiled - start, decoded - begun, time.process_time() - decoded)
            best = [min(pair) for pair in zip(best, times)]
        compiling, decoding, dominating = compiling + best[0], decoding + best[1], dominating + best[2]
        count += len(codes)
    return compiling, decoding, dominating, count


def growth() -> List[Tuple[int, float]]:
    """Milliseconds for one function of so many statements, of several kinds."""
    rows = []
    for size in SIZES:
        lines = ["def f(a, b):"]
        for number in range(size // 5):
            lines += [f"    if a.x{number} > b:", f"        a = g{number}(a, k={number})", "    for c in a:"]
            lines += ["        b += c", f"    a[{number}] = [b, c, f'{{a}}']"]
        code = compile_text("\n".join(lines), "<growth>").co_consts[0]
        best = float("inf")
        for _ in range(5):
            start = time.process_time()
            graph_of(code)
            best = min(best, time.process_time() - start)
        rows.append((size, best * 1000))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=150, metavar="N", help="number of files (default: 150)")
    options = parser.parse_args()
    gc.collect()
    gc.freeze()
    compiling, decoding, dominating, count = measure(options.sample)
    version = ".".join(map(str, sys.version_info[:3]))
    print(
        f"CPython {version}, {count} code objects: compile {compiling:.2f} s, decode {decoding:.2f} s, dominators {dominating:.2f} s"
    )
    print(f"decode / compile = {decoding / compiling:.2f}; with dominators {(decoding + dominating) / compiling:.2f}\n")
    rows = growth()
    ratios = ["", *[f"{after / before:.2f}" for (_, before), (_, after) in zip(rows, rows[1:])]]
    cells = [(str(size), f"{milliseconds:.1f}", ratio) for (size, milliseconds), ratio in zip(rows, ratios)]
    print(table(["statements", "ms", "growth"], cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
