"""The gauntlet's own machinery, without PyTorch: processes, the resume file, small configurations, choices, the page."""

from __future__ import annotations

import os
import signal
import time
from typing import Any, Dict, List

import pytest

from gauntlet import records, report
from gauntlet.__main__ import chosen, tasks_for
from gauntlet.pool import run_pool
from gauntlet.shrink import PROFILES, shrunk
from gauntlet.work import Task, complete

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def some_work(task: str, phase: Any) -> Dict[str, Any]:
    phase("first")
    if task == "raises":
        raise ValueError("on purpose")
    phase("second")
    if task == "hangs":
        time.sleep(600)
    if task == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "exits":
        os._exit(7)
    return {"outcome": "passed", "pid": os.getpid()}


@forks
def test_whatever_a_task_does_becomes_a_record() -> None:
    tasks = ["works", "raises", "hangs", "is killed", "exits", "works too"]
    found = dict(run_pool(tasks, some_work, jobs=2, limit=3.0))
    assert sorted(found) == sorted(tasks)
    assert found["works"]["outcome"] == found["works too"]["outcome"] == "passed"
    assert len({os.getpid(), found["works"]["pid"], found["works too"]["pid"]}) == 3
    assert "ValueError: on purpose" in found["raises"]["reason"] and found["raises"]["phase"] == "first"
    assert found["hangs"]["reason"] == "longer than 3 s" and found["hangs"]["phase"] == "second"
    assert found["is killed"]["reason"].startswith("ended by SIGKILL")
    assert found["exits"]["reason"].startswith("ended with status 7")
    assert all(record["seconds"] >= 0 for record in found.values())


@forks
def test_leaving_early_ends_the_children() -> None:
    results = run_pool(["works", "hangs", "hangs"], some_work, jobs=3, limit=600.0)
    next(results)
    results.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_the_resume_file_survives_a_cut_line(tmp_path: Any) -> None:
    path = str(tmp_path / "folder" / "records.jsonl")
    one = {"name": "a", "round": "plain", "backend": "eager", "outcome": "failed"}
    records.append(path, one)
    with open(path, "a", encoding="utf-8") as stream:
        stream.write('{"name": "b", "rou')
    records.append(path, {**one, "outcome": "passed"})
    records.append(path, {**one, "name": "c", "outcome": "not run"})
    found = records.load(path)
    assert {key[0]: record["outcome"] for key, record in found.items()} == {"a": "passed", "c": "not run"}
    assert records.load(str(tmp_path / "none")) == {}
    records.tidy(path)
    assert records.load(path) == found
    with open(path, encoding="utf-8") as stream:
        assert len(stream.readlines()) == 2


def test_what_is_left_to_do() -> None:
    done = {
        ("a", "plain", "eager"): {"outcome": "passed", "code": "1"},
        ("b", "plain", "eager"): {"outcome": "failed"},
        ("c", "plain", "eager"): {"outcome": "not run"},
    }
    names = ["a", "b", "c", "d"]
    assert [task.name for task in tasks_for(names, "plain", "eager", done, again=False)] == ["d"]
    assert [task.name for task in tasks_for(names, "plain", "eager", done, again=True)] == ["b", "d"]
    assert [task.name for task in tasks_for(names, "plain", "eager", done, again=False, renew="1")] == ["b", "c"]
    assert [task.name for task in tasks_for(names, "forced", "eager", done, again=False)] == ["a", "b", "d"]


def test_samples_are_spread() -> None:
    names = [f"hf:{number:02}" for number in range(20)]
    assert chosen(names, [], 4) == ["hf:00", "hf:05", "hf:10", "hf:15"]
    assert chosen(names, ["1", "03"], 0) == ["hf:01", "hf:03", *(f"hf:{n}" for n in range(10, 20))]


def test_whose_time_ran_out() -> None:
    task = Task("hf:x", "plain", "eager")
    ended = {"outcome": "ended", "reason": "longer than 3 s"}
    assert complete(task, {**ended, "phase": "plain"})["outcome"] == "not run"
    ours = complete(task, {**ended, "phase": "depyf"}, "1234567")
    assert ours["code"] == "1234567"
    assert ours["outcome"] == "failed" and "longer than 3 s" in ours["wrong"][0] and ours["name"] == "hf:x"


def test_configurations_become_small() -> None:
    kinds = ["linear", "linear", "linear", "full"] * 3
    default = {
        "hidden_size": 4096, "num_hidden_layers": 12, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "vocab_size": 100_000, "image_token_id": 99_999, "layer_types": kinds, "use_cache": True, "hidden_act": "silu",
        "architectures": ["X"],
        "vision_config": {"model_type": "v", "image_size": 224, "patch_size": 16, "depths": [2, 2, 18, 2]},
    }  # fmt: skip
    small = shrunk(default, PROFILES[0])
    assert (small["hidden_size"], small["num_attention_heads"], small["num_key_value_heads"]) == (64, 4, 2)
    assert small["layer_types"] == ["linear", "full"] and small["num_hidden_layers"] == 2
    assert small["image_token_id"] < small["vocab_size"] == 512
    assert small["vision_config"] == {"model_type": "v", "image_size": 64, "patch_size": 16, "depths": [1, 1, 1, 1]}
    assert small["use_cache"] is True and small["hidden_act"] == "silu" and "architectures" not in small
    assert default["hidden_size"] == 4096


def some_records() -> List[Dict[str, Any]]:
    good = {"outcome": "passed", "bytecodes": 3, "equal": 3, "linked": 3, "wrong": [], "plain_seconds": 1.0, "depyf_seconds": 2.0}
    bad = {**good, "outcome": "failed", "equal": 2, "wrong": ["output changed: call 0 differs"]}
    return [
        {"name": "hf:a", "round": "plain", "backend": "eager", **good},
        {"name": "hf:b", "round": "plain", "backend": "eager", **bad},
        {"name": "hf:c", "round": "plain", "backend": "eager", "outcome": "not run", "reason": "Error: a | b in '/x/site-packages/y.py'"},
        {"name": "hf:a", "round": "forced", "backend": "eager", **good, "not_deterministic": "x differs"},
    ]


def test_the_page_says_what_the_records_say(tmp_path: Any) -> None:
    report.write(str(tmp_path / "models.md"), some_records(), 5, "torch 1")
    text = (tmp_path / "models.md").read_text(encoding="utf-8")
    assert "torch 1. Of 5 architectures in the catalogue 3 were tried; 2 were not tried in this run." in text
    assert "| plain | eager | 3 | 2 | 1 | 1 | 1 | 6 | 5 | 6 |  |" in text
    assert "| forced | eager | 1 | 1 | 1 | 0 | 0 | 3 | 3 | 3 |" in text
    assert "| hf:c | plain | eager | Error: a \\| b in 'y.py' |" in text
    assert "**failed**: output changed: call 0 differs" in text
    assert "nothing is said of the output of: hf:a." in text
    assert report.summary(some_records()).splitlines()[0].startswith("plain, eager: 2 of 3 architectures ran, 1 passed, 1 failed")
