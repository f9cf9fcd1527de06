"""The guards of one compiled entry, one by one: what each checks, which line caused it, and what it costs.

Reads PyTorch's tree of guard managers (2.6+; before, guards are listed and not measured one by one). The cost of a
guard is what evaluating the tree takes longer with it than without it, measured on copies of the tree that hold its
first 1, 2, 3 … nodes, so that the costs add up to the cost of the whole.
"""

from __future__ import annotations

import re
import time
import timeit
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf import compatibility


@dataclass(frozen=True)
class Guard:
    """The guards on one source: one node of PyTorch's tree."""

    source: str  # as PyTorch writes it: L['x'], L['self']._modules['0'], G['name']
    kinds: Tuple[str, ...]  # TENSOR_MATCH, ID_MATCH, …
    checks: Tuple[str, ...]  # the expressions, as PyTorch words them
    line: str  # the user's line that caused them, or where PyTorch adds them by itself
    microseconds: Optional[float]  # None where it was not measured


def guards_of_entry(entry: Any, frame_locals: Optional[Dict[str, Any]], seconds: float) -> List[Guard]:
    """The guards of an entry in the order of evaluation; measured on these locals, which they must accept, if given."""
    root = compatibility.guard_tree(entry)
    if root is None:
        return [_guard_of_text(text) for text in compatibility.guard_texts(entry)]
    nodes = list(compatibility.guard_nodes(root))
    costs = [None] * len(nodes) if frame_locals is None else _costs(root, len(nodes), frame_locals, seconds)
    found: List[Guard] = []
    on_the_way = 0.0  # nodes without a guard of their own only lead to the next one
    for node, cost in zip(nodes, costs):
        leaves = list(node.get_leaf_guards())
        on_the_way += cost or 0.0
        if not leaves:
            continue
        found.append(_guard(node, leaves, None if cost is None else on_the_way))
        on_the_way = 0.0
    return found


def best_time(call: Callable[[], object], seconds: float, rounds: int = 12) -> float:
    """Microseconds of one call: the best of several rounds that together take about this long.

    The time that this thread spends on a processor, so that other programs on the machine do not count.
    """
    timer = timeit.Timer(call, timer=time.thread_time)
    once = max(timer.timeit(10) / 10, 1e-8)
    number = max(int(seconds / rounds / once), 5)
    return min(timer.repeat(repeat=rounds, number=number)) / number * 1e6


def _guard(node: Any, leaves: List[Any], cost: Optional[float]) -> Guard:
    texts = [part for leaf in leaves for part in leaf.verbose_code_parts()]
    checks, lines = [], []
    for text in texts:
        check, line = _split(text)
        checks.append(check)
        lines.append(line)
    kinds = tuple(dict.fromkeys(type(leaf).__name__ for leaf in leaves))
    return Guard(node.get_source(), kinds, tuple(checks), next(filter(None, lines), ""), cost)


def _guard_of_text(text: str) -> Guard:
    check, line = _split(text)
    source = re.search(r"[LG]\[[^]]*\](\.\w+|\[[^]]*\])*", check)
    return Guard(source[0] if source else "L", ("GUARD",), (check,), line, None)


def _split(text: str) -> Tuple[str, str]:
    """A guard's text is `check  # source line  # file:number in function`; the last two may be missing."""
    check, *comments = re.split(r"\s+# ", text.strip())
    return check, "  # ".join(comments)


def _costs(root: Any, count: int, frame_locals: Dict[str, Any], seconds: float) -> List[Optional[float]]:
    """What each node adds, in microseconds: telescoping, so noise in one node does not reach the sum."""
    empty = best_time(_nothing, seconds / count)
    totals: List[float] = []
    for size in range(1, count + 1):
        copy = root if size == count else _first_nodes(root, size)
        time_of_copy = best_time(lambda copy=copy: copy.check(frame_locals), seconds / count)  # type: ignore[misc]
        totals.append(max(time_of_copy - empty, 0.0))
    # More nodes cannot take less: where it looks so, the smaller tree was disturbed.
    for index in reversed(range(count - 1)):
        totals[index] = min(totals[index], totals[index + 1])
    return [total - before for before, total in zip([0.0, *totals], totals)]


def _first_nodes(root: Any, size: int) -> Any:
    asked = 0

    def keep(_node: Any) -> bool:
        nonlocal asked
        asked += 1
        return asked <= size

    return root.clone_manager(keep)


def _nothing() -> None:
    pass
