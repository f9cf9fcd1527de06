"""`full_code_for_*`: what runs when a compiled function is called, as one Python file that reads from top to bottom.

Dispatch over the cache entries first, then for each entry its guards, its transformed code and its graphs, then the resume
functions in the order in which they are executed with the same again, and last the user's own function.
"""

from __future__ import annotations

import re
from typing import Dict, List, Set, Tuple

from depyf.inspector.naming import plain_graph_names, safe
from depyf.inspector.renderers import files
from depyf.inspector.renderers.text import (
    commented,
    graph_text,
    header,
    is_cut_out,
    one_line,
    place,
    standing_alone,
    valid,
    values_text,
)
from depyf.inspector.session import Compilation, Function, Graph, Guard, Recompile, Session


class FullCode:
    """Renders one function; keeps what is already written, since two entries may resume in one function."""

    def __init__(self, session: Session, function: Function, neighbours: files.Neighbours) -> None:
        self.session = session
        self.function = function
        self.neighbours = neighbours
        self.sections: List[str] = []
        self.guards: Dict[int, str] = {}
        self._guard_counts: Dict[str, int] = {}
        self._written: Set[int] = set()

    def render(self) -> str:
        before, after = self.neighbours.get(self.function.full_code, ("", ""))
        entries = len(self.function.compilations)
        first = f"all that runs when {self.function.qualname} is called: {entries} cache entr{'y' if entries == 1 else 'ies'}"
        what = "an explanation in Python; guards and graph names exist only inside PyTorch, so it is for reading"
        ids = [compilation.compile_id for compilation in self.function.compilations]
        source = place(self.function.file, self.function.line)[1]
        self._function(self.function)
        self._originals()
        head = header(first, what, f"{self.function.qualname} ({source}), compile ids {', '.join(ids)}", before, after)
        return head + "\n\n".join(self.sections)

    def _function(self, top: Function) -> None:
        pending = [top]
        while pending:
            function = pending.pop(0)
            if id(function) in self._written:
                continue
            self._written.add(id(function))
            for compilation in function.compilations:
                self.guards[compilation.serial] = self._guard_name(function)
            self.sections.append(self._dispatch(function))
            resumes: List[Function] = []
            for compilation in function.compilations:
                self._entry(function, compilation)
                resumes.extend(compilation.resumes.values())
            pending = resumes + pending

    def _guard_name(self, function: Function) -> str:
        name = safe(function.name)
        number = self._guard_counts.get(name, 0)
        self._guard_counts[name] = number + 1
        return f"__guard_{number}_for_{name}"

    # --- the dispatch

    def _dispatch(self, function: Function) -> str:
        name = function.label or f"compiled_{safe(function.name)}"
        what = "the compiled " + function.qualname if not function.is_resume else f"continues {_resumed(function)}"
        signature, call, frame = _signature(function)
        lines = [f"def {name}({signature}):", f'    """What runs: {_docstring(what)}."""']
        if function.is_resume and function.free:
            lines += [f"    # the code that calls it first hands over the cells of {', '.join(function.free)}"]
        compiled = any(c.transformed for c in function.compilations)
        if compiled:
            lines += [f"    L = {{{frame}}}", "    G = globals()"]
        for compilation in _dispatch_order(function):
            if compilation.transformed is None:
                continue
            lines += [f"    # compile id {compilation.compile_id}"]
            lines += [f"    #   compiled because {_why(r)}" for r in compilation.recompiles]
            lines += [f"    if {self.guards[compilation.serial]}(L, G):"]
            lines += [f"        return {compilation.transformed.name}({call})"]
        if not compiled:
            lines += ["    # not compiled while the session was open: it runs as it is"]
        else:
            if function.given_up:
                lines += [f"    # no entry fits, and PyTorch compiles it no more: {one_line(function.given_up)}"]
            else:
                lines += ["    # no entry fits: PyTorch compiles once more, and there is one more entry"]
        lines += [f"    return {function.original_name}({call})"]
        aliases = [f"{other} = {name}  # the same function, as another entry calls it" for other in self._aliases(function)]
        lines += ["", "", *aliases] if aliases else []
        return "# " + "-" * 30 + f" {one_line(function.qualname)}\n" + valid("\n".join(lines) + "\n")

    def _aliases(self, function: Function) -> List[str]:
        """Entries that break at the same place share a resume function; each has its own name for it."""
        names = (name for c in self.session.compilations for name, resume in c.resumes.items() if resume is function)
        return [name for name in dict.fromkeys(names) if name != function.label and name.isidentifier()]

    # --- one cache entry

    def _entry(self, function: Function, compilation: Compilation) -> None:
        if compilation.transformed is not None:
            self.sections.append(self._guard_function(compilation))
            record = compilation.transformed
            state = (
                f"{record.status}, linked" if record.linked else f"{record.status}, not linked: {record.why_not_linked}"
            )
            intro = f"# the transformed code, in {record.file} ({one_line(state)})\n"
            for found in compilation.graph_breaks:
                intro += commented(f"the graph breaks here: {found.reason} ({place(found.file, found.line)[1]})")
                intro += "".join(commented(f"  hint: {hint}") for hint in found.hints)
            text, _ = standing_alone(plain_graph_names(record.text), record.name)
            # the line of a lambda may be a `return` of the function around it
            self.sections.append(intro + (commented(text) if is_cut_out(text) else valid(text)))
        for graph in compilation.graphs:
            self.sections.append(_graph(graph))

    def _guard_function(self, compilation: Compilation) -> str:
        name = self.guards[compilation.serial]
        lines = [f"def {name}(L, G, **___kwargs_ignored):"]
        lines += [f'    """Whether compile id {compilation.compile_id} may be used."""']
        body: List[str] = []
        cause = ("", "")
        joiner = "    "
        for guard in compilation.guards:
            if (guard.cause or guard.place) and (guard.cause, guard.place) != cause:
                cause = (guard.cause, guard.place)
                body.append(f"        # because of {_because(guard)}")
            if guard.expression is None:
                body.append(f"        # {guard.kind}, in PyTorch's words: {one_line(guard.note)}")
            else:
                note = f"  # {one_line(guard.note)}" if guard.note else ""
                body.append(f"        {joiner}({guard.expression}){note}")
                joiner = "and "
        if joiner == "    ":
            lines += [*body, "    return True"]
        else:
            lines += ["    return (", *body, "    )"]
        return "\n".join(lines) + "\n"  # each expression was parsed in its brackets, so all of it parses

    # --- the user's functions

    def _originals(self) -> None:
        for function in self._all_functions():
            intro = (
                "# the user's function, which runs only where nothing above fits\n"
                if not function.is_resume
                else f"# the rest of {_resumed(function)} as Dynamo cut it off, before it was compiled\n"
            )
            text, _ = standing_alone(
                function.source or commented("the source is not available"), function.original_name
            )
            # the line of a lambda may be a `return` of the function around it
            self.sections.append(intro + (commented(text) if is_cut_out(text) else valid(text)))

    def _all_functions(self) -> List[Function]:
        resumes = [f for f in self.session.functions if id(f) in self._written and f is not self.function]
        return [*resumes, self.function]


