"""The records around a score: people, subjects, contexts, assignments, evaluations.

Like ``model``, these are frozen values without behaviour. The store reads and writes them, interchange
parses them, the engine hands them out, screens show them. Instants are timezone-aware UTC.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from rubrictui.core.model import (
    Answer,
    Bump,
    Evidence,
    Outcome,
    ScoredNode,
    ScoreResult,
    Value,
    VersionSnapshot,
    VersionStatus,
)

#: Names have at most this many characters; so have the record ids of subjects and contexts.
MAXIMUM_NAME = 200
MAXIMUM_RECORD_ID = 400


class Role(StrEnum):
    """What a user may do (design, "The store"). A user may hold several."""

    REVIEWER = "reviewer"
    AUTHOR = "author"
    CHAIR = "chair"
    ADMINISTER_EVALUATIONS = "administer_evaluations"
    DEVELOPER = "developer"
    INTEGRATION = "integration"


class EvaluatorType(StrEnum):
    HUMAN = "Human"
    AI_PROMPT = "AIPrompt"
    AGENT = "Agent"
    DETERMINISTIC = "Deterministic"
    SELF = "Self"
    EXTERNAL = "External"


class EvaluationStatus(StrEnum):
    DRAFT = "Draft"
    SUBMITTED = "Submitted"
    SUPERSEDED = "Superseded"
    WITHDRAWN = "Withdrawn"
    FAILED = "Failed"


class ContextStatus(StrEnum):
    OPEN = "Open"
    CLOSED = "Closed"


class AssignmentStatus(StrEnum):
    """Open until its evaluation is submitted, or the reviewer declines it, or it is released."""

    OPEN = "Open"
    DONE = "Done"
    DECLINED = "Declined"
    RELEASED = "Released"


class User(Value, frozen=True, kw_only=True):
    """A person or a machine account. ``name`` is the login that identifies it, unique in a store."""

    id: str
    name: str
    display_name: str = ""
    roles: tuple[Role, ...] = ()


class Acting(User, frozen=True, kw_only=True):
    """A user as whom somebody else asks. ``login_id`` is who really does: what is hidden from him stays hidden."""

    login_id: str


IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Kinds of images that models are shown."""

MOST_IMAGE_BYTES: Final = 4_000_000
"""A larger image is told of, and not kept."""


class SubjectFile(Value, frozen=True, kw_only=True):
    """A file of a subject. ``text`` holds its content when it is text, ``content`` its bytes when it is an image of
    ``IMAGE_TYPES`` of at most ``MOST_IMAGE_BYTES``; ``sha256`` is of its bytes."""

    name: str
    media_type: str = "text/plain"
    text: str | None = None
    content: bytes | None = None
    path: str | None = None
    size: int | None = None
    sha256: str | None = None


class Subject(Value, frozen=True, kw_only=True):
    """What is scored. ``entity`` and ``record_id`` identify it; ``content_hash`` is of all its content."""

    id: str = ""
    entity: str = "Subject"
    record_id: str
    title: str = ""
    text: str = ""
    data: dict[str, Any] | None = None
    files: tuple[SubjectFile, ...] = ()
    content_hash: str = ""


class Context(Value, frozen=True, kw_only=True):
    """What a subject is scored *for*: a round, a job, a programme. Keeps cohorts apart."""

    id: str = ""
    entity: str = "Round"
    record_id: str
    name: str = ""
    description: str | None = None
    rubric_id: str | None = None
    version_id: str | None = None
    due_at: datetime | None = None
    due_zone: str | None = None
    self_allowed: bool = False
    status: ContextStatus = ContextStatus.OPEN


class Assignment(Value, frozen=True, kw_only=True):
    """One reviewer asked to score one subject with one rubric, for a context or for none.

    ``ended_by`` is the login of who declined or released it, with ``reason``.
    """

    id: str = ""
    subject_id: str
    rubric_id: str
    user_id: str
    context_id: str | None = None
    version_id: str | None = None
    due_at: datetime | None = None
    status: AssignmentStatus = AssignmentStatus.OPEN
    reason: str | None = None
    ended_at: datetime | None = None
    ended_by: str | None = None


class Category(Value, frozen=True, kw_only=True):
    id: str = ""
    name: str
    description: str | None = None
    sequence: int = 0


