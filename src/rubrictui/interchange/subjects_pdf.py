"""PDF files as text with pages, by pypdf (the extra ``documents``); nothing in them is run, and pictures stay unread."""

from __future__ import annotations

import io
import logging
from typing import Any, Final, NamedTuple

from rubrictui.core.errors import InvalidInputError

MAX_PAGES: Final = 5_000
MAX_TEXT: Final = 20_000_000


class Document(NamedTuple):
    """What a document holds: its title, the text of each page, and how many pages have none."""

    title: str
    pages: tuple[str, ...]
    silent: int


def read_pdf(data: bytes, name: str) -> Document:
    """The text of a PDF file.

    Raises:
        InvalidInputError: it is no PDF, broken, locked by a password, or too large.
        ImportError: pypdf is not installed.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    log = logging.getLogger("pypdf")
    level = log.level
    log.setLevel(logging.CRITICAL)  # what it says about odd files is not for the terminal
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _locked(name)
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise InvalidInputError(
                f"{name} has {count:,} pages; at most {MAX_PAGES:,} are read.", remedy="Split it."
            )
        pages: list[str] = []
        size = 0
        for page in reader.pages:
            text = clean_text(page.extract_text())
            size += len(text)
            if size > MAX_TEXT:
                raise InvalidInputError(
                    f"{name} holds more than {MAX_TEXT // 1_000_000} million characters.", remedy="Split it."
                )
            pages.append(text)
        return Document(_title(reader), tuple(pages), sum(not page.strip() for page in pages))
    except InvalidInputError:
        raise
    except DependencyError:
        raise _locked(name) from None
    except (MemoryError, RecursionError, Exception) as error:
        # What a broken file makes of a parser has no end of names.
        what = " ".join(str(error).split())[:120] or type(error).__name__
        raise InvalidInputError(
            f"{name} cannot be read as PDF: {what.rstrip('.')}.",
            remedy="Print it to a new PDF, or leave it out.",
        ) from None
    finally:
        log.setLevel(level)


def clean_text(text: str) -> str:
    """Text that a store takes: line feeds, no NUL, no half characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n").replace("\0", "")
    return text.encode("utf-8", "replace").decode()


def _title(reader: Any) -> str:
    found = reader.metadata.title if reader.metadata is not None else None
    return " ".join(clean_text(found).split())[:300] if isinstance(found, str) else ""


def _locked(name: str) -> InvalidInputError:
    return InvalidInputError(f"{name} is locked by a password.", remedy="Save it without one, then add it.")
