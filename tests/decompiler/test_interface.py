"""What users call: decompile, Decompiler, and the helpers that existing users import."""

from __future__ import annotations

import ast
import dataclasses
import functools
import pickle
import sys
import textwrap
import types
from typing import Any, Dict

import pytest

import depyf
from depyf.decompiler import DecompilationError, Decompiler
from depyf.utils import collect_all_code_objects, decompile_ensure, get_code_owner


@dataclasses.dataclass
class Data:
    x: int
    y: float


def test_generated_methods_come_back_to_the_letter() -> None:
    assert depyf.decompile(Data.__init__) == (
        "def __init__(self, x, y):\n    self.x = x\n    self.y = y\n    return None\n"
    )


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the text that users expect is that of CPython 3.11")
def test_generated_comparison_comes_back_to_the_letter() -> None:
    assert depyf.decompile(Data.__eq__) == (
        "def __eq__(self, other):\n"
        "    if other.__class__ is self.__class__:\n"
        "        return (self.x, self.y) == (other.x, other.y)\n"
        "    return NotImplemented\n"
    )


def with_defaults(a: int, b: int = 1, *rest: int, key: Any = None, **others: int) -> int:
    """Adds."""
    return a + b


class Callable:
    def __call__(self, x: int = 3) -> int:
        return x + 1

    def method(self) -> int:
        return 2


def test_defaults_and_docstring_are_shown_annotations_on_request() -> None:
    text = depyf.decompile(with_defaults)
    assert text.startswith('def with_defaults(a, b=1, *rest, key=None, **others):\n    """Adds."""\n')
    assert "int" not in text
    first = depyf.decompile(with_defaults, annotations=True).splitlines()[0]
    assert first == "def with_defaults(a: int, b: int = 1, *rest: int, key: Any = None, **others: int) -> int:"


def test_defaults_are_written_out_where_literals_do_and_named_where_not() -> None:
    def function(a: Any = [1, {"k": (2, None)}], b: Any = {3}, c: Any = print, *, d: Any = list(range(100))) -> None:  # noqa: B006
        pass

    first = depyf.decompile(function).splitlines()[0]
    assert first.startswith('def function(a=[1, {"k": (2, None)}], b={3}, c=__const_print, *, d=__const_')


def test_annotations_that_are_objects_or_name_nothing() -> None:
    def function(a: Any) -> None:
        pass

    function.__annotations__ = {"a": Dict[str, int], "return": "missing[0]"}
    assert "(a: typing.Dict[str, int])" in depyf.decompile(function, annotations=True).splitlines()[0]


def test_texts_may_be_handed_from_process_to_process() -> None:
    source = depyf.decompile(with_defaults, verify=True)
    copy = pickle.loads(pickle.dumps(source))
    assert copy == source and copy.verdict.status == "EQUAL"
    with pytest.raises(DecompilationError, match="line map"):
        copy.line_map


@pytest.mark.parametrize(
    "obj, line",
    [
        (Callable(), "def __call__(self, x=3):"),
        (Callable().method, "def method(self):"),
        (Callable.method, "def method(self):"),
        (functools.partial(with_defaults, 1), "def with_defaults(a, b=1, *rest, key=None, **others):"),
        (functools.lru_cache(maxsize=None)(with_defaults), "def with_defaults("),
        (with_defaults.__code__, "def with_defaults(a, b, *rest, key, **others):"),
        ((i for i in ()), "def _genexpr_("),
        (Callable, "class Callable:"),
        (textwrap, "class TextWrapper:"),
        (property(Callable.method), "def method(self):"),
        (functools.cached_property(Callable.method), "def method(self):"),
        (functools.partialmethod(Callable.method), "def method(self):"),
        (staticmethod(with_defaults), "def with_defaults("),
    ],
)
def test_what_may_be_decompiled(obj: Any, line: str) -> None:
    text = depyf.decompile(obj)
    assert line in text
    ast.parse(text)


def test_verify_attaches_the_verdict() -> None:
    source = depyf.decompile(with_defaults, verify=True)
    assert source.verdict.status == "EQUAL" and bool(source.verdict)
    decompiler = Decompiler(with_defaults)
    assert decompiler.verdict is None
    decompiler.decompile(verify=True)
    assert decompiler.verdict


