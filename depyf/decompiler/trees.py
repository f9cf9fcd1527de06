"""From an object to its tree and text: what code a user means, and the finished tree of a code object."""

from __future__ import annotations

import functools
from types import CodeType, FunctionType, ModuleType
from typing import Any, Callable, List, NamedTuple, Optional

from depyf.bytecode.codes import docstring_of, is_async, is_class_body, is_function, is_generator
from depyf.errors import DecompilationError

from .collecting import CollectorPaused
from .emit import Emitted, emit
from .nesting.functions import (
    Assembler,
    Unit,
    class_body,
    docstring_in,
    function_body,
    parameters_of,
    write_bare_returns,
)
from .nesting.live import annotations_of, value_of
from .nesting.scopes import declarations
from .pipeline import DEFAULT_PREFIX
from .readings import Readings
from .structuring.walk import falls_through
from .tree import Const, FunctionDef, ImportFrom, Module, Return, Stmt

# of methods and wrappers, functions, suspended code, properties, cached properties
_LEADS_TO_CODE = ("__func__", "__code__", "gi_code", "cr_code", "ag_code", "fget", "func")


def code_of(obj: Any) -> CodeType:
    """The code object behind a callable, a generator or a coroutine."""
    return _behind(obj, CodeType)  # type: ignore[no-any-return]


def function_of(obj: Any) -> Optional[FunctionType]:
    """The function on the way to an object's code, if there is one: it knows defaults and annotations."""
    found = _behind(obj, (FunctionType, CodeType))
    return found if isinstance(found, FunctionType) else None


def _behind(obj: Any, kinds: Any) -> Any:
    """The first object of one of `kinds` on the way from `obj` to its code."""
    seen = 0
    while not isinstance(obj, kinds):
        seen += 1
        if seen > 100:
            raise DecompilationError(f"cannot find the code of {obj!r}: it is wrapped without an end")
        obj = _one_step(obj)
    return obj


def _one_step(obj: Any) -> Any:
    """What an object calls, wraps or runs."""
    if isinstance(obj, functools.partial):
        return obj.func
    if isinstance(obj, ModuleType):
        return _code_of_module(obj)
    if hasattr(obj, "__wrapped__") and not hasattr(obj, "__code__"):
        return obj.__wrapped__
    for name in _LEADS_TO_CODE:
        if getattr(obj, name, None) is not None:
            return getattr(obj, name)
    call = _call_of(obj)
    if isinstance(obj, type) or call is None or not hasattr(call, "__code__"):
        raise DecompilationError(
            f"cannot find Python bytecode behind {obj!r}: give a function, a method, a code object, "
            "a generator, or an object whose class defines __call__ in Python"
        )
    return call


def _code_of_module(module: ModuleType) -> CodeType:
    """What its loader would run: the module itself has run, and kept nothing."""
    try:
        code = module.__spec__.loader.get_code(module.__name__)  # type: ignore[union-attr]
    except (AttributeError, ImportError, OSError, SyntaxError) as problem:
        raise DecompilationError(f"the loader of module {module.__name__} cannot give its code: {problem}") from problem
    if code is None:
        raise DecompilationError(f"module {module.__name__} has no Python bytecode")
    return code  # type: ignore[no-any-return]


def _call_of(obj: Any) -> Any:
    """What runs when an object is called: looked up on its class, as the interpreter does."""
    for kind in type(obj).__mro__:
        if "__call__" in vars(kind):
            return vars(kind)["__call__"]
    return None


# ---------------------------------------------------------------- trees


def tree_of(
    code: CodeType,
    prefix: str = DEFAULT_PREFIX,
    name: Optional[str] = None,
    codes: Optional[List[CodeType]] = None,
    drop_unread: bool = False,
    readings: Optional[Readings] = None,
) -> Module:
    """The finished tree of a code object: a function definition, or the statements of a module or class body.

    The code objects that are in it are added to `codes`, by the number that their offsets carry. With `drop_unread`, what the
    outermost stores in locals that it never reads is left out. `readings` are those that are not the ordinary ones."""
    assembler = Assembler(prefix, [] if codes is None else codes, readings or {})
    kind = "function" if is_function(code) else "module"
    unit = assembler.unit(code, kind, drop_unread)
    if kind == "function":
        return Module([_definition(unit, name or code.co_name)])
    if is_class_body(code):
        body, docstring = class_body(unit)
        return Module(body, docstring)
    return _module(unit)


def _definition(unit: Unit, name: str) -> Stmt:
    code = unit.code
    statements = function_body(unit)
    if falls_through(statements):
        statements.append(Return(Const(None)))  # users expect to see it
        if is_generator(code) and is_async(code):
            write_bare_returns(statements)
    made = FunctionDef(name, parameters_of(code), statements, is_async=is_async(code))
    made.docstring = docstring_of(code)
    return made


def _module(unit: Unit) -> Module:
    """With its docstring, which only an import from __future__ may follow: declarations come behind both."""
    body = [s for s in unit.body.statements if not isinstance(s, Return)]
    docstring = docstring_in(body[0]) if body else None
    if docstring is not None:
        del body[0]
    first = next((i for i, s in enumerate(body) if not _is_from_future(s)), len(body))
    body[first:first] = declarations(unit)
    return Module(body, docstring)


def _is_from_future(statement: Stmt) -> bool:
    return isinstance(statement, ImportFrom) and statement.module == "__future__"


class Options(NamedTuple):
    indentation: int = 4
    prefix: str = DEFAULT_PREFIX
    name: Optional[str] = None
    annotations: bool = False
    drop_unread: bool = False
    readings: Readings = {}


def emit_object(obj: Any, code: CodeType, options: Options, codes: List[CodeType]) -> Emitted:
    """The text of a code object, or of a callable with what the callable knows besides: defaults, docstring.

    `codes` is filled as by `tree_of`."""

    def make() -> Module:
        tree = tree_of(code, options.prefix, options.name, codes, options.drop_unread, options.readings)
        function = function_of(obj)
        if function is not None and isinstance(tree.body[-1], FunctionDef):
            add_from_function(tree.body[-1], function, options.annotations)
        return tree

    return emit_tree(make, options, code.co_name)


def emit_tree(make: Callable[[], Module], options: Options, name: str) -> Emitted:
    """The text of the tree that `make` gives. Whatever a stage did not foresee comes out as DecompilationError."""
    try:
        with CollectorPaused():
            return emit(make(), indentation=options.indentation)
    except DecompilationError:
        raise
    except Exception as problem:  # a caller who asks for any function must be able to rely on one kind of error
        raise DecompilationError(
            f"the decompiler met something it does not know ({type(problem).__name__}: {problem})",
            code_name=name,
        ) from problem


def add_from_function(made: FunctionDef, function: FunctionType, annotations: bool) -> None:
    positional = [p for p in made.parameters if p.kind in ("positional_only", "normal")]
    defaults = function.__defaults__ or ()
    for parameter, value in zip(positional[len(positional) - len(defaults) :], defaults):
        parameter.default = value_of(value)
    for parameter in made.parameters:
        if parameter.kind == "keyword_only" and parameter.name in (function.__kwdefaults__ or {}):
            parameter.default = value_of((function.__kwdefaults__ or {})[parameter.name])
    if annotations:
        known = annotations_of(function)
        for parameter in made.parameters:
            parameter.annotation = known.get(parameter.name, parameter.annotation)
        made.returns = known.get("return", made.returns)
