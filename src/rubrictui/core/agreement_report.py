"""The agreement of a panel, whole: every coefficient per criterion and overall, pairs, severity.

One entry, ``agreement_report``, for screens, reports and the command line; the values hold no NaN and serialise
to JSON as they are. Coefficients are withheld below ``minimum_sample`` usable subjects (guide section 9), and a
coefficient without a value says why in a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Final

from rubrictui.core.agreement import DEFAULT_MINIMUM_SAMPLE
from rubrictui.core.bootstrap import (
    CONFIDENCE,
    DEFAULT_RESAMPLES,
    Cancelled,
    Coefficient,
    Interval,
    check_draws,
    intervals,
)
from rubrictui.core.confusion import Confusion, coincidences, confusion
from rubrictui.core.model import Value
from rubrictui.core.ratings import (
    MOST_CATEGORIES,
    CriterionRatings,
    Rater,
    RatingsTable,
    category_indexes,
    check_table,
    overall_scores,
    rating_array,
    scores,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: The key under which the overall scores stand in a report.
OVERALL: Final = "overall"


class Reason(StrEnum):
    """Why there is no number."""

    TOO_FEW_SUBJECTS = "too_few_subjects"
    NO_VARIATION = "no_variation"
    NEEDS_TWO_RATERS = "needs_two_raters"
    NEEDS_CATEGORIES = "needs_categories"
    NEEDS_TWO_CATEGORIES = "needs_two_categories"
    UNSTABLE = "unstable"
    NOT_ASKED = "not_asked"
    CANCELLED = "cancelled"


REASON_WORDS: Final[Mapping[Reason, str]] = {
    Reason.TOO_FEW_SUBJECTS: "too few subjects have two ratings",
    Reason.NO_VARIATION: "undefined: the ratings vary too little, or the raters share too little",
    Reason.NEEDS_TWO_RATERS: "it is for two raters; see the pairs",
    Reason.NEEDS_CATEGORIES: "it needs a declared scale with levels or steps",
    Reason.NEEDS_TWO_CATEGORIES: "it is for a scale of two levels",
    Reason.UNSTABLE: "undefined in more than a tenth of the resamples",
    Reason.NOT_ASKED: "no resamples were asked for",
    Reason.CANCELLED: "stopped before it was finished",
}


class Estimate(Value, frozen=True, kw_only=True):
    """A number with its 95% bootstrap interval.

    ``reason`` says why ``value`` is None or, when there is a value, why the interval is.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: Reason | None = None


class RaterPair(Value, frozen=True, kw_only=True):
    """Two evaluators over the subjects that both rated (``sample_size``). ``bias`` is second minus first.

    Kappa and bias of the overall scores have intervals; the rest of the pairs have none.
    """

    first: str
    second: str
    sample_size: int
    withheld: bool
    kappa: Estimate
    exact_agreement: Estimate
    mean_absolute_error: Estimate
    bias: Estimate


class RaterSeverity(Value, frozen=True, kw_only=True):
    """How far an evaluator's scores (0..1) lie from the mean of the others' of the same subject, on average.

    Below 0 is stricter. ``sample_size`` counts the subjects that she and another rated; below the minimum
    sample there is a mean without an interval.
    """

    evaluator: str
    type: str
    sample_size: int
    deviation: Estimate


class CriterionAgreement(Value, frozen=True, kw_only=True):
    """How far evaluators agree on one criterion, or on the overall scores.

    ``sample_size`` counts the subjects with two ratings or more; ``ratings`` all ratings. ``exact_agreement``,
    ``within_one`` and ``mean_absolute_error`` (in the unit of the ratings) count every pair of ratings of a
    subject; ``percent_agreement`` every subject once. ``bias``, of two evaluators, is second minus first.
    ``most_used`` is the category used most, ``most_used_share`` its share of the ratings.
    """

    key: str
    name: str
    withheld: bool
    sample_size: int
    ratings: int
    raters: int
    kappa: Estimate
    alpha_ordinal: Estimate
    alpha_interval: Estimate
    alpha_nominal: Estimate
    exact_agreement: Estimate
    within_one: Estimate
    percent_agreement: Estimate
    mean_absolute_error: Estimate
    bias: Estimate
    prevalence_index: Estimate
    pabak: Estimate
    ac1: Estimate
    ac2: Estimate
    icc_single: Estimate
    icc_average: Estimate
    most_used: str | None
    most_used_share: float | None
    confusion: Confusion | None
    pairs: tuple[RaterPair, ...]
    severity: tuple[RaterSeverity, ...]