def _graph(graph: Graph) -> str:
    listed = [file.file for file in graph.files if file.file]
    intro = f"# the graph {graph.name}; its stages: {', '.join(listed) or 'none recorded'}\n"
    captured = graph.stage("Captured_Graph") or graph.stage("Forward_graph")
    if captured is None:
        return intro
    text = captured.body or graph_text(captured.text)
    body = re.sub(r"^class \w+\(torch\.nn\.Module\):", f"class {graph.name}_graph(torch.nn.Module):", text, count=1)
    return intro + body + f"\n\n{graph.name} = {graph.name}_graph().forward\n"


def _dispatch_order(function: Function) -> List[Compilation]:
    """As PyTorch tries them, where it told; the newest compilation otherwise comes last."""
    position = {compile_id: number for number, compile_id in enumerate(function.dispatch_order)}
    return sorted(function.compilations, key=lambda c: (position.get(c.compile_id, len(position)), c.serial))


def _why(recompile: Recompile) -> str:
    text = f"entry {recompile.entry} did not fit: {one_line(recompile.guard)}"
    stated = recompile.new is not None and f"actual {recompile.new}" in recompile.guard
    return text if stated else text + values_text(recompile.old, recompile.new)


def _because(guard: Guard) -> str:
    where = one_line(guard.place)
    return f"`{one_line(guard.cause)}`, {where}" if guard.cause else where


def _resumed(function: Function) -> str:
    match = re.match(r"(?:torch_dynamo_)?resume_in_(.+?)(?:_at_(\d+))?$", function.name)
    return f"{match.group(1)} at line {match.group(2) or function.line}" if match else function.qualname


def _docstring(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', "'")


def _name(parameter: str) -> str:
    stars = parameter[: len(parameter) - len(parameter.lstrip("*"))]
    rest = parameter[len(stars) :]
    return stars + (rest if rest.isidentifier() else safe(rest)) if rest else stars


def _signature(function: Function) -> Tuple[str, str, str]:
    """(parameters, the same to call with, the same as a dict of the frame's variables)."""
    signature = ", ".join(_name(p) for p in function.parameters)
    call: List[str] = []
    frame: List[str] = []
    keyword_only = False
    for parameter in function.parameters:
        bare = _name(parameter).lstrip("*")
        if parameter.startswith("*") and not parameter.startswith("**"):
            keyword_only = True
        if bare:
            plain = not parameter.startswith("*")
            call.append(f"{bare}={bare}" if plain and keyword_only else _name(parameter))
            frame.append(f'"{bare}": {bare}')
    frame.extend(f'"{name}": {name}' for name in function.free if name.isidentifier())
    return signature, ", ".join(call), ", ".join(frame)


def full_code(session: Session, function: Function, neighbours: files.Neighbours) -> str:
    return FullCode(session, function, neighbours).render()
