"""What commands print: data on standard output, narration on standard error, nothing a terminal obeys."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import msgspec

from rubrictui.core.display import visible
from rubrictui.core.errors import RubrictuiError, ScoringError

# What JSON may hold as it is and a terminal may act on: DEL, C1 controls, marks of direction.
_RISKY = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


#: No column of a table is cut below this.
NARROWEST = 9


class Output:
    """Where a command prints. ``json`` is what ``--json`` asked for."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None, *, json: bool = False) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self.json = json
        self._terminal = self._out.isatty()

    def data(self, value: Any) -> None:
        """One JSON document, indented."""
        self._write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")

    def line(self, value: Any) -> None:
        """One line of JSON Lines."""
        self._write(msgspec.json.encode(value).decode() + "\n")

    def text(self, *lines: str) -> None:
        """Lines for people. Stored text in them is made visible first."""
        for line in lines:
            self._out.write(visible(line).replace("\t", "    ").rstrip(" ") + "\n")

    def raw(self, text: str) -> None:
        """Text of a format of its own, CSV for one, with its line ends. On a terminal, risky characters are escaped."""
        self._write(visible(text) if self._terminal else text)

    def table(
        self, header: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()
    ) -> None:
        """Aligned columns; ``right`` are the columns of numbers. On a terminal, long texts are cut so that a
        row fits a line where it can; in a pipe or a file everything is whole."""
        width = shutil.get_terminal_size().columns if self._terminal else None
        self.text(*aligned(header, rows, right=right, width=width))

    def say(self, *lines: str) -> None:
        """Narration, a line each."""
        for line in lines:
            self._err.write(visible(line, newlines=False) + "\n")

    def flush(self) -> None:
        self._out.flush()

    def _write(self, text: str) -> None:
        if self._terminal:
            text = _RISKY.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
        self._out.write(text)


def error_json(error: RubrictuiError) -> dict[str, Any]:
    """``{kind, key, message}``: the kind and key of an illegal answer, else the error's code and null."""
    if isinstance(error, ScoringError):
        return {"kind": error.kind, "key": error.key, "message": str(error)}
    return {"kind": error.code, "key": None, "message": str(error)}


def aligned(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Sequence[int] = (),
    width: int | None = None,
) -> list[str]:
    """Rows as lines with two blanks between columns, by the width of what a terminal shows.

    With ``width``, the widest columns of text are cut until a row fits, but the first (what one copies) and
    none below ``NARROWEST``.
    """
    from rich.cells import cell_len, set_cell_size

    table = [[str(cell) for cell in header]]
    table += [
        ["" if c is None else visible(str(c), newlines=False).replace("\t", " ") for c in row] for row in rows
    ]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    if width is not None:
        cuttable = [index for index in range(1, len(widths)) if index not in right]
        while sum(widths) + 2 * (len(widths) - 1) > width and cuttable:
            widest = max(cuttable, key=lambda index: widths[index])
            if widths[widest] <= NARROWEST:
                break
            widths[widest] -= 1
        table = [
            [
                cell if cell_len(cell) <= limit else set_cell_size(cell, limit - 1).rstrip() + "…"
                for cell, limit in zip(cells, widths, strict=True)
            ]
            for cells in table
        ]
    lines = []
    for cells in table:
        padded = []
        for index, (cell, size) in enumerate(zip(cells, widths, strict=True)):
            gap = " " * (size - cell_len(cell))
            padded.append(gap + cell if index in right else cell + gap)
        lines.append("  ".join(padded).rstrip())
    return lines


def short(text: str, width: int = 60) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def counted(count: int, one: str, many: str = "") -> str:
    """``1 error``, ``2 errors``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def number(value: float | None, digits: int = 6) -> str:
    """A number for people: no needless zeros; a dash for none."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
