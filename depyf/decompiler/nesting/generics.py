"""Type parameters and type aliases (since 3.12): functions that make a generic function, class or alias.

The compiler wraps each definition with type parameters in a function of its own, called at once, whose arguments are
the defaults. Bounds, constraints, defaults and values of aliases are functions too, which return what was written.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, List, Optional

from depyf.bytecode.codes import GENERIC, defined_name, docstrings_have_flags
from depyf.errors import DecompilationError

from ..lifting.values import Class, Function, Test, Value, resolve
from ..structuring.expressions import expressions_in
from ..tree import (
    Assign,
    Binary,
    ClassDef,
    Const,
    Expr,
    FunctionDef,
    If,
    IfExp,
    Item,
    Name,
    NamedExpr,
    Raise,
    Return,
    Starred,
    Stmt,
    Tuple_,
    TypeAlias,
    TypeParameter,
    Unary,
)

_KINDS = {
    "TYPEVAR": "typevar",
    "TYPEVAR_WITH_BOUND": "typevar",
    "TYPEVAR_WITH_CONSTRAINTS": "typevar",
    "TYPEVARTUPLE": "typevartuple",
    "PARAMSPEC": "paramspec",
}


class Generic(Value):
    """A call of the function that makes something with type parameters; `args` are its defaults."""

    __slots__ = ("function", "args")

    def __init__(self, function: Function, args: List[Expr], offset: int) -> None:
        Value.__init__(self, None, offset)
        self.function = function
        self.args = args

    @property
    def own_name(self) -> str:
        return defined_name(self.function.code)


def makes_generic(function: Expr) -> bool:
    return isinstance(function, Function) and function.code.co_name.startswith(GENERIC)


# ---------------------------------------------------------------- definitions


def define(assembler: Any, statement: Any) -> Stmt:
    """The definition that a stored Generic stands for."""
    generic: Generic = statement.definition
    unit = assembler.units[id(generic.function)]
    made = _returned(unit.body.statements)
    if isinstance(made, Test) and made.extra == "SET_FUNCTION_TYPE_PARAMS":
        return _function(assembler, statement, generic, made)
    if isinstance(made, Class):
        return _class(assembler, statement, unit, made)
    if isinstance(made, Test) and made.extra == "TYPEALIAS":
        return _alias(assembler, made, statement.offset)
    raise _unknown("type parameters of something unknown", generic)


def _unknown(what: str, generic: Any) -> DecompilationError:
    return DecompilationError(what, code_name=generic.function.code.co_name, offset=generic.offset)


def _returned(statements: List[Stmt]) -> Optional[Expr]:
    last = statements[-1] if statements else None
    return resolve(last.value) if isinstance(last, Return) else None


def _function(assembler: Any, statement: Any, generic: Generic, made: Test) -> FunctionDef:
    function, parameters = resolve_function(made.operands[0]), made.operands[1]
    if function is None:
        raise _unknown("type parameters of no function", generic)
    given = dict(zip(generic.function.code.co_varnames, generic.args))
    for field in ("defaults", "kwdefaults"):
        value = resolve(function.fields[field]) if field in function.fields else None
        if isinstance(value, Name) and value.id in given:
            function.fields[field] = given[value.id]
    definition: FunctionDef = assembler.function_def(
        function, assembler.units[id(function)], function.code.co_name
    )
    definition.type_parameters = type_parameters(assembler, parameters)
    _explain_in_annotations(definition, assembler.units[id(generic.function)])
    definition.decorators = statement.decorators
    definition.offset = statement.offset
    return definition


def resolve_function(value: Expr) -> Optional[Function]:
    while isinstance(value, Value) and not isinstance(value, Function):
        if value.value is None:
            return None
        value = value.value
    return value if isinstance(value, Function) else None


def _class(assembler: Any, statement: Any, unit: Any, made: Class) -> ClassDef:
    definition: ClassDef = assembler.class_(statement, made)
    definition.args = [a for a in definition.args if not _is_name(a, ".generic_base")]
    for one in unit.body.statements:
        if isinstance(one, Assign) and any(_is_name(t, ".type_params") for t in one.targets):
            definition.type_parameters = type_parameters(assembler, one.value)
    _explain_in_bases(definition, unit)
    return definition


def _explain_in_bases(made: ClassDef, unit: Any) -> None:
    """What is evaluated among the type parameters of a class says what only dead code in it captures."""
    from .functions import with_dead_values

    if made.args:
        first = made.args[0]
        if isinstance(first, Starred):
            first.value = with_dead_values(first.value, unit)
        else:
            made.args[0] = with_dead_values(first, unit)
    elif made.keywords:
        name, value = made.keywords[0]
        made.keywords[0] = (name, with_dead_values(value, unit))


def _explain_in_annotations(made: FunctionDef, unit: Any) -> None:
    """The same for a function, whose annotations (up to 3.13) are evaluated there."""
    from .functions import with_dead_values

    for parameter in made.parameters:
        if parameter.annotation is not None:
            parameter.annotation = with_dead_values(parameter.annotation, unit)
            return
    if made.returns is not None:
        made.returns = with_dead_values(made.returns, unit)


def _is_name(value: Expr, name: str) -> bool:
    value = resolve(value)
    return isinstance(value, Name) and value.id == name


def alias(assembler: Any, statement: Stmt) -> Optional[TypeAlias]:
    """`type X = ...` without parameters: the alias is made and stored in place."""
    if not isinstance(statement, Assign) or len(statement.targets) != 1:
        return None
    value = resolve(statement.value)
    if isinstance(value, Test) and value.extra == "TYPEALIAS":
        return _alias(assembler, value, statement.offset)
    return None


def _alias(assembler: Any, made: Test, offset: int) -> TypeAlias:
    parts = resolve(made.operands[0])
    assert isinstance(parts, Tuple_)
    name, parameters, value = (resolve(p) if not isinstance(p, Function) else p for p in parts.items)
    assert isinstance(name, Const)
    known = [] if isinstance(parameters, Const) else type_parameters(assembler, parameters)
    return TypeAlias(name.value, known, computed(assembler, value), offset)


# ---------------------------------------------------------------- parameters


def type_parameters(assembler: Any, stored: Expr) -> List[TypeParameter]:
    stored = resolve(stored)
    if not isinstance(stored, Tuple_):
        raise DecompilationError("type parameters that are no tuple", offset=stored.offset)
    return [_type_parameter(assembler, item) for item in stored.items]


def _type_parameter(assembler: Any, item: Expr) -> TypeParameter:
    item = resolve(item)
    if isinstance(item, NamedExpr):
        item = resolve(item.value)
    default: Optional[Expr] = None
    if isinstance(item, Test) and item.extra == "SET_TYPEPARAM_DEFAULT":
        default = _kept(assembler, item.operands[1])
        item = resolve(item.operands[0])
    if not isinstance(item, Test) or item.extra not in _KINDS:
        raise DecompilationError("a type parameter of an unknown kind", offset=item.offset)
    name = resolve(item.operands[0])
    assert isinstance(name, Const)
    bound = _kept(assembler, item.operands[1]) if len(item.operands) > 1 else None
    if bound is not None and item.extra == "TYPEVAR_WITH_CONSTRAINTS":
        bound = _as_constraints(bound)
    return TypeParameter(name.value, _KINDS[item.extra], bound, default)


def computed(assembler: Any, value: Expr) -> Expr:
    """What a function that is evaluated on demand returns, as it was written."""
    from .functions import returned_value, with_dead_values

    function = resolve_function(value)
    assert function is not None
    unit = assembler.units[id(function)]
    statements = unit.body.statements
    if statements and isinstance(statements[0], If) and isinstance(statements[0].body[0], Raise):
        statements = [*statements[0].orelse, *statements[1:]]  # it does not know every format
    found = returned_value(statements)
    if found is None:
        raise DecompilationError("a type whose code is no expression", code_name=function.code.co_name)
    return with_dead_values(found, unit)


def _kept(assembler: Any, value: Expr) -> Expr:
    """The same for what a type parameter has, whose first constant would be its docstring: where that is not what the text has
    first, it stands before it. The compiler drops what it need not evaluate, and computes some of the rest, but keeps that one."""
    made = computed(assembler, value)
    function = resolve_function(value)
    assert function is not None
    constants = function.code.co_consts
    if str not in [constant.__class__ for constant in constants] or isinstance(constants[0], CodeType) or docstrings_have_flags():
        return made
    graph = assembler.units[id(function)].body.regions.graph
    used = [(i.offset, i.arg) for block in graph.blocks for i in block.instructions if i.op == "CONST"]
    first = min(used, key=lambda one: one[0])[1] if used else None
    computes = any(_is_computed(one) for one in (made, *expressions_in(made)))
    if first.__class__ is constants[0].__class__ and first == constants[0] and not computes:
        return made
    if constants[0]:
        return IfExp(Const(constants[0]), made, Const(None), made.offset)
    return IfExp(Const(constants[0]), Const(None), made, made.offset)


def _as_constraints(value: Expr) -> Expr:
    """Constraints are a tuple as it is written: what comes before them stands before the first."""
    chosen: List[IfExp] = []
    while isinstance(value, IfExp):
        chosen.append(value)
        value = resolve(value.orelse if _never_holds(value.test) else value.body)
    if not chosen or not isinstance(value, Tuple_) or not value.items:
        return chosen[0] if chosen else value
    first = value.items[0]
    made = first.value if isinstance(first, Starred) else first
    for choice in reversed(chosen):
        one, other = (choice.body, made) if _never_holds(choice.test) else (made, choice.orelse)
        made = IfExp(choice.test, one, other, choice.offset)
    return Tuple_([Starred(made) if isinstance(first, Starred) else made, *value.items[1:]], value.offset)


def _never_holds(test: Expr) -> bool:
    return isinstance(test, Const) and not test.value


def _is_computed(value: Expr) -> bool:
    """Whether the compiler computes an expression of constants itself, among them a text."""
    if isinstance(value, Unary):
        return value.op == "not" and isinstance(resolve(value.operand), Const)
    operands = [value.left, value.right] if isinstance(value, Binary) and value.op in ("+", "*", "%") else []
    operands = [value.value, value.key] if isinstance(value, Item) else operands
    return bool(operands) and all(isinstance(resolve(one), Const) for one in operands)
