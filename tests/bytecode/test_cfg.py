"""Blocks, depths, handlers and what is folded or dead."""

from __future__ import annotations

import textwrap

import pytest

from depyf.bytecode import describe, graph_of
from depyf.bytecode.__main__ import main
from tests.bytecode.helpers import BEFORE_311, VERSION, compiled, find, graph, ops, since, steps, until


def test_straight_code_is_one_block():
    found = graph("def f(a):\n    b = a + 1\n    c = g(b)\n    return c\n")
    assert len(found.blocks) == 1 and found.handlers == [] and found.dead == []


def test_entry_is_first_and_empty():
    found = graph("def f(a):\n    while a:\n        a = a - 1\n")
    assert found.blocks[0].depth == 0 and found.blocks[0].offset == 0 or found.blocks[0].offset in (2, 4)


def test_branches_meet_at_one_depth():
    found = graph("def f(a, b):\n    x = g(1, a if b else 2, 3)\n    return h(x)\n")
    join = next(block for block in found.blocks if len(block.predecessors) == 2)
    assert join.depth == (3 if BEFORE_311 else 4)


@since(3, 9)
def test_code_after_a_return_is_dead_or_gone():
    """Compilers drop most dead code themselves; what they leave is listed, not lost."""
    found = graph("def f(a):\n    try:\n        pass\n    except E as e:\n        pass\n")
    assert set(found.dead).isdisjoint(i.offset for block in found.blocks for i in block.instructions)


def handlers_by_line(source):
    """Line of each instruction that may raise -> whether it is protected."""
    found = graph(source)
    return {
        instruction.line: block.handler is not None
        for block in found.blocks
        for instruction in block.instructions
        if instruction.op == "CALL"
    }


def test_what_a_try_covers():
    protected = handlers_by_line(
        "def f():\n    a()\n    try:\n        b()\n    except E:\n        c()\n    else:\n        d()\n    e()\n"
    )
    assert protected[2] is False and protected[4] is True and protected[9] is False
    assert protected[8] is False


def test_handlers_start_with_the_exception():
    found = graph("def f():\n    try:\n        a()\n    except E:\n        b()\n")
    first = {handler.target.instructions[0].op for handler in found.handlers if handler.depth == 0}
    assert first == {"EXC_ENTER" if BEFORE_311 else "PUSH_EXC"}
    for handler in found.handlers:
        assert handler.target.depth == handler.depth + handler.lasti + 1


@pytest.mark.parametrize("kind", ["", "async "])
def test_with_statements(kind):
    found = graph(f"{kind}def f(a):\n    {kind}with a as b:\n        c(b)\n")
    enter = find(found, "ENTER_ASYNC" if kind else "ENTER")
    assert enter == [2 if VERSION >= (3, 14) else 1]
    (exit_place,) = find(found, "WITH_EXCEPT")
    assert exit_place == ((7, 1) if BEFORE_311 else (4, 1) if VERSION < (3, 14) else (5, 2))
    if kind:
        assert sorted(find(found, "AWAITABLE"))[-1] == 2 and 1 in find(found, "AWAITABLE")


def test_awaits_are_one_instruction():
    found = graph("async def f(a):\n    try:\n        return await a\n    except E:\n        return await b\n")
    names = ops(found)
    assert names.count("YIELD_FROM") == 2 and "YIELD" not in names
    assert names.count("GENERATOR") == (0 if BEFORE_311 else 1)
    # nothing is left of the loops' own handlers
    assert "INTRINSIC" not in names


def test_delegation_is_one_instruction():
    found = graph("def f(a):\n    x = yield from a\n    return x\n")
    assert [op for op in ops(found) if op.startswith("YIELD")] == ["YIELD_FROM_ITER", "YIELD_FROM"]
    assert len(found.blocks) == 1 and found.handlers == []


def test_generators_have_no_handler_of_their_own():
    found = graph("def f(a):\n    for x in a:\n        yield x\n")
    assert found.handlers == []
    assert set(find(found, "GENERATOR")) <= {False}


