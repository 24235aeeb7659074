"""Settling what evaluators disagree about: the values, which subjects wait for it, and where a settlement begins.

A settlement is no evaluation. It is made once the reviews of a subject are in, by somebody who sees all of them, and
stands beside them as the score of record of the round; means, spreads, agreement and rankings never hold it.
Everything here is pure; who may settle and see what is decided by ``engine/adjudicating.py`` and the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from rubrictui.core.answer_fill import answers_by_key
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, Outcome, Scale, ScaleType, Value, VersionSnapshot, fold_id
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelTable
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import Context, Role, SampleAnswer, Subject, SubmitProblem
from rubrictui.core.rounding import round6
from rubrictui.core.rounds import SubjectProgress

MAXIMUM_REASONS: Final = 30
MAXIMUM_REASON: Final = 80
MAXIMUM_NOTE: Final = 20_000


class AdjudicationReason(Value, frozen=True, kw_only=True):
    """Why evaluators came to lie apart: a line of a store's taxonomy. A settlement keeps the ``label`` of its day."""

    label: str
    description: str = ""


DEFAULT_REASONS: Final = (
    AdjudicationReason(label="Anchor read differently", description="A level was taken to mean different things."),
    AdjudicationReason(label="Evidence missed", description="Some did not find or weigh a part of the subject."),
    AdjudicationReason(label="Slip", description="A level was picked by mistake, or the wrong criterion answered."),
    AdjudicationReason(label="Gate in doubt", description="It was open whether the subject meets a gate."),
    AdjudicationReason(label="Not applicable or not", description="Some held the criterion not to apply."),
    AdjudicationReason(label="Judgement", description="The views differ with reason; somebody has to decide."),
    AdjudicationReason(label="Other", description="The note says why."),
)  # fmt: skip
"""What a store offers until somebody edits the list."""


class SettlementStatus(StrEnum):
    """``Draft`` is being worked on, ``Settled`` stands, ``Superseded`` has been corrected by a later one."""

    DRAFT = "Draft"
    SETTLED = "Settled"
    SUPERSEDED = "Superseded"


class Adjudication(Value, frozen=True, kw_only=True):
    """A settlement of one subject of a round.

    Attributes:
        evaluation_id: the evaluation whose answers were taken just as they are; None when it has answers of its own.
        adjudicator_name: the login; ``adjudicator`` is what people call her. ``reason`` is a line of the taxonomy, ``note`` what was written to it ("" for none).
        score: 0..1, None when nothing was scored. ``display_score`` is it on the display range of its version, in
            words ("–" for none).
        basis: the ids of the evaluations that were in when it was settled.
        supersedes_id: the settlement that this one corrects. ``superseded_at`` is set on one that was corrected.
    """

    id: str
    context_id: str
    subject_id: str
    version_id: str
    evaluation_id: str | None = None
    adjudicator_id: str
    adjudicator_name: str
    adjudicator_display_name: str = ""
    reason: str
    note: str = ""
    settled_at: datetime
    score: float | None = None
    display_score: str = "–"
    outcome: Outcome
    passed: bool | None = None
    subject_title: str = ""
    basis: tuple[str, ...] = ()
    supersedes_id: str | None = None
    superseded_at: datetime | None = None

    @property
    def adjudicator(self) -> str:
        return self.adjudicator_display_name or self.adjudicator_name


class QueueState(StrEnum):
    """Where a subject of the queue is.

    ``to_settle``: it disagrees, its reviews are in. ``waiting``: it disagrees so far, reviews are open.
    ``settled``: it has a settlement. ``changed``: it has one, and evaluations came or went since. ``agrees``: no
    disagreement; listed when asked for.
    """

    TO_SETTLE = "to_settle"
    WAITING = "waiting"
    CHANGED = "changed"
    SETTLED = "settled"
    AGREES = "agrees"


class QueueItem(Value, frozen=True, kw_only=True):
    """A subject of the queue. Figures are those of ``SubjectProgress``, scores 0..1.

    ``open_reviews`` counts reviews of it that are asked for or begun in the round. ``has_draft``: the viewer has begun
    to settle it.
    """

    subject_id: str
    entity: str
    record_id: str
    title: str
    state: QueueState
    count: int = 0
    mean: float | None = None
    lowest: float | None = None
    highest: float | None = None
    spread: float | None = None
    flips: bool = False
    open_reviews: int = 0
    has_draft: bool = False
    settlement: Adjudication | None = None


