"""The ranking of a round: by mean score, without those that a gate keeps out, ties broken in a stated way."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from msgspec.structs import replace

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value
from rubrictui.core.panel_tables import PanelEvaluation, PanelSubject, PanelTable
from rubrictui.core.rounding import round6


class GateRule(StrEnum):
    """How many of the evaluations that count must have failed a gate for a subject to be left out."""

    ANY = "any"
    HALF = "half"
    ALL = "all"


GATE_WORDS: Final[Mapping[GateRule, str]] = {
    GateRule.ANY: "a gate failed in one evaluation or more",
    GateRule.HALF: "a gate failed in half of the evaluations or more",
    GateRule.ALL: "a gate failed in every evaluation",
}

#: How equal means are told apart, in the order in which it is tried.
TIES: Final = (
    "the larger share of evaluations that passed",
    "the higher median score",
    "the higher lowest score",
)
TIES_IN_WORDS: Final = (
    "Equal means (to six places) are parted by the larger share of evaluations that passed, then by the higher "
    "median, then by the higher lowest score; subjects that are still equal share a place, and the places after "
    "them are left free."
)


class RankedSubject(Value, frozen=True, kw_only=True):
    """A subject with its place, 1 for the best; scores are 0..1.

    ``tie`` says what put it apart from another of the same mean, ``shared`` that it shares its place.
    ``gates_failed`` counts the evaluations in which a gate failed: a disputed gate is worth a look.
    """

    place: int
    subject: PanelSubject
    score: float
    count: int
    passed: int
    median: float
    lowest: float
    spread: float
    gates_failed: int = 0
    shared: bool = False
    tie: str = ""


class Unranked(Value, frozen=True, kw_only=True):
    """A subject without a place, and why. ``score`` is its mean where it has one."""

    subject: PanelSubject
    reason: str
    gated_out: bool = False
    score: float | None = None
    count: int = 0
    gates_failed: int = 0


class Ranking(Value, frozen=True, kw_only=True):
    """A round's ranking. ``hidden`` counts the subjects on which the viewer is blind; they are in neither list."""

    ranked: tuple[RankedSubject, ...] = ()
    unranked: tuple[Unranked, ...] = ()
    gates: GateRule = GateRule.HALF
    hidden: int = 0

    @property
    def method(self) -> str:
        """How it was made, in words."""
        return (
            "By the mean score of the evaluations that count (submitted, self-assessments left out). "
            f"Left out: subjects where {GATE_WORDS[self.gates]}, and those without a score. {TIES_IN_WORDS}"
        )

    @property
    def order(self) -> tuple[str, ...]:
        """The ids of the subjects, the ranked ones first."""
        return (*(one.subject.id for one in self.ranked), *(one.subject.id for one in self.unranked))

    @property
    def places(self) -> dict[str, str]:
        """By subject: ``3.``, ``3.=`` for a shared place, ``gate`` or ``–``."""
        found = {one.subject.id: f"{one.place}.{'=' if one.shared else ''}" for one in self.ranked}
        found |= {one.subject.id: "gate" if one.gated_out else "–" for one in self.unranked}
        return found


def rank(table: PanelTable, *, gates: str = GateRule.HALF) -> Ranking:
    """Rank the subjects of a round's table (``Engine.round_table``).

    Args:
        gates: ``any``, ``half`` or ``all``: which subjects their gates keep out.

    Raises:
        InvalidInputError: another word for ``gates``.
    """
    try:
        rule = GateRule(gates)
    except ValueError:
        raise InvalidInputError(
            f'"{gates}" is no rule for gates.', remedy=f"Use {', '.join(GateRule)}."
        ) from None
    by_subject: dict[str, list[PanelEvaluation]] = {subject.id: [] for subject in table.subjects}
    for one in table.evaluations:
        if one.counts and one.subject_id in by_subject:
            by_subject[one.subject_id].append(one)
    ranked: list[RankedSubject] = []
    unranked: list[Unranked] = []
    for subject in table.subjects:
        found = _standing(subject, by_subject[subject.id], rule)
        if isinstance(found, RankedSubject):
            ranked.append(found)
        else:
            unranked.append(found)
    ranked.sort(key=lambda one: (_merits(one), one.subject.title.casefold(), one.subject.id))
    unranked.sort(key=lambda one: (not one.gated_out, one.subject.title.casefold(), one.subject.id))
    return Ranking(ranked=_placed(ranked), unranked=tuple(unranked), gates=rule, hidden=len(table.hidden))


def _standing(
    subject: PanelSubject, evaluations: Sequence[PanelEvaluation], rule: GateRule
) -> RankedSubject | Unranked:
    scores = [one.normalized_score for one in evaluations if one.normalized_score is not None]
    failed = sum(bool(one.gate_failed) for one in evaluations)
    mean = math.fsum(scores) / len(scores) if scores else None
    least = {GateRule.ANY: 1.0, GateRule.HALF: len(evaluations) / 2, GateRule.ALL: float(len(evaluations))}
    if failed and failed >= least[rule]:
        return Unranked(
            subject=subject,
            reason=f"gate failed in {failed} of {len(evaluations)}",
            gated_out=True,
            score=mean,
            count=len(scores),
            gates_failed=failed,
        )
    if mean is None:
        reason = "no evaluation has a score" if evaluations else "no evaluation yet"
        return Unranked(subject=subject, reason=reason, gates_failed=failed)
    return RankedSubject(
        place=0,
        subject=subject,
        score=round6(mean),
        count=len(scores),
        passed=sum(one.passed is True for one in evaluations),
        median=statistics.median(scores),
        lowest=min(scores),
        spread=max(scores) - min(scores),
        gates_failed=failed,
    )


def _merits(one: RankedSubject) -> tuple[float, ...]:
    """What decides, the most important first; smaller is better."""
    return (-one.score, -round6(one.passed / one.count), -round6(one.median), -round6(one.lowest))


def _placed(ordered: Sequence[RankedSubject]) -> tuple[RankedSubject, ...]:
    counts = Counter(map(_merits, ordered))
    different = list(counts)
    ties = {
        merits: _tie(merits, [different[other] for other in (at - 1, at + 1) if 0 <= other < len(different)])
        for at, merits in enumerate(different)
    }
    placed: list[RankedSubject] = []
    for at, one in enumerate(ordered):
        merits = _merits(one)
        same = at > 0 and merits == _merits(ordered[at - 1])
        placed.append(
            replace(
                one,
                place=placed[-1].place if same else at + 1,
                shared=counts[merits] > 1,
                tie=ties[merits],
            )
        )
    return tuple(placed)


def _tie(merits: tuple[float, ...], beside: Sequence[tuple[float, ...]]) -> str:
    """What puts it apart from a neighbour of the same mean, in words; "" where there is none."""
    steps = [
        next(step for step in range(1, len(merits)) if other[step] != merits[step])
        for other in beside
        if other[0] == merits[0]
    ]
    return f"by {TIES[max(steps) - 1]}" if steps else ""
