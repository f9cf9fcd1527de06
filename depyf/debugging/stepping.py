"""`depyf.debug()`: pause, then run compiled code so that a debugger steps through the dumped files.

Inside it nothing is compiled. Needs a dump that `prepare_debug` made in this process; works inside `prepare_debug` too.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Any, Callable, List, Optional, Set, Type, Union

from depyf.debugging.pausing import pause_for_breakpoints, say, somebody_can_answer, where_files_are

Directory = Union[str, "os.PathLike[str]"]
StopOn = Union[None, str, Callable[[Any], bool]]


class debug:
    """Inside it, breakpoints in the files of the dump are hit, with live tensors, and nothing new is compiled.

    On entering, the program pauses in `breakpoint()`, so that breakpoints can be set. With `stop_on="nan"`, `"inf"`, or a
    function that takes a tensor and says whether it is bad, there is no pause on entering; graphs run node by node, and
    the run stops at the first node whose output is bad, in the debugger, or with BadValueFound where there is no
    terminal. A call that no compiled entry fits runs uncompiled, and a message says which guard failed.

    The dump is found through the code that is linked to it; `dump_src_dir` names one where nothing is linked, since all
    was compiled before `prepare_debug` was entered: then graphs can be stepped through, and transformed code cannot.
    """

    def __init__(self, *, stop_on: StopOn = None, dump_src_dir: Optional[Directory] = None) -> None:
        from depyf.debugging.watching import badness

        badness(stop_on)  # complains at once about what it does not know
        self._stop_on = stop_on
        self._folder = None if dump_src_dir is None else os.path.abspath(os.fspath(dump_src_dir))
        self._stays: List[_Stay] = []

    def __enter__(self) -> debug:
        stay = _Stay(self._stop_on, self._folder)
        stay.open()
        self._stays.append(stay)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]] = None,
        error: Optional[BaseException] = None,
        traceback: Optional[TracebackType] = None,
    ) -> None:
        if self._stays:
            self._stays.pop().close()


class _Stay:
    """One stay inside `debug`: what was put in place, to be taken out again."""

    def __init__(self, stop_on: StopOn, folder: Optional[str]) -> None:
        from depyf.compatibility import NoNewCompilations
        from depyf.debugging.linking import Links
        from depyf.debugging.watching import Watch

        self._folder = folder
        self._links = Links()
        self._compilations = NoNewCompilations(self._missed)
        self._watch = None if stop_on is None else Watch(stop_on)
        self._told: Set[int] = set()
        self._lock = threading.Lock()

    def open(self) -> None:
        from depyf.debugging.linking import dump_folders

        folders = dump_folders(self._folder)
        if not folders and self._watch is None:
            raise RuntimeError(
                "depyf.debug(): there is nothing to step through. Run the program once inside "
                "`with depyf.prepare_debug('./dump'):` before, in the same process, so that its code is compiled and "
                "dumped. What was compiled before prepare_debug was entered is dumped, but not linked: name the dump, "
                "depyf.debug(dump_src_dir='./dump'), to step through its graphs."
            )
        try:
            self._links.link(folders)
            self._compilations.install()
            if self._watch is not None:
                self._watch.install()
            else:
                self._pause()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._watch is not None:
            self._watch.uninstall()
        self._compilations.uninstall()
        self._links.unlink()

    def _pause(self) -> None:
        lines = where_files_are(list(self._links.files))
        if not somebody_can_answer():
            say([*lines, "no terminal and no debugger: going on without a pause"])
            return
        say([*lines, "paused: set breakpoints in these files (pdb: `b FILE:LINE`), then continue (pdb: `c`)"])
        pause_for_breakpoints()

    def _missed(self, frame: Any, called_by_torch_compile: bool) -> None:
        """A frame that no entry fits: say once for each function and reason why it runs uncompiled."""
        from depyf.compatibility import failed_guards

        code = frame.f_code
        guards = failed_guards(code, frame.f_locals)
        if not guards and not called_by_torch_compile:
            return  # a helper, or the debugger itself
        key = hash((id(code), tuple(guards)))
        with self._lock:
            if key in self._told:
                return
            self._told.add(key)
        name = f"{code.co_name} ({code.co_filename}:{code.co_firstlineno})"
        if not guards:
            say([f"{name} was never compiled: it runs uncompiled inside depyf.debug()"])
        else:
            say(
                [
                    f"{name} would be compiled anew for this call; inside depyf.debug() it runs uncompiled. Failed guards:",
                    *(f"  {guard}" for guard in guards),
                ]
            )
