"""The formats there are, which of them a file has, and reading it."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.importers._assembling import assemble
from rubrictui.interchange.importers._report import Imported, Place, Report
from rubrictui.interchange.importers._scales import Scales
from rubrictui.interchange.importers._sketch import Sheet
from rubrictui.interchange.importers._source import ImportOptions, Source, UnreadableError

_EVAL = re.compile(rb'"eval"\s*:\s*\{')


class Format(NamedTuple):
    """One format: its word for ``--format``, what people call it, whether a file looks like it, and its reader.

    ``recognises`` may raise ``UnreadableError``, which means no. ``read`` gives the rubrics as sketches and
    reports the rest.
    """

    name: str
    title: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source, Report], list[Sheet]]


def format_names() -> tuple[str, ...]:
    """The words for ``--format``, by name; nothing but the package's folder is read."""
    folder = str(Path(__file__).parent)
    names = (module.name for module in pkgutil.iter_modules([folder]))
    return tuple(sorted(n for n in names if not n.startswith("_") and n != "fitting"))


@cache
def formats() -> dict[str, Format]:
    """Every format by its word."""
    return {name: import_module(f"rubrictui.interchange.importers.{name}").FORMAT for name in format_names()}


def import_rubrics(
    data: bytes, *, name: str = "the file", format: str | None = None, options: ImportOptions | None = None
) -> Imported:
    """The rubrics of a file of another program.

    Args:
        data: the whole file.
        name: what it is called in findings.
        format: one of ``format_names()``; without it the format is found from the content.
        options: encoding, and what the format leaves open.

    Returns:
        The rubrics, or the errors that stand against them; never some of the rubrics.

    Raises:
        InvalidInputError: the format or encoding is none of those there are, the content could be none or more
            than one of them, or a name was given for a file of several rubrics.
    """
    source = Source(data, name=name, options=options)
    report = Report(name)
    word = format or ""
    try:
        chosen = _named(format) if format is not None else _recognised(source)
        word = chosen.name
        sheets = chosen.read(source, report)
    except UnreadableError as error:
        report.error(error.code, error.message, error.place)
        return Imported(format=word, findings=report.findings)
    if not report.has_errors and not sheets:
        report.error("no_rubric", f"there is no rubric in it ({chosen.title}).")
    if report.has_errors:
        return Imported(format=word, notes=report.notes, findings=report.findings)
    if source.options.name is not None and len(sheets) > 1:
        raise InvalidInputError(
            f"{name} holds {len(sheets)} rubrics, so one name does not do.",
            remedy="Leave --name out; they keep their own.",
        )
    scales = Scales()
    rubrics = assemble(word, sheets, source.options, report, scales)
    return Imported(
        format=word, rubrics=rubrics, scales=scales.all, notes=report.notes, findings=report.findings
    )


def _named(word: str) -> Format:
    found = formats().get(word)
    if found is None:
        raise InvalidInputError(
            f'There is no format "{word[:40]}".', remedy=f"Write one of {', '.join(format_names())}."
        )
    return found


def _recognised(source: Source) -> Format:
    if not source.data.strip():
        raise UnreadableError("the file is empty.", Place(), code="empty")
    if _is_inspect_log(source.data):
        raise InvalidInputError(
            f"{source.name} is a log of Inspect: it holds scores and no rubric.",
            remedy="rubrictui evaluations import takes them in.",
        )
    # The text is asked for first: a wrong byte is told before any format is.
    if "\0" in source.text[:1000]:
        raise InvalidInputError(
            f"{source.name} holds null characters, so it is no text in the encoding it was read in.",
            remedy="Name the encoding with --encoding, for example utf-16-le.",
        )
    faults: list[UnreadableError] = []
    fitting = [one for one in formats().values() if _fits(one, source, faults)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        words = " or ".join(f"{one.name} ({one.title})" for one in fitting)
        raise InvalidInputError(f"{source.name} could be {words}.", remedy="Say which with --format.")
    if faults and source.begins in ("{", "[", "<"):  # what it was meant to be is plain, and why it is not
        raise faults[0]
    raise InvalidInputError(
        f"{source.name} is no rubric in a format known here.",
        remedy=f"Name it with --format, one of {', '.join(format_names())}, to be told what is missing.",
    )


def _is_inspect_log(data: bytes) -> bool:
    """Whether it is a log of Inspect, as JSON or as its zip file: authors have those beside their rubrics."""
    if data.startswith(b"PK\x03\x04"):
        return b"_journal/" in data or b"header.json" in data
    return _EVAL.search(data[:4000]) is not None and b'"task"' in data[:20_000]


def _fits(one: Format, source: Source, faults: list[UnreadableError]) -> bool:
    try:
        return one.recognises(source)
    except UnreadableError as error:
        faults.append(error)
        return False
