"""Fresh containers: what can be done without an event to a list, tuple, dict or set that has not left the frame.

Each step works on one side. It returns None when it was silent, with the stack changed, or the event that it is because
the container has escaped, or because code of the program would run (a key's hash, an unknown iterable).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf.proof.events import Event
from depyf.proof.folding import fold_item
from depyf.proof.state import Container, Side, State
from depyf.proof.values import Values


def plain_event(op: str, static: Any, state: State, side: Side, uses: int, pops: int, pushes: int) -> Event:
    operands = [state.resolve(number) for number in side.stack[-uses:]] if uses else []
    return Event(op, static, operands, pops, pushes)


def fresh(state: State, number: int, *kinds: str) -> Optional[Container]:
    container = state.heap.get(number)
    return container if container is not None and (not kinds or container.kind in kinds) else None


def sequence(values: Values, state: State, number: int) -> Optional[List[int]]:
    """The items of a fresh list or tuple, or of a constant tuple."""
    container = fresh(state, number, "list", "tuple")
    if container is not None:
        return container.items
    if number in values.items:
        return list(values.items[number])
    return None


def make_tuple(values: Values, state: State, side: Side, items: List[int]) -> int:
    """A tuple of constants is the constant tuple: the compiler makes one of the other."""
    items = [state.resolve(item) for item in items]
    if all(values.is_constant(item) and values.code(item) is None for item in items):
        return values.tuple_of(tuple(items))
    return state.new_container(values, "tuple", items, side.number)


def _pop(side: Side, count: int) -> List[int]:
    if not count:
        return []
    items = side.stack[-count:]
    del side.stack[-count:]
    return items


def build_tuple(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    side.stack.append(make_tuple(values, state, side, _pop(side, count)))
    return None


def build_list(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    side.stack.append(state.new_container(values, "list", _pop(side, count), side.number))
    return None


def build_slice(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    items = [state.resolve(item) for item in _pop(side, count)]
    if count == 2:
        items.append(values.none)
    if all(map(values.is_constant, items)):
        side.stack.append(values.slice_of(tuple(items)))
    else:
        side.stack.append(state.new_container(values, "slice", items, side.number))
    return None


def build_set(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    items = [state.resolve(item) for item in side.stack[len(side.stack) - count :]]
    if not all(map(values.is_key, items)):
        return Event("BUILD_SET", count, items, count, 1)
    _pop(side, count)
    side.stack.append(state.new_container(values, "set", list(dict.fromkeys(items)), side.number))
    return None


def build_map(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    items = [state.resolve(item) for item in side.stack[len(side.stack) - 2 * count :]]
    return _make_dict(values, state, side, items, 2 * count)


def build_const_key_map(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    numbers = [state.resolve(item) for item in side.stack[-count - 1 :]]
    keys = values.items.get(numbers[-1])
    if keys is None or len(keys) != count:
        return Event("BUILD_CONST_KEY_MAP", count, numbers, count + 1, 1)
    items = [number for pair in zip(keys, numbers) for number in pair]
    return _make_dict(values, state, side, items, count + 1)


def _make_dict(values: Values, state: State, side: Side, items: List[int], pops: int) -> Optional[Event]:
    if not all(map(values.is_key, items[::2])):
        return Event("BUILD_MAP", len(items) // 2, items, pops, 1)
    _pop(side, pops)
    pairs = dict(zip(items[::2], items[1::2]))  # as the interpreter does: the first place, the last value
    items = [number for pair in pairs.items() for number in pair]
    side.stack.append(state.new_container(values, "dict", items, side.number))
    return None


def _set_key(container: Container, key: int, value: int) -> None:
    keys = container.items[::2]
    if key in keys:
        container.items[2 * keys.index(key) + 1] = value
    else:
        container.items += (key, value)


def build_unpack(values: Values, state: State, side: Side, arg: Tuple[str, int]) -> Optional[Event]:
    """3.8: several iterables, or mappings, become one display."""
    kind, count = arg
    operands = [state.resolve(item) for item in side.stack[len(side.stack) - count :]]
    if kind in ("list", "tuple", "tuple_call"):
        parts = [sequence(values, state, operand) for operand in operands]
        if all(part is not None for part in parts):
            _pop(side, count)
            items = [item for part in parts for item in part or ()]
            if kind == "list":
                side.stack.append(state.new_container(values, "list", items, side.number))
            else:
                side.stack.append(make_tuple(values, state, side, items))
            return None
    elif kind in ("map", "map_call"):
        dicts = [fresh(state, operand, "dict") for operand in operands]
        keys = [key for part in dicts if part is not None for key in part.items[::2]]
        if None not in dicts and len(keys) == len(set(keys)):
            _pop(side, count)
            items = [item for part in dicts if part is not None for item in part.items]
            side.stack.append(state.new_container(values, "dict", items, side.number))
            return None
    return Event("BUILD_UNPACK", (kind, count), operands, count, 1)


def list_append(values: Values, state: State, side: Side, depth: int) -> Optional[Event]:
    target = state.resolve(side.stack[-depth - 1])
    container = fresh(state, target, "list")
    if container is None:
        return Event("LIST_APPEND", None, [target, state.resolve(side.stack[-1])], 1)
    container.items.append(side.stack.pop())
    return None


def set_add(values: Values, state: State, side: Side, depth: int) -> Optional[Event]:
    target, item = state.resolve(side.stack[-depth - 1]), state.resolve(side.stack[-1])
    container = fresh(state, target, "set")
    if container is None or not values.is_key(item):
        return Event("SET_ADD", None, [target, item], 1)
    side.stack.pop()
    if item not in container.items:
        container.items.append(item)
    return None


def map_add(values: Values, state: State, side: Side, depth: int) -> Optional[Event]:
    target = state.resolve(side.stack[-depth - 2])
    key, value = map(state.resolve, side.stack[-2:])
    container = fresh(state, target, "dict")
    if container is None or not values.is_key(key):
        return Event("MAP_ADD", None, [target, key, value], 2)
    del side.stack[-2:]
    _set_key(container, key, value)
    return None


def list_extend(values: Values, state: State, side: Side, depth: int) -> Optional[Event]:
    target, iterable = state.resolve(side.stack[-depth - 1]), state.resolve(side.stack[-1])
    container = fresh(state, target, "list")
    items = sequence(values, state, iterable)
    if container is None or items is None:
        return Event("LIST_EXTEND", None, [target, iterable], 1)
    side.stack.pop()
    container.items += items
    return None


def set_update(values: Values, state: State, side: Side, depth: int) -> Optional[Event]:
    target, iterable = state.resolve(side.stack[-depth - 1]), state.resolve(side.stack[-1])
    container = fresh(state, target, "set")
    if container is None or type(values.constant.get(iterable)) is not frozenset:
        return Event("SET_UPDATE", None, [target, iterable], 1)
    side.stack.pop()
    container.items.append(values.apply("items of", iterable))
    return None


def dict_update(values: Values, state: State, side: Side, depth: int, op: str = "DICT_UPDATE") -> Optional[Event]:
    target, mapping = state.resolve(side.stack[-depth - 1]), state.resolve(side.stack[-1])
    container, other = fresh(state, target, "dict"), fresh(state, mapping, "dict")
    if container is None or other is None or set(container.items[::2]) & set(other.items[::2]):
        return Event(op, None, [target, mapping], 1)
    side.stack.pop()
    container.items += other.items
    return None


def dict_merge(values: Values, state: State, side: Side, depth: int) -> Optional[Event]:
    return dict_update(values, state, side, depth, "DICT_MERGE")


def list_to_tuple(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    container = fresh(state, state.resolve(side.stack[-1]), "list")
    if container is None:
        return plain_event("LIST_TO_TUPLE", None, state, side, 1, 1, 1)
    side.stack[-1] = make_tuple(values, state, side, container.items[:])
    return None


def unpack(values: Values, state: State, side: Side, count: int) -> Optional[Event]:
    items = sequence(values, state, state.resolve(side.stack[-1]))
    if items is None or len(items) != count:
        return plain_event("UNPACK", count, state, side, 1, 1, count)
    side.stack.pop()
    side.stack.extend(reversed(items))
    return None


def unpack_ex(values: Values, state: State, side: Side, arg: Tuple[int, int]) -> Optional[Event]:
    before, after = arg
    items = sequence(values, state, state.resolve(side.stack[-1]))
    if items is None or len(items) < before + after:
        return plain_event("UNPACK_EX", arg, state, side, 1, 1, before + after + 1)
    end = len(items) - after
    middle = state.new_container(values, "list", items[before:end], side.number)
    side.stack.pop()
    side.stack.extend(reversed([*items[:before], middle, *items[end:]]))
    return None


def concatenate(values: Values, state: State, side: Side, op: str, operator: str) -> bool:
    """`a + b` and `a += b` of sequences that are known; whether it was that."""
    if operator != "+":
        return False
    first, second = map(state.resolve, side.stack[-2:])
    one, other = sequence(values, state, first), sequence(values, state, second)
    if one is None or other is None:
        return False
    container = fresh(state, first, "list")
    if container is None:
        if fresh(state, second, "list") is not None:  # a tuple and a list: raises
            return False
        side.stack[-2:] = [make_tuple(values, state, side, one + other)]
    elif op == "INPLACE":
        container.items += other
        side.stack.pop()
    elif fresh(state, second, "list") is not None:
        side.stack[-2:] = [state.new_container(values, "list", one + other, side.number)]
    else:
        return False
    return True


# --- items ---------------------------------------------------------------------------------------------------------


def _slice(values: Values, number: int) -> Optional[slice]:
    """A constant slice of integers, booleans and None."""
    parts = values.slices.get(number)
    if parts is None:
        return None
    limits = []
    for part in parts:
        if part != values.none and values.index(part) is None:
            return None
        limits.append(values.index(part))
    return None if limits[2] == 0 else slice(*limits)


def _position(values: Values, number: int, length: int) -> Optional[int]:
    index = values.index(number)
    return index if index is not None and -length <= index < length else None


def load_item(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    target, key = map(state.resolve, side.stack[-2:])
    found: Optional[int] = None
    items = sequence(values, state, target)
    if items is not None:
        position, part = _position(values, key, len(items)), _slice(values, key)
        if position is not None:
            found = items[position]
        elif part is not None:
            if target in state.heap and state.heap[target].kind == "list":
                found = state.new_container(values, "list", items[part], side.number)
            else:
                found = make_tuple(values, state, side, items[part])
    else:
        container = fresh(state, target, "dict")
        if container is not None and values.is_key(key) and key in container.items[::2]:
            found = container.items[2 * container.items[::2].index(key) + 1]
        else:
            found = fold_item(values, target, key, _slice(values, key))
    if found is None:
        return Event("LOAD_ITEM", None, [target, key], 2, 1)
    side.stack[-2:] = [found]
    return None


def store_item(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    value, target, key = map(state.resolve, side.stack[-3:])
    container = state.heap.get(target)
    done = False
    if container is not None and container.kind == "list":
        position, part = _position(values, key, len(container.items)), _slice(values, key)
        new = sequence(values, state, value)
        if position is not None:
            container.items[position] = value
            done = True
        elif part is not None and part.step in (None, 1) and new is not None:
            container.items[part] = list(new)
            done = True
    elif container is not None and container.kind == "dict" and values.is_key(key):
        _set_key(container, key, value)
        done = True
    if not done:
        return Event("STORE_ITEM", None, [value, target, key], 3)
    del side.stack[-3:]
    return None


def delete_item(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    target, key = map(state.resolve, side.stack[-2:])
    container = state.heap.get(target)
    done = False
    if container is not None and container.kind == "list":
        position, part = _position(values, key, len(container.items)), _slice(values, key)
        if position is not None:
            del container.items[position]
            done = True
        elif part is not None:
            del container.items[part]
            done = True
    elif container is not None and container.kind == "dict" and values.is_key(key) and key in container.items[::2]:
        place = 2 * container.items[::2].index(key)
        del container.items[place : place + 2]
        done = True
    if not done:
        return Event("DELETE_ITEM", None, [target, key], 2)
    del side.stack[-2:]
    return None


def truth(values: Values, state: State, number: int) -> Optional[bool]:
    """Whether a fresh container is empty, or what a constant's truth is."""
    container = state.heap.get(number)
    if container is None:
        return values.truth(number)
    if container.kind in ("list", "tuple", "dict"):
        return bool(container.items)
    if container.kind == "set" and not any(map(values.is_key, container.items)):  # a constant frozenset that it got may be empty
        return None if container.items else False
    return True


