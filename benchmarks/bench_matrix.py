"""How fast the comparison matrix is and what it sends, on a real terminal device and a real store.

The matrix runs in a process of its own on a pseudo terminal; this process types keys and looks at what comes back:
when the last byte of the frame arrived, and how many there were.

    python benchmarks/bench_matrix.py [--criteria 500] [--evaluators 30] [--size 80x24] [--keys 60]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from bench_form import Terminal, fill_store, report


def fill_panel(path: Path, criteria: int, evaluators: int) -> None:
    """The store of the form's benchmark, with so many submitted evaluations of its subject."""
    import random

    from rubrictui.core.model import Answer
    from rubrictui.engine import Engine

    fill_store(path, criteria)
    draw = random.Random(4)
    with Engine(path, user="bench") as engine:
        for one in engine.inbox():
            if one.evaluation_id:
                engine.decline_draft(one.evaluation_id, "not needed")
        version = engine.version("Large")
        levels = [level.id for level in version.scales[0].levels]
        leaves = [node for node in version.nodes if node.is_criterion]
        for number in range(evaluators):
            engine.add_user(f"reviewer.{number + 1}", display_name=f"Reviewer {number + 1}")
    for number in range(evaluators):
        with Engine(path, user=f"reviewer.{number + 1}") as engine:
            engine.submit_human_rubric(
                version_id=version.id,
                subject="Subject/one",
                answers=[
                    Answer(
                        criterion_id=node.id,
                        scale_level_id=draw.choice(levels),
                        rationale="Why this level was chosen, in a sentence or two.",
                    )
                    for node in leaves
                ],
            )


def run_matrix(path: Path) -> None:
    """A bare application; ``o`` opens the matrix on the store, ``Q`` leaves."""
    import gc
    from datetime import UTC

    from textual.app import App, ComposeResult
    from textual.widgets import Static

    from rubrictui.engine import Engine
    from rubrictui.screens.matrix import MatrixScreen
    from rubrictui.styles.themes import DARK, THEMES
    from rubrictui.widgets.guard import with_guard

    engine = Engine(path, user="bench")
    engine.matrix_table(
        subject="Subject/one", rubric="Large"
    )  # the modules and statements of a running application

    class Bench(App[None]):
        BINDINGS = [("o", "matrix", "Matrix"), ("Q", "quit", "Quit")]  # noqa: RUF012
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

        async def ask(self, call):  # type: ignore[no-untyped-def]
            import asyncio

            return await asyncio.to_thread(call, engine)

        def action_matrix(self) -> None:
            self.push_screen(MatrixScreen("Subject/one", "Large"))

    Bench().run(mouse=False)
    engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--criteria", type=int, default=500)
    parser.add_argument("--evaluators", type=int, default=30)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_matrix(options.run)
        return
    columns, rows = (int(part) for part in options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        fill_panel(path, options.criteria, options.evaluators)
        terminal = Terminal(path, columns, rows, script=__file__)
        try:
            print(f"{options.criteria} criteria by {options.evaluators} evaluators at {options.size}\n")
            measure(terminal, options.keys)
        finally:
            terminal.close()


def measure(terminal: Terminal, keys: int) -> None:
    terminal.wait_for("ready to open")
    terminal.frame(quiet=0.5, limit=3)
    began = time.perf_counter()
    os.write(terminal.fd, b"o")
    terminal.wait_for("Reading the evaluations")
    first = time.perf_counter() - began
    terminal.wait_for("Overall")
    opened = time.perf_counter() - began
    terminal.frame(quiet=0.5, limit=3)
    print(
        f"{'open':<28} first frame {first * 1000:4.0f} ms, the matrix {(opened - first) * 1000:4.0f} ms after it"
    )
    report("a row on", [terminal.press("j") for _ in range(keys)])
    report("a column on and back", [terminal.press("lh"[i % 2]) for i in range(keys)])
    report("next disagreement", [terminal.press("n") for _ in range(keys)])
    report("across all columns", [terminal.press("l") for _ in range(29)])
    report("page of rows", [terminal.press("\x1b[6~") for _ in range(20)])
    report("page of columns", [terminal.press("<") for _ in range(5)])
    report("sort by spread, and back", [terminal.press("s") for _ in range(6)])
    report("fold all, and back", [terminal.press("Z") for _ in range(6)])
    terminal.press("\r")
    terminal.frame(quiet=0.6, limit=3)
    os.write(terminal.fd, b"\x1b")
    terminal.frame(quiet=0.6, limit=2)
    _, idle = terminal.frame(limit=5)
    print(f"{'idle for 5 s':<28} {len(idle)} bytes")


if __name__ == "__main__":
    main()
