"""A panel for the tests of comparing: one round, its subjects, people, judges and a self-assessment."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec
from shell_world import ME, NOW, StandIn, version

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Evidence, EvidenceKind, Outcome
from rubrictui.core.panel_tables import PanelComment, PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType, Role, User
from rubrictui.core.rounds import (
    Blinding,
    ReviewerProgress,
    Round,
    RoundOverview,
    RoundRules,
    SubjectProgress,
)

CHAIR = msgspec.structs.replace(ME, roles=(Role.CHAIR, Role.ADMINISTER_EVALUATIONS))
SPRING = Context(
    id="c-spring",
    record_id="spring",
    name="Spring round",
    rubric_id="r-vendor",
    due_at=NOW + timedelta(days=3),
)
LEVELS = {"miss": 0.0, "partial": 0.5, "meets": 1.0}
HOSTILE = "Tone [bold]up[/bold] \x1b[31mred\x1b[0m\u202eevil"


def answer(level: str, rationale: str = "", *, quote: str = "", gate_failed: bool = False) -> PanelScore:
    """An answer on the levels of the world's scale."""
    evidence = (Evidence(kind=EvidenceKind.QUOTE, text=quote, source="text"),) if quote else ()
    return PanelScore(
        scale_level_id=f"l-{level}",
        normalized_score=LEVELS[level],
        gate_failed=gate_failed,
        has_rationale=bool(rationale),
        has_evidence=bool(quote),
        rationale=rationale or None,
        evidence=evidence,
    )


def days(value: float) -> PanelScore:
    return PanelScore(raw_value=value, normalized_score=round(1 - value / 90, 6))


def evaluation(
    name: str,
    scores: dict[str, PanelScore],
    *,
    kind: EvaluatorType = EvaluatorType.HUMAN,
    status: EvaluationStatus = EvaluationStatus.SUBMITTED,
    score: float | None = None,
    outcome: Outcome = Outcome.PASSED,
    subject: str = "sub-1",
) -> PanelEvaluation:
    """An evaluation of one of the world's subjects; without a score the mean of its answers."""
    given = [one.normalized_score for one in scores.values() if one.normalized_score is not None]
    machine = kind not in (EvaluatorType.HUMAN, EvaluatorType.SELF)
    return PanelEvaluation(
        id=f"{subject}-{name}-{status}",
        subject_id=subject,
        user_id=f"u-{name}",
        user_name=name.lower().replace(" ", "."),
        user_display_name="" if machine else name,
        evaluator_name=name if machine else None,
        evaluator_type=kind,
        version_id="v-1.2.0",
        version_number="1.2.0",
        status=status,
        submitted_at=NOW - timedelta(days=1),
        normalized_score=score if score is not None else round(sum(given) / len(given), 6),
        outcome=outcome,
        passed=outcome is Outcome.PASSED,
        gate_failed=outcome is Outcome.GATE_FAILED,
        scores=scores,
    )


