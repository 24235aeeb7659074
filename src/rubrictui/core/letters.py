"""Feedback letters to the people scored: what the panel gave each subject, why, and in whose words. Pure.

A letter is a value without ids: names of reviewers are in it only where the round names them. In an anonymous round
reviewers are numbered anew in every letter, in an order made of ids that are random, so that neither a number nor a
place tells who it is, or that two letters speak of one person.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from rubrictui.core.due_times import shown_in
from rubrictui.core.explain import explain_outcome
from rubrictui.core.matrix import MatrixCell, MatrixRow
from rubrictui.core.matrix_building import round_matrix, subject_matrix
from rubrictui.core.model import (
    Evidence,
    Node,
    Outcome,
    ScoredNode,
    ScoreResult,
    Value,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.plan_tree import PlanTree
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.ranking import GateRule, rank
from rubrictui.core.records import EvaluationStatus, EvaluatorType
from rubrictui.core.round_report import RoundFacts, SubjectLine, subject_lines
from rubrictui.core.rounds import Naming
from rubrictui.core.words import counted, listed

#: What an outcome is to the person scored.
OUTCOME_SAID: Final[Mapping[Outcome, str]] = {
    Outcome.PASSED: "Passed",
    Outcome.BELOW_THRESHOLD: "Below the threshold",
    Outcome.GATE_FAILED: "A required criterion is not met",
    Outcome.INCOMPLETE: "Incomplete",
    Outcome.NOT_APPLICABLE_FAILURE: "Not applicable where that is not accepted",
    Outcome.SCORED: "Scored",
}
_ANONYMOUS: Final[Mapping[EvaluatorType, str]] = {
    EvaluatorType.HUMAN: "Reviewer",
    EvaluatorType.AI_PROMPT: "AI judge",
    EvaluatorType.AGENT: "AI agent",
    EvaluatorType.DETERMINISTIC: "Rules",
    EvaluatorType.EXTERNAL: "External evaluation",
    EvaluatorType.SELF: "Self-assessment",
}
_KIND_SAID: Final[Mapping[EvaluatorType, str]] = {
    EvaluatorType.HUMAN: "a person",
    EvaluatorType.AI_PROMPT: "an AI judge",
    EvaluatorType.AGENT: "an AI agent",
    EvaluatorType.DETERMINISTIC: "rules, without judgement",
    EvaluatorType.EXTERNAL: "an evaluation made elsewhere",
    EvaluatorType.SELF: "your own, in no figure",
}


class LetterAnswer(Value, frozen=True, kw_only=True):
    """What one reviewer answered to one criterion.

    ``answer`` is the level's label or the number; ``score`` it on the display range, "" for none; ``anchor`` what that
    level means for this criterion. ``is_self``: it is the self-assessment's, which counts in nothing.
    """

    reviewer: str
    answer: str
    score: str = ""
    anchor: str = ""
    rationale: str = ""
    evidence: tuple[str, ...] = ()
    gate_failed: bool = False
    is_self: bool = False


class LetterCriterion(Value, frozen=True, kw_only=True):
    """A criterion with all answers; ``groups`` are the names of the groups it is in, outermost first.

    ``minimum`` is the score that a gate asks for, "" for no gate; ``gate_failed`` counts who found it not met.
    ``mean`` and ``spread`` are of those that count.
    """

    key: str
    name: str
    description: str = ""
    groups: tuple[str, ...] = ()
    is_gate: bool = False
    is_advisory: bool = False
    minimum: str = ""
    gate_failed: int = 0
    mean: str = ""
    spread: str = ""
    answers: tuple[LetterAnswer, ...] = ()


class LetterReviewer(Value, frozen=True, kw_only=True):
    """A reviewer as the letter names her, and what her evaluation came to; ``why`` is a sentence."""

    name: str
    kind: str
    score: str = ""
    outcome: str = ""
    why: str = ""


class LetterSettled(Value, frozen=True, kw_only=True):
    """A settled score: the score of record. ``by`` is "" in an anonymous round.

    ``note`` was written to the panel and often names a reviewer, so the shipped letters leave it out, in named rounds too.
    """

    score: str
    outcome: str
    reason: str
    note: str = ""
    by: str = ""
    at: str = ""


class Letter(Value, frozen=True, kw_only=True):
    """The letter about one subject, in words.

    Attributes:
        score: the score of record: the settled one where there is one, else the panel's mean; "" for none. ``low`` and
            ``high`` are the ends of the range it is on.
        panel_score: the mean of the evaluations that count; ``count`` of them, of which ``passed`` passed.
        outcome: what it came to; ``why`` the sentences that explain it.
        gated_out: gates keep the subject out of the ranking.
        place: in the ranking, "" for none, of ``ranked`` subjects.
        is_open: the round takes evaluations still, so the letter is not the last word.
    """

    subject_id: str
    subject: str
    entity: str
    record: str
    round: str
    rubric: str
    version: str
    date: str
    score: str
    low: str
    high: str
    panel_score: str
    count: int
    passed: int
    outcome: str
    why: tuple[str, ...] = ()
    threshold: str = ""
    band: str = ""
    band_description: str = ""
    gated_out: bool = False
    place: str = ""
    ranked: int = 0
    is_open: bool = False
    is_named: bool = False
    settled: LetterSettled | None = None
    reviewers: tuple[LetterReviewer, ...] = ()
    self_assessment: LetterReviewer | None = None
    criteria: tuple[LetterCriterion, ...] = ()


class Letters(Value, frozen=True, kw_only=True):
    """Who gets a letter, and who does not and why (Entity/record, by reason)."""

    subjects: tuple[PanelSubject, ...]
    without: tuple[tuple[str, tuple[str, ...]], ...] = ()


def recipients(facts: RoundFacts) -> Letters:
    """The subjects that something was submitted about or that were settled, and those that get no letter."""
    scored = {one.subject_id for one in facts.table.evaluations if one.counts} | set(facts.standing)
    silent = [one for one in facts.table.subjects if one.id not in scored]
    without = (
        ("you have open work on it, or the round holds peers back until it closes", facts.table.hidden),
        ("nothing that counts was submitted about it", tuple(silent)),
    )
    return Letters(
        subjects=tuple(one for one in facts.table.subjects if one.id in scored),
        without=tuple(
            (why, tuple(f"{one.entity}/{one.record_id}" for one in found)) for why, found in without if found
        ),
    )


def letters(facts: RoundFacts, *, gates: str = GateRule.HALF) -> Iterator[Letter]:
    """The letters of a round, in the order of ``recipients``.

    Args:
        facts: with texts (``Engine.letter_facts``).
        gates: which subjects their gates keep out of the ranking.

    Raises:
        InvalidInputError: another word for ``gates``.
    """
    writer = _Writer(facts, gates)
    wanted = {one.id for one in recipients(facts).subjects}
    for alone in facts.table.by_subject():
        if alone.subjects[0].id in wanted:
            yield writer.letter(alone)


class _Writer:
    """What all letters of a round share."""

    def __init__(self, facts: RoundFacts, gates: str) -> None:
        self._facts = facts
        table = facts.table
        self._version = table.version
        ranking = rank(table, gates=gates)
        matrix = round_matrix(table, order=ranking.order, details=ranking.places)
        self._lines = {line.subject.id: line for line in subject_lines(facts, ranking, matrix)}
        self._ranked = len(ranking.ranked)
        self._gates = ranking.gates
        self._display = matrix.display
        self._named = facts.round.rules.naming is Naming.NAMED
        self._nodes = {node.key: node for node in table.version.nodes}
        self._names = {node.key: node.name or node.key for node in table.version.nodes}
        self._anchors = _anchors(table.version)
        self._walk = PlanTree(table.version).walk
        context = table.context or facts.round.context
        self._round = context.name or context.record_id

    def letter(self, alone: PanelTable) -> Letter:
        subject = alone.subjects[0]
        line = self._lines[subject.id]
        given = [one for one in alone.evaluations if one.status is EvaluationStatus.SUBMITTED]
        given = latest(given)
        if not self._named:
            given.sort(key=lambda one: (_rank_of(one), _shuffled(subject.id, one.id)))
        names = _names(given, self._named)
        matrix = subject_matrix(msgspec.structs.replace(alone, evaluations=tuple(given)))
        order = [column.id for column in matrix.columns]
        by_id = {one.id: one for one in given}
        in_order = [by_id[id] for id in order]
        display = self._display
        settled = self._settled(line)
        reviewers = {one.id: self._reviewer(names[one.id], one) for one in in_order}
        own = [one for one in in_order if one.evaluator_type is EvaluatorType.SELF]
        criteria = tuple(
            self._criterion(row, in_order, names)
            for row in matrix.rows
            if not row.is_group and not row.is_overall
        )
        return Letter(
            subject_id=subject.id,
            subject=subject.title,
            entity=subject.entity,
            record=subject.record_id,
            round=self._round,
            rubric=self._facts.table.rubric_name,
            version=self._version.number or str(self._facts.table.major),
            date=shown_in(self._facts.at, None)[:10],
            score=settled.score if settled else _score(display, line.score),
            low=display.score(0.0, 2),
            high=display.score(1.0, 2),
            panel_score=_score(display, line.score),
            count=line.count,
            passed=line.passed,
            outcome=settled.outcome if settled else _outcome(line, in_order),
            why=tuple(self._why(line, in_order, names, criteria)),
            threshold=_score(display, self._version.pass_threshold),
            band=line.band.label if line.band and settled is None else "",
            band_description=(line.band.description or "") if line.band and settled is None else "",
            gated_out=line.place == "gate",
            place=line.place if line.place not in ("gate", "–") else "",
            ranked=self._ranked,
            is_open=self._facts.round.state != "Closed",
            is_named=self._named,
            settled=settled,
            reviewers=tuple(reviewers[one.id] for one in in_order if one.counts),
            self_assessment=reviewers[own[0].id] if own else None,
            criteria=criteria,
        )

    # -- parts

    def _settled(self, line: SubjectLine) -> LetterSettled | None:
        one = line.settled
        if one is None:
            return None
        return LetterSettled(
            score="" if one.score is None else one.display_score,
            outcome=OUTCOME_SAID[one.outcome],
            reason=one.reason,
            note=one.note,
            by=one.adjudicator if self._named else "",
            at=shown_in(one.settled_at, None)[:10],
        )

    def _reviewer(self, name: str, one: PanelEvaluation) -> LetterReviewer:
        return LetterReviewer(
            name=name,
            kind=_KIND_SAID[one.evaluator_type],
            score=_score(self._display, one.normalized_score),
            outcome=OUTCOME_SAID[one.outcome] if one.outcome else "",
            why=self._explained(one),
        )

    def _explained(self, one: PanelEvaluation) -> str:
        """Why the evaluation has its outcome; "" where it was made with another version than the letter's."""
        if one.outcome is None or one.version_id != self._version.id:
            return ""
        nodes = tuple(
            _scored(node, one.scores[node.key]) for node in self._walk if node.key and node.key in one.scores
        )
        result = ScoreResult(
            normalized_score=one.normalized_score,
            completeness=one.completeness or 0.0,
            outcome=one.outcome,
            passed=one.passed,
            gate_failed=bool(one.gate_failed),
            pass_threshold_applied=self._version.pass_threshold,
            band_id=one.band_id,
            confidence=one.confidence,
            nodes=nodes,
        )
        return explain_outcome(self._version, result)

    def _criterion(
        self, row: MatrixRow, given: Sequence[PanelEvaluation], names: Mapping[str, str]
    ) -> LetterCriterion:
        node = self._nodes[row.key]
        display = self._display
        failed = sum(
            cell.gate_failed
            for cell, one in zip(row.cells, given, strict=True)
            if cell is not None and one.counts
        )
        return LetterCriterion(
            key=row.key,
            name=row.name,
            description=node.description or "",
            groups=tuple(self._names[key] for key in row.groups if key in self._names),
            is_gate=row.is_gate and not row.is_advisory,
            is_advisory=row.is_advisory,
            minimum=_score(display, node.gate_minimum_score or 0.0)
            if row.is_gate and not row.is_advisory
            else "",
            gate_failed=failed,
            mean=_score(display, row.mean),
            spread="" if row.spread is None else display.spread(row.spread, 2),
            answers=tuple(
                self._answer(node, cell, one, names[one.id])
                for cell, one in zip(row.cells, given, strict=True)
                if cell is not None
            ),
        )

    def _answer(self, node: Node, cell: MatrixCell, one: PanelEvaluation, name: str) -> LetterAnswer:
        score = one.scores[node.key]
        return LetterAnswer(
            reviewer=name,
            answer=cell.answer,
            score=_score(self._display, cell.score),
            anchor=self._anchors.get((node.key, fold_id(score.scale_level_id)), ""),
            rationale=(score.rationale or "").strip(),
            evidence=tuple(filter(None, map(_quoted, score.evidence))),
            gate_failed=cell.gate_failed,
            is_self=one.evaluator_type is EvaluatorType.SELF,
        )

    def _why(
        self,
        line: SubjectLine,
        given: Sequence[PanelEvaluation],
        names: Mapping[str, str],
        criteria: Sequence[LetterCriterion],
    ) -> Iterator[str]:
        counting = [one for one in given if one.counts]
        if not counting:
            return
        if line.score is not None:
            low, high = self._display.score(0.0, 2), self._display.score(1.0, 2)
            yield (
                f"{_capital(counted(line.count, 'evaluation'))} {'counts' if line.count == 1 else 'count'}; the mean of "
                f"{'it' if line.count == 1 else 'them'} is {_score(self._display, line.score)} on {low} to {high}."
            )
        verdicts = [one for one in counting if one.passed is not None]
        if verdicts and self._version.pass_threshold is not None:
            passed = sum(one.passed is True for one in verdicts)
            yield (
                f"{passed} of {len(verdicts)} passed: an evaluation passes from "
                f"{_score(self._display, self._version.pass_threshold)} on, when every required criterion is met."
            )
        for one in criteria:
            if one.gate_failed:
                who = [answer.reviewer for answer in one.answers if answer.gate_failed and not answer.is_self]
                yield (
                    f"{one.name} is a required criterion with a minimum of {one.minimum}: {listed(who)} found it not met."
                )
        if line.place == "gate":
            failed = line.gates_failed
            yield (
                f"A required criterion failed in {failed} of {counted(len(counting), 'evaluation')}, so the subject has no "
                "place in the ranking whatever its score."
            )


