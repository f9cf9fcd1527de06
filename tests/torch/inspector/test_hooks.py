"""Whatever is installed comes out again: in any order, twice, after an exception, and from inside a compilation."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Any, Dict, List

import pytest
import torch
import torch._dynamo.convert_frame
import torch._dynamo.utils
import torch._logging._internal

import depyf
from depyf.compatibility.behaviours import present
from tests.torch.inspector import support


def global_state() -> List[Any]:
    """What depyf touches in PyTorch, and a sample of what it must not touch."""
    held: Dict[str, Any] = {
        name: vars(module)["lazy_format_graph_code"]
        for name, module in sorted(sys.modules.items())
        if "lazy_format_graph_code" in (getattr(module, "__dict__", None) or {})
    }
    trace = logging.getLogger("torch.__trace")
    return [
        list(torch._dynamo.convert_frame._bytecode_hooks.values()),
        [h for h in trace.handlers if type(h).__name__ != "LazyTraceHandler"],  # PyTorch takes that one out by itself
        trace.level,
        held,
        id(getattr(getattr(torch._logging._internal, "trace_structured", None), "__code__", None)),
        torch.is_grad_enabled(),
        list(warnings.filters),
        sys.gettrace(),
        sys.excepthook,
    ]


def compile_something(size: int = 3) -> Any:
    return torch.compile(lambda x: x + 1, backend="eager")(torch.ones(size))


@pytest.fixture(autouse=True)
def state_is_restored() -> Any:
    compile_something()
    before = global_state()
    yield
    assert global_state() == before


def test_exits_in_the_order_of_entering(tmp_path: Any) -> None:
    first, second = depyf.prepare_debug(tmp_path / "a"), depyf.prepare_debug(tmp_path / "b")
    first.__enter__()
    second.__enter__()
    compile_something()
    first.__exit__(None, None, None)
    compile_something(4)
    second.__exit__(None, None, None)
    assert len(support.codes(tmp_path / "b")) >= 2


def test_exits_twice_and_without_entering(tmp_path: Any) -> None:
    manager = depyf.prepare_debug(tmp_path)
    manager.__exit__(None, None, None)
    manager.__enter__()
    manager.__exit__(None, None, None)
    manager.__exit__(None, None, None)


def test_exception_of_the_user_passes_through(tmp_path: Any) -> None:
    error = ValueError("the user's")
    with pytest.raises(ValueError) as caught:
        with depyf.prepare_debug(tmp_path):
            compile_something()
            raise error
    assert caught.value is error
    assert support.session(tmp_path)["finished"]


def test_exception_in_a_compiled_function_is_the_users(tmp_path: Any) -> None:
    def fails(x: Any) -> Any:
        torch._dynamo.graph_break()
        raise KeyError("inside")

    with depyf.prepare_debug(tmp_path):
        with pytest.raises(KeyError, match="inside") as caught:
            torch.compile(fails, backend="eager")(torch.ones(2))
    files = [entry.path for entry in caught.traceback]
    assert not [file for file in files if "depyf/inspector" in str(file)]
    assert support.session(tmp_path)["problems"] == []


def test_failing_backend_raises_its_own_error(tmp_path: Any) -> None:
    def backend(graph_module: Any, inputs: Any) -> Any:
        raise RuntimeError("backend is out")

    with depyf.prepare_debug(tmp_path):
        with pytest.raises(Exception, match="backend is out"):
            torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
    assert [name for name in support.names(tmp_path) if "Captured_Graph" in name], "the graph that failed is dumped"
    assert support.session(tmp_path)["problems"] == []


def test_entered_again_goes_on_counting(tmp_path: Any) -> None:
    manager = depyf.prepare_debug(tmp_path)
    with manager:
        compile_something()
    first = support.names(tmp_path)
    support.fresh()
    with manager:
        compile_something()
    second = support.names(tmp_path)
    assert set(first) < set(second)
    assert len(support.session(tmp_path)["functions"]) >= 2


def test_nested_in_itself(tmp_path: Any) -> None:
    manager = depyf.prepare_debug(tmp_path)
    with manager:
        with manager:
            compile_something()
        compile_something(5)
    assert support.session(tmp_path)["finished"]


def test_two_sessions_in_one_directory_do_not_meet(tmp_path: Any) -> None:
    with depyf.prepare_debug(tmp_path) as outer:
        with depyf.prepare_debug(tmp_path) as inner:
            compile_something(6)
    assert outer.folder != inner.folder
    assert support.sources(outer.folder) and support.sources(inner.folder)


def test_reset_inside(tmp_path: Any) -> None:
    def first(x: Any) -> Any:
        return x + 1

    def second(x: Any) -> Any:
        return x + 2

    with depyf.prepare_debug(tmp_path):
        torch.compile(first, backend="eager")(torch.ones(2))
        torch._dynamo.reset()
        torch.compile(second, backend="eager")(torch.ones(2))  # the same compile id again
    names = support.names(tmp_path)
    assert "full_code_for_first_0.py" in names and "full_code_for_second_0.py" in names
    assert "__guard_0_for_first" in support.read(tmp_path, "full_code_for_first_0.py")
    # releases without a structured trace have forgotten the guards of what is no longer in a cache
    if present("structured_trace"):
        assert support.checks_tensor(support.read(tmp_path, "full_code_for_first_0.py"), "x")


def test_older_form_with_the_function_first(tmp_path: Any) -> None:
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    with depyf.prepare_debug(compiled, str(tmp_path)):
        compiled(torch.ones(2))
    assert support.sources(tmp_path)


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="needs a directory"):
        depyf.prepare_debug(lambda x: x)
    with pytest.raises(TypeError, match="nonsense"):
        depyf.prepare_debug("x", nonsense=1)


def test_log_bytecode(tmp_path: Any) -> None:
    dill = pytest.importorskip("dill")
    support.dumped(tmp_path, compile_something, log_bytecode=True)
    names = [name for name in support.names(tmp_path) if name.endswith("bytecode")]
    assert {name.rpartition(".")[2] for name in names} >= {"original_bytecode", "transformed_bytecode"}
    with open(tmp_path / names[0], "rb") as stream:
        assert dill.load(stream).co_name == "<lambda>"
