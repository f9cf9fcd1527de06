"""Random programs: repeatable, and with every construct of the version."""

from __future__ import annotations

import ast
import sys
import types

import hypothesis
import pytest

from tools.generators import _examples, generator, own
from tools.programs import program
from tools.random_programs import trials
from tools.sources import compile_text


def test_a_seed_gives_one_program() -> None:
    assert program(11) == program(11)
    assert len({program(seed) for seed in range(20)}) == 20


def test_programs_compile_and_cover_the_language() -> None:
    seen = set()
    for seed in range(250):
        text = program(seed)
        compile_text(text, "<test>")
        seen |= {type(node).__name__ for node in ast.walk(ast.parse(text))}
    wanted = set("""
        FunctionDef AsyncFunctionDef ClassDef Return Delete Assign AugAssign AnnAssign For AsyncFor While If With AsyncWith
        Raise Try Assert Import ImportFrom Global Nonlocal Expr Pass Break Continue BoolOp NamedExpr BinOp UnaryOp Lambda
        IfExp Dict Set ListComp SetComp DictComp GeneratorExp Await Yield YieldFrom Compare Call FormattedValue JoinedStr
        Constant Attribute Subscript Starred Name List Tuple Slice keyword alias withitem ExceptHandler
    """.split())
    if sys.version_info >= (3, 10):
        wanted |= {"Match", "MatchValue", "MatchSequence", "MatchMapping", "MatchClass", "MatchStar", "MatchAs", "MatchOr"}
    if sys.version_info >= (3, 11):
        wanted |= {"TryStar"}
    if sys.version_info >= (3, 12):
        wanted |= {"TypeAlias", "TypeVar"}
    if sys.version_info >= (3, 14):
        wanted |= {"TemplateStr"}
    assert wanted <= seen, wanted - seen


def test_another_generator_is_asked_for_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    package = types.ModuleType("pysource_codegen")
    package.generate = lambda number, node_limit, depth_limit: f"a = {number}, {node_limit}, {depth_limit}\n"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pysource_codegen", package)
    done = list(trials(2, 3, texts=generator("pysource-codegen", 50, 4)))
    assert [trial.text for trial in done] == ["a = 3000000, 50, 4\n", "a = 3000001, 50, 4\n"]
    assert [trial.outcome.status for trial in done] == ["EQUAL", "EQUAL"]


def test_hypothesis_draws_programs_of_a_seed() -> None:
    found = _examples(hypothesis.strategies.sampled_from(["a\n", "b\n", "c\n"]), 5, 20)
    assert len(found) > 1 and set(found) <= {"a\n", "b\n", "c\n"}
    assert found == _examples(hypothesis.strategies.sampled_from(["a\n", "b\n", "c\n"]), 5, 20)


def test_programs_of_hypothesmith_are_different_ones_that_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    package = types.ModuleType("hypothesmith")
    package.from_node = lambda: hypothesis.strategies.integers(0, 99).map(lambda n: f"a = {n}\n" if n % 3 else "a b\n")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hypothesmith", package)
    texts = [trial.text for trial in trials(40, 3, texts=generator("hypothesmith", 50, 4))]
    assert len(set(texts)) == len(texts) == 40 and "a b\n" not in texts


@pytest.mark.parametrize("package", ["pysource-codegen", "hypothesmith"])
def test_a_generator_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package.replace("-", "_"), None)
    with pytest.raises(SystemExit, match="pip install " + package):
        generator(package, 50, 4)
    assert generator("own", 50, 4) is own
