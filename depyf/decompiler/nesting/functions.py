"""Functions, classes and comprehensions inside a code object: their own code is decompiled, and put in its place.

Nested code is worked off from a list, not by recursion. A function's creation (defaults, annotations, closure,
decorators) comes from where it is made; its parameters, docstring and body from its code object.
"""

from __future__ import annotations

from types import CodeType
from typing import Dict, List, Optional, Sequence, Set, Tuple

from depyf.bytecode.codes import (
    CO_VARARGS,
    CO_VARKEYWORDS,
    docstring_of,
    is_async,
    is_function,
    is_generator,
    stays_docstring,
)
from depyf.errors import DecompilationError

from ..lifting.stores import Define
from ..lifting.values import Class, ComprehensionCall, Function, Iterator, Test, Value, resolve
from ..passes import tidy
from ..pipeline import ORDINARY, PLAIN, Body, decompile_body
from ..readings import Readings
from ..structuring.comprehensions import comprehension_of, tests_for_nothing
from ..structuring.expressions import expressions_in
from ..structuring.logic import always, behind
from ..structuring.walk import all_lists
from ..tree import (
    Assign,
    Await,
    BoolOp,
    ClassDef,
    Const,
    Dict_,
    Expr,
    ExprStmt,
    FunctionDef,
    If,
    IfExp,
    Lambda,
    Module,
    Name,
    NamedExpr,
    Parameter,
    Return,
    Stmt,
    Tuple_,
)
from . import annotated, annotating, generics, never
from .dead import cells_in, dead_declarations, dead_names, dead_stores, dead_values
from .mangled import unmangle
from .scopes import (
    declarations,
    globals_loaded,
    globals_stored,
    instructions_by_op,
    own_names,
    unbound_locals,
    unbound_names,
)
from .static_attributes import dead_attributes


class Unit:
    """One code object on its way to text: its body, and the functions and classes that are made in it."""

    __slots__ = (
        "code", "body", "functions", "calls", "kind", "declared_inside", "type_parameters", "around", "past", "instructions",
        "inner", "cells", "defined",
    )  # fmt: skip

    def __init__(self, code: CodeType, body: Body, kind: str) -> None:
        self.code = code
        self.body = body
        self.kind = kind  # 'function', 'class', 'module', 'lambda', 'comprehension'
        self.functions: List[Tuple[Function, str]] = []  # with what each is for
        self.defined: Set[int] = set()  # the functions that stand in a `def`, by identity
        self.calls: List[ComprehensionCall] = []
        self.declared_inside: Set[str] = set()  # what nested functions declare global
        self.type_parameters: Set[str] = set()  # of what is around it
        self.around: Set[str] = set()  # the variables of the functions around it
        self.past: Set[str] = set()  # globals that it or a lambda in it uses past variables of the same name
        self.instructions = instructions_by_op(body)
        self.inner: List[Unit] = []  # what is made in it
        self.cells: Set[str] = set()  # the variables whose cells its statements use, where instructions do not tell
        if CodeType in [constant.__class__ for constant in code.co_consts]:
            _find_functions(self)

    @property
    def comprehensions(self) -> List[Unit]:
        """Those that are functions of their own."""
        return [one for one in self.inner if one.kind == "comprehension"]


