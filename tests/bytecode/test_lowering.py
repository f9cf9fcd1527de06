"""What each kind of instruction is lowered to. Where versions differ, the test says how."""

from __future__ import annotations

from types import CodeType

import pytest

from depyf.bytecode.canonical import ABOVE, BELOW, NONE
from tests.bytecode.helpers import BEFORE_311, VERSION, compiled, expression, find, graph, ops, since, steps, until

A, B, C = ("LOAD_LOCAL", "a"), ("LOAD_LOCAL", "b"), ("LOAD_LOCAL", "c")
NULL_SIDE = NONE if BEFORE_311 else BELOW if VERSION < (3, 13) else ABOVE


def function_and_null(*function):
    """A callable with the slot beside it that the version wants."""
    null = ("NULL", None)
    return {NONE: [*function], BELOW: [null, *function], ABOVE: [*function, null]}[NULL_SIDE]


@pytest.mark.parametrize("op", "+ - * @ / // % ** << >> & ^ |".split())
def test_binary_and_inplace_operators(op):
    assert expression(f"a {op} b") == [A, B, ("BINARY", op)]
    assert steps(graph(f"def f(a, b):\n    a {op}= b\n    return a\n"))[:3] == [A, B, ("INPLACE", op)]


@pytest.mark.parametrize("op", ["<", "<=", "==", "!=", ">", ">="])
def test_comparisons(op):
    assert expression(f"a {op} b") == [A, B, ("COMPARE", op)]


def test_comparison_before_a_branch_tests_truth():
    found = steps(graph("def f(a, b):\n    if a < b:\n        return a\n    return b\n"))
    assert found[:5] == [A, B, ("COMPARE", "<"), ("TRUTH", None), ("BRANCH", False)]


@pytest.mark.parametrize("text, step", [("is", ("IS", False)), ("is not", ("IS", True))])
def test_identity(text, step):
    assert expression(f"a {text} b") == [A, B, step]


@pytest.mark.parametrize("text, step", [("in", ("CONTAINS", False)), ("not in", ("CONTAINS", True))])
def test_membership_is_an_exact_bool(text, step):
    assert expression(f"a {text} b") == [A, B, step]
    found = steps(graph(f"def f(a, b):\n    if a {text} b:\n        return a\n    return b\n"))
    assert found[:4] == [A, B, step, ("BRANCH", False)]


@pytest.mark.parametrize("op", ["-", "+", "~"])
def test_unary(op):
    assert expression(f"{op}a") == [A, ("UNARY", op)]


def test_not():
    assert [op for op, _ in expression("not a") if op != "TRUTH"] == ["LOAD_LOCAL", "NOT"]


def test_short_circuit_pops_only_on_the_way_through():
    found = graph("def f(a, b):\n    return g(a or b)\n")
    block = next(block for block in found.blocks if block.terminator.op == "BRANCH")
    assert [i.op for i in block.instructions][-3:] == ["COPY", "TRUTH", "BRANCH"]
    assert block.instructions[-3].arg == 1
    when_true, when_false = block.successors
    assert when_false.instructions[0].op == "POP" and when_true.instructions[0].op != "POP"
    assert when_false.depth == when_true.depth


@pytest.mark.parametrize("text, when_none", [("is None", 0), ("is not None", 1)])
def test_tests_for_none(text, when_none):
    found = graph(f"def f(a):\n    if a {text}:\n        return 1\n    return 2\n")
    block = found.blocks[0]
    assert [i.op for i in block.instructions] == ["LOAD_LOCAL", "CONST", "IS", "BRANCH"]
    inverted = block.instructions[2].arg
    taken = block.successors[0 if not inverted else 1]
    assert taken.instructions[0].arg == (1 if when_none == 0 else 2)


def test_branch_says_which_way_the_jump_goes():
    found = graph("def f(a):\n    while a:\n        a = g(a)\n")
    for block in found.blocks:
        if block.terminator.op == "BRANCH":
            jumped = block.successors[0 if block.terminator.arg else 1]
            assert jumped is not found.blocks[block.index + 1] or len(set(block.successors)) == 1


def test_global_call():
    assert expression("g(a)") == [*function_and_null(("LOAD_GLOBAL", "g")), A, ("CALL", (1, NULL_SIDE))]


def test_local_call():
    assert expression("a(b)") == [*function_and_null(A), B, ("CALL", (1, NULL_SIDE))]


def test_keyword_call():
    names = ("CONST", ("k",))
    assert expression("g(a, k=b)") == [
        *function_and_null(("LOAD_GLOBAL", "g")), A, B, names, ("CALL_KW", (2, NULL_SIDE)),
    ]  # fmt: skip


def test_method_call():
    side = BELOW if NULL_SIDE == BELOW else ABOVE  # up to 3.10 either would do: only the call looks at both slots
    null = [("NULL", None)] if side == ABOVE else [("NULL", None), ("SWAP", 2)]
    assert expression("a.m(b)") == [A, ("LOAD_ATTR", "m"), *null, B, ("CALL", (1, side))]


