"""What was recorded of the compilations, as plain data: functions, their compilations, graphs, guards, reasons.

Filled by the recorder, read by the renderers, which read nothing else. Code objects are held only while the session is
open (`release` drops them); everything else is text and numbers, so a session outlives what it describes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple

SCHEMA = 1


@dataclass
class Guard:
    """One condition of a cache entry. `expression` is None when PyTorch's text for it is not Python."""

    kind: str
    text: str
    expression: Optional[str]
    note: str = ""
    cause: str = ""
    place: str = ""


@dataclass
class GraphBreak:
    reason: str
    explanation: str = ""
    hints: List[str] = field(default_factory=list)
    file: str = ""
    line: int = 0
    text: str = ""


@dataclass
class Recompile:
    """Why an entry did not fit: the entry, the guard that failed, and the values on both sides where known."""

    entry: str
    guard: str
    old: Optional[str] = None
    new: Optional[str] = None


@dataclass
class GraphFile:
    """A graph at one stage, or one kernel file; `file` is its name in the dump directory once it is written."""

    stage: str
    text: str
    file: str = ""
    note: str = ""
    body: str = ""  # the text as valid Python, once somebody needed it


@dataclass
class Graph:
    """A graph that transformed code calls by `full_name`; `name` is that without what is unique to the run."""

    name: str
    full_name: str
    files: List[GraphFile] = field(default_factory=list)

    def stage(self, stage: str) -> Optional[GraphFile]:
        for file in self.files:
            if file.stage == stage:
                return file
        return None


@dataclass
class Transformed:
    """The source of one transformed bytecode, and what the proof said of it."""

    file: str
    number: int
    name: str
    text: str
    status: str
    reason: str
    linked: bool
    why_not_linked: str = ""
    body: str = ""  # the text as a valid module, once somebody needed it


@dataclass
class Compilation:
    """One frame compiled once. Compile ids restart after a reset, so `serial` tells compilations apart."""

    compile_id: str
    serial: int
    function: Optional[Function] = None
    transformed: Optional[Transformed] = None
    transformed_code: Optional[CodeType] = None
    running_code: Optional[CodeType] = None  # what the cache entry holds: PyTorch's code, or ours where it is linked
    graphs: List[Graph] = field(default_factory=list)
    guards: List[Guard] = field(default_factory=list)
    guard_text: str = ""
    graph_breaks: List[GraphBreak] = field(default_factory=list)
    recompiles: List[Recompile] = field(default_factory=list)
    resumes: Dict[str, Function] = field(default_factory=dict)
    timings: Dict[str, float] = field(default_factory=dict)
    caches: Dict[str, int] = field(default_factory=dict)
    symbols: List[str] = field(default_factory=list)
    restarts: List[str] = field(default_factory=list)
    failure: str = ""
    failed_at: Optional[GraphBreak] = None  # what more PyTorch said of the failure
    where: str = ""
    before_entering: bool = False
    finished: bool = False

    @property
    def empty(self) -> bool:
        return self.transformed is None and not self.graphs and not self.graph_breaks and not self.failure


@dataclass
class Function:
    """A Python function that PyTorch compiled, or one of the resume functions that it made."""

    name: str
    qualname: str
    file: str
    line: int
    code: Optional[CodeType] = None
    source: str = ""
    label: str = ""
    parameters: Tuple[str, ...] = ()
    free: Tuple[str, ...] = ()
    compilations: List[Compilation] = field(default_factory=list)
    parent: Optional[Compilation] = None
    full_code: str = ""
    dispatch_order: List[str] = field(default_factory=list)
    given_up: str = ""  # why PyTorch stopped compiling it

    @property
    def is_resume(self) -> bool:
        return self.parent is not None

    @property
    def original_name(self) -> str:
        """What full code calls the uncompiled function; resume functions may share a name, never a label."""
        name = f"{self.label}_uncompiled" if self.label else self.name
        return name if name.isidentifier() else "".join(c if c.isalnum() else "_" for c in name)


@dataclass
class Problem:
    """Something that went wrong inside depyf. The user's program went on."""

    where: str
    what: str