def test_stores_that_nobody_reads_are_left_out_on_request() -> None:
    def copies(a: Any, b: Any) -> Any:
        return max((first := a), (second := b))  # noqa: F841

    decompiler = Decompiler(copies)
    assert decompiler.decompile(verify=True, drop_unread=True).splitlines()[1:] == ["    return max(a, b)"]
    assert decompiler.verdict
    assert ":=" in decompiler.decompile()


def test_a_name_may_be_given_by_the_keyword_that_callers_pass() -> None:
    text = Decompiler(with_defaults.__code__).decompile(overwite_fn_name="other")
    assert text.startswith("def other(")


def test_what_has_no_bytecode_is_refused_with_a_reason() -> None:
    with pytest.raises(DecompilationError, match="cannot find Python bytecode"):
        depyf.decompile(len)
    for module in (sys, types.ModuleType("made")):
        with pytest.raises(DecompilationError, match=module.__name__):
            depyf.decompile(module)


def test_the_line_map_leads_from_text_to_bytecode_and_source() -> None:
    source = depyf.decompile(with_defaults)
    last = [m for m in source.line_map if "return a + b" in source.splitlines()[m.line - 1]]
    first_line = with_defaults.__code__.co_firstlineno
    assert last and last[0].offsets and last[0].source_lines == [first_line + 2]
    assert last[0].code is with_defaults.__code__


def test_nested_code_has_offsets_of_its_own() -> None:
    def outer() -> Any:
        def inner() -> int:
            return 42

        return inner

    source = depyf.decompile(outer)
    codes = {m.code.co_name for m in source.line_map} - {"__annotate__"}  # 3.14 has code for annotations
    assert codes == {"outer", "inner"}


def test_compile_like_gives_code_that_stands_in(tmp_path: Any) -> None:
    def closure(n: int) -> Any:
        def add(x: int) -> int:
            total = x + n
            return total

        return add

    add = closure(3)
    path = str(tmp_path / "source_of_%s.py")
    code = Decompiler.decompile_and_compile_like(add.__code__, add.__code__, filepath_template=path)
    assert (code.co_name, code.co_freevars, code.co_flags) == ("add", ("n",), add.__code__.co_flags)
    assert code.co_filename == str(tmp_path / "source_of_add.py")
    assert types.FunctionType(code, {}, "add", None, add.__closure__)(4) == 7


def test_objects_as_constants_are_carried_over_unchanged() -> None:
    marker = object()

    def function() -> Any:
        return 12345

    code = function.__code__
    code = code.replace(co_consts=tuple(marker if c == 12345 else c for c in code.co_consts))
    if marker not in code.co_consts:
        pytest.skip("this CPython does not keep the number in co_consts")
    back = Decompiler.decompile_and_compile_like(code, code)
    assert types.FunctionType(back, {})() is marker


def test_decompile_ensure_never_raises_and_always_parses() -> None:
    broken = with_defaults.__code__.replace(co_code=b"")
    for obj in (broken, 42, None, with_defaults):
        ast.parse(decompile_ensure(obj))
    assert "cannot be decompiled" in decompile_ensure(broken)


def test_code_owners_and_nested_code() -> None:
    assert get_code_owner(Callable().method).__code__ is Callable.method.__code__
    assert get_code_owner(functools.partial(with_defaults)) is with_defaults
    assert get_code_owner(Callable()).__code__ is Callable.__call__.__code__
    module = compile("def f():\n    lambda: 0\n", "m", "exec")
    assert [c.co_name for c in collect_all_code_objects(module)] == ["<module>", "f", "<lambda>"]


def test_all_opcodes_are_supported() -> None:
    names = Decompiler.supported_opnames()
    assert "RETURN_VALUE" in names and len(names) > 80


def test_what_a_stage_did_not_foresee_is_the_promised_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from depyf.decompiler import trees

    def surprised(*_: Any, **__: Any) -> Any:
        raise ValueError("min() of nothing")

    monkeypatch.setattr(trees, "emit", surprised)
    with pytest.raises(DecompilationError, match=r"ValueError: min\(\) of nothing"):
        depyf.decompile(lambda a: a)
