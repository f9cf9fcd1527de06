"""The values that a label takes where the ways to it bring different ones: assigned on each way, or put in their place."""

from __future__ import annotations

from typing import List

from ..lifting.temporaries import Temporaries
from ..lifting.values import Joined
from ..tree import Assign, Expr, Name, Stmt, Tuple_
from .jumps import Jump, Label
from .walk import all_lists


def set_parameters(jump: Jump, parameters: List[Joined], new_name: Temporaries) -> List[Stmt]:
    """The only way in: its values take the place of the parameters, or are assigned to those that must be kept."""
    for parameter in parameters:
        if parameter.crossed and parameter.name is None:
            parameter.name = new_name()
        if parameter.name is None:
            parameter.value = jump.stack[parameter.slot]
    return parameter_assignments(jump, [p for p in parameters if p.name is not None])


def assign_parameters(
    code: List[Stmt], label: Label, parameters: List[Joined], new_name: Temporaries
) -> None:
    """Several ways in with different values: each assigns them to temporaries before it jumps."""
    for parameter in parameters:
        if parameter.name is None:
            parameter.name = new_name()
    for current in all_lists(code):
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, Jump) and statement.label is label:
                current[index:index] = parameter_assignments(statement, parameters)


def parameter_assignments(jump: Jump, parameters: List[Joined]) -> List[Stmt]:
    targets: List[Expr] = []
    values: List[Expr] = []
    for parameter in parameters:
        value = jump.stack[parameter.slot]
        if value is not parameter:
            assert parameter.name is not None
            targets.append(Name(parameter.name))
            values.append(value)
    if not targets:
        return []
    if len(targets) == 1:
        return [Assign(targets, values[0], jump.offset)]
    return [Assign([Tuple_(targets)], Tuple_(values), jump.offset)]
