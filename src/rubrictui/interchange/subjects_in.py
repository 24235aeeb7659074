"""Subjects from what people have: Markdown, text, JSON, JSON Lines, CSV, PDF, DOCX, other files, folders of them.

Everything is read before anything is given back, so an error means that nothing was taken in. A row that
cannot be a subject is reported with its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rubrictui.core.display import name_fault
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import json_value, unfit
from rubrictui.core.model import Value
from rubrictui.core.pages import paged_text
from rubrictui.core.records import MAXIMUM_NAME, MAXIMUM_RECORD_ID, Subject
from rubrictui.interchange.csv_in import csv_header, csv_rows, decode
from rubrictui.interchange.subject_files import read_bytes, subject_file

if TYPE_CHECKING:
    from rubrictui.interchange.subjects_pdf import Document

TITLE_FIELDS = ("title", "name", "subject", "heading", "headline")
TEXT_FIELDS = ("text", "body", "content", "abstract", "markdown", "description", "summary")
ID_FIELDS = ("record_id", "id", "key", "uuid", "slug", "number")

MAX_SUBJECTS = 100_000


class Options(Value, frozen=True, kw_only=True):
    """How to read subjects.

    ``entity`` names what they are. ``id_field``, ``title_field`` and ``text_field`` name the columns of
    CSV and the keys of JSON; without them the usual names are looked for, ignoring case. ``encoding`` is
    of text files and CSV; UTF-8, with or without a byte order mark, when it is None.
    """

    entity: str = "Subject"
    id_field: str | None = None
    title_field: str | None = None
    text_field: str | None = None
    encoding: str | None = None
    folder_as_subject: bool = False


class SubjectsRead(Value, frozen=True, kw_only=True):
    """The subjects, and one line about everything that was left out (blank rows, hidden files)."""

    subjects: tuple[Subject, ...] = ()
    notes: tuple[str, ...] = ()


def read_subjects(paths: Iterable[str | Path], options: Options | None = None) -> SubjectsRead:
    """Read every path: a file, or a folder with its files (and theirs, in order of their names).

    Raises:
        InvalidInputError: a path, a file or a row cannot be read, or two subjects share a record id. The
            message names the file, and the row or line.
    """
    reader = _Reader(options or Options())
    for path in map(Path, paths):
        reader.take(path)
    return SubjectsRead(subjects=tuple(reader.subjects.values()), notes=tuple(reader.notes))


def read_document(text: str, entity: str) -> Subject:
    """The subject that a Markdown text of this content would be; its record id is its front matter's, else "subject".

    Raises:
        InvalidInputError: its front matter is broken.
    """
    body, front = _front_matter(text, Path("subject.md"))
    return _Reader(Options(entity=entity))._document("subject", body, front, "subject")


def subjects_from_rows(rows: Iterable[tuple[str, dict[str, Any]]], options: Options) -> SubjectsRead:
    """A subject for each row of named values, each given with where it is from.

    Raises:
        InvalidInputError: a row cannot be one, two share a record id, or there is none.
    """
    reader = _Reader(options)
    for number, (origin, row) in enumerate(rows, 1):
        reader.take_row(row, f"row-{number}", origin)
    if not reader.subjects:
        raise InvalidInputError("There are no rows.", remedy="Nothing was added: check what was asked for.")
    return SubjectsRead(subjects=tuple(reader.subjects.values()), notes=tuple(reader.notes))


class _Reader:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.subjects: dict[str, Subject] = {}
        self.notes: list[str] = []
        self._origin: dict[str, str] = {}

    def take(self, path: Path) -> None:
        if path.is_dir():
            self._folder(path)
        else:
            self._file(path, path.stem)

    def take_row(self, row: dict[str, Any], record_id: str, origin: str) -> None:
        self._add(self._row(row, record_id, origin), origin)

    def _add(self, subject: Subject, origin: str) -> None:
        for what, name, limit in (
            ("entity", subject.entity, MAXIMUM_NAME),
            ("record id", subject.record_id, MAXIMUM_RECORD_ID),
        ):
            fault = name_fault(name, limit)
            if fault:
                raise InvalidInputError(
                    f'{origin}: the {what} "{_short(name)}" {fault}.',
                    remedy="Give it another, or name the right column with --id-field."
                    if what == "record id"
                    else "Give it another.",
                )
        known = self._origin.get(subject.record_id)
        if known is not None:
            raise InvalidInputError(
                f'{origin}: the record id "{_short(subject.record_id)}" was used before, by {known}.',
                remedy="Make them differ, or name the right column with --id-field.",
            )
        if len(self.subjects) >= MAX_SUBJECTS:
            raise InvalidInputError(
                f"{origin}: there are more than {MAX_SUBJECTS:,} subjects.", remedy="Add them in parts."
            )
        self._origin[subject.record_id] = origin
        self.subjects[subject.record_id] = subject

    def _folder(self, folder: Path) -> None:
        files = _files_of(folder, self.notes)
        if not files:
            raise InvalidInputError(f"{folder} holds no files.", remedy="Give a folder with files.")
        if self.options.folder_as_subject:
            self._add(self._one_of_folder(folder, files), str(folder))
            return
        for file in files:
            self._file(file, file.relative_to(folder).with_suffix("").as_posix())

    def _one_of_folder(self, folder: Path, files: Sequence[Path]) -> Subject:
        """One subject: the text of its README or only text file, and every file beside it."""
        texts = [file for file in files if file.suffix.lower() in _TEXT_SUFFIXES]
        main = next((file for file in texts if file.stem.lower() in ("readme", "index")), None)
        if main is None and len(texts) == 1:
            main = texts[0]
        text, front = ("", {}) if main is None else _front_matter(self._text(main), main)
        name = folder.resolve().name
        for file in (folder, *files):
            _check_name(file)
        return self._document(
            name,
            text,
            front,
            name,
            files=[
                subject_file(file.relative_to(folder).as_posix(), read_bytes(file), path=str(file.resolve()))
                for file in files
                if file != main
            ],
        )

    def _file(self, path: Path, name: str) -> None:
        _check_name(path)
        suffix = path.suffix.lower()
        if suffix in _TEXT_SUFFIXES:
            text, front = _front_matter(self._text(path), path)
            self._add(self._document(name, text, front, path.stem), str(path))
        elif suffix == ".json":
            self._rows(json_value(read_bytes(path), str(path)), path, "item")
        elif suffix in (".jsonl", ".ndjson"):
            self._json_lines(path)
        elif suffix in (".csv", ".tsv"):
            self._table(path, "\t" if suffix == ".tsv" else None)
        else:
            self._other(path, name)

    def _text(self, path: Path) -> str:
        return decode(read_bytes(path), self.options.encoding, path)

    def _document(
        self,
        record_id: str,
        text: str,
        front: dict[str, Any],
        fallback: str,
        files: Sequence[Any] = (),
    ) -> Subject:
        """A subject from prose: front matter names it, else its first heading, else its file."""
        rest = dict(front)
        own_id = _pop(rest, self.options.id_field, ID_FIELDS)
        title = _pop(rest, self.options.title_field, TITLE_FIELDS)
        return Subject(
            entity=self.options.entity,
            record_id=_label(own_id) or record_id,
            title=_label(title) or _heading(text) or fallback,
            text=text,
            data=rest or None,
            files=tuple(files),
        )

    def _other(self, path: Path, name: str) -> None:
        """Any other file: its text when it is text or a document, and the file itself."""
        data = read_bytes(path)
        file = subject_file(path.name, data, path=str(path.resolve()))
        if path.suffix.lower() in _DOCUMENTS:
            file = msgspec.structs.replace(file, text=None)
        document = self._pages(data, path)
        if document is not None:
            self._add(
                Subject(
                    entity=self.options.entity,
                    record_id=name,
                    title=document.title or path.name,
                    text=paged_text(document.pages) if any(map(str.strip, document.pages)) else "",
                    data={"pages": len(document.pages)},
                    files=(file,),
                ),
                str(path),
            )
            return
        self._add(
            Subject(
                entity=self.options.entity,
                record_id=name,
                title=path.name,
                text=file.text or "",
                files=() if file.text is not None else (file,),
            ),
            str(path),
        )

    def _pages(self, data: bytes, path: Path) -> Document | None:
        """The pages of a PDF or DOCX file; None for any other, or, with a note, where they cannot be read here."""
        suffix = path.suffix.lower()
        try:
            if suffix == ".pdf":
                from rubrictui.interchange.subjects_pdf import read_pdf

                found = read_pdf(data, str(path))
            elif suffix == ".docx":
                from rubrictui.interchange.subjects_docx import read_docx

                found = read_docx(data, str(path))
            else:
                return None
        except ImportError:
            self.notes.append(
                f"{path}: only the file is added. Its text is read with: pip install 'rubrictui[documents]'."
            )
            return None
        if found.silent:
            count = (
                "no page"
                if found.silent == len(found.pages)
                else f"{found.silent} of {len(found.pages)} pages"
            )
            what = "has text" if count == "no page" else "have no text"
            self.notes.append(f"{path}: {count} {what}; pictures are not read.")
        return found

    def _json_lines(self, path: Path) -> None:
        rows = []
        blank: list[int] = []
        data = read_bytes(path).removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                rows.append((number, json_value(line, f"{path}, line {number}")))
            else:
                blank.append(number)
        self._note_blank(path, blank, "line")
        self._numbered(rows, path, "line")

    def _rows(self, value: Any, path: Path, what: str) -> None:
        rows = value if isinstance(value, list) else [value]
        self._numbered(list(enumerate(rows, 1)), path, what)

    def _numbered(self, rows: Sequence[tuple[int, Any]], path: Path, what: str) -> None:
        if not rows:
            raise InvalidInputError(f"{path} holds no subject.", remedy="Give it at least one.")
        alone = len(rows) == 1
        for number, row in rows:
            origin = str(path) if alone and what == "item" else f"{path}, {what} {number}"
            if not isinstance(row, dict):
                raise InvalidInputError(
                    f"{origin}: a subject must be an object, not {_kind(row)}.",
                    remedy="Give an object, or a list of objects.",
                )
            record = path.stem if alone else f"{path.stem}-{number}"
            self._add(self._row(row, record, origin), origin)

    def _row(self, row: dict[str, Any], record_id: str, origin: str) -> Subject:
        """A subject from named values: title, text and id are taken out, the rest is data. A subject as
        we print it ourselves is taken as it is."""
        rest = dict(row)
        options = self.options
        if "record_id" in row and set(row) <= set(Subject.__struct_fields__) and options.id_field is None:
            given = {name: value for name, value in row.items() if value is not None}
            try:
                return msgspec.convert({"entity": options.entity, **given, "content_hash": ""}, Subject)
            except msgspec.ValidationError as error:
                raise unfit(error, row, origin) from None
        for flag, field in (
            ("id", options.id_field),
            ("title", options.title_field),
            ("text", options.text_field),
        ):
            if field is not None and field not in rest:
                raise InvalidInputError(
                    f'{origin}: there is no field "{_short(field)}".',
                    remedy=f"Name one of its fields with --{flag}-field: {_short(', '.join(rest))}.",
                )
        entity = options.entity
        own_id = _pop(rest, options.id_field, ID_FIELDS)
        title = _pop(rest, options.title_field, TITLE_FIELDS)
        content = _pop(rest, options.text_field, TEXT_FIELDS)
        text = "" if content is None else content if isinstance(content, str) else _written(content)
        record = _label(own_id)
        if options.id_field is not None and not record:
            raise InvalidInputError(
                f'{origin}: the id field "{_short(options.id_field)}" is empty.', remedy="Fill it."
            )
        record = record or record_id
        return Subject(
            entity=entity,
            record_id=record,
            title=_label(title) or _heading(text) or record,
            text=text,
            data=rest or None,
        )

    def _table(self, path: Path, delimiter: str | None) -> None:
        text = decode(read_bytes(path), self.options.encoding, path)
        rows = csv_rows(text, path, delimiter)
        first = next(((number, cells) for number, cells in rows if any(map(str.strip, cells))), None)
        if first is None:
            raise InvalidInputError(f"{path} is empty.", remedy="Give it a header line and rows.")
        header = csv_header(first[1], path, first[0])
        blank: list[int] = []
        ragged: list[str] = []
        good: list[tuple[int, dict[str, Any]]] = []
        for number, cells in rows:
            if number <= first[0]:
                continue
            if not any(cell.strip() for cell in cells):
                blank.append(number)
            elif len(cells) != len(header):
                ragged.append(f"row {number} has {len(cells)}")
            else:
                good.append((number, {name: cell or None for name, cell in zip(header, cells, strict=True)}))
        if ragged:
            more = f" and {len(ragged) - 5} more" if len(ragged) > 5 else ""
            raise InvalidInputError(
                f"{path}: {len(ragged)} of {len(good) + len(ragged)} rows do not fit the {len(header)} columns: "
                f"{', '.join(ragged[:5])}{more}.",
                remedy="Quote cells that hold the delimiter, and fill every row.",
            )
        self._note_blank(path, blank, "row")
        if not good:
            raise InvalidInputError(f"{path} has a header and no rows.", remedy="Give it rows.")
        for number, row in good:
            origin = f"{path}, row {number}"
            self._add(self._row(row, f"{path.stem}-{number}", origin), origin)

    def _note_blank(self, path: Path, numbers: Sequence[int], what: str) -> None:
        if numbers:
            many = "" if len(numbers) == 1 else "s"
            shown = ", ".join(map(str, numbers[:5])) + (", ..." if len(numbers) > 5 else "")
            self.notes.append(f"{path}: {len(numbers)} blank {what}{many} left out ({what}{many} {shown}).")


_TEXT_SUFFIXES = (".md", ".markdown", ".txt", ".text", ".rst")
_DOCUMENTS = (".pdf", ".docx")
_FENCE = "---"


def _files_of(folder: Path, notes: list[str]) -> list[Path]:
    """The files below a folder by name; hidden ones and links that lead out are left out and noted."""
    found: list[Path] = []
    skipped = 0
    root = folder.resolve()
    try:
        for path in sorted(folder.rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if path.is_dir():
                continue
            if hidden or not path.is_file() or not path.resolve().is_relative_to(root):
                skipped += 1
            else:
                found.append(path)
    except OSError as error:
        raise InvalidInputError(
            f"{folder} cannot be read: {error.strerror or error}.", remedy="Check its permissions."
        ) from None
    if skipped:
        notes.append(f"{folder}: {skipped} hidden or linked {'file' if skipped == 1 else 'files'} left out.")
    return found


def _check_name(path: Path) -> None:
    """A name becomes a record id, so it must be text."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInputError(
            f"The file name {str(path).encode('utf-8', 'replace').decode()} is not UTF-8.",
            remedy="Rename it.",
        ) from None


