"""What a program can see of depyf: compilations, tracebacks and frames stay its own."""

from __future__ import annotations

import os
import traceback
import warnings
from typing import Any, Callable, List, Tuple

import pytest
import torch

import depyf
import depyf.compatibility
from tests.torch.inspector import support


def compiled_frames(monkeypatch: Any, run: Callable[[], Any]) -> List[str]:
    """The frames that Dynamo compiles, in order, as name and file; graphs have files of their own names."""
    from torch._dynamo import convert_frame

    found: List[str] = []
    inside = convert_frame._compile

    def watched(code: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(f"{code.co_name} in {code.co_filename.partition('.')[0]}")
        return inside(code, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(convert_frame, "_compile", watched)
        run()
    return found


@support.requires("compiled_autograd_switch")
def test_what_depyf_does_is_never_compiled_itself(tmp_path: Any, monkeypatch: Any) -> None:
    """Compiled autograd makes its graph, and calls our hooks, while frames are looked at."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh())

    def train() -> None:
        with torch._dynamo.config.patch(compiled_autograd=True):

            def step(x: Any) -> Any:
                loss = model(x).sum()
                loss.backward()
                return loss

            torch.compile(step, backend="aot_eager")(torch.ones(2, 3))

    alone = compiled_frames(monkeypatch, train)
    support.fresh()
    watched = compiled_frames(monkeypatch, lambda: support.dumped(tmp_path, train))
    assert alone and watched == alone
    support.assert_python(tmp_path)


class Refused(Exception):
    pass


def raising(x: Any) -> Any:
    raise Refused("the user's own", float(x[0]))


def calls_it(x: Any) -> Any:
    y = x * 2
    torch._dynamo.graph_break()
    z = y + 1
    return torch._dynamo.disable(raising)(z)


def raised() -> Tuple[BaseException, List[traceback.FrameSummary]]:
    with pytest.raises(Refused) as caught:
        torch.compile(calls_it, backend="eager")(torch.ones(2))
    return caught.value, traceback.extract_tb(caught.value.__traceback__)


def test_exceptions_are_the_users_and_tracebacks_too_but_for_the_file_of_linked_code(tmp_path: Any) -> None:
    plain, frames = raised()
    support.fresh()
    seen, with_depyf = support.dumped(tmp_path, raised)
    assert type(seen) is type(plain) and seen.args == plain.args and seen.__cause__ is plain.__cause__
    assert [frame.name for frame in with_depyf] == [frame.name for frame in frames]
    linked = [frame for frame in with_depyf if os.path.dirname(frame.filename) == str(tmp_path)]
    assert linked and all(os.path.basename(frame.filename).startswith("__transformed_code_") for frame in linked)
    assert all(frame.line for frame in linked), "the text is there for whoever prints the traceback"
    for before, after in zip(frames, with_depyf):
        if after in linked:
            own = f"  # {os.path.basename(before.filename)}:{before.lineno}: {before.line}"
            tells = before.lineno != calls_it.__code__.co_firstlineno  # 2.6 has nothing else for the call of a resume function
            assert str(after.line).endswith(own) == tells, "and with it the line that would stand there without depyf"
        else:
            assert (before.filename, before.lineno, before.line) == (after.filename, after.lineno, after.line)


def test_frames_that_were_not_compiled_are_counted(tmp_path: Any) -> None:
    def loops(x: Any) -> Any:
        for _ in range(2):
            x = x + 1
            torch._dynamo.graph_break()
        return x

    support.dumped(tmp_path, lambda: torch.compile(loops, backend="eager")(torch.ones(2)))
    text = support.read(tmp_path, "index.md")
    if support.session(tmp_path)["outside"] and not support.codes(tmp_path):
        assert "0 graph breaks" not in text and "1 frame was not compiled" in text


def test_of_two_sessions_only_the_one_whose_code_runs_says_linked(tmp_path: Any) -> None:
    def doubled(x: Any) -> Any:
        return x * 2

    compiled = torch.compile(doubled, backend="eager")
    with depyf.prepare_debug(tmp_path / "first"), depyf.prepare_debug(tmp_path / "second"):
        assert compiled(torch.ones(2)).tolist() == [2, 2]
    (first,), (second,) = support.codes(tmp_path / "first"), support.codes(tmp_path / "second")
    assert second["linked"] and not first["linked"]
    assert support.read(tmp_path / "first", first["file"]).startswith("# depyf: NOT LINKED: a hook that came later put")
    assert support.session(tmp_path / "first")["functions"][0]["compilations"][0]["guards"]
    ((_, running),) = [pair for pair in depyf.compatibility.transformed_codes() if pair[0] is doubled.__code__]
    assert running.co_filename == str(tmp_path / "second" / second["file"])


def test_strange_escapes_in_the_users_text_are_not_warned_of_again(tmp_path: Any) -> None:
    path = tmp_path / "user.py"
    path.write_text('def matched(x, name):\n    return x * name.count("\\d")\n')
    namespace: Any = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(path.read_text(), str(path), "exec"), namespace)

    def run() -> Any:
        return torch.compile(namespace["matched"], backend="eager")(torch.ones(2), "a")

    def warned_of(function: Any) -> List[str]:
        torch._dynamo.reset()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            function()
        return [str(warning.message) for warning in seen if "escape" in str(warning.message)]

    # since CPython 3.14 whoever shows a traceback parses its lines, and Dynamo shows one for each call of a graph
    assert warned_of(lambda: support.dumped(tmp_path / "dump", run)) == warned_of(run)
    assert "\ndef matched(x, name):" in support.read(tmp_path / "dump", "full_code_for_matched_0.py")
