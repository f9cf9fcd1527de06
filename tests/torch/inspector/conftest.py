from __future__ import annotations

from typing import Any, Iterator

import pytest

torch = pytest.importorskip("torch", reason="the inspector is tested with PyTorch")


@pytest.fixture(autouse=True)
def nothing_compiled() -> Iterator[None]:
    """Each test starts with empty caches, and leaves none behind."""
    from tests.torch.inspector import support

    support.fresh()
    yield
    support.fresh()


@pytest.fixture(scope="session", autouse=True)
def inductor_cache(tmp_path_factory: Any) -> Iterator[None]:
    """Inductor's cache is the test run's own."""
    import os

    previous = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(tmp_path_factory.mktemp("inductor"))
    yield
    if previous is None:
        del os.environ["TORCHINDUCTOR_CACHE_DIR"]
    else:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = previous


@pytest.fixture(scope="session", autouse=True)
def every_dump_is_clean() -> Iterator[None]:
    """After the last test: ruff over every dump that one of them wrote."""
    from tests.torch.inspector import support

    yield
    support.assert_clean(support.DUMPS)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The share of transformed bytecode that was proven and linked."""
    from tests.torch.inspector import support

    if support.SEEN:
        count = len(support.SEEN)
        equal = sum(status == "EQUAL" for status, _ in support.SEEN)
        linked = sum(linked for _, linked in support.SEEN)
        text = f"transformed bytecode: {count}, EQUAL {equal} ({equal / count:.1%}), linked {linked} ({linked / count:.1%})"
        terminalreporter.write_line(text)
