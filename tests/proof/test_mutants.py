"""The proof can fail: mutants are not EQUAL, and the few that are have a reason that holds.

A small budget here; `python -m tools.mutants --count 10000` is the long run, whose survivors are listed with their reasons
in equivalent_mutants.txt beside this file.
"""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

import pytest

from tools.assembler import VERSION
from tools.equivalences import explain, read_list
from tools.mutants import KINDS, candidates, functions_of, make, run
from tools.roundtrip import EQUAL, prove
from tools.sources import stdlib_files


class Listed(NamedTuple):
    """One line of the list."""

    name: str
    version: str
    module: str
    qualname: str
    kind: str
    place: int
    what: str
    reason: str


def listed() -> List[Listed]:
    found = []
    for name, reason in read_list().items():
        match = re.match(r"(\S+) ([^:]+):(\S+) (.+?) at (\d+): (.*)$", name)
        assert match is not None, name
        version, module, qualname, kind, place, what = match.groups()
        found.append(Listed(name, version, module, qualname, kind, int(place), what, reason))
    return found


@pytest.mark.parametrize("seed", (1, 2))
def test_mutants_are_not_equal(seed: int) -> None:
    made = run(count=350, seed=seed, each=3, timeout=20.0)
    assert len(made) == 350
    assert {mutant.mutation.kind for mutant in made} | {"cell"} == set(KINDS)  # few functions have two cells
    unexplained = [mutant.name for mutant in made if mutant.status == EQUAL and mutant.explanation is None]
    assert unexplained == []
    assert sum(mutant.status == EQUAL for mutant in made) <= 3
    assert [f"{mutant.name}: {mutant.reason}" for mutant in made if mutant.status == "FAILED"] == []


def test_every_listed_survivor_has_a_reason_of_a_known_kind() -> None:
    for entry in listed():
        assert entry.kind in KINDS, entry
        assert len(entry.reason) > 20, entry


def test_reasons_of_listed_survivors_hold_on_this_version() -> None:
    wanted: Dict[str, List[Listed]] = {}
    for entry in listed():
        if entry.version == "{}.{}".format(*VERSION):
            wanted.setdefault(entry.module, []).append(entry)
    for source in stdlib_files("library"):
        entries = wanted.get(source.name, [])
        functions = dict(functions_of(source)) if entries else {}
        for entry in entries:
            code = functions.get(entry.qualname)
            same_place = [
                mutation
                for mutation in (candidates(code).get(entry.kind, []) if code is not None else [])
                if (mutation.place, mutation.what) == (entry.place, entry.what)
            ]
            for mutation in same_place:  # none where another patch release has another text
                pair = make(code, mutation)  # type: ignore[arg-type]
                assert pair is not None
                if prove(entry.qualname, pair[0], pair[1]).status == EQUAL:
                    assert explain(code, mutation, pair, entry.name) is not None, entry  # type: ignore[arg-type]
