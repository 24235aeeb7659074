"""What a draft would do to evaluations that exist: the same answers scored under both versions.

The arithmetic is ``batch``'s, and so ``scoring``'s; here answers are matched by criterion key, and results
are compared and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from rubrictui.core.answer_fill import answer_here
from rubrictui.core.batch import OUTCOMES, AnswerCodes, BatchScores, score_codes
from rubrictui.core.model import Outcome, Value, VersionSnapshot
from rubrictui.core.plan import Leaf, Plan, Reading, plan_of
from rubrictui.core.records import SampleAnswer
from rubrictui.core.scoring import read_answer

if TYPE_CHECKING:
    import numpy as np

#: So many of the evaluations that change most are named.
MOVERS_SHOWN: Final = 10

#: Rows between two calls of ``progress``.
_PART: Final = 500


class StoredAnswers(Value, frozen=True, kw_only=True):
    """The answers of one evaluation by criterion key, and what to call it."""

    evaluation_id: str
    title: str = ""
    answers: dict[str, SampleAnswer]


class OutcomeShift(Value, frozen=True, kw_only=True):
    """How many evaluations go from one outcome to another (or stay)."""

    before: Outcome
    after: Outcome
    count: int


class Mover(Value, frozen=True, kw_only=True):
    """One evaluation under both versions. Scores are 0..1, None where there is none."""

    evaluation_id: str
    title: str
    before: float | None
    after: float | None
    outcome_before: Outcome
    outcome_after: Outcome

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


class LostAnswers(Value, frozen=True, kw_only=True):
    """Answers that the draft cannot take: the criterion is gone, or the answer is none on its scale any more."""

    key: str
    criterion_gone: bool
    count: int


class WhatIf(Value, frozen=True, kw_only=True):
    """What a draft would change about evaluations of the version it follows.

    ``total`` evaluations were scored, ``compared`` have a score under both; ``mean_change`` is over those, -1..1.
    ``outcome_changes`` and ``band_changes`` count evaluations. ``movers`` are those whose scores change most,
    outcome changes first. ``lost`` counts answers that have no place in the draft, ``new_keys`` are its criteria
    that nobody has answered. ``left_out`` says that evaluations the user may not read yet are not in it, and
    ``limited`` that only the latest were looked at.
    """

    total: int
    compared: int
    outcome_changes: int
    band_changes: int
    mean_change: float | None
    shifts: tuple[OutcomeShift, ...] = ()
    movers: tuple[Mover, ...] = ()
    lost: tuple[LostAnswers, ...] = ()
    new_keys: tuple[str, ...] = ()
    left_out: bool = False
    limited: bool = False


def rescore(
    base: VersionSnapshot,
    draft: VersionSnapshot,
    rows: Iterable[StoredAnswers],
    *,
    progress: Callable[[int], bool | None] | None = None,
) -> WhatIf:
    """Score stored answers under the version they were given to and under a draft of the next.

    An answer goes to the criterion with its key; a level is found by id, else by label. What the draft cannot
    take counts as unanswered there, and is counted.

    Args:
        rows: evaluations of ``base``.
        progress: called with the number of rows read so far; True ends the reading there.

    Raises:
        InvalidInputError: a number in one of the versions that no score can be computed with.
    """
    import numpy as np

    old, new = _Coder(base), _Coder(draft)
    titles: list[tuple[str, str]] = []
    for row in rows:
        titles.append((row.evaluation_id, row.title))
        old.add(row.answers)
        new.add(row.answers)
        if progress is not None and len(titles) % _PART == 0 and progress(len(titles)):
            break
    before, after = score_codes(base, old.coded()), score_codes(draft, new.coded())
    change = after.overall - before.overall
    both = ~np.isnan(change)
    moved = before.outcome != after.outcome
    keys = {leaf.node.key for leaf in old.plan.leaves}
    return WhatIf(
        total=len(titles),
        compared=int(both.sum()),
        outcome_changes=int(moved.sum()),
        band_changes=sum(a != b for a, b in zip(_labels(base, before), _labels(draft, after), strict=True)),
        mean_change=float(change[both].mean()) if both.any() else None,
        shifts=_shifts(before, after),
        movers=_movers(titles, before, after, moved, np.nan_to_num(change)),
        lost=new.lost(),
        new_keys=tuple(leaf.node.key for leaf in new.plan.leaves if leaf.node.key not in keys),
    )


class _Coder:
    """Answers by key as codes of one version (``batch``); every different answer is read once a criterion."""

    def __init__(self, version: VersionSnapshot) -> None:
        self.plan: Plan = plan_of(version)
        self._leaves = {leaf.node.key: leaf for leaf in self.plan.leaves}
        self._books: list[list[Reading]] = [[read_answer(leaf, None)] for leaf in self.plan.leaves]
        self._met: dict[str, dict[SampleAnswer, int]] = defaultdict(dict)
        self._rows: list[list[int]] = []
        self._lost: Counter[tuple[str, bool]] = Counter()

    def add(self, answers: Mapping[str, SampleAnswer]) -> None:
        row = [0] * len(self._books)
        for key, answer in answers.items():
            leaf = self._leaves.get(key)
            if leaf is None:
                self._lost[key, True] += 1
                continue
            met = self._met[key]
            code = met.get(answer)
            if code is None:
                code = met[answer] = self._code(leaf, answer)
            if code < 0:
                self._lost[key, False] += 1
            else:
                row[self.plan.number_of[leaf.node.id]] = code
        self._rows.append(row)

    def _code(self, leaf: Leaf, answer: SampleAnswer) -> int:
        """The place of the answer in the leaf's book; -1 when it is no answer there."""
        made = answer_here(leaf, answer)
        if made is None:
            return -1
        book = self._books[self.plan.number_of[leaf.node.id]]
        book.append(read_answer(leaf, made))
        return len(book) - 1

    def coded(self) -> AnswerCodes:
        import numpy as np

        shape = (len(self._rows), len(self._books))
        codes = np.array(self._rows, dtype=np.uint32).reshape(shape).T
        return AnswerCodes(np.ascontiguousarray(codes), tuple(tuple(book) for book in self._books))

    def lost(self) -> tuple[LostAnswers, ...]:
        return tuple(
            LostAnswers(key=key, criterion_gone=gone, count=count)
            for (key, gone), count in sorted(self._lost.items(), key=lambda item: (-item[1], item[0]))
        )


