"""A fault at each hook, each step of leaving, and each write, one at a time: the user's program never notices."""

from __future__ import annotations

import errno
import functools
import inspect
import json
import os
import warnings
from typing import Any, Callable, Iterator, List, Tuple

import pytest
import torch

import depyf
from depyf import compatibility
from depyf.inspector import directory, finish, hooks, live, prepare, reasons, recorder, source
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


class Counted:
    """Counts the calls of a function while the program runs; `faulty` is called in its place for one of them."""

    def __init__(self, inside: Callable[..., Any], faulty: Callable[..., Any], patched: pytest.MonkeyPatch) -> None:
        self.inside, self.faulty, self.patched = inside, faulty, patched
        self.count = 0
        self.failing = -1
        self.failed: Tuple[Any, ...] = ()

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        if self.count != self.failing:
            return self.inside(*args, **kwargs)
        self.failed = args
        return self.faulty(*args, **kwargs)

    def one_at_a_time(
        self, tmp_path: Any, expected: List[Any], before_each: Callable[[], object] = list, first: int = 1
    ) -> Iterator[Any]:
        """Run the program once for each call, with a fault at that call; gives the directory of each run.

        The same calls must come in each run, so the index is brought up to date after each compilation, not now and then.
        """
        self.patched.setattr(prepare._Dump, "_refresh", lambda dump: finish.write_index(dump.session, dump.directory))
        support.fresh()
        assert_unharmed(tmp_path / "none", expected)
        total = self.count
        for failing in range(first, total + 1):
            support.fresh()
            before_each()
            self.count, self.failing, self.failed = 0, failing, ()
            target = tmp_path / str(failing)
            assert_unharmed(target, expected)
            assert self.failed, f"call {failing} of {total} was not reached"
            yield target
            for path in support.sources(target):
                compile(support.read("/", path), path, "exec", dont_inherit=True)


class FullDisk:
    """A file that takes half of what it is given."""

    def __init__(self, path: str, mode: str) -> None:
        self._stream = open(path, mode)

    def __enter__(self) -> FullDisk:
        return self

    def __exit__(self, *_: Any) -> None:
        self._stream.close()

    def write(self, data: bytes) -> int:
        self._stream.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device", self._stream.name)


def refused(*args: Any, **kwargs: Any) -> Any:
    raise OSError(errno.EIO, "Input/output error", args[0])


STEPS = {"open": ("builtins.open", refused), "write": ("builtins.open", FullDisk), "rename": ("os.replace", refused)}


@pytest.mark.parametrize("step", STEPS)
def test_fault_at_each_write(step: str, expected: List[Any], tmp_path: Any, monkeypatch: Any) -> None:
    """Each file that is written, one at a time: it cannot be made, the disk is full half-way, it cannot be renamed."""
    write = directory._write_whole

    def faulty(*args: Any) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(*STEPS[step])
            write(*args)

    linked: List[bool] = []

    def bytecode(*args: Any) -> Any:
        linked.append(False)
        code = delivered(*args)
        linked[-1] = code is not None
        return code

    counted = Counted(write, faulty, monkeypatch)
    delivered = recorder.Recorder.bytecode
    monkeypatch.setattr(directory, "_write_whole", counted)
    monkeypatch.setattr(recorder.Recorder, "bytecode", bytecode)
    runs = 0
    for target in counted.one_at_a_time(tmp_path, expected, linked.clear, first=2):  # the first is part of entering
        path = counted.failed[0]
        assert (target / "index.md").exists() or path.endswith("index.md"), path
        assert not [name for name in os.listdir(target / directory.PRIVATE) if name.startswith("part-")]
        if not path.endswith("session.json"):
            problems = support.session(target)["problems"]
            assert problems or path.endswith(("index.md", "owner.json")), path
        if not path.endswith("session.json"):  # what is said to be linked is what PyTorch got
            assert sum(code["linked"] for code in support.codes(target)) == linked.count(True)
        runs += 1
    assert runs > 25


HOOKS = ["bytecode", "trace", "graph_shown", "enter_compilation"]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("hook", HOOKS)
def test_fault_at_each_call_of_a_hook(
    hook: str, moment: str, expected: List[Any], tmp_path: Any, monkeypatch: Any
) -> None:
    """Each call that PyTorch makes into depyf, one at a time, fails before or after it did its work."""
    inside = getattr(recorder.Recorder, hook)

    def faulty(*args: Any) -> None:
        if moment == "after":
            inside(*args)
        raise Injected(hook)

    counted = Counted(inside, faulty, monkeypatch)
    monkeypatch.setattr(recorder.Recorder, hook, counted)
    for target in counted.one_at_a_time(tmp_path, expected):
        assert any("Injected" in problem["what"] for problem in support.session(target)["problems"])
    assert counted.count > 0


@pytest.mark.parametrize(
    "name", ["bytecode_hook", "trace_handler", "graph_formatter", "export_listener", "guard_listener", "quiet_trace"]
)
def test_fault_while_installing(name: str, expected: List[Any], tmp_path: Any, monkeypatch: Any) -> None:
    def fails(self: Any) -> Any:
        raise Injected(name)

    monkeypatch.setattr(Hooks, f"_install_{name}", fails)
    assert_unharmed(tmp_path, expected)
    problems = json.loads((tmp_path / "session.json").read_text())["problems"]
    assert any(name.replace("_", " ") in problem["where"] for problem in problems)
