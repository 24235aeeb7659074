"""A terminal for a process of its own: what it paints, when, and how it leaves the terminal behind."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self


class Terminal:
    """``python ARGUMENTS`` on a pseudo terminal.

    Args:
        arguments: what follows ``python``.
        size: columns and rows.
        environment: changes to this process's environment.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        surroundings = {
            key: value
            for key, value in os.environ.items()
            if key not in {"NO_COLOR", "TEXTUAL_THEME", "SSH_CONNECTION"}
        }
        surroundings |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, *arguments], surroundings)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(self.fd)
        self.output = b""
        self._status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.fd >= 0:
            os.close(self.fd)

    def read(self, seconds: float) -> bytes:
        """What is painted within ``seconds``; returns early when the process has gone."""
        until = time.monotonic() + seconds
        read = b""
        while (left := until - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            read += data
        self.output += read
        return read

    def wait_for(self, text: str, *, seconds: float = 30) -> float:
        """Read until ``text`` was painted; returns the seconds since the start."""
        wanted = text.encode()
        until = time.monotonic() + seconds
        while wanted not in self.output:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"{text!r} was never painted; the end of it: {self.output[-2000:]!r}")
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"it left before {text!r} was painted: {self.output[-2000:]!r}")
            self.output += data
        return time.perf_counter() - self.began

    def press(self, keys: str) -> None:
        """Type ``keys``."""
        os.write(self.fd, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal, as a lost connection does; the kernel sends SIGHUP."""
        os.close(self.fd)
        self.fd = -1

    def wait(self, *, seconds: float = 20) -> int:
        """The exit code, or minus the number of the signal that killed it."""
        until = time.monotonic() + seconds
        while self._status is None:
            if self.fd >= 0:
                self.read(0.05)
            else:
                time.sleep(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
                if self.fd >= 0:
                    self.read(0.2)
            elif time.monotonic() > until:
                raise AssertionError(f"it did not leave within {seconds} s: {self.output[-2000:]!r}")
        return self._status

    def is_restored(self) -> bool:
        """Whether the line discipline is what it was, and screen, cursor and mouse were given back."""
        return (
            termios.tcgetattr(self.fd)[:4] == self.before[:4]
            and b"\x1b[?1049l" in self.output
            and self.output.rfind(b"\x1b[?25h") > self.output.rfind(b"\x1b[?25l")
        )
