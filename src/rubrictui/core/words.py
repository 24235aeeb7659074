"""Counts, coefficients and lists as people read them, for every surface that tells of a panel."""

from __future__ import annotations

from collections.abc import Sequence

from rubrictui.core.agreement_report import REASON_WORDS, Estimate, Reason
from rubrictui.core.explain import number


def counted(count: int, one: str, many: str = "") -> str:
    """``1 error``, ``2 errors``; thousands are parted."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """``A, B and C``; of many the first ``most`` and how many more."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def figure(value: float | None, digits: int = 3) -> str:
    """A coefficient: three decimals at most; a dash for none."""
    return "–" if value is None else number(round(value, digits))


def interval(one: Estimate) -> str:
    """The interval of an estimate, or why there is none."""
    if one.low is not None and one.high is not None:
        return f"{figure(one.low)} to {figure(one.high)}"
    return "" if one.reason in (None, Reason.NOT_ASKED) else REASON_WORDS[one.reason]


def estimate_words(one: Estimate) -> str:
    """A number with its interval on one line: ``0.71 (0.62 to 0.79)``, or why there is none."""
    if one.value is None:
        return REASON_WORDS[one.reason] if one.reason is not None else "–"
    said = interval(one)
    return f"{figure(one.value)} ({said})" if said else figure(one.value)


def withheld_words(sample_size: int, minimum: int) -> str:
    """That coefficients are withheld, with n."""
    return f"withheld: {counted(sample_size, 'usable subject')}, at least {max(1, minimum)} are needed"
