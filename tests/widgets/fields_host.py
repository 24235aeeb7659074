"""A small application around the fields pane: a draft that takes the changes as they come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from rubrictui.core.authoring import publish_problems, weight_shares
from rubrictui.core.model import (
    Anchor,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.styles.themes import DARK, THEMES
from rubrictui.widgets.field_rule import try_rule
from rubrictui.widgets.fields_pane import FieldsPane
from rubrictui.widgets.guard import with_guard
from rubrictui.widgets.key_footer import KeyFooter


def scale(id: str, name: str, *labels: str) -> Scale:
    top = max(len(labels) - 1, 1)
    return Scale(
        id=id,
        name=name,
        levels=tuple(
            Level(id=f"{id}-{n}", label=label, normalized_value=n / top, sequence=n)
            for n, label in enumerate(labels)
        ),
    )


MEETS = scale("meets", "Miss to meets", "Miss", "Partial", "Meets")
FIVE = scale("five", "Five steps", "Poor", "Fair", "Good", "Very good", "Excellent")
PERCENT = Scale(id="percent", name="Percentage", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100)
FIFTY = scale("fifty", "Fifty", *(f"Step {n}" for n in range(1, 51)))

HOSTILE = "\x1b]0;owned\x07 [bold]x[/] [@click=app.quit]q[/] \u202eback \u200b日本語"

NEED = Node(id="need", key="need", name="Need", node_type=NodeType.GROUP, weight=2)
PROBLEM = Node(
    id="problem",
    key="problem",
    parent_id="need",
    name="The problem is real",
    description="The problem is real, and the proposal shows for whom.",
    scale_id="meets",
    is_gate=True,
    anchors=(
        Anchor(scale_level_id="meets-0", descriptor="Only claimed."),
        Anchor(scale_level_id="meets-2", descriptor="Shown with figures for all of them."),
    ),
    evaluator_config={
        "Deterministic": {
            "Path": "applicant.members",
            "Operator": "gte",
            "Values": [10],
            "LevelWhenTrue": "Meets",
            "LevelWhenFalse": "Miss",
        }
    },
)
PEOPLE = Node(
    id="people", key="people", parent_id="need", name="Those concerned", scale_id="five", sequence=1
)
STRANGE = Node(
    id="strange",
    key="strange",
    parent_id="need",
    name=HOSTILE,
    description=HOSTILE,
    scale_id="gone",
    weight=-1,
)
VERSION = VersionSnapshot(
    id="draft",
    rubric_name="Grant proposal",
    instructions="Read the whole proposal before the first answer.",
    pass_threshold=0.6,
    not_applicable_policy=NotApplicablePolicy.COUNT_AS_ZERO,
    nodes=(NEED, PROBLEM, PEOPLE, STRANGE),
    scales=(MEETS, FIVE),
    bands=(
        Band(id="low", label="Weak", max_score=0.5, display_tone="danger"),
        Band(id="high", label="Strong", min_score=0.6, display_tone="success", sequence=1),
    ),
)

DATA = {"applicant": {"members": 140}}


class Host(Screen[None]):
    """Takes what the pane sends, as the builder does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "letter('a')", "A letter of the screen"),
        ("x", "letter('x')", ""),
    ]

    def __init__(self, version: VersionSnapshot, node_id: str | None) -> None:
        super().__init__()
        self.version = version
        self.node_id = node_id
        self.pane = FieldsPane(id="fields")
        self.pane.set_scales((MEETS, FIVE, PERCENT, FIFTY), frozen=("meets",))
        self.sent: list[tuple[str | None, str, Any]] = []
        self.edits: list[int] = []
        self.asked: list[str] = []
        self.letters: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.pane
        yield KeyFooter()

    def on_mount(self) -> None:
        self.show()
        self.pane.take_focus()

    def show(self, node_id: str | None = "") -> None:
        """Show the version as it is now; another node where one is named."""
        if node_id != "":
            self.node_id = node_id
        problems = publish_problems(self.version)
        node = next((node for node in self.version.nodes if node.id == self.node_id), None)
        if node is None:
            self.pane.show_version(self.version, problems)
        else:
            self.pane.show_node(
                self.version,
                node,
                shares=weight_shares(self.version),
                problems=problems,
                frozen_keys={"problem", "need"},
            )

    def change(self, node_id: str | None, **changes: Any) -> None:
        """What the builder makes of a change, or somebody else."""
        if node_id is None:
            self.version = replace(self.version, **changes)
        else:
            nodes = [replace(n, **changes) if n.id == node_id else n for n in self.version.nodes]
            self.version = replace(self.version, nodes=tuple(nodes))
        self.show()

    def on_fields_pane_changed(self, message: FieldsPane.Changed) -> None:
        self.sent.append((message.target, message.field, message.value))
        self.edits.append(message.edit)
        if message.field == "scale":
            known = {scale.id for scale in self.version.scales}
            if message.value is not None and message.value.id not in known:
                self.version = replace(self.version, scales=(*self.version.scales, message.value))
            self.change(message.target, scale_id=message.value.id if message.value else None)
        elif message.field == "anchor":
            level_id, text = message.value
            node = next(node for node in self.version.nodes if node.id == message.target)
            others = tuple(anchor for anchor in node.anchors if anchor.scale_level_id != level_id)
            new = (Anchor(scale_level_id=level_id, descriptor=text),) if text else ()
            self.change(message.target, anchors=(*others, *new))
        else:
            self.change(message.target, **{message.field: message.value})

    def on_fields_pane_rekey_asked(self, message: FieldsPane.RekeyAsked) -> None:
        self.sent.append((message.target, "key", message.key))
        self.change(message.target, key=message.key)

    def on_fields_pane_bands_asked(self) -> None:
        self.asked.append("bands")

    def on_fields_pane_new_scale_asked(self) -> None:
        self.asked.append("scale")

    def on_fields_pane_rule_test_asked(self, message: FieldsPane.RuleTestAsked) -> None:
        self.asked.append("rule")
        self.pane.show_trial(try_rule(message.config, message.scale, "Wells for Tarn Valley", DATA))

    def action_letter(self, letter: str) -> None:
        self.letters.append(letter)


class FieldsHost(App[None]):
    """The pane with the real themes and nothing else of the application."""

    CSS_PATH = Path(__file__).parents[2] / "src/rubrictui/styles/app.tcss"

    def __init__(self, node_id: str | None = "problem", version: VersionSnapshot = VERSION) -> None:
        super().__init__()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.host = Host(version, node_id)

    def on_mount(self) -> None:
        self.push_screen(self.host)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return with_guard(super().get_line_filters())
