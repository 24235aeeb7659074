"""Reading both sides of a folder and a store: the files with what the store knows, and what each item says."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.records import Category
from rubrictui.engine.importing import Importing
from rubrictui.engine.sync_files import (
    PublicationItem,
    publications_of,
)
from rubrictui.engine.sync_plan import (
    Compared,
    StoreItem,
    compare,
    refused_at,
)
from rubrictui.interchange.documents import CategoryFile, RubricFile, ScaleFile
from rubrictui.interchange.pausing import without_collecting
from rubrictui.store import rubrics, scales, upkeep
from rubrictui.store.rubrics import VersionHead

if TYPE_CHECKING:
    from rubrictui.interchange.sync_folder import Key, SyncFolder

# The order in which one needs another.
KINDS = ("category", "scale", "rubric")


class _Store(NamedTuple):
    """What the store holds, by item; and every version of its rubrics by id."""

    items: dict[Key, StoreItem]
    versions: dict[str, VersionHead]


class SyncReading(Importing):
    """What ``Syncing`` decides on; nothing here writes."""

    def _folder(self, root: Path) -> SyncFolder:
        """The files, read against the names that the store knows."""
        from rubrictui.interchange.sync_folder import SyncFolder

        def version(name_or_id: str) -> VersionSnapshot | None:
            for reference in (name_or_id, f"{name_or_id}@draft"):
                try:
                    return self.version(reference)
                except RubrictuiError:
                    continue
            return None

        known_scales = {s.name: s for s in self.scales()} | {s.id: s for s in self.scales()}
        known = self.categories()
        by_name = {one.name.casefold(): one for one in known} | {one.id: one for one in known}

        def category(name_or_id: str) -> Category | None:
            return by_name.get(name_or_id) or by_name.get(name_or_id.strip().casefold())

        return SyncFolder(root, scales=known_scales.get, versions=version, categories=category)

    def _compared(
        self,
        connection: Connection,
        root: Path,
        only: Collection[str],
        files: SyncFolder | None = None,
    ) -> tuple[SyncFolder, list[Compared], list[PublicationItem]]:
        files = files or self._folder(root)
        with without_collecting():
            return self._compare_all(connection, files, only)

    def _compare_all(
        self, connection: Connection, files: SyncFolder, only: Collection[str]
    ) -> tuple[SyncFolder, list[Compared], list[PublicationItem]]:
        from rubrictui.interchange.sync_memory import Memory

        store = self._store_items(connection)
        remembered = Memory(files.root, store_id(connection)).get
        keys = dict.fromkeys((*(key for key in files.items if key[0] in KINDS), *store.items))
        compared, findings = [], list(files.findings)
        for kind, id in sorted(keys, key=lambda key: KINDS.index(key[0])):
            entry = files.items.get((kind, id))
            try:
                one = compare(
                    kind,
                    id,
                    store=store.items.get((kind, id)),
                    entry=entry,
                    file=files.shown(entry) if entry else None,
                    remembered=remembered,
                    new_id=self._new_id,
                )
            except InvalidInputError as error:
                assert entry is not None
                findings.append(refused_at(entry, error))
                continue
            compared.append(one)
        files.findings = tuple(findings)
        compared.sort(key=lambda one: (KINDS.index(one.item.kind), one.item.name.casefold(), one.item.id))
        publications = list(publications_of(files, compared, store.items, store.versions))
        wanted = {name.strip().casefold() for name in only}
        if wanted:
            names = {one.item.name.casefold() for one in compared}
            missing = sorted(wanted - names)
            if missing:
                raise InvalidInputError(
                    f'Neither the files nor the store have anything named "{missing[0]}".',
                    remedy="rubrictui sync status lists the names.",
                )
            compared = [one for one in compared if one.item.name.casefold() in wanted]
            publications = [pair for pair in publications if pair.item.name.casefold() in wanted]
        return files, compared, publications

    def _store_items(self, connection: Connection) -> _Store:
        items: dict[Key, StoreItem] = {
            ("category", one.id): StoreItem(CategoryFile(category=one))
            for one in rubrics.categories(connection)
        }
        items |= {
            ("scale", scale.id): StoreItem(ScaleFile(scale=scale)) for scale in scales.load_scales(connection)
        }
        versions: dict[str, VersionHead] = {}
        for rubric in rubrics.rubric_heads(connection):
            heads = rubrics.version_heads(connection, rubric.id)
            versions |= {head.id: head for head in heads}
            # The draft comes first; without one, the latest Published version, else the latest Retired.
            drafts = [head for head in heads if head.status is VersionStatus.DRAFT]
            published = [head for head in heads if head.status is VersionStatus.PUBLISHED]
            current = next(iter(drafts or published or heads), None)
            snapshot = (
                self._snapshot(connection, current.id)
                if current is not None
                else VersionSnapshot(rubric_id=rubric.id, rubric_name=rubric.name)
            )
            document = RubricFile(
                id=rubric.id,
                name=rubric.name,
                category=rubric.category,
                description=rubric.description,
                snapshot=snapshot,
            )
            items["rubric", rubric.id] = StoreItem(document, heads, current)
        return _Store(items, versions)


def store_id(connection: Connection) -> str:
    return upkeep.facts(connection).get("store_id") or ""
