"""A fault at each hook, each step of leaving, and each write, one at a time: the user's program never notices."""

from __future__ import annotations

import functools
import inspect
import json
import warnings
from typing import Any, Callable, List, Tuple

import pytest
import torch

import depyf
from depyf import compatibility
from depyf.inspector import directory, finish, hooks, live, reasons, recorder, source
from depyf.inspector.hooks import Hooks
from depyf.inspector.renderers import files, full_code, index
from tests.torch.inspector import support
from tests.torch.inspector.programs import PROGRAMS


class Injected(Exception):
    pass


def program() -> List[Any]:
    compile = functools.partial(torch.compile, backend="eager")
    return [PROGRAMS[name](compile) for name in ("graph_break_on_data", "recompiled_for_values")]


def used_by_the_inspector(name: str) -> bool:
    """Whether one of the inspector's modules calls this function of `compatibility`, which serves other parts too."""
    using = (directory, finish, hooks, live, reasons, recorder, source)
    return any(f"compatibility.{name}(" in inspect.getsource(module) for module in using)


def functions_of(*modules: Any) -> List[Tuple[Any, str]]:
    """Every function that a module defines, and every method of its classes: all the places where something can fail."""
    found: List[Tuple[Any, str]] = []
    for module in modules:
        for name, value in sorted(vars(module).items()):
            home = getattr(value, "__module__", None) or ""
            if home != module.__name__ and not home.startswith(module.__name__ + "."):  # a package shows what its modules define
                continue
            if isinstance(value, type) and home != module.__name__:
                continue
            if isinstance(value, type) and not issubclass(value, (tuple, BaseException)):
                found += [
                    (value, method)
                    for method, function in sorted(vars(value).items())
                    if callable(function) and not method.startswith("__")
                ]
            elif callable(value) and not isinstance(value, type):
                found.append((module, name))
    return found


POINTS = [
    point
    for point in functions_of(
        compatibility, directory, finish, live, reasons, recorder, source, files, full_code, index
    )
    if point[0] is not compatibility or used_by_the_inspector(point[1])
    # these say that something went wrong, or run before the user's code and may raise there
    if point[1] not in ("failed", "claim", "version", "trace_logger", "distributed_rank")
]
IDS = [f"{owner.__name__.rpartition('.')[2]}.{name}" for owner, name in POINTS]


@pytest.fixture(scope="module")
def expected() -> List[Any]:
    support.fresh()
    return program()


def assert_unharmed(target: Any, expected: List[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        manager = depyf.prepare_debug(target)
        manager.__enter__()
        try:
            got = program()
        finally:
            manager.__exit__(None, None, None)
    assert support.same(got, expected)
    assert not torch._dynamo.convert_frame._bytecode_hooks


@pytest.mark.parametrize("point", POINTS, ids=IDS)
def test_fault_in_each_function(point: Tuple[Any, str], expected: List[Any], tmp_path: Any, monkeypatch: Any) -> None:
    owner, name = point

    def fails(*args: Any, **kwargs: Any) -> Any:
        raise Injected(name)

    target = directory.DumpDirectory(str(tmp_path))
    target.claim()  # what can fail on entering has its own tests
    target.close()
    inside = getattr(owner, name)
    entering = {
        "locked",
        "_choose",
        "_sign",
        "_sweep_unfinished",
        "_identity",
        "_started",
        "_alive",
        "_read_json",
        "_folders",
    }
    entering |= {"_write_whole", "_lock_file", "_archive"}
    if name in entering:
        fails = fails_after_entering(inside, fails, tmp_path)
    monkeypatch.setattr(owner, name, fails)
    assert_unharmed(tmp_path, expected)


def fails_after_entering(inside: Callable[..., Any], fails: Callable[..., Any], target: Any) -> Callable[..., Any]:
    """A directory that cannot be taken is an error on entering, so the fault begins once hooks are in."""

    def sometimes(*args: Any, **kwargs: Any) -> Any:
        if torch._dynamo.convert_frame._bytecode_hooks or torch._dynamo.utils.counters["frames"]:
            return fails(*args, **kwargs)
        return inside(*args, **kwargs)

    return sometimes


def test_fault_at_each_write(expected: List[Any], tmp_path: Any, monkeypatch: Any) -> None:
    write = directory._write_whole
    count = 0
    failing = -1
    failed = ""

    def counted(path: str, data: bytes, folder: str) -> None:
        nonlocal count, failed
        count += 1
        if count == failing:
            failed = path
            raise OSError(5, "Input/output error", path)
        write(path, data, folder)

    monkeypatch.setattr(directory, "_write_whole", counted)
    assert_unharmed(tmp_path / "none", expected)
    total = count
    assert total > 20
    for failing in range(2, total + 1, max(1, total // 12)):  # the first write is part of entering
        support.fresh()
        count = 0
        target = tmp_path / str(failing)
        assert_unharmed(target, expected)
        assert (target / "index.md").exists() or failed.endswith("index.md")
        for path in support.sources(target):
            compile(support.read("/", path), path, "exec", dont_inherit=True)


@pytest.mark.parametrize("name", ["bytecode_hook", "trace_handler", "graph_formatter"])
def test_fault_while_installing(name: str, expected: List[Any], tmp_path: Any, monkeypatch: Any) -> None:
    def fails(self: Any) -> Any:
        raise Injected(name)

    monkeypatch.setattr(Hooks, f"_install_{name}", fails)
    assert_unharmed(tmp_path, expected)
    problems = json.loads((tmp_path / "session.json").read_text())["problems"]
    assert any(name.replace("_", " ") in problem["where"] for problem in problems)
