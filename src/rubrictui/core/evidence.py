"""Evidence: whether what an answer cites is really there.

A quote must stand word for word in the subject; a file, a link or a note must at least name something.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from rubrictui.core.model import Evidence, EvidenceKind, Value
from rubrictui.core.pages import page_number, page_span
from rubrictui.core.records import Subject

SUBJECT_TEXT: Final = "text"
"""The ``source`` that means the subject's own text; any other names a page of it, or one of its files."""

_WORD: Final = re.compile(r"\S+")


class EvidenceProblem(Value, frozen=True, kw_only=True):
    """Why a piece of evidence does not hold.

    ``kind`` is ``quote_not_found`` for a quote and ``evidence_invalid`` for the rest. ``nearest`` is the
    place (character offsets into the quote's source) where the quoted text does stand: elsewhere than the
    offsets say, or with other white space.
    """

    kind: str
    message: str
    remedy: str
    nearest: tuple[int, int] | None = None


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """The first place where ``quote`` stands in ``text`` word for word: character offsets, end exclusive."""
    if not quote:
        return None
    start = text.find(quote)
    return None if start < 0 else (start, start + len(quote))


def nearest_quote(text: str, quote: str) -> tuple[int, int] | None:
    """The first place that equals ``quote`` when every run of white space counts as one blank.

    A hint for people only: what is stored must be what ``text[start:end]`` says. Linear in both lengths.
    """
    wanted = " ".join(quote.split())
    if not wanted:
        return None
    at = " ".join(text.split()).find(wanted)
    if at < 0:
        return None
    collapsed = 0
    start: int | None = None
    for word in _WORD.finditer(text):
        length = word.end() - word.start()
        if start is None and at < collapsed + length:
            start = word.start() + at - collapsed
        if start is not None and at + len(wanted) <= collapsed + length:
            return start, word.start() + at + len(wanted) - collapsed
        collapsed += length + 1
    return None


def quote_source(subject: Subject, evidence: Evidence) -> str | None:
    """The text that a quote is taken from: the subject's text, a page of it (``page 3``), or a text file's; None when
    there is none."""
    if evidence.source in (None, "", SUBJECT_TEXT):
        return subject.text
    if any(file.name == evidence.source for file in subject.files):
        return next(file.text for file in subject.files if file.name == evidence.source)
    number = page_number(evidence.source)
    span = page_span(subject.text, number) if number is not None else None
    return None if span is None else subject.text[slice(*span)]


def link_address(evidence: Evidence) -> str:
    """The address of a link: its ``source`` when it has one (``text`` is then its title), else its ``text``."""
    return (evidence.source or evidence.text).strip()


def check_evidence(subject: Subject, evidence: Evidence) -> EvidenceProblem | None:
    """Say what is wrong with one piece of evidence for this subject; None when it holds."""
    if evidence.kind is EvidenceKind.QUOTE:
        return _check_quote(subject, evidence)
    if evidence.kind is EvidenceKind.FILE:
        if (evidence.source or evidence.text).strip():
            return None
        return _invalid("The file has no name.", "Name a file of the subject, or a path.")
    if evidence.kind is EvidenceKind.LINK:
        return _check_link(link_address(evidence))
    if evidence.text.strip():
        return None
    return _invalid("The note is empty.", "Write it, or remove it.")


def _check_quote(subject: Subject, evidence: Evidence) -> EvidenceProblem | None:
    text = quote_source(subject, evidence)
    if text is None:
        if any(file.name == evidence.source for file in subject.files):
            return _not_found(f"{evidence.source} is not a text file.", "Cite it as a file.")
        what = "page" if page_number(evidence.source) is not None else "file"
        return _not_found(
            f"The subject has no {what} {evidence.source!r} to quote from.",
            'Use "text", the name of a file, or "page 3" of a text with pages.',
        )
    if not evidence.text.strip():
        return _not_found("The quote is empty.", "Pick the words in the subject.")
    place = find_quote(text, evidence.text)
    if place is None:
        near = nearest_quote(text, evidence.text)
        if near is not None:
            return _not_found(
                "The quote stands in the subject only with other white space.",
                f"Take it from characters {near[0]} to {near[1]} as it stands.",
                near,
            )
        return _not_found(
            f"The quote {_short(evidence.text)!r} does not stand in the subject word for word.",
            "Pick the words in the subject, or write a note instead.",
        )
    start, end = evidence.start, evidence.end
    if start is None and end is None:
        return None
    if start is not None and end is not None and 0 <= start < end and text[start:end] == evidence.text:
        return None
    return _not_found(
        f"The quote does not stand at characters {start} to {end}.",
        f"It stands at {place[0]} to {place[1]}: correct start and end, or leave both out.",
        place,
    )


def _check_link(address: str) -> EvidenceProblem | None:
    remedy = "Write a whole address that begins with https:// or http://."
    if not address:
        return _invalid("The link has no address.", remedy)
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    # urlsplit drops line breaks and tabs without a word, so they are looked for in the address itself.
    if not host or parts.scheme not in ("http", "https") or not address.isprintable() or " " in address:
        return _invalid(f"{_short(address)!r} is not a web address.", remedy)
    return None


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _not_found(message: str, remedy: str, nearest: tuple[int, int] | None = None) -> EvidenceProblem:
    return EvidenceProblem(kind="quote_not_found", message=message, remedy=remedy, nearest=nearest)


def _invalid(message: str, remedy: str) -> EvidenceProblem:
    return EvidenceProblem(kind="evidence_invalid", message=message, remedy=remedy)
