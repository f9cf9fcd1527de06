"""depyf.debug() without a debugger: what it links, that nothing is compiled inside, and that nothing is left behind."""

from __future__ import annotations

import os
import sys

import pytest

torch = pytest.importorskip("torch")

import depyf  # noqa: E402
from depyf.debugging import pausing  # noqa: E402


def scaled(x, factor):
    y = x * factor
    return y.relu()


def branching(x):
    y = x * 2
    if y.sum() > 0:
        return y + 1
    return y - 1


def lines_run(call, folder):
    """The lines of files in a folder that a call runs."""
    seen = {}

    def trace(frame, event, _argument):
        file = frame.f_code.co_filename
        if os.path.dirname(file) != str(folder):
            return None
        if event == "line":
            seen.setdefault(os.path.basename(file), []).append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return seen


def compilations():
    return torch._dynamo.utils.counters["stats"].get("unique_graphs", 0)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_graphs_and_transformed_code_run_in_their_files_only_inside(backend, tmp_path, capsys):
    compiled = torch.compile(branching, backend=backend)
    x = torch.ones(3)
    with depyf.prepare_debug(tmp_path):
        expected = compiled(x)
    graph = {"eager": "Captured_Graph", "aot_eager": "Forward_graph"}[backend]
    with depyf.debug():
        seen = lines_run(lambda: compiled(x), tmp_path)
        assert torch.equal(compiled(x), expected)
    graphs = [name for name in seen if name.endswith(f".{graph}.0.py")]
    codes = [name for name in seen if name.startswith("__transformed_code_")]
    assert len(graphs) == 2 and len(codes) == 2, seen
    shown = (tmp_path / graphs[0]).read_text().splitlines()
    assert any("* 2" in shown[line - 1] or "mul" in shown[line - 1] for line in seen[graphs[0]])
    said = capsys.readouterr()
    assert "files to step through" in said.err and str(tmp_path) in said.err and "no terminal" in said.err
    assert not said.out
    after = lines_run(lambda: compiled(x), tmp_path)
    assert not [name for name in after if graph in name], "the links are undone"


def test_nothing_is_compiled_inside_and_the_failed_guard_is_named(tmp_path, capsys):
    compiled = torch.compile(scaled, backend="eager", dynamic=False)
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(3), 2)
    before = compilations()
    with depyf.debug():
        assert torch.equal(compiled(torch.ones(4), 2), torch.full((4,), 2.0))
        assert torch.equal(compiled(torch.ones(3), 5), torch.full((3,), 5.0))
        assert torch.equal(compiled(torch.ones(3), 2), torch.full((3,), 2.0))
        torch.compile(branching, backend="eager")(torch.ones(2))
    assert compilations() == before
    said = capsys.readouterr().err
    assert "scaled" in said and "size mismatch at index 0. expected 3, actual 4" in said
    assert "L['factor'] == 2" in said
    assert "branching" in said and "never compiled" in said
    compiled(torch.ones(4), 2)
    assert compilations() == before + 1, "outside, compiling goes on"


def test_without_a_dump_it_says_what_to_do():
    with pytest.raises(RuntimeError, match="prepare_debug"), depyf.debug():
        pass
    torch.compile(scaled, backend="eager")(torch.ones(2), 3)
    with pytest.raises(RuntimeError, match="compiled before prepare_debug"), depyf.debug():
        pass


def test_graphs_of_code_that_was_compiled_before(tmp_path):
    compiled = torch.compile(scaled, backend="eager")
    x = torch.ones(3)
    compiled(x, 2)
    with depyf.prepare_debug(tmp_path):
        compiled(x, 2)
    with depyf.debug(dump_src_dir=tmp_path):
        assert [name for name in lines_run(lambda: compiled(x, 2), tmp_path) if "Captured_Graph" in name]
    with pytest.raises(FileNotFoundError, match="no dump in"), depyf.debug(dump_src_dir=tmp_path / "elsewhere"):
        pass


def test_inside_prepare_debug_and_twice(tmp_path):
    compiled = torch.compile(scaled, backend="eager")
    x = torch.ones(3)
    with depyf.prepare_debug(tmp_path):
        compiled(x, 2)
        with depyf.debug():
            assert lines_run(lambda: compiled(x, 2), tmp_path)
    both = depyf.debug()
    with both, both, depyf.debug():
        assert [name for name in lines_run(lambda: compiled(x, 2), tmp_path) if "Captured_Graph" in name]
    from torch._dynamo import eval_frame

    if hasattr(eval_frame, "_callback_from_stance"):
        assert eval_frame._callback_from_stance.__module__ == "torch._dynamo.eval_frame"
    both.__exit__(None, None, None)  # once too often is no error


def test_left_out_of_order_and_after_an_exception(tmp_path):
    compiled = torch.compile(scaled, backend="eager", dynamic=False)
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(3), 2)
    first, second = depyf.debug(), depyf.debug()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    with pytest.raises(KeyError), depyf.debug():
        raise KeyError
    before = compilations()
    compiled(torch.ones(5), 2)
    assert compilations() == before + 1
    assert not [name for name in lines_run(lambda: compiled(torch.ones(3), 2), tmp_path) if "Captured" in name]


def test_when_a_pause_reaches_somebody(monkeypatch):
    assert not pausing.somebody_can_answer()
    monkeypatch.setenv("PYTHONBREAKPOINT", "some.debugger")
    assert pausing.somebody_can_answer()
    monkeypatch.setenv("PYTHONBREAKPOINT", "")
    assert not pausing.somebody_can_answer()
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)
    assert pausing.somebody_can_answer()


def test_the_pause_goes_through_breakpoint(tmp_path, monkeypatch, capsys):
    compiled = torch.compile(scaled, backend="eager")
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(3), 2)
    paused = []
    monkeypatch.setattr(sys, "breakpointhook", lambda *args, **kwargs: paused.append(sys._getframe(1).f_code.co_name))
    with depyf.debug():
        pass
    assert paused == ["pause_for_breakpoints"]
    assert "set breakpoints in these files" in capsys.readouterr().err


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_overlapping_stays_end_in_any_order(backend, tmp_path):
    compiled = torch.compile(scaled, backend=backend)
    x = torch.ones(3)
    with depyf.prepare_debug(tmp_path):
        compiled(x, 2)
    stage = {"eager": "Captured_Graph", "aot_eager": "Forward_graph"}[backend]

    def linked():
        return any(stage in name for name in lines_run(lambda: compiled(x, 2), tmp_path))

    stance = torch._dynamo.eval_frame.__dict__.get("_callback_from_stance")
    stays = [depyf.debug() for _ in range(3)]
    for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]):
        for stay in stays:
            stay.__enter__()
        before = compilations()
        for number, index in enumerate(order):
            assert linked()
            compiled(torch.ones(4 + index), 2)
            stays[index].__exit__(None, None, None)
            stays[index].__exit__(None, None, None)
            assert linked() == (number < 2), order
        assert compilations() == before
        assert torch._dynamo.eval_frame.__dict__.get("_callback_from_stance") is stance


def test_overlapping_searches_for_bad_values_end_in_any_order(tmp_path):
    compiled = torch.compile(lambda x: torch.log(x) + 1, backend="eager")
    x = torch.tensor([-1.0])
    with depyf.prepare_debug(tmp_path):
        compiled(x)
    first, second = depyf.debug(stop_on="nan"), depyf.debug(stop_on="nan")
    first.__enter__()
    second.__enter__()
    first.__exit__()
    with pytest.raises(depyf.debugging.BadValueFound, match="node log"):
        compiled(x)
    second.__exit__()
    assert compiled(x).isnan().all()
