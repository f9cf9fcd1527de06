"""depyf.vscode: what is written, what is kept."""

from __future__ import annotations

import json

import pytest

import depyf
from depyf.debugging.launch import NAME


def test_a_new_file_and_a_second_time(tmp_path):
    for folder in ("dump", "other"):
        path = depyf.vscode(tmp_path / folder, tmp_path)
    content = json.loads((tmp_path / ".vscode" / "launch.json").read_text())
    assert path == str(tmp_path / ".vscode" / "launch.json")
    (configuration,) = content["configurations"]
    assert configuration["name"] == NAME and configuration["type"] == "debugpy"
    assert configuration["rules"] == [{"path": f"{(tmp_path / 'other').as_posix()}/**", "include": True}]


def test_other_configurations_are_kept_comments_and_all_that(tmp_path):
    folder = tmp_path / ".vscode"
    folder.mkdir()
    (folder / "launch.json").write_text(
        '{\n  // a comment\n  "version": "0.2.0", /* another */\n  "configurations": [{"name": "mine // ,}", "type": "x",},],\n}'
    )
    depyf.vscode(tmp_path / "dump", tmp_path)
    content = json.loads((folder / "launch.json").read_text())
    assert [known["name"] for known in content["configurations"]] == ["mine // ,}", NAME]


def test_what_cannot_be_read_is_left_alone(tmp_path):
    folder = tmp_path / ".vscode"
    folder.mkdir()
    (folder / "launch.json").write_text("{ broken")
    with pytest.raises(ValueError, match="left alone"):
        depyf.vscode(tmp_path / "dump", tmp_path)
    assert (folder / "launch.json").read_text() == "{ broken"
