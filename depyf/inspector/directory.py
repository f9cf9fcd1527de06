"""The dump directory on disk: who owns which folder, whole files only, and nothing of anyone else overwritten.

The first process to come owns the directory itself, any other gets `process_<pid>/`, ranks get `rank_<n>/`. What a process
that no longer runs left there moves to `earlier_runs/<n>/`. Our own bookkeeping and unfinished files are in `.depyf/`.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional

from depyf.inspector.naming import Names

PRIVATE = ".depyf"
EARLIER = "earlier_runs"
_OURS = (
    "full_code_for_",
    "__transformed_code_",
    "__compiled_fn_",
    "__compiled_autograd_",
    "shown_graph.",
    "wild_fx_code.",
)
_OWN_FILES = ("index.md", "session.json")

_counter = itertools.count()


class DumpDirectory:
    """One session's folder in a dump directory. `root` is what the user named, `folder` where this session writes."""

    def __init__(self, root: str, rank: Optional[int] = None) -> None:
        self.root = os.path.abspath(root)
        self.base = self.root if rank is None else os.path.join(self.root, f"rank_{rank}")
        self.folder = self.base
        self.names = Names()
        self.written: Dict[str, int] = {}
        self.previous: Optional[Dict[str, Any]] = None  # what this process recorded here in an earlier session

    def claim(self) -> None:
        """Make the folder ours, or raise OSError that says what is wrong with the directory."""
        try:
            os.makedirs(os.path.join(self.base, PRIVATE), exist_ok=True)
            with self.locked(self.base):
                self.folder = self._choose()
                os.makedirs(os.path.join(self.folder, PRIVATE), exist_ok=True)
                self._sign(active=True)
                self._sweep_unfinished()
            probe = os.path.join(self.folder, PRIVATE, f"probe-{os.getpid()}-{next(_counter)}")
            with open(probe, "w", encoding="utf-8") as stream:
                stream.write("depyf\n")
            os.remove(probe)
        except OSError as error:
            raise type(error)(
                error.errno,
                f"depyf.prepare_debug cannot write to the directory {self.root!r} ({error.strerror or error}); "
                "name one that can be created or written",
            ) from error
        for name in os.listdir(self.folder):
            self.names.take(name)
        self.previous = _read_json(os.path.join(self.folder, "session.json"))
        if self.previous is not None and "functions" not in self.previous:
            self.previous = None

    def _choose(self) -> str:
        owner = _read_json(os.path.join(self.base, PRIVATE, "owner.json"))
        if owner is None:
            return self.base
        if owner.get("process") == _identity():
            if not owner.get("active"):
                return self.base  # this process was here before and goes on counting
        elif not _alive(owner.get("process") or {}):
            _archive(self.base)
            return self.base
        for attempt in itertools.count(1):
            suffix = "" if attempt == 1 else f"_{attempt}"
            folder = os.path.join(self.base, f"process_{os.getpid()}{suffix}")
            theirs = _read_json(os.path.join(folder, PRIVATE, "owner.json"))
            if not os.path.exists(folder):
                return folder
            if theirs is not None and theirs.get("process") == _identity() and not theirs.get("active"):
                return folder
        raise AssertionError("unreachable")

    def _sign(self, active: bool) -> None:
        text = json.dumps({"process": _identity(), "active": active})
        _write_whole(os.path.join(self.folder, PRIVATE, "owner.json"), text.encode(), self.folder)

    def _sweep_unfinished(self) -> None:
        """Remove what a killed owner of this folder was still writing."""
        private = os.path.join(self.folder, PRIVATE)
        for name in os.listdir(private):
            if name.startswith("part-") and not name.startswith(f"part-{os.getpid()}-"):
                os.remove(os.path.join(private, name))

    def close(self) -> None:
        self._sign(active=False)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, text: str) -> str:
        """Write a file whole, unless it already has this text from us."""
        digest = hash(text)
        path = self.path(name)
        if self.written.get(name) == digest and os.path.exists(path) and name not in _OWN_FILES:  # others add to those
            return path
        _write_whole(path, text.encode("utf-8", "backslashreplace"), self.folder)
        self.written[name] = digest
        return path

    def write_bytes(self, name: str, data: bytes) -> str:
        _write_whole(self.path(name), data, self.folder)
        return self.path(name)

    def write_root(self, name: str, text: str) -> None:
        _write_whole(os.path.join(self.root, name), text.encode("utf-8", "backslashreplace"), self.root)

    def sessions(self) -> List[str]:
        """Folders below the root that hold a session of their own, relative to it, in a stable order."""
        found = []
        for base in (self.root, *(os.path.join(self.root, n) for n in _folders(self.root, "rank_"))):
            for name in (*_folders(base, "rank_"), *_folders(base, "process_")):
                found.append(os.path.relpath(os.path.join(base, name), self.root).replace(os.sep, "/"))
        return sorted(set(found), key=_natural)

    @contextmanager
    def locked(self, folder: str) -> Iterator[None]:
        """Between processes, one at a time. The lock goes with the process, however it ends."""
        private = os.path.join(folder, PRIVATE)
        os.makedirs(private, exist_ok=True)
        with _thread_lock, open(os.path.join(private, "lock"), "a+", encoding="utf-8") as stream:
            _lock_file(stream, True)
            try:
                yield
            finally:
                _lock_file(stream, False)


