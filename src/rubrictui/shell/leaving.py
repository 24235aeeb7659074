"""Ending well when a signal says so: what screens hold is saved, the terminal is given back, and it does end.

A terminal that goes away sends SIGHUP, and the kernel adds SIGCONT, on which Textual's driver would take the
terminal over once more. Writing to a terminal that is gone, or that no longer reads, can block for ever. So
leaving is asked of the event loop first, and is done without it when the loop does not answer.

The kernel sends SIGHUP to the leader of the terminal's session, and leaves the rest to it. Where the app is the
child of a program that does not pass it on (``make run`` over SSH), only the terminal itself says that it is gone,
and a read of it returns at once for ever. So the terminal is watched as well.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import termios
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

ENDING = ("SIGHUP", "SIGTERM")
PATIENCE_SECONDS = 4.0


def _terminal() -> int:
    return sys.__stdin__.fileno() if sys.__stdin__ else 0


def terminal_is_gone() -> bool:
    """Whether the terminal this process was started on has been closed."""
    try:
        termios.tcgetattr(_terminal())
    except (termios.error, OSError, ValueError):
        return True
    return False


class _TerminalWatch:
    """Waits, in a thread of its own that sleeps, until the terminal is closed, and says so."""

    def __init__(self, is_closed: Callable[[], None]) -> None:
        self._is_closed = is_closed
        self._stop, self._stopping = os.pipe()
        threading.Thread(target=self._wait, args=(_terminal(),), name="terminal", daemon=True).start()

    def stop(self) -> None:
        os.close(self._stopping)

    def _wait(self, terminal: int) -> None:
        waking = select.poll()
        waking.register(terminal, 0)  # nothing of it but that it hung up
        waking.register(self._stop, 0)
        told = {fd for fd, _ in waking.poll()}
        os.close(self._stop)
        if self._stop not in told and terminal_is_gone():
            self._is_closed()


class Leaving:
    """Handlers of the signals that end the application.

    Args:
        leave: saves and ends, in the event loop; it gets the exit code.
        save: saves what screens hold; called from another thread when the loop does not answer.
    """

    def __init__(self, leave: Callable[[int], None], save: Callable[[], None]) -> None:
        self._leave = leave
        self._save = save
        self._ending = False
        self._before: dict[int, Any] = {}
        self._watch: _TerminalWatch | None = None

    def install(self, loop: asyncio.AbstractEventLoop) -> None:
        """Handle the signals from now on. Only the main thread may; elsewhere nothing is done."""
        if threading.current_thread() is not threading.main_thread():
            return
        for name in ENDING:
            number = getattr(signal, name)

            def end(received: int, _frame: FrameType | None) -> None:
                self._end(loop, 128 + received)

            self._handle(number, end)
        resume = signal.getsignal(signal.SIGCONT)
        if callable(resume):

            def go_on(received: int, frame: FrameType | None) -> None:
                if not (self._ending or terminal_is_gone()):
                    resume(received, frame)

            self._handle(signal.SIGCONT, go_on)
        if not terminal_is_gone():
            self._watch = _TerminalWatch(lambda: self._end(loop, 128 + signal.SIGHUP))

    def remove(self) -> None:
        """Leave the signals to whoever had them before; not while they are ending the application."""
        if self._watch:
            self._watch.stop()
            self._watch = None
        if not self._ending:
            for number, handler in self._before.items():
                signal.signal(number, handler)
        self._before.clear()

    def _handle(self, number: int, handler: Callable[[int, FrameType | None], None]) -> None:
        self._before[number] = signal.signal(number, handler)

    def _end(self, loop: asyncio.AbstractEventLoop, code: int) -> None:
        if self._ending:
            return
        self._ending = True
        watch = threading.Timer(PATIENCE_SECONDS, self._end_anyway, [code])
        watch.daemon = True
        watch.start()
        loop.call_soon_threadsafe(self._leave, code)

    def _end_anyway(self, code: int) -> None:
        """The loop hangs, most likely in a write to a terminal that does not read: save and go."""
        try:
            self._save()
        finally:
            os._exit(code)
