"""What the graphs do is what the code does: each sample runs natively and on a machine that follows the graph.

Every sample runs once without a fault and once with an exception raised at each of its probes, so each handler, each
copy of a finally body and each exit of a with statement is gone through.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import textwrap
import types
import warnings

import pytest

from depyf.bytecode import graph_of
from depyf.bytecode.laws import check
from tests.bytecode.helpers import VERSION, codes
from tests.bytecode.machine import Machine
from tests.bytecode.samples import EVERY_VERSION
from tests.bytecode.samples_newer import COROUTINES, GENERATORS, NEWER

PLAIN = {**EVERY_VERSION, **{name: source for name, (version, source) in NEWER.items() if VERSION >= version}}


class Fault(Exception):
    pass


class World:
    """One run: what happened, and at which probe it is to fail."""

    def __init__(self, fault):
        self.fault = fault
        self.log = []

    def probe(self, n, *value):
        self.log.append(n)
        if n == self.fault:
            raise Fault(n)
        return value[0] if value else n

    def manager(self, n, swallows):
        return Manager(self, n, swallows)


class Manager:
    def __init__(self, world, n, swallows):
        self.world, self.n, self.swallows = world, n, swallows

    def __enter__(self):
        return self.world.probe(self.n, "entered")

    def __exit__(self, kind, error, traceback):
        self.world.log.append((kind, str(error)))
        self.world.probe(self.n + 1)
        return self.swallows

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, *args):
        return self.__exit__(*args)


def outcome(run):
    """The value or the exception, in a form that can be compared."""
    try:
        return "value", run()
    except RecursionError:
        raise
    except Exception as error:
        # the texts of the interpreter's own errors are not the machine's business
        return "error", type(error), error.args if isinstance(error, Fault) else None


def function_of(source):
    """The function `f` of a source, in a namespace of its own."""
    namespace = {"Fault": Fault, "__name__": "sample"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # newer versions do not like `return` in `finally`
        code = compile(textwrap.dedent(source), "<sample>", "exec", dont_inherit=True)
    exec(code, namespace)
    return namespace["f"]


def on_machine(function, *args):
    """A machine that has the function's arguments in its slots."""
    code = function.__code__
    graph = graph_of(code)
    check(graph)
    slots = dict(zip(code.co_varnames, args))
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        slots[name] = cell
    if VERSION < (3, 11):
        # since 3.11 there is an instruction for that
        for name in code.co_cellvars:
            slots[name] = types.CellType(slots[name]) if name in slots else types.CellType()
    return Machine(graph, function.__globals__, slots).run()


def finish(machine):
    """Run a machine whose code does not yield."""
    try:
        next(machine)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("yielded")


def probes(function):
    """The numbers of all probes in a sample, from its constants."""
    numbers = set()
    for code in codes(function.__code__):
        numbers.update(const for const in code.co_consts if type(const) is int)
    return [None, *range(1, 21)] if VERSION >= (3, 14) else [None, *sorted(numbers)]


def compare(source, native, machine):
    function = function_of(source)
    for fault in probes(function):
        worlds, results = [], []
        for run in (native, machine):
            function = function_of(source)
            world = World(fault)
            worlds.append(world)
            results.append(outcome(lambda: run(function, world.probe, world.manager, world.manager)))  # noqa: B023
        assert worlds[1].log == worlds[0].log, f"fault {fault}"
        assert repr(results[1]).split(" at 0x") == repr(results[0]).split(" at 0x") or results[1] == results[0], (
            f"fault {fault}"
        )


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_functions(name):
    compare(PLAIN[name], lambda f, *args: f(*args), lambda f, *args: finish(on_machine(f, *args)))


MODULES = """argparse calendar collections configparser dataclasses decimal difflib enum fractions functools heapq
ipaddress json.decoder lzma operator queue random shlex socket statistics string textwrap tokenize traceback
urllib.parse uuid weakref xml.dom.minidom zipfile""".split()


def namespace_after(name, path, run):
    """What a module's body leaves behind: names and kinds of values, and plain values themselves."""
    module = types.ModuleType(name)
    module.__file__ = path
    module.__package__ = name if os.path.basename(path) == "__init__.py" else name.rpartition(".")[0]
    module.__path__ = [os.path.dirname(path)]
    vars(module)["__builtins__"] = builtins
    before = sys.modules[name]
    sys.modules[name] = module
    try:
        run(vars(module))
    finally:
        sys.modules[name] = before
    shown = {}
    for key, value in vars(module).items():
        if key not in ("__builtins__", "__annotate__", "__conditional_annotations__"):
            # the machine imports at once what 3.15 imports lazily
            kind = type(value).__name__.replace("lazy_import", "module")
            shown[key] = value if type(value) in (int, str, bytes) else kind
    return shown


@pytest.mark.parametrize("name", MODULES)
def test_module_bodies(name):
    path = importlib.import_module(name).__file__
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    graph = graph_of(code)
    check(graph)
    native = namespace_after(name, path, lambda namespace: exec(code, namespace))
    machine = namespace_after(name, path, lambda namespace: finish(Machine(graph, namespace, {}, namespace).run()))
    assert machine == native


def drive(generator, actions):
    """Sends, throws and closes; what comes out, then how it ends."""
    out = []
    for action, value in actions:
        try:
            if action == "send":
                out.append(generator.send(value))
            elif action == "throw":
                out.append(generator.throw(Fault("thrown")))
            else:
                generator.close()
                out.append("closed")
        except StopIteration as stop:
            return [*out, ("stopped", stop.value)]
        except Exception as error:
            return [*out, (type(error), error.args if isinstance(error, Fault) else None)]
    return out


SCRIPTS = {
    "sends": [("send", None), *[("send", n) for n in range(10)]],
    "throws_first": [("send", None), ("throw", None), *[("send", n) for n in range(10)]],
    "throws_later": [("send", None), ("send", 1), ("throw", None), *[("send", n) for n in range(10)]],
    "closes": [("send", None), ("send", 1), ("close", None), ("send", None)],
    "closes_first": [("send", None), ("close", None)],
}


def guarded(machine):
    """Outside of the machine, as the interpreter does it up to 3.11: StopIteration does not leave a generator."""
    return (yield from machine)


@pytest.mark.parametrize("script", sorted(SCRIPTS))
@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_generators(name, script):
    compare(
        GENERATORS[name],
        lambda f, *args: drive(f(*args), SCRIPTS[script]),
        lambda f, *args: drive(guarded(on_machine(f, *args)), SCRIPTS[script]),
    )


def drive_coroutine(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("suspended")


@pytest.mark.parametrize("name", sorted(COROUTINES))
def test_coroutines(name):
    compare(
        COROUTINES[name],
        lambda f, *args: drive_coroutine(f(*args)),
        lambda f, *args: drive_coroutine(on_machine(f, *args)),
    )
