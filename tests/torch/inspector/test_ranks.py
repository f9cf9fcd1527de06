"""Ranks of one run: a dump for each, one index, and whether they compiled the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest
import torch
import torch.distributed

from depyf.inspector.ranks import compare, first_difference
from tests.torch.inspector import support

PROGRAM = Path(__file__).with_name("ddp_program.py")

available = pytest.mark.skipif(
    not torch.distributed.is_available() or not torch.distributed.is_gloo_available(), reason="PyTorch without gloo"
)


def torchrun(folder: Any, *arguments: str) -> List[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone", str(PROGRAM)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([*command, str(folder), *arguments], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return sorted(line for line in done.stdout.splitlines() if line.startswith("rank "))


@available
def test_two_ranks_that_compile_the_same(tmp_path: Any) -> None:
    said = torchrun(tmp_path)
    assert [line.split(":")[1] for line in said][0] == [line.split(":")[1] for line in said][1]  # DDP kept them in step
    for rank in ("rank_0", "rank_1"):
        support.assert_python(tmp_path / rank)
        data = support.session(tmp_path / rank)
        assert data["finished"] and not data["problems"]
        codes = [c["transformed"] for f in data["functions"] for c in f["compilations"]]
        assert codes and all(code["status"] == "EQUAL" and code["linked"] for code in codes)
    (result,) = support.session(tmp_path)["ranks"]
    assert result["ranks"] == ["rank_0", "rank_1"] and result["finished"] and not result["parts"]
    assert result["graphs"] == result["equal"] == 8  # two graphs: captured, joint, forward, backward
    assert "rank_1 against rank_0: 8 graphs, counted at every stage, and all are equal." in support.read(tmp_path, "index.md")


@available
def test_two_ranks_that_part(tmp_path: Any) -> None:
    torchrun(tmp_path, "apart")
    (result,) = support.session(tmp_path)["ranks"]
    assert result["graphs"] == 8 and result["equal"] == 4
    (part,) = result["parts"]
    assert "resume_in_forward" in part["function"] and part["what"] == "Captured_Graph"
    texts = [support.read(tmp_path, file["file"]).splitlines()[file["line"] - 1].strip() for file in part["files"]]
    assert texts == [file["text"] for file in part["files"]] and texts[0] != texts[1]
    index = support.read(tmp_path, "index.md")
    assert "4 of 8 graphs, counted at every stage, are equal; they part in 1 place." in index
    assert f"]({part['files'][1]['file']}#L{part['files'][1]['line']})" in index


def compilation(number: str = "0/0", file: str = "g.py", breaks: Any = (), why: str = "") -> Dict[str, Any]:
    return {
        "compile_id": number,
        "graphs": [{"files": [{"stage": "Captured_Graph", "file": file}]}] if file else [],
        "graph_breaks": [{"file": "x.py", "line": line} for line in breaks],
        "recompiles": [{"guard": why}] if why else [],
    }


def session(*functions: Any, finished: bool = True) -> Dict[str, Any]:
    made = [{"qualname": n, "file": "x.py", "line": 1, "compilations": list(c)} for n, c in functions]
    return {"functions": made, "finished": finished}


def compared(one: Any, other: Any, texts: Any = None) -> Dict[str, Any]:
    (result,) = compare({"rank_0": one, "rank_1": other}, lambda name: (texts or {}).get(name, "y = x\n"))
    return result


def test_what_ranks_can_differ_in() -> None:
    same = ("f", [compilation()])
    assert compared(session(same), session(same))["parts"] == []
    more = compared(session(same), session(same, ("g", [compilation()])))
    assert [part["what"] for part in more["parts"]] == ["compiled by rank_1, not by rank_0"]
    fewer = compared(session(same, ("g", [compilation()])), session(same))
    assert [part["what"] for part in fewer["parts"]] == ["compiled by rank_0, not by rank_1"]
    again = compared(session(same), session(("f", [compilation(), compilation("0/1", why="L['x'].size()[0] == 2")])))
    (part,) = again["parts"]
    assert part["what"] == "compiled 1 times by rank_0, 2 times by rank_1; 0/1 because of `L['x'].size()[0] == 2`"
    broken = compared(session(same), session(("f", [compilation(breaks=[7])])))
    assert "no line in rank_0, at ['x.py:7'] in rank_1" in broken["parts"][0]["what"]
    missing = compared(session(same), session(("f", [compilation(file="")])))
    assert missing["parts"][0]["what"] == "1 files of graphs in rank_0, 0 in rank_1" and missing["equal"] == 0


def test_a_rank_that_wrote_nothing_or_still_runs() -> None:
    assert compared(session(), None) == {
        "ranks": ["rank_0", "rank_1"], "graphs": 0, "equal": 0, "parts": [], "finished": False
    }  # fmt: skip
    assert not compared(session(), session(finished=False))["finished"]
    assert compare({"rank_0": session(), "process_7": session()}, lambda name: "") == []


def test_what_does_not_count_in_a_graph() -> None:
    one = "# depyf: __compiled_fn_1\n\ny = torch.ops.add(x, device=device(type='cuda', index=0))  \n"
    other = "# depyf: something else\ny = torch.ops.add(x, device=device(type='cuda', index=1))\n"
    assert first_difference(one, other) is None
    assert first_difference("a: 'f32[2]cuda:0' = 1", "a: 'f32[2]cuda:3' = 1") is None
    assert first_difference("a = 1\nb = 2\n", "# text\na = 1\nb = 3\n") == (2, "b = 2", 3, "b = 3")
    assert first_difference("a = 1\nb = 2\n", "a = 1\n") == (2, "b = 2", 0, "")
