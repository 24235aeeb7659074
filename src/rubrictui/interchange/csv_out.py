"""CSV that a spreadsheet shows and never runs."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence

Cell = str | int | float | bool | None

# What a spreadsheet takes for the beginning of a formula, or skips on its way to one.
_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?%?")


def guarded(value: Cell) -> str:
    """A cell as text. A text that a spreadsheet could take for a formula gets a leading apostrophe;
    plain numbers do not. None and NaN are empty; truth is ``true`` or ``false``."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    text = value.replace("\0", "")
    if text.lstrip(" ").startswith(_RISKY) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A CSV text with a header, lines ended by ``\\r\\n`` (RFC 4180), every cell guarded."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([guarded(name) for name in header])
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
    return out.getvalue()
