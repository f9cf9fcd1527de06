"""A world to run a function in, where everything it touches is a proxy that records the event and may raise.

Decisions (is it true, does the loop go on, is the attribute None) come from a seed, so two code objects that make the same
events get the same answers. Operands are written down when the event happens, with the exception being handled then.
"""

from __future__ import annotations

import builtins
import random
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

EXCEPTIONS: Dict[str, type] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception) and not name.startswith(("ExceptionGroup", "Unicode"))
}


class Halt(BaseException):
    """The run has made as many events as it may."""


class Injected(Exception):
    """Raised at an event on purpose."""


class World:
    """One run: its log of events, where to raise, and the decisions."""

    def __init__(self, seed: int, inject_at: Optional[int] = None, kinds: Tuple[type, ...] = (Injected,), limit: int = 200):
        self.log: List[str] = []
        self.chance = random.Random(seed)
        self.inject_at = inject_at
        self.kinds = kinds
        self.limit = limit
        self.created = 0
        self.tested = (-1, "", False)

    def event(self, kind: str, *operands: Any) -> None:
        """Write an event down, then raise if this is the one to raise at."""
        number = len(self.log)
        if number >= self.limit:
            raise Halt()
        handled = sys.exc_info()[1]
        written = ", ".join(map(describe, operands))
        self.log.append(f"{kind}({written})" + (f" while handling {describe(handled)}" if handled is not None else ""))
        if number == self.inject_at:
            raise self.kinds[number % len(self.kinds)](f"injected at {number}")

    def truth(self, proxy: Proxy) -> bool:
        """Tested again with nothing in between, the truth is what it was and the test no event: the proof assumes as much."""
        number, label, answer = self.tested
        if number == len(self.log) and label == describe(proxy):
            return answer
        self.event("truth", proxy)
        answer = self.decide()
        self.tested = (len(self.log), describe(proxy), answer)
        return answer

    def decide(self, shares: int = 2) -> bool:
        """True once in `shares` times."""
        return self.chance.randrange(shares) == 0

    def proxy(self) -> Proxy:
        self.created += 1
        return Proxy(self, f"#{self.created}")

    def value(self, name: str = "") -> Any:
        """What an attribute, a call or a global gives: a proxy mostly, sometimes a plain value."""
        if name in EXCEPTIONS:
            return EXCEPTIONS[name]
        if name.endswith(("Error", "error", "Exception", "Warning")):
            return self.chance.choice((Injected, ValueError, ArithmeticError))
        draw = self.chance.randrange(30)
        plain: Dict[int, Callable[[], Any]] = {
            0: lambda: None, 1: lambda: None, 2: lambda: True, 3: lambda: False, 4: lambda: self.chance.randrange(3),
            5: lambda: "text", 6: lambda: (self.proxy(), self.proxy()), 7: lambda: [self.proxy(), self.proxy()],
        }  # fmt: skip
        return plain[draw]() if draw in plain else self.proxy()


def describe(value: Any, depth: int = 0) -> str:
    """A value in words that are the same for both sides when the values are."""
    if isinstance(value, Proxy):
        return object.__getattribute__(value, "_label")  # type: ignore[no-any-return]
    if depth > 3:
        return type(value).__name__
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(describe(item, depth + 1) for item in value)})"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}({', '.join(sorted(describe(item, depth + 1) for item in value))})"
    if isinstance(value, dict):
        inside = ", ".join(f"{describe(k, depth + 1)}: {describe(v, depth + 1)}" for k, v in value.items())
        return f"{type(value).__name__}({inside})"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, type(...))):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, slice):
        return f"slice({describe((value.start, value.stop, value.step), depth + 1)})"
    if isinstance(value, BaseException):
        return f"{type(value).__name__}({describe(value.args, depth + 1)})"
    if isinstance(value, types.FunctionType):
        held = (value.__defaults__, value.__kwdefaults__, value.__annotations__ if sys.version_info < (3, 14) else None)
        return f"function {value.__qualname__} {describe(held, depth + 1)}"
    if isinstance(value, type):
        return f"class {value.__name__}"
    return type(value).__name__