class AdjudicationQueue(Value, frozen=True, kw_only=True):
    """The queue of a round, as the viewer may see it: what is to be settled first, the widest spread before all.

    ``threshold`` is the round's. ``hidden`` counts the subjects on which the viewer is blind; they are not in it.
    """

    context_id: str
    round_name: str
    threshold: float
    display: DisplayRange = DisplayRange()
    items: tuple[QueueItem, ...] = ()
    hidden: int = 0

    def count(self, *states: QueueState) -> int:
        """How many items are in one of these states."""
        return sum(item.state in states for item in self.items)


class SettlementStart(StrEnum):
    """Where the answers of a desk come from: the viewer's own ``draft``, the ``settlement`` that stands, else the
    ``panel``'s middle."""

    DRAFT = "draft"
    SETTLEMENT = "settlement"
    PANEL = "panel"


class SettlementDesk(Value, frozen=True, kw_only=True):
    """Everything to settle one subject by.

    Attributes:
        table: the evaluations side by side, with texts; ``version`` is what the settlement is scored on.
        answers: to begin or go on with; ``start`` says where they come from. Of a draft ``reason``, ``note`` and
            ``cursor`` come along; ``taken_id`` is the evaluation whose answers were taken as a whole.
        settlement: what stands, with ``settled_answers``. ``history``: every one that stood, the earliest first.
        open_reviews: the logins of those whose review is not in; while there are any it cannot be settled.
        conflict: why the viewer must not settle it, from her conflict of interest; "" without one.
    """

    context: Context
    subject: Subject
    table: PanelTable
    version: VersionSnapshot
    reasons: tuple[AdjudicationReason, ...]
    answers: tuple[Answer, ...] = ()
    start: SettlementStart = SettlementStart.PANEL
    reason: str | None = None
    note: str = ""
    cursor: str | None = None
    taken_id: str | None = None
    settlement: Adjudication | None = None
    settled_answers: tuple[Answer, ...] = ()
    history: tuple[Adjudication, ...] = ()
    open_reviews: tuple[str, ...] = ()
    conflict: str = ""


def may_settle(roles: Collection[Role]) -> bool:
    """Whether somebody of these roles may settle: who runs rounds, and reads all evaluations."""
    runs_rounds = Role.CHAIR in roles or Role.ADMINISTER_EVALUATIONS in roles
    return runs_rounds and reads_all(roles)


def reads_all(roles: Collection[Role]) -> bool:
    """Whether somebody of these roles reads the evaluations of others, where the blind rule does not hide them."""
    return not {Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION}.isdisjoint(roles)


# -- the queue -----------------------------------------------------------------------------------------------

_RANK = {state: place for place, state in enumerate(QueueState)}


def disagrees(line: SubjectProgress, threshold: float) -> bool:
    """Whether the overall scores of a subject lie the threshold apart or further (to six places), or some passed and
    some did not."""
    if (line.count or 0) < 2:
        return False
    return bool(line.flips) or (line.spread is not None and round6(line.spread) >= round6(threshold))


def queue_items(
    lines: Iterable[SubjectProgress],
    *,
    threshold: float,
    open_reviews: Mapping[str, int],
    settled: Mapping[str, Adjudication],
    basis: Mapping[str, Collection[str]],
    drafts: Collection[str] = (),
    everything: bool = False,
) -> tuple[QueueItem, ...]:
    """The subjects that disagree, and those that were settled, in the order of ``QueueState``; in it verdicts that flip
    first, then the widest spread, then the round's order. Lines on which the viewer is blind are left out.

    Args:
        open_reviews, settled, basis: by subject id: reviews not yet in, the settlement that stands, the ids of the
            evaluations that count now.
        drafts: the subjects that the viewer has begun to settle.
        everything: those that agree too, if anything is scored.
    """
    found = []
    for line in lines:
        if line.is_blind:
            continue
        one = settled.get(line.subject_id)
        waiting = open_reviews.get(line.subject_id, 0)
        state = _state(line, one, waiting, threshold, basis.get(line.subject_id, ()))
        if state is QueueState.AGREES and not (line.subject_id in drafts or (everything and line.count)):
            continue
        found.append(
            QueueItem(
                subject_id=line.subject_id,
                entity=line.entity,
                record_id=line.record_id,
                title=line.title,
                state=state,
                count=line.count or 0,
                mean=line.mean,
                lowest=line.lowest,
                highest=line.highest,
                spread=line.spread,
                flips=bool(line.flips),
                open_reviews=waiting,
                has_draft=line.subject_id in drafts,
                settlement=one,
            )
        )
    found.sort(key=lambda item: (_RANK[item.state], not item.flips, -(item.spread or 0.0)))
    return tuple(found)


