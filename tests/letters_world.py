"""A small round for the tests of letters and reports: three reviewers, one gate, a subject that nobody scored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.model import Anchor, Evidence, EvidenceKind, Level, Node, Outcome, Scale, VersionSnapshot
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.records import Context, ContextStatus, EvaluationStatus, EvaluatorType
from rubrictui.core.round_report import RoundFacts
from rubrictui.core.rounds import Naming, Round, RoundOverview, RoundRules

AT = datetime(2027, 3, 1, tzinfo=UTC)
SCALE = Scale(
    id="s",
    levels=tuple(
        Level(id=f"l{n}", label=label, normalized_value=n / 2, sequence=n)
        for n, label in enumerate(("Miss", "Partial", "Meets"))
    ),
)
VERSION = VersionSnapshot(
    id="v",
    rubric_id="r",
    rubric_name="Grants",
    major_version=1,
    pass_threshold=0.5,
    nodes=(
        Node(
            id="g", key="gate", name="Eligible", scale_id="s", is_gate=True, gate_minimum_score=0.5,
            anchors=(Anchor(scale_level_id="l0", descriptor="Not in the region."),),
        ),
        Node(id="c", key="craft", name="Craft", scale_id="s"),
    ),
    scales=(SCALE,),
)  # fmt: skip
PEOPLE = ("Ann Kowalski", "Ben Okafor", "Cai Ruiz")


def evaluation(name: str, subject: str, gate: int, craft: int, **more: Any) -> PanelEvaluation:
    score = (gate + craft) / 4
    outcome = (
        Outcome.GATE_FAILED if gate == 0 else Outcome.PASSED if score >= 0.5 else Outcome.BELOW_THRESHOLD
    )
    given: dict[str, Any] = {
        "id": f"{subject}-{name}", "subject_id": subject, "user_id": name, "user_name": name.lower(),
        "user_display_name": name, "evaluator_type": EvaluatorType.HUMAN, "version_id": "v", "version_number": "1.0.0",
        "status": EvaluationStatus.SUBMITTED, "normalized_score": score, "outcome": outcome,
        "passed": outcome is Outcome.PASSED, "gate_failed": gate == 0, "completeness": 1.0,
        "scores": {
            "gate": PanelScore(scale_level_id=f"l{gate}", normalized_score=gate / 2, gate_failed=gate == 0),
            "craft": PanelScore(
                scale_level_id=f"l{craft}", normalized_score=craft / 2, rationale=f"Craft of {subject}.",
                evidence=(Evidence(kind=EvidenceKind.QUOTE, text="two\nlines"),),
            ),
        },
    }  # fmt: skip
    return PanelEvaluation(**{**given, **more})


def facts(*evaluations: PanelEvaluation, naming: Naming = Naming.ANONYMOUS, **more: Any) -> RoundFacts:
    context = Context(id="c", record_id="spring", name="Spring", status=ContextStatus.CLOSED)
    found = Round(context=context, rules=RoundRules(naming=naming), rubric_name="Grants")
    subjects = tuple(
        PanelSubject(id=id, entity="Bid", record_id=id, title=f"Bid {id}")
        for id in sorted({one.subject_id for one in evaluations} | {"silent"})
    )
    table = PanelTable(
        context=context, rubric_id="r", rubric_name="Grants", major=1, version=VERSION, criteria=("gate", "craft"),
        subjects=subjects, evaluations=evaluations,
        hidden=(PanelSubject(id="h", entity="Bid", record_id="h", title="Hidden", is_blind=True),),
    )  # fmt: skip
    overview = RoundOverview(round=found, at=AT)
    return RoundFacts(round=found, at=AT, by="kim", reads_all=True, table=table, overview=overview, **more)


def settled(subject: str) -> Adjudication:
    return Adjudication(
        id="a", context_id="c", subject_id=subject, version_id="v", adjudicator_id="u", adjudicator_name="dora",
        adjudicator_display_name="Dora Keller", reason="Slip", note="Cai misread it.", settled_at=AT, score=0.75, display_score="75", outcome=Outcome.PASSED,
    )  # fmt: skip


def a_panel(**more: Any) -> RoundFacts:
    marks = {"x": ((2, 2), (2, 1), (1, 0)), "y": ((0, 2), (0, 1), (2, 2))}
    return facts(
        *(
            evaluation(name, id, *mark)
            for id, given in marks.items()
            for name, mark in zip(PEOPLE, given, strict=True)
        ),
        **more,
    )
