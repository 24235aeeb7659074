"""From a place in normalised text back to the words a person wrote.

Scoring looks at normalised text; attribution shows the original. ``WrittenText`` keeps the fields a text was
joined from, so that a span says in which field it stands and between which characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

_WORD = re.compile(r"\S+")


class WrittenText:
    """One or more fields, joined by blanks, with their normalised text.

    Attributes:
        normed: ``norm`` of the joined fields.
    """

    __slots__ = ("_fields", "_joined", "_lowered", "_starts", "_words", "normed")

    def __init__(self, *fields: tuple[str, str]) -> None:
        """``fields``: (name, text) in the order they are joined."""
        self._fields = fields
        self._joined = " ".join([text for _, text in fields]) if len(fields) > 1 else fields[0][1]
        self._lowered = self._joined.lower()
        self.normed = " ".join(self._lowered.split())  # what ``norm`` gives
        self._words: tuple[list[int], list[int]] | None = None
        self._starts: list[int] | None = None

    def span_of(self, concept: str) -> dict[str, Any] | None:
        """Where a (normed) concept stands; None when it does not, and for an empty one."""
        if not concept:
            return None
        if len(self._lowered) == len(self._joined):
            # Character for character the text as written: no need to map places back.
            at = self._lowered.find(concept)
            if at >= 0:
                return self._span(at, at + len(concept))
        at = self.normed.find(concept)
        return self.span(at, at + len(concept)) if at >= 0 else None

    def span(self, start: int, end: int) -> dict[str, Any]:
        """``{field, start, end, text}`` of a range of the normalised text. ``start`` and ``end`` count
        characters of that field as it was written; a range that runs on into the next field ends beyond."""
        first = self._original(start)
        return self._span(first, max(self._original_end(end), first))

    def _span(self, first: int, last: int) -> dict[str, Any]:
        index = base = 0
        if len(self._fields) > 1:
            starts = self._field_starts()
            index = max(bisect_right(starts, first) - 1, 0)
            base = starts[index]
        return {
            "field": self._fields[index][0],
            "start": first - base,
            "end": last - base,
            "text": self._joined[first:last],
        }

    def _field_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = []
            position = 0
            for _, text in self._fields:
                self._starts.append(position)
                position += len(text) + 1
        return self._starts

    def _word_starts(self) -> tuple[list[int], list[int]]:
        """Where each word begins, in the normalised and in the joined text."""
        if self._words is None:
            in_norm: list[int] = []
            in_joined: list[int] = []
            position = 0
            for word in _WORD.finditer(self._joined):
                in_norm.append(position)
                in_joined.append(word.start())
                position += len(word.group().lower()) + 1
            self._words = (in_norm, in_joined)
        return self._words

    def _original(self, position: int) -> int:
        """The character of the joined text that a character of the normalised text comes from."""
        in_norm, in_joined = self._word_starts()
        index = bisect_right(in_norm, position) - 1
        if index < 0:
            return 0
        return in_joined[index] + self._within(in_joined[index], position - in_norm[index])

    def _original_end(self, end: int) -> int:
        """The end of a range: one past the character its last one comes from."""
        return self._original(end - 1) + 1 if end > 0 else 0

    def _within(self, start: int, offset: int) -> int:
        """How many characters of the word at ``start`` give its first ``offset`` ones in lower case; a few
        letters become two."""
        if self._joined.isascii():
            return offset
        length = 0
        for count, character in enumerate(self._joined[start : start + offset + 1]):
            length += len(character.lower())
            if length > offset:
                return count
        return offset


def whole_field(field: str, text: str, index: int | None = None) -> dict[str, Any]:
    """A span over all of a field, or over all of one entry of a list of texts."""
    span = {"field": field, "start": 0, "end": len(text), "text": text}
    if index is not None:
        span["index"] = index
    return span
