"""The comparison of a module's own tests with and without its decompiled text: it agrees where it should, and can disagree."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest

from tools import behaviour

pytestmark = pytest.mark.skipif(
    not behaviour.has_tests("test_textwrap"), reason="this CPython came without the standard library's tests"
)


def test_the_decompiled_module_passes_its_tests() -> None:
    (found,) = behaviour.comparisons(["textwrap"], seconds=120)
    assert found.agrees, found.changed
    assert found.ran > 10


def test_a_changed_module_is_noticed(tmp_path: Path) -> None:
    assert behaviour.write_decompiled("textwrap", tmp_path) is None
    text = (tmp_path / "textwrap.py").read_text(encoding="utf-8")
    assert "expandtabs(self.tabsize)" in text
    (tmp_path / "textwrap.py").write_text(text.replace("expandtabs(self.tabsize)", "expandtabs(1)"), encoding="utf-8")
    found = behaviour.compare("textwrap", "test_textwrap", tmp_path, seconds=120)
    assert not found.agrees
    assert any("ok -> FAIL" in line for line in found.changed)


def test_outcomes_are_read_by_name() -> None:
    log = "test_a (test.x.A.test_a) ... ok\ntest_b (test.x.A.test_b)\nWhat it does ... skipped 'no'\ntest_c (x) ... FAIL\n"
    found: Dict[str, str] = {name: outcome.split()[0] for name, outcome in behaviour.OUTCOME.findall(log)}
    assert list(found.values()) == ["ok", "skipped", "FAIL"]
