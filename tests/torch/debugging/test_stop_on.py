"""stop_on: the first bad value, forward and backward, on each backend, with the user's line."""

from __future__ import annotations

import sys

import pytest

torch = pytest.importorskip("torch")

import depyf  # noqa: E402
from depyf.debugging.watching import BadValueFound  # noqa: E402


class Layer(torch.nn.Module):
    def __init__(self, fault):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.fault = fault

    def forward(self, x):
        x = self.linear(x)
        if self.fault == "forward":
            x = torch.log(x - x - 1.0)  # the NaN of the forward
        if self.fault == "backward":
            x = torch.sqrt(x - x) * 0 + x  # fine forward, 0 / 0 backward
        return x.tanh()


class SixLayers(torch.nn.Module):
    def __init__(self, fault):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(fault if number == 2 else None) for number in range(6))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.sum()


def line_with(text):
    with open(__file__, encoding="utf-8") as stream:
        return next(number for number, line in enumerate(stream, 1) if text in line)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
@pytest.mark.parametrize("fault", ["forward", "backward"])
def test_the_third_of_six_layers(backend, fault, tmp_path):
    compiled = torch.compile(SixLayers(fault), backend=backend)
    x = torch.randn(3, 4)
    compiled(x).backward()
    with depyf.debug(stop_on="nan"):
        if fault == "forward":
            with pytest.raises(BadValueFound) as found:
                compiled(x)
        else:
            loss = compiled(x)
            assert not loss.isnan()
            with pytest.raises(BadValueFound) as found:
                loss.backward()
    line = line_with("x = torch.log(" if fault == "forward" else "x = torch.sqrt(")
    assert f"{__file__}:{line} in forward: x = torch." in found.value.source
    message = str(found.value)
    assert found.value.node in message and found.value.graph.startswith("__compiled_fn_")
    assert "0 nan, 0 inf of 12" in message, "the inputs are fine"
    assert "12 nan" in message, "the output is not"


def test_after_it_everything_runs_as_before():
    compiled = torch.compile(SixLayers(None), backend="aot_eager")
    x = torch.randn(3, 4)
    expected = compiled(x)
    with depyf.debug(stop_on="nan"):
        loss = compiled(x)
        loss.backward()
        torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(compiled(x), expected)


def divided(x, y):
    return x / y + 1


def test_inf_and_predicates():
    compiled = torch.compile(divided, backend="eager")
    one, zero = torch.ones(2), torch.zeros(2)
    compiled(one, one.clone())
    with depyf.debug(stop_on="nan"):
        compiled(one, zero)
    with pytest.raises(BadValueFound, match="an infinity first in node truediv"), depyf.debug(stop_on="inf"):
        compiled(one, zero)
    with pytest.raises(BadValueFound, match="a bad value first in node add"), depyf.debug(
        stop_on=lambda tensor: bool((tensor > 5).any())
    ):
        compiled(one * 5, one.clone())


def root(x):
    return x.sqrt() + 1


def square(x):
    return x * x


def either(x):
    return torch.cond(x.sum() < 0, root, square, (x,)) * 2


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_inside_a_branch_of_cond(backend):
    compiled = torch.compile(either, backend=backend)
    compiled(torch.ones(2))
    with pytest.raises(BadValueFound, match="first in node sqrt") as found, depyf.debug(stop_on="nan"):
        compiled(-torch.ones(2))
    assert "in root: return x.sqrt() + 1" in found.value.source


def test_a_bad_input_is_called_one():
    compiled = torch.compile(divided, backend="eager")
    compiled(torch.ones(2), torch.ones(2))
    with pytest.raises(BadValueFound, match="input l_x_|input L_x_"), depyf.debug(stop_on="nan"):
        compiled(torch.full((2,), float("nan")), torch.ones(2))


def test_the_debugger_opens_there_and_the_run_goes_on(monkeypatch, capsys):
    compiled = torch.compile(divided, backend="eager")
    one, zero = torch.ones(2), torch.zeros(2)
    compiled(one, one.clone())
    frames = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: frames.append(dict(sys._getframe(1).f_locals)))
    with depyf.debug(stop_on="inf"):
        assert torch.isinf(compiled(one, zero)).all()
        compiled(one, zero)
    assert len(frames) == 1, "the first one only"
    assert frames[0]["node"].name == "truediv" and torch.isinf(frames[0]["output"]).all()
    assert "an infinity first in node truediv" in capsys.readouterr().err


def test_an_unknown_word_is_refused_at_once():
    with pytest.raises(ValueError, match="'nan', 'inf', or a function"):
        depyf.debug(stop_on="zero")