@dataclass
class Session:
    directory: str
    torch_version: str = ""
    python_version: str = ""
    process: int = field(default_factory=os.getpid)
    rank: Optional[int] = None
    functions: List[Function] = field(default_factory=list)
    compilations: List[Compilation] = field(default_factory=list)
    shown: List[GraphFile] = field(default_factory=list)
    problems: List[Problem] = field(default_factory=list)
    finished: bool = False
    by_code: Dict[int, Function] = field(default_factory=dict, repr=False)

    def function_of(self, code: CodeType) -> Function:
        """The record of a code object; code objects are told apart by identity, equal ones may stem from two functions."""
        function = self.by_code.get(id(code))
        if function is not None:
            return function
        qualname = getattr(code, "co_qualname", code.co_name)
        function = Function(code.co_name, qualname, code.co_filename, code.co_firstlineno, code)
        function.parameters = parameters_of(code)
        function.free = code.co_freevars
        self.functions.append(function)
        self.by_code[id(code)] = function  # the function holds the code object, so its id stays its own
        return function

    def frame_of(self, compilation: Compilation) -> Optional[Function]:
        """The function of the frame that a compilation is of: PyTorch numbers frames, and does not name those it gives up again."""
        frame = compilation.compile_id.rpartition("/")[0]
        earlier = [c for c in self.compilations if c.function and c.serial < compilation.serial and frame]
        return next((c.function for c in reversed(earlier) if c.compile_id.rpartition("/")[0] == frame), None)

    def note_given_up(self) -> None:
        """Tell functions that PyTorch stopped compiling, though it has entries of them."""
        for compilation in self.compilations:
            function = self.frame_of(compilation) if compilation.function is None and compilation.failure else None
            if function is not None:
                function.given_up = compilation.failure

    def top_level(self) -> List[Function]:
        return [function for function in self.functions if not function.is_resume and function.compilations]

    def release(self) -> None:
        """Let go of code objects and long texts; names, verdicts and reasons stay."""
        self.by_code.clear()
        for function in self.functions:
            function.code = None
            function.source = ""
        for compilation in self.compilations:
            compilation.transformed_code = compilation.running_code = None
            compilation.guard_text = ""
            if compilation.transformed is not None:
                compilation.transformed.text = compilation.transformed.body = ""
            for graph in compilation.graphs:
                for file in graph.files:
                    file.text = file.body = ""
        for file in self.shown:
            file.text = file.body = ""


def parameters_of(code: CodeType) -> Tuple[str, ...]:
    """The names of a code object's parameters in the order of the signature, `*` and `**` included."""
    positional = code.co_argcount
    keyword = code.co_kwonlyargcount
    names: List[str] = list(code.co_varnames[:positional])
    rest = positional + keyword
    if code.co_flags & 0x04:
        names.append("*" + code.co_varnames[rest])
        rest += 1
    elif keyword:
        names.append("*")
    names.extend(code.co_varnames[positional : positional + keyword])
    if code.co_flags & 0x08:
        names.append("**" + code.co_varnames[rest])
    return tuple(names)


def totals(data: Dict[str, Any]) -> Dict[str, int]:
    """How much one session's JSON holds, for the overview of several."""
    functions = data.get("functions", [])
    compilations = [c for f in functions for c in f.get("compilations", [])]
    outside = data.get("outside", [])
    codes = [c["transformed"] for c in compilations if c.get("transformed")]
    return {
        "functions": sum(not f.get("resume") for f in functions),
        "compilations": len(compilations),
        "graph_breaks": sum(len(c.get("graph_breaks", [])) for c in (*compilations, *outside)),
        # 2.10 breaks the graph and gives the frame up without saying so
        "given_up": sum(bool(c.get("failure") or (c.get("graph_breaks") and not c.get("graphs"))) for c in outside),
        "recompiles": sum(bool(c.get("recompiles")) for c in compilations),
        "transformed": len(codes),
        "equal": sum(code["status"] == "EQUAL" for code in codes),
        "linked": sum(bool(code["linked"]) for code in codes),
        "problems": len(data.get("problems", [])),
    }
