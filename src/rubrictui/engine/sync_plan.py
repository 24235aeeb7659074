"""Comparing files with a store: what each side says, and who has changed since they agreed. Pure functions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import Value, VersionStatus
from rubrictui.engine.trees import prepared, prepared_scale
from rubrictui.ground.findings import Finding
from rubrictui.interchange.documents import CategoryFile, Document, RubricFile, ScaleFile
from rubrictui.interchange.sync_content import FieldChange, Parts, differences, fingerprint, parts_of
from rubrictui.store.rubrics import VersionHead

if TYPE_CHECKING:
    from rubrictui.interchange.yaml_reader import ReadDocument


class SyncState(StrEnum):
    """Who has changed since both sides last agreed."""

    SAME = "same"
    ONLY_STORE = "only in the store"
    ONLY_FILES = "only in the files"
    IN_STORE = "changed in the store"
    IN_FILES = "changed in the files"
    IN_BOTH = "changed in both"


class SyncItem(Value, frozen=True, kw_only=True):
    """One category, scale, rubric or publication on both sides.

    ``file`` is its path from the folder; ``action`` what a push or pull did (or would do); ``changes`` what
    differs, field by field.
    """

    kind: str
    id: str
    name: str
    state: SyncState
    file: str | None = None
    action: str = ""
    note: str = ""
    changes: tuple[FieldChange, ...] = ()


class SyncReport(Value, frozen=True, kw_only=True):
    """What a folder and a store have in common, and what a push or pull made of it."""

    items: tuple[SyncItem, ...]
    findings: tuple[Finding, ...] = ()
    dry_run: bool = False

    @property
    def in_step(self) -> bool:
        return all(item.state is SyncState.SAME for item in self.items)

    @property
    def changed(self) -> bool:
        return any(item.action for item in self.items)


class SyncRefusedError(RubrictuiError):
    """Files that cannot be pushed or pulled; nothing was written.

    Attributes:
        problems: every reason, each with its file, line and column.
    """

    code = "sync_refused"

    def __init__(self, problems: Iterable[Finding]) -> None:
        self.problems = tuple(problems)
        errors = [one for one in self.problems if one.severity == "error"]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{errors[0]}{more}")


class SyncConflictError(RubrictuiError):
    """Items changed on both sides since they last agreed; nothing was written.

    Attributes:
        items: each of them, with what differs.
    """

    code = "sync_conflict"

    def __init__(self, items: Iterable[SyncItem], *, remedy: str) -> None:
        self.items = tuple(items)
        names = ", ".join(f'{item.kind} "{item.name}"' for item in self.items[:3])
        more = f" and {len(self.items) - 3} more" if len(self.items) > 3 else ""
        super().__init__(f"Changed in the files and in the store: {names}{more}.", remedy=remedy)


class StoreItem(NamedTuple):
    """An item of the store. Of a rubric ``document`` holds its draft, else its latest version, and ``heads``
    are its versions; ``current`` is the head of the one in the document."""

    document: CategoryFile | ScaleFile | RubricFile
    heads: tuple[VersionHead, ...] = ()
    current: VersionHead | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it is a rubric without any version (its only draft was discarded): nothing to lose."""
        return isinstance(self.document, RubricFile) and self.current is None

    @property
    def is_published(self) -> bool:
        return self.current is not None and self.current.status is VersionStatus.PUBLISHED


class Compared(NamedTuple):
    """One item with everything a push or pull decides on."""

    item: SyncItem
    store: StoreItem | None
    entry: ReadDocument | None
    #: The document of the file as the store would keep it.
    document: CategoryFile | ScaleFile | RubricFile | None
    #: The fingerprints of each side's parts; empty for a side that does not have it.
    theirs: Mapping[str, str]
    ours: Mapping[str, str]


def as_stored(
    document: CategoryFile | ScaleFile | RubricFile, new_id: Callable[[], str]
) -> CategoryFile | ScaleFile | RubricFile:
    """What a store would give back for a document.

    Raises:
        InvalidInputError: no store could keep it.
    """
    match document:
        case CategoryFile():
            category = document.category
            return CategoryFile(category=msgspec.structs.replace(category, name=category.name.strip()))
        case ScaleFile():
            return ScaleFile(scale=prepared_scale(document.scale, new_id=new_id))
        case RubricFile():
            snapshot = prepared(document.snapshot, taken=(), new_id=new_id)
            return msgspec.structs.replace(document, name=document.name.strip(), snapshot=snapshot)


def name_of(document: Document) -> str:
    match document:
        case CategoryFile():
            return document.category.name
        case ScaleFile():
            return document.scale.name or document.scale.id
        case RubricFile():
            return document.name
    return ""


