"""depyf.install and uninstall: what PyTorch's bytecode log shows, and that nothing is left behind."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import depyf.logs  # noqa: E402
from depyf.logs import install, uninstall  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import torch
import depyf

depyf.install()

@torch.compile(backend="eager")
def f(a, b):
    return a + b

f(torch.tensor(1), torch.tensor(2))
depyf.uninstall()
"""


def bytecode_log():
    from torch._dynamo import convert_frame

    return convert_frame.bytecode_log


@pytest.fixture(autouse=True)
def uninstalled():
    uninstall()
    torch._dynamo.reset()
    yield
    uninstall()


def test_the_log_of_a_program(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "TORCH_LOGS": "+bytecode", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    text = "\n".join(
        re.sub(r"^.*?(\[__bytecode\]|__bytecode: \[DEBUG\]) ?", "", line) for line in done.stderr.splitlines()
    )
    original, modified = text.split("MODIFIED BYTECODE")
    assert "ORIGINAL BYTECODE f" in original
    for part, body in ((original, "    return a + b"), (modified, "__compiled_fn_")):
        after = part.partition("possible source code:")[2]
        assert after.startswith("\n# verdict: EQUAL"), after
        assert "def f(a, b):\n" in after and body in after
        compile(after.partition("\n")[2], "<log>", "exec")


class Records(logging.Handler):
    def __init__(self):
        super().__init__(logging.DEBUG)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


@pytest.fixture
def messages():
    logger, handler = bytecode_log(), Records()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler.messages
    logger.setLevel(level)
    logger.removeHandler(handler)


def compiled_once(size):
    torch._dynamo.reset()

    @torch.compile(backend="eager")
    def g(x):
        return x * size

    return g(torch.ones(size))


def test_installing_twice_shows_source_once_and_uninstalling_is_complete(messages):
    filters = list(bytecode_log().filters)
    uninstall()
    install()
    install()
    compiled_once(2)
    assert len(messages) == 2 and all(message.count("possible source code:") == 1 for message in messages)
    uninstall()
    uninstall()
    assert bytecode_log().filters == filters
    messages.clear()
    compiled_once(3)
    assert len(messages) == 2 and not any("possible source code" in message for message in messages)


def test_what_cannot_be_decompiled_is_said_and_the_compilation_goes_on(messages, monkeypatch):
    install()

    def broken(code):
        raise ValueError("no such thing")

    monkeypatch.setattr(depyf.logs, "source_of", broken)
    assert torch.equal(compiled_once(4), torch.full((4,), 4.0))
    assert all("not shown, since ValueError: no such thing" in message for message in messages)


def test_nothing_is_decompiled_while_the_log_is_off(monkeypatch):
    asked = []
    monkeypatch.setattr(depyf.logs, "source_of", asked.append)
    install()
    compiled_once(5)
    assert not asked
