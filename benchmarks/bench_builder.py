"""How fast the builder is on a tree of 2,500 nodes, on a real terminal device, with a whole sample answered.

The builder runs in a process of its own on a pseudo terminal with a real store; this process types keys and looks at
what comes back: when the last byte of the frame arrived, and how many there were. Every edit is stored durably,
checked for problems and scored before its frame is whole.

    python benchmarks/bench_builder.py [--nodes 2500] [--size 120x40] [--keys 40]
"""

from __future__ import annotations

import argparse
import os
import select
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench_form import QUIET, Terminal, percentile

RUBRIC = "Large"


def fill_store(path: Path, count: int) -> None:
    """A store with the draft of one rubric of so many nodes, groups within groups, and a sample for all of it."""
    from rubrictui.core.answer_fill import fill_random, sample_answers
    from rubrictui.core.model import Level, Node, NodeType, Scale, VersionSnapshot
    from rubrictui.core.records import SampleSet
    from rubrictui.engine import Engine

    scale = Scale(
        id="00000000-0000-4000-8000-000000000001",
        name="Five levels",
        levels=tuple(
            Level(
                id=f"00000000-0000-4000-8000-00000000010{i}",
                label=f"L{i}",
                normalized_value=i / 4,
                sequence=i,
            )
            for i in range(5)
        ),
    )
    nodes: list[Node] = []

    def add(parent: str | None, kind: NodeType, sequence: int) -> str:
        own = f"00000000-0000-4000-9000-{len(nodes):012d}"
        is_leaf = kind is NodeType.CRITERION
        nodes.append(
            Node(
                id=own,
                key=f"node-{len(nodes)}",
                parent_id=parent,
                name=f"{'Criterion' if is_leaf else 'Part'} {len(nodes)} of a large rubric",
                description="What this node asks, in a sentence that is long enough to be folded once.",
                node_type=kind,
                scale_id=scale.id if is_leaf else None,
                weight=1 + len(nodes) % 4,
                sequence=sequence,
            )
        )
        return own

    for top in range(10):
        first = add(None, NodeType.GROUP, top)
        for middle in range(5):
            second = add(first, NodeType.GROUP, middle)
            for low in range(5):
                third = add(second, NodeType.GROUP, low)
                for leaf in range(max(count // 250 - 1, 1)):
                    add(third, NodeType.CRITERION, leaf)
    with Engine(path, user="bench") as engine:
        engine.save_scale(scale)
        engine.create_rubric(RUBRIC)
        draft = engine.version(f"{RUBRIC}@draft")
        version = VersionSnapshot(
            id=draft.id,
            rubric_id=draft.rubric_id,
            rubric_name=draft.rubric_name,
            pass_threshold=0.5,
            nodes=tuple(nodes),
            scales=(scale,),
        )
        engine.save_draft(version)
        kept = sample_answers(version, fill_random(version, 1))
        engine.save_sample_set(RUBRIC, SampleSet(name="Random", answers=kept))


def run_builder(path: Path) -> None:
    """A bare application; ``o`` opens the builder on the store."""
    import gc
    from collections.abc import Callable
    from datetime import UTC
    from typing import Any

    from textual.app import App, ComposeResult
    from textual.widgets import Static

    from rubrictui.engine import Engine
    from rubrictui.screens.builder import BuilderScreen
    from rubrictui.styles.themes import DARK, THEMES
    from rubrictui.widgets.guard import with_guard

    opened = Engine(path, user="bench")

    class Bench(App[None]):
        BINDINGS = [("o", "builder", "Builder")]  # noqa: RUF012
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

        async def engine(self) -> Engine:
            return opened

        async def ask(self, call: Callable[[Engine], Any]) -> Any:
            return call(opened)

        def report(self, error: BaseException) -> None:
            self.notify(str(error))

        def action_builder(self) -> None:
            self.push_screen(BuilderScreen(RUBRIC))

    Bench().run(mouse=False)
    opened.close()


def memory(pid: int) -> float:
    """The resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def unit() -> float:
    """Seconds of a processor that a plain loop of a million steps takes now: 0.05 or so on an idle machine."""
    began = time.process_time()
    total = 0
    for step in range(1_000_000):
        total += step
    return time.process_time() - began


def processor(pid: int) -> float:
    """Seconds of a processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def press(terminal: Terminal, key: str) -> tuple[float, float, int]:
    """Type a key; seconds until something of its frame was painted, until all of it was, and the bytes."""
    os.write(terminal.fd, key.encode())
    began = first = last = time.perf_counter()
    size = 0
    while select.select([terminal.fd], [], [], QUIET if size else 10)[0]:
        size += len(os.read(terminal.fd, 1 << 16))
        last = time.perf_counter()
        first = first if first > began else last
    return first - began, last - began, size


def report(name: str, presses: list[tuple[float, float, int]], used: float) -> None:
    first, whole = ([each[place] * 1000 for each in presses] for place in (0, 1))
    size = statistics.median(each[2] for each in presses)
    print(
        f"{name:<40} painted {statistics.median(first):6.1f} ms, p95 {percentile(first, 0.95):6.1f}"
        f"   with all that follows {statistics.median(whole):6.1f} ms, p95 {percentile(whole, 0.95):6.1f}"
        f"   processor {used / len(presses) * 1000:5.1f} ms   {size:6.0f} bytes"
    )


def measure(terminal: Terminal, size: str, nodes: int, keys: int) -> None:
    terminal.wait_for("ready to open")
    terminal.frame(quiet=0.5, limit=3)
    os.write(terminal.fd, b"o")
    opened = terminal.wait_for("Part 1 of")
    terminal.frame(quiet=0.8, limit=4)
    print(f"{nodes} nodes at {size}, every criterion answered, each edit stored durably before it is shown\n")
    print(f"{'a plain loop of a million steps':<40} {unit() * 1000:6.0f} ms")
    print(f"{'open the builder':<40} {opened * 1000:6.0f} ms (draft, sample and problems read, first frame)")
    print(f"{'memory':<40} {memory(terminal.pid):6.0f} MB")

    def repeat(name: str, text: str, count: int = keys) -> None:
        before = processor(terminal.pid)
        presses = [press(terminal, text[i % len(text)]) for i in range(count)]
        report(name, presses, processor(terminal.pid) - before)

    repeat("move the cursor", "j")
    for _ in range(4):
        terminal.press("j")
    repeat("give a sample answer", "12345")
    repeat("advisory, on and off", "A")
    repeat("move down and up among siblings", "][")
    repeat("duplicate a criterion", "D", keys // 2)
    repeat("undo a duplicate", "u", keys // 2)
    repeat("delete, undo", "du")
    repeat("outdent, indent", "<>")
    terminal.press("h")
    repeat("roll-up of a group", "r")
    repeat("advisory of a group", "A")
    repeat("fold and unfold", "hl")
    terminal.press("j")
    terminal.press("\r")
    terminal.press("\r")
    terminal.frame(quiet=0.4, limit=1)
    repeat("type a letter of the name in its field", "abcdefghij")
    print(f"{'memory after all this':<40} {memory(terminal.pid):6.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2500)
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_builder(options.run)
        return
    columns, rows = (int(part) for part in options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        fill_store(path, options.nodes)
        terminal = Terminal(path, columns, rows, script=__file__)
        try:
            measure(terminal, options.size, options.nodes, options.keys)
        finally:
            terminal.close()


if __name__ == "__main__":
    main()