# -- pieces --------------------------------------------------------------------------------------------------


def latest(given: Iterable[PanelEvaluation]) -> list[PanelEvaluation]:
    """Of two evaluations by one evaluator the later, as agreement counts them (the latest stands first in a table)."""
    found: dict[str, PanelEvaluation] = {}
    for one in given:
        found.setdefault(one.rater, one)
    return list(found.values())


def _rank_of(one: PanelEvaluation) -> int:
    return list(_ANONYMOUS).index(one.evaluator_type)


def _shuffled(subject_id: str, evaluation_id: str) -> str:
    """A place that follows from random ids alone: another one for each subject, the same whenever it is asked for."""
    return hashlib.sha256(f"{subject_id}/{evaluation_id}".encode("utf-8", "surrogatepass")).hexdigest()


def _names(given: Sequence[PanelEvaluation], named: bool) -> dict[str, str]:
    """How the letter calls each evaluation, by its id."""
    kinds = Counter(one.evaluator_type for one in given)
    count: Counter[str] = Counter()
    found = {}
    for one in given:
        if one.evaluator_type is EvaluatorType.SELF:
            base, number_it = _ANONYMOUS[one.evaluator_type], kinds[one.evaluator_type] > 1
        elif named:
            base, number_it = one.label, False
        else:
            base = _ANONYMOUS[one.evaluator_type]
            number_it = one.evaluator_type is EvaluatorType.HUMAN or kinds[one.evaluator_type] > 1
        count[base] += 1
        found[one.id] = f"{base} {count[base]}" if number_it or count[base] > 1 else base
    return found


