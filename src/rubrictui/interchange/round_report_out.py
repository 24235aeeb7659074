"""The report of a round as Markdown, as one HTML page that needs nothing else, and as CSV files in a folder.

Markdown and HTML say the same sections, scores on the display range; CSV has the numbers as they are measured, scores of
0 to 1, a file for each table a spreadsheet would want. Names, notes and reasons are text of others: Markdown is
escaped, HTML passes a template that escapes everything, cells of CSV are guarded against formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rubrictui.core.display import visible
from rubrictui.core.plots_svg import plot_svg
from rubrictui.core.plots_text import plot_text
from rubrictui.core.round_report import RoundReport
from rubrictui.core.round_report_words import ReportText, Section, Table, report_text
from rubrictui.interchange.markup import fenced, markdown_line
from rubrictui.interchange.new_files import write_folder, write_one
from rubrictui.interchange.round_report_csv import report_files

if TYPE_CHECKING:
    from jinja2 import Template


class ReportFormat(StrEnum):
    """What a report is written as. CSV is a folder of files; the others are one file each."""

    MARKDOWN = "markdown"
    HTML = "html"
    CSV = "csv"


ENDINGS: Final = {ReportFormat.MARKDOWN: ".md", ReportFormat.HTML: ".html", ReportFormat.CSV: ""}


def write_report(
    report: RoundReport,
    form: ReportFormat,
    to: Path,
    *,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Path, ...]:
    """Write a report to a file, or, as CSV, into a folder; what was written.

    Raises:
        InvalidInputError: something of that name is there and ``force`` is not given, or it cannot be written.
        Stopped: ``cancelled`` said so.
    """
    if form is ReportFormat.CSV:
        files = report_files(report)
        return write_folder(
            to, list(files), files.values(), force=force, progress=progress, cancelled=cancelled
        )
    write_one(to, report_page(report, form), force=force)
    return (to,)


def report_page(report: RoundReport, form: ReportFormat) -> str:
    """A report as Markdown or HTML."""
    said = report_text(report)
    return report_markdown(said) if form is ReportFormat.MARKDOWN else report_html(said)


# -- Markdown ------------------------------------------------------------------------------------------------


def report_markdown(said: ReportText) -> str:
    """Headings, sentences, tables; plots as text."""
    lines = [f"# {markdown_line(said.title)}", "", markdown_line(said.about), "", markdown_line(said.made)]
    for section in said.sections:
        lines += ["", f"## {markdown_line(section.title)}"]
        for sentence in section.sentences:
            lines += ["", markdown_line(sentence)]
        for table in section.tables:
            lines += ["", *_markdown_table(table)]
        for plot in section.plots:
            lines += ["", *fenced([visible(line, newlines=False) for line in plot_text(plot)])]
        for note in section.notes:
            lines += ["", markdown_line(note)]
    return "\n".join(lines) + "\n"


def _markdown_table(table: Table) -> list[str]:
    caption = [f"**{markdown_line(table.caption)}**", ""] if table.caption else []
    right = set(table.right)
    rule = "|" + "|".join("--:" if place in right else "---" for place in range(len(table.header))) + "|"
    return [
        *caption,
        _row(table.header),
        rule,
        *(
            _row(row, strong=bool(table.tones) and table.tones[place] == "overall")
            for place, row in enumerate(table.rows)
        ),
    ]


def _row(cells: tuple[str, ...], *, strong: bool = False) -> str:
    escaped = [markdown_line(cell) for cell in cells]
    if strong and escaped[0]:
        escaped[0] = f"**{escaped[0]}**"
    return "| " + " | ".join(escaped) + " |"


# -- HTML ----------------------------------------------------------------------------------------------------


def report_html(said: ReportText) -> str:
    """One page with its style and its plots in it; no scripts, nothing from elsewhere; it prints."""
    return _template().render(
        title=_line(said.title),
        about=_line(said.about),
        made=_line(said.made),
        sections=[_section(place, section) for place, section in enumerate(said.sections, 1)],
    )


def _section(place: int, section: Section) -> dict[str, object]:
    from markupsafe import Markup

    return {
        "anchor": f"s{place}",
        "title": _line(section.title),
        "sentences": [_line(one) for one in section.sentences],
        "tables": [
            {
                "caption": _line(table.caption),
                "header": [_line(one) for one in table.header],
                "right": set(table.right),
                "rows": [
                    (table.tones[number] if table.tones else "", [_line(cell) for cell in row])
                    for number, row in enumerate(table.rows)
                ],
            }
            for table in section.tables
        ],
        # Drawn and escaped by us (core/plots_svg).
        "plots": [Markup(plot_svg(plot)) for plot in section.plots],
        "notes": [_line(one) for one in section.notes],
    }


def _line(text: str) -> str:
    return visible(text, newlines=False)


@cache
def _template() -> Template:
    from importlib.resources import files

    from jinja2 import Environment, StrictUndefined

    text = files("rubrictui.interchange").joinpath("templates/report.html.j2").read_text(encoding="utf-8")
    return Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(text)