def _state(
    line: SubjectProgress, one: Adjudication | None, waiting: int, threshold: float, basis: Collection[str]
) -> QueueState:
    if one is not None:
        return QueueState.SETTLED if set(one.basis) == set(basis) else QueueState.CHANGED
    if not disagrees(line, threshold):
        return QueueState.AGREES
    return QueueState.WAITING if waiting else QueueState.TO_SETTLE


# -- where a settlement begins -------------------------------------------------------------------------------


def panel_answers(table: PanelTable) -> tuple[Answer, ...]:
    """The panel's own middle, as answers to the version of the table, from the evaluations that count.

    On a scale of levels what most gave; of several given equally often the one nearest to the middle of all, the lower
    of two as near. On a numeric scale the median, the lower middle of an even number, so that it is always an answer
    somebody gave. Not applicable when more than half say so. Nothing where nobody answered.
    """
    counting = [one for one in table.evaluations if one.counts]
    scales = {fold_id(scale.id): scale for scale in table.version.scales}
    middle: dict[str, SampleAnswer] = {}
    for node in table.version.nodes:
        scale = scales.get(fold_id(node.scale_id or "")) if node.is_criterion else None
        given = [one.scores[node.key] for one in counting if node.key in one.scores]
        given = [score for score in given if _is_answered(score)]
        if scale is None or not given:
            continue
        said_no = sum(score.is_not_applicable for score in given)
        if said_no * 2 > len(given):
            middle[node.key] = SampleAnswer(is_not_applicable=True)
            continue
        chosen = _middle(scale, [score for score in given if not score.is_not_applicable])
        if chosen is not None:
            middle[node.key] = chosen
    return answers_by_key(table.version, middle)


def _is_answered(score: PanelScore) -> bool:
    return score.is_not_applicable or score.scale_level_id is not None or score.raw_value is not None


def _middle(scale: Scale, given: Sequence[PanelScore]) -> SampleAnswer | None:
    import statistics

    if scale.scale_type is ScaleType.NUMERIC:
        values = [score.raw_value for score in given if score.raw_value is not None]
        return SampleAnswer(raw_value=statistics.median_low(values)) if values else None
    worth = {fold_id(level.id): level.normalized_value for level in scale.levels}
    ids = [id for score in given if (id := fold_id(score.scale_level_id or "")) in worth]
    if not ids:
        return None
    count = Counter(ids)
    most = max(count.values())
    centre = statistics.median(worth[id] for id in ids)
    best = min(
        (id for id in count if count[id] == most), key=lambda id: (round6(abs(worth[id] - centre)), worth[id])
    )
    return SampleAnswer(level_id=best)


def answers_of(version: VersionSnapshot, one: PanelEvaluation) -> tuple[Answer, ...]:
    """What one evaluator answered, as answers to this version: levels, values and not applicable. What he wrote stays
    his own, and what is no answer in this version is left out."""
    kept = {
        key: SampleAnswer(
            level_id=score.scale_level_id,
            raw_value=score.raw_value,
            is_not_applicable=score.is_not_applicable,
        )
        for key, score in one.scores.items()
        if _is_answered(score)
    }
    return answers_by_key(version, kept)


def same_choice(one: Answer | None, other: Answer | None) -> bool:
    """Whether two answers choose the same, whatever is written to them. No answer is one that chooses nothing."""
    return _choice(one) == _choice(other)


def _choice(answer: Answer | None) -> tuple[str, float | None, bool]:
    if answer is None:
        return "", None, False
    return fold_id(answer.scale_level_id or ""), answer.raw_value, answer.is_not_applicable


def same_choices(one: Iterable[Answer], other: Iterable[Answer]) -> bool:
    """Whether two sets of answers choose the same throughout."""
    mine, theirs = ({fold_id(a.criterion_id): a for a in answers} for answers in (one, other))
    return all(same_choice(mine.get(id), theirs.get(id)) for id in mine.keys() | theirs.keys())


