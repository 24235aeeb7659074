"""A small application around the builder, and stores with rubrics to build; for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from form_host import Clock
from textual.filter import LineFilter
from textual.pilot import Pilot

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import (
    Anchor,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.engine import Engine
from rubrictui.screens.builder import BuilderScreen
from rubrictui.shell.keys_in_order import KeysInOrder
from rubrictui.styles.themes import DARK, THEMES
from rubrictui.widgets.guard import with_guard

RUBRIC = "Buying"

_ID = "00000000-0000-4000-8000-0000000000{:02x}"


def levels(first: int, *labels: str) -> tuple[Level, ...]:
    """Levels spread evenly from 0 to 1, worst first."""
    top = len(labels) - 1
    return tuple(
        Level(id=_ID.format(first + n), label=label, normalized_value=n / top, sequence=n)
        for n, label in enumerate(labels)
    )


COMPLIANCE = Scale(
    id=_ID.format(1), name="Compliance", levels=levels(0x10, "Non-compliant", "Partial", "Compliant")
)
MEETS = Scale(
    id=_ID.format(2), name="Meets / Partial / Miss", levels=levels(0x20, "Miss", "Partial", "Meets")
)
TEN = Scale(id=_ID.format(3), name="Nought to ten", levels=levels(0x30, *(str(n) for n in range(11))))
PERCENT = Scale(
    id=_ID.format(4), name="Percentage", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100, step=1
)
SCALES = (COMPLIANCE, MEETS, TEN, PERCENT)


def node(number: int, key: str, name: str, parent: int | None = None, **fields: Any) -> Node:
    """A node with an id of its number."""
    return Node(
        id=_ID.format(number),
        key=key,
        name=name,
        parent_id=None if parent is None else _ID.format(parent),
        sequence=number,
        **fields,
    )


def buying() -> tuple[Node, ...]:
    """Two groups, a gate, an advisory criterion, one on two digits and one on a number."""
    group = NodeType.GROUP
    anchors = tuple(
        Anchor(scale_level_id=level.id, descriptor=f"What {level.label.lower()} means here.")
        for level in COMPLIANCE.levels
    )
    return (
        node(0x50, "security", "Security", node_type=group, rollup_method=RollupMethod.MINIMUM),
        node(0x51, "encryption", "Encryption", 0x50, scale_id=COMPLIANCE.id, anchors=anchors),
        node(
            0x52,
            "access",
            "Access control",
            0x50,
            scale_id=COMPLIANCE.id,
            is_gate=True,
            gate_minimum_score=0.5,
            not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
            anchors=anchors,
        ),
        node(0x53, "delivery", "Delivery", node_type=group),
        node(0x54, "schedule", "Schedule", 0x53, scale_id=TEN.id),
        node(0x55, "price", "Share of the budget", 0x53, scale_id=PERCENT.id, weight=2),
        node(0x56, "notes", "Notes quality", scale_id=MEETS.id, is_advisory=True),
    )


BANDS = (
    Band(id=_ID.format(0x60), label="No", min_score=0, max_score=0.6, display_tone="danger"),
    Band(id=_ID.format(0x61), label="Yes", min_score=0.6, max_score=1, display_tone="success", sequence=1),
)


def fill(engine: Engine, *, published: bool = True) -> None:
    """The scales, and a rubric with (or without) a published version; its draft is new."""
    for scale in SCALES:
        engine.save_scale(scale)
    engine.create_rubric(RUBRIC, id=_ID.format(0x70))
    draft = engine.version(f"{RUBRIC}@draft")
    engine.save_draft(
        VersionSnapshot(
            id=draft.id,
            rubric_id=draft.rubric_id,
            rubric_name=draft.rubric_name,
            pass_threshold=0.6,
            nodes=buying(),
            scales=SCALES,
            bands=BANDS,
        )
    )
    if published:
        engine.publish(RUBRIC)
        engine.start_draft(RUBRIC)


def opened(path: Path, *, user: str = "author") -> Engine:
    """An engine on a store; the first user of a store may do everything."""
    return Engine(path, user=user, clock=Clock())


class BuilderHost(KeysInOrder[None]):
    """The builder with the real themes and style sheet and nothing else of the application."""

    CSS_PATH = Path(__file__).parents[2] / "src/rubrictui/styles/app.tcss"
    zone = UTC
    is_demo = False
    store_label = "test store"

    def __init__(self, engine: Engine, rubric: str = RUBRIC) -> None:
        super().__init__()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self._engine = engine
        self.builder = BuilderScreen(rubric)
        self.notices: list[str] = []

    def on_mount(self) -> None:
        self.push_screen(self.builder)

    def notify(self, message: str, **details: Any) -> None:
        self.notices.append(message)

    def report(self, error: BaseException) -> None:
        self.notices.append(str(error))
        if not isinstance(error, RubrictuiError):
            raise error

    async def engine(self) -> Engine:
        return self._engine

    async def ask(self, call: Callable[[Engine], Any]) -> Any:
        return call(self._engine)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return with_guard(super().get_line_filters())


async def ready(pilot: Pilot[Any]) -> None:
    """Let the builder read its draft."""
    app = pilot.app
    assert isinstance(app, BuilderHost)
    for _ in range(400):
        if app.builder.is_open:
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError("the draft was never read")
