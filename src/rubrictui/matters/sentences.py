"""Where the sentences of a text begin and end, and where its negators stand (contract, "Gates").

A boundary is ``.``, ``?`` or ``!`` before white space or the end of the text, or a line break. The list of negators
is closed: no, not, never, nothing, none, neither, nor, cannot, without, and n't.
"""

from __future__ import annotations

import re
from bisect import bisect_left

# Each begins with a fixed letter, which a scan for it skips to; all in lower case. Whether a word begins
# there is looked at afterwards.
_NEGATING_WORDS = (
    re.compile(r"n(?:o(?:t(?:hing)?|ne|r)?|ever|either)\b"),
    re.compile(r"cannot\b"),
    re.compile(r"without\b"),
)
_NEGATING_SUFFIX = re.compile(r"n['\u2019]t\b")
ANY_NEGATOR = re.compile(
    r"\b(?:no|not|never|nothing|none|neither|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE
)

_STOPS = ".?!"
_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


class Sentences:
    """Where the sentences of a text begin and end, and where its negators stand."""

    __slots__ = ("_boundaries", "_negators", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._boundaries = boundaries(text)
        self._negators: list[tuple[int, int]] | None = None

    def around(self, start: int, end: int) -> tuple[int, int]:
        """(start, end) of the sentence of a match: after the last boundary wholly before it, up to the
        first boundary at or after its end. A boundary is one character."""
        places = self._boundaries
        before = bisect_left(places, start)
        first = places[before - 1] + 1 if before else 0
        after = bisect_left(places, end)
        last = places[after] if after < len(places) else len(self.text)
        return first, last

    def negator(self, start: int, end: int) -> tuple[int, int] | None:
        """(start, end) of the first negator that begins in ``start <= i < end``; it may go on past ``end``."""
        if self._negators is None:
            self._negators = negators(self.text)
        index = bisect_left(self._negators, (start, 0))
        if index < len(self._negators) and self._negators[index][0] < end:
            return self._negators[index]
        return None


def boundaries(text: str) -> list[int]:
    """Where each boundary stands, in order. Finding single characters is much faster than a pattern."""
    found: list[int] = []
    length = len(text)
    for stop in _STOPS:
        at = text.find(stop)
        while at >= 0:
            if at + 1 == length or text[at + 1].isspace():
                found.append(at)
            at = text.find(stop, at + 1)
    for line_break in _LINE_BREAKS:
        at = text.find(line_break)
        while at >= 0:
            found.append(at)
            at = text.find(line_break, at + 1)
    found.sort()
    return found


def negators(text: str) -> list[tuple[int, int]]:
    """(start, end) of every negator, in order."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # A few letters are longer in lower case, so that places would not be those of the text.
        return [match.span() for match in ANY_NEGATOR.finditer(text)]
    found = [match.span() for match in _NEGATING_SUFFIX.finditer(lowered)]
    for word in _NEGATING_WORDS:
        for match in word.finditer(lowered):
            start = match.start()
            if start == 0 or not (lowered[start - 1].isalnum() or lowered[start - 1] == "_"):
                found.append(match.span())
    found.sort()
    return found
