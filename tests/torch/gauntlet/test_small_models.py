"""A handful of small models through the gauntlet, and that the gauntlet notices what it is there to notice."""

from __future__ import annotations

import os
from typing import Any, List

import pytest
import torch

import depyf
from depyf.compatibility.behaviours import present
from gauntlet import rounds
from gauntlet.build import Built, DoesNotRun, _built_from
from gauntlet.inputs import Candidate
from gauntlet.observe import Witness, figures, files_in
from gauntlet.outputs import difference, flattened
from gauntlet.rounds import ROUNDS, Round, measure
from gauntlet.small import SMALL


def through(name: str, round_: str, folder: Any, phases: Any = None) -> Any:
    return measure(name, ROUNDS[round_], "eager", str(folder), (phases if phases is not None else []).append)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_as_they_are(name: str, tmp_path: Any) -> None:
    phases: List[str] = []
    record = through(f"small:{name}", "plain", tmp_path, phases)
    assert record["outcome"] == "passed", record["wrong"]
    assert record["bytecodes"] == record["equal"] == record["linked"] == record["running"] >= 1
    assert record["guards"] > 0 and record["files"] >= 5 and "not_deterministic" not in record
    assert phases == ["eager", "plain", "depyf"]


@pytest.mark.parametrize("name", ["decoder", "pictures"])
def test_with_forced_graph_breaks_and_several_shapes(name: str, tmp_path: Any) -> None:
    record = through(f"small:{name}", "forced", tmp_path)
    assert record["outcome"] == "passed", record["wrong"]
    assert record["calls"] == 3
    assert record["graph_breaks"] > 0 or not present("graph_break_reasons")
    assert record["recompiles"] > 0 or not present("recompile_reasons")
    assert record["bytecodes"] == record["equal"] == record["linked"] > 4


def test_training(tmp_path: Any) -> None:
    record = through("small:encoder", "training", tmp_path)
    assert record["outcome"] == "passed", record["wrong"]
    assert any("Backward_graph" in file for file in os.listdir(tmp_path))


class Unsteady(torch.nn.Module):
    """Gives something else whenever a new one runs, with depyf or without."""

    runs = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.seen  # type: ignore[has-type]


def runner_for(make: Any) -> Any:
    candidate = Candidate("x", (("x", lambda batch, length: torch.ones(batch, length)),))
    return rounds._Runner(Built(make, make(), "test", candidate), Round("plain"), "eager")


def test_a_model_that_is_not_deterministic_is_told_apart(tmp_path: Any) -> None:
    def make() -> Unsteady:
        model = Unsteady()
        Unsteady.runs += 1
        model.seen = Unsteady.runs
        return model

    runner = runner_for(make)
    plain, counters, _ = runner.timed()
    record: Any = {"wrong": []}
    rounds._dumped(record, runner, str(tmp_path), plain, counters, lambda phase: None)
    assert record["wrong"] == [] and record["not_deterministic"] == "call 0  differs"


def test_a_model_whose_output_changed_is_a_failure(tmp_path: Any, monkeypatch: Any) -> None:
    class Telling(torch.nn.Module):
        """Gives something else where prepare_debug is entered."""

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + inside

    inside = 0
    runner = runner_for(Telling)
    plain, counters, _ = runner.timed()
    entering = depyf.prepare_debug.__enter__

    def enter(self: Any) -> Any:
        nonlocal inside
        inside = 1
        return entering(self)

    def leave(self: Any, *error: Any) -> None:
        nonlocal inside
        inside = 0
        return leaving(self, *error)

    leaving = depyf.prepare_debug.__exit__
    monkeypatch.setattr(depyf.prepare_debug, "__enter__", enter)
    monkeypatch.setattr(depyf.prepare_debug, "__exit__", leave)
    record: Any = {"wrong": []}
    rounds._dumped(record, runner, str(tmp_path), plain, counters, lambda phase: None)
    assert record["wrong"] == ["output changed: call 0  differs"]


def test_code_that_is_not_linked_and_files_that_do_not_parse_are_noticed(tmp_path: Any) -> None:
    def function(x: Any) -> Any:
        return x + 1

    torch._dynamo.reset()
    compiled = torch.compile(function, backend="eager")
    with Witness() as witness:
        compiled(torch.ones(2))  # before depyf is there
        with depyf.prepare_debug(str(tmp_path)):
            compiled(torch.ones(2, dtype=torch.float64))
    (tmp_path / "broken.py").write_text("def f(:\n")
    found, wrong = figures(str(tmp_path), witness)
    assert found["bytecodes"] == 2 and found["linked"] == 1 and found["running"] == 1
    assert any("not linked" in text for text in wrong) and "broken.py does not parse" in wrong
    assert "1 of 2 cache entries do not run from the dump" in wrong
    assert files_in(str(tmp_path))[1] == ["broken.py"]


def test_bits_are_compared() -> None:
    one = {"a": torch.tensor([0.0, float("nan")]), "b": [1, "x", None], "c": float("nan")}
    assert difference(flattened(one), flattened({**one, "a": one["a"].clone()})) is None
    assert difference(flattened(one), flattened({**one, "a": torch.tensor([-0.0, float("nan")])})) == "a differs"
    assert difference(flattened(one), flattened({**one, "a": one["a"].double()})) == "a differs"
    assert difference(flattened(one), flattened({**one, "b": [True, "x", None]})) == "b.0 differs"
    assert difference(flattened(one), flattened({"a": one["a"]})) is not None


def test_what_does_not_run_says_why() -> None:
    with pytest.raises(DoesNotRun, match="there is no model class"):
        _built_from(iter([]))
    wrong = Candidate("a text", (("input_ids", lambda batch, length: "text"),))
    attempt = ("decoder", SMALL["decoder"][0], SMALL["decoder"][0](), iter([wrong]))
    with pytest.raises(DoesNotRun, match="a text: TypeError"):
        _built_from(iter(["too large", attempt]))
