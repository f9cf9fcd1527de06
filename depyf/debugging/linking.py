"""Makes what runs step through the files of the dump: graphs and Inductor's wrappers; transformed code is linked already.

A function's code object is replaced by the same code with another file and other lines, and put back on unlinking.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from depyf import compatibility
from depyf.debugging import graph_lines, kernel_lines
from depyf.debugging.graph_lines import Relinked


class LiveGraph(NamedTuple):
    """A graph that compiled code calls: its name there, and what can be found behind it."""

    name: str
    namespace: Dict[str, Any]
    modules: List[Any]  # graph modules, the captured one first
    kernels: List[Any]  # Inductor's compiled graphs


def live_graphs() -> Iterator[LiveGraph]:
    """The graphs of all compiled code in the process."""
    from depyf.inspector import live

    seen: Set[Tuple[int, str]] = set()
    for earlier in live.compiled_so_far():
        namespace = compatibility.guard_globals(earlier.entry.guards)
        for name in earlier.entry.code.co_names:
            if name.startswith("__compiled_fn_") and name in namespace and (id(namespace), name) not in seen:
                seen.add((id(namespace), name))
                found = list(live._reachable(namespace[name]))
                kernels = [value for value in found if type(value).__name__ == "CompiledFxGraph"]
                yield LiveGraph(name, namespace, [value for value in found if value not in kernels], kernels)


def dump_folders(named: Optional[str] = None) -> List[str]:
    """The folders that linked code of this process points into, and those of a dump that was named."""
    folders = dict.fromkeys(os.path.dirname(path) for path in _linked_code_files())
    if named is not None:
        if not os.path.isdir(named):
            raise FileNotFoundError(f"depyf.debug(): there is no dump in {named!r}")
        inside = (os.path.join(named, name) for name in sorted(os.listdir(named)))
        # processes and ranks that share a dump have a folder each
        folders.update(dict.fromkeys([named, *(path for path in inside if os.path.isdir(path))]))
    return list(folders)


def _linked_code_files() -> Iterator[str]:
    for _, transformed in compatibility.transformed_codes():
        path = transformed.co_filename
        if os.path.basename(path).startswith("__transformed_code_") and os.path.exists(path):
            yield path


class Links:
    """What is linked by one stay in `depyf.debug()`."""

    def __init__(self) -> None:
        self._as_code = compatibility.GraphsAsCode()
        self.files: Dict[str, None] = {}  # those that can be stepped through now

    def link(self, folders: List[str]) -> None:
        """Link the graphs of all compiled code to their files in these folders."""
        for graph in live_graphs():
            for path, text in _files_of(graph.name, folders):
                for made in _made(graph, path, text):
                    self._put(made, path)
            self._as_code.modules.extend(graph.modules)
        self._as_code.install()
        self.files.update(dict.fromkeys(_linked_code_files()))

    def unlink(self) -> None:
        self._as_code.uninstall()
        compatibility.put_back(self)

    def _put(self, made: Relinked, path: str) -> None:
        # also where another stay has linked it to this file already: that one may end first
        compatibility.replace_for(self, made.function, "__code__", made.code)
        self.files[path] = None


def _files_of(graph: str, folders: List[str]) -> Iterator[Tuple[str, str]]:
    """(path, text) of the files that show a graph: their first line names it in full."""
    from depyf.inspector.naming import plain_graph_name, safe

    start = safe(plain_graph_name(graph)) + "."
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            if name.startswith(start) and name.endswith(".py"):
                path = os.path.join(folder, name)
                try:
                    with open(path, encoding="utf-8") as stream:
                        text = stream.read()
                except OSError:
                    continue
                if graph in text.partition("\n")[0]:
                    yield path, text


def _made(graph: LiveGraph, path: str, text: str) -> Iterator[Relinked]:
    """Only what runs: where there are kernels, or graphs made from the captured one, the captured one does not."""
    if ".kernel_" in os.path.basename(path):
        for kernel in graph.kernels:
            yield from kernel_lines.relinked(compatibility.inductor_callable(kernel), text, path)
    elif not graph.kernels:
        for module in graph.modules:
            if _runs(module):
                yield from graph_lines.relinked(module, text, path)


def _runs(module: Any) -> bool:
    """Whether a graph module is called, rather than something that was made from it."""
    from depyf.inspector import live

    if not compatibility.has_never_run(module):
        return True
    # an interpreted graph runs without ever making its code
    return not compatibility.aot_graphs_run_as_code() and live._stage_of(module) != "Captured_Graph"
