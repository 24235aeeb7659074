"""A small, fixed world for the tests of the shell: a stand-in engine, a clock that stands still."""

from __future__ import annotations

import html
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot

from rubrictui.app import RubrictuiApp
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
    VersionStatus,
)
from rubrictui.core.records import (
    Context,
    InboxRow,
    RubricSummary,
    Subject,
    User,
    VersionSummary,
)
from rubrictui.shell.opening import StoreOpening

ME = User(id="u-me", name="m.ruiz", display_name="Marta Ruiz")
CELL = 12.2
"""Units a cell is wide in a screenshot."""
NOW = datetime(2027, 3, 1, 9, 30, tzinfo=UTC)

SCALE = Scale(
    id="s-mpm",
    name="Meets / Partial / Miss",
    levels=(
        Level(id="l-miss", label="Miss", value=0, normalized_value=0, sequence=0),
        Level(id="l-partial", label="Partial", value=1, normalized_value=0.5, sequence=1),
        Level(id="l-meets", label="Meets", value=2, normalized_value=1, sequence=2),
    ),
)
NUMERIC = Scale(
    id="s-days",
    name="Days",
    scale_type=ScaleType.NUMERIC,
    min_value=0,
    max_value=90,
    step=1,
    higher_is_better=False,
)


def version(number: str = "1.2.0", *, status: VersionStatus = VersionStatus.PUBLISHED) -> VersionSnapshot:
    """A vendor rubric with what a viewer has to show: groups, gates, advisory, N/A policies, anchors, bands."""
    major, minor, patch = (int(part) for part in number.split("."))
    return VersionSnapshot(
        id=f"v-{number}",
        rubric_id="r-vendor",
        rubric_name="Vendor proposal",
        major_version=major,
        minor_version=minor,
        patch_version=patch,
        status=status,
        instructions="Read the whole proposal first. Score what is written, not what you know about the vendor.",
        pass_threshold=0.6,
        minimum_completeness=0.8,
        nodes=(
            Node(
                id="n-sec",
                key="security",
                name="Security",
                node_type=NodeType.GROUP,
                weight=2,
                rollup_method=RollupMethod.MINIMUM,
            ),
            Node(
                id="n-enc",
                key="encryption",
                parent_id="n-sec",
                name="Encryption",
                description="Data at rest and in transit.",
                guidance="Look for named algorithms and who holds the keys.",
                scale_id="s-mpm",
                is_gate=True,
                gate_minimum_score=0.5,
                not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
                evidence_required=True,
                sequence=0,
                anchors=(
                    Anchor(scale_level_id="l-miss", descriptor="Not mentioned, or plain text anywhere."),
                    Anchor(scale_level_id="l-partial", descriptor="In transit only."),
                    Anchor(scale_level_id="l-meets", descriptor="At rest and in transit, keys held by us."),
                ),
            ),
            Node(
                id="n-aud",
                key="audit",
                parent_id="n-sec",
                name="Audit trail",
                scale_id="s-mpm",
                sequence=1,
                rationale_required=True,
            ),
            Node(id="n-cost", key="cost", name="Cost", node_type=NodeType.GROUP, weight=1, sequence=1),
            Node(
                id="n-price",
                key="price",
                parent_id="n-cost",
                name="Price against the market",
                scale_id="s-mpm",
                weight=3,
            ),
            Node(
                id="n-days",
                key="delivery",
                parent_id="n-cost",
                name="Days to deliver",
                scale_id="s-days",
                weight=1,
                sequence=1,
            ),
            Node(
                id="n-tone",
                key="tone",
                name="Tone of the proposal",
                scale_id="s-mpm",
                weight=1,
                is_advisory=True,
                sequence=2,
            ),
        ),
        scales=(SCALE, NUMERIC),
        bands=(
            Band(id="b1", label="Weak", min_score=0, max_score=0.5, display_tone="Danger"),
            Band(id="b2", label="Fair", min_score=0.5, max_score=0.8, display_tone="Warning", sequence=1),
            Band(id="b3", label="Strong", min_score=0.8, max_score=1, display_tone="Success", sequence=2),
        ),
    )


