"""Where the sentences of a text begin and end, and where its negators stand (contract, "Gates").

A boundary is ``.``, ``?`` or ``!`` before white space or the end of the text, or a line break. The list of negators
is closed: no, not, never, nothing, none, neither, nor, cannot, without, and n't.
"""

from __future__ import annotations

import re
from bisect import bisect_left

# What a negator begins with, in lower case: finding a fixed text is much faster than a pattern. Whether it is a whole
# word is looked at afterwards; n't alone may begin within one.
_BEGINNINGS = ("no", "never", "neither", "cannot", "without", "n't", "n\u2019t")
_NEGATING_WORD = re.compile(r"(?:no(?:t(?:hing)?|ne|r)?|never|neither|cannot|without|n['\u2019]t)\b")
ANY_NEGATOR = re.compile(
    r"\b(?:no|not|never|nothing|none|neither|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE
)

_LONGEST = len("nothing")
_APOSTROPHES = "'\u2019"

_STOPS = ".?!"
_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


class Sentences:
    """Where the sentences of a text begin and end, and where its negators stand. Negators are looked for only
    where somebody asks."""

    __slots__ = ("_boundaries", "_from", "_looked_to", "_lowered", "_negator", "_present", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._boundaries = boundaries(text)
        self._lowered: str | None = None
        self._present: tuple[str, ...] = ()
        # The first negator after ``_from``, as far as it was looked for.
        self._from = self._looked_to = -1
        self._negator: tuple[int, int] | None = None

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
        if start != self._from:
            self._from = self._looked_to = start
            self._negator = None
        if self._negator is None and end > self._looked_to:
            if self._lowered is None:
                self._lowered = self.text.lower()
                self._present = tuple(word for word in _BEGINNINGS if word in self._lowered)
            self._negator = self._first_negator(self._lowered, self._looked_to, end)
            self._looked_to = end
        return self._negator if self._negator is not None and self._negator[0] < end else None

    def _first_negator(self, lowered: str, start: int, end: int) -> tuple[int, int] | None:
        if len(lowered) != len(self.text):
            # A few letters are longer in lower case, so that places would not be those of the text.
            spans = (match.span() for match in ANY_NEGATOR.finditer(self.text, start, end + _LONGEST))
            return next((span for span in spans if span[0] < end), None)
        found: tuple[int, int] | None = None
        for beginning in self._present:
            at = lowered.find(beginning, start, end - 1 + len(beginning))
            while at >= 0:
                before = lowered[at - 1] if at else " "
                if not (before.isalnum() or before == "_") or beginning[1] in _APOSTROPHES:
                    word = _NEGATING_WORD.match(lowered, at)
                    if word is not None:
                        found, end = word.span(), at
                        break
                at = lowered.find(beginning, at + 1, end - 1 + len(beginning))
        return found


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
