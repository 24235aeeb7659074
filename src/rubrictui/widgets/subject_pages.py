"""What a subject has to read: its text, its data, its files, the rubric's instructions. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rubrictui.core.pages import page_number, page_span
from rubrictui.core.records import Subject, SubjectFile
from rubrictui.widgets.data_table import data_blocks
from rubrictui.widgets.document import Block, Page
from rubrictui.widgets.markdown import looks_like_markdown, markdown_blocks, parse

SUBJECT_TEXT = "text"
"""The evidence source that means the subject's own text."""

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKDOWN_TYPES = ("text/markdown", "text/x-markdown")
_TEXT_NAMES = (".md", ".markdown")


class PageKind(StrEnum):
    TEXT = "text"
    DATA = "data"
    FILE = "file"
    NOTE = "note"


@dataclass(frozen=True)
class SubjectPage:
    """One page of the reader: where its text is from, and what is in it.

    ``source`` names it in evidence; "" for a page that cannot be quoted.
    """

    kind: PageKind
    title: str
    source: str = ""
    text: str = ""
    data: object = None
    is_markdown: bool = False
    """Whether the page can be formatted, which it is unless the reader asks for the text as written."""


def subject_pages(subject: Subject, instructions: str | None = None) -> tuple[SubjectPage, ...]:
    """The pages in the order they are offered; at least one."""
    pages: list[SubjectPage] = []
    has_text = bool(subject.text.strip())
    if has_text or not (subject.data or subject.files):
        pages.append(
            SubjectPage(
                PageKind.TEXT,
                "Text",
                SUBJECT_TEXT,
                subject.text,
                is_markdown=looks_like_markdown(subject.text),
            )
        )
    if subject.data:
        pages.append(SubjectPage(PageKind.DATA, "Data", data=subject.data))
    pages.extend(_file_page(file) for file in subject.files)
    if instructions and instructions.strip():
        pages.append(
            SubjectPage(
                PageKind.NOTE,
                "Instructions",
                text=instructions,
                is_markdown=looks_like_markdown(instructions),
            )
        )
    return tuple(pages)


def _file_page(file: SubjectFile) -> SubjectPage:
    if file.text is None:
        facts = {"name": file.name, "type": file.media_type}
        if file.path:
            facts["path"] = file.path
        if file.size is not None:
            facts["size"] = f"{file.size:,} bytes"
        return SubjectPage(PageKind.FILE, file.name, data=facts)
    is_markdown = file.media_type in _MARKDOWN_TYPES or file.name.lower().endswith(_TEXT_NAMES)
    return SubjectPage(
        PageKind.FILE,
        file.name,
        file.name,
        file.text,
        is_markdown=is_markdown and looks_like_markdown(file.text),
    )


def cited_page(
    pages: Sequence[SubjectPage], source: str, text: str, start: int | None
) -> tuple[int, int | None] | None:
    """The index of the page that evidence is from, and where its quote begins there as far as that is known.

    A page of a text that has pages (``page 3``) is a part of the text. None when there is no such source, or when the
    page that is named does not hold the quote.
    """
    index = next((i for i, page in enumerate(pages) if page.source == source), None)
    number = page_number(source)
    if index is not None or number is None:
        return None if index is None else (index, start)
    index = next((i for i, page in enumerate(pages) if page.source == SUBJECT_TEXT), None)
    span = None if index is None else page_span(pages[index].text, number)
    if index is None or span is None:
        return None
    at = -1 if start is None else span[0] + start
    if at < 0 or not pages[index].text.startswith(text, at):
        at = pages[index].text.find(text, *span)
    return None if at < 0 else (index, at)


def page_tokens(page: SubjectPage) -> list[Token]:
    """The page's text, parsed as Markdown; for ``build_page``."""
    return parse(page.text)


def build_page(page: SubjectPage, width: int, tokens: list[Token] | None = None) -> Page:
    """The page made for ``width`` cells, and folded; formatted when it comes with its ``tokens``."""
    if page.data is not None:
        blocks = data_blocks(page.data, width)
        if page.kind is PageKind.FILE:
            blocks += [
                Block(),
                Block("This file is not text. Open it where it is; cite it as a file.", style="muted"),
            ]
        built = Page.of_blocks(blocks)
    elif tokens is not None:
        built = Page.of_blocks(markdown_blocks(tokens, width))
    elif not page.text.strip():
        built = Page.of_blocks([Block("Nothing is written here.", style="muted")])
    else:
        built = Page(page.text)
    built.fold(width)
    return built