def row(n: int, title: str, state: str, **values: Any) -> InboxRow:
    base: dict[str, Any] = {
        "subject_id": f"sub-{n}",
        "subject_entity": "Proposal",
        "subject_record_id": f"p-{n}",
        "rubric_id": "r-vendor",
        "rubric_name": "Vendor proposal",
        "version_id": "v-1.2.0",
        "version_number": "1.2.0",
        "context_id": "c-spring",
        "context_name": "Spring round",
        "assignment_id": f"a-{n}",
        "total": 5,
    }
    return InboxRow(subject_title=title, state=state, **{**base, **values})


INBOX: tuple[InboxRow, ...] = (
    row(1, "Northwind: cold chain tracking", "New", due_at=NOW + timedelta(days=3)),
    row(
        2,
        "Harbour Freight portal",
        "Draft",
        answered=2,
        evaluation_id="e-2",
        due_at=NOW + timedelta(hours=7),
        updated_at=NOW - timedelta(hours=14),
    ),
    row(3, "Óbuda Data Kft. [bold]offer[/bold] 日本語", "New", due_at=NOW - timedelta(days=2)),
    row(4, "Sandpiper Analytics", "New", context_id=None, context_name=None),
    row(
        5,
        "Kestrel Systems",
        "Submitted",
        answered=5,
        evaluation_id="e-5",
        normalized_score=0.8241,
        outcome="Passed",
        updated_at=NOW - timedelta(days=1),
    ),
    row(
        6,
        "Old Mill Software",
        "Submitted",
        answered=5,
        evaluation_id="e-6",
        normalized_score=0.71,
        outcome="GateFailed",
        updated_at=NOW - timedelta(days=4),
    ),
)

RUBRICS: tuple[RubricSummary, ...] = (
    RubricSummary(
        id="r-vendor",
        name="Vendor proposal",
        category="Procurement",
        description="What we ask of anyone who sells to us.",
        versions=(
            VersionSummary(
                id="v-2.0.0",
                rubric_id="r-vendor",
                rubric_name="Vendor proposal",
                number=None,
                status=VersionStatus.DRAFT,
                criteria_count=6,
                created_at=NOW,
            ),
            VersionSummary(
                id="v-1.2.0",
                rubric_id="r-vendor",
                rubric_name="Vendor proposal",
                number="1.2.0",
                status=VersionStatus.PUBLISHED,
                criteria_count=5,
                evaluation_count=12,
                content_hash="c0ffee" + "0" * 58,
                scoring_hash="5c0e" + "1" * 60,
                published_at=NOW - timedelta(days=30),
                change_summary="Audit trail asked for.",
            ),
            VersionSummary(
                id="v-1.1.0",
                rubric_id="r-vendor",
                rubric_name="Vendor proposal",
                number="1.1.0",
                status=VersionStatus.RETIRED,
                criteria_count=4,
                evaluation_count=40,
                published_at=NOW - timedelta(days=300),
            ),
        ),
    ),
    RubricSummary(
        id="r-abstract",
        name="Conference abstract",
        category="Research",
        versions=(
            VersionSummary(
                id="v-a",
                rubric_id="r-abstract",
                rubric_name="Conference abstract",
                number="1.0.0",
                status=VersionStatus.PUBLISHED,
                criteria_count=7,
                evaluation_count=3,
                published_at=NOW - timedelta(days=12),
            ),
        ),
    ),
)

SUBJECTS: tuple[Subject, ...] = tuple(
    Subject(id=f"sub-{n}", entity="Proposal", record_id=f"p-{n}", title=title, text="Text.")
    for n, title in enumerate(
        ["Northwind: cold chain tracking", "Harbour Freight portal", "Sandpiper Analytics"], start=1
    )
)