def compare(
    kind: str,
    id: str,
    *,
    store: StoreItem | None,
    entry: ReadDocument | None,
    file: str | None,
    remembered: Callable[[str], str | None],
    new_id: Callable[[], str],
) -> Compared:
    """One item on both sides. ``remembered`` gives the fingerprint of a part when both sides last agreed.

    Raises:
        InvalidInputError: the file holds what no store could keep.
    """
    document = None
    if entry is not None:
        assert isinstance(entry.document, CategoryFile | ScaleFile | RubricFile)
        document = as_stored(entry.document, new_id)
    files_say = parts_of(document) if document is not None else None
    store_says = parts_of(store.document) if store is not None else None
    ours = fingerprints(kind, id, files_say) if files_say is not None else {}
    theirs = fingerprints(kind, id, store_says) if store_says is not None else {}
    state, note = _state(theirs, ours, remembered)
    if store is not None and store.is_empty and entry is not None:
        state, note = SyncState.IN_FILES, "the store has no version of it"
    shown = document if document is not None else store.document if store is not None else None
    if state is SyncState.IN_STORE and store is not None:
        shown = store.document  # the newer name
    assert shown is not None
    item = SyncItem(
        kind=kind,
        id=id,
        name=name_of(shown),
        state=state,
        file=file,
        note=note,
        changes=differences(store_says, files_say)
        if store_says and files_say and state is not SyncState.SAME
        else (),
    )
    return Compared(item, store, entry, document, theirs, ours)


def fingerprints(kind: str, id: str, parts: Parts) -> dict[str, str]:
    """What is remembered of an item that both sides agree on."""
    found = {f"{kind}:{id}": fingerprint(parts.identity)}
    if kind == "rubric":
        found[f"version-of:{id}"] = fingerprint(parts.version)
    return found


def _state(
    theirs: Mapping[str, str], ours: Mapping[str, str], remembered: Callable[[str], str | None]
) -> tuple[SyncState, str]:
    if not ours or not theirs:
        known = any(remembered(part) is not None for part in theirs or ours)
        if not ours:
            return SyncState.ONLY_STORE, "its file is gone" if known else ""
        return SyncState.ONLY_FILES, "gone from the store" if known else ""
    in_store = in_files = unknown = False
    for part, value in ours.items():
        if value == theirs[part]:
            continue
        base = remembered(part)
        unknown |= base is None
        in_store |= base != theirs[part]
        in_files |= base != value
    if in_store and in_files:
        return SyncState.IN_BOTH, "they never agreed here" if unknown else ""
    if in_store:
        return SyncState.IN_STORE, ""
    return (SyncState.IN_FILES if in_files else SyncState.SAME), ""


def text_diff(compared: Compared) -> str:
    """The unified diff from the store's text to the files', in the form in which both are written."""
    from rubrictui.interchange.yaml_writer import write_document

    store, files = compared.store, compared.document
    if store is None and files is None:
        return ""
    theirs = store.document if store is not None else None
    if isinstance(theirs, RubricFile) and isinstance(files, RubricFile):
        theirs = _with_ids_of(theirs, files)
    where = compared.item.file or f"{compared.item.kind} {compared.item.name}"
    lines = difflib.unified_diff(
        write_document(theirs).splitlines() if theirs is not None else [],
        write_document(files).splitlines() if files is not None else [],
        f"store: {where}",
        f"files: {where}",
        lineterm="",
    )
    return "\n".join(lines)


def _with_ids_of(document: RubricFile, other: RubricFile) -> RubricFile:
    """A rubric with the ids that the same criteria and bands have in the other: what differs in ids alone is
    no difference."""
    keys = {node.key: node.id for node in other.snapshot.nodes}
    labels = {band.label: band.id for band in other.snapshot.bands}
    ids = {node.id: keys.get(node.key, node.id) for node in document.snapshot.nodes}
    replace = msgspec.structs.replace
    snapshot = replace(
        document.snapshot,
        id=other.snapshot.id,
        nodes=tuple(
            replace(node, id=ids[node.id], parent_id=ids.get(node.parent_id or ""))
            for node in document.snapshot.nodes
        ),
        bands=tuple(replace(band, id=labels.get(band.label, band.id)) for band in document.snapshot.bands),
    )
    return replace(document, id=other.id, snapshot=snapshot)


def refused_at(entry: ReadDocument, error: RubrictuiError, field: str | None = None) -> Finding:
    """An error about a document, at its line."""
    line, column = entry.places.find("", field) if entry.places and field else (entry.line, 1)
    message = error.message if isinstance(error, InvalidInputError) and not error.remedy else str(error)
    return Finding(code=error.code, message=message, file=entry.file, line=line, column=column)
