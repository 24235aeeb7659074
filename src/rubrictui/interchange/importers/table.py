"""A plain CSV table: criterion, description, weight, and a column a level."""

from __future__ import annotations

from rubrictui.interchange.importers import canvas, markdown
from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._plain_tables import is_header, read_plain
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import Sheet
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._tables import header_of, read_grid


def _recognises(source: Source) -> bool:
    if source.begins in ("<", "{") or not is_header(header_of(source.text)):
        return False
    # Their headers have the same words; what is one of them is not a plain table too.
    return not canvas.FORMAT.recognises(source) and not markdown.FORMAT.recognises(source)


def _read(source: Source, report: Report) -> list[Sheet]:
    grid = read_grid(source.text, report)
    if grid is None:
        return []
    items, total = read_plain(grid, report, source.options.minimum or "keep")
    return [Sheet(name=source.options.title, items=items, total=total)] if items else []


FORMAT = Format("table", "plain CSV table", _recognises, _read)