@dataclass
class StandIn:
    """Answers what the shell asks of the engine; fields are the store."""

    rows: tuple[InboxRow, ...] = INBOX
    catalog: tuple[RubricSummary, ...] = RUBRICS
    pool: tuple[Subject, ...] = SUBJECTS
    user: User = ME
    closed: bool = False
    calls: list[str] = field(default_factory=list)

    def inbox(self, *, include_done: bool = True) -> tuple[InboxRow, ...]:
        return self.rows

    def is_empty(self) -> bool:
        return not self.rows and not self.catalog

    def load_samples(self, *, for_user: str | None = None) -> None:
        self.calls.append("load_samples")
        self.rows, self.catalog, self.pool = INBOX, RUBRICS, SUBJECTS

    def rubrics(self, *, category: str | None = None, search: str | None = None) -> tuple[RubricSummary, ...]:
        return self.catalog

    def rubric(self, name_or_id: str) -> RubricSummary:
        return next(r for r in self.catalog if name_or_id in {r.id, r.name})

    def version(self, ref: str) -> VersionSnapshot:
        if ref not in {"v-1.2.0", "v-1.1.0", "v-2.0.0"}:
            raise RubrictuiError(f"No version {ref}.", remedy="Choose another one.")
        return version(ref.removeprefix("v-"))

    def subjects(self, **_: object) -> tuple[Subject, ...]:
        return self.pool

    def contexts(self) -> tuple[Context, ...]:
        return (Context(id="c-spring", record_id="spring", name="Spring round"),)

    def evaluations(self, **_: object) -> tuple[object, ...]:
        return ()

    def close(self) -> None:
        self.closed = True


class SlowOpening(StoreOpening):
    """An opening that gives the first rows at once and the engine when the test says so."""

    def __init__(
        self,
        engine: StandIn,
        *,
        first: tuple[InboxRow, ...] | None = None,
        gate: threading.Event | None = None,
    ) -> None:
        def make(_target: object, _user: object) -> Any:
            if gate is not None:
                gate.wait(60)
            return engine

        super().__init__("/nowhere/shelf.db", make_engine=make)
        self._rows = first

    def _read_inbox(self) -> tuple[InboxRow, ...] | None:
        return self._rows


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A terminal that is the same everywhere, and folders of the test's own; the folder is the value.

    An error that nobody foresaw fails the test, unless it says "on purpose".
    """
    for name in ("NO_COLOR", "TEXTUAL_THEME", "SSH_CONNECTION", "RUBRICTUI_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    yield tmp_path
    log = tmp_path / "xdg_state_home" / "rubrictui" / "errors.log"
    if log.exists():
        assert "on purpose" in log.read_text(), log.read_text()


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Let the app run until ``holds``; a busy machine may take its time."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came to hold:\n" + painted(pilot.app))


async def type_text(pilot: Pilot[Any], text: str) -> None:
    """Type a text in one burst, as a fast typist or a slow line does; ``pilot.press`` waits after every key."""
    app = pilot.app
    assert app._driver is not None
    for character in text:
        key = events.Key(character if character.isalnum() else _character_to_key(character), character)
        key.set_sender(app)
        app._driver.send_message(key)
    await pilot.pause()


async def settle(pilot: Pilot[Any]) -> None:
    """Let the app finish what it has begun."""
    await pilot.pause()
    await until(pilot, lambda: all(worker.is_finished for worker in pilot.app.workers))
    await pilot.pause()


def painted(app: App[Any]) -> str:
    """The screen as text, from the screenshot."""
    lines: dict[float, list[str]] = {}
    for x, y, text in re.findall(
        r'<text [^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*?>([^<]*)</text>', app.export_screenshot()
    ):
        line = lines.setdefault(float(y), [])
        line += [" "] * (round(float(x) / CELL) - cell_len("".join(line)))
        line.append(html.unescape(text).replace("\xa0", " "))
    written = ("".join(line).rstrip() for _, line in sorted(lines.items()))
    return "\n".join(line for line in written if line)


def app_on(engine: StandIn, state: Path, **values: Any) -> RubrictuiApp:
    """The app on a stand-in store; what it keeps goes under ``state``."""
    return RubrictuiApp(
        SlowOpening(engine, first=engine.rows),
        settings_file=state / "config.json",
        now=lambda: NOW,
        zone=UTC,
        **values,
    )