class Assembler:
    """Decompiles a code object with all that is nested in it."""

    def __init__(self, prefix: str, codes: List[CodeType], readings: Readings) -> None:
        self.prefix = prefix
        self.readings = readings  # those that are not the ordinary ones
        self.units: Dict[int, Unit] = {}
        self.codes = codes  # by the number that their offsets carry; what is decompiled is added

    def unit(self, code: CodeType, kind: str, drop_unread: bool) -> Unit:
        """The unit of `code`; everything nested in it is decompiled too, and put in its place innermost first."""
        top = Unit(code, decompile_body(code, self.prefix, len(self.codes), drop_unread, self.reading(code, True)), kind)
        self.codes.append(code)
        order = [top]
        position = 0
        while position < len(order):
            unit = order[position]
            position += 1
            around = unit.around | own_names(unit) if unit.functions and is_function(unit.code) else unit.around
            for function, kind_ in unit.functions:
                if id(function) in self.units:
                    continue
                reading = self.reading(function.code, id(function) in unit.defined)
                body = decompile_body(function.code, self.prefix, len(self.codes), reading=reading)
                self.codes.append(function.code)
                inner = Unit(function.code, body, kind_)
                inner.type_parameters = unit.type_parameters | set(unit.code.co_cellvars if unit.kind == "generic" else ())
                inner.around = around
                definer = inner if kind_ == "function" else unit
                definer.past |= definer.around.intersection(globals_loaded(inner))
                unit.inner.append(inner)
                self.units[id(function)] = inner
                order.append(inner)
        for unit in order[1:] if not is_function(code) else ():
            if unit.kind == "function":
                top.declared_inside.update(globals_stored(unit))
        for unit in reversed(order):
            self.finish(unit)
        for unit in order:
            unit.body.regions.graph.release()
        return top

    def reading(self, code: CodeType, defined: bool) -> int:
        """How `code` is to be read. Plainly only what stands in a `def`: all else has to be an expression."""
        found = self.readings.get(id(code), ORDINARY)
        return ORDINARY if found == PLAIN and not defined else found

    def finish(self, unit: Unit) -> None:
        """Everything inside is finished: put it in its place, and tidy this body."""
        if unit.body.generated:
            unit.cells = cells_in(unit.body.statements)
        if unit.kind in ("class", "module"):
            annotated.restore_annotations(self, unit)
        if unit.body.inlined:
            never.declare_in_inlined(unit)
        if unit.functions:
            self.put_in_place(unit)
        unit.body.statements = tidy(unit.body, unit.kind)

    def put_in_place(self, unit: Unit) -> None:
        for current in all_lists(unit.body.statements):
            for index, statement in enumerate(current):
                if isinstance(statement, Define):
                    current[index] = self.definition(statement)
                else:
                    alias = generics.alias(self, statement)
                    if alias is not None:
                        current[index] = alias
        for function, kind in unit.functions:
            if kind == "lambda":
                function.value = self.lambda_(function)
        for call in unit.calls:
            call.value = self.comprehension(call)

    # ------------------------------------------------------------ definitions

    def definition(self, statement: Define) -> Stmt:
        definition = statement.definition
        if isinstance(definition, Class):
            return self.class_(statement, definition)
        if isinstance(definition, generics.Generic):
            return generics.define(self, statement)
        assert isinstance(definition, Function)
        unit = self.units[id(definition)]
        made = self.function_def(definition, unit, definition.code.co_name)
        made.decorators = statement.decorators
        made.offset = statement.offset
        return made

    def function_def(self, function: Function, unit: Unit, name: str) -> FunctionDef:
        code = unit.code
        parameters = self.parameters(function)
        returns = annotating.annotate(self, function, parameters)
        body = function_body(unit)
        return FunctionDef(
            name, parameters, body, [], returns, [], is_async(code), docstring_of(code), function.offset
        )

    def class_(self, statement: Define, definition: Class) -> Stmt:
        unit = self.units[id(definition.function)]
        body, docstring = class_body(unit)
        unmangle(definition.name, unit.code, body)
        made = ClassDef(definition.name, definition.args, definition.keywords, body, statement.decorators)
        made.docstring = docstring
        made.offset = statement.offset
        return made

    def lambda_(self, function: Function) -> Expr:
        unit = self.units[id(function)]
        value = returned_value(unit.body.statements)
        if value is None:
            raise DecompilationError(
                "a lambda whose body is no expression", code_name=function.code.co_name, offset=function.offset
            )
        return Lambda(self.parameters(function), with_dead_values(value, unit), function.offset)

    def parameters(self, function: Function) -> List[Parameter]:
        made = parameters_of(function.code)
        defaults = function.fields.get("defaults")
        if defaults is not None:
            values = sequence_items(defaults)
            positional = [p for p in made if p.kind in ("positional_only", "normal")]
            for parameter, value in zip(positional[len(positional) - len(values) :], values):
                parameter.default = value
        keyword = function.fields.get("kwdefaults")
        if keyword is not None:
            by_name = {p.name: p for p in made}
            for key, value in mapping_items(keyword):
                by_name[key].default = value
        return made

    # ------------------------------------------------------------ comprehensions

    def comprehension(self, call: ComprehensionCall) -> Expr:
        unit = self.units[id(call.function)]
        made = comprehension_of(unit.body.statements)
        if made is None:
            raise DecompilationError(
                "a comprehension of an unknown shape",
                code_name=call.function.code.co_name,
                offset=call.offset,
            )
        source = call.iterator
        made.generators[0].iter = source.value if isinstance(source, Iterator) else source
        made.offset = call.offset
        never.declare_in_function(made, unit)
        dead = dead_values(unit.code, unit.instructions)
        if never.waits_for_nothing(made, unit):
            dead.append(Await(Const(None)))
        if dead:
            made.generators[-1].ifs.append(BoolOp("or", [Const(True), *dead]))
        return made


