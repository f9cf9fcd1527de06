"""The instructions of the test machine that move, combine and build values; control, calls and handlers are in `machine`.

Each method is one line of the table in `depyf.bytecode.canonical`.
"""

from __future__ import annotations

import builtins
import operator
import types
from typing import Any, Dict, List


class _Null:
    def __repr__(self) -> str:
        return "NULL"


NULL = _Null()

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "@": operator.matmul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "^": operator.xor, "|": operator.or_,
}  # fmt: skip
INPLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "@": operator.imatmul, "/": operator.itruediv,
    "//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "<<": operator.ilshift, ">>": operator.irshift,
    "&": operator.iand, "^": operator.ixor, "|": operator.ior,
}  # fmt: skip
COMPARE = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert}


class Values:
    """The stack, the frame's slots, and what needs only these."""

    stack: List[Any]
    slots: Dict[str, Any]
    globals: Dict[str, Any]
    names: Dict[str, Any]

    def push(self, *values: Any) -> None:
        self.stack.extend(values)

    def pop(self) -> Any:
        return self.stack.pop()

    def take(self, count: int) -> List[Any]:
        """The top values, deepest first."""
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return values

    # --- stack and constants

    def do_const(self, value: Any) -> None:
        self.push(value)

    def do_builtin(self, name: str) -> None:
        self.push(getattr(builtins, name))

    def do_null(self, _: Any) -> None:
        self.push(NULL)

    def do_copy(self, n: int) -> None:
        self.push(self.stack[-n])

    def do_swap(self, n: int) -> None:
        self.stack[-1], self.stack[-n] = self.stack[-n], self.stack[-1]

    def do_pop(self, _: Any) -> None:
        self.pop()

    # --- variables

    def do_load_local(self, name: str) -> None:
        if name not in self.slots:
            raise UnboundLocalError(name)
        assert type(self.slots[name]) is not types.CellType
        self.push(self.slots[name])

    def do_load_clear(self, name: str) -> None:
        self.push(self.slots.pop(name, NULL))

    def do_store_local(self, name: str) -> None:
        value = self.pop()
        if value is NULL:
            self.slots.pop(name, None)
        else:
            self.slots[name] = value

    def do_delete_local(self, name: str) -> None:
        if name not in self.slots:
            raise UnboundLocalError(name)
        del self.slots[name]

    def do_make_cell(self, name: str) -> None:
        cell = types.CellType()
        if name in self.slots:
            cell.cell_contents = self.slots[name]
        self.slots[name] = cell

    def cell(self, name: str) -> Any:
        cell = self.slots[name]
        assert type(cell) is types.CellType
        return cell

    def do_load_cell(self, name: str) -> None:
        try:
            self.push(self.cell(name).cell_contents)
        except ValueError:
            raise NameError(name) from None

    def do_store_cell(self, name: str) -> None:
        self.cell(name).cell_contents = self.pop()

    def do_delete_cell(self, name: str) -> None:
        del self.cell(name).cell_contents

    def do_load_closure(self, name: str) -> None:
        self.push(self.cell(name))

    def do_load_locals(self, _: Any) -> None:
        self.push(self.names)

    def do_load_dict_or_cell(self, name: str) -> None:
        mapping = self.pop()
        if name in mapping:
            self.push(mapping[name])
        else:
            self.do_load_cell(name)

    def do_load_dict_or_global(self, name: str) -> None:
        mapping = self.pop()
        if name in mapping:
            self.push(mapping[name])
        else:
            self.do_load_global(name)

    def do_load_global(self, name: str) -> None:
        if name in self.globals:
            self.push(self.globals[name])
        elif hasattr(builtins, name):
            self.push(getattr(builtins, name))
        else:
            raise NameError(name)

    def do_store_global(self, name: str) -> None:
        self.globals[name] = self.pop()

    def do_delete_global(self, name: str) -> None:
        del self.globals[name]

    def do_load_name(self, name: str) -> None:
        if name in self.names:
            self.push(self.names[name])
        else:
            self.do_load_global(name)

    def do_store_name(self, name: str) -> None:
        self.names[name] = self.pop()

    def do_delete_name(self, name: str) -> None:
        if name not in self.names:
            raise NameError(name)
        del self.names[name]

    # --- attributes and items

    def do_load_attr(self, name: str) -> None:
        self.push(getattr(self.pop(), name))

    def do_store_attr(self, name: str) -> None:
        value, target = self.take(2)
        setattr(target, name, value)

    def do_delete_attr(self, name: str) -> None:
        delattr(self.pop(), name)

    def do_load_item(self, _: Any) -> None:
        target, key = self.take(2)
        self.push(target[key])

    def do_store_item(self, _: Any) -> None:
        value, target, key = self.take(3)
        target[key] = value

    def do_delete_item(self, _: Any) -> None:
        target, key = self.take(2)
        del target[key]

    def do_super(self, _: Any) -> None:
        kind, owner, self_ = self.take(3)
        self.push(kind(owner, self_))

    # --- operators

    def do_unary(self, op: str) -> None:
        self.push(UNARY[op](self.pop()))

    def do_not(self, _: Any) -> None:
        self.push(not self.pop())

    def do_truth(self, _: Any) -> None:
        self.push(bool(self.pop()))

    def do_binary(self, op: str) -> None:
        self.push(BINARY[op](*self.take(2)))

    def do_inplace(self, op: str) -> None:
        self.push(INPLACE[op](*self.take(2)))

    def do_compare(self, op: str) -> None:
        self.push(COMPARE[op](*self.take(2)))

    def do_is(self, inverted: bool) -> None:
        left, right = self.take(2)
        self.push((left is right) != inverted)

    def do_contains(self, inverted: bool) -> None:
        left, right = self.take(2)
        self.push((left in right) != inverted)

    # --- building

    def do_build_tuple(self, n: int) -> None:
        self.push(tuple(self.take(n)))

    def do_build_list(self, n: int) -> None:
        self.push(self.take(n))

    def do_build_set(self, n: int) -> None:
        self.push(set(self.take(n)))

    def do_build_string(self, n: int) -> None:
        self.push("".join(self.take(n)))

    def do_build_slice(self, n: int) -> None:
        self.push(slice(*self.take(n)))

    def do_build_map(self, n: int) -> None:
        values = self.take(2 * n)
        self.push(dict(zip(values[::2], values[1::2])))

    def do_build_const_key_map(self, n: int) -> None:
        keys = self.pop()
        self.push(dict(zip(keys, self.take(n))))

    def do_build_unpack(self, arg: Any) -> None:
        kind, n = arg
        parts = self.take(n)
        if kind in ("map", "map_call"):
            result: Any = {}
            for part in parts:
                if kind == "map_call" and result.keys() & dict(part).keys():
                    raise TypeError("multiple values for keyword argument")
                result.update(part)
        else:
            items = [item for part in parts for item in part]
            result = {"list": list, "tuple": tuple, "set": set, "tuple_call": tuple}[kind](items)
        self.push(result)

    def do_list_append(self, depth: int) -> None:
        value = self.pop()
        self.stack[-depth].append(value)

    def do_set_add(self, depth: int) -> None:
        value = self.pop()
        self.stack[-depth].add(value)

    def do_map_add(self, depth: int) -> None:
        key, value = self.take(2)
        self.stack[-depth][key] = value

    def do_list_extend(self, depth: int) -> None:
        value = self.pop()
        self.stack[-depth].extend(value)

    def do_set_update(self, depth: int) -> None:
        value = self.pop()
        self.stack[-depth].update(value)

    def do_dict_update(self, depth: int) -> None:
        value = self.pop()
        self.stack[-depth].update(value)

    def do_dict_merge(self, depth: int) -> None:
        value = self.pop()
        target = self.stack[-depth]
        if target.keys() & dict(value).keys():
            raise TypeError("multiple values for keyword argument")
        target.update(value)

    def do_list_to_tuple(self, _: Any) -> None:
        self.push(tuple(self.pop()))

    def do_unpack(self, n: int) -> None:
        values = list(self.pop())
        if len(values) != n:
            raise ValueError("unpack")
        self.push(*values[::-1])

    def do_unpack_ex(self, arg: Any) -> None:
        before, after = arg
        values = list(self.pop())
        if len(values) < before + after:
            raise ValueError("unpack")
        end = len(values) - after
        self.push(*(values[:before] + [values[before:end]] + values[end:])[::-1])

    def do_convert(self, c: str) -> None:
        self.push({"s": str, "r": repr, "a": ascii}[c](self.pop()))

    def do_format(self, has_spec: bool) -> None:
        spec = self.pop() if has_spec else ""
        self.push(format(self.pop(), spec))

    def do_build_interpolation(self, arg: Any) -> None:
        from string.templatelib import Interpolation

        conversion, has_spec = arg
        spec = self.pop() if has_spec else ""
        value, text = self.take(2)
        self.push(Interpolation(value, text, conversion, spec))

    def do_build_template(self, _: Any) -> None:
        from string.templatelib import Template

        strings, interpolations = self.take(2)
        parts: List[Any] = []
        for text, interpolation in zip(strings, interpolations + (None,)):
            parts.extend([text, interpolation] if interpolation is not None else [text])
        self.push(Template(*parts))
