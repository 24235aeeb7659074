"""Documents as sections, and citations that name them (contract, "Text, sections, citations").

A line that begins with ``## `` in column 0 opens a section. Its token is the first word after that, without
dots at its end; the heading line belongs to the section. What stands before the first heading is the
section ``full``, which always exists, can be read and cited, and is never listed.
"""

from __future__ import annotations

from typing import NamedTuple

FULL = "full"
SIGN = "\N{SECTION SIGN}"
_HEADING = "## "


class Heading(NamedTuple):
    """A heading of a document: its token, and the line it stands on, from 1."""

    token: str
    line: int


class ParsedDocument(NamedTuple):
    """``sections``: token to text, trimmed, ``full`` first and then in the order of the document.
    ``headings``: every heading in order, so that a repeated token is seen twice.
    ``bare_headings``: lines (from 1) of a ``## `` without a word, which are body text."""

    sections: dict[str, str]
    headings: tuple[Heading, ...]
    bare_headings: tuple[int, ...]


def heading_token(line: str) -> str | None:
    """The token a line opens a section with; None when the line is body text (a bare ``## `` too)."""
    if not line.startswith(_HEADING):
        return None
    words = line[len(_HEADING) :].split(None, 1)
    return words[0].rstrip(".") or None if words else None


def parse_document(markdown: str) -> ParsedDocument:
    """Split a document into its sections. A repeated token adds to the section that has it.

    Lines are those of ``str.splitlines``, joined again with one newline each; so a file with CRLF reads
    like one with LF.
    """
    bodies: dict[str, list[str]] = {FULL: []}
    headings: list[Heading] = []
    bare: list[int] = []
    body = bodies[FULL]
    for number, line in enumerate(markdown.splitlines(), start=1):
        token = heading_token(line)
        if token is not None:
            headings.append(Heading(token, number))
            body = bodies.setdefault(token, [])
        elif line.startswith(_HEADING):
            bare.append(number)
        body.append(line)
    sections = {token: "\n".join(lines).strip() for token, lines in bodies.items()}
    return ParsedDocument(sections, tuple(headings), tuple(bare))


def parse_sections(markdown: str) -> dict[str, str]:
    """Token to section text, ``full`` first, then in the order of the document."""
    return parse_document(markdown).sections


def split_citation(citation: str) -> tuple[str, str] | None:
    """``msa §4.2`` as ``("msa", "4.2")``: split at the first section sign, both sides trimmed.

    None without a section sign. Whether the two name something is for the matter to say.
    """
    document, sign, section = citation.partition(SIGN)
    return (document.strip(), section.strip()) if sign else None


def citation_of(document_id: str, section: str) -> str:
    """How a section is cited: ``msa §4.2``."""
    return f"{document_id} {SIGN}{section}"
