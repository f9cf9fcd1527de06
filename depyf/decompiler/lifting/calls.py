"""Calls, and what looks like one: functions and classes being made, comprehensions, `super()`, imports.

A call takes its operands in the order of the stack, whatever slot its version keeps for `self`.
"""

from __future__ import annotations

from copy import copy
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple

from depyf.bytecode.canonical import ABOVE, BELOW, NONE, Instruction
from depyf.bytecode.codes import is_function

from ..nesting.generics import Generic, makes_generic
from ..tree import Call, Const, Dict_, Expr, ImportFrom, List_, Name, Set_, Starred, Tuple_
from .displays import is_keyword
from .flow import call_of_iter
from .lift import Lifter
from .stores import Define
from .values import (
    COMPREHENSIONS,
    NULL,
    Builtin,
    Class,
    ComprehensionCall,
    Fresh,
    Function,
    Held,
    Imported,
    ImportedName,
    Iterator,
    Local,
    ManagerPart,
    Test,
    is_comprehension,
    resolve,
)

Keywords = List[Tuple[Optional[str], Expr]]


def call(lifter: Lifter, instruction: Instruction) -> None:
    count, null = instruction.arg
    args = lifter.pops(count)
    finish_call(lifter, *_callee(lifter, null, args), [], instruction)


def call_kw(lifter: Lifter, instruction: Instruction) -> None:
    count, null = instruction.arg
    names = lifter.pop()
    assert isinstance(names, Const)
    args = lifter.pops(count)
    first = len(args) - len(names.value)
    keywords: Keywords = list(zip(names.value, args[first:]))
    finish_call(lifter, *_callee(lifter, null, args[:first]), keywords, instruction)


def call_ex(lifter: Lifter, instruction: Instruction) -> None:
    has_kwargs, null = instruction.arg
    mapping = lifter.pop() if has_kwargs else NULL
    sequence = lifter.pop()
    function, extra = _callee(lifter, null, [])
    args = extra + _positional(lifter, sequence)
    keywords: Keywords = [] if mapping is NULL else _named(lifter, mapping)
    operands = [function, *extra, sequence] + ([] if mapping is NULL else [mapping])
    checked = lifter.use(list(operands))
    if any(one is not other for one, other in zip(checked, operands)):
        function, extra = checked[0], checked[1 : 1 + len(extra)]
        args = extra + _positional(lifter, checked[1 + len(extra)])
        keywords = [] if mapping is NULL else _named(lifter, checked[-1])
    made = _class(function, args, keywords, instruction.offset)
    lifter.build(made or Call(function, args, keywords, instruction.offset), operands)


def _class(function: Expr, args: List[Expr], keywords: Keywords, offset: int) -> Optional[Class]:
    """A call of __build_class__ with a function and a name."""
    if not isinstance(function, Builtin) or function.name != "__build_class__" or len(args) < 2:
        return None
    body, name = unheld(args[0]), args[1]
    if not isinstance(body, Function) or not isinstance(name, Const):
        return None
    return Class(body, name.value, args[2:], keywords, offset)


def _positional(lifter: Lifter, sequence: Expr) -> List[Expr]:
    """The positional arguments: what a call gathers itself is a tuple in the end, so any other display was written with a star."""
    display = resolve(sequence)
    held = sequence.value if isinstance(sequence, Held) else sequence
    if isinstance(held, Fresh) and isinstance(display, (List_, Set_, Dict_)) and not display.items:
        return [Starred(sequence, sequence.offset)]  # a comprehension is going to fill it
    if isinstance(display, Tuple_) and not lifter.is_whole(display) and not _is_one_star(display):
        return display.items
    if isinstance(display, Const) and isinstance(display.value, tuple):
        return [Const(v) for v in display.value]
    return [Starred(display, display.offset)]


def _is_one_star(display: Tuple_) -> bool:
    """`(*a,)`: a call that has nothing but `*a` takes `a` as it is, and gathers nothing."""
    return len(display.items) == 1 and isinstance(display.items[0], Starred)


def _named(lifter: Lifter, mapping: Expr) -> Keywords:
    mapping = resolve(mapping)
    if isinstance(mapping, Dict_) and not lifter.is_whole(mapping):
        result: Keywords = []
        for key, value in mapping.items:
            if key is None:
                result.append((None, value))
            elif is_keyword(key):
                result.append((key.value, value))  # type: ignore[attr-defined]
            else:
                return [(None, mapping)]
        return result
    return [(None, mapping)]


def _callee(lifter: Lifter, null: str, args: List[Expr]) -> Tuple[Expr, List[Expr]]:
    """The function and its positional arguments, out of the slots below the arguments."""
    if null == NONE:
        return lifter.pop(), args
    if null == ABOVE and lifter.stack[-1] is NULL:  # as beside most functions: nothing to look for in it
        lifter.stack.pop()
        return lifter.pop(), args
    second = lifter.pop()
    first = lifter.pop()
    if null == BELOW:
        if first is NULL:
            return second, args
        return first, [second, *args]
    if isinstance(second, ManagerPart):
        return first, args
    return first, [second, *args]


# with none of these a call is what it looks like, as most are
_SPECIAL = frozenset((ManagerPart, Function, Builtin, Held, Iterator))


