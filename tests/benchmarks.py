"""The benchmarks as modules, so that tests can count the work of the same shapes that the benchmarks time."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def benchmark(name: str) -> Any:
    """The module bench/NAME.py, which belongs to no package."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", os.path.join(ROOT, "bench", f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
