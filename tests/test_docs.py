"""The documentation holds: its links lead somewhere, its examples run and print what they say they print."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

import depyf

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_PROMISE = re.compile(r"^print\(.*\)\s*# ([^#:]+?)(?::.*)?$", re.M)
_NEEDS_MORE = re.compile(r"\b(torch|prepare_debug|depyf\.debug|depyf\.install|optimization|vscode)\b")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _runs(block: str) -> bool:
    return not _NEEDS_MORE.search(block) and not block.lstrip().startswith(">>>")


def examples() -> List[Tuple[str, List[str]]]:
    """Each page with its blocks of Python, in order: a later one may use what an earlier one defines.

    Left out are those that need PyTorch (tests/torch has them as programs), and excerpts of a session (>>>).
    """
    pages = []
    for page in PAGES:
        blocks = [block for block in _BLOCK.findall(page.read_text(encoding="utf-8")) if _runs(block)]
        if blocks:
            pages.append((name(page), blocks))
    return pages


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(("page", "blocks"), examples(), ids=[page for page, _ in examples()])
def test_examples_run_and_print_what_they_say(
    page: str, blocks: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: Dict[str, Any] = {"__name__": "example", "depyf": depyf}
    for block in blocks:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(textwrap.dedent(block), page, "exec", dont_inherit=True), namespace)
        for promise in _PROMISE.findall(block):
            assert promise.split(",")[0].strip() in output.getvalue(), block


def test_the_readme_has_examples() -> None:
    assert "README.md" in [page for page, _ in examples()]
