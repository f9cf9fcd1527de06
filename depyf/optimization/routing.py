"""Making calls of a function run other code, only in the thread that asked for it, and only while it asks.

While somebody dispatches, the function's code object is a small one that looks up what the current thread selected;
everybody else's calls reach the original code through it. When nobody dispatches, the function is untouched.
"""

from __future__ import annotations

import threading
import weakref
from types import CodeType
from typing import Any, Callable, Dict, List, Optional

from depyf import compatibility
from depyf.optimization.target import Target

_ATTRIBUTE = "__depyf_route__"


class _Selected(threading.local):
    """What a thread selected, and what it had selected before that: a stack of pairs, None at the bottom."""

    top: Any = None


class Route:
    """The switch in front of one function. Shared by everybody who dispatches calls of that function."""

    def __init__(self, target: Target) -> None:
        self.function = target.function
        self.original_code = target.code
        self.selected = _Selected()
        self.switch_code = _switch_code(target, self.selected)
        compatibility.run_without_compiling(self.switch_code)
        self.dispatching: List[None] = []  # one item for each dispatch under way; its length is all that counts


class Dispatch:
    """A context manager: inside it, calls of the route's function on `instance` (None: all calls) run `call` instead.

    It has no state of its own, so that one object serves all threads, any number of times, nested too. It stands on
    the path of calls that take five microseconds: hence no lock. Appending and popping are atomic, every thread that
    puts the switch in place also looks whether to remove it, and a call that finds the original code in the instant
    between one thread's leaving and another's entering computes the same thing, uncompiled.
    """

    __slots__ = ("_route", "_selected", "call", "instance")

    def __init__(self, route: Route, instance: Optional[object], call: Callable[..., Any]) -> None:
        self._route = route
        self._selected = route.selected
        self.instance = instance
        self.call = call

    def __enter__(self) -> None:
        selected = self._selected
        selected.top = (self, selected.top)
        route = self._route
        route.dispatching.append(None)
        route.function.__code__ = route.switch_code

    def __exit__(self, *exc_info: object) -> None:
        route = self._route
        route.dispatching.pop()
        if not route.dispatching:
            route.function.__code__ = route.original_code
            if route.dispatching:  # somebody came in between
                route.function.__code__ = route.switch_code
        selected = self._selected
        selected.top = selected.top[1]


def route_of(target: Target) -> Route:
    """The route of a target's function: one for each function, gone when its last user is."""
    attributes: Dict[str, Any] = target.function.__dict__
    reference = attributes.get(_ATTRIBUTE)
    route: Optional[Route] = reference() if reference is not None else None
    if route is None:
        route = Route(target)
        attributes[_ATTRIBUTE] = weakref.ref(route, lambda gone: _forget(attributes, gone))
    return route


def _forget(attributes: Dict[str, Any], gone: Any) -> None:
    if attributes.get(_ATTRIBUTE) is gone:
        del attributes[_ATTRIBUTE]


def _switch(*args: Any, **kwargs: Any) -> Any:
    """Becomes the code of the function. It may use constants and locals only, since its globals are the user's."""
    selected: Any = "selected"
    original: Any = "original"
    top = selected.top
    if top is None or top[0] is None:
        return original(*args, **kwargs)
    instance = top[0].instance
    if instance is not None and not (args and args[0] is instance):
        return original(*args, **kwargs)
    # What runs inside, a recursive call say, was not asked for: it goes the ordinary way.
    selected.top = (None, top)
    try:
        return top[0].call(*args, **kwargs)
    finally:
        selected.top = top


def _switch_code(target: Target, selected: _Selected) -> CodeType:
    """`_switch` with its constants filled in, in the shape that the function's closure asks for."""
    values: Dict[Any, Any] = {"selected": selected, "original": target.with_code(target.code)}
    template, like = _switch.__code__, target.code
    constants = tuple(values.get(constant, constant) for constant in template.co_consts)
    return template.replace(
        co_consts=constants, co_freevars=like.co_freevars, co_name=like.co_name, co_filename=like.co_filename
    )
