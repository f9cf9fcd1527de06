"""The garbage collector after a decompilation: as it was before."""

from __future__ import annotations

import gc

import pytest

from depyf import DecompilationError, Decompiler
from depyf.decompiler.collecting import CollectorPaused
from depyf.decompiler.trees import Options, emit_tree


@pytest.fixture(params=[True, False], ids=["on", "off"])
def collects(request):
    was = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if was else gc.disable)()


def test_it_stands_still_inside_only(collects):
    with CollectorPaused():
        assert not gc.isenabled()
    assert gc.isenabled() == collects


def test_a_text_was_made(collects):
    assert Decompiler(compile("a = b\n", "<test>", "exec")).decompile() == "a = b\n"
    assert gc.isenabled() == collects


def test_something_was_not_foreseen(collects):
    with pytest.raises(DecompilationError):
        emit_tree(lambda: {}["no tree"], Options(), "f")
    assert gc.isenabled() == collects
