"""A store with people in it, a clock that ticks, and a small rubric with ids that can be read."""

from __future__ import annotations

import itertools
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from rubrictui.core.model import (
    Answer,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.records import Role, Subject
from rubrictui.engine import Engine

MEETS = Scale(
    id="scale-mpm",
    name="Meets / Partial / Miss",
    levels=(
        Level(id="miss", label="Miss", value=0, normalized_value=0.0, sequence=0),
        Level(id="partial", label="Partial", value=1, normalized_value=0.5, sequence=1),
        Level(id="meets", label="Meets", value=2, normalized_value=1.0, sequence=2),
    ),
)
WEEKS = Scale(
    id="scale-weeks",
    name="Weeks",
    scale_type=ScaleType.NUMERIC,
    min_value=0,
    max_value=10,
    step=1,
    higher_is_better=False,
)
NODES = (
    Node(id="n-argument", key="argument", name="Argument", scale_id="scale-mpm", rationale_required=True),
    Node(id="n-quality", key="quality", name="Quality", node_type=NodeType.GROUP),
    Node(
        id="n-sources",
        key="sources",
        name="Sources",
        parent_id="n-quality",
        scale_id="scale-mpm",
        evidence_required=True,
    ),
    Node(
        id="n-clarity",
        key="clarity",
        name="Clarity",
        parent_id="n-quality",
        scale_id="scale-mpm",
        not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
    ),
    Node(id="n-weeks", key="weeks", name="Weeks late", scale_id="scale-weeks", is_advisory=True),
)
TEXT = "Tides were measured hourly for a year. The gauges agree within two centimetres."
SUBJECT = Subject(
    id="s-tides", entity="Paper", record_id="tides", title="Tides", text=TEXT, data={"pages": 12}
)


def answers(**given: Any) -> tuple[Answer, ...]:
    """``argument="meets"``, ``weeks=3``, ``sources=None`` (N/A), by criterion key."""
    made = []
    for key, value in given.items():
        kwargs: dict[str, Any] = {"criterion_id": f"n-{key}"}
        if value is None:
            kwargs["is_not_applicable"] = True
        elif isinstance(value, str):
            kwargs["scale_level_id"] = value
        else:
            kwargs["raw_value"] = value
        made.append(Answer(**kwargs))
    return tuple(made)


class World:
    """One store file and the people who work in it.

    The file is exchanged between tests and the open engine kept, with the statements it has compiled:
    opening one for every person of every test would take longer than the tests.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: list[Engine] = []
        self._ticks = itertools.count()
        self.chief = Engine(path, user="chief", clock=self.clock)

    def clock(self) -> datetime:
        return datetime(2027, 1, 1, tzinfo=UTC) + timedelta(seconds=next(self._ticks))

    def engine(self, name: str, **options: Any) -> Engine:
        """The store opened once more, by this login."""
        opened = Engine(self.path, user=name, clock=self.clock, **options)
        self._opened.append(opened)
        return opened

    def user(self, name: str, *roles: Role) -> Engine:
        """A user of the store with these roles (a reviewer when new), and an engine on which she asks."""
        known = next((user for user in self.chief.users() if user.name == name), None)
        return self.chief._acting_as(known or self.chief.add_user(name, roles=roles or (Role.REVIEWER,)))

    def begin_with(self, template: Path) -> None:
        """Put a copy of ``template`` in the place of the store. Its chief is the same user."""
        self.close()
        for file in self.path.parent.glob(f"{self.path.name}*"):
            file.unlink()
        shutil.copy(template, self.path)
        self.chief._versions.forget()
        self.chief.user = self.chief._known_user("chief")

    def close(self) -> None:
        for engine in (self.chief, *self._opened):
            engine.close()
        self._opened.clear()

    def publish(self, name: str = "Paper review", **changes: Any) -> VersionSnapshot:
        """A published rubric of ``NODES``; ``changes`` are fields of its version."""
        self.chief.create_rubric(name)
        return self.republish(name, **{"nodes": NODES, "scales": (MEETS, WEEKS), **changes})

    def republish(self, name: str = "Paper review", **changes: Any) -> VersionSnapshot:
        draft = self.chief.version(f"{name}@draft")
        return self.republish_from(msgspec.structs.replace(draft, **changes))

    def republish_from(self, draft: VersionSnapshot) -> VersionSnapshot:
        """Save the draft and publish it."""
        self.chief.save_draft(draft)
        return self.chief.version(self.chief.publish(draft.rubric_name).id)
