"""Texts with pages: a line of its own marks where each page begins, so that a quote can name its page.

The marks are part of the text: offsets count them, a reader sees them, and a quote never needs them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_MARK: Final = re.compile(r"^\[page (\d{1,6})\]$", re.MULTILINE)
_SOURCE: Final = re.compile(r"\s*(?:page|p\.)\s*(\d{1,6})\s*", re.IGNORECASE)


def paged_text(pages: Sequence[str]) -> str:
    """One text of these pages, each below its mark. A line that only looks like a mark is moved in by a blank."""
    parts = []
    for number, page in enumerate(pages, 1):
        words = _MARK.sub(lambda match: f" {match[0]}", page).strip("\n")
        parts.append(f"[page {number}]\n\n{words}" if words.strip() else f"[page {number}]")
    return "\n\n".join(parts)


def page_span(text: str, number: int) -> tuple[int, int] | None:
    """Where page ``number`` stands in a text with pages: character offsets, without its mark and the
    blank lines around; None where there is no such page."""
    marks = _MARK.finditer(text)
    for mark in marks:
        if int(mark[1]) == number:
            after = next(marks, None)
            start, end = mark.end(), after.start() if after else len(text)
            while start < end and text[start] == "\n":
                start += 1
            while end > start and text[end - 1] == "\n":
                end -= 1
            return start, end
    return None


def page_at(text: str, offset: int) -> int | None:
    """The number of the page that the character at ``offset`` stands on; None in a text without pages."""
    found = None
    for mark in _MARK.finditer(text, 0, offset + 1 if offset < len(text) else len(text)):
        found = int(mark[1])
    return found


def page_number(source: str | None) -> int | None:
    """The page that the source of a quote names, as in ``page 3``; None when it names something else."""
    match = _SOURCE.fullmatch(source or "")
    return int(match[1]) if match else None
