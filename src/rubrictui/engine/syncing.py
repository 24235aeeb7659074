"""Files and a store kept in step: what differs, files to the store, the store to files.

An item is known by its id on both sides. A folder remembers, for each store, a fingerprint of what both sides agreed
on last; that tells which of them has changed since, and what has changed in both is never decided here but
by whoever calls. A push is one transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.records import Role
from rubrictui.engine.errors import PublishRefusedError
from rubrictui.engine.sync_files import (
    Edit,
    PublicationItem,
    edited,
    follows,
    pulled_items,
    pulled_publications,
    relinked,
)
from rubrictui.engine.sync_plan import (
    Compared,
    SyncConflictError,
    SyncItem,
    SyncRefusedError,
    SyncReport,
    SyncState,
    name_of,
    refused_at,
    text_diff,
)
from rubrictui.engine.sync_reading import KINDS, SyncReading, store_id
from rubrictui.ground.findings import Finding, has_errors
from rubrictui.interchange.documents import CategoryFile, Publication, RubricFile, ScaleFile
from rubrictui.interchange.pausing import without_collecting
from rubrictui.interchange.places import publish_findings
from rubrictui.store import rubrics
from rubrictui.store.errors import ConstraintError, FrozenError

if TYPE_CHECKING:
    from rubrictui.interchange.yaml_reader import ReadDocument


class _DryRun(Exception):
    """Everything was tried; nothing is kept."""

    def __init__(self, report: SyncReport) -> None:
        super().__init__()
        self.report = report


class Syncing(SyncReading):
    """Rubrics as files. A folder may hold YAML documents and records in the metadata JSON shape, anywhere
    below it (docs/formats.md)."""

    def sync_status(self, folder: str | Path, *, only: Collection[str] = ()) -> SyncReport:
        """What each side has and who has changed; nothing is written.

        Args:
            only: names of items; none means all.

        Raises:
            InvalidInputError: ``folder`` is no folder, or what it remembers is not readable.
        """
        with self._read() as connection:
            files, compared, publications = self._compared(connection, _there(folder), only)
        items = (*(one.item for one in compared), *(one.item for one in publications))
        return SyncReport(items=items, findings=files.findings)

    def sync_diff(
        self, folder: str | Path, *, only: Collection[str] = ()
    ) -> tuple[tuple[SyncItem, str], ...]:
        """Every item that differs, with the unified diff from the store's text to the files'.

        Raises:
            SyncRefusedError: a file has errors.
        """
        with self._read() as connection:
            files, compared, _ = self._compared(connection, _there(folder), only)
        _refuse_errors(files.findings)
        return tuple((one.item, text_diff(one)) for one in compared if one.item.state is not SyncState.SAME)

    def sync_push(
        self,
        folder: str | Path,
        *,
        only: Collection[str] = (),
        files_win: bool = False,
        dry_run: bool = False,
    ) -> SyncReport:
        """Take what the files say into the store: categories, scales, rubrics as drafts, then publications.

        A rubric whose latest version is Published gets a draft with the files' content: under the version id of the
        file when that is new, else under a fresh id that is written into the file. Publications run the same path as
        ``publish``; those of versions that are published already do nothing. What changed in the store alone
        is left, and what is only in the store too.

        Args:
            only: names of items; none means all.
            files_win: what changed on both sides becomes what the files say.
            dry_run: do everything, then take it back; the report tells what would be done.

        Raises:
            NotPermittedError: the user is no author.
            SyncRefusedError: a file has errors, or holds what the store refuses. Nothing was written.
            SyncConflictError: something changed on both sides, and ``files_win`` is not given.
        """
        from rubrictui.interchange.sync_memory import Memory
        from rubrictui.interchange.sync_writing import write_atomically

        self._require(Role.AUTHOR, doing="push rubrics")
        files = self._folder(_there(folder))
        _refuse_errors(files.findings)
        doing: list[ReadDocument] = []
        try:
            with self._write() as connection:
                files, compared, publications = self._compared(connection, files.root, only, files)
                conflicts = [one.item for one in compared if one.item.state is SyncState.IN_BOTH]
                if conflicts and not files_win and not dry_run:
                    raise SyncConflictError(
                        conflicts,
                        remedy="See rubrictui sync diff; then pull --store-wins, or push --files-win.",
                    )
                _refuse_errors(self._unfit(connection, compared, publications))
                with without_collecting():
                    items, relinks = self._push_items(connection, compared, doing, files_win=files_win)
                items += self._publish_records(connection, publications, compared)
                report = SyncReport(items=tuple(items), findings=files.findings, dry_run=dry_run)
                if dry_run:
                    raise _DryRun(report)
                memory = Memory(files.root, store_id(connection))
        except _DryRun as tried:
            return tried.report
        except (FrozenError, ConstraintError) as error:
            # What a trigger refuses is known as that only here; the last item begun is the one it is about.
            if not doing:
                raise
            raise SyncRefusedError([refused_at(doing[-1], error)]) from error
        finally:
            self._versions.forget()
        for path, data in edited(relinks):
            write_atomically(path, data)
        memory.remember(_agreed(compared, items, as_stored=False))
        return report

    def sync_pull(
        self,
        folder: str | Path,
        *,
        only: Collection[str] = (),
        store_wins: bool = False,
        dry_run: bool = False,
    ) -> SyncReport:
        """Write what the store says into the files that differ, each in one step; no file is ever deleted.

        An item keeps its file, whatever its name becomes; a new one gets a file named after it. What changed
        in the files alone is left, and what is only in the files too.

        Args:
            only, dry_run: as for ``sync_push``.
            store_wins: what changed on both sides becomes what the store says.

        Raises:
            SyncRefusedError: a file has errors, or a change belongs into a JSON record, which is not written.
            SyncConflictError: something changed on both sides, and ``store_wins`` is not given.
            InvalidInputError: a file cannot be written.
        """
        from rubrictui.interchange.sync_memory import Memory
        from rubrictui.interchange.sync_writing import write_atomically

        with self._read() as connection:
            files, compared, publications = self._compared(connection, Path(folder), only)
            known_as = store_id(connection)
        _refuse_errors(files.findings)
        conflicts = [one.item for one in compared if one.item.state is SyncState.IN_BOTH]
        if conflicts and not store_wins and not dry_run:
            raise SyncConflictError(
                conflicts, remedy="See rubrictui sync diff; then push --files-win, or pull --store-wins."
            )
        pulled = pulled_items(files, compared, store_wins=store_wins)
        records = pulled_publications(files, publications, compared, pulled.items)
        items = [*pulled.items, *records.items]
        writes = [*pulled.new, *records.new, *edited([*pulled.edits, *records.edits])]
        if not dry_run:
            for path, data in writes:
                files.check_untouched(path)
                write_atomically(path, data)
            Memory(files.root, known_as).remember(_agreed(compared, items, as_stored=True))
        return SyncReport(items=tuple(items), findings=files.findings, dry_run=dry_run)

    # -- files to the store --------------------------------------------------------------------------

    def _unfit(
        self,
        connection: Connection,
        compared: Sequence[Compared],
        publications: Sequence[PublicationItem],
    ) -> list[Finding]:
        """What stands against a push, all of it, each with its place."""
        found: list[Finding] = []
        asked = {item.id for item, entry, _ in publications if entry and item.state is SyncState.IN_FILES}
        named = {
            kind: {
                name_of(one.store.document).strip().casefold(): one.item.id
                for one in compared
                if one.store is not None and one.item.kind == kind
            }
            for kind in KINDS
        }
        for one in compared:
            entry, document = one.entry, one.document
            if entry is None or document is None or one.item.state is SyncState.SAME:
                continue
            owner = named[one.item.kind].get(one.item.name.strip().casefold())
            if owner is not None and owner != one.item.id:
                message = (
                    f'the store has a {one.item.kind} "{one.item.name}" with the id {owner}. '
                    "Write that id, or another name."
                )
                found.append(_at(entry, "name_taken", message))
            if isinstance(document, RubricFile):
                problem = self._version_id_fault(connection, one, document)
                if problem:
                    found.append(_at(entry, "version_id", problem, "id"))
        for one in compared:
            # In every state: a draft that is the same on both sides may be asked for too.
            document = one.document
            if one.entry and isinstance(document, RubricFile) and document.snapshot.id in asked:
                assert isinstance(one.entry.document, RubricFile)
                assert one.entry.places is not None
                found += publish_findings(one.entry.document.snapshot, one.entry.places)
        return [finding for finding in found if finding.severity == "error"]

    def _version_id_fault(self, connection: Connection, one: Compared, document: RubricFile) -> str:
        """Why the version id of a changed file cannot be used; "" when it can."""
        version_id = document.snapshot.id
        head = rubrics.version_head(connection, version_id)
        if head is not None and head.rubric_id != document.id:
            return f'{version_id} is a version of "{head.rubric_name}". Give the version an id of its own.'
        current = one.store.current if one.store else None
        if head is None and current is not None and current.status is VersionStatus.DRAFT:
            return f"the store's draft of this rubric has the id {current.id}. Write that id, or discard the draft."
        return ""

    def _push_items(
        self,
        connection: Connection,
        compared: Sequence[Compared],
        doing: list[ReadDocument],
        *,
        files_win: bool,
    ) -> tuple[list[SyncItem], list[Edit]]:
        """Take every item into the store that the files are to give; ``doing`` gets what is begun."""
        items: list[SyncItem] = []
        relinks: list[Edit] = []
        for one in compared:
            state, links = one.item.state, len(relinks)
            takes = state in (SyncState.ONLY_FILES, SyncState.IN_FILES) or (
                state is SyncState.IN_BOTH and files_win
            )
            action = ""
            if takes and one.entry is not None:
                doing.append(one.entry)
                try:
                    action = self._push(connection, one, relinks)
                except RubrictuiError as error:
                    raise SyncRefusedError([refused_at(one.entry, error)]) from error
            elif state is SyncState.SAME:
                relinks += follows(one)
            item = msgspec.structs.replace(one.item, action=action)
            items.append(relinked(item, relinks[links:]))
        return items, relinks

    def _push(self, connection: Connection, one: Compared, relinks: list[Edit]) -> str:
        """Take one item into the store; says what was done."""
        match one.document:
            case CategoryFile():
                rubrics.put_category(connection, one.document.category)
                return "changed" if one.store else "created"
            case ScaleFile():
                self._put_scale(connection, one.document.scale)
                return "changed" if one.store else "created"
            case RubricFile():
                return self._push_rubric(connection, one, one.document, relinks)
        return ""

    @staticmethod
    def _new_category_words(connection: Connection, name: str | None) -> str:
        """What a plan says of a category that a rubric names and nobody has made: it may be a slip of the pen."""
        title = (name or "").strip()
        known = {category.name.casefold() for category in rubrics.categories(connection)}
        return f', with a new category "{title}"' if title and title.casefold() not in known else ""

    def _push_rubric(
        self, connection: Connection, one: Compared, document: RubricFile, relinks: list[Edit]
    ) -> str:
        snapshot = document.snapshot
        shelved = self._new_category_words(connection, document.category)
        if one.store is None:
            self._create_rubric(
                connection,
                document.name,
                category=document.category,
                description=document.description,
                id=document.id,
                version_id=snapshot.id,
            )
            self._push_tree(connection, snapshot, snapshot.id)
            return f"created as a draft{shelved}"
        done = []
        stored = one.store.document
        assert isinstance(stored, RubricFile)
        paths = {change.path[0] for change in one.item.changes}
        if "rubric" in paths:
            rubrics.rename_rubric(connection, document.id, document.name)
            rubrics.describe_rubric(connection, document.id, (document.description or "").strip() or None)
            rubrics.set_category(connection, document.id, self._category_id(connection, document.category))
            done.append(f"{'renamed' if stored.name != document.name else 'described anew'}{shelved}")
        if paths - {"rubric"} or one.store.is_empty:
            current = one.store.current
            if current is not None and current.status is VersionStatus.DRAFT:
                version_id = current.id
                done.append("changed in its draft")
            else:
                known = {head.id for head in one.store.heads}
                version_id = self._new_id() if snapshot.id in known else snapshot.id
                base = current.id if current is not None else None
                self._add_draft(connection, document.id, version_id, based_on=base)
                done.append("started as a draft" + (f" from {current.number}" if current else ""))
            self._push_tree(connection, snapshot, version_id)
            if version_id != snapshot.id:
                assert one.entry is not None
                relinks.append(Edit(one.entry, version_id))
        return ", ".join(done)

    def _push_tree(self, connection: Connection, snapshot: VersionSnapshot, version_id: str) -> None:
        head = rubrics.version_head(connection, version_id)
        assert head is not None
        # The scales are items of their own, and stored by now or left as they are.
        self._save_tree(connection, msgspec.structs.replace(snapshot, id=version_id, scales=()), head)

    def _publish_records(
        self,
        connection: Connection,
        publications: Sequence[PublicationItem],
        compared: Sequence[Compared],
    ) -> list[SyncItem]:
        """Publish what records ask for, through the path that everyone's publishing takes."""
        behind = {
            head.id: one
            for one in compared
            if one.item.state in (SyncState.IN_STORE, SyncState.IN_BOTH) and one.store is not None
            for head in one.store.heads
        }
        items = []
        for item, entry, _ in publications:
            action = ""
            if entry is not None and item.state is SyncState.IN_FILES:
                assert isinstance(entry.document, Publication)
                if item.id in behind and behind[item.id].item.state is SyncState.IN_STORE:
                    message = (
                        "the store's draft has changes that the files have not. Pull them, then push again."
                    )
                    raise SyncRefusedError([_at(entry, "behind", message, "version_id")])
                action = self._publish_record(connection, entry.document, entry)
            items.append(msgspec.structs.replace(item, action=action))
        return items

    def _publish_record(self, connection: Connection, record: Publication, entry: ReadDocument) -> str:
        head = rubrics.version_head(connection, record.version_id)
        if head is None:
            message = f"there is no version {record.version_id} in the store. Push its rubric with it."
            raise SyncRefusedError([_at(entry, "unknown_version", message, "version_id")])
        if head.status is not VersionStatus.DRAFT:
            return ""
        try:
            self._publish(connection, head, record.bump, record.summary or "")
        except PublishRefusedError as error:
            raise SyncRefusedError([refused_at(entry, error, "version_id")]) from error
        self._versions.forget()
        published = rubrics.version_head(connection, record.version_id)
        return f"published as {published.number}" if published else ""


def _refuse_errors(findings: Sequence[Finding]) -> None:
    if has_errors(findings):
        raise SyncRefusedError(findings)


def _there(folder: str | Path) -> Path:
    """The folder, which only a pull may make."""
    path = Path(folder)
    if not path.exists():
        raise InvalidInputError(f"There is no folder {path}.", remedy="Check the path; a pull makes it.")
    return path


def _at(entry: ReadDocument, code: str, message: str, field: str | None = None) -> Finding:
    line, column = entry.places.find("", field) if entry.places else (entry.line, 1)
    return Finding(code=code, message=message, file=entry.file, line=line, column=column)


def _agreed(compared: Iterable[Compared], items: Iterable[SyncItem], *, as_stored: bool) -> dict[str, str]:
    """The fingerprints of every item that is the same on both sides now: it was, or was just taken over as
    the store has it (``as_stored``) or the files."""
    done = {(item.kind, item.id) for item in items if item.action}
    agreed: dict[str, str] = {}
    for one in compared:
        kind, id = one.item.kind, one.item.id
        if one.item.state is SyncState.SAME or (kind, id) in done:
            agreed |= one.theirs if as_stored else one.ours
    return agreed