def _score(display: DisplayRange, value: float | None) -> str:
    return "" if value is None else display.score(value, 2)


def _outcome(line: SubjectLine, given: Sequence[PanelEvaluation]) -> str:
    """What the panel's evaluations came to together."""
    outcomes = {one.outcome for one in given if one.counts and one.outcome is not None}
    if line.place == "gate":
        return OUTCOME_SAID[Outcome.GATE_FAILED]
    if len(outcomes) == 1:
        return OUTCOME_SAID[next(iter(outcomes))]
    if not outcomes:
        return ""
    return f"The reviewers differ: {line.passed} of {line.count} say passed"


def _scored(node: Node, score: PanelScore) -> ScoredNode:
    return ScoredNode(
        id=node.id,
        key=node.key,
        normalized_score=score.normalized_score,
        effective_weight=None,
        overall_contribution=None,
        gate_failed=score.gate_failed,
        is_not_applicable=score.is_not_applicable,
        is_advisory=node.is_advisory,
    )


def _anchors(version: VersionSnapshot) -> dict[tuple[str, str], str]:
    """What a level means for a criterion: its anchor, else the level's own description; by key and folded level id."""
    scales = {fold_id(scale.id): scale for scale in version.scales}
    found: dict[tuple[str, str], str] = {}
    for node in version.nodes:
        scale = scales.get(fold_id(node.scale_id)) if node.is_criterion else None
        for level in scale.levels if scale else ():
            found[node.key, fold_id(level.id)] = level.description or ""
        for anchor in node.anchors:
            if anchor.scale_level_id and anchor.descriptor.strip():
                found[node.key, fold_id(anchor.scale_level_id)] = anchor.descriptor.strip()
    return found


def _quoted(one: Evidence) -> str:
    return " ".join(one.text.split())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
