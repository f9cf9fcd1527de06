"""What stands inside what: the try bodies and exception handlers around each block, and where the `try` will stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph, Handler, Instruction

if TYPE_CHECKING:
    from .regions import Regions


class Context:
    """The body of a try (`kind` 'body'), its handler ('handler'), or the code object itself ('root')."""

    __slots__ = ("kind", "handler", "parent", "catcher", "depth")

    def __init__(self, kind: str, handler: Optional[Handler], parent: Optional[Context]) -> None:
        self.kind = kind
        self.handler = handler
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        # who catches an exception here
        self.catcher: Optional[Handler] = handler if kind == "body" else parent.catcher if parent else None

    def __repr__(self) -> str:
        return f"{self.parent}/{self.kind}{self.handler.index if self.handler else ''}" if self.parent else "root"


def catches(handler: Handler) -> bool:
    """Whether a handler is that of `except`: it tests the exception, or drops it at once."""
    ops = [i.op for i in handler.target.instructions]
    return "EXC_MATCH" in ops or ops[1:2] == ["POP"]


def renumber(graph: Graph) -> None:
    for index, block in enumerate(graph.blocks):
        block.index = index


class _Contexts:
    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.root = Context("root", None, None)
        self.bodies: Dict[Handler, Context] = {}
        self.handlers: Dict[Handler, Context] = {}
        self.of: Dict[Block, Context] = {}

    def after(self, block: Block, context: Context) -> Context:
        """Where control is after `block`: one level up when an exception handler ends there."""
        if block not in self.regions.leaves:
            return context
        found: Optional[Context] = context
        while found is not None and found.kind != "handler":
            found = found.parent
        return found.parent if found is not None and found.parent is not None else context

    def enter(self, base: Context, catcher: Optional[Handler]) -> Context:
        """The context of code under `catcher`, reached from `base`: the same, one further out, or a new body."""
        found: Optional[Context] = base
        while found is not None:
            if found.catcher is catcher:
                return found
            found = found.parent
        assert catcher is not None
        if catcher in self.bodies:
            return self.bodies[catcher]
        outer = catcher.target.handler
        parent = self.enter(base, outer) if outer is not catcher else base
        context = self.bodies[catcher] = Context("body", catcher, parent)
        self.handlers[catcher] = Context("handler", catcher, parent)
        return context


def find_contexts(graph: Graph, regions: Regions, entered_again: bool = False) -> None:
    """`entered_again`: what leads back to where a try body begins leaves the try for that."""
    contexts = _Contexts(regions)
    if not graph.handlers:
        regions.context = [contexts.root] * len(graph.blocks)
        return
    entry = graph.blocks[0]
    openings: Dict[Tuple[Block, Optional[Block]], Context] = {}
    contexts.of[entry] = contexts.enter(contexts.root, entry.handler)
    if contexts.of[entry] is not contexts.root:
        openings[(entry, None)] = contexts.root
    work = [entry]
    while work:
        block = work.pop()
        context = contexts.of[block]
        base = contexts.after(block, context)
        for target in block.successors:
            if target not in contexts.of:
                contexts.of[target] = contexts.enter(base, target.handler)
                work.append(target)
            outer = _entered_from(contexts.of[target], base)
            if outer is not contexts.of[target]:
                openings[(target, block)] = outer
        if block.handler is not None and block.handler.target not in contexts.of:
            target = block.handler.target
            contexts.enter(context, block.handler)
            contexts.of[target] = contexts.handlers[block.handler]
            work.append(target)
    if entered_again:
        _enter_again(contexts, openings)
    _insert_openings(graph, regions, contexts, openings)
    regions.context = [contexts.of[b] for b in graph.blocks]


def _enter_again(contexts: _Contexts, openings: Dict[Tuple[Block, Optional[Block]], Context]) -> None:
    """A loop around a try looks like one in its body, if nothing that could raise stands between its head and the `try`. To leave
    a `finally` or `with` would be seen."""
    for (target, _), outer in list(openings.items()):
        step = contexts.of[target]
        while step is not outer and step.handler is not None and step.parent is not None and catches(step.handler):
            step = step.parent
        for source in target.predecessors if step is not contexts.of[target] else ():
            if source.offset >= target.offset:
                openings.setdefault((target, source), step)


def _entered_from(inner: Context, base: Context) -> Context:
    """The innermost context around `inner` that `base` is in too; try bodies between the two are entered there."""
    around = set()
    found: Optional[Context] = base
    while found is not None:
        around.add(id(found))
        found = found.parent
    outer = inner
    while id(outer) not in around:
        if outer.kind != "body" or outer.parent is None:
            return inner
        outer = outer.parent
    return outer


def _insert_openings(
    graph: Graph,
    regions: Regions,
    contexts: _Contexts,
    openings: Dict[Tuple[Block, Optional[Block]], Context],
) -> None:
    """Puts a block in front of each try body; several bodies that begin together get one each, nested."""
    fronts: Dict[Tuple[Block, Context], Block] = {}
    for (target, source), outer in openings.items():
        step = contexts.of[target]
        inner = target
        while step is not outer:
            assert step.parent is not None and step.handler is not None
            front = fronts.get((target, step.parent))
            if front is None:
                front = Block(len(graph.blocks))
                front.instructions = [Instruction("FALL", None, target.offset, target.instructions[0].line)]
                front.successors = (inner,)
                front.handler = step.parent.catcher
                front.depth = target.depth
                front.copy = target.copy
                inner.predecessors.append(front)
                graph.blocks.append(front)
                fronts[(target, step.parent)] = front
                contexts.of[front] = step.parent
                regions.opens[front] = step.handler
            inner = front
            step = step.parent
        if source is None:
            graph.blocks.remove(inner)
            graph.blocks.insert(0, inner)
            continue
        source.successors = tuple(inner if s is target else s for s in source.successors)
        target.predecessors = [p for p in target.predecessors if p is not source]
        inner.predecessors.append(source)
    renumber(graph)
