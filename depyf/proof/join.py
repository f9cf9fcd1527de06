"""Where paths meet: the equations that hold on both, as a vector of numbers over all slots of both frames.

`join` keeps two slots equal only if they are equal in both vectors, so that states only get weaker and the walk ends.
Containers stay fresh if they have one shape in both; otherwise they are related and become opaque (`publish`).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf.proof.state import Container
from depyf.proof.values import NULL, Values

Heap = Dict[int, Container]
Pairs = List[Tuple[int, int]]


class Node:
    """What is known at a pair of points: `vector` has the slots of both frames, in an order fixed by the points."""

    __slots__ = ("key", "points", "vector", "heap", "trail", "pending")

    def __init__(self, key: Any, points: Any, vector: List[int], heap: Heap, trail: Any) -> None:
        self.key = key
        self.points = points
        self.vector = vector
        self.heap = heap
        self.trail = trail
        self.pending = False


def join(values: Values, node: Node, vector: List[int], heap: Heap, hints: Callable[[], Pairs]) -> bool:
    """Weaken the node so that it holds for `vector` too; whether it changed.

    `hints` are positions of slots that may well correspond, where it is not clear which container is which.
    """
    changed = False
    pairs: Optional[Pairs]
    if node.heap or heap:
        pairs = _align(node.vector, node.heap, vector, heap)
        if pairs is None:
            changed = bool(node.heap)
            node.vector = publish(values, node.vector, node.heap, hints())
            node.heap = {}
            vector = publish(values, vector, heap, hints())
            pairs = list(zip(node.vector, vector))
    else:
        pairs = list(zip(node.vector, vector))
    if _subsumed(values, pairs):
        return changed
    _Combine(values).apply(node, vector, heap)
    return True


def _align(old: List[int], old_heap: Heap, new: List[int], new_heap: Heap) -> Optional[Pairs]:
    """Pairs of numbers that stand for each other, those of containers left out; None if containers differ in shape."""
    there: Dict[int, int] = {}
    back: Dict[int, int] = {}
    pairs: Pairs = []
    work = list(zip(old, new))
    while work:
        x, y = work.pop()
        first, second = old_heap.get(x), new_heap.get(y)
        if first is None and second is None:
            pairs.append((x, y))
        elif first is None or second is None:
            return None
        elif x in there or y in back:
            if there.get(x) != y or back.get(y) != x:
                return None
        elif first.kind != second.kind or len(first.items) != len(second.items):
            return None
        else:
            there[x] = y
            back[y] = x
            work.extend(zip(first.items, second.items))
    return pairs


def _subsumed(values: Values, pairs: Pairs) -> bool:
    """Whether the new numbers are an instance of the old ones: nothing that is claimed of the old is lost."""
    mapping: Dict[int, int] = {}
    work = pairs[:]
    while work:
        x, y = work.pop()
        seen = mapping.get(x)
        if seen is not None:
            if seen != y:
                return False
            continue
        mapping[x] = y
        if x == NULL or values.is_constant(x):
            if x != y:
                return False
        elif x in values.term:
            if not _same_function(values, x, y, work):
                return False
        elif (y == NULL or y in values.maybe) and x not in values.maybe:
            return False
        elif x in values.boolean and y not in values.boolean:
            return False
        elif x in values.exceptions and y not in values.exceptions:
            return False
        elif y in values.for_call and x not in values.for_call:
            return False
        elif y in values.frame_readers and values.frame_readers.get(x) not in (values.frame_readers[y], "locals"):
            return False
    return True


def _same_function(values: Values, x: int, y: int, work: Pairs) -> bool:
    first, second = values.term[x], values.term.get(y)
    if second is None or first[0] != second[0] or len(first) != len(second):
        return False
    for one, other in zip(first[1:], second[1:]):
        if type(one) is int:
            work.append((one, other))
        elif one != other:
            return False
    return True


class _Combine:
    """Numbers for pairs of numbers: the same for the same pair."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.made: Dict[Tuple[int, int], int] = {}

    def apply(self, node: Node, vector: List[int], heap: Heap) -> None:
        old = node.heap
        seen = set()
        work = list(zip(node.vector, vector))
        while work:  # the containers have one shape: put together what is in them
            x, y = work.pop()
            if x in old and x not in seen:
                seen.add(x)
                inner = list(zip(old[x].items, heap[y].items))
                work.extend(inner)
                items = [p if p in old else self.number(p, q) for p, q in inner]
                old[x] = Container(old[x].kind, items, old[x].side)
        node.vector = [x if x in old else self.number(x, y) for x, y in zip(node.vector, vector)]

    def number(self, x: int, y: int) -> int:
        key = (x, y)
        made = self.made.get(key)
        if made is None:
            made = self.made[key] = self._make(x, y)
        return made

    def _make(self, x: int, y: int) -> int:
        values = self.values
        if x == y and x not in values.term:
            return x
        first, second = values.term.get(x), values.term.get(y)
        if first is not None and second is not None and first[0] == second[0] and len(first) == len(second):
            arguments = []
            for one, other in zip(first[1:], second[1:]):
                if type(one) is int:
                    one = self.number(one, other)
                elif one != other:
                    break
                arguments.append(one)
            else:
                if first[0] != "not":
                    result = values.apply(first[0], *arguments)
                    if x in values.boolean:
                        values.boolean.add(result)
                    return result
                return values.negate(arguments[0])
        result = values.fresh()
        if x in values.boolean and y in values.boolean:
            values.boolean.add(result)
        if x in values.exceptions and y in values.exceptions:
            values.exceptions.add(result)
        if x in values.for_call or y in values.for_call:
            values.for_call.add(result)
        if x in values.frame_readers or y in values.frame_readers:
            values.frame_readers[result] = "locals"  # the one that sees most
        if NULL in (x, y) or x in values.maybe or y in values.maybe:
            values.maybe.add(result)
        return result