def test_what_a_function_is_made_of_is_loaded_in_order():
    found = steps(graph("def f():\n    def g():\n        pass\n"))
    made = next(i for i, (op, _) in enumerate(found) if op == "MAKE_FUNCTION")
    assert isinstance(found[made - 1][1], CodeType)
    assert "SWAP" not in [op for op, _ in found]


def test_star_call():
    found = expression("g(*a)")
    assert found[-1] == ("CALL_EX", (VERSION >= (3, 14), NULL_SIDE))
    found = expression("g(*a, **b)")
    assert found[-1] == ("CALL_EX", (True, NULL_SIDE))


@since(3, 12)
def test_super_without_arguments():
    found = steps(graph("class A:\n    def f(self):\n        return super().m(1)\n"))
    assert ("SUPER", None) in found
    where = found.index(("SUPER", None))
    assert found[where + 1] == ("LOAD_ATTR", "m")


@since(3, 12)
def test_super_with_arguments_is_a_call():
    found = steps(graph("class A:\n    def f(self):\n        return super(A, self).x\n"))
    assert found[-3:] == [("CALL", (2, NONE)), ("LOAD_ATTR", "x"), ("RETURN", None)]


def test_attributes_and_items():
    found = steps(graph("def f(a, b, c):\n    a.x = b\n    del a.x\n    a[b] = c\n    del a[b]\n    return a[c].y\n"))
    assert found == [
        B, A, ("STORE_ATTR", "x"), A, ("DELETE_ATTR", "x"), C, A, B, ("STORE_ITEM", None), A, B, ("DELETE_ITEM", None),
        A, C, ("LOAD_ITEM", None), ("LOAD_ATTR", "y"), ("RETURN", None),
    ]  # fmt: skip


def test_slices():
    assert expression("a[b:c]") == [A, B, C, ("BUILD_SLICE", 2), ("LOAD_ITEM", None)]
    assert expression("a[b:c:d]")[-2:] == [("BUILD_SLICE", 3), ("LOAD_ITEM", None)]
    found = steps(graph("def f(a, b, c):\n    a[b:c] = a\n"))
    assert found[:6] == [A, A, B, C, ("BUILD_SLICE", 2), ("STORE_ITEM", None)]


def test_displays():
    assert expression("(a, b)") == [A, B, ("BUILD_TUPLE", 2)]
    assert expression("[a, b]") == [A, B, ("BUILD_LIST", 2)]
    assert expression("{a, b}") == [A, B, ("BUILD_SET", 2)]
    assert expression("{a: b}") == [A, B, ("BUILD_MAP", 1)]


@until(3, 13)
def test_display_with_constant_keys():
    assert expression("{1: a, 2: b}") == [A, B, ("CONST", (1, 2)), ("BUILD_CONST_KEY_MAP", 2)]


@until(3, 8)
def test_unpacking_displays_of_3_8():
    assert expression("[*a, *b]") == [A, B, ("BUILD_UNPACK", ("list", 2))]
    assert expression("{**a, **b}") == [A, B, ("BUILD_UNPACK", ("map", 2))]
    assert expression("g(*a, *b, **c, **d)")[-5:] == [
        ("BUILD_UNPACK", ("tuple_call", 2)), C, ("LOAD_LOCAL", "d"), ("BUILD_UNPACK", ("map_call", 2)),
        ("CALL_EX", (True, NONE)),
    ]  # fmt: skip


@since(3, 9)
def test_unpacking_displays():
    assert expression("[*a, b]") == [("BUILD_LIST", 0), A, ("LIST_EXTEND", 1), B, ("LIST_APPEND", 1)]
    assert expression("(*a, b)")[-1] == ("LIST_TO_TUPLE", None)


def test_unpacking_assignments():
    found = steps(graph("def f(a):\n    b, c = a\n    b, *c, d = a\n"))
    assert ("UNPACK", 2) in found and ("UNPACK_EX", (1, 1)) in found


def test_strings():
    assert expression("f'{a}'") == [A, ("FORMAT", False)]
    assert expression("f'{a!r}x'")[:3] == [A, ("CONVERT", "r"), ("FORMAT", False)]
    found = expression("f'{a!s:{b}}'")
    converts = found.index(("CONVERT", "s"))
    assert found[-1] == ("FORMAT", True)
    # up to 3.12 the format specification is evaluated before the value is converted
    assert (converts > found.index(B)) == (VERSION < (3, 13))


@since(3, 14)
def test_template_strings():
    found = expression("t'{a!r:>{b}}x{c}'")
    assert ("BUILD_INTERPOLATION", ("r", True)) in found and ("BUILD_INTERPOLATION", (None, False)) in found
    assert found[-1] == ("BUILD_TEMPLATE", None)