_thread_lock = threading.RLock()


def _lock_file(stream: Any, take: bool) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK if take else msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX if take else fcntl.LOCK_UN)


def _write_whole(path: str, data: bytes, folder: str) -> None:
    """Write aside on the same file system, then rename: a reader sees the old file or the new one, never a part."""
    private = os.path.join(folder, PRIVATE)
    part = os.path.join(private, f"part-{os.getpid()}-{next(_counter)}")
    try:
        stream = open(part, "wb")
    except FileNotFoundError:  # the directory was removed under us
        os.makedirs(private, exist_ok=True)
        stream = open(part, "wb")
    try:
        with stream:
            stream.write(data)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.replace(part, path)
    except BaseException:
        try:
            os.remove(part)
        except OSError:
            pass
        raise


def _archive(base: str) -> None:
    """Move an ended run's files out of the way, so that the directory shows the newest and nothing is lost."""
    names = [n for n in os.listdir(base) if n.startswith(_OURS) or n in _OWN_FILES]
    for name in _folders(base, "process_"):
        owner = _read_json(os.path.join(base, name, PRIVATE, "owner.json"))
        if owner is None or not _alive(owner.get("process") or {}):
            names.append(name)
    if not names:
        return
    number = 1
    while os.path.exists(os.path.join(base, EARLIER, str(number))):
        number += 1
    target = os.path.join(base, EARLIER, str(number))
    os.makedirs(target)
    for name in names:
        shutil.move(os.path.join(base, name), os.path.join(target, name))


def _folders(base: str, prefix: str) -> List[str]:
    try:
        return [n for n in os.listdir(base) if n.startswith(prefix) and os.path.isdir(os.path.join(base, n))]
    except OSError:
        return []


def _natural(name: str) -> List[Any]:
    return [(part.isdigit(), int(part) if part.isdigit() else part) for part in name.replace("/", "_").split("_")]


def _identity() -> Dict[str, Any]:
    """This process, so that another one with the same number later is not taken for it."""
    return {"pid": os.getpid(), "host": socket.gethostname(), "started": _started(os.getpid())}


def _started(pid: int) -> Optional[str]:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stream:
            return stream.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _alive(process: Dict[str, Any]) -> bool:
    """Whether a process may still run; yes when that cannot be known, as on another machine."""
    if process.get("host") != socket.gethostname():
        return True
    pid = process.get("pid")
    if not isinstance(pid, int):
        return False
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process.get("started") is None or process.get("started") == _started(pid)


def _read_json(path: str) -> Optional[Dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
