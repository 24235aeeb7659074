"""How fast the scoring form is and what it sends, with 500 criteria of five levels, on a real terminal device.

The form runs in a process of its own on a pseudo terminal with a real store; this process types keys and
looks at what comes back: when the last byte of the frame arrived, and how many there were.

    python benchmarks/bench_form.py [--criteria 500] [--size 80x24] [--keys 60]
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

QUIET = 0.08
"""Seconds without a byte after which a frame counts as whole."""


# --- The form, in a process of its own --------------------------------------------------------------------


def fill_store(path: Path, criteria: int) -> None:
    """A store with one rubric of so many criteria, published, and a subject to score."""
    from rubrictui.core.model import Anchor, Level, Node, NodeType, Scale, VersionSnapshot
    from rubrictui.core.records import Subject
    from rubrictui.engine import Engine

    labels = ("Absent", "Weak", "Fair", "Good", "Strong")
    scale = Scale(
        id="00000000-0000-4000-8000-000000000001",
        name="Five levels",
        levels=tuple(
            Level(
                id=f"00000000-0000-4000-8000-00000000010{i}", label=label, normalized_value=i / 4, sequence=i
            )
            for i, label in enumerate(labels)
        ),
    )
    nodes: list[Node] = []
    for index in range(criteria):
        group = f"00000000-0000-4000-9000-{index // 10:012d}"
        if index % 10 == 0:
            nodes.append(
                Node(
                    id=group,
                    key=f"group_{index // 10}",
                    name=f"Part {index // 10 + 1}",
                    node_type=NodeType.GROUP,
                    sequence=index,
                )
            )
        nodes.append(
            Node(
                id=f"00000000-0000-4000-a000-{index:012d}",
                key=f"criterion_{index}",
                parent_id=group,
                name=f"Criterion {index + 1}",
                description="What this criterion asks, in a sentence that is long enough to be folded once.",
                scale_id=scale.id,
                sequence=index,
                anchors=tuple(
                    Anchor(scale_level_id=level.id, descriptor=f"What {level.label.lower()} means here.")
                    for level in scale.levels
                ),
            )
        )
    with Engine(path, user="bench") as engine:
        engine.save_scale(scale)
        engine.create_rubric("Large")
        draft = engine.version("Large@draft")
        engine.save_draft(
            VersionSnapshot(
                id=draft.id,
                rubric_id=draft.rubric_id,
                rubric_name=draft.rubric_name,
                nodes=tuple(nodes),
                scales=(scale,),
            )
        )
        engine.publish("Large")
        text = "\n\n".join(
            f"Paragraph {i}. " + "Words that fill a line or two of the page. " * 4 for i in range(60)
        )
        engine.add_subjects([Subject(record_id="one", title="A long submission", text=text)])
        draft_of = engine.open_draft(subject="Subject/one", rubric="Large")
        engine.save_cursor(draft_of.evaluation.id, "criterion_0")


def run_form(path: Path) -> None:
    """A bare application; ``o`` opens the form on the store, ``Q`` leaves."""
    import gc
    from datetime import UTC

    from textual.app import App, ComposeResult
    from textual.widgets import Static

    from rubrictui.engine import Engine
    from rubrictui.screens.scoring import ScoringScreen
    from rubrictui.styles.themes import DARK, THEMES
    from rubrictui.widgets.guard import with_guard

    engine = Engine(path, user="bench")

    class Bench(App[None]):
        BINDINGS = [("o", "form", "Form"), ("Q", "quit", "Quit")]  # noqa: RUF012
        zone = UTC

        def compose(self) -> ComposeResult:
            yield Static("ready to open")

        def on_mount(self) -> None:
            gc.freeze()  # as the application does once everything is loaded
            self.animation_level = "none"
            for theme in THEMES:
                self.register_theme(theme)
            self.theme = DARK

        def get_line_filters(self):  # type: ignore[no-untyped-def]
            return with_guard(super().get_line_filters())

        def action_form(self) -> None:
            self.push_screen(ScoringScreen(engine, engine.open_draft(subject="Subject/one", rubric="Large")))

    Bench().run(mouse=False)
    engine.close()


# --- The terminal -----------------------------------------------------------------------------------------


class Terminal:
    """A program that opens on a store, on a pseudo terminal of its own."""

    def __init__(self, path: Path, columns: int, rows: int, *, script: str = __file__) -> None:
        from rubrictui.cli._frame import FRAMES

        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TEXTUAL_THEME")}
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_FPS": FRAMES}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, script, "--run", str(path)], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def frame(self, *, limit: float = 10.0, quiet: float = QUIET) -> tuple[float, bytes]:
        """Seconds until the last byte of what comes next, and the bytes."""
        began = last = time.perf_counter()
        data = b""
        while time.perf_counter() - began < limit:
            wait = quiet if data else limit
            if not select.select([self.fd], [], [], wait)[0]:
                break
            data += os.read(self.fd, 1 << 16)
            last = time.perf_counter()
        return last - began, data

    def wait_for(self, text: str, limit: float = 20.0) -> float:
        """Seconds until ``text`` was painted."""
        began = time.perf_counter()
        seen = b""
        while text.encode() not in seen:
            if time.perf_counter() - began > limit:
                raise SystemExit(f"{text!r} was never painted: {seen[-500:]!r}")
            if select.select([self.fd], [], [], 0.5)[0]:
                seen += os.read(self.fd, 1 << 16)
        return time.perf_counter() - began

    def press(self, key: str) -> tuple[float, int]:
        """Type a key; seconds until its frame was whole, and the bytes of the frame."""
        os.write(self.fd, key.encode())
        seconds, data = self.frame()
        return seconds, len(data)

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def report(name: str, presses: list[tuple[float, int]]) -> None:
    times = [seconds * 1000 for seconds, _ in presses]
    sizes = [size for _, size in presses]
    print(
        f"{name:<28} {statistics.median(times):6.1f} ms median {percentile(times, 0.95):6.1f} ms p95"
        f"   {statistics.median(sizes):6.0f} bytes median {max(sizes):6d} most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--criteria", type=int, default=500)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_form(options.run)
        return
    columns, rows = (int(part) for part in options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        fill_store(path, options.criteria)
        terminal = Terminal(path, columns, rows)
        try:
            measure(terminal, options.criteria, options.size, options.keys)
        finally:
            terminal.close()


def measure(terminal: Terminal, criteria: int, size: str, keys: int) -> None:
    terminal.wait_for("ready to open")
    terminal.frame(quiet=0.5, limit=3)
    os.write(terminal.fd, b"o")
    opened = terminal.wait_for("answered")
    terminal.frame(quiet=0.5, limit=3)
    print(f"{criteria} criteria of five levels at {size}, each answer stored durably before it is shown\n")
    print(f"{'open the form':<28} {opened * 1000:6.0f} ms (draft read, first frame whole)")
    if columns_of(size) < 110:
        terminal.press("\t")
    terminal.frame(quiet=0.4, limit=1)
    report("pick a level", [terminal.press("12345"[i % 5]) for i in range(keys)])
    report("move to the next criterion", [terminal.press("j") for _ in range(keys)])
    report("move and pick", [terminal.press("3j"[i % 2]) for i in range(keys)])
    report("not applicable", [terminal.press("n") for _ in range(keys // 2)])
    report("page of the list", [terminal.press("\x1b[6~") for _ in range(20)])
    report("undo", [terminal.press("u") for _ in range(keys // 2)])
    terminal.press("r")
    terminal.frame(quiet=0.5, limit=2)
    report("type a letter of a rationale", [terminal.press("abcdefghij"[i % 10]) for i in range(40)])
    terminal.frame(quiet=0.6, limit=2)
    os.write(terminal.fd, b"\x1b")
    terminal.frame(quiet=0.6, limit=2)
    _, idle = terminal.frame(limit=5)
    print(f"{'idle for 5 s':<28} {len(idle)} bytes")


def columns_of(size: str) -> int:
    return int(size.split("x", maxsplit=1)[0])


if __name__ == "__main__":
    main()
