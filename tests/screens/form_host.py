"""A small application around the scoring form, and stores with drafts to score; for tests."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from shell_world import type_text
from textual.app import App
from textual.filter import LineFilter
from textual.pilot import Pilot

from rubrictui.core.model import (
    Anchor,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.records import Context, Draft, Subject, SubjectFile
from rubrictui.engine import Engine
from rubrictui.screens.scoring import ScoringScreen
from rubrictui.styles.themes import DARK, THEMES
from rubrictui.widgets.guard import with_guard

START = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)
RUBRIC = "Grant proposal"

HOSTILE = (
    "\x1b]0;owned\x07Title \x1b[31mred\x1b[0m \x9b2J [bold]not bold[/bold] [@click=app.quit]quit[/]\n\n"
    "A bidi \u202eoverride\u202c, a zero\u200bwidth, emoji 👩\u200d🚀 ⚠\ufe0f and 日本語 in a line.\n\n"
    "| 列 | b |\n|---|---|\n| \x1b[5m点\x1b[0m | 2 |\n"
)

_ID = "00000000-0000-4000-8000-0000000000{:02x}"


class Clock:
    """Every look at it is a second later, so that tests see the same times on every run."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def _levels(first: int, *labels: str) -> tuple[Level, ...]:
    top = len(labels) - 1
    return tuple(
        Level(id=_ID.format(first + n), label=label, normalized_value=n / top, sequence=n)
        for n, label in enumerate(labels)
    )


SCALES = (
    Scale(id=_ID.format(1), name="Miss to meets", levels=_levels(0x10, "Miss", "Partial", "Meets")),
    Scale(id=_ID.format(2), name="Nought to ten", levels=_levels(0x20, *(str(n) for n in range(11)))),
    Scale(
        id=_ID.format(3), name="Percentage", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100, step=5
    ),
)


def _nodes() -> tuple[Node, ...]:
    need, plan = _ID.format(0x40), _ID.format(0x41)
    return (
        Node(id=need, key="need", name="Need", node_type=NodeType.GROUP, weight=2),
        Node(
            id=_ID.format(0x42),
            key="problem",
            parent_id=need,
            name="The problem",
            description="The problem is real, and the proposal shows for whom.",
            guidance="Numbers count more than adjectives.",
            scale_id=_ID.format(1),
            is_gate=True,
            gate_minimum_score=0.5,
            rationale_required=True,
            not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
            anchors=(
                Anchor(scale_level_id=_ID.format(0x10), descriptor="Only claimed."),
                Anchor(scale_level_id=_ID.format(0x11), descriptor="Shown for some of those named."),
                Anchor(scale_level_id=_ID.format(0x12), descriptor="Shown with figures for all of them."),
            ),
        ),
        Node(
            id=_ID.format(0x43),
            key="people",
            parent_id=need,
            name="Those concerned",
            scale_id=_ID.format(1),
            evidence_required=True,
            sequence=1,
        ),
        Node(id=plan, key="plan", name="Plan", node_type=NodeType.GROUP, sequence=1),
        Node(id=_ID.format(0x44), key="steps", parent_id=plan, name="Steps", scale_id=_ID.format(2)),
        Node(
            id=_ID.format(0x45),
            key="budget",
            parent_id=plan,
            name="Budget explained",
            scale_id=_ID.format(3),
            sequence=1,
        ),
        Node(
            id=_ID.format(0x46),
            key="style",
            name="Style",
            scale_id=_ID.format(1),
            is_advisory=True,
            sequence=2,
        ),
    )


TEXT = """# Wells for Tarn Valley

The valley has **three wells** for 2,100 people. In the dry months two of them fail.

## Plan

1. Survey the slope in spring.
2. Drill two wells before June.

> We ask for 40,000 and bring 12,000 ourselves.
"""


def fill(engine: Engine) -> None:
    """One published rubric with every kind of criterion, a round, and three subjects."""
    for scale in SCALES:
        engine.save_scale(scale)
    engine.create_rubric(RUBRIC, id=_ID.format(0x50))
    draft = engine.version(f"{RUBRIC}@draft")
    engine.save_draft(
        VersionSnapshot(
            id=draft.id,
            rubric_id=draft.rubric_id,
            rubric_name=draft.rubric_name,
            instructions="Read the whole proposal before the first answer.",
            pass_threshold=0.6,
            minimum_completeness=0.5,
            nodes=_nodes(),
            scales=SCALES,
        )
    )
    engine.publish(RUBRIC)
    engine.add_context(Context(record_id="spring", name="Spring round"))
    engine.add_subjects(
        [
            Subject(
                record_id="wells",
                title="Wells for Tarn Valley",
                text=TEXT,
                data={"applicant": {"name": "Tarn Valley Trust", "members": 140}, "asked": 40000},
                files=(
                    SubjectFile(name="budget.csv", media_type="text/csv", text="item,sum\ndrill,30000\n"),
                ),
            ),
            Subject(record_id="hostile", title="Title \x1b]0;x\x07 [red]and[/red] 日本語", text=HOSTILE),
            Subject(record_id="school", title="A roof for the school", text="The roof leaks."),
        ]
    )


class Template:
    """A filled store, made once; every test gets a copy."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "template.db"
        with Engine(self._path, user="tester", clock=Clock()) as engine:
            fill(engine)

    def copy(self, folder: Path) -> Path:
        path = folder / "store.db"
        shutil.copy(self._path, path)
        return path


def opened(path: Path, subject: str = "wells") -> tuple[Engine, Draft]:
    """An engine on a store, and the tester's draft of a subject."""
    engine = Engine(path, user="tester", clock=Clock(START + timedelta(hours=1)))
    return engine, engine.open_draft(subject=f"Subject/{subject}", rubric=RUBRIC, context="Round/spring")


class FormHost(App[None]):
    """The form of one draft, with the real themes and style sheet and nothing else of the application."""

    CSS_PATH = Path(__file__).parents[2] / "src/rubrictui/styles/app.tcss"
    zone = UTC
    is_demo = False
    store_label = "test store"

    def __init__(self, engine: Engine, draft: Draft) -> None:
        super().__init__()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.engine = engine
        self.form = ScoringScreen(engine, draft)
        self.notices: list[str] = []

    def on_mount(self) -> None:
        self.push_screen(self.form)

    def notify(self, message: str, **details: Any) -> None:
        self.notices.append(message)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return with_guard(super().get_line_filters())


def screen_text(app: App[Any]) -> str:
    """What stands on the screen, line by line, from a screenshot."""
    lines: dict[float, str] = {}
    for top, text in re.findall(r'<text [^>]*?y="([\d.]+)"[^>]*?>([^<]*)</text>', app.export_screenshot()):
        lines[float(top)] = lines.get(float(top), "") + html.unescape(text).replace("\xa0", " ")
    return "\n".join(lines[top] for top in sorted(lines))


async def keys(pilot: Pilot[Any], typed: str) -> None:
    """Press keys, written with blanks between; ``"text"`` in quotes is typed letter by letter."""
    for word in typed.split():
        if word.startswith('"'):
            await type_text(pilot, word.strip('"').replace("_", " "))
        else:
            await pilot.press(word)
    await pilot.pause()


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Let the application run until something holds."""
    for _ in range(400):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came to hold")
