"""What the inspector's tests share: running a program under prepare_debug, and reading what came out."""

from __future__ import annotations

import ast
import contextlib
import glob
import json
import logging
import os
import re
import subprocess
import sys
from typing import Any, Callable, Dict, Iterator, List, Tuple

import pytest
import torch

import depyf
from depyf.compatibility.behaviours import present, why_not

# (status, linked) of all transformed code that the tests of programs saw, for the summary
SEEN: List[Tuple[str, bool]] = []
# the directories that tests dumped into
DUMPS: List[str] = []

UNIQUE = re.compile(r"_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}|\b[0-9a-f]{32}\b|\b\d{9,}\b|0x[0-9a-f]+")


def requires(behaviour: str) -> Any:
    """For a test that cannot hold on releases without this behaviour."""
    return pytest.mark.skipif(not present(behaviour), reason=why_not(behaviour))


def resume_name(function: str, line: int) -> str:
    """What PyTorch calls the rest of a function after a graph break at this line, in the names of files."""
    return f"torch_dynamo_resume_in_{function}_at_{line}" if present("resume_names") else f"resume_in_{function}"


def checks_tensor(text: str, variable: str) -> bool:
    """Whether there is a guard that compares a tensor with the one that was compiled for."""
    return re.search(rf"check_tensors?\(L\['{variable}'\]", text) is not None


def dumped(directory: Any, program: Callable[[], Any], **options: Any) -> Any:
    DUMPS.append(str(directory))
    with depyf.prepare_debug(str(directory), **options):
        return program()


def session(directory: Any) -> Dict[str, Any]:
    with open(os.path.join(str(directory), "session.json"), encoding="utf-8") as stream:
        return dict(json.load(stream))


def names(directory: Any) -> List[str]:
    """Relative names of all files of a dump, bookkeeping left out."""
    found = []
    for base, folders, files in os.walk(str(directory)):
        folders[:] = [folder for folder in folders if folder != ".depyf"]
        found += [os.path.relpath(os.path.join(base, file), str(directory)) for file in files]
    return sorted(found)


def read(directory: Any, name: str) -> str:
    with open(os.path.join(str(directory), name), encoding="utf-8") as stream:
        return stream.read()


def sources(directory: Any) -> List[str]:
    return sorted(glob.glob(os.path.join(str(directory), "**", "*.py"), recursive=True))


def assert_python(directory: Any) -> None:
    """Every file parses and compiles, and has a header."""
    found = sources(directory)
    assert found
    for path in found:
        text = read("/", path)
        assert text.startswith("# depyf: "), path
        ast.parse(text, path)
        compile(text, path, "exec", dont_inherit=True)


def assert_clean(directories: List[str]) -> None:
    """ruff finds no name that is undefined, unused or defined twice, and no syntax error."""
    found = sorted({path for directory in directories for path in sources(directory)})
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F,E9"]
    done = subprocess.run([*command, *found], capture_output=True, text=True) if found else None
    assert done is None or done.returncode == 0, done.stdout + done.stderr


def codes(directory: Any) -> List[Dict[str, Any]]:
    """All transformed code of a session: file, status, linked, reason."""
    data = session(directory)
    compilations = [c for function in data["functions"] for c in function["compilations"]]
    return [c["transformed"] for c in compilations if c["transformed"]]


def without_unique(text: str) -> str:
    return UNIQUE.sub("…", text)


def same(left: Any, right: Any) -> bool:
    """Equal to the bit for tensors, equal by value for the rest."""
    if isinstance(left, torch.Tensor):
        if not isinstance(right, torch.Tensor) or left.dtype != right.dtype or left.shape != right.shape:
            return False
        return left.detach().numpy().tobytes() == right.detach().numpy().tobytes()
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right))
    return bool(left == right)


def compiler_counts() -> Tuple[Dict[str, int], Dict[str, int]]:
    """How many frames were compiled, and how often graphs broke, since the counters were cleared."""
    counters = torch._dynamo.utils.counters
    return dict(counters["frames"]), {key.split("\n")[0]: count for key, count in counters["graph_break"].items()}


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Without the handlers that pytest adds to every logger: PyTorch writes its trace only if somebody listens."""
    logger = logging.getLogger("torch.__trace")
    before = list(logger.handlers)
    logger.handlers = [handler for handler in before if not type(handler).__module__.startswith("_pytest")]
    yield
    logger.handlers = before


@contextlib.contextmanager
def listened() -> Iterator[None]:
    """With somebody else who listens to PyTorch's trace, and does nothing with it."""

    class Listener(logging.Handler):
        def handle(self, record: logging.LogRecord) -> Any:
            return True

    logger, listener = logging.getLogger("torch.__trace"), Listener()
    logger.addHandler(listener)
    yield
    logger.removeHandler(listener)


def without_depyf() -> Any:
    """What a program under prepare_debug is compared with: nobody listens to the trace, unless the release lets that be noticed."""
    return contextlib.nullcontext() if present("unseen_tracing") else listened()


def fresh() -> None:
    """As if nothing had been compiled yet."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
