"""Tables as text: bytes of any encoding decoded, rows told apart, a header that names each column once."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from rubrictui.core.errors import InvalidInputError

MAX_CELL = 64 * 1024 * 1024


def decode(data: bytes, encoding: str | None, path: Path) -> str:
    """Text with line feeds, without a byte order mark; UTF-8 unless ``encoding`` names another.

    Raises:
        InvalidInputError: it is not text of that encoding, or there is none of that name.
    """
    try:
        text = data.decode(encoding or "utf-8-sig")
    except LookupError:
        raise InvalidInputError(
            f'There is no encoding "{encoding}".', remedy="Write one such as utf-8, latin-1 or utf-16."
        ) from None
    except (UnicodeDecodeError, UnicodeError) as error:
        place = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        raise InvalidInputError(
            f"{path} is not {encoding or 'UTF-8'} text{place}.",
            remedy="Name its encoding with --encoding, for example latin-1 or utf-16.",
        ) from None
    if not isinstance(text, str):  # codecs such as "hex" decode to bytes
        raise InvalidInputError(f'"{encoding}" is no text encoding.', remedy="Write one such as utf-8.")
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def csv_rows(text: str, path: Path, delimiter: str | None) -> list[tuple[int, list[str]]]:
    """Rows with their number, the header being row 1. The delimiter is the header line's commonest."""
    if delimiter is None:
        line = text.lstrip("\n").split("\n", 1)[0]
        delimiter = max(",;\t|", key=line.count)
    before = csv.field_size_limit(MAX_CELL)
    try:
        return list(enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1))
    except csv.Error as error:
        raise InvalidInputError(f"{path} is not CSV: {error}.", remedy="Check its quotes.") from None
    finally:
        csv.field_size_limit(before)


def csv_header(cells: list[str], path: Path, number: int) -> list[str]:
    """The names of the columns, each once."""
    names = [cell.strip() for cell in cells]
    met: set[str] = set()
    for name in names:
        if not name or name in met:
            what = f'the column "{_short(name)}" stands twice' if name else "a column has no name"
            raise InvalidInputError(
                f"{path}, row {number}: {what}.", remedy="The first row must name each column once."
            )
        met.add(name)
    return names


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
