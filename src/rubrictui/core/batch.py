"""Many answer sets of one version at once.

Two ways. ``batch`` takes lists of answers and gives whole results, one ``compute`` each. ``score_codes``
takes answers as arrays and gives arrays, a hundred times as fast: what simulations, bootstraps and rescoring
of a store need. It is no second scorer: what an answer says is read by ``scoring.read_answer``, and roll-ups
repeat the additions of ``scoring`` in the same order, so the numbers are the same to the last digit.

Coded answers stand leaf by leaf. A leaf's codebook lists the different readings that occur (code 0 is
"unanswered"); ``codes`` holds, per leaf and answer set, the place in that book. ``encode`` makes both from
answers, ``encode_columns`` from columns of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import Answer, Outcome, ScoreResult, VersionSnapshot
from rubrictui.core.plan import Group, Leaf, Plan, Reading, plan_of, rounded_input
from rubrictui.core.rounding import NUDGE
from rubrictui.core.scoring import compute, read_answer, read_answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

#: What the codes in ``BatchScores.outcome`` stand for.
OUTCOMES: Final = tuple(Outcome)

#: In a column of ``encode_columns``, a not-applicable answer; NaN is an unanswered one.
NOT_APPLICABLE: Final = float("-inf")

#: Answer sets scored at a time: few enough that every array stays in the processor's cache.
_CHUNK: Final = 8192

#: Three counts of leaves are added up as one integer: scored, unanswered, failing as not applicable.
_UNANSWERED_SHIFT, _FAILING_SHIFT, _COUNT_MASK = 21, 42, (1 << 21) - 1


def batch(
    version: VersionSnapshot,
    answer_sets: Iterable[Iterable[Answer]],
    *,
    pass_threshold: float | None = None,
) -> list[ScoreResult]:
    """Score each answer set as ``compute`` does, in order.

    Raises:
        ScoringError: the first illegal answer of the first set that has one; the message counts sets from 1.
    """
    results = []
    for number, answers in enumerate(answer_sets, start=1):
        try:
            results.append(compute(version, answers, pass_threshold=pass_threshold))
        except ScoringError as error:
            raise _in_set(number, error) from None
    return results


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCodes:
    """Answer sets of one version as numbers.

    Attributes:
        codes: shape (leaves, sets); leaves are the criteria that take part, in walk order.
        books: per leaf the readings that its codes stand for.
    """

    codes: NDArray[np.integer[Any]]
    books: tuple[tuple[Reading, ...], ...]

    def __len__(self) -> int:
        return int(self.codes.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class BatchScores:
    """The results of n answer sets, each an array of length n. Scores are rounded, as in ``ScoreResult``.

    Attributes:
        overall: normalized scores, NaN where there is none.
        completeness: 0..1.
        outcome: places in ``OUTCOMES``.
        passed: 1 passed, 0 not passed, -1 null.
        gate_failed: whether any gate failed.
        band: places in the version's ``bands``, -1 for none.
        node_scores: shape (nodes in walk order, n), NaN for none; None unless it was asked for.
        pass_threshold_applied: the rounded threshold, None for none.
    """

    overall: Floats
    completeness: Floats
    outcome: NDArray[np.uint8]
    passed: NDArray[np.int8]
    gate_failed: Flags
    band: NDArray[np.int16]
    node_scores: Floats | None
    pass_threshold_applied: float | None


def encode(version: VersionSnapshot, answer_sets: Iterable[Iterable[Answer]]) -> AnswerCodes:
    """Code lists of answers, read exactly as ``compute`` reads them.

    Raises:
        ScoringError: the first illegal answer of the first set that has one; the message counts sets from 1.
    """
    import numpy as np

    plan = plan_of(version)
    books: list[dict[Reading, int]] = [{read_answer(leaf, None): 0} for leaf in plan.leaves]
    rows: list[list[int]] = []
    for number, answers in enumerate(answer_sets, start=1):
        row = []
        for book, reading in zip(books, read_answers(plan, answers), strict=True):
            if reading.refusal is not None:
                raise _in_set(number, reading.refusal)
            row.append(book.setdefault(reading, len(book)))
        rows.append(row)
    codes = np.array(rows, dtype=np.uint32).reshape(len(rows), len(books)).T
    return AnswerCodes(_smallest(codes), tuple(tuple(book) for book in books))


def encode_columns(version: VersionSnapshot, columns: Mapping[str, ArrayLike]) -> AnswerCodes:
    """Code columns of numbers, one column per criterion.

    Args:
        columns: by criterion key, all of one length. On a levels scale a number is a level's place in the
            scale's ``levels``, counted from 0; on a numeric scale it is the raw value. NaN is unanswered,
            ``NOT_APPLICABLE`` is not applicable; a criterion without a column is unanswered throughout.

    Raises:
        ScoringError: an illegal answer, the one that ``encode`` would name.
        InvalidInputError: a key that is no criterion's, columns of different lengths, a place that is no level.
    """
    import numpy as np

    plan = plan_of(version)
    arrays = {key: np.asarray(column, dtype=np.float64) for key, column in columns.items()}
    lengths = {array.shape for array in arrays.values()}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
        raise InvalidInputError("The columns differ in length.", remedy="Give one number per answer set.")
    sets = next(iter(lengths))[0] if lengths else 0
    if unknown := arrays.keys() - {leaf.node.key for leaf in plan.leaves}:
        raise InvalidInputError(
            f'No criterion has the key "{min(unknown)}".', remedy="Name columns by criterion key."
        )
    codes = np.zeros((len(plan.leaves), sets), dtype=np.uint32)
    books: list[tuple[Reading, ...]] = []
    refusals: list[tuple[int, int, ScoringError]] = []  # set, leaf, why
    for number, leaf in enumerate(plan.leaves):
        book = [read_answer(leaf, None)]
        if leaf.node.key in arrays:
            values, first, inverse = np.unique(arrays[leaf.node.key], return_index=True, return_inverse=True)
            code_of = np.zeros(len(values), dtype=np.uint32)
            for place, value in enumerate(values.tolist()):
                answer = _column_answer(leaf, value)
                if answer is None:
                    continue
                try:
                    book.append(read_answer(leaf, answer))
                    code_of[place] = len(book) - 1
                except ScoringError as refusal:
                    refusals.append((int(first[place]), number, refusal))
            codes[number] = code_of[inverse.reshape(-1)]
        books.append(tuple(book))
    if refusals:
        index, _, error = min(refusals, key=lambda found: found[:2])
        raise _in_set(index + 1, error)
    return AnswerCodes(_smallest(codes), tuple(books))


def score_codes(
    version: VersionSnapshot,
    coded: AnswerCodes,
    *,
    pass_threshold: float | None = None,
    node_scores: bool = False,
) -> BatchScores:
    """Score coded answer sets; the numbers equal those of ``compute`` to the last digit.

    Args:
        version: the version that the answers were coded with.
        coded: what ``encode`` or ``encode_columns`` made.
        pass_threshold: replaces the version's threshold when given.
        node_scores: whether to keep the score of every node too.

    Raises:
        InvalidInputError: the codes are of another version.
    """
    import numpy as np

    plan = plan_of(version)
    # A leaf of the next state of a version may be another object; what was read of it is the same.
    met = [id(book[0].leaf.readings) for book in coded.books]
    if met != [id(leaf.readings) for leaf in plan.leaves]:
        raise InvalidInputError(
            "The answers are coded with another version.", remedy="Encode them with the one to score."
        )
    threshold = (
        plan.rules.pass_threshold
        if pass_threshold is None
        else rounded_input(pass_threshold, "pass threshold")
    )
    tables = _Tables(plan, coded)
    sets = len(coded)
    overall, completeness = np.empty(sets), np.empty(sets)
    gate_failed, not_applicable_failure = np.empty(sets, dtype=np.bool_), np.empty(sets, dtype=np.bool_)
    nodes = np.empty((len(plan.leaves) + len(plan.groups) - 1, sets)) if node_scores else None
    with np.errstate(divide="ignore", invalid="ignore"):
        for start in range(0, sets, _CHUNK):
            part = slice(start, min(start + _CHUNK, sets))
            chunk = _Chunk(tables, coded.codes[:, part])
            for group in plan.groups:
                chunk.roll_up(group)
            chunk.fail_gates(number for number in plan.gates if number < len(plan.leaves))
            overall[part] = _round6(chunk.scores[plan.groups[-1].number])
            completeness[part] = chunk.completeness()
            gate_failed[part] = chunk.gate_failed
            not_applicable_failure[part] = chunk.not_applicable_failure()
            if nodes is not None:
                for place, scores in enumerate(chunk.shown(plan)):
                    nodes[place, part] = scores
    outcome = _outcomes(plan, threshold, overall, completeness, gate_failed, not_applicable_failure)
    return BatchScores(
        overall=overall,
        completeness=completeness,
        outcome=outcome,
        passed=_passed(plan, threshold, outcome),
        gate_failed=gate_failed,
        band=_bands(plan, version, overall),
        node_scores=nodes,
        pass_threshold_applied=threshold,
    )


class _Tables:
    """Per leaf, what each code of its book contributes, as arrays to look codes up in."""

    def __init__(self, plan: Plan, coded: AnswerCodes) -> None:
        import numpy as np

        # Most criteria are answered in every set; those need no looking up of who counts.
        self.always_counts = [
            len(codes) > 0 and bool(codes.min() > 0) and all(reading.counts for reading in book[1:])
            for codes, book in zip(coded.codes, coded.books, strict=True)
        ]
        self.always_scored = sum(self.always_counts)
        weights = {number: weight for group in plan.groups for number, weight in group.children}
        self.score: list[Floats] = []  # NaN where the leaf does not count
        self.shown: list[Floats] = []  # NaN for none
        self.weight: list[Floats] = []  # 0 where the leaf does not count
        self.weighted: list[Floats] = []
        self.tally: list[NDArray[np.int64]] = []
        self.unanswered: list[Flags] = []
        self.gate_failed: list[Flags] = []
        for number, book in enumerate(coded.books):
            weight = weights.get(number, 0.0)
            shown = [np.nan if reading.score is None else reading.score for reading in book]
            counts = [reading.counts for reading in book]
            self.shown.append(np.array(shown))
            self.score.append(np.where(counts, shown, np.nan))
            self.weight.append(np.where(counts, weight, 0.0))
            self.weighted.append(np.where(counts, weight * np.array(shown), 0.0))
            self.unanswered.append(np.array([reading.unanswered for reading in book]))
            tally = [
                reading.counts
                | reading.unanswered << _UNANSWERED_SHIFT
                | reading.fails_evaluation << _FAILING_SHIFT
                for reading in book
            ]
            self.tally.append(np.array(tally, dtype=np.int64))
            self.gate_failed.append(np.array([reading.gate_failed for reading in book]))


class _Chunk:
    """Some answer sets being scored, leaf by leaf and group by group, children before parents.

    Attributes:
        scores: the unrounded score of each group so far, by number; NaN for none.
        tally: the counts of leaves so far.
        gate_failed: whether a gate failed so far.
    """

    def __init__(self, tables: _Tables, codes: NDArray[np.integer[Any]]) -> None:
        import numpy as np

        self.codes = codes
        self.tables = tables
        self.leaves, self.sets = codes.shape
        self.scores: dict[int, Floats] = {}
        self.tally = np.full(self.sets, tables.always_scored, dtype=np.int64)
        self.gate_failed = np.zeros(self.sets, dtype=np.bool_)
        # Small and used again and again, so that they stay in the processor's nearest cache.
        self._index = np.empty(self.sets, dtype=np.intp)
        self._floats = np.empty(self.sets)
        self._counts = np.empty(self.sets, dtype=np.int64)

    def roll_up(self, group: Group) -> None:
        """Score one group as ``scoring`` does: added up child by child, or the best or worst of them."""
        import numpy as np

        best = np.full(self.sets, np.nan)
        weighted = np.zeros(self.sets)
        total: float | Floats = 0.0  # a number for as long as every child counts in every set
        combine = np.fmin if group.best is min else np.fmax  # both pass over NaN
        for number, weight in group.children:
            if number < self.leaves:
                self._turn_to(number)
                always = self.tables.always_counts[number]
                if not always:
                    self.tally += self._look_up(self.tables.tally[number], self._counts)
                if group.best is not None:
                    combine(best, self._look_up(self.tables.score[number], self._floats), out=best)
                    continue
                weighted += self._look_up(self.tables.weighted[number], self._floats)
                if always:
                    total = total + weight
                else:
                    total = total + self._look_up(self.tables.weight[number], self._floats)
            elif group.best is None:
                included = ~np.isnan(self.scores[number])
                weighted += np.where(included, weight * self.scores[number], 0.0)
                total = total + weight * included
            else:
                combine(best, self.scores[number], out=best)
        if group.best is None:
            np.divide(weighted, total, out=best)
            if any(weight == 0.0 for _, weight in group.children):
                self._share_equally(group, best, total)
        self.scores[group.number] = best
        if group.gate is not None:
            # A comparison with NaN is false: without a score, only unanswered leaves fail the gate.
            self.gate_failed |= _round6(best) < group.gate
            self.gate_failed |= np.isnan(best) & self._unanswered(*group.leaves)

    def _share_equally(self, group: Group, mean: Floats, total: float | Floats) -> None:
        """Where the included weights are all zero, replace the mean by the plain one."""
        import numpy as np

        added, count = np.zeros(self.sets), np.zeros(self.sets)
        for number, _ in group.children:
            if number < self.leaves:
                score = self.tables.score[number].take(self.codes[number])
            else:
                score = self.scores[number]
            included = ~np.isnan(score)
            added += np.where(included, score, 0.0)
            count += included
        np.divide(added, count, out=mean, where=np.equal(total, 0.0))

    def fail_gates(self, leaves: Iterable[int]) -> None:
        for number in leaves:
            self.gate_failed |= self.tables.gate_failed[number].take(self.codes[number])

    def completeness(self) -> Floats:
        import numpy as np

        scored = self.tally & _COUNT_MASK
        applicable = scored + (self.tally >> _UNANSWERED_SHIFT & _COUNT_MASK)
        return _round6(np.where(applicable > 0, scored / applicable, 1.0))

    def not_applicable_failure(self) -> Flags:
        return self.tally >> _FAILING_SHIFT > 0

    def shown(self, plan: Plan) -> Iterable[Floats]:
        """The rounded scores of all nodes, in walk order."""
        leaves = [self.tables.shown[number].take(self.codes[number]) for number in range(self.leaves)]
        groups = [self.scores[group.number] for group in plan.groups]
        return [_round6(scores) for scores in plan.in_walk_order(leaves + groups)]

    def _unanswered(self, first: int, end: int) -> Flags:
        """Whether any non-advisory leaf among these is unanswered."""
        import numpy as np

        found = np.zeros(self.sets, dtype=np.bool_)
        for number in range(first, end):
            found |= self.tables.unanswered[number].take(self.codes[number])
        return found

    def _turn_to(self, leaf: int) -> None:
        self._index[:] = self.codes[leaf]

    def _look_up(self, table: NDArray[Any], into: NDArray[Any]) -> NDArray[Any]:
        """What the codes of the present leaf stand for. ("clip" never clips here; it is the fast mode.)"""
        return table.take(self._index, out=into, mode="clip")


def _outcomes(
    plan: Plan,
    threshold: float | None,
    score: Floats,
    completeness: Floats,
    *failures: Flags,
) -> NDArray[np.uint8]:
    """``scoring``'s table of outcomes; ``failures`` are those of gates and of not-applicable answers."""
    import numpy as np

    gate_failed, not_applicable_failure = failures
    minimum = -np.inf if plan.rules.minimum_completeness is None else plan.rules.minimum_completeness
    rows = [
        (completeness < minimum, Outcome.INCOMPLETE),
        (not_applicable_failure, Outcome.NOT_APPLICABLE_FAILURE),
        (np.isnan(score), Outcome.INCOMPLETE),
        (gate_failed, Outcome.GATE_FAILED),
    ]
    if threshold is not None:
        rows += [(score >= threshold, Outcome.PASSED), (score < threshold, Outcome.BELOW_THRESHOLD)]
    codes: NDArray[np.uint8] = np.select(
        [holds for holds, _ in rows],
        [np.uint8(OUTCOMES.index(outcome)) for _, outcome in rows],
        np.uint8(OUTCOMES.index(Outcome.SCORED)),
    )
    return codes


