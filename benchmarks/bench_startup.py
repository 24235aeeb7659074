"""How soon the app is there: first frame and inbox rows, against a bare Textual app with the same widgets.

    python benchmarks/bench_startup.py [runs]

Each run starts a fresh interpreter on a pseudo terminal of 80x24 and takes the time from the start of the
process to the byte that paints a word. The apps take turns, so that a busy machine slows all of them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

FRAME_LIMIT = 1.3
ROWS_LIMIT_MS = 450

# Compiled modules are kept between starts, as they are for everyone who installs the program.
LEFT_OUT = {"NO_COLOR", "TEXTUAL_THEME", "SSH_CONNECTION", "PYTHONDONTWRITEBYTECODE"}

TITLE = "rubrictui · Inbox"
STORE = "bench.db"

STOCK = """
from textual.app import App
from textual.widgets import Input, OptionList, Static
class Bare(App):
    ENABLE_COMMAND_PALETTE = False
    def compose(self):
        yield Static("TITLE")
        yield Static("one line")
        yield OptionList(*[f"row {n}" for n in range(12)])
        yield Input()
        yield Static("two lines")
        yield Static("keys")
Bare().run()
""".replace("TITLE", TITLE)

SAME_WIDGETS = """
from textual.app import App
from textual.widgets import Static
from rubrictui.screens.inbox_rows import COLUMNS
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Row, RowsList
from rubrictui.widgets.title_bar import TitleBar
class Bare(App):
    def compose(self):
        rows = RowsList(COLUMNS)
        yield TitleBar("TITLE")
        yield Static("one line")
        yield rows
        yield FilterLine(rows)
        yield Static("two lines")
        yield KeyFooter()
        rows.set_rows([Row(id=str(n), cells=(f"row {n}", "rubric", "", "", "New", "")) for n in range(12)])
Bare().run()
""".replace("TITLE", TITLE)


def painted(arguments: Sequence[str], words: Sequence[str], home: Path) -> list[float]:
    """Milliseconds from the start of ``python ARGUMENTS`` until each of ``words`` was painted."""
    environment = {
        **{key: value for key, value in os.environ.items() if key not in LEFT_OUT},
        "TERM": "xterm-256color",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_STATE_HOME": str(home),
        "RUBRICTUI_DB": str(home / STORE),
    }
    start = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, *arguments], environment)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    output = b""
    times: dict[str, float] = {}
    try:
        while len(times) < len(words):
            output += os.read(fd, 65536)
            now = (time.perf_counter() - start) * 1000
            for word in words:
                if word not in times and word.encode() in output:
                    times[word] = now
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)
    return [times[word] for word in words]


def main(runs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        from rubrictui import Engine

        with Engine(Path(folder) / STORE) as engine:
            engine.load_samples()
            title = next(row.subject_title for row in engine.inbox() if row.state == "New")
        word = title.split()[0]
        stock: list[float] = []
        bare: list[float] = []
        frame: list[float] = []
        rows: list[float] = []
        home = Path(folder)
        for turn in range(runs + 1):
            measured = (
                painted(["-c", STOCK], [TITLE], home),
                painted(["-c", SAME_WIDGETS], [TITLE], home),
                painted(["-m", "rubrictui"], [TITLE, word], home),
            )
            if turn:  # the first turn warms the file cache
                stock += measured[0]
                bare += measured[1]
                frame.append(measured[2][0])
                rows.append(measured[2][1])
    report("a Textual app with stock widgets, first frame", stock)
    report("a bare Textual app with our widgets, first frame", bare)
    report("rubrictui, first frame", frame)
    report("rubrictui, inbox with real rows", rows)
    ratio = statistics.median(frame) / statistics.median(bare)
    median = statistics.median(rows)
    print(f"first frame against the bare app: {ratio:.2f}x (at most {FRAME_LIMIT}x)")
    print(f"inbox with real rows: {median:.0f} ms median (at most {ROWS_LIMIT_MS} ms)")
    return 0 if ratio <= FRAME_LIMIT and median <= ROWS_LIMIT_MS else 1


def report(what: str, times: list[float]) -> None:
    """One line: median, fastest, slowest."""
    print(f"{what:<52} {statistics.median(times):6.0f} ms  ({min(times):.0f} to {max(times):.0f})")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