STEPS: Dict[str, Callable[[Values, State, Side, Any], Optional[Event]]] = {
    "BUILD_TUPLE": build_tuple,
    "BUILD_LIST": build_list,
    "BUILD_SLICE": build_slice,
    "BUILD_SET": build_set,
    "BUILD_MAP": build_map,
    "BUILD_CONST_KEY_MAP": build_const_key_map,
    "BUILD_UNPACK": build_unpack,
    "LIST_APPEND": list_append,
    "SET_ADD": set_add,
    "MAP_ADD": map_add,
    "LIST_EXTEND": list_extend,
    "SET_UPDATE": set_update,
    "DICT_UPDATE": dict_update,
    "DICT_MERGE": dict_merge,
    "LIST_TO_TUPLE": list_to_tuple,
    "UNPACK": unpack,
    "UNPACK_EX": unpack_ex,
    "LOAD_ITEM": load_item,
    "STORE_ITEM": store_item,
    "DELETE_ITEM": delete_item,
}


def is_closure(values: Values, state: State, container: Optional[Container]) -> bool:
    """Whether a fresh container is a tuple of cells: what functions are made with, and nothing else is done with."""
    if container is None or container.kind != "tuple" or not container.items:
        return False
    terms = [values.term.get(state.resolve(item)) for item in container.items]
    return all(term is not None and term[0] == "cell" for term in terms)