def test_functions_have_their_fields():
    found = graph("def f(a):\n    def g(x=a, *, y: int = 1):\n        return a\n    return g\n")
    if VERSION < (3, 13):
        (fields,) = find(found, "MAKE_FUNCTION")
        expected = ("defaults", "kwdefaults", "annotations", "closure")
        assert fields == (expected if VERSION >= (3, 11) else (*expected, "qualname"))
    else:
        assert set(find(found, "MAKE_FUNCTION")) == {()}
        annotations = "annotate" if VERSION >= (3, 14) else "annotations"
        assert set(find(found, "SET_FUNCTION_FIELD")) == {"defaults", "kwdefaults", "closure", annotations}
    assert find(found, "LOAD_CLOSURE")[-1] == "a"


def test_cells():
    found = graph("def f(a):\n    b = a\n    def g():\n        return a, b\n    del b\n    return a\n")
    assert find(found, "STORE_CELL") == ["b"] and find(found, "DELETE_CELL") == ["b"]
    assert find(found, "LOAD_CLOSURE") == ["a", "b"]
    inner = graph("def f(a):\n    def g():\n        nonlocal a\n        a = 1\n        return a\n", "g")
    assert find(inner, "STORE_CELL") == ["a"] and find(inner, "LOAD_CELL") == ["a"]


def test_class_body_looks_into_its_namespace_first():
    found = steps(graph("def f(a):\n    class C:\n        x = a\n", "C"))
    where = found.index(("LOAD_DICT_OR_CELL", "a"))
    assert found[where - 1] == ("LOAD_LOCALS", None)


@since(3, 13)
def test_loads_of_cells_are_told_from_loads_of_locals():
    """An inlined comprehension makes a plain local of a cell's slot, and gives the cell back."""
    found = graph("def f(x, s):\n    a = [x for x in s]\n    return lambda: x\n")
    assert "x" in find(found, "LOAD_LOCAL") and find(found, "LOAD_CLOSURE") == ["x"]
    assert find(found, "LOAD_CLEAR") == ["x"]


@since(3, 12)
def test_comprehension_saves_what_it_overwrites():
    found = ops(graph("def f(s):\n    return [x for x in s]\n"))
    assert "LOAD_CLEAR" in found and found.count("STORE_LOCAL") >= 2


def test_loops_leave_behind_the_pops_of_the_iterator():
    found = graph("def f(s):\n    for x in s:\n        g(x)\n    return 1\n")
    header = next(block for block in found.blocks if block.terminator.op == "NEXT")
    slots = 2 if VERSION >= (3, 15) else 1
    assert header.terminator.arg == (slots, True)
    body, after = header.successors
    assert body.depth == slots + 1 and after.depth == 0
    assert [i.op for i in after.instructions] == ["CONST", "RETURN"]
    assert find(found, "ITER") == [slots]


def test_imports():
    found = steps(graph("def f():\n    import a.b\n    from c import d\n"))
    lazy = None if VERSION >= (3, 15) else False
    assert ("IMPORT", ("a.b", lazy)) in found and ("IMPORT_FROM", "d") in found


@since(3, 15)
def test_lazy_imports():
    found = steps(graph("lazy import a\nimport b\nfrom c import *\n", "<module>"))
    assert [arg for op, arg in found if op == "IMPORT"] == [("a", True), ("b", False), ("c", None)]


def test_star_import_and_interactive_expression():
    assert "IMPORT_STAR" in ops(graph("from a import *\n", "<module>"))
    import depyf.bytecode

    found = depyf.bytecode.graph_of(compile("a", "<test>", "single"))
    assert "PRINT" in ops(found)


def test_assertions_use_the_builtin():
    found = graph("def f(a):\n    assert a\n")
    if VERSION >= (3, 9):
        assert find(found, "BUILTIN") == ["AssertionError"]
    else:
        assert find(found, "LOAD_GLOBAL") == ["AssertionError"]


@since(3, 10)
def test_match_statements():
    source = "def f(a):\n    match a:\n        case {{'k': v}}: return v\n        case [x, *_]: return x\n        case C(y): return y\n"
    found = ops(graph(source.replace("{{", "{").replace("}}", "}")))
    assert {"MATCH_MAPPING", "MATCH_KEYS", "MATCH_SEQUENCE", "MATCH_CLASS", "GET_LEN"} <= set(found)


@since(3, 12)
def test_type_parameters():
    found = [
        arg for code in ("<generic parameters of g>",) for arg in find(graph("def g[T](a): pass\n", code), "INTRINSIC")
    ]
    assert ("TYPEVAR", 1) in found and ("SET_FUNCTION_TYPE_PARAMS", 2) in found


def test_instructions_know_their_offsets_and_lines():
    code = compiled("def f(a):\n    b = a\n    return b\n")
    found = graph("def f(a):\n    b = a\n    return b\n")
    assert code.co_firstlineno == 1
    lines = [i.line for block in found.blocks for i in block.instructions]
    assert lines == [2, 2, 3, 3]