class AgreementReport(Value, frozen=True, kw_only=True):
    """Agreement on every criterion and on the overall scores, and how the intervals were made.

    ``complete`` is False when the work was cancelled: all values are there, some intervals are not.
    Self-assessments take no part.
    """

    subjects: int
    evaluators: tuple[Rater, ...]
    minimum_sample: int
    confidence: float
    resamples: int
    seed: int
    complete: bool
    criteria: tuple[CriterionAgreement, ...]
    overall: CriterionAgreement


#: What of a pair is resampled, on the overall scores.
DRAWN_OF_PAIRS: Final = ("kappa", "bias")

#: The coefficients of a criterion, in the order people read them, with the words for them.
COEFFICIENTS: Final[Mapping[str, str]] = {
    "exact_agreement": "exact agreement",
    "within_one": "agreement within one level",
    "percent_agreement": "percent agreement",
    "mean_absolute_error": "mean absolute error",
    "bias": "bias (second minus first)",
    "kappa": "quadratic-weighted kappa",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2",
    "pabak": "PABAK",
    "prevalence_index": "prevalence index",
    "icc_single": "ICC(2,1)",
    "icc_average": "ICC(2,k)",
}


def agreement_report(
    table: RatingsTable,
    *,
    minimum_sample: int | None = DEFAULT_MINIMUM_SAMPLE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> AgreementReport:
    """Measure the agreement of a panel.

    Args:
        minimum_sample: usable subjects below which coefficients are withheld; None means 20.
        resamples: draws of the subjects for the intervals; 0 for none.
        seed: of the draws; the same table and seed give the same report.
        progress: called now and then with how many resamples are done, of how many.
        cancelled: asked now and then; True leaves the remaining intervals out.

    Raises:
        InvalidInputError: the table does not fit, or the number of resamples or the seed is out of range.
    """
    check_table(table)
    check_draws(resamples, seed)
    minimum = DEFAULT_MINIMUM_SAMPLE if minimum_sample is None else minimum_sample
    cohort = table.without_self()
    work = _Work(
        minimum=minimum,
        resamples=resamples,
        seed=seed,
        total=(len(cohort.criteria) + 1) * resamples,
        progress=progress,
        cancelled=cancelled,
    )
    columns = len(cohort.evaluators)
    overall = _criterion(cohort, _overall(cohort), work, with_pairs=True)
    criteria = tuple(
        _criterion(cohort, _Ratings.of(row, columns), work, with_pairs=False) for row in cohort.criteria
    )
    return AgreementReport(
        subjects=len(cohort.subjects),
        evaluators=cohort.evaluators,
        minimum_sample=minimum,
        confidence=CONFIDENCE,
        resamples=resamples,
        seed=seed,
        complete=not work.stopped,
        criteria=criteria,
        overall=overall,
    )


@dataclass
class _Work:
    """What all criteria of a report share, and how far the work is."""

    minimum: int
    resamples: int
    seed: int
    total: int
    progress: Callable[[int, int], None] | None
    cancelled: Callable[[], bool] | None
    done: int = 0
    stopped: bool = False

    def advance(self, resamples: int) -> None:
        self.done += resamples
        if self.progress is not None:
            self.progress(self.done, self.total)

    def intervals(
        self, coefficients: Mapping[str, Coefficient], subjects: int
    ) -> dict[str, Interval | None] | Reason:
        """The intervals, or why there are none."""
        if not self.resamples:
            return Reason.NOT_ASKED
        if not self.stopped:
            begin = self.done
            try:
                found = intervals(
                    coefficients,
                    subjects,
                    resamples=self.resamples,
                    seed=self.seed,
                    progress=self.advance,
                    cancelled=self.cancelled,
                )
            except Cancelled:
                self.stopped = True
            else:
                self.skip_to(begin + self.resamples)
                return found
        return Reason.CANCELLED

    def skip_to(self, done: int) -> None:
        if self.done < done and not self.stopped:
            self.advance(done - self.done)


@dataclass(frozen=True)
class _Ratings:
    """One criterion as arrays. Rows without any rating are left out."""

    source: CriterionRatings
    ratings: Floats
    scores: Floats
    indexes: Floats | None

    @classmethod
    def of(cls, row: CriterionRatings, columns: int) -> _Ratings:
        ratings = rating_array(row.ratings, columns)
        return cls(row, ratings, scores(row, ratings), category_indexes(row, ratings))

    def rated(self) -> _Ratings:
        import numpy as np

        rows = ~np.isnan(self.ratings).all(axis=1)
        return _Ratings(
            self.source,
            self.ratings[rows],
            self.scores[rows],
            None if self.indexes is None else self.indexes[rows],
        )


def _overall(table: RatingsTable) -> _Ratings:
    import numpy as np

    # Scores are compared at the six places they are stored with.
    found = np.round(overall_scores(table), 6)
    return _Ratings(CriterionRatings(key=OVERALL, ratings=(), name="Overall score"), found, found, None)


@dataclass
class _Parts:
    """The coefficients that can be taken, and for the others why not."""

    sums: dict[str, Coefficient] = field(default_factory=dict)
    reasons: dict[str, Reason] = field(default_factory=dict)


def _criterion(table: RatingsTable, whole: _Ratings, work: _Work, *, with_pairs: bool) -> CriterionAgreement:
    import numpy as np

    row = whole.rated()
    present = ~np.isnan(row.ratings)
    usable = present.sum(axis=1) >= 2
    size, raters = int(usable.sum()), int(present.any(axis=0).sum())
    withheld = size < work.minimum or not size
    parts = _Parts() if withheld else _coefficients(row, raters)
    severities = _severities(row)
    pairs = _pairs(row, work.minimum)
    drawn = dict(parts.sums)
    if not withheld:
        drawn |= {f"severity {place}": one for place, (n, one) in severities.items() if n >= work.minimum}
        if with_pairs:
            drawn |= {
                f"{name} {a} {b}": pair[name] for (a, b), pair in pairs.items() for name in DRAWN_OF_PAIRS
            }
    begin = work.done
    ends = work.intervals(drawn, len(row.ratings)) if drawn else {}
    work.skip_to(begin + work.resamples)

    def estimate(name: str, sums: Coefficient | None = None) -> Estimate:
        return _estimate(name, sums or parts.sums.get(name), parts.reasons.get(name), ends)

    most_used, share = _most_used(row) if not withheld else (None, None)
    names = [rater.name for rater in table.evaluators]
    return CriterionAgreement(
        key=row.source.key,
        name=row.source.name or row.source.key,
        withheld=withheld,
        sample_size=size,
        ratings=int(present.sum()),
        raters=raters,
        **{name: estimate(name) for name in COEFFICIENTS},
        most_used=most_used,
        most_used_share=share,
        confusion=_confusion(whole, raters, names) if not withheld else None,
        pairs=tuple(
            _pair(names, pair, row, pairs.get(pair), estimate) for pair in combinations(range(len(names)), 2)
        ),
        severity=tuple(
            RaterSeverity(
                evaluator=rater.name,
                type=rater.type.value,
                sample_size=severities[place][0],
                deviation=_severity(severities[place], f"severity {place}", withheld, work.minimum, estimate),
            )
            for place, rater in enumerate(table.evaluators)
        ),
    )


def _estimate(
    name: str,
    sums: Coefficient | None,
    reason: Reason | None,
    ends: dict[str, Interval | None] | Reason,
) -> Estimate:
    if sums is None:
        return Estimate(reason=reason or Reason.TOO_FEW_SUBJECTS)
    value = sums.value()
    if value is None:
        return Estimate(reason=Reason.NO_VARIATION)
    if isinstance(ends, Reason):
        return Estimate(value=value, reason=ends)
    if name not in ends:
        return Estimate(value=value, reason=Reason.NOT_ASKED)
    interval = ends[name]
    if interval is None:
        return Estimate(value=value, reason=Reason.UNSTABLE)
    return Estimate(value=value, low=interval[0], high=interval[1])


def _coefficients(row: _Ratings, raters: int) -> _Parts:
    import numpy as np

    from rubrictui.core import agreement_chance as chance
    from rubrictui.core import agreement_sums as sums
    from rubrictui.core import reliability

    ratings, indexes = row.ratings, row.indexes
    found: dict[str, Coefficient] = {
        "alpha_ordinal": sums.alpha_ordinal(ratings),
        "alpha_interval": sums.alpha_interval(ratings),
        "exact_agreement": sums.share_of_pairs(ratings, 0.0),
        "mean_absolute_error": sums.mean_gap(ratings, signed=False),
        "percent_agreement": sums.ratio(*_agreeing_subjects(ratings)),
    }
    found["icc_single"], found["icc_average"] = reliability.icc(ratings)
    reasons: dict[str, Reason] = {}
    if raters == 2:
        first, second = ratings[:, ~np.isnan(ratings).all(axis=0)].T
        found["kappa"] = sums.kappa(first, second)
        found["bias"] = sums.mean_gap(np.column_stack([first, second]), signed=True)
    else:
        reasons |= dict.fromkeys(("kappa", "bias"), Reason.NEEDS_TWO_RATERS)
    values = len(np.unique(ratings[~np.isnan(ratings)]))
    if indexes is not None or values <= MOST_CATEGORIES:
        found["alpha_nominal"] = sums.alpha_nominal(ratings)
    else:
        reasons["alpha_nominal"] = Reason.NEEDS_CATEGORIES
    count = row.source.scale.categories
    if indexes is None or count is None:
        needing = ("within_one", "pabak", "ac1", "ac2", "prevalence_index")
        reasons |= dict.fromkeys(needing, Reason.NEEDS_CATEGORIES)
        return _Parts(found, reasons)
    found["within_one"] = sums.share_of_pairs(indexes, 1.0)
    found["pabak"] = chance.pabak(indexes, count)
    found["ac1"] = chance.gwet(indexes, count, quadratic=False)
    found["ac2"] = chance.gwet(indexes, count, quadratic=True)
    if count == 2:
        found["prevalence_index"] = chance.prevalence_index(indexes)
    else:
        reasons["prevalence_index"] = Reason.NEEDS_TWO_CATEGORIES
    return _Parts(found, reasons)


def _agreeing_subjects(ratings: Floats) -> tuple[Floats, Floats]:
    """Per subject the share of its pairs that agree, and 1 where it has a pair."""
    import numpy as np

    from rubrictui.core.agreement_sums import pair_gaps

    gaps = pair_gaps(ratings)
    count = (~np.isnan(gaps)).sum(axis=1)
    return (gaps == 0).sum(axis=1) / np.maximum(count, 1), (count > 0).astype(float)


def _most_used(row: _Ratings) -> tuple[str | None, float | None]:
    import numpy as np

    if row.indexes is None:
        return None, None
    labels = row.source.scale.category_labels
    counts = np.bincount(row.indexes[~np.isnan(row.indexes)].astype(int), minlength=len(labels))
    place = int(np.argmax(counts))
    return labels[place], float(counts[place] / counts.sum())


def _confusion(row: _Ratings, raters: int, names: list[str]) -> Confusion | None:
    import numpy as np

    if raters != 2:
        return coincidences(row.source)
    first, second = (int(place) for place in np.flatnonzero(~np.isnan(row.ratings).all(axis=0)))
    return confusion(row.source, first, second, (names[first], names[second]))


def _pairs(row: _Ratings, minimum: int) -> dict[tuple[int, int], dict[str, Coefficient]]:
    """The pairs that share enough subjects, with their coefficients."""
    import numpy as np

    from rubrictui.core import agreement_sums as sums

    present = (~np.isnan(row.ratings)).astype(float)
    shared = present.T @ present
    found: dict[tuple[int, int], dict[str, Coefficient]] = {}
    for first, second in combinations(range(row.ratings.shape[1]), 2):
        if shared[first, second] >= max(1, minimum):
            kappa = sums.kappa(row.ratings[:, first], row.ratings[:, second])
            gaps = (row.ratings[:, second] - row.ratings[:, first])[
                present[:, first] * present[:, second] > 0
            ]
            each = np.ones(len(gaps))
            found[first, second] = {
                "kappa": kappa,
                "exact_agreement": sums.ratio((gaps == 0).astype(float), each),
                "mean_absolute_error": sums.ratio(np.abs(gaps), each),
                "bias": sums.bias_beside(kappa),
            }
    return found


def _pair(
    names: list[str],
    places: tuple[int, int],
    row: _Ratings,
    sums: dict[str, Coefficient] | None,
    estimate: Callable[[str, Coefficient | None], Estimate],
) -> RaterPair:
    import numpy as np

    first, second = places
    withheld = Estimate(reason=Reason.TOO_FEW_SUBJECTS)
    found = {
        name: withheld if sums is None else estimate(f"{name} {first} {second}", sums[name])
        for name in ("kappa", "exact_agreement", "mean_absolute_error", "bias")
    }
    both = ~np.isnan(row.ratings[:, [first, second]]).any(axis=1)
    return RaterPair(
        first=names[first],
        second=names[second],
        sample_size=int(both.sum()),
        withheld=sums is None,
        **found,
    )


def _severities(row: _Ratings) -> dict[int, tuple[int, Coefficient]]:
    import numpy as np

    from rubrictui.core.severity import deviations, severity

    found = deviations(row.scores)
    return {
        place: (int((~np.isnan(found[:, place])).sum()), severity(found[:, place]))
        for place in range(found.shape[1])
    }


def _severity(
    row: tuple[int, Coefficient],
    name: str,
    withheld: bool,
    minimum: int,
    estimate: Callable[[str, Coefficient | None], Estimate],
) -> Estimate:
    size, sums = row
    if withheld or not size:
        return Estimate(reason=Reason.TOO_FEW_SUBJECTS)
    found = estimate(name, sums)
    if size < minimum:
        return Estimate(value=found.value, reason=Reason.TOO_FEW_SUBJECTS)
    return found