def _passed(plan: Plan, threshold: float | None, outcome: NDArray[np.uint8]) -> NDArray[np.int8]:
    import numpy as np

    passed: NDArray[np.int8] = (outcome == OUTCOMES.index(Outcome.PASSED)).astype(np.int8)
    passed[outcome == OUTCOMES.index(Outcome.SCORED)] = -1
    if threshold is None and not plan.rules.has_gate:
        passed[outcome == OUTCOMES.index(Outcome.INCOMPLETE)] = -1
    return passed


def _bands(plan: Plan, version: VersionSnapshot, score: Floats) -> NDArray[np.int16]:
    import numpy as np

    band = np.full(len(score), -1, dtype=np.int16)
    for low, high, band_id in reversed(plan.rules.bands):  # the first match wins
        place = next(place for place, each in enumerate(version.bands) if each.id == band_id)
        band[(low <= score) & ((score < high) | ((score == 1.0) & (high == 1.0)))] = place
    return band


def _round6(scores: Floats) -> Floats:
    """``rounding.round6``, operation by operation."""
    import numpy as np

    rounded: Floats = np.floor((scores + NUDGE) * 1e6 + 0.5) / 1e6
    return rounded


def _smallest(codes: NDArray[np.uint32]) -> NDArray[np.integer[Any]]:
    """The same codes in as few bytes as they need, each leaf's in one run of memory."""
    import numpy as np

    highest = int(codes.max(initial=0))
    kind = np.uint8 if highest < 2**8 else np.uint16 if highest < 2**16 else np.uint32
    return np.ascontiguousarray(codes, dtype=kind)


def _column_answer(leaf: Leaf, value: float) -> Answer | None:
    if value != value:  # noqa: PLR0124  # NaN: unanswered
        return None
    if value == NOT_APPLICABLE:
        return Answer(criterion_id=leaf.node.id, is_not_applicable=True)
    if leaf.is_numeric or leaf.scale is None:
        return Answer(criterion_id=leaf.node.id, raw_value=value)
    if not (value.is_integer() and 0 <= value < len(leaf.scale.levels)):
        raise InvalidInputError(
            f'Column "{leaf.node.key}": {value:g} is not the place of a level.',
            remedy=f"Write 0 to {len(leaf.scale.levels) - 1}.",
        )
    return Answer(criterion_id=leaf.node.id, scale_level_id=leaf.scale.levels[int(value)].id)


def _in_set(number: int, error: ScoringError) -> ScoringError:
    return ScoringError(error.kind, error.key, f"Answer set {number}: {error.message}", remedy=error.remedy)
