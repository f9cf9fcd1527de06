"""`prepare_debug`: the context manager around a program, a part of it, or a backend.

Opens a session in a dump directory, installs the hooks, and on leaving completes the files. Only a directory that cannot be
written raises, and only on entering; all else that goes wrong is a problem of the session and one warning at the end.
"""

from __future__ import annotations

import atexit
import os
import platform
import sys
import threading
import time
import warnings
from types import TracebackType
from typing import Any, Callable, List, Optional, Type, Union

from depyf.inspector.directory import DumpDirectory
from depyf.inspector.session import Session

Directory = Union[str, "os.PathLike[str]"]


class prepare_debug:
    """Record everything that torch.compile does inside, as files in `dump_src_dir`.

    `clean_wild_fx_code=False` keeps fx code that belongs to no compiled function; `log_bytecode=True` puts dill dumps of the
    code objects beside each transformed code. `prepare_debug(function, dump_src_dir)` is an older form of the same.
    The object may be made early, entered by hand, left twice, and entered again.
    """

    def __init__(
        self,
        dump_src_dir: Union[Directory, Callable[..., Any]],
        *args: Any,
        clean_wild_fx_code: bool = True,
        log_bytecode: bool = False,
        **named: Any,
    ) -> None:
        positional: List[Any] = [dump_src_dir, *args]
        if callable(positional[0]) and not isinstance(positional[0], (str, os.PathLike)):
            positional.pop(0)  # the older form: what is compiled shows itself, so the function is not needed
            positional[:0] = [named.pop("dump_src_dir")] if "dump_src_dir" in named else []
        if not positional or not isinstance(positional[0], (str, os.PathLike)):
            raise TypeError("prepare_debug needs a directory: prepare_debug('./dump')")
        if named or len(positional) > 3:
            raise TypeError(f"prepare_debug does not take {sorted(named) or positional[3:]}")
        self.dump_src_dir = os.path.abspath(os.fspath(positional[0]))
        self.clean_wild_fx_code = bool(positional[1]) if len(positional) > 1 else clean_wild_fx_code
        self.log_bytecode = bool(positional[2]) if len(positional) > 2 else log_bytecode
        self._lock = threading.RLock()
        self._entered = 0
        self._dump: Optional[_Dump] = None

    @property
    def session(self) -> Optional[Session]:
        """What is recorded so far, or was recorded by the time of leaving."""
        return None if self._dump is None else self._dump.session

    @property
    def folder(self) -> str:
        """Where the files of this process are: the directory itself, or a folder in it."""
        return self.dump_src_dir if self._dump is None else self._dump.directory.folder

    def __enter__(self) -> prepare_debug:
        with self._lock:
            if self._entered == 0:
                dump = _Dump(self.dump_src_dir, self.clean_wild_fx_code, self.log_bytecode)
                dump.open()
                self._dump = dump
            self._entered += 1
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]] = None,
        error: Optional[BaseException] = None,
        traceback: Optional[TracebackType] = None,
    ) -> None:
        with self._lock:
            if self._entered == 0:
                return
            self._entered -= 1
            if self._entered == 0 and self._dump is not None:
                self._dump.close()


class _Dump:
    """One stay inside prepare_debug."""

    def __init__(self, root: str, clean_wild_fx_code: bool, log_bytecode: bool) -> None:
        self.root = root
        self.clean_wild_fx_code = clean_wild_fx_code
        self.log_bytecode = log_bytecode
        self._closed = False
        self._refreshed = time.monotonic()
        self._refresh_cost = 0.0
        self._start()

    def _start(self) -> None:
        from depyf import compatibility

        rank, world = compatibility.distributed_rank()
        self.directory = DumpDirectory(self.root, rank if world > 1 else None)
        self.session = Session(self.root, compatibility.version(), platform.python_version(), rank=rank)

    def open(self) -> None:
        from depyf.inspector import live
        from depyf.inspector.hooks import Hooks, guarded
        from depyf.inspector.recorder import Recorder

        self.directory.claim()
        self.session.directory = self.directory.folder
        self.recorder = Recorder(
            self.session,
            self.directory,
            self.log_bytecode,
            not self.clean_wild_fx_code,
            on_fork=self._forked,
            on_finished=self._refresh,
        )
        self.hooks = Hooks(self.recorder)
        self._earlier: List[live.Earlier] = []
        try:
            self._earlier = live.compiled_so_far()
        except Exception as error:
            self.recorder.failed("looking for functions compiled before", error)
        self.hooks.install()
        guarded(self.recorder, "enter_compilation")

    def _forked(self) -> None:
        """In a child process: a session of its own, completed when the child ends, since it may never leave the block."""
        import multiprocessing.util

        self._start()
        self.directory.claim()
        self.session.directory = self.directory.folder
        self.recorder.session = self.session
        self.recorder.directory = self.directory
        self._earlier = []
        atexit.register(self.close)
        multiprocessing.util.Finalize(None, self.close, exitpriority=100)

    def _refresh(self) -> None:
        """Bring the index up to date now and then, so that a program that is killed leaves one; costs at most 1 %."""
        now = time.monotonic()
        if not self._closed and now - self._refreshed > max(2.0, 100 * self._refresh_cost):
            from depyf.inspector import finish

            finish.write_index(self.session, self.directory)
            self._refresh_cost = time.monotonic() - now
            self._refreshed = time.monotonic()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        from depyf.inspector import finish

        self.hooks.uninstall()
        if self.recorder.process != os.getpid():
            return  # a fork that compiled nothing has nothing to say
        try:
            with self.recorder.lock:
                finish.complete(self.recorder, self._earlier)
        except Exception as error:
            self.recorder.failed("completing the dump", error)
        self._earlier = []
        if self.session.problems:
            _warn(self.session)


def _warn(session: Session) -> None:
    first = session.problems[0]
    count = len(session.problems)
    text = (
        f"depyf: {count} problem{'s' if count > 1 else ''} while recording into {session.directory!r}; the program was not "
        f"affected. First: {first.where}: {first.what}. All of them are in session.json there, if it could be written."
    )
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=4)
    except Warning:  # warnings are errors in this program, but ours may not end it
        print(text, file=sys.stderr)
