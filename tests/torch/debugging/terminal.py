"""A program in a pseudo-terminal, and pdb's prompt in it: send a command, get what it printed."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
from typing import Dict, List

PROMPT = "(Pdb) "


class Terminal:
    def __init__(self, command: List[str], environment: Dict[str, str], seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        ours, theirs = pty.openpty()
        settings = termios.tcgetattr(theirs)
        settings[3] &= ~termios.ECHO  # what we send is not what the program says
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        self._file = ours
        self._ended = False
        self.seen = ""

    def until(self, text: str) -> str:
        """What the program prints up to a text; fails with all that was seen when the time is over or the program ends."""
        start = ""
        while text not in start:
            piece = self._read()
            if not piece:
                raise AssertionError(f"{text!r} did not come; the program printed:\n{self.seen}")
            start += piece
        return start

    def command(self, line: str) -> str:
        """Give pdb a command; what it printed until its next prompt."""
        os.write(self._file, (line + "\n").encode())
        return self.until(PROMPT)

    def finish(self, line: str) -> str:
        """Give pdb its last command; what the program printed until its end."""
        os.write(self._file, (line + "\n").encode())
        rest = ""
        while True:
            piece = self._read()
            if not piece:
                self._process.wait(timeout=60)
                return rest
            rest += piece

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._file)

    @property
    def returncode(self) -> int:
        return self._process.returncode

    def _read(self) -> str:
        left = self._deadline - time.monotonic()
        if left <= 0 or self._ended or not select.select([self._file], [], [], left)[0]:
            return ""
        try:
            data = os.read(self._file, 65536)
        except OSError:  # the other side is closed
            data = b""
        self._ended = not data
        piece = data.decode(errors="replace").replace("\r\n", "\n")
        self.seen += piece
        return piece


def python(*arguments: str) -> List[str]:
    return [sys.executable, *arguments]