class Globals(dict):  # type: ignore[type-arg]
    """Every global name is there, and looking it up is an event. CPython stores past any method: see `stored`."""

    world: World
    held: Dict[str, Any]

    def __missing__(self, name: str) -> Any:
        return self[name]

    def __getitem__(self, name: str) -> Any:
        self.world.event("global", name)
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        if name not in self.held:
            known = name in EXCEPTIONS or name.endswith("Error")
            self.held[name] = self.world.value(name) if known else self.world.proxy()
        return self.held[name]

    def stored(self) -> List[str]:
        """What the run stored, for the end of its log."""
        given = ("__builtins__", "__name__")
        return [f"global {name} is {describe(value)}" for name, value in dict.items(self) if name not in given]


def globals_of(world: World) -> Globals:
    """A global namespace whose imports and classes are events too."""
    namespace = Globals()
    namespace.world, namespace.held = world, {}

    def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        world.event("import", name, fromlist, level)
        return world.proxy()

    def build_class(body: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        world.event("class", body, name, bases, keywords)
        return world.proxy()

    dict.__setitem__(namespace, "__builtins__", {"__import__": importing, "__build_class__": build_class})
    dict.__setitem__(namespace, "__name__", "recorded")
    return namespace


class Proxy:
    """An object on which everything is an event."""

    _world: World
    _label: str

    def __init__(self, world: World, label: str) -> None:
        if type(world) is not World:
            raise TypeError("made by the code that runs, through __class__ or type()")
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "_label", label)

    def __getattr__(self, name: str) -> Any:
        world = object.__getattribute__(self, "_world")
        world.event("attribute", self, name)
        return world.value(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._world.event("set attribute", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._world.event("delete attribute", self, name)

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        self._world.event("call", self, values, keywords)
        return self._world.value()

    def __bool__(self) -> bool:
        return self._world.truth(self)

    def __hash__(self) -> int:
        return hash(object.__getattribute__(self, "_label"))

    def __len__(self) -> int:
        self._world.event("len", self)
        return self._world.chance.randrange(3)

    def __index__(self) -> int:
        self._world.event("index", self)
        return self._world.chance.randrange(3)

    def __contains__(self, item: Any) -> bool:
        self._world.event("contains", self, item)
        return self._world.decide()

    def __str__(self) -> str:
        self._world.event("str", self)
        return f"<{self._label}>"

    def __repr__(self) -> str:
        self._world.event("repr", self)
        return f"<{self._label}!r>"

    def __format__(self, specification: str) -> str:
        self._world.event("format", self, specification)
        return f"<{self._label}:{specification}>"

    def __iter__(self) -> Iterator[Any]:
        self._world.event("iter", self)
        return Items(self._world, self._label)

    def keys(self) -> List[str]:
        self._world.event("keys", self)
        return ["key"]

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> bool:
        self._world.event("exit", self, kind, value)
        return self._world.decide(3)

    def __await__(self) -> Iterator[Any]:
        self._world.event("await", self)
        yield f"waiting for {self._label}"
        return self._world.proxy()

    def __aiter__(self) -> Any:
        self._world.event("aiter", self)
        return self

    async def __anext__(self) -> Any:
        self._world.event("anext", self)
        if self._world.decide(3):
            raise StopAsyncIteration
        return self._world.proxy()

    async def __aenter__(self) -> Any:
        self._world.event("aenter", self)
        return self._world.proxy()

    async def __aexit__(self, kind: Any, value: Any, traceback: Any) -> bool:
        self._world.event("aexit", self, kind, value)
        return self._world.decide(3)


class Items(Proxy):
    """The iterator of a proxy."""

    _given = 0

    def __iter__(self) -> Iterator[Any]:
        self._world.event("iter of iterator", self)
        return self  # type: ignore[return-value]

    def __next__(self) -> Any:
        self._world.event("next", self)
        given = self._given
        object.__setattr__(self, "_given", given + 1)
        # two items mostly, since that is what most unpacking wants
        if given >= 2 and not self._world.decide(6) or self._world.decide(8):
            raise StopIteration
        return self._world.value()


def _operation(name: str) -> Callable[..., Any]:
    def method(self: Proxy, *operands: Any) -> Any:
        self._world.event(name, self, *operands)
        return self._world.value() if name.startswith("__get") else self._world.proxy()

    return method


for _name in (
    "add sub mul matmul truediv floordiv mod pow lshift rshift and xor or".split()
):
    for _form in ("__{}__", "__r{}__", "__i{}__"):
        setattr(Proxy, _form.format(_name), _operation(_form.format(_name)))
for _name in "neg pos invert abs lt le eq ne gt ge getitem setitem delitem enter".split():
    setattr(Proxy, f"__{_name}__", _operation(f"__{_name}__"))
