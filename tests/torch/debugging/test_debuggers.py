"""Real debuggers: a breakpoint in each kind of dumped file is hit, tensors are readable, `next` goes to the next line."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("torch")

from tests.torch.debugging import debuggers
from tests.torch.debugging.places import KINDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")


@pytest.mark.slow
@pytest.mark.parametrize("backend", list(KINDS))
@pytest.mark.parametrize("debugger", ["pdb", "debugpy"])
def test_each_kind_of_file(debugger, backend, tmp_path):
    if debugger == "debugpy":
        pytest.importorskip("debugpy")
    run = debuggers.with_pdb if debugger == "pdb" else debuggers.with_debugpy
    seen = run(backend, tmp_path / "dump")
    assert list(seen) and set(seen) == set(KINDS[backend])
    for kind, got in seen.items():
        assert got.hit and got.stepped, (kind, got)
        assert got.tensor.startswith("tensor("), (kind, got)