# --- containers that stop being fresh --------------------------------------------------------------------------------


def publish(values: Values, vector: List[int], heap: Heap, hints: Pairs) -> List[int]:
    """The vector with every container opaque: one number for those that both sides built alike, else one each."""
    if not heap:
        return vector
    numbers: Dict[int, int] = {}
    for first, second in _partners(heap, [(vector[i], vector[j]) for i, j in hints]).items():
        numbers[first] = numbers[second] = values.fresh()
    for number in heap:
        if number not in numbers:
            numbers[number] = values.fresh()
    return [numbers.get(number, number) for number in vector]


def _partners(heap: Heap, likely: Pairs) -> Dict[int, int]:
    """Containers of the first side -> those of the second that are built alike: the likely ones, then in order."""
    partners: Dict[int, int] = {}
    taken = set()
    for first, second in likely:
        if first in heap and second in heap and first not in partners and second not in taken:
            if _outline(heap, first) == _outline(heap, second):
                partners[first] = second
                taken.add(second)
    waiting: Dict[Any, List[int]] = {}
    for number in sorted(heap):
        if heap[number].side == 1 and number not in taken:
            waiting.setdefault(_outline(heap, number), []).append(number)
    for number in sorted(heap):
        if heap[number].side == 0 and number not in partners:
            candidates = waiting.get(_outline(heap, number))
            if candidates:
                partners[number] = candidates.pop(0)
    wrong = True
    while wrong:  # a pair holds only if the containers inside are pairs too
        wrong = False
        for first, second in list(partners.items()):
            inner = zip(heap[first].items, heap[second].items)
            if any(x != y and partners.get(x) != y for x, y in inner):
                del partners[first]
                wrong = True
    return partners


def _outline(heap: Heap, number: int) -> Any:
    container = heap[number]
    return container.kind, tuple([heap[item].kind if item in heap else item for item in container.items])
