"""The tables that comparison, statistics, ranking and reports take: who gave which answer to what.

``Engine.matrix_table`` gives the table of one subject, ``Engine.round_table`` that of a whole round; both hold
only what the viewer may read (``store/access_round.py`` decides), so whoever takes a table decides nothing about
rights. Functions over tables are pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from rubrictui.core.model import Evidence, Outcome, Value, VersionSnapshot
from rubrictui.core.records import Cohort, Context, EvaluationStatus, EvaluatorType
from rubrictui.core.rounds import DEFAULT_DISAGREEMENT
from rubrictui.core.score_of_record import ScoreOfRecord


class PanelScore(Value, frozen=True, kw_only=True, gc=False):
    """One evaluator's answer to one criterion, and what it scored (0..1; None: not scored).

    ``has_rationale`` and ``has_evidence`` are always told; the texts themselves are empty unless the table was
    asked for ``with_texts``. Groups have a row too: a score and no answer.
    """

    scale_level_id: str | None = None
    raw_value: float | None = None
    is_not_applicable: bool = False
    normalized_score: float | None = None
    confidence: float | None = None
    gate_failed: bool = False
    has_rationale: bool = False
    has_evidence: bool = False
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()


class PanelEvaluation(Value, frozen=True, kw_only=True):
    """One column of a matrix: an evaluation that was submitted once, with its scores by criterion key.

    ``status`` is Submitted, Superseded or Withdrawn; drafts and failures never stand in a table.
    ``user_id`` is who scored, ran or imported it; ``evaluator_name`` is a machine's name, None for a person.
    ``record`` is a score of record beside that of the answers, where the evaluation has one.
    """

    id: str
    subject_id: str
    user_id: str
    user_name: str
    user_display_name: str = ""
    evaluator_type: EvaluatorType
    evaluator_name: str | None = None
    version_id: str
    version_number: str
    status: EvaluationStatus
    submitted_at: datetime | None = None
    ended_at: datetime | None = None
    end_reason: str | None = None
    supersedes_id: str | None = None
    superseded_by_id: str | None = None
    normalized_score: float | None = None
    outcome: Outcome | None = None
    passed: bool | None = None
    gate_failed: bool | None = None
    completeness: float | None = None
    band_id: str | None = None
    confidence: float | None = None
    record: ScoreOfRecord | None = None
    scores: dict[str, PanelScore] = msgspec.field(default_factory=dict)

    @property
    def label(self) -> str:
        """Who gave it, for a heading: the machine's name, else the person's."""
        return self.evaluator_name or self.user_display_name or self.user_name

    @property
    def rater(self) -> str:
        """The same for every evaluation of one evaluator: what agreement pairs by. Free of what people may rename."""
        return "/".join((self.user_id, self.evaluator_type.value, self.evaluator_name or ""))

    @property
    def counts(self) -> bool:
        """Whether it is in cohort means: Submitted and no self-assessment (guide section 9)."""
        return self.status is EvaluationStatus.SUBMITTED and self.evaluator_type is not EvaluatorType.SELF


class PanelSubject(Value, frozen=True, kw_only=True):
    """A row of a round's table. ``is_blind``: the viewer has open work on it, so nothing from peers is there."""

    id: str
    entity: str
    record_id: str
    title: str
    is_blind: bool = False


class PanelComment(Value, frozen=True, kw_only=True):
    """What somebody wrote to a criterion, without who, which level, value or score. The order tells nothing."""

    criterion_key: str
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()


class PanelTable(Value, frozen=True, kw_only=True):
    """The readable evaluations of one subject or of a round, on one rubric and major.

    Attributes:
        context: the round; None for evaluations without one.
        version: the tree to lay rows out by: the round's pinned version, else the latest Published of ``major``.
        criteria: the keys of its criteria (leaves), advisory ones included, in tree order.
        subjects: the subjects the table is about, in order.
        evaluations: by subject in that order; people before AI judges before other machines before Self; then by
            label, the latest first.
        hidden: subjects that were left out whole because the viewer is blind on them (``round_table`` only).
        threshold: the spread (0..1) that counts as a disagreement in this round.
        cohort: the cohort columns of the single subject of ``matrix_table`` where the viewer may see them: all that
            an ordinary reviewer gets beside her own column. None for who reads all evaluations: hers are the rows.
        comments: what peers wrote, where the round's blinding is ``comments_visible`` and the viewer may.
    """

    context: Context | None = None
    rubric_id: str
    rubric_name: str
    major: int
    version: VersionSnapshot
    criteria: tuple[str, ...] = ()
    subjects: tuple[PanelSubject, ...] = ()
    evaluations: tuple[PanelEvaluation, ...] = ()
    hidden: tuple[PanelSubject, ...] = ()
    threshold: float = DEFAULT_DISAGREEMENT
    cohort: Cohort | None = None
    comments: tuple[PanelComment, ...] = ()

    def of_subject(self, subject_id: str) -> tuple[PanelEvaluation, ...]:
        """The evaluations of one subject, in the table's order."""
        return tuple(one for one in self.evaluations if one.subject_id == subject_id)

    def by_subject(self) -> Iterator[PanelTable]:
        """The table of each subject alone, in the table's order; what it holds of other subjects is left out."""
        found: dict[str, list[PanelEvaluation]] = {one.id: [] for one in self.subjects}
        for one in self.evaluations:
            if one.subject_id in found:
                found[one.subject_id].append(one)
        for subject in self.subjects:
            yield msgspec.structs.replace(
                self, subjects=(subject,), evaluations=tuple(found[subject.id]), hidden=()
            )
