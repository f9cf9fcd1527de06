"""Who makes random programs: we ourselves, or a package, which has to be installed. Each gives `count` texts of a seed that compile.

- own: `tools.programs`, every statement and expression of the running version;
- pysource-codegen: every rule of the grammar at random;
- hypothesmith: Hypothesis on top of concrete syntax trees, which likes small programs of odd layout.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Callable, Dict, Iterator, List

from tools.programs import program
from tools.sources import compiles

Texts = Callable[[int, int], Iterator[str]]  # the programs of a seed, as many as asked for
PER_SEED = 1_000_000  # numbers of one seed, for generators that know numbers
A_ROUND = 100  # examples that Hypothesis draws at a time


def own(seed: int, count: int) -> Iterator[str]:
    """Program i of a seed is the same on every machine that runs the same CPython version."""
    return (program(seed * PER_SEED + number) for number in range(count))


def pysource_codegen(nodes: int, depth: int) -> Texts:
    """About `nodes` nodes a program, `depth` levels deep at most."""
    try:
        from pysource_codegen import generate
    except ImportError:
        raise _missing("pysource-codegen") from None
    return lambda seed, count: (
        str(generate(seed * PER_SEED + number, node_limit=nodes, depth_limit=depth)) for number in range(count)
    )


def hypothesmith() -> Texts:
    """Hypothesis draws examples in rounds, so each round is collected before its programs are looked at."""
    try:
        from hypothesmith import from_node
    except ImportError:
        raise _missing("hypothesmith") from None

    def texts(seed: int, count: int) -> Iterator[str]:
        seen: Dict[str, None] = {}
        rounds = 0
        while len(seen) < count:
            drawn = dict.fromkeys(_examples(from_node(), seed * PER_SEED + rounds, min(count, A_ROUND)))
            new = [text for text in drawn if text not in seen and compiles(text)][: count - len(seen)]
            seen.update(dict.fromkeys(new))
            rounds += 1
            yield from new

    return texts


def _examples(strategy: Any, seed: int, count: int) -> List[str]:
    import hypothesis

    found: List[str] = []

    def keep(text: str) -> None:
        found.append(text)

    settings = hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the programs that it tries
        hypothesis.seed(seed)(settings(hypothesis.given(strategy)(keep)))()
    return found


def _missing(package: str) -> SystemExit:
    return SystemExit(f"--generator {package} needs the package: {sys.executable} -m pip install {package}")


NAMES = ("own", "pysource-codegen", "hypothesmith")


def generator(name: str, nodes: int, depth: int) -> Texts:
    """The generator of that name; `nodes` and `depth` are for the one that knows them."""
    if name == "pysource-codegen":
        return pysource_codegen(nodes, depth)
    return hypothesmith() if name == "hypothesmith" else own