@since(3, 12)
def test_a_generator_that_leaks_stop_iteration_says_so():
    """Lambdas are the only generators that the compiler does not protect."""
    found = graph("f = lambda: (yield)\n", "<lambda>")
    assert find(found, "GENERATOR") == [True]
    code = compiled("def f(a):\n    yield a\n")
    found = graph_of(code.replace(co_exceptiontable=b""))
    assert find(found, "GENERATOR") == [True]


def test_async_for():
    slots = 7 if BEFORE_311 else 2
    found = graph("async def f(a):\n    async for x in a:\n        g(x)\n    return 1\n")
    assert find(found, "END_ASYNC_FOR") == [slots]
    last = next(block for block in found.blocks if block.terminator.op == "END_ASYNC_FOR")
    assert last.successors[0].depth == 0


@until(3, 8)
def test_finally_bodies_of_3_8_have_a_copy_for_each_way_in():
    found = graph(
        """
        def f(a):
            for x in a:
                try:
                    if g(x):
                        continue
                    if h(x):
                        return 1
                finally:
                    k(x)
        """
    )
    bodies = [block for block in found.blocks if ("LOAD_GLOBAL", "k") in [(i.op, i.arg) for i in block.instructions]]
    # at the end, by continue, by return, by an exception
    assert len(bodies) == 4 and sorted(block.copy for block in bodies) == [0, 1, 2, 3]
    ends = sorted(block.terminator.op for block in bodies)
    assert ends == ["JUMP", "JUMP", "JUMP", "RERAISE"] or ends == ["FALL", "JUMP", "JUMP", "RERAISE"]


def test_finally_runs_on_each_way_out():
    found = graph("def f(a):\n    try:\n        return g(a)\n    finally:\n        k(a)\n")
    assert find(found, "LOAD_GLOBAL").count("k") == 2


def test_handler_that_is_a_loop_header():
    """The exception is entered once, although the loop goes back to the handler's first instruction."""
    found = graph("def f(a):\n    try:\n        g()\n    finally:\n        while a():\n            h()\n")
    enter = "EXC_ENTER" if BEFORE_311 else "PUSH_EXC"
    blocks = [block for block in found.blocks if block.instructions[0].op == enter and not block.predecessors]
    assert blocks and all(not block.predecessors for block in blocks)


def test_deep_and_long_code_is_no_problem():
    long = "def f(a):\n" + "    a = g(a)\n" * 5000 + "    return a\n"
    assert len(graph(long).blocks) == 1
    many = "def f(a):\n" + "    if a:\n        a = g(a)\n" * 2000 + "    return a\n"
    assert len(graph(many).blocks) == 4001
    deep = "def f(a):\n    return " + "a(" * 80 + "1" + ")" * 80 + "\n"
    assert ops(graph(deep)).count("CALL") == 80


def test_description_shows_everything():
    text = describe(graph("def f(a):\n    try:\n        return g(a)\n    except E:\n        return 1.5\n"))
    assert "LOAD_GLOBAL 'g'" in text and "Handler(0 -> block" in text and "CONST 1.5" in text
    assert "handler 0" in text


def test_command_prints_graphs(tmp_path, capsys):
    file = tmp_path / "sample.py"
    file.write_text(textwrap.dedent("class A:\n    def f(self):\n        return self.x\n"))
    assert main([f"{file}:A.f"]) == 0
    out = capsys.readouterr().out
    assert "--- A.f, line 2" in out and "LOAD_ATTR 'x'" in out and "STORE_NAME" not in out
    assert main([f"{file}:B"]) == 1
    assert "no B in" in capsys.readouterr().err


def test_steps_of_handlers_have_offsets_of_their_own():
    found = graph("def f():\n    try:\n        a()\n    except E as e:\n        b(e)\n")
    assert len(steps(found)) >= 10