class VersionSummary(Value, frozen=True, kw_only=True):
    """A version without its tree. ``evaluation_count`` counts what the viewer may see.

    ``revision``, ``saved_at`` and ``saved_by`` are of the last save of its draft. What people did is by login.
    """

    id: str
    rubric_id: str
    rubric_name: str
    number: str | None
    status: VersionStatus
    criteria_count: int = 0
    evaluation_count: int = 0
    applied_bump: Bump | None = None
    change_summary: str | None = None
    content_hash: str | None = None
    scoring_hash: str | None = None
    created_at: datetime | None = None
    created_by: str | None = None
    published_at: datetime | None = None
    published_by: str | None = None
    retired_at: datetime | None = None
    retired_by: str | None = None
    computed_bump: Bump | None = None
    revision: int = 0
    saved_at: datetime | None = None
    saved_by: str | None = None


class RubricSummary(Value, frozen=True, kw_only=True):
    """A rubric's identity and its versions, highest number first, a draft before all."""

    id: str
    name: str
    description: str | None = None
    category: str | None = None
    versions: tuple[VersionSummary, ...] = ()

    @property
    def latest_published(self) -> VersionSummary | None:
        return next((v for v in self.versions if v.status is VersionStatus.PUBLISHED), None)


class SampleAnswer(Value, frozen=True, kw_only=True):
    """An author's sample answer to one criterion: a level by id and label, a raw number, or not applicable.

    The label finds the level again when a draft is on another scale, or on a copy of it, by then.
    """

    level_id: str | None = None
    level_label: str | None = None
    raw_value: float | None = None
    is_not_applicable: bool = False


class SampleSet(Value, frozen=True, kw_only=True):
    """Sample answers under a name, by criterion key. They belong to the rubric, so its next draft has them too."""

    id: str = ""
    rubric_id: str = ""
    name: str
    answers: dict[str, SampleAnswer] = msgspec.field(default_factory=dict)
    sequence: int = 0


class Evaluation(Value, frozen=True, kw_only=True):
    """The header row of one scoring of one subject. Result fields are None until it is submitted.

    ``normalized_score`` is 0..1; people read it from ``score_display_min`` to ``score_display_max``, the range of its
    version. ``evaluator_user_name`` is the login of who scored or ran it, ``evaluator_display_name`` what people call
    them.
    """

    id: str
    rubric_id: str
    rubric_name: str
    version_id: str
    version_number: str
    major_version: int
    subject_id: str
    subject_title: str
    context_id: str | None = None
    context_name: str | None = None
    assignment_id: str | None = None
    evaluator_user_id: str
    evaluator_user_name: str = ""
    evaluator_display_name: str = ""
    evaluator_type: EvaluatorType = EvaluatorType.HUMAN
    evaluator_name: str | None = None
    status: EvaluationStatus = EvaluationStatus.DRAFT
    revision: int = 0
    started_at: datetime | None = None
    updated_at: datetime | None = None
    submitted_at: datetime | None = None
    ended_at: datetime | None = None
    end_reason: str | None = None
    supersedes_id: str | None = None
    superseded_by_id: str | None = None
    subject_hash: str = ""
    normalized_score: float | None = None
    outcome: Outcome | None = None
    passed: bool | None = None
    gate_failed: bool | None = None
    completeness: float | None = None
    band_id: str | None = None
    pass_threshold_applied: float | None = None
    confidence: float | None = None
    engine_version: str | None = None
    error_message: str | None = None
    metadata: dict[str, Any] | None = None
    score_display_min: float = 0.0
    score_display_max: float = 100.0

    @property
    def person(self) -> str:
        """Who scored, ran or imported it, as people are called."""
        return self.evaluator_display_name or self.evaluator_user_name

    @property
    def label(self) -> str:
        """Who gave it, for a heading: the machine's name, else the person's."""
        return self.evaluator_name or self.person


class EvaluationScore(Value, frozen=True, kw_only=True):
    """One node's stored row: the answer (leaves) and what was computed from it."""

    node_id: str
    key: str
    scale_level_id: str | None = None
    raw_value: float | None = None
    is_not_applicable: bool = False
    confidence: float | None = None
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()
    normalized_score: float | None = None
    effective_weight: float | None = None
    overall_contribution: float | None = None
    gate_failed: bool = False
    is_advisory: bool = False


class DraftAnswer(Value, frozen=True, kw_only=True):
    """An answer of an open draft with the draft revision that last changed it."""

    answer: Answer
    revision: int = 0
    is_flagged: bool = False


