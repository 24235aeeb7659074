"""Tables in Markdown: one is a rubric named by the heading above it, several are its groups or rubrics of their own."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._plain_tables import is_header, read_plain
from rubrictui.interchange.importers._report import Place, Report
from rubrictui.interchange.importers._sketch import Item, Sheet
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._tables import Grid, Row
from rubrictui.interchange.importers._words import one_line, plain

if TYPE_CHECKING:
    from markdown_it.token import Token

_DELIMITERS = re.compile(
    r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|^[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*$",
    re.MULTILINE,
)
_BETWEEN = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")

#: Marks are not looked for in longer cells: those without an end make that slow.
_LONGEST_CELL = 5_000


class _Block(NamedTuple):
    """A heading (``level`` 1 to 6), a table (``grid``), or other text."""

    line: int
    level: int = 0
    text: str = ""
    grid: Grid | None = None


def _recognises(source: Source) -> bool:
    if source.begins in ("<", "{"):
        return False
    for match in _DELIMITERS.finditer(source.text):
        end = match.start() - 1
        before = source.text[source.text.rfind("\n", 0, max(end, 0)) + 1 : max(end, 0)]
        if "|" in before and is_header(_cells(before)):
            return True
    return False


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _read(source: Source, report: Report) -> list[Sheet]:
    blocks = _blocks(source.text, report)
    tables = [block for block in blocks if block.grid is not None]
    usable = []
    for block in tables:
        assert block.grid is not None
        if is_header(block.grid.header.cells):
            usable.append(block)
        else:
            what = "A table without a column Criterion is not carried over."
            report.note("table", what, block.grid.header.place())
    if not usable:
        report.error("no_table", "there is no table with a column Criterion and another one.")
        return []
    return _sheets(blocks, usable, source, report)


def _sheets(
    blocks: Sequence[_Block], tables: Sequence[_Block], source: Source, report: Report
) -> list[Sheet]:
    titles = [block for block in blocks if block.level == 1]
    whole = len(tables) > 1 and len(titles) == 1 and titles[0].line < tables[0].line
    told: set[int] = set()
    sheets: list[Sheet] = []
    groups: list[Item] = []
    totals: list[float | None] = []
    for table in tables:
        assert table.grid is not None
        minimum = source.options.minimum or "keep"
        items, total = read_plain(table.grid, report, minimum, clean=_clean)
        if not items:
            continue
        place = Place(table.line, 1, f"line {table.line}")
        heading = next((one for one in reversed(blocks) if one.level and one.line < table.line), None)
        name = heading.text if heading else source.options.title
        words = _words(
            blocks, heading.line if heading and heading not in titles[: int(whole)] else 0, told, table.line
        )
        if whole:
            weight = sum(item.weight for item in items if not item.is_advisory)
            groups.append(Item(name=name, text=words, weight=weight, children=items, place=place))
            totals.append(total)
        else:
            sheets.append(Sheet(name=name, description=words, items=items, total=total, place=place))
    if groups:
        known = [total for total in totals if total is not None]
        sheets.append(
            Sheet(
                name=titles[0].text,
                description=_words(blocks, titles[0].line, told),
                items=tuple(groups),
                total=sum(known) if len(known) == len(totals) else None,
            )
        )
    for block in blocks:
        if block.text and not block.level and block.line not in told:
            place = Place(block.line, 1, f"line {block.line}")
            report.note(
                "text", "Text that is neither a heading nor above a table is not carried over.", place
            )
    return sheets


def _words(blocks: Sequence[_Block], start: int, told: set[int], end: int = sys.maxsize) -> str:
    """The text that stands directly below the heading in line ``start``, up to the next heading or table; its lines
    are added to ``told``."""
    words: list[str] = []
    for block in blocks:
        if start < block.line < end:
            if block.level or block.grid is not None:
                break
            words.append(block.text)
            told.add(block.line)
    return "\n\n".join(words)


def _clean(text: str) -> str:
    """A cell without the marks of emphasis around words that names cannot show."""
    words = plain(text)
    return _EMPHASIS.sub(r"\2", words) if len(words) <= _LONGEST_CELL else words


def _blocks(text: str, report: Report) -> list[_Block]:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # Only blocks are looked at: what stands inside a line stays as it is written.
    parser.core.ruler.disable(["inline"])
    tokens = parser.parse(text)
    lines = text.split("\n")
    blocks: list[_Block] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        line = token.map[0] + 1 if token.map else 1
        if token.type == "heading_open":
            blocks.append(
                _Block(line, level=int(token.tag[1:]), text=one_line(_clean(tokens[index + 1].content)))
            )
            index += 3
        elif token.type == "table_open":
            end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
            grid = _grid(tokens[index:end], lines, report)
            if grid is not None:
                blocks.append(_Block(line, grid=grid))
            index = end + 1
        else:
            if token.type in ("inline", "fence", "code_block") and token.content.strip():
                blocks.append(_Block(line, text=plain(token.content)))
            index += 1
    return blocks


def _grid(tokens: Sequence[Token], lines: Sequence[str], report: Report) -> Grid | None:
    """The rows of a table with the cells that are written: the parser fills rows that are short, and cuts long ones."""
    rows: list[Row] = []
    for token in tokens:
        if token.type == "tr_open":
            line = token.map[0] + 1 if token.map else 1
            rows.append(Row(line, [], is_line=True))
        elif token.type == "inline" and rows:
            rows[-1].cells.append(token.content)
    written = [_written(lines[row.number - 1]) for row in rows]
    if rows and len(written[0]) == len(rows[0].cells):  # else something stands around the table
        for row, cells in zip(rows[1:], written[1:], strict=True):
            row.cells[len(cells) :] = cells[len(row.cells) :]
    full = [row for row in rows if any(map(str.strip, row.cells))]
    for row in rows[1:]:
        if row not in full:
            report.note("blank_row", "A blank row is left out.", row.place())
    return Grid(full[0], full[1:]) if full else None


def _written(line: str) -> list[str]:
    """The cells of a line of a table, as they are written."""
    inside = line.strip().removeprefix("|")
    if inside.endswith("|") and not inside.endswith("\\|"):
        inside = inside[:-1]
    return [cell.strip() for cell in _BETWEEN.split(inside)]


FORMAT = Format("markdown", "Markdown table", _recognises, _read)
