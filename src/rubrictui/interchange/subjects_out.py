"""Subjects as files that ``subjects add`` reads again: Markdown with front matter, a file each.

A subject that Markdown cannot hold whole (files beside its text, keys that reading would take for its id or title) is
written as JSON, as ``subjects show --json`` prints it. Which it is is not guessed: each file is read back, and is Markdown
only when it says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.hidden_fields import Anonymised
from rubrictui.core.records import Subject
from rubrictui.interchange.new_files import stems, write_folder
from rubrictui.interchange.subjects_in import read_document


class SubjectsWritten(msgspec.Struct, frozen=True, kw_only=True):
    """The files in the order of the subjects, and their entities: ``subjects add`` takes one at a time."""

    files: tuple[Path, ...]
    entities: tuple[str, ...]


def write_subjects(
    found: Sequence[Anonymised],
    folder: Path,
    *,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SubjectsWritten:
    """Write anonymised subjects into a folder; with several entities into a folder for each inside it.

    Raises:
        InvalidInputError, Stopped: as ``write_folder``.
    """
    entities = tuple(dict.fromkeys(one.subject.entity for one in found))
    folders = dict(zip(entities, stems("entity", [(entity, entity) for entity in entities]), strict=True))
    names: list[str] = [""] * len(found)
    texts = [subject_text(one.subject) for one in found]
    for entity in entities:
        places = [place for place, one in enumerate(found) if one.subject.entity == entity]
        own = stems(
            "subject", [(found[place].subject.id, found[place].subject.record_id) for place in places]
        )
        for place, stem in zip(places, own, strict=True):
            name = f"{stem}{texts[place][0]}"
            names[place] = name if len(entities) == 1 else f"{folders[entity]}/{name}"

    def contents() -> Iterator[str]:
        for _, text in texts:
            yield text

    written = write_folder(folder, names, contents(), force=force, progress=progress, cancelled=cancelled)
    return SubjectsWritten(files=written, entities=entities)


def subject_text(subject: Subject) -> tuple[str, str]:
    """The ending of the subject's file and what stands in it."""
    if not subject.files:
        text = _markdown(subject)
        if _says_the_same(text, subject):
            return ".md", text
    bare = msgspec.structs.replace(subject, id="", content_hash="")
    given = {
        name: value for name, value in msgspec.to_builtins(bare).items() if value not in ("", None, [], ())
    }
    return ".json", msgspec.json.format(msgspec.json.encode(given), indent=2).decode() + "\n"


def _markdown(subject: Subject) -> str:
    from yaml import safe_dump

    front = {"record_id": subject.record_id, "title": subject.title, **(subject.data or {})}
    matter = safe_dump(front, allow_unicode=True, sort_keys=False, width=100)
    return f"---\n{matter}---\n\n{subject.text}"


def _says_the_same(text: str, subject: Subject) -> bool:
    data = subject.data or {}
    if "\r" in text or {"record_id", "title"} & {key.casefold() for key in data}:
        return False
    try:
        read = read_document(text, subject.entity)
    except RubrictuiError:
        return False
    return (read.record_id, read.title, read.text, read.data or {}) == (
        subject.record_id,
        subject.title,
        subject.text,
        data,
    )
