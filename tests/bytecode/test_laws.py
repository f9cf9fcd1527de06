"""The laws hold on real code, and each of them can fail."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from depyf.bytecode import Block, Handler, Instruction, graph_of
from depyf.bytecode.laws import check
from depyf.errors import DecompilationError
from tests.bytecode.helpers import checked, codes, graph

# modules with many kinds of code: classes, generators, coroutines, comprehensions, handlers in handlers
MODULES = [
    "argparse",
    "asyncio.base_events",
    "contextlib",
    "dataclasses",
    "typing",
    "socket",
    "tarfile",
    "zipfile",
    "enum",
]

SOURCE = """
def f(a):
    for x in a:
        try:
            g(x)
        except E:
            h(x)
    return a
"""


@pytest.mark.parametrize("name", MODULES)
def test_standard_library(name):
    with open(importlib.import_module(name).__file__, "rb") as file:
        module = compile(file.read(), name, "exec", dont_inherit=True)
    for code in codes(module):
        checked(code)


def test_checked_on_request(monkeypatch):
    """DEPYF_CHECK=1 checks every graph that is made."""
    import depyf.bytecode.laws
    from depyf import checking

    seen = []
    monkeypatch.setattr(depyf.bytecode.laws, "check", lambda graph, version: seen.append(graph))
    code = test_checked_on_request.__code__
    monkeypatch.setattr(checking, "laws", False)
    graph_of(code)
    assert seen == []
    monkeypatch.setattr(checking, "laws", True)
    graph_of(code)
    assert len(seen) == 1


@pytest.mark.parametrize("value, checked", [("1", "True"), ("0", "False"), (None, "False")])
def test_the_environment_asks_for_checks(value, checked):
    environment = {name: text for name, text in os.environ.items() if name != "DEPYF_CHECK"}
    if value is not None:
        environment["DEPYF_CHECK"] = value
    asked = [sys.executable, "-c", "from depyf import checking; print(checking.laws)"]
    assert subprocess.run(asked, env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout.strip() == checked


def drop_an_instruction(g):
    del g.blocks[0].instructions[0]


def fold_twice(g):
    g.folded.append(g.blocks[0].offset)


def invent_an_offset(g):
    g.dead.append(10001)


def kill_the_living(g):
    g.dead.append(g.blocks[1].offset)


def misnumber(g):
    g.blocks[1].index = 7


def unknown_instruction(g):
    g.blocks[0].instructions[0].op = "DANCE"


def end_in_the_middle(g):
    first = g.blocks[0].instructions[0]
    g.blocks[0].instructions.insert(0, Instruction("RETURN", None, first.offset, None))


def go_back(g):
    g.blocks[0].instructions[0].offset = 10000


def lose_a_successor(g):
    branching = next(block for block in g.blocks if len(block.successors) == 2)
    branching.successors = branching.successors[:1]


def fall_elsewhere(g):
    falling = next(block for block in g.blocks if block.terminator.op == "FALL")
    falling.successors = (g.blocks[0],)


def leave_the_graph(g):
    block = next(block for block in g.blocks if block.terminator.op == "JUMP")
    stranger = Block(0)
    stranger.instructions = [Instruction("RETURN", None, 0, None)]
    block.successors = (stranger,)


def forget_a_predecessor(g):
    next(block for block in g.blocks if block.predecessors).predecessors.pop()


def strange_handler(g):
    block = g.blocks[0]
    block.handler = Handler(g.blocks[1], 0, False, 0)


def wrong_depth(g):
    g.blocks[1].depth += 1


def deep_entry(g):
    g.blocks[0].depth = 1


def underflow(g):
    block = g.blocks[0]
    block.instructions.insert(0, Instruction("POP", None, block.offset, None))


def deep_handler(g):
    g.handlers[0].depth += 5


def handler_of_itself(g):
    handler = g.handlers[0]
    handler.target.handler = handler
    handler.target.depth = handler.depth + handler.lasti + 1


BREAKS = {
    drop_an_instruction: "dropped",
    fold_twice: "folded instruction is in the graph",
    invent_an_offset: "no instructions",
    kill_the_living: "dead instruction is in the graph",
    misnumber: "numbered 7",
    unknown_instruction: "not a canonical instruction",
    end_in_the_middle: "and no other, ends it",
    go_back: "law broken",
    lose_a_successor: "1 successors",
    fall_elsewhere: "FALL goes on",
    leave_the_graph: "outside of the graph",
    forget_a_predecessor: "predecessors",
    strange_handler: "handler is outside",
    wrong_depth: "meet",
    deep_entry: "entry's stack",
    underflow: "underflow",
    deep_handler: "handler",
    handler_of_itself: "covered by itself",
}


@pytest.mark.parametrize("damage", BREAKS, ids=lambda damage: damage.__name__)
def test_a_broken_law_is_found(damage):
    found = graph(SOURCE)
    damage(found)
    with pytest.raises(DecompilationError, match=BREAKS[damage]) as caught:
        check(found)
    assert caught.value.code_name == "f"