def _labels(version: VersionSnapshot, scores: BatchScores) -> list[str | None]:
    labels = [band.label for band in version.bands]
    return [None if place < 0 else labels[place] for place in scores.band.tolist()]


def _shifts(before: BatchScores, after: BatchScores) -> tuple[OutcomeShift, ...]:
    """Most frequent first; those that stay come with the others."""
    pairs = Counter(zip(before.outcome.tolist(), after.outcome.tolist(), strict=True))
    return tuple(
        OutcomeShift(before=OUTCOMES[old], after=OUTCOMES[new], count=count)
        for (old, new), count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    )


def _movers(
    titles: list[tuple[str, str]],
    before: BatchScores,
    after: BatchScores,
    moved: np.ndarray[Any, Any],
    change: np.ndarray[Any, Any],
) -> tuple[Mover, ...]:
    import numpy as np

    order = np.lexsort((-abs(change), ~moved))[:MOVERS_SHOWN].tolist()
    return tuple(
        Mover(
            evaluation_id=titles[place][0],
            title=titles[place][1],
            before=_score(before, place),
            after=_score(after, place),
            outcome_before=OUTCOMES[before.outcome[place]],
            outcome_after=OUTCOMES[after.outcome[place]],
        )
        for place in order
        if moved[place] or change[place] != 0
    )


def _score(scores: BatchScores, place: int) -> float | None:
    score = float(scores.overall[place])
    return None if score != score else score  # noqa: PLR0124  # NaN: there is none