# ---------------------------------------------------------------- parts of code objects


def parameters_of(code: CodeType) -> List[Parameter]:
    names = code.co_varnames
    positional = code.co_argcount
    only = code.co_posonlyargcount
    keyword = code.co_kwonlyargcount
    made = [Parameter(n, "positional_only" if i < only else "normal") for i, n in enumerate(names[:positional])]
    after = positional + keyword
    if code.co_flags & CO_VARARGS:
        made.append(Parameter(names[after], "vararg"))
        after += 1
    made.extend(Parameter(n, "keyword_only") for n in names[positional : positional + keyword])
    if code.co_flags & CO_VARKEYWORDS:
        made.append(Parameter(names[after], "kwarg"))
    return made


def function_body(unit: Unit) -> List[Stmt]:
    """A function's statements with its declarations, and with what only dead code explains."""
    captured = unit.cells if unit.body.generated else None
    dead = dead_declarations(unit.code, unit.instructions, unit.type_parameters, captured)
    body = declarations(unit) + unbound_locals(unit) + unit.body.statements + dead
    if is_generator(unit.code) and is_async(unit.code):
        write_bare_returns(body)
    return body


def write_bare_returns(body: List[Stmt]) -> None:
    """An asynchronous generator may return, but no value, not even None. What was tested before stays."""
    for current in all_lists(body):
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, Return):
                value, statement.value = statement.value, None
                if value is not None and not isinstance(value, Const):
                    current.insert(index, ExprStmt(value, statement.offset))


_CLASS_BOOKKEEPING = frozenset(
    (
        "__module__",
        "__qualname__",
        "__firstlineno__",
        "__type_params__",
        "__classdict__",
    )
)


def docstring_in(statement: Stmt) -> Optional[str]:
    """The docstring that a statement stores, if it may be written as one."""
    if isinstance(statement, Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], Name):
        if statement.targets[0].id == "__doc__" and isinstance(statement.value, Const):
            return statement.value.value if stays_docstring(statement.value.value) else None
    return None


