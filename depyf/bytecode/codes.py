"""Facts about code objects that depend on the version but are not instructions: flags, docstrings."""

from __future__ import annotations
import __future__

import sys
from types import CodeType
from typing import Any, List, Optional, Tuple

CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_GENERATOR = 0x01, 0x02, 0x04, 0x08, 0x20
CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = 0x80, 0x100, 0x200
CO_HAS_DOCSTRING = 0x4000000  # since 3.14
CONDITIONAL_ANNOTATIONS = "__conditional_annotations__"  # the set of those that were reached, by number, since 3.14


def is_async(code: CodeType) -> bool:
    return bool(code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR))


def is_generator(code: CodeType) -> bool:
    return bool(code.co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR))


def is_function(code: CodeType) -> bool:
    """Whether `code` runs as a function (with fast locals), not as a module or class body."""
    return bool(code.co_flags & CO_OPTIMIZED)


def local_names(code: CodeType) -> Tuple[str, ...]:
    """`co_varnames`, with a name of its own for each slot: of several locals with one name, the last keeps it.

    PyTorch's compiler makes a variable a parameter of a resume function and keeps it as a local. Nothing but
    `locals()` and the message of an unbound local tells what such a slot is called.
    """
    names = code.co_varnames
    if len(set(names)) == len(names):
        return names
    parameters = names[: parameter_count(code)]
    taken = {*names, *code.co_names, *code.co_cellvars, *code.co_freevars}
    found: List[str] = []
    for slot, name in enumerate(names):
        # what was a local of the original function comes last, and is what the code uses
        if slot >= len(parameters) and (name in parameters or name in names[slot + 1 :]):
            while name in taken:
                name = f"{name}_{slot}"
            taken.add(name)
        found.append(name)
    return tuple(found)


def parameter_count(code: CodeType) -> int:
    """How many of the first locals are parameters, `*args` and `**kwargs` among them."""
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)


def assertion_error_by_name(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether `assert` looks AssertionError up by its name, so that nothing tells it from a raise (up to 3.8)."""
    return (version or sys.version_info[:2]) < (3, 9)


def keeps_dead_jumps(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether jumps stay that nothing reaches, other than those behind a return (up to 3.9)."""
    return (version or sys.version_info[:2]) < (3, 10)


def conditions_have_one_line(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether every branch of a condition has the line of its statement, not that of its operand (up to 3.9)."""
    return (version or sys.version_info[:2]) < (3, 10)


def leaves_managers_twice(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether leaving a manager is repeated for ways that meet there (3.10 alone); else each copy is that of another statement."""
    return (version or sys.version_info[:2]) == (3, 10)


def returns_instead_of_jumping(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether a jump to a return becomes one, with the jump's line (up to 3.9)."""
    return (version or sys.version_info[:2]) < (3, 10)


def has_match(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether there is a match statement (3.10+)."""
    return (version or sys.version_info[:2]) >= (3, 10)


def annotations_in_match_count(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether annotations inside `match` make the mapping of a module's or class's annotations (not so in 3.10)."""
    return (version or sys.version_info[:2]) != (3, 10)


def inverting_a_bool_warns(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether ~True warns where it is evaluated, and is therefore not folded (since 3.12)."""
    return (version or sys.version_info[:2]) >= (3, 12)


def folds_annotations(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether constants in an annotation are folded before the future import makes it a text (up to 3.8)."""
    return (version or sys.version_info[:2]) < (3, 9)


def forgets_to_leave_generic_classes(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether private names behind a class with type parameters are mangled as if they were inside (3.12 alone)."""
    return (version or sys.version_info[:2]) == (3, 12)


def takes_globals_for_variables(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether a global in an inlined comprehension is taken for a variable that one before it has (3.12 alone)."""
    return (version or sys.version_info[:2]) == (3, 12)


def managers_have_own_lines(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether entering a manager has the manager's line, not that of the `with` statement (since 3.14)."""
    return (version or sys.version_info[:2]) >= (3, 14)


def is_class_body(code: CodeType) -> bool:
    """Whether `code` is the body of a class statement: it begins by naming its module and itself."""
    return not is_function(code) and code.co_names[:2] == ("__name__", "__module__")


def defined_name(code: CodeType) -> str:
    """The name that the definition of this code object stores, if it is one; that of what its type parameters are for."""
    return code.co_name[len(GENERIC) : -1] if code.co_name.startswith(GENERIC) else code.co_name


GENERIC = "<generic parameters of "


def docstring_of(code: CodeType, version: Optional[Tuple[int, int]] = None) -> Optional[str]:
    """A function's docstring: its first constant, which is never a string otherwise, or (3.14+) by a flag."""
    if not is_function(code) or code.co_name.startswith("<") or not code.co_consts:
        return None
    first = code.co_consts[0]
    if not isinstance(first, str):
        return None
    if docstrings_have_flags(version) and not code.co_flags & CO_HAS_DOCSTRING:
        return None
    return first


def docstrings_have_flags(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether a flag tells a docstring from another text that is the first constant (since 3.14)."""
    return (version or sys.version_info[:2]) >= (3, 14)


def stays_docstring(value: Any, version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether what is stored in `__doc__` may be written as a docstring: since 3.13 the compiler takes indentation out of that."""
    if not isinstance(value, str):
        return False
    if (version or sys.version_info[:2]) < (3, 13):
        return True
    first, *rest = value.split("\n")
    filled = [line for line in rest if line.strip(" ")]
    return not (first.startswith(" ") or "\t" in value or filled and all(line.startswith(" ") for line in filled))


def functions_keep_namespace(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether each function of a class makes it keep its namespace for annotations, even if there are none (3.14+)."""
    return (version or sys.version_info[:2]) >= (3, 14)


def formats_are_constants(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether the compiler computes an f-string without values, as it does other constants (3.14+)."""
    return (version or sys.version_info[:2]) >= (3, 14)


def walruses_are_folded(version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether the compiler looks for constants in walruses, too (3.10+)."""
    return (version or sys.version_info[:2]) >= (3, 10)


def comprehensions_fold(first: bool, is_async: bool, version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether a list or set that a part of a comprehension goes through becomes a constant, as that of a `for` does: until
    3.13 always; since then where an iterator is made of it at once, which the first part's caller leaves to it since 3.15."""
    version = version or sys.version_info[:2]
    return version < (3, 14) or not is_async and (not first or version < (3, 15))


def annotations_are_text(code: CodeType) -> bool:
    """Whether `from __future__ import annotations` was in force: annotations are stored as their text."""
    return bool(code.co_flags & __future__.annotations.compiler_flag)


def annotations_are_deferred(code: CodeType, version: Optional[Tuple[int, int]] = None) -> bool:
    """Whether a function computes the annotations of a module or class when somebody asks for them (3.14+)."""
    return (version or sys.version_info[:2]) >= (3, 14) and not annotations_are_text(code)


def future_flags(code: CodeType) -> int:
    """The flags of `compile` for the future imports that `code` was compiled under."""
    known = 0
    for name in __future__.all_feature_names:
        known |= getattr(__future__, name).compiler_flag
    # `nested_scopes` and `generators` share their bits with flags of another meaning
    return code.co_flags & known & ~(CO_NEWLOCALS | CO_OPTIMIZED | 0x10)
