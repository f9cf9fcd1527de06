"""PyTorch's texts, as they are in its releases, and what is made of them."""

from __future__ import annotations

import json
from typing import Any, Optional

import pytest
import torch

from depyf.inspector import reasons
from depyf.inspector.recompiles import recompiles_of

CAUSE = "  # x = a / (torch.abs(a) + 1)  # insp/toy.py:5 in toy_example"


@pytest.mark.parametrize(
    ("text", "expression", "note", "place"),
    [
        (
            f"hasattr(L['a'], '_x') == False   {CAUSE}",
            "hasattr(L['a'], '_x') == False",
            "",
            "insp/toy.py:5 in toy_example",
        ),
        (
            "___check_obj_id(G['torch'], 14), type=<class 'module'>",
            "___check_obj_id(G['torch'], 14)",
            "type=<class 'module'>",
            "",
        ),
        ('___check_global_state() against {"a":0}', "___check_global_state()", 'against {"a":0}', ""),
        (
            "top_saved_tensors_hooks ids == None  # a.py:3 in f",
            None,
            "top_saved_tensors_hooks ids == None",
            "a.py:3 in f",
        ),
        ("L['s'] == ' # no comment'  # a.py:3 in f", "L['s'] == ' # no comment'", "", "a.py:3 in f"),
        ("L['self']._modules['fs']._modules['7'].i == 7", "L['self'].fs[7].i == 7", "", ""),
        ("", None, "", ""),
    ],
)
def test_guard(text: str, expression: Optional[str], note: str, place: str) -> None:
    guard = reasons.guard_of("KIND", text)
    assert (guard.expression, guard.note, guard.place) == (expression, note, place)


def test_cause_is_the_users_line() -> None:
    assert reasons.guard_of("KIND", f"a == 1{CAUSE}").cause == "x = a / (torch.abs(a) + 1)"


def test_guards_of_a_tree() -> None:
    text = (
        "TREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None\n"
        "| +- GuardManager: source=L['a'], accessed_by=X\n| | +- TENSOR_MATCH: check_tensor(L['a'])\n| | +- NO_TENSOR_ALIASING\n"
        "| | +- DictGuardManager: source=L['d'], accessed_by=Y, type=<class 'dict'>\n+- LAMBDA_GUARD: 2 <= L['a'].size()[0]\n"
    )
    guards = reasons.guards_of(text, {"d": {1: 2, 3: 4}})
    assert [guard.expression for guard in guards] == [
        "utils_device.CURRENT_DEVICE == None",
        "check_tensor(L['a'])",
        "len(L['d']) == 2",
        "2 <= L['a'].size()[0]",
    ]


def test_guards_of_a_list() -> None:
    frames = [{"filename": 0, "line": 1, "name": "outer"}, {"filename": 1, "line": 40, "name": "f"}]
    payload = json.dumps([{"code": "L['x'] == 3", "stack": None, "user_stack": frames}, {"code": "___check_global_state()"}])
    one, other = reasons.guards_of(reasons.text_of_guards(payload, lambda number: ("a.py", "/some/where/b.py")[number]))
    assert (one.expression, one.place) == ("L['x'] == 3", "where/b.py:40 in f")
    assert (other.expression, other.place) == ("___check_global_state()", "")


def test_sizes_are_found_without_running_the_users_code() -> None:
    class Loud:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError("the user's code ran")

        @property
        def table(self) -> Any:
            raise AssertionError("the user's code ran")

    text = "+- DictGuardManager: source=L['x'].table, accessed_by=Y\n+- DictGuardManager: source=L['x'].other, accessed_by=Y"
    assert reasons.guards_of(text, {"x": Loud()}) == []


def test_graph_break() -> None:
    text = (
        "Graph break in user code at /a/b.py:19\nGraph Break Reason: Data-dependent branching\n"
        "  Explanation: Detected it.\n  Hint: Do this.\n  Hint: Do that.\n  Hint: Do this.\n\n  Developer debug context: x\n"
    )
    found = reasons.graph_break_of(text)
    assert (found.file, found.line, found.reason) == ("/a/b.py", 19, "Data-dependent branching")
    assert (found.explanation, found.hints) == ("Detected it.", ["Do this.", "Do that."])


def test_graph_break_in_unknown_words() -> None:
    assert reasons.graph_break_of("something else\nhappened").reason == "something else"
    assert reasons.graph_break_of("").reason == ""


@pytest.mark.parametrize(
    ("payload", "entry", "old", "new"),
    [
        ("0/0: tensor 'a' size mismatch at index 0. expected 10, actual 9", "0/0", "10", "9"),
        ("[\"0/0: L['n'] == 3  # x + n  # a.py:3 in f\"]", "0/0", "3", None),
        ("something new", "", None, None),
    ],
)
def test_recompile(payload: str, entry: str, old: Optional[str], new: Optional[str]) -> None:
    (found,) = recompiles_of(payload)
    assert (found.entry, found.old, found.new) == (entry, old, new)


class Loud:
    """An object that must not be asked for anything."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("the user's code ran")


VALUES: Any = {"n": 4, "xs": [1, 2], "x": torch.ones(6, 2), "loud": Loud(), "G": {"SCALE": 3.5}, "none": None, "f": len}


@pytest.mark.parametrize(
    ("guard", "old", "new"),
    [
        ("n == 3", "3", "4"),
        ("G['SCALE'] == 2", "2", "3.5"),
        ("len(xs) == 1", "1", "2"),
        ("none == 'a'", "'a'", "None"),
        ("x is None", "None", "a torch.Tensor"),
        ("___check_type_id(n, 1234), type=<class 'float'>", "float", "int"),
        ("___check_type_id(loud, 1234), type=<class 'float'>", "float", f"{__name__}.Loud"),
        ("___check_obj_id(f, 1), type=<class 'builtin_function_or_method'>",
         "one builtin_function_or_method", "another builtin_function_or_method"),
        ("2 <= x.size()[0] <= 5", None, "x.size()[0] = 6"),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", "False", "True"),
        ("len(loud) == 3", "3", None),
        ("loud.size()[0] == 3", None, None),
        ("unknown == 3", "3", None),
    ],
)  # fmt: skip
def test_values_that_a_guard_expected_and_found(guard: str, old: Optional[str], new: Optional[str]) -> None:
    (found,) = recompiles_of(f"0/0: {guard}  # y = x  # a/b.py:3 in f (HINT: type int)", VALUES)
    assert (found.old, found.new) == (old, new)
    assert found.guard == f"{guard}  # y = x  # a/b.py:3 in f"


def test_failure_tells_the_inner_error_and_the_users_line() -> None:
    found = reasons.failure_of("backend='b' raised:\nRuntimeError: no\n\nmore", "/a/b.py", 7)
    assert (found.reason, found.file, found.line) == ("backend='b' raised: RuntimeError: no", "/a/b.py", 7)
    found = reasons.failure_of("Cannot trace it\n  Explanation: Because.\n  Hint: Do this.\n")
    assert (found.reason, found.explanation, found.hints) == ("Cannot trace it", "Because.", ["Do this."])
    assert reasons.failure_of("").reason == ""
