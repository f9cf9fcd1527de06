"""Each test compiles anew."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def fresh_caches():
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
