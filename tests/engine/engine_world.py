"""A store with people in it, a clock that ticks, and a small rubric with ids that can be read."""

from __future__ import annotations

import itertools
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
    """One store file and the people who open it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engines: dict[str, Engine] = {}
        self._ticks = itertools.count()
        self.chief = self.engine("chief")

    def clock(self) -> datetime:
        return datetime(2027, 1, 1, tzinfo=UTC) + timedelta(seconds=next(self._ticks))

    def engine(self, name: str, **options: Any) -> Engine:
        if options:
            return Engine(self.path, user=name, clock=self.clock, **options)
        if name not in self._engines:
            self._engines[name] = Engine(self.path, user=name, clock=self.clock)
        return self._engines[name]

    def user(self, name: str, *roles: Role) -> Engine:
        """A user of the store with these roles (a reviewer by default), and an engine of hers."""
        if name not in {user.name for user in self.chief.users()}:
            self.chief.add_user(name, roles=roles or (Role.REVIEWER,))
        return self.engine(name)

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

    def close(self) -> None:
        for engine in self._engines.values():
            engine.close()
