"""A small rubric and a subject that the tests of model-based evaluators share."""

from __future__ import annotations

import json
from typing import Any

from rubrictui.core.model import (
    Anchor,
    Level,
    Node,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
    VersionStatus,
)
from rubrictui.evaluators.base import SubjectContent

MEETS = Scale(
    id="s-mpm",
    name="Meets / Partial / Miss",
    levels=(
        Level(id="l-meets", label="Meets", value=2, normalized_value=1.0, sequence=0),
        Level(id="l-partial", label="Partial", value=1, normalized_value=0.5, sequence=1),
        Level(id="l-miss", label="Miss", value=0, normalized_value=0.0, sequence=2),
    ),
)
PERCENT = Scale(
    id="s-pct", name="Percentage", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100, step=5
)

CONTENT = SubjectContent(
    entity="Answer",
    record_id="a-1",
    title="Rainfall",
    text="It rained 12 mm in May. The station at the harbour says so.\nNothing is known of June.",
    data={"Station": "harbour", "Months": ["May"]},
)


def version(**changes: Any) -> VersionSnapshot:
    """Three criteria on levels: accuracy (a gate, minimum 0.6), sourcing, completeness; threshold 0.6."""
    nodes = (
        node("accuracy", is_gate=True, gate_minimum_score=0.6, anchors=anchors("right", "nearly", "wrong")),
        node("sourcing"),
        node("completeness"),
    )
    fields: dict[str, Any] = {
        "id": "v-1",
        "rubric_name": "Agent evaluation",
        "status": VersionStatus.PUBLISHED,
        "major_version": 1,
        "minor_version": 0,
        "patch_version": 0,
        "pass_threshold": 0.6,
        "nodes": nodes,
        "scales": (MEETS, PERCENT),
    }
    return VersionSnapshot(**(fields | changes))


def node(key: str, **changes: Any) -> Node:
    fields: dict[str, Any] = {"id": f"n-{key}", "key": key, "name": key.title(), "scale_id": MEETS.id}
    return Node(**(fields | changes))


def anchors(meets: str, partial: str, miss: str) -> tuple[Anchor, ...]:
    texts = {"l-meets": meets, "l-partial": partial, "l-miss": miss}
    return tuple(Anchor(scale_level_id=level, descriptor=text) for level, text in texts.items())


def evidence_version() -> VersionSnapshot:
    return version(nodes=(node("accuracy", evidence_required=True), node("sourcing")))


def decisions(**chosen: Any) -> str:
    """A reply of the shape ``decisions``; a value is a label, or an entry's fields."""
    entries = [
        {"key": key, "rationale": f"because of {key}", "evidence": []}
        | (value if isinstance(value, dict) else {"chosen": value})
        for key, value in chosen.items()
    ]
    return json.dumps({"decisions": entries})


NOT_ALLOWED = NotApplicablePolicy.NOT_ALLOWED
