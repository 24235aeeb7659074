"""A small version with every kind of criterion, for the tests of the form's widgets."""

from __future__ import annotations

from rubrictui.core.model import (
    Anchor,
    Answer,
    Evidence,
    EvidenceKind,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)

MPM = Scale(
    id="mpm",
    levels=(
        Level(id="miss", label="Miss", normalized_value=0),
        Level(id="partial", label="Partial", normalized_value=0.5),
        Level(id="meets", label="Meets", normalized_value=1),
    ),
)
LIKERT = Scale(
    id="likert",
    levels=tuple(Level(id=f"l{n}", label=str(n), normalized_value=(n - 1) / 4) for n in range(1, 6)),
)
TEN = Scale(
    id="ten", levels=tuple(Level(id=f"t{n}", label=str(n), normalized_value=n / 10) for n in range(11))
)
LONG = Scale(
    id="long",
    levels=tuple(
        Level(id=f"x{n}", label=label, normalized_value=n / 3)
        for n, label in enumerate(
            ("Not addressed", "Addressed in part", "Addressed in full", "More than was asked")
        )
    ),
)
PERCENT = Scale(id="percent", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100, step=5)
DAYS = Scale(
    id="days", scale_type=ScaleType.NUMERIC, min_value=0.5, max_value=90, step=0.5, higher_is_better=False
)

VERSION = VersionSnapshot(
    id="v",
    rubric_name="Everything",
    major_version=1,
    nodes=(
        Node(
            id="G1",
            key="security",
            name="Security",
            node_type=NodeType.GROUP,
            weight=3,
            rollup_method=RollupMethod.MINIMUM,
        ),
        Node(
            id="C1",
            key="encryption",
            parent_id="g1",
            name="Encryption",
            description="Data is encrypted \x1b[31meverywhere\x1b[0m.",
            guidance="Ask who holds the keys.",
            scale_id="mpm",
            is_gate=True,
            gate_minimum_score=0.5,
            rationale_required=True,
            evidence_required=True,
            not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
            anchors=(
                Anchor(scale_level_id="miss", descriptor="Nothing is said."),
                Anchor(scale_level_id="meets", descriptor="At rest and in transit. " * 8),
            ),
        ),
        Node(id="C2", key="access", parent_id="G1", name="Access control", scale_id="likert"),
        Node(
            id="C3",
            key="budget",
            name="Budget share",
            scale_id="percent",
            is_gate=True,
            gate_minimum_score=0.6,
        ),
        Node(
            id="C4", key="days", name="Days to deliver", scale_id="days", is_gate=True, gate_minimum_score=0.5
        ),
        Node(id="C5", key="tone", name="Tone 日本語", scale_id="ten", is_advisory=True),
        Node(id="C6", key="whole", name="Whole picture", scale_id="long", rationale_required=True),
        Node(id="C7", key="broken", name="Without a scale"),
    ),
    scales=(MPM, LIKERT, TEN, LONG, PERCENT, DAYS),
)

QUOTE = Evidence(kind=EvidenceKind.QUOTE, text="keys are held\nby us", source="text", start=4, end=24)


def answer(criterion: str, **values: object) -> Answer:
    """An answer to a criterion of ``VERSION``."""
    return Answer(criterion_id=criterion, **values)  # type: ignore[arg-type]
