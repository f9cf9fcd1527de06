"""The dispatcher class: the contract, and the cases where a simple swap of code objects goes wrong."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

torch = pytest.importorskip("torch")

from torch._dynamo import convert_frame  # noqa: E402

from depyf.compatibility import live_entries  # noqa: E402
from depyf.optimization import TorchCompileWrapperWithCustomDispatcher  # noqa: E402


class Scale(TorchCompileWrapperWithCustomDispatcher):
    """Dispatches to its first code as soon as there is one."""

    def __init__(self, factor, backend="eager"):
        self.factor = factor
        super().__init__(torch.compile(self.forward, backend=backend))

    def forward(self, x, *rest, shift=0, **named):
        return x * self.factor + shift + sum(rest) + sum(named.values())

    def __call__(self, *args, **kwargs):
        if self.compiled_codes:
            with self.dispatch_to_code(0):
                return self.forward(*args, **kwargs)
        return self.compiled_callable(*args, **kwargs)


def test_dispatch_runs_compiled_code_and_no_guard():
    scale = Scale(3)
    x = torch.ones(2)
    assert torch.equal(scale(x), x * 3)
    assert len(scale.compiled_codes) == 1
    scale.factor = 5  # a guard would see it; the dispatched code holds the constant 3
    assert torch.equal(scale(x), x * 3)
    assert torch.equal(scale.compiled_callable(x), x * 5)
    assert len(scale.compiled_codes) == 2
    with scale.dispatch_to_code(1):
        assert torch.equal(scale.forward(x), x * 5)


def test_any_signature():
    scale = Scale(2)
    x = torch.ones(2)
    expected = x * 2 + 1 + 10 + 100
    for _ in range(3):
        assert torch.equal(scale(x, 10, shift=1, more=100), expected)
    assert len(scale.compiled_codes) == 1


def test_the_function_is_untouched_outside_and_after_an_exception():
    scale = Scale(2)
    scale(torch.ones(2))
    original = Scale.forward.__code__
    assert original is scale.original_code_object
    with pytest.raises(KeyError), scale.dispatch_to_code(0):
        assert Scale.forward.__code__ is not original
        raise KeyError
    assert Scale.forward.__code__ is original


def test_a_bad_index_says_what_there_is():
    scale = Scale(2)
    with pytest.raises(IndexError, match="nothing is compiled yet; call self.compiled_callable"):
        scale.dispatch_to_code(0)
    scale(torch.ones(2))
    with pytest.raises(IndexError, match=r"no compiled code 7 of forward; there is: 0 calls __compiled_fn_"):
        scale.dispatch_to_code(7)
    with pytest.raises(TypeError, match="the number of a compiled code"):
        scale.dispatch_to_code("first")


def test_two_instances_keep_their_own_codes():
    two, three = Scale(2), Scale(3)
    x = torch.ones(2)
    assert torch.equal(two(x), x * 2) and torch.equal(three(x), x * 3)
    assert len(two.compiled_codes) == len(three.compiled_codes) == 1
    assert two.compiled_codes[0] is not three.compiled_codes[0]
    with two.dispatch_to_code(0):
        assert torch.equal(three.forward(x), x * 3), "another instance is not dispatched"
        assert torch.equal(two.forward(x), x * 2)


def test_an_entry_shared_with_another_wrapper_is_found():
    one, other = Scale(2), Scale(2)
    x = torch.ones(2)
    one(x)
    other(x)
    assert len(live_entries(one.original_code_object)) == 1
    assert len(other.compiled_codes) == 1
    assert torch.equal(other(x), x * 2)


def double(x):
    return x * 2


class OfFunction(TorchCompileWrapperWithCustomDispatcher):
    def __init__(self, compiled, function):
        super().__init__(compiled)
        self.function = function

    def __call__(self, x):
        if self.compiled_codes:
            with self.dispatch_to_code(0):
                return self.function(x)
        return self.compiled_callable(x)


def test_a_plain_function_and_several_wrappers_of_it():
    x = torch.ones(3)
    calls = []

    def counting(gm, inputs):
        def run(*args):
            calls.append(1)
            return gm.forward(*args)

        return run

    eager, counted = (
        OfFunction(torch.compile(double, backend="eager"), double),
        OfFunction(torch.compile(double, backend=counting), double),
    )
    for _ in range(2):
        assert torch.equal(eager(x), x * 2)
    assert not calls and not counted.compiled_codes
    for _ in range(4):
        assert torch.equal(counted(x), x * 2)
    assert len(calls) == 4, "every call ran through the graph of its own backend"
    with eager.dispatch_to_code(0), counted.dispatch_to_code(0):
        double(x)
    assert len(calls) == 5, "the innermost dispatch holds"


def make_adder(amount):
    def add(x):
        return x + amount

    return add


def test_closures_of_one_code_object():
    x = torch.zeros(2)
    adders = [make_adder(torch.full((2,), float(n))) for n in (1, 2)]
    wrappers = [OfFunction(torch.compile(add, backend="eager"), add) for add in adders]
    for _ in range(3):
        for n, wrapper in enumerate(wrappers, 1):
            assert torch.equal(wrapper(x), x + n)


class Module(TorchCompileWrapperWithCustomDispatcher, torch.nn.Module):
    def __init__(self):
        torch.nn.Module.__init__(self)
        self.linear = torch.nn.Linear(2, 2)
        TorchCompileWrapperWithCustomDispatcher.__init__(self, torch.compile(self.forward, backend="aot_eager"))

    def forward(self, x):
        return self.linear(x).relu()

    def __call__(self, x):
        if self.compiled_codes:
            with self.dispatch_to_code(0):
                return self.forward(x)
        return self.compiled_callable(x)


def test_a_module_trains_and_has_no_extra_state():
    module = Module()
    assert set(module.state_dict()) == {"linear.weight", "linear.bias"}
    x = torch.randn(4, 2)
    for _ in range(3):
        module.zero_grad()
        module(x).sum().backward()
        gradient = module.linear.weight.grad.clone()
        module.zero_grad()
        module.forward(x).sum().backward()
        torch.testing.assert_close(gradient, module.linear.weight.grad)
    assert len(module.compiled_codes) == 1


class Plain(torch.nn.Module):
    def forward(self, x):
        return x + 1


class Branching(TorchCompileWrapperWithCustomDispatcher):
    def __init__(self):
        super().__init__(torch.compile(self.forward, backend="eager"))

    def forward(self, x):
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - 1

    def __call__(self, x):
        if self.compiled_codes:
            with self.dispatch_to_code(0):
                return self.forward(x)
        return self.compiled_callable(x)


def test_code_with_a_graph_break_resumes_in_compiled_code():
    branching = Branching()
    seen = []
    handle = convert_frame.register_bytecode_hook(lambda old, new: seen.append(old.co_name))
    try:
        x = torch.ones(2)
        for _ in range(2):
            assert torch.equal(branching(x), x * 2 + 1)
        before = len(seen)
        for _ in range(3):  # the other branch: its resume function is compiled inside the dispatched call, once
            assert torch.equal(branching(-x), x * -2 - 1)
        assert len(seen) == before + 1 and "resume" in seen[-1]
    finally:
        handle.remove()


def test_reset_in_between():
    scale = Scale(2)
    x = torch.ones(2)
    for _ in range(3):
        for _ in range(2):
            assert torch.equal(scale(x), x * 2)
        torch._dynamo.reset()
        gc.collect()
        assert torch.equal(scale(x), x * 2), "the code that the wrapper holds is still whole"
        assert torch.equal(scale.compiled_callable(x), x * 2)
        assert len(scale.compiled_codes) == 1, "what was compiled before the reset no longer counts"


def test_collected_with_its_hook():
    gc.collect()
    hooks_before = len(convert_frame._bytecode_hooks)
    globals_before = {name for name in globals() if name.startswith("__depyf_quiet")}
    scale = Scale(2)
    scale(torch.ones(2))
    scale(torch.ones(2))
    assert len(convert_frame._bytecode_hooks) == hooks_before + 1
    gone = weakref.ref(scale)
    del scale
    torch._dynamo.reset()
    gc.collect()
    assert gone() is None
    assert len(convert_frame._bytecode_hooks) == hooks_before
    assert "__depyf_route__" not in Scale.forward.__dict__
    assert {name for name in globals() if name.startswith("__depyf_quiet")} == globals_before


def test_threads_that_dispatch_do_not_reach_threads_that_do_not():
    scale = Scale(2)
    x = torch.ones(2)
    scale(x)
    scale.factor = 7  # dispatched calls still give 2, all others 7
    wrong = []
    start = threading.Barrier(4)

    def dispatching():
        start.wait()
        for _ in range(300):
            result = scale(x)
            if not torch.equal(result, x * 2) and not torch.equal(result, x * 7):
                wrong.append(("dispatched", result))

    def plain():
        start.wait()
        for _ in range(300):
            if not torch.equal(scale.forward(x), x * 7):
                wrong.append(("plain", scale.factor))

    threads = [threading.Thread(target=run) for run in (dispatching, plain, dispatching, plain)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert Scale.forward.__code__ is scale.original_code_object


def test_a_compiled_module_as_the_callable():
    module = torch.nn.Sequential(torch.nn.Linear(2, 2))
    wrapper = OfFunction(torch.compile(Plain(), backend="eager"), None)
    wrapper.function = wrapper.compiled_callable._orig_mod.forward
    x = torch.ones(2)
    for _ in range(3):
        assert torch.equal(wrapper(x), x + 1)
    assert len(wrapper.compiled_codes) == 1
    inbuilt = OfFunction(torch.compile(module, backend="eager"), module)
    torch.testing.assert_close(inbuilt.compiled_callable(x), module(x))
    assert len(inbuilt.compiled_codes) == 1


def test_something_that_is_not_compiled_is_refused():
    with pytest.raises(TypeError, match="give what torch.compile"):
        OfFunction(double, double)