def class_body(unit: Unit) -> Tuple[List[Stmt], Optional[str]]:
    """A class body without what the compiler adds to it."""
    body: List[Stmt] = []
    docstring: Optional[str] = None
    seen: Set[str] = set()
    for statement in declarations(unit) + unit.body.statements:
        if isinstance(statement, Assign) and isinstance(statement.targets[-1], Name):
            name = statement.targets[-1].id
            if name in _CLASS_BOOKKEEPING and not (name in seen and name in ("__module__", "__qualname__")):
                seen.add(name)  # a second one is the class's own
                continue
            if docstring is None and not body:
                docstring = docstring_in(statement)
                if docstring is not None:
                    continue
        if isinstance(statement, Return):
            continue
        body.append(statement)
    body.extend(dead_names(unit.code, unit.instructions, unit.type_parameters | {"__class__"}))
    if "__class__" in unit.code.co_cellvars and not any("__class__" in one.code.co_freevars for one, _ in unit.functions):
        body.append(If(Const(False), [ExprStmt(Lambda([], Name("__class__")))], []))
    body.extend(dead_stores(unit.instructions, unit.around))
    body.extend(dead_attributes(unit))
    return body, docstring


def sequence_items(value: Expr) -> List[Expr]:
    value = resolve(value)
    if isinstance(value, Const):
        return [Const(v) for v in value.value]
    assert isinstance(value, Tuple_)
    return value.items


def mapping_items(value: Expr) -> List[Tuple[str, Expr]]:
    value = resolve(value)
    assert isinstance(value, Dict_)
    return [(k.value, v) for k, v in value.items if isinstance(k, Const)]


def returned_value(statements: List[Stmt], following: Sequence[Stmt] = ()) -> Optional[Expr]:
    """The expression that a body of nothing but a return (after ifs that return) computes; `following` stands behind it."""
    if not statements:
        return returned_value(list(following)) if following else Const(None)
    first, rest = statements[0], [*statements[1:], *following]
    if isinstance(first, Return):
        value: Expr = first.value
        return value
    if isinstance(first, If) and tests_for_nothing(first):
        value_behind = returned_value(rest)
        return behind(always(first.test), value_behind) if value_behind is not None else None
    if isinstance(first, If):
        then = returned_value(first.body, rest)
        other = returned_value(first.orelse, rest)
        if then is None or other is None:
            return None
        return IfExp(first.test, then, other, first.offset)
    return None


def with_dead_values(value: Expr, unit: Unit) -> Expr:
    """The value of a function that is one expression, with what only dead code in it explains."""
    dead = dead_values(unit.code, unit.instructions)
    if unit.kind == "lambda":
        dead += [NamedExpr(Name(name), Const(None)) for name in unbound_names(unit)]
    return IfExp(Const(True), value, Tuple_(dead), value.offset) if dead else value


# ---------------------------------------------------------------- finding what is nested


def _find_functions(unit: Unit) -> None:
    """The functions that are made in the statements of a unit, and the calls of those that are comprehensions."""
    seen: Set[int] = set()

    def add(function: Function, kind: str) -> None:
        if id(function) not in seen:
            seen.add(id(function))
            unit.functions.append((function, kind))

    for current in all_lists(unit.body.statements):
        for statement in current:
            if isinstance(statement, Define):
                definition = statement.definition
                if isinstance(definition, Class):
                    add(definition.function, "class")
                elif isinstance(definition, Function):
                    add(definition, "function")
                    unit.defined.add(id(definition))
            for made in [e for e in expressions_in(statement) if e.__class__ in _MADE_OF_CODE]:
                if isinstance(made, ComprehensionCall):
                    add(made.function, "comprehension")
                    unit.calls.append(made)
                elif isinstance(made, generics.Generic):
                    add(made.function, "generic")
                elif isinstance(made, Class):
                    add(made.function, "class")
                elif isinstance(made, Function):
                    add(made, "lambda" if made.code.co_name == "<lambda>" else "function")
                elif isinstance(made, Test) and made.extra == "SET_FUNCTION_TYPE_PARAMS":
                    unit.defined.add(id(generics.resolve_function(made.operands[0])))


_MADE_OF_CODE = frozenset((ComprehensionCall, generics.Generic, Class, Function, Test))


__all__ = ["Assembler", "Unit", "Module", "is_generator", "Value"]