def _front_matter(text: str, path: Path) -> tuple[str, dict[str, Any]]:
    """The text without its front matter, and the front matter (a YAML mapping between two ``---``)."""
    if not text.startswith(_FENCE + "\n"):
        return text, {}
    end = text.find(f"\n{_FENCE}\n", len(_FENCE))
    if end < 0:
        return text, {}
    from rubrictui.ground.findings import Findings, raise_for_errors
    from rubrictui.ground.yaml_nodes import MappingNode, read_nodes
    from rubrictui.interchange.building import BROKEN, Builder

    findings = Findings(str(path))
    # A line is kept before it, so that the lines of the findings are those of the file.
    nodes = read_nodes("\n" + text[len(_FENCE) + 1 : end + 1], findings)
    raise_for_errors(findings.all)
    if len(nodes) != 1 or not isinstance(nodes[0], MappingNode):
        return text, {}
    values = Builder(findings).anything(nodes[0])
    raise_for_errors(findings.all)
    return text[end + len(_FENCE) + 2 :].lstrip("\n"), {} if values is BROKEN else values


def _heading(text: str) -> str:
    """The first heading of a Markdown text, fenced code aside."""
    fenced = False
    for line in text.split("\n"):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and line[:1] == "#" and (match := re.match(r"#{1,6}[ \t]+(.+?)[ \t]*#*$", line)):
            return _label(match.group(1))
    return ""


def _pop(row: dict[str, Any], wanted: str | None, usual: Sequence[str]) -> Any:
    """Take a value out of a row by its field, or by the first usual name that it has."""
    if wanted is not None:
        return row.pop(wanted, None)
    for name in usual:
        field = next((field for field in row if field.casefold() == name), None)
        if field is not None:
            return row.pop(field) if _usable(row[field]) else None
    return None


def _usable(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _written(value: Any) -> str:
    """A value that is no text, as JSON."""
    return msgspec.json.format(msgspec.json.encode(value)).decode()


def _label(value: Any) -> str:
    """One line of text for a title or an id."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else " ".join(str(value).split())


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
