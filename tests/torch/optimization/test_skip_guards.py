"""skip_guards: what it skips, how calls are told apart, and how a broken promise is found."""

from __future__ import annotations

import gc
import warnings

import pytest

torch = pytest.importorskip("torch")

from depyf.optimization import GuardPromiseBroken, skip_guards  # noqa: E402

FACTOR = 2


def scaled(x):
    return x * FACTOR


@pytest.fixture
def factor():
    """Sets the global that the compiled code is specialised on."""
    global FACTOR

    def set_to(value):
        global FACTOR
        FACTOR = value

    yield set_to
    FACTOR = 2


def test_guards_are_skipped_after_the_first_call(factor):
    fast = skip_guards(torch.compile(scaled, backend="eager"))
    x = torch.ones(2)
    assert torch.equal(fast(x), x * 2)
    factor(5)
    assert torch.equal(fast(x), x * 2), "no guard looked at the global"
    fast.forget_entries()
    assert torch.equal(fast(x), x * 5)


def test_an_entry_that_exists_already_is_used():
    compiled = torch.compile(scaled, backend="eager")
    x = torch.ones(2)
    compiled(x)
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    fast = skip_guards(compiled)
    for _ in range(3):
        assert torch.equal(fast(x), x * 2)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == before


def test_check_complains_and_that_call_is_right(factor):
    fast = skip_guards(torch.compile(scaled, backend="eager"), check=3)
    x = torch.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuardPromiseBroken)
        for _ in range(7):
            fast(x)
    factor(5)
    results, messages = [], []
    for _ in range(6):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append(fast(x)[0].item())
        messages += [str(warning.message) for warning in caught if warning.category is GuardPromiseBroken]
    assert results.count(5.0) == len(messages) == 2
    assert "FACTOR" in messages[0] and "scaled" in messages[0]


def test_when_gives_an_entry_for_each_key():
    @skip_guards(when=lambda x: x.shape)
    @torch.compile(backend="eager", dynamic=False)
    def sizes(x):
        return x + x.shape[0]

    for size in (2, 3, 2, 3, 4, 2):
        assert torch.equal(sizes(torch.zeros(size)), torch.full((size,), float(size)))


def test_when_false_goes_the_ordinary_way(factor):
    fast = skip_guards(torch.compile(scaled, backend="eager"), when=lambda x: len(x) == 2)
    two, three = torch.ones(2), torch.ones(3)
    fast(two), fast(three)
    factor(5)
    assert torch.equal(fast(two), two * 2)
    assert torch.equal(fast(three), three * 5)


class Counter(torch.nn.Module):
    def __init__(self, amount):
        super().__init__()
        self.amount = amount

    @skip_guards
    @torch.compile(backend="eager")
    def forward(self, x):
        return x + self.amount


def test_methods_have_an_entry_for_each_instance():
    x = torch.zeros(2)
    for round_ in range(3):
        counters = [Counter(n) for n in range(3)]
        for _ in range(3):
            for n, counter in enumerate(counters):
                assert torch.equal(counter(x), x + n), round_
        del counters, counter
        gc.collect()


def test_a_compiled_module():
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    fast = skip_guards(torch.compile(module, backend="aot_eager"))
    x = torch.randn(4, 2)
    for _ in range(3):
        torch.testing.assert_close(fast(x), module(x))
    fast(x).sum().backward()
    assert module[0].weight.grad is not None


def test_hooks_that_would_not_run_are_refused():
    module = torch.nn.Linear(2, 2)
    module.register_forward_hook(lambda *args: None)
    with pytest.raises(ValueError, match="forward hooks"):
        skip_guards(torch.compile(module, backend="eager"))


def test_graph_breaks_keep_their_other_branch():
    @skip_guards
    @torch.compile(backend="eager")
    def branching(x, sign=1):
        y = x * 2
        if y.sum() > 0:
            return y + sign
        return y - sign

    x = torch.ones(3)
    for _ in range(3):
        assert torch.equal(branching(x), x * 2 + 1)
        assert torch.equal(branching(-x), x * -2 - 1)


def test_a_function_that_pytorch_never_compiles():
    fast = skip_guards(torch.compile(lambda x: x, backend="eager"))
    for n in range(10):
        assert fast(n) == n


def test_exceptions_and_wrong_arguments_are_the_functions_own():
    fast = skip_guards(torch.compile(scaled, backend="eager"))
    with pytest.raises(TypeError, match="scaled"):
        fast()
    fast(torch.ones(2))
    with pytest.raises(TypeError, match="scaled"):
        fast(1, 2)


def test_inside_another_compiled_function_the_original_is_inlined():
    fast = skip_guards(torch.compile(scaled, backend="eager"))
    x = torch.ones(2)
    fast(x)

    @torch.compile(backend="eager", fullgraph=True)
    def outer(x):
        return fast(x) + 1

    assert torch.equal(outer(x), x * 2 + 1)


def test_after_reset_calls_are_right():
    fast = skip_guards(torch.compile(scaled, backend="eager"), check=2)
    x = torch.ones(2)
    for _ in range(3):
        for _ in range(4):
            assert torch.equal(fast(x), x * 2)
        torch._dynamo.reset()
        gc.collect()


def test_a_negative_check_is_refused():
    with pytest.raises(ValueError, match="check=-1"):
        skip_guards(torch.compile(scaled), check=-1)
