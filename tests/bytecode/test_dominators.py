"""Dominators, reverse postorder and loops agree with their definitions, on random graphs and on real code."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from depyf.bytecode import Block, Graph, Handler, Instruction
from depyf.bytecode.dominators import dominators
from tests.bytecode.helpers import checked, codes, graph


def make(edges, handlers):
    """A graph with these successors; blocks that cannot be reached are left out, as `graph_of` does."""
    blocks = [Block(index) for index in range(len(edges))]
    for block, targets in zip(blocks, edges):
        block.instructions = [Instruction("JUMP", None, block.index * 2, None)]
        block.successors = tuple(blocks[target % len(blocks)] for target in targets)
    made = {}
    for block, target in zip(blocks, handlers):
        if target is not None:
            target %= len(blocks)
            made.setdefault(target, Handler(blocks[target], 0, False, len(made)))
            block.handler = made[target]
    kept = reachable(blocks[0], None)
    blocks = [block for block in blocks if block in kept]
    for index, block in enumerate(blocks):
        block.index = index
        for successor in dict.fromkeys(block.successors):
            successor.predecessors.append(block)
    return Graph(None, blocks, list(made.values()), [], [])


def targets_of(block):
    return [*block.successors, *([block.handler.target] if block.handler else [])]


def reachable(entry, without):
    seen = set() if entry is without else {entry}
    work = list(seen)
    while work:
        for target in targets_of(work.pop()):
            if target not in seen and target is not without:
                seen.add(target)
                work.append(target)
    return seen


targets = st.lists(st.integers(0, 11), min_size=0, max_size=2)


@given(st.lists(targets, min_size=1, max_size=12), st.lists(st.none() | st.integers(0, 11), min_size=12, max_size=12))
def test_random_graphs(edges, handlers):
    compare_with_definitions(make(edges, handlers))


def compare_with_definitions(graph):
    blocks = graph.blocks
    found = dominators(graph)
    assert found.order[0] is blocks[0] and {id(b) for b in found.order} == {id(b) for b in blocks}
    assert [found.number[block.index] for block in found.order] == list(range(len(blocks)))
    for above in blocks:
        cut_off = set(blocks) - reachable(blocks[0], above)
        for below in blocks:
            assert found.dominates(above, below) == (below in cut_off)
    for block in blocks[1:]:
        parent = found.immediate[block.index]
        strict = [other for other in blocks if other is not block and found.dominates(other, block)]
        assert parent in strict and all(found.dominates(other, parent) for other in strict)
    assert found.immediate[0] is None
    back = {(a.index, b.index) for a in blocks for b in targets_of(a) if found.dominates(b, a)}
    assert {(a.index, b.index) for a, b in found.back_edges} == back
    assert {header.index for header in found.headers} == {target for _, target in back}
    for source, target in found.irreducible:
        assert found.number[target.index] <= found.number[source.index] and not found.dominates(target, source)
    # without the back edges and the irreducible ones every edge goes forward
    special = back | {(a.index, b.index) for a, b in found.irreducible}
    for a in blocks:
        for b in targets_of(a):
            assert (a.index, b.index) in special or found.number[a.index] < found.number[b.index]


def test_real_code():
    with open(ast.__file__, "rb") as file:
        module = compile(file.read(), ast.__file__, "exec", dont_inherit=True)
    compared = 0
    for code in codes(module):
        found = checked(code)
        if len(found.blocks) <= 25:
            compare_with_definitions(found)
            compared += 1
    assert compared > 30


def test_loops_are_found():
    found = graph("def f(a):\n    for x in a:\n        while x:\n            x = g(x)\n    return a\n")
    result = dominators(found)
    assert len(result.headers) >= 2 and not result.irreducible
    outer = next(block for block in found.blocks if block.terminator.op == "NEXT")
    assert result.is_header(outer)


def test_long_chains_need_no_recursion():
    edges = [[index + 1] for index in range(20000)] + [[0]]
    found = dominators(make(edges, [None] * len(edges)))
    assert len(found.back_edges) == 1
