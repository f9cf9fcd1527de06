"""Tests of pauses without anybody to answer them, on caches of their own."""

from __future__ import annotations

import os
import sys

import pytest


@pytest.fixture(autouse=True)
def nobody_answers(monkeypatch):
    """Under pytest a hook of its own would take our pauses."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        torch._dynamo.reset()
        yield
        torch._dynamo.reset()
