"""The ways out of a try with a `finally`: which of them are jumps and which fall off its end, all to the same effect.

The compiler repeats the body of the `finally` for each jump, so that the numbers of conditional annotations in it tell.
"""

from __future__ import annotations

from itertools import combinations
from typing import Dict, Iterator, List, Set, Tuple, Type

from ..structuring.walk import all_lists, falls_through
from ..tree import Break, Const, Continue, If, Pass, Stmt, Try, While, With
from .ordered import Placed, placed

_Way = Type[Stmt]  # Break or Continue; Pass for what falls to something else; Stmt for none
_JOINED = ("once", "never", "behind")  # where several ways have one; one each; the last one found behind the others, too
_FEW = 3  # ways that lead to one place, of which some may fall there
_Ends = Dict[int, Tuple[_Way, int]]  # by the identity of a list at whose end a way leaves the statement; and a jump's offset


def places_of_tries(statements: List[Stmt]) -> Dict[int, Tuple[Try, Placed]]:
    """By the identity of its `finally` body, each try and where it stands."""
    return {
        id(one.finalbody): (one, current)
        for current in placed(statements)
        for one in current.inside
        if isinstance(one, Try) and one.finalbody
    }


def ways_to_leave(one: Try, current: Placed) -> Iterator[None]:
    """Each time it is asked, the ways out of the statement are written otherwise: first, and at last, as they were."""
    yield None
    index = next(n for n, s in enumerate(current.inside) if s is one)
    onward: _Way = current.behind(index) or Pass
    if one.star or onward is Pass and index + 1 < len(current.inside) and not any(map(falls_through, _leaving(one))):
        return
    before = [(inside, inside[:]) for part in _leaving(one) for inside in all_lists(part)] + [(current.inside, current.inside[:])]
    ends = {tail: end for part in _leaving(one) for tail, end in _stripped(part, onward).items()}
    _restore(before)
    for falling in _choices(ends):
        for joined in _JOINED:
            _write(one, current, index, onward, falling, joined)
            yield None
            _restore(before)
    wrapped = {way for way, _ in ends.values()} == {Pass}
    for joined in _JOINED[:2] if wrapped and not _jumps([*_leaving(one), one.finalbody]) else ():
        _write(one, current, index, Break, set(), joined)
        current.inside[index:] = [While(Const(True), [one], [], one.offset), *before[-1][1][index + 1 :]]
        yield None
        _restore(before)


def _choices(ends: _Ends) -> Iterator[Set[int]]:
    """Ways that may fall off the end, by the identity of the lists: some that lead to one place, or none."""
    found = {way for way, _ in ends.values()}
    if Pass in found:
        yield {tail for tail, (way, _) in ends.items() if way is Pass}
        return
    for kind in [kind for kind in (Continue, Break) if kind in found]:
        alike = [tail for tail, (way, _) in ends.items() if way is kind]
        yield set(alike)
        for count in range(len(alike) - 1, 0, -1) if len(alike) <= _FEW else ():
            yield from map(set, combinations(alike, count))
    yield set()


def _write(one: Try, current: Placed, index: int, onward: _Way, falling: Set[int], joined: str) -> None:
    """Only the ways that are `falling` fall off the end; the jumps of others are joined as `_JOINED` says."""
    ends = {id(part): _stripped(part, onward) for part in _leaving(one)}
    way = next((way for found in ends.values() for tail, (way, _) in found.items() if tail in falling), Stmt)
    if way is not Pass:
        del current.inside[index + 1 :]
        if way is not Stmt and way is not current.onward:
            current.inside.append(_jump(way, one.offset))
    for part in _leaving(one):
        work = [(part, ends[id(part)])]
        while work:
            inside, found = work.pop()
            here = [(tail, *found[tail]) for tail in map(id, _tails(inside)) if tail in found]
            ways = {(tail in falling, way) for tail, way, _ in here}
            arms = _arms(inside)
            if not here or ways == {(True, here[0][1])}:
                continue
            if arms and joined == "behind" and len(ways) > 1 and all(tail not in falling for tail, _, _ in here):
                work += [(arm, {t: (w, o) for t, w, o in here if w is not here[-1][1]}) for arm in arms]
                inside.append(_jump(here[-1][1], here[-1][2]))
            elif arms and (joined == "never" or len(ways) > 1):
                work += [(arm, found) for arm in arms]
            else:
                inside.append(_jump(here[0][1], next((o for _, _, o in here if o >= 0), -1)))


def _jump(way: _Way, offset: int) -> Stmt:
    return Break(offset, None, True) if way is Break else Continue(offset, None, True)


def _stripped(part: List[Stmt], onward: _Way) -> _Ends:
    """Takes away the jumps at the ends of a part; where they lead, and their offsets."""
    ends: _Ends = {}
    work = [(part, onward, -1)]
    while work:
        inside, way, offset = work.pop()
        if inside and isinstance(inside[-1], (Break, Continue)):
            last = inside.pop()
            way, offset = type(last), last.offset
        arms = _arms(inside)
        work += [(arm, way, offset) for arm in arms]
        if not arms and falls_through(inside):
            ends[id(inside)] = (way, offset)
    return ends


def _restore(before: List[Tuple[List[Stmt], List[Stmt]]]) -> None:
    for inside, held in before:
        inside[:] = held


def _leaving(one: Try) -> List[List[Stmt]]:
    """The parts at whose ends control leaves a try."""
    return [one.orelse or one.body, *[clause.body for clause in one.clauses]]


def _arms(inside: List[Stmt]) -> List[List[Stmt]]:
    """The lists from whose ends control falls to the end of `inside`, one level down."""
    last = inside[-1] if inside else None
    if isinstance(last, If):
        return [last.body, last.orelse]
    if isinstance(last, Try) and not last.finalbody and not last.star:
        return _leaving(last)
    return [last.body] if isinstance(last, With) else []


def _tails(part: List[Stmt]) -> Iterator[List[Stmt]]:
    """The lists at whose ends control falls to the end of `part`, as far as lists inside do not."""
    work = [part]
    while work:
        current = work.pop()
        arms = _arms(current)
        work += arms
        if not arms:
            yield current


def _jumps(parts: List[List[Stmt]]) -> bool:
    """Whether something jumps in a loop around."""
    return any(isinstance(s, (Break, Continue)) for part in parts for current in all_lists(part, False) for s in current)
