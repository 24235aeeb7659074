"""What differs between two texts, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final, NamedTuple

# A word with its inner marks, a run of blanks, or a single mark: what a reader sees as one piece.
_PIECES: Final = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*|\s+|.", re.DOTALL)

#: A run with one of these (letters, digits, line ends) holds two changes apart.
_WORDS: Final = re.compile(r"[^\W_]|\n")

#: Beyond so many pieces the comparison would be slow, and highlights no help: then the middle differs as a whole.
_PIECES_COMPARED: Final = 4_000


class Part(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class TextPart(NamedTuple):
    """A run of a text: in both, only in the older, or only in the newer."""

    part: Part
    text: str


def word_diff(old: str, new: str) -> tuple[TextPart, ...]:
    """Two texts as runs of pieces in reading order; what was removed stands before what came in its place.

    The runs that are the same and removed make ``old``, those that are the same and added ``new``. Blanks and
    marks between two changes belong to them, so that a changed phrase reads as one.

    >>> [tuple(part) for part in word_diff("two days", "three days")]
    [(<Part.REMOVED: 'removed'>, 'two'), (<Part.ADDED: 'added'>, 'three'), (<Part.SAME: 'same'>, ' days')]
    """
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    runs: list[tuple[Part, str, str]] = []
    for tag, i, j, k, n in _blocks(before, after):
        removed, added = "".join(before[i:j]), "".join(after[k:n])
        runs.append((Part.SAME if tag == "equal" else Part.REMOVED, removed, added))
    merged: list[tuple[Part, str, str]] = []
    for place, (part, removed, added) in enumerate(runs):
        between = 0 < place < len(runs) - 1 and not _WORDS.search(removed)
        kind = Part.REMOVED if part is Part.SAME and between else part
        if merged and merged[-1][0] is kind:
            merged[-1] = (kind, merged[-1][1] + removed, merged[-1][2] + added)
        else:
            merged.append((kind, removed, added))
    parts: list[TextPart] = []
    for part, removed, added in merged:
        if part is Part.SAME:
            parts.append(TextPart(Part.SAME, removed))
            continue
        if removed:
            parts.append(TextPart(Part.REMOVED, removed))
        if added:
            parts.append(TextPart(Part.ADDED, added))
    return tuple(parts)


def _blocks(before: list[str], after: list[str]) -> list[tuple[str, int, int, int, int]]:
    if len(before) + len(after) <= _PIECES_COMPARED:
        return list(SequenceMatcher(None, before, after, autojunk=False).get_opcodes())
    head = 0
    shortest = min(len(before), len(after))
    while head < shortest and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shortest - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    blocks = [
        ("equal", 0, head, 0, head),
        ("replace", head, len(before) - tail, head, len(after) - tail),
        ("equal", len(before) - tail, len(before), len(after) - tail, len(after)),
    ]
    return [block for block in blocks if block[1] < block[2] or block[3] < block[4]]
