"""What a pull writes, and what the records of publications ask for. Reads files, writes none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rubrictui.core.model import VersionStatus
from rubrictui.engine.sync_plan import Compared, StoreItem, SyncItem, SyncRefusedError, SyncState
from rubrictui.ground.findings import Finding
from rubrictui.interchange.documents import Document, Publication, RubricFile
from rubrictui.interchange.subject_files import read_bytes
from rubrictui.store.rubrics import VersionHead

if TYPE_CHECKING:
    from rubrictui.interchange.sync_folder import Key, SyncFolder
    from rubrictui.interchange.yaml_reader import ReadDocument

#: The bytes that go to a path.
Write = tuple[Path, bytes]


class Edit(NamedTuple):
    """A document that gets a new text where it stands, or (a text) a new version id and nothing else."""

    entry: ReadDocument
    new: Document | str


class PublicationItem(NamedTuple):
    """A publication with its record, and the record that a pull would write."""

    item: SyncItem
    entry: ReadDocument | None
    pulled: Publication | None = None


def follows(one: Compared) -> list[Edit]:
    """The file of a rubric that is the same, when it names an earlier version than the store goes on with."""
    if one.entry is None or one.store is None or not isinstance(one.document, RubricFile):
        return []
    current, named = one.store.current, one.document.snapshot.id
    known = {head.id for head in one.store.heads}
    return [Edit(one.entry, current.id)] if current and current.id != named and named in known else []


def relinked(item: SyncItem, edits: Sequence[Edit]) -> SyncItem:
    """The item, telling the version id that goes into its file."""
    for edit in edits:
        action = item.action or "given the version id of the store"
        return _changed(item, action=action, note=f"the file names version {edit.new} now")
    return item


def publications_of(
    files: SyncFolder,
    compared: Sequence[Compared],
    store: Mapping[Key, StoreItem],
    versions: Mapping[str, VersionHead],
) -> Iterator[PublicationItem]:
    """Every publication with its record. A record is the same when its version is published already; a version
    that is published and has no record is only in the store."""
    items = {one.item.id: one for one in compared if one.item.kind == "rubric"}
    by_version = {
        one.document.snapshot.id: one for one in items.values() if isinstance(one.document, RubricFile)
    }
    records: dict[str, list[tuple[Publication, ReadDocument, SyncState]]] = {}
    for record, entry in files.publications():
        head = versions.get(record.version_id)
        owner = by_version.get(record.version_id)
        state = SyncState.IN_FILES
        if head is not None and head.status is not VersionStatus.DRAFT:
            state = SyncState.SAME
        elif head is None and owner and owner.item.state is SyncState.SAME and owner.store:
            # The same content was published under another id.
            state = SyncState.SAME if owner.store.is_published else state
        rubric_id = head.rubric_id if head else owner.item.id if owner else ""
        records.setdefault(rubric_id, []).append((record, entry, state))
    for rubric_id in dict.fromkeys((*items, *records)):
        stored = store.get(("rubric", rubric_id))
        current = stored.current if stored and stored.is_published else None
        given = records.get(rubric_id, [])
        # What was published since is told at the newest record, and only while nothing else is asked for.
        outdated = _outdated(given, current, items.get(rubric_id))
        for record, entry, state in given:
            head, pulled, note = (
                versions.get(record.version_id),
                None,
                _note(state, versions.get(record.version_id)),
            )
            if record is outdated and current is not None:
                pulled = Publication(rubric=current.rubric_name, version_id=current.id)
                note = f"names {head.number if head else 'another version'}; {current.number} is published"
            elif (
                head is not None
                and state is SyncState.SAME
                and _is_renamed(record, head, items.get(rubric_id))
            ):
                pulled = msgspec.structs.replace(record, rubric=head.rubric_name)
                note = f'the rubric is called "{head.rubric_name}"'
            item = SyncItem(
                kind="publication",
                id=record.version_id,
                name=record.rubric,
                state=SyncState.IN_STORE if pulled else state,
                file=files.shown(entry),
                note=note,
            )
            yield PublicationItem(item, entry, pulled)
        if not given and current is not None and _may_follow(items.get(rubric_id)):
            item = SyncItem(
                kind="publication",
                id=current.id,
                name=current.rubric_name,
                state=SyncState.ONLY_STORE,
                note=f"{current.number} is published",
            )
            yield PublicationItem(item, None, Publication(rubric=current.rubric_name, version_id=current.id))


def _is_renamed(record: Publication, head: VersionHead, rubric: Compared | None) -> bool:
    """Whether the rubric got another name in the store; records without a name are called by their id."""
    names = (record.rubric.strip().casefold(), head.rubric_name.strip().casefold())
    return record.rubric != record.version_id and names[0] != names[1] and _may_follow(rubric)


def _outdated(
    given: Sequence[tuple[Publication, ReadDocument, SyncState]],
    current: VersionHead | None,
    rubric: Compared | None,
) -> Publication | None:
    if current is None or not given or not _may_follow(rubric):
        return None
    if any(record.version_id == current.id or state is not SyncState.SAME for record, _, state in given):
        return None
    named = {record.version_id for record, _, _ in given}
    own = {rubric.document.snapshot.id} if rubric and isinstance(rubric.document, RubricFile) else set()
    # A record of the file's own version, whose content is published under another id, is as good.
    return None if named & own and rubric and not _is_known(rubric, named & own) else given[-1][0]


def _is_known(rubric: Compared, ids: set[str]) -> bool:
    return rubric.store is not None and bool(ids & {head.id for head in rubric.store.heads})


def _may_follow(rubric: Compared | None) -> bool:
    """Whether the rubric's file says, or will say after a pull, what the store has published."""
    return rubric is not None and rubric.item.state in (
        SyncState.SAME,
        SyncState.ONLY_STORE,
        SyncState.IN_STORE,
    )


