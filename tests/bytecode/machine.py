"""An interpreter for canonical graphs, so that tests can run what was decoded and compare it with the real thing.

It follows the table in `depyf.bytecode.canonical` word by word and knows no versions. Functions that the code makes
are real functions; only the code object under test runs here.
"""

from __future__ import annotations

import types
from typing import Any, Dict, List, Optional

from depyf.bytecode import Block, Graph
from depyf.bytecode.canonical import BELOW, NONE
from tests.bytecode.machine_values import NULL, Values


class Machine(Values):
    """One run of one graph. `slots` are the frame's slots by name: values, or cells for cell and free variables."""

    def __init__(
        self, graph: Graph, globals: Dict[str, Any], slots: Dict[str, Any], names: Optional[Dict[str, Any]] = None
    ):
        self.graph = graph
        self.globals = globals
        self.names = globals if names is None else names
        self.slots = slots
        self.stack: List[Any] = []
        self.current: Optional[BaseException] = None  # what a bare `raise` raises
        self.block: Block = graph.blocks[0]
        self.result: Any = None

    @types.coroutine
    def run(self) -> Any:
        """A generator, so that the code may yield; its value is what the code returns."""
        while True:
            instruction = self.block.instructions[0]
            try:
                for instruction in self.block.instructions[:-1]:
                    op, arg = instruction.op, instruction.arg
                    if op == "YIELD":
                        self.push((yield self.pop()))
                    elif op == "YIELD_FROM":
                        yield from self.delegate(arg)
                    else:
                        getattr(self, "do_" + op.lower())(arg)
                instruction = self.block.instructions[-1]
                if instruction.op == "RETURN":
                    return self.pop()
                self.leave(instruction.op, instruction.arg)
            except BaseException as error:
                handler = self.block.handler
                if handler is None:
                    raise
                del self.stack[handler.depth :]
                if handler.lasti:
                    self.push(instruction.offset)
                self.push(error)
                self.block = handler.target
                assert len(self.stack) == self.block.depth

    @types.coroutine
    def delegate(self, slots: int) -> Any:
        """The whole SEND loop; the value sent first is always None."""
        assert self.pop() is None
        if slots == 2:
            self.pop()
        self.push((yield from self.pop()))

    def leave(self, op: str, arg: Any) -> None:
        successors = self.block.successors
        if op in ("FALL", "JUMP"):
            self.block = successors[0]
        elif op == "BRANCH":
            value = self.pop()
            assert type(value) is bool
            self.block = successors[0] if value else successors[1]
        elif op == "NEXT":
            self.next(*arg)
        elif op == "RAISE":
            self.throw(arg)
        elif op == "RERAISE":
            raise self.top_exception(arg[0])
        elif op == "END_ASYNC_FOR":
            exc = self.top_exception(3 if arg == 7 else 1)
            if not isinstance(exc, StopAsyncIteration):
                raise exc
            if arg == 7:
                self.current = self.stack[-5]
            del self.stack[-arg:]
            self.block = successors[0]
        else:
            raise AssertionError(op)
        assert len(self.stack) == self.block.depth, (self.block, self.stack)

    def next(self, slots: int, pops: bool) -> None:
        body, exhausted = self.block.successors
        iterator = self.stack[-slots]
        try:
            value = next(iterator)
        except StopIteration:
            if pops:
                del self.stack[-slots:]
            self.block = exhausted
        else:
            self.push(value)
            self.block = body

    def throw(self, count: int) -> None:
        if count == 0:
            if self.current is None:
                raise RuntimeError("No active exception to reraise")
            raise self.current
        cause = self.pop() if count == 2 else NULL
        exc = self.pop()
        if cause is NULL:
            raise exc
        raise exc from cause

    # --- helpers

    def top_exception(self, slots: int) -> BaseException:
        """(tb, value, type) or just the exception."""
        return self.stack[-2] if slots == 3 else self.stack[-1]

    # --- calls

    def call(self, null: str, args: List[Any], kwargs: Dict[str, Any]) -> None:
        if null == NONE:
            function = self.pop()
        else:
            x, y = self.take(2)
            if null == BELOW:
                function, bound = (y, NULL) if x is NULL else (x, y)
            else:
                function, bound = x, y
            if bound is not NULL:
                args = [bound, *args]
        self.push(function(*args, **kwargs))

    def do_call(self, arg: Any) -> None:
        n, null = arg
        self.call(null, self.take(n), {})

    def do_call_kw(self, arg: Any) -> None:
        n, null = arg
        names = self.pop()
        values = self.take(n)
        split = n - len(names)
        self.call(null, values[:split], dict(zip(names, values[split:])))

    def do_call_ex(self, arg: Any) -> None:
        has_kwargs, null = arg
        kwargs = self.pop() if has_kwargs else NULL
        args = self.pop()
        self.call(null, list(args), {} if kwargs is NULL else dict(kwargs))

    def do_make_function(self, fields: Any) -> None:
        code = self.pop()
        values = dict(zip(fields, self.take(len(fields))))
        function = types.FunctionType(code, self.globals, None, None, values.get("closure", cells_of(code)))
        for field, value in values.items():
            set_field(function, field, value)
        self.push(function)

    def do_set_function_field(self, field: str) -> None:
        value, function = self.take(2)
        if field == "closure":
            plain = function
            function = types.FunctionType(plain.__code__, self.globals, plain.__name__, plain.__defaults__, value)
            function.__kwdefaults__ = plain.__kwdefaults__
        else:
            set_field(function, field, value)
        self.push(function)

    def do_intrinsic(self, arg: Any) -> None:
        import typing

        name, n = arg
        values = self.take(n)
        if name == "TYPEVAR":
            self.push(typing.TypeVar(values[0]))
        elif name == "SUBSCRIPT_GENERIC":
            self.push(typing.Generic[values[0]])
        elif name == "SET_FUNCTION_TYPE_PARAMS":
            values[0].__type_params__ = values[1]
            self.push(values[0])
        elif name == "STOPITERATION_ERROR":
            error = values[0]
            if isinstance(error, StopIteration):
                new = RuntimeError("generator raised StopIteration")
                new.__cause__ = error
                error = new
            self.push(error)
        else:
            raise AssertionError(name)

    # --- imports and class bodies

    def do_import(self, arg: Any) -> None:
        level, names = self.take(2)
        self.push(__import__(arg[0], self.globals, None, names or (), level))

    def do_import_from(self, name: str) -> None:
        module = self.stack[-1]
        if not hasattr(module, name):
            raise ImportError(name)
        self.push(getattr(module, name))

    def do_import_star(self, _: Any) -> None:
        module = self.pop()
        names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
        self.names.update({name: getattr(module, name) for name in names})

    def do_setup_annotations(self, _: Any) -> None:
        self.names.setdefault("__annotations__", {})

    # --- iteration, generators, coroutines

    def do_iter(self, slots: int) -> None:
        self.push(iter(self.pop()))
        if slots == 2:
            self.push(NULL)

    def do_yield_from_iter(self, slots: int) -> None:
        value = self.pop()
        self.push(value if isinstance(value, types.GeneratorType) else iter(value))
        if slots == 2:
            self.push(NULL)

    def do_awaitable(self, _: Any) -> None:
        value = self.pop()
        self.push(value if isinstance(value, types.CoroutineType) else value.__await__())

    def do_aiter(self, _: Any) -> None:
        self.push(type(self.stack[-1]).__aiter__(self.pop()))

    def do_anext(self, _: Any) -> None:
        self.push(type(self.stack[-1]).__anext__(self.stack[-1]).__await__())

    def do_generator(self, _: Any) -> None:
        pass

    # --- with

    def do_enter(self, slots: int, enter: str = "__enter__", leave: str = "__exit__") -> None:
        manager = self.pop()
        if slots == 1:
            self.push(getattr(manager, leave))
        else:
            self.push(getattr(type(manager), leave), manager)
        self.push(getattr(manager, enter)())

    def do_enter_async(self, slots: int) -> None:
        self.do_enter(slots, "__aenter__", "__aexit__")

    def do_with_except(self, arg: Any) -> None:
        depth, slots = arg
        error = self.top_exception(1)
        if not isinstance(error, BaseException):
            error = self.top_exception(3)
        function = self.stack[-depth]
        bound = [self.stack[-depth + 1]] if slots == 2 else []
        self.push(function(*bound, type(error), error, error.__traceback__))

    # --- exceptions

    def do_exc_enter(self, _: Any) -> None:
        error = self.pop()
        self.push(None, self.current, type(self.current), error.__traceback__, error, type(error))
        self.current = error

    def do_push_exc(self, _: Any) -> None:
        error = self.pop()
        self.push(self.current, error)
        self.current = error

    def do_pop_except(self, slots: int) -> None:
        self.current = self.take(slots)[-2 if slots == 3 else -1]

    def do_exc_match(self, _: Any) -> None:
        error, pattern = self.take(2)
        for kind in pattern if isinstance(pattern, tuple) else (pattern,):
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        self.push(issubclass(error if isinstance(error, type) else type(error), pattern))

    def do_eg_match(self, _: Any) -> None:
        error, pattern = self.take(2)
        if isinstance(error, pattern):
            match = error if isinstance(error, BaseExceptionGroup) else BaseExceptionGroup("", [error])  # noqa: F821
            self.push(None, match)
        elif isinstance(error, BaseExceptionGroup):  # noqa: F821
            match, rest = error.split(pattern)
            self.push(rest, match)
        else:
            self.push(error, None)

    def do_prep_reraise_star(self, _: Any) -> None:
        original, errors = self.take(2)
        raised = [error for error in errors if error is not None]
        if not raised:
            self.push(None)
        elif not isinstance(original, BaseExceptionGroup) or len(raised) == 1:  # noqa: F821
            self.push(raised[0])
        else:
            self.push(BaseExceptionGroup("", raised))  # noqa: F821

    # --- match

    def do_match_mapping(self, _: Any) -> None:
        self.push(isinstance(self.stack[-1], dict))

    def do_match_sequence(self, _: Any) -> None:
        self.push(isinstance(self.stack[-1], (list, tuple)))

    def do_match_keys(self, _: Any) -> None:
        subject, keys = self.stack[-2:]
        self.push(tuple(subject[key] for key in keys) if all(key in subject for key in keys) else None)

    def do_match_class(self, n: int) -> None:
        subject, kind, names = self.take(3)
        if not isinstance(subject, kind):
            self.push(None)
            return
        if kind in (int, str, float, list, dict) and n == 1:
            self.push((subject,))
            return
        names = kind.__match_args__[:n] + names if n else names
        found = all(hasattr(subject, name) for name in names)
        self.push(tuple(getattr(subject, name) for name in names) if found else None)

    def do_get_len(self, _: Any) -> None:
        self.push(len(self.stack[-1]))

    def do_copy_dict_without_keys(self, _: Any) -> None:
        subject, keys = self.stack[-2], self.pop()
        self.push({key: value for key, value in subject.items() if key not in keys})


def cells_of(code: types.CodeType) -> Any:
    return tuple(types.CellType() for _ in code.co_freevars) or None


def set_field(function: Any, field: str, value: Any) -> None:
    if field == "annotations" and isinstance(value, tuple):
        value = dict(zip(value[::2], value[1::2]))
    if field != "closure":
        setattr(function, f"__{field}__", value)