PANEL: tuple[PanelEvaluation, ...] = (
    evaluation(
        "Priya Nair",
        {
            "security": PanelScore(normalized_score=0.5),
            "encryption": answer(
                "meets", "Keys are ours, AES-256 is named twice.", quote="keys held by the buyer"
            ),
            "audit": answer("partial", "Logs are kept, nobody reads them."),
            "cost": PanelScore(normalized_score=0.8),
            "price": answer("meets"),
            "delivery": days(30),
            "tone": answer("meets", HOSTILE),
        },
    ),
    evaluation(
        "Tomasz Wójcik",
        {
            "security": PanelScore(normalized_score=0.0, gate_failed=False),
            "encryption": answer("miss", "Only in transit, and no word about keys.", gate_failed=True),
            "audit": answer("partial", "A promise."),
            "cost": PanelScore(normalized_score=0.7),
            "price": answer("partial"),
            "delivery": days(35),
            "tone": answer("partial"),
        },
        outcome=Outcome.GATE_FAILED,
    ),
    evaluation(
        "Old Ann", {"encryption": answer("miss"), "price": answer("miss")}, status=EvaluationStatus.WITHDRAWN
    ),
    evaluation(
        "Priya Nair",
        {"encryption": answer("partial"), "price": answer("miss")},
        status=EvaluationStatus.SUPERSEDED,
    ),
    evaluation(
        "Sage",
        {
            "security": PanelScore(normalized_score=0.5),
            "encryption": answer("partial", "In transit: section 2. At rest: not found."),
            "audit": answer("partial"),
            "price": answer("meets"),
            "delivery": PanelScore(is_not_applicable=True),
        },
        kind=EvaluatorType.AI_PROMPT,
    ),
    evaluation("Price rule", {"price": answer("meets")}, kind=EvaluatorType.DETERMINISTIC),
    evaluation(
        "Vendor",
        {"encryption": answer("meets"), "audit": answer("meets"), "price": answer("meets")},
        kind=EvaluatorType.SELF,
    ),
)

TITLES = (
    "Northwind: cold chain tracking",
    "Harbour Freight portal",
    "Kestrel Systems",
    "Óbuda Data Kft. 日本語",
)


def subject(number: int, *, is_blind: bool = False) -> PanelSubject:
    return PanelSubject(
        id=f"sub-{number}",
        entity="Proposal",
        record_id=f"p-{number}",
        title=TITLES[number - 1],
        is_blind=is_blind,
    )


def round_evaluations() -> tuple[PanelEvaluation, ...]:
    """Four subjects by three people and a judge; the third fails its gate for most."""
    found = list(PANEL)
    for number, scores in ((2, (0.9, 0.85, 0.8)), (3, (0.7, 0.6, 0.65)), (4, (0.75, 0.4, None))):
        for name, score in zip(("Priya Nair", "Tomasz Wójcik", "Sage"), scores, strict=True):
            if score is None:
                continue
            kind = EvaluatorType.AI_PROMPT if name == "Sage" else EvaluatorType.HUMAN
            outcome = Outcome.PASSED if score >= 0.6 else Outcome.BELOW_THRESHOLD
            outcome = Outcome.GATE_FAILED if number == 3 and name != "Sage" else outcome
            scored = {"encryption": answer("partial"), "price": answer("meets")}
            found.append(
                evaluation(name, scored, kind=kind, score=score, outcome=outcome, subject=f"sub-{number}")
            )
    return tuple(found)