def _note(state: SyncState, head: VersionHead | None) -> str:
    if state is SyncState.IN_FILES:
        return "asks to publish the draft"
    return f"{head.number} is published" if head is not None else ""


class Pulled(NamedTuple):
    """What a pull does to each item, the new files it writes, and what it changes in those there are."""

    items: list[SyncItem]
    new: list[Write]
    edits: list[Edit]


def pulled_items(files: SyncFolder, compared: Sequence[Compared], *, store_wins: bool) -> Pulled:
    """What a pull makes of categories, scales and rubrics.

    Raises:
        InvalidInputError: a new file has no safe place.
    """
    from rubrictui.interchange.yaml_writer import write_document

    made = Pulled([], [], [])
    for one in compared:
        item = one.item
        takes = item.state in (SyncState.ONLY_STORE, SyncState.IN_STORE) or (
            item.state is SyncState.IN_BOTH and store_wins
        )
        if one.store is not None and takes:
            document = one.store.document
            if one.store.is_empty:
                item = _changed(item, note="the store has no version of it")
            elif one.entry is None:
                path = files.new_file(item.kind, item.id, item.name)
                made.new.append((path, write_document(document).encode()))
                item = _changed(item, action="written", file=path.relative_to(files.root).as_posix())
            else:
                made.edits.append(Edit(one.entry, document))
                item = _changed(item, action="rewritten")
        elif item.state is SyncState.SAME:
            links = follows(one)
            made.edits.extend(links)
            item = relinked(item, links)
        made.items.append(item)
    return made


def edited(edits: Sequence[Edit]) -> list[Write]:
    """The files of edits with all of these made, from the last document up: so the lines above stay theirs.

    Raises:
        SyncRefusedError: an edit cannot be made where the document stands.
    """
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.entry.file, []).append(edit)
    writes: list[Write] = []
    refused: list[Finding] = []
    for file, changes in by_file.items():
        data = read_bytes(Path(file))
        for edit in sorted(changes, key=lambda change: change.entry.line, reverse=True):
            after, why = _with_edit(data, edit)
            if after is None:
                refused.append(Finding(code="not_written", message=why, file=file, line=edit.entry.line))
            else:
                data = after
        writes.append((Path(file), data))
    if refused:
        raise SyncRefusedError(refused)
    return writes


def _with_edit(data: bytes, edit: Edit) -> tuple[bytes | None, str]:
    """A file's bytes with one edit made, or None and why not."""
    from rubrictui.interchange.sync_writing import with_document, with_scalar
    from rubrictui.interchange.yaml_writer import write_document

    entry, new = edit
    document = entry.document
    is_json = entry.file.casefold().endswith(".json")
    if isinstance(new, Publication) and is_json:
        new = new.version_id  # all there is to say in such a record
    if not isinstance(new, str):
        if is_json:
            return (
                None,
                "the store has changes for this record, and records in JSON are not written. Make them here.",
            )
        why = "this document cannot be cut out of its file. Put a line of three hyphens around it."
        return with_document(data, entry.line, entry.next_line, write_document(new)), why
    assert entry.places is not None
    if isinstance(document, Publication):
        old, field = document.version_id, "version_id"
    else:
        assert isinstance(document, RubricFile)
        old, field = document.snapshot.id, "id"
    why = f"the store goes on with this version as {new}. Write that id here; it could not be done for you."
    return with_scalar(data, entry.places.find("", field), old, new), why


def _changed(item: SyncItem, **fields: str) -> SyncItem:
    return msgspec.structs.replace(item, **fields)


def pulled_publications(
    files: SyncFolder,
    publications: Sequence[PublicationItem],
    compared: Sequence[Compared],
    pulled: Sequence[SyncItem],
) -> Pulled:
    """The records of what the store has published, written or brought up to date where the rubric's file says
    the same."""
    from rubrictui.interchange.yaml_writer import write_document

    written = {
        item.id for item in pulled if item.kind == "rubric" and (item.action or item.state is SyncState.SAME)
    }
    owners = {head.id: one for one in compared if one.store is not None for head in one.store.heads}
    made = Pulled([], [], [])
    for item, entry, record in publications:
        one = owners.get(record.version_id) if record is not None else None
        shown = item
        if record is not None and one is not None and one.item.id in written:
            if entry is None:
                path = files.new_file("publication", one.item.id, one.item.name)
                made.new.append((path, write_document(record).encode()))
                shown = _changed(item, action="written", file=path.relative_to(files.root).as_posix())
            else:
                made.edits.append(Edit(entry, record))
                shown = _changed(item, action="rewritten")
        made.items.append(shown)
    return made