class Draft(Value, frozen=True, kw_only=True):
    """An open evaluation, whole: all that a scoring form needs, also after a crash."""

    evaluation: Evaluation
    version: VersionSnapshot
    subject: Subject
    context: Context | None = None
    answers: tuple[DraftAnswer, ...] = ()
    cursor: str | None = None


class SaveReceipt(Value, frozen=True, kw_only=True):
    """Proof that a change is durable: the draft's revision after it."""

    revision: int
    saved_at: datetime


class SubmitProblem(Value, frozen=True, kw_only=True):
    """One thing that stands between a draft and its submission.

    ``kind`` is ``rationale_missing``, ``evidence_missing``, ``quote_not_found`` or a ``ScoringError`` kind.
    """

    kind: str
    criterion_id: str
    key: str
    message: str


class SubmitPreview(Value, frozen=True, kw_only=True):
    """What submitting would do now. ``result`` is None when an answer is illegal."""

    result: ScoreResult | None
    problems: tuple[SubmitProblem, ...] = ()
    unanswered: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    subject_changed: bool = False


class InboxRow(Value, frozen=True, kw_only=True):
    """One line of the inbox: an assignment, a draft begun, or work done lately; only the viewer's own.

    ``state`` is ``New``, ``Draft``, ``Submitted``, ``Withdrawn`` (submitted before, and nothing newer of hers in
    its place) or ``Declined``; ``answered`` of ``total`` leaves.
    """

    state: str
    subject_id: str
    subject_title: str
    subject_entity: str
    subject_record_id: str
    rubric_id: str
    rubric_name: str
    version_id: str | None = None
    version_number: str | None = None
    context_id: str | None = None
    context_name: str | None = None
    assignment_id: str | None = None
    evaluation_id: str | None = None
    answered: int = 0
    total: int = 0
    due_at: datetime | None = None
    updated_at: datetime | None = None
    normalized_score: float | None = None
    outcome: str | None = None
    score_display_min: float = 0.0
    score_display_max: float = 100.0


class CohortCriterion(Value, frozen=True, kw_only=True):
    key: str
    mean: float | None = None
    human_mean: float | None = None
    ai_mean: float | None = None


class Cohort(Value, frozen=True, kw_only=True):
    """The cohort columns of one subject, context, rubric and major (guide section 9)."""

    mean: float | None = None
    min: float | None = None
    max: float | None = None
    std_dev: float | None = None
    count: int = 0
    passed_count: int = 0
    human_mean: float | None = None
    ai_mean: float | None = None
    self_score: float | None = None
    criteria: tuple[CohortCriterion, ...] = ()


class EvaluationDetail(Value, frozen=True, kw_only=True):
    """One evaluation, whole. ``cohort`` is None where the viewer may not see it, and with it the deviation
    of this evaluation's score from the cohort's mean, -1..1.

    ``warnings`` say that the subject has changed since, and, from the call that submitted it, which
    answers took no part.
    """

    evaluation: Evaluation
    version: VersionSnapshot
    subject: Subject
    context: Context | None = None
    scores: tuple[EvaluationScore, ...] = ()
    cohort: Cohort | None = None
    deviation_from_cohort_mean: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def result(self) -> ScoreResult | None:
        """The stored result as scoring gives it; None for an evaluation that has none."""
        stored = self.evaluation
        if stored.outcome is None:
            return None
        return ScoreResult(
            normalized_score=stored.normalized_score,
            completeness=stored.completeness or 0.0,
            outcome=stored.outcome,
            passed=stored.passed,
            gate_failed=bool(stored.gate_failed),
            pass_threshold_applied=stored.pass_threshold_applied,
            band_id=stored.band_id,
            confidence=stored.confidence,
            nodes=tuple(
                ScoredNode(
                    id=score.node_id,
                    key=score.key,
                    normalized_score=score.normalized_score,
                    effective_weight=score.effective_weight,
                    overall_contribution=score.overall_contribution,
                    gate_failed=score.gate_failed,
                    is_not_applicable=score.is_not_applicable,
                    is_advisory=score.is_advisory,
                )
                for score in self.scores
            ),
        )


class Phrase(Value, frozen=True, kw_only=True):
    """A phrase of a reviewer's own comment bank; ``criterion_key`` None is offered everywhere."""

    id: str
    text: str
    criterion_key: str | None = None
    uses: int = 0


class PastAnswer(Value, frozen=True, kw_only=True):
    """The viewer's own earlier answer to the same criterion for another subject."""

    evaluation_id: str
    subject_title: str
    status: EvaluationStatus
    at: datetime | None
    answer: Answer
    normalized_score: float | None = None
