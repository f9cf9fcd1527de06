"""guard_report: rows, lines, advice."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from depyf.compatibility.behaviours import present, why_not  # noqa: E402
from depyf.optimization import guard_report  # noqa: E402

one_by_one = pytest.mark.skipif(not present("stance"), reason=why_not("stance"))


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(width, heads, batch_first=True)
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.feed = torch.nn.Sequential(
            torch.nn.Linear(width, 2 * width), torch.nn.GELU(), torch.nn.Linear(2 * width, width)
        )

    def forward(self, x):
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.feed(self.norms[1](x))


def small_transformer():
    return torch.nn.Sequential(*(Block(16, 2) for _ in range(2))).eval()


@one_by_one
@pytest.mark.slow
def test_the_rows_are_the_parts():
    """How well they add up to what was measured is a matter of time: bench/guard_report.py says it."""
    compiled = torch.compile(small_transformer().forward)
    x = torch.randn(1, 2, 16)
    with torch.no_grad():
        compiled(x)
        report = guard_report(compiled, x, seconds=0.5)
    (entry,) = report.entries
    rows = sum(row.microseconds for row in entry.guards)
    fixed = entry.parts.wrapper + entry.parts.frame + entry.parts.markers + entry.parts.caches
    assert rows > 0 and rows + fixed == pytest.approx(entry.parts.explained, rel=1e-6)
    assert sum(row.count for row in entry.guards) > 50
    text = str(report)
    for part in ("wrapper around the call", "looking up the entry", "profiling markers", "caches cold"):
        assert part in text


def broken(x, factor):
    y = x * factor
    torch._dynamo.graph_break()
    return y + 1


@one_by_one
@pytest.mark.slow
@pytest.mark.parametrize("entries", [1, 4])
@pytest.mark.parametrize("graph_break", [False, True])
def test_each_entry_is_timed_also_with_a_graph_break(entries, graph_break):
    compiled = torch.compile(broken if graph_break else scaled, backend="eager", dynamic=False)
    for factor in range(2, 2 + entries):
        compiled(torch.ones(3), factor)
    report = guard_report(compiled, seconds=0.1)
    assert len({entry.name for entry in report.entries}) == entries
    assert all(entry.parts.call > 0 and entry.parts.explained > 0 for entry in report.entries)


def scaled(x, factor, *, offset=1.0):
    return x * factor + offset


@one_by_one
def test_entries_are_timed_with_arguments_made_up_from_their_guards():
    compiled = torch.compile(scaled, backend="eager", dynamic=False)
    compiled(torch.ones(2), 3)
    compiled(torch.ones(2, 2, dtype=torch.float64), 3)
    report = guard_report(compiled, seconds=0.2)
    assert len(report.entries) == 2
    assert all(entry.parts is not None for entry in report.entries)
    text = str(report)
    assert "EQUALS_MATCH on L['factor']" in text and "[0/1]" in text
    assert "test_guard_report.py" in text or not present("lines_of_guards")


@one_by_one
def test_arguments_that_cannot_be_made_up_leave_the_times_out():
    def of_dict(inputs):
        return inputs["x"] + 1

    compiled = torch.compile(of_dict, backend="eager")
    compiled({"x": torch.ones(2)})
    (entry,) = guard_report(compiled, seconds=0.2).entries
    assert entry.parts is None and entry.guards
    assert "give guard_report the arguments" in str(guard_report(compiled, seconds=0.2))
    (entry,) = guard_report(compiled, {"x": torch.ones(2)}, seconds=0.2).entries
    assert entry.parts is not None


@one_by_one
def test_advice():
    model = small_transformer()
    compiled = torch.compile(model.forward, backend="eager")
    x = torch.randn(1, 2, 16)
    compiled(x)
    (entry,) = guard_report(compiled, x, seconds=0.3).entries
    by_source = {row.guard.source: row for row in entry.guards}
    tensors = [row for row in entry.guards if "TENSOR_MATCH" in row.guard.kinds]
    inputs = [row for row in tensors if "_parameters" not in row.guard.source]
    assert len(inputs) == 1 and inputs[0].advice.verdict == "keep"
    assert {row.advice.verdict for source, row in by_source.items() if source.startswith("G[")} <= {"safe", "if"}
    parameters = [row for source, row in by_source.items() if "_parameters[" in source]
    assert parameters
    skip_modules = "torch.compiler.skip_guard_on_all_nn_modules_unsafe"
    option = skip_modules if present("guard_filters") else "depyf.optimization.skip_guards"
    assert all(row.advice.option == option for row in parameters)
    for row in entry.guards:
        if row.advice.option.startswith("torch."):
            assert hasattr(torch.compiler, row.advice.option.rpartition(".")[2])


def test_every_release_lists_the_guards():
    compiled = torch.compile(scaled, backend="eager")
    compiled(torch.ones(2), 3)
    (entry,) = guard_report(compiled, torch.ones(2), 3, seconds=0.2).entries
    assert entry.parts is not None and entry.parts.call > 0
    assert any("L['factor']" in row.guard.source for row in entry.guards)


def test_nothing_compiled():
    assert "nothing is compiled yet" in str(guard_report(torch.compile(scaled)))