def with_answer(answers: Iterable[Answer], answer: Answer) -> tuple[Answer, ...]:
    """The answers with this one in the place of the one to the same criterion. An empty one takes it out."""
    wanted = fold_id(answer.criterion_id)
    kept = tuple(one for one in answers if fold_id(one.criterion_id) != wanted)
    is_empty = not answer.is_answered and not (answer.rationale or "").strip() and not answer.evidence
    return kept if is_empty else (*kept, answer)


def with_choices(answers: Iterable[Answer], chosen: Iterable[Answer]) -> tuple[Answer, ...]:
    """``chosen`` throughout, with the rationales and evidence that ``answers`` have for the same criteria."""
    kept = {fold_id(one.criterion_id): one for one in answers}
    found = []
    for one in chosen:
        before = kept.get(fold_id(one.criterion_id))
        found.append(
            one
            if before is None
            else msgspec.structs.replace(one, rationale=before.rationale, evidence=before.evidence)
        )
    return tuple(found)


def compulsory(
    problems: Iterable[SubmitProblem], table: PanelTable, version: VersionSnapshot, answers: Iterable[Answer]
) -> tuple[SubmitProblem, ...]:
    """Those of a submission's problems that keep a settlement from being made.

    Evidence is not asked for again: the evaluations hold it. A rationale that the rubric asks for may be left out
    where some evaluator who counts chose the same, whose reasons stand there; not where the answer is nobody's.
    """
    given = {fold_id(one.criterion_id): one for one in answers}
    everyone = [answers_of(version, one) for one in table.evaluations if one.counts]
    chosen = [{fold_id(one.criterion_id): one for one in answers} for answers in everyone]

    def stands(problem: SubmitProblem) -> bool:
        if problem.kind == "evidence_missing":
            return False
        id = fold_id(problem.criterion_id)
        is_theirs = any(same_choice(given.get(id), one[id]) for one in chosen if id in one)
        return problem.kind != "rationale_missing" or not is_theirs

    return tuple(problem for problem in problems if stands(problem))


# -- the taxonomy --------------------------------------------------------------------------------------------


def checked_reasons(given: Iterable[AdjudicationReason]) -> tuple[AdjudicationReason, ...]:
    """A list of reasons that can be offered, without outer blanks.

    Raises:
        InvalidInputError: there is none, there are too many, or one has no label, a long one, a line break or other
            control character in it, or the label of another.
    """
    reasons = tuple(
        msgspec.structs.replace(one, label=one.label.strip(), description=one.description.strip())
        for one in given
    )
    if not 1 <= len(reasons) <= MAXIMUM_REASONS:
        raise InvalidInputError(
            f"A list of {len(reasons)} reasons cannot be offered.",
            remedy=f"Give at least one and at most {MAXIMUM_REASONS}.",
        )
    seen: set[str] = set()
    for place, one in enumerate(reasons, 1):
        fault = _reason_fault(one, seen)
        if fault:
            shown = one.label if len(one.label) <= 40 else f"{one.label[:40]}..."
            raise InvalidInputError(f'Reason {place}, "{shown}", {fault}.', remedy="Change it.")
        seen.add(one.label.casefold())
    return reasons


def _reason_fault(one: AdjudicationReason, seen: Collection[str]) -> str:
    if not one.label:
        return "has no label"
    if len(one.label) > MAXIMUM_REASON:
        return f"is longer than {MAXIMUM_REASON} characters"
    if not (one.label + one.description).isprintable():
        return "holds a control character"
    if len(one.description) > MAXIMUM_REASON * 5:
        return "has too long a description"
    return "stands there twice" if one.label.casefold() in seen else ""


def reason_of(label: str, reasons: Sequence[AdjudicationReason]) -> AdjudicationReason:
    """The reason of this label, whatever its case; a number from 1 counts in the list.

    Raises:
        InvalidInputError: there is none.
    """
    wanted = label.strip().casefold()
    for place, one in enumerate(reasons, 1):
        if one.label.casefold() == wanted or str(place) == wanted:
            return one
    known = ", ".join(f'"{one.label}"' for one in reasons)
    said = f'There is no reason "{label.strip()}".' if wanted else "A settlement needs a reason."
    raise InvalidInputError(said, remedy=f"Choose one of {known}.")
