"""How strict each evaluator is, beside the others who rated the same subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rubrictui.core.agreement_sums import ratio
from rubrictui.core.bootstrap import Sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def deviations(scores: Floats) -> Floats:
    """Each score minus the mean of the *other* evaluators' scores of the same subject.

    Args:
        scores: subjects x evaluators, 0..1, NaN for none.

    Returns:
        The same shape, NaN where an evaluator or all others are missing. Below 0 is stricter.
    """
    import numpy as np

    present = ~np.isnan(scores)
    others = present.sum(axis=1, keepdims=True) - present
    total = np.where(present, scores, 0.0)
    rest = total.sum(axis=1, keepdims=True) - total
    means = np.divide(rest, others, out=np.full(scores.shape, np.nan), where=others > 0)
    found: Floats = scores - means
    return found


def severity(deviation: Floats) -> Sums:
    """The mean deviation of one evaluator: her column of ``deviations``."""
    import numpy as np

    return ratio(np.nan_to_num(deviation), (~np.isnan(deviation)).astype(float))