def finish_call(
    lifter: Lifter, function: Expr, args: List[Expr], keywords: Keywords, instruction: Instruction
) -> None:
    offset = instruction.offset
    if not keywords and _SPECIAL.isdisjoint(map(type, [function, *args])):
        operands = lifter.use([function, *args])
        lifter.build(Call(operands[0], operands[1:], [], offset), operands)
        return
    if isinstance(function, ManagerPart):
        _leave(lifter, function, args, instruction)
        return
    if makes_generic(function):
        lifter._drop_pending(function)  # its defaults are evaluated before it
    operands = lifter.use([function, *args, *[value for _, value in keywords]] if keywords else [function, *args])
    given = operands[1 : 1 + len(args)]
    function, args = unheld(operands[0]), [unheld(a) if a.__class__ is Held else a for a in given]
    if keywords:
        names = [name for name, _ in keywords]
        keywords = list(zip(names, operands[1 + len(args) :]))
    made = _made_by_call(function, args, keywords, offset)
    if made is None:
        args = [call_of_iter(a.value, offset) if isinstance(a, Iterator) else a for a in args]
        made = Call(function, args, keywords, offset)
    lifter.build(made, operands)


def _made_by_call(function: Expr, args: List[Expr], keywords: Keywords, offset: int) -> Optional[Expr]:
    """What a call of something makes that the compiler itself has put there: a class, a comprehension."""
    if isinstance(function, Builtin):
        return _class(function, args, keywords, offset)
    if isinstance(function, Function):
        if function.code.co_name in COMPREHENSIONS and len(args) == 1:
            return ComprehensionCall(function, args[0], offset)
        if makes_generic(function) and not keywords:
            return Generic(function, args, offset)
    return None


def unheld(value: Expr) -> Expr:
    """A function made in an earlier block, of an expression that is only now complete."""
    if isinstance(value, Held) and isinstance(value.value, (Function, Class)) and value.name is None:
        return copy(value.value) if is_comprehension(value.value) else value.value  # of each way that goes on with it
    return value


def _leave(lifter: Lifter, function: ManagerPart, args: List[Expr], instruction: Instruction) -> None:
    """exit(None, None, None): a with block is left without an exception."""
    plain = [resolve(a) for a in args]  # some versions copy the None
    nones = [a for a in plain if isinstance(a, Const) and a.value is None]
    if function.part != "exit" or len(nones) != 3 or len(nones) != len(args):
        raise lifter.error("calls the exit of a with block in an unknown way", instruction)
    lifter.push(ManagerPart(function.manager, "exiting", instruction.offset))


def super_(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(3))
    lifter.build(Call(operands[0], [], [], instruction.offset), operands)


# ---------------------------------------------------------------- functions


def make_function(lifter: Lifter, instruction: Instruction) -> None:
    code = lifter.pop()
    if not isinstance(code, Const):
        raise lifter.error("makes a function of something that is no constant", instruction)
    names = instruction.arg
    # up to 3.10 the qualified name lies on the stack too
    if names and names[-1] == "qualname":
        lifter.pop()
        names = names[:-1]
    operands = lifter.use(lifter.pops(len(names)))
    fields: Dict[str, Expr] = dict(zip(names, operands))
    function = Function(code.value, fields, instruction.offset)
    lifter.build(function, operands)
    _define_at_once(lifter, function)


def _define_at_once(lifter: Lifter, function: Function) -> None:
    """A function that is used without being stored, as PyTorch makes its resume functions: defined under its own name."""
    name = function.code.co_name
    following, second = lifter.following(), lifter.following(2)
    if following is None or not is_function(function.code) or not name.isidentifier():
        return
    shuffled = following.op == "SWAP" and (second is None or second.op != "INTRINSIC")
    if not shuffled and (following.op not in _USES or isinstance(following.arg, CodeType)):
        return  # before a code object it is a field of the next function
    lifter.stack.pop()
    lifter._drop_pending(function)
    lifter.emit(Define(Name(name, function.offset), function, [], function.offset))
    lifter.push(Local(name, function.offset))


_USES = frozenset(("CONST", "LOAD_LOCAL", "LOAD_GLOBAL", "LOAD_CELL", "LOAD_NAME", "COPY", "NULL", "BUILTIN"))


def set_function_field(lifter: Lifter, instruction: Instruction) -> None:
    function = lifter.pop()
    value = lifter.pop()
    if not isinstance(function, Function):
        raise lifter.error("sets a field of something that is no new function", instruction)
    pending = any(v is function for v in lifter.pending)
    lifter._drop_pending(function)  # what it took is evaluated after `value`, and stays so
    operands = lifter.use([value])
    function.fields[instruction.arg] = operands[0]
    lifter.build(function, operands, pending)
    _define_at_once(lifter, function)


def intrinsic(lifter: Lifter, instruction: Instruction) -> None:
    name, count = instruction.arg
    operands = lifter.pops(count)
    if name == "SET_FUNCTION_TYPE_PARAMS":  # the parameters are made first, then swapped
        operands = lifter.use(operands[::-1])[::-1]
    else:
        operands = lifter.use(operands)
    lifter.build(Test("intrinsic", operands, instruction.offset, name), operands)


# ---------------------------------------------------------------- imports


def import_(lifter: Lifter, instruction: Instruction) -> None:
    level, fromlist = lifter.pops(2)
    name, lazy = instruction.arg
    if not isinstance(level, Const) or not isinstance(fromlist, Const):
        raise lifter.error("an import whose level or names are not constant", instruction)
    # where laziness is forbidden, the place forbids it: nothing is written for that
    lifter.push(Imported(name, level.value, fromlist.value, bool(lazy), instruction.offset))


def import_from(lifter: Lifter, instruction: Instruction) -> None:
    module: Any = lifter.stack[-1]
    origin = module.origin if isinstance(module, ImportedName) else module
    if not isinstance(origin, Imported):
        raise lifter.error("imports from something that was not imported", instruction)
    lifter.push(ImportedName(origin, instruction.arg, instruction.offset))


def import_star(lifter: Lifter, instruction: Instruction) -> None:
    module = lifter.stack.pop()
    assert isinstance(module, Imported)
    lifter.emit(ImportFrom(module.module, [("*", None)], module.level, module.lazy, instruction.offset))
