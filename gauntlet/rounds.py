"""What is done with one model: a sequence of calls, run eagerly, under torch.compile, and under torch.compile in a dump.

A round is data: which calls, whether graph breaks are forced, whether it trains. `measure` runs it and gives a record.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from gauntlet.build import SEED, SHAPES, Built, build, one_line
from gauntlet.observe import Witness, figures
from gauntlet.outputs import Flat, difference, flattened, tensors

Phase = Callable[[str], None]
MOST_BREAKS = 6


@dataclass(frozen=True)
class Round:
    """`several` calls with several shapes and dtypes, so that entries recompile."""

    name: str
    forced: bool = False
    several: bool = False
    training: bool = False


ROUNDS = {
    "plain": Round("plain"),
    "forced": Round("forced", forced=True, several=True),
    "training": Round("training", training=True),
}


@dataclass
class Call:
    """One call of the model: its inputs, and what is done to the model before."""

    inputs: Dict[str, Any]
    convert: Any = None


def measure(name: str, round_: Round, backend: str, folder: str, phase: Phase) -> Dict[str, Any]:
    """The record of one model in one round. Raises DoesNotRun where it does not run eagerly."""
    phase("eager")
    started = time.monotonic()
    built = build(name)
    record: Dict[str, Any] = {"model": built.label, "inputs": built.candidate.label, "wrong": []}
    runner = _Runner(built, round_, backend)
    record["calls"] = len(runner.calls)
    eager = runner.run(compiled=False)
    record["eager_seconds"] = round(time.monotonic() - started, 2)
    phase("plain")
    try:
        plain, plain_counters, record["plain_seconds"] = runner.timed()
    except Exception as error:
        return {**record, "outcome": "not run", "reason": f"torch.compile fails without depyf: {one_line(error)}"}
    record["like_eager"] = difference(eager, plain) is None
    phase("depyf")
    _dumped(record, runner, folder, plain, plain_counters, phase)
    record.setdefault("outcome", "failed" if record["wrong"] else "passed")
    return record


def _dumped(
    record: Dict[str, Any], runner: _Runner, folder: str, plain: Flat, plain_counters: Dict[str, int], phase: Phase
) -> None:
    """Run inside prepare_debug, and hold what comes out against the plain run."""
    import torch

    import depyf

    torch._dynamo.reset()  # what was compiled before entering would be dumped too, and cannot be linked
    try:
        with Witness() as witness, depyf.prepare_debug(folder):
            ours, our_counters, record["depyf_seconds"] = runner.timed()
    except Exception as error:
        record["wrong"].append(f"fails inside prepare_debug only: {one_line(error)}")
        return
    found, wrong = figures(folder, witness)
    record.update(found)
    record["wrong"] += wrong
    parted = difference(plain, ours)
    if parted is None and our_counters == plain_counters:
        return
    phase("plain again")
    again, again_counters, _ = runner.timed()
    parted_without_us = difference(plain, again)
    if parted_without_us is not None:  # two runs without us part as well, so nothing can be said of its output
        record["not_deterministic"] = parted_without_us
    elif parted is not None:
        record["wrong"].append(f"output changed: {parted}")
    if again_counters == plain_counters and our_counters != plain_counters:
        record["wrong"].append(f"PyTorch counted {our_counters}, without depyf {plain_counters}")


class _Runner:
    """The calls of a round on fresh copies of one model."""

    def __init__(self, built: Built, round_: Round, backend: str) -> None:
        self.built, self.round = built, round_
        self.model: Any = None
        self.backend = "aot_eager" if round_.training and backend == "eager" else backend
        self.calls = calls(built, round_)

    def timed(self) -> Tuple[Flat, Dict[str, int], float]:
        import torch._dynamo.utils as utils

        started = time.monotonic()
        values = self.run(compiled=True)
        seconds = round(time.monotonic() - started, 2)
        stats = utils.counters["stats"]
        counters = {name: stats[name] for name in ("calls_captured", "unique_graphs")}
        counters["graph_breaks"] = sum(utils.counters["graph_break"].values())
        return values, counters, seconds

    def run(self, compiled: bool) -> Flat:
        """All calls, one after the other, from the same state of model and random numbers."""
        import torch
        import torch._dynamo.utils as utils

        torch._dynamo.reset()
        utils.counters.clear()
        model = self.model = self.built.fresh()  # kept: PyTorch 2.3 drops its entries with the model
        if self.round.forced:
            for block in blocks(model):
                block.register_forward_pre_hook(break_graph)
        callable_ = torch.compile(model, backend=self.backend) if compiled else model
        if self.round.training:
            return self._train(model, callable_)
        found: Flat = []
        for number, call in enumerate(self.calls):
            if call.convert is not None:
                model.to(call.convert)
            inputs = copy.deepcopy(call.inputs)
            torch.manual_seed(SEED)
            with torch.no_grad():
                output = callable_(**inputs)
            found += [(f"call {number} {path}", value) for path, value in flattened(output)]
        return found

    def _train(self, model: Any, callable_: Any) -> Flat:
        import torch

        model.train()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        found: Flat = []
        for step, call in enumerate(self.calls):
            torch.manual_seed(SEED)
            results = tensors(callable_(**copy.deepcopy(call.inputs)))
            loss = sum((result.float().square().mean() for result in results), torch.zeros(()))
            loss.backward()
            gradients = {name: p.grad for name, p in model.named_parameters()}
            found += [(f"step {step} {path}", v) for path, v in flattened({"loss": loss, "gradients": gradients})]
            optimizer.step()
            optimizer.zero_grad()
        return found


def calls(built: Built, round_: Round) -> List[Call]:
    """The same call twice, or in a round of several: another shape that works, then other dtypes that work."""
    shape = SHAPES[0]
    if not round_.several:
        return [Call(built.inputs(shape)), Call(built.inputs(shape))]
    import torch

    found = [Call(built.inputs(each)) for each in built.shapes()]
    for whole, convert in ((torch.int32, torch.float64), (torch.int64, torch.float64), (torch.int32, None)):
        inputs = {k: _converted(v, whole, convert) for k, v in built.inputs(shape).items()}
        if _works(built, inputs, convert):
            return [*found, Call(inputs, convert)]
    return found


def _converted(value: Any, whole: Any, convert: Any) -> Any:
    """Whole numbers in one dtype, and floats in that of the model."""
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    if value.is_floating_point():
        return value if convert is None else value.to(convert)
    return value.to(whole) if value.dtype == torch.int64 else value


def _works(built: Built, inputs: Dict[str, Any], convert: Any) -> bool:
    import torch

    model = built.fresh()
    if convert is not None:
        model.to(convert)
    try:
        with torch.no_grad():
            model(**copy.deepcopy(inputs))
    except Exception:
        return False
    return True


def blocks(model: Any) -> List[Any]:
    """The repeated parts of a model: members of its lists of modules, or else of its sequences, or its own children."""
    import torch

    for kind in (torch.nn.ModuleList, torch.nn.Sequential):
        found = [m for part in model.modules() if isinstance(part, kind) for m in part if any(True for _ in m.children())]
        if found:
            return _spread(found)
    return _spread(list(model.children()))


def _spread(found: List[Any]) -> List[Any]:
    """At most so many, from the whole length of the model."""
    distinct: List[Any] = list({id(m): m for m in found}.values())
    step = max(1, -(-len(distinct) // MOST_BREAKS))
    return distinct[::step]


def break_graph(module: Any, arguments: Any) -> Optional[Any]:
    import torch

    torch._dynamo.graph_break()
    return None