@dataclass
class PanelStandIn(StandIn):
    """What the comparing screens ask of the engine; fields are the store."""

    user: User = CHAIR
    panel: tuple[PanelEvaluation, ...] = PANEL
    is_blind: bool = False
    comments: tuple[PanelComment, ...] = ()
    refusal: str = ""
    threshold: float = 0.25
    many: int = 0
    settled: tuple[Adjudication, ...] = ()
    asked: list[dict[str, Any]] = field(default_factory=list)

    def matrix_table(self, *, with_texts: bool = False, **asked: Any) -> PanelTable:
        self.asked.append({"with_texts": with_texts, **asked})
        if self.refusal:
            raise RubrictuiError(self.refusal, remedy="Try again.")
        shown = () if self.is_blind else self.panel
        return PanelTable(
            context=SPRING,
            rubric_id="r-vendor",
            rubric_name="Vendor proposal",
            major=1,
            version=version(),
            criteria=("encryption", "audit", "price", "delivery", "tone"),
            subjects=(subject(1, is_blind=self.is_blind),),
            evaluations=shown,
            threshold=self.threshold,
            comments=self.comments,
        )

    def adjudications(self, context: str, *, subject: str | None = None) -> tuple[Adjudication, ...]:
        return tuple(one for one in self.settled if subject in (None, one.subject_id))

    def rounds(self) -> tuple[Round, ...]:
        return (self.round("c-spring"),)

    def change_round(self, ref: str, *, rules: RoundRules) -> None:
        assert ref == "c-spring"
        self.threshold = rules.disagreement_threshold

    def round(self, ref: str) -> Round:
        return Round(
            context=SPRING,
            rules=RoundRules(
                blinding=Blinding.STANDARD, reviews_per_subject=2, disagreement_threshold=self.threshold
            ),
            rubric_name="Vendor proposal",
            reviewers=(User(id="u-1", name="p.nair"), User(id="u-2", name="t.wojcik")),
            subject_count=4,
        )

    def round_overview(self, ref: str) -> RoundOverview:
        return RoundOverview(
            round=self.round(ref),
            at=NOW,
            reviewers=(
                ReviewerProgress(
                    user_id="u-1",
                    user_name="p.nair",
                    display_name="Priya Nair",
                    assigned=4,
                    begun=1,
                    submitted=3,
                ),
                ReviewerProgress(
                    user_id="u-2",
                    user_name="t.wojcik",
                    display_name="Tomasz Wójcik",
                    assigned=4,
                    begun=None,
                    submitted=1,
                    overdue=2,
                    declined=1,
                    hidden=1,
                ),
            ),
            subjects=(
                _progress(1, mean=0.65, spread=0.4, flips=True),
                _progress(2, mean=0.85, spread=0.1),
                _progress(3, mean=0.65, spread=0.1),
                SubjectProgress(
                    subject_id="sub-4",
                    entity="Proposal",
                    record_id="p-4",
                    title=TITLES[3],
                    assigned=2,
                    wanted=2,
                    done=None,
                    is_blind=True,
                ),
            ),
            hidden=1,
            disagreements=("sub-1",),
        )

    def round_table(self, ref: str, **asked: Any) -> PanelTable:
        self.asked.append({"round": ref, **asked})
        if self.many:
            return many_subjects(self.many)
        hidden = (subject(4, is_blind=True),) if self.is_blind else ()
        shown = tuple(subject(number) for number in (1, 2, 3, 4) if number != 4 or not self.is_blind)
        names = {one.id for one in shown}
        return PanelTable(
            context=SPRING,
            rubric_id="r-vendor",
            rubric_name="Vendor proposal",
            major=1,
            version=version(),
            criteria=("encryption", "audit", "price", "delivery", "tone"),
            subjects=shown,
            evaluations=tuple(one for one in round_evaluations() if one.subject_id in names),
            hidden=hidden,
            threshold=self.threshold,
        )


def many_subjects(count: int) -> PanelTable:
    """Enough subjects for coefficients: three people who mostly agree."""
    order = ("miss", "partial", "meets")
    subjects, found = [], []
    for number in range(count):
        name = f"many-{number}"
        subjects.append(
            PanelSubject(id=name, entity="Proposal", record_id=name, title=f"Proposal {number + 1}")
        )
        for place, who in enumerate(("Priya Nair", "Tomasz Wójcik", "Ola Berg")):
            true = (number * 7 + number // 3) % 3
            shift = ((number + 2 * place) % 5 == 0) - ((number + place) % 7 == 0)
            level = order[min(max(true + shift, 0), 2)]
            found.append(
                evaluation(who, {"encryption": answer(level), "price": answer(order[true])}, subject=name)
            )
    return PanelTable(
        context=SPRING,
        rubric_id="r-vendor",
        rubric_name="Vendor proposal",
        major=1,
        version=version(),
        criteria=("encryption", "price"),
        subjects=tuple(subjects),
        evaluations=tuple(found),
    )


def _progress(number: int, *, mean: float, spread: float, flips: bool = False) -> SubjectProgress:
    one = subject(number)
    return SubjectProgress(
        subject_id=one.id,
        entity=one.entity,
        record_id=one.record_id,
        title=one.title,
        assigned=3,
        wanted=2,
        done=number,
        count=3,
        mean=mean,
        lowest=mean - spread / 2,
        highest=mean + spread / 2,
        spread=spread,
        flips=flips,
    )
