"""DOCX files as text with pages, by python-docx (the extra ``documents``).

A page ends where the author broke it, or where the word processor that saved the file last did. Headings keep their
rank, tables their rows; pictures, comments, headers and footers stay unread.
"""

from __future__ import annotations

import io
import re
from typing import Any, Final

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.subjects_pdf import MAX_TEXT, Document, clean_text
from rubrictui.interchange.zip_reading import check_zip

MAX_UNPACKED: Final = 128 * 1024 * 1024
_OLD: Final = b"\xd0\xcf\x11\xe0"
_BREAK: Final = "\f"
_HEADING: Final = re.compile(r"heading (\d)", re.IGNORECASE)


def read_docx(data: bytes, name: str) -> Document:
    """The text of a DOCX file.

    Raises:
        InvalidInputError: it is no DOCX, broken, locked by a password, or would burst.
        ImportError: python-docx is not installed.
    """
    import docx

    if data.startswith(_OLD):
        raise InvalidInputError(
            f"{name} is locked by a password, or of an old format.",
            remedy="Save it as DOCX without a password.",
        )
    check_zip(data, name, limit=MAX_UNPACKED)
    try:
        document = docx.Document(io.BytesIO(data))
        title = document.core_properties.title or ""
        text = "\n\n".join(part for part in map(_block, document.iter_inner_content()) if part)
    except (MemoryError, RecursionError, Exception) as error:
        what = " ".join(str(error).split())[:120] or type(error).__name__
        raise InvalidInputError(
            f"{name} cannot be read as DOCX: {what.rstrip('.')}.", remedy="Save it again, or leave it out."
        ) from None
    if len(text) > MAX_TEXT:
        raise InvalidInputError(
            f"{name} holds more than {MAX_TEXT // 1_000_000} million characters.", remedy="Split it."
        )
    pages = tuple(clean_text(page).strip() for page in text.split(_BREAK))
    return Document(" ".join(clean_text(title).split())[:300], pages, sum(not page for page in pages))


def _block(block: Any) -> str:
    """A paragraph, or a table with a line for each row."""
    if hasattr(block, "rows"):
        return "\n".join(_row(row) for row in block.rows)
    text = _paragraph(block)
    style = _HEADING.match((block.style.name if block.style is not None else None) or "")
    return f"{'#' * int(style[1])} {text}" if style and text.strip() else text


def _row(row: Any) -> str:
    cells: list[str] = []
    last = None
    for cell in row.cells:
        if cell._tc is not last:  # a cell over several columns is given once for each of them
            cells.append(" ".join(cell.text.replace(_BREAK, " ").split()))
        last = cell._tc
    return " | ".join(cells)


def _paragraph(paragraph: Any) -> str:
    """The text with a form feed at each break of the page."""
    parts: list[str] = []
    for element in paragraph._p.iter():
        tag = element.tag.rpartition("}")[2]
        if tag == "t":
            parts.append((element.text or "").replace(_BREAK, " "))
        elif tag == "tab" and element.getparent().tag.endswith("}r"):
            parts.append("\t")
        elif tag in ("br", "cr"):
            kind = next((value for key, value in element.attrib.items() if key.endswith("}type")), "")
            parts.append(_BREAK if kind == "page" else "\n")
        elif tag == "lastRenderedPageBreak" and _BREAK not in "".join(parts[-1:]):
            parts.append(_BREAK)
    return "".join(parts)
