"""Drafts of rubrics: begun, saved a change at a time, discarded. All of it takes the role author."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection

from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot, VersionStatus, fold_id
from rubrictui.core.records import Role, RubricSummary
from rubrictui.engine.base import named
from rubrictui.engine.errors import NameTakenError, NotFoundError, StaleDraftError, StateError
from rubrictui.engine.shelves import Shelves
from rubrictui.engine.tree_changes import TreeChanges, tree_changes
from rubrictui.engine.trees import cloned, prepared
from rubrictui.store import access, rubrics, scales, trees
from rubrictui.store.errors import VersionFrozenError
from rubrictui.store.rubrics import RubricHead, VersionHead


class RubricDrafts(Shelves):
    """Writing drafts. Each call is one transaction."""

    def create_rubric(
        self,
        name: str,
        *,
        category: str | None = None,
        description: str | None = None,
        id: str | None = None,
        version_id: str | None = None,
    ) -> RubricSummary:
        """A new rubric with an empty draft. A category that does not exist yet is made.

        Raises:
            NotPermittedError: the user is no author.
            NameTakenError: a rubric has this name, ignoring case.
        """
        self._require(Role.AUTHOR, doing="create rubrics")
        with self._write() as connection:
            rubric = self._create_rubric(
                connection, name, category=category, description=description, id=id, version_id=version_id
            )
            return self._rubric_summary(connection, rubric.id)

    def _create_rubric(
        self,
        connection: Connection,
        name: str,
        *,
        category: str | None,
        description: str | None,
        id: str | None,
        version_id: str | None,
    ) -> RubricHead:
        title = named(name, "rubric")
        if rubrics.find_rubric(connection, title) is not None:
            raise NameTakenError(
                f'There is a rubric "{title}" already.', remedy="Start a draft of it, or choose another name."
            )
        rubric_id = id or self._new_id()
        rubrics.add_rubric(
            connection,
            id=rubric_id,
            name=title,
            category_id=self._category_id(connection, category),
            description=description,
            created_at=self._clock(),
            created_by=self.user.name,
        )
        self._add_draft(connection, rubric_id, version_id or self._new_id(), based_on=None)
        return self._find_rubric(connection, rubric_id)

    def open_rubric_draft(self, rubric: str) -> RubricDraft:
        """The draft of a rubric with what an editor needs besides: revision, source, base, who saved it last.

        Raises:
            NotFoundError: there is no such rubric.
            StateError: it has no draft; ``start_draft`` makes one.
        """
        with self._read() as connection:
            head = self._draft_of(connection, self._find_rubric(connection, rubric))
            base = self._base_of(connection, head.rubric_id)
            counts = access.counts_by_version(connection, self.user)
            saved = rubrics.last_save(connection, head.id)
            return RubricDraft(
                version=self._snapshot(connection, head.id),
                revision=head.revision,
                based_on=self._snapshot(connection, head.based_on_id) if head.based_on_id else None,
                published=self._snapshot(connection, base.id) if base else None,
                evaluation_count=counts.get(base.id, 0) if base else 0,
                saved_at=saved.at,
                saved_by=saved.by,
            )

    def save_draft(
        self, snapshot: VersionSnapshot, *, revision: int | None = None, base: VersionSnapshot | None = None
    ) -> int:
        """Store a draft: its whole tree, or with ``base`` only what differs from that.

        The order of ``nodes`` is the order of siblings: sequences that disagree with it are renumbered. Scales
        that come along and are new or differ (from ``base``, or from what is stored) are stored too; with
        ``base``, one that the draft did not have stays as it is stored. Without
        ``base``, nodes and bands that have no id, or one that another version owns, get a new one; with
        it they are refused, since the caller's next ``base`` could not name them.

        Args:
            snapshot: ``id`` names the draft; number, status and rubric are not looked at.
            revision: the revision the caller last read or saved; None overwrites whatever is there.
            base: the draft as the caller read it, or gave it to its last save, at ``revision``; it is not
                looked at without one.

        Returns:
            the draft's revision after the save: the same one when nothing differs from ``base``.

        Raises:
            StaleDraftError: ``revision`` is not the stored one; what is stored comes with the error.
            VersionFrozenError: the version is no draft.
            InvalidInputError: a tree that cannot be stored (see ``trees.prepared``).
        """
        self._require(Role.AUTHOR, doing="change rubrics")
        with self._write() as connection:
            head = rubrics.version_head(connection, snapshot.id)
            if head is None:
                raise NotFoundError(
                    f'There is no draft "{snapshot.id}".',
                    remedy="It may have been discarded; start a new one.",
                )
            if head.status is not VersionStatus.DRAFT:
                raise VersionFrozenError
            if revision is not None and revision != head.revision:
                raise self._stale(connection, head)
            changes = None
            if base is not None and revision is not None:
                changes = tree_changes(base, snapshot)
                if changes is not None and changes.is_empty:
                    return head.revision
            if changes is None or not self._save_changes(connection, changes, head):
                scales_changed = self._save_tree(connection, snapshot, head)
            else:
                scales_changed = bool(changes.scales or changes.brought)
        if scales_changed:
            self._versions.forget()
        return head.revision + 1

    def _stale(self, connection: Connection, head: VersionHead) -> StaleDraftError:
        saved = rubrics.last_save(connection, head.id)
        who = f"{saved.by}" if saved.by else "someone else"
        return StaleDraftError(
            f'The draft of "{head.rubric_name}" was saved by {who} in the meantime.',
            revision=head.revision,
            stored=self._snapshot(connection, head.id),
            saved_by=saved.by,
            saved_at=saved.at,
            remedy="Read it again, or save over it without a revision.",
        )

    def _save_tree(self, connection: Connection, snapshot: VersionSnapshot, head: VersionHead) -> bool:
        """Store the whole. Returns whether a stored scale changed with it."""
        scales_changed = self._save_scales(connection, snapshot.scales)
        known = scales.load_scales(connection)
        ready = prepared(
            msgspec.structs.replace(snapshot, scales=known),
            taken=trees.ids_of_other_versions(
                connection,
                snapshot.id,
                nodes=[node.id for node in snapshot.nodes],
                bands=[band.id for band in snapshot.bands],
            ),
            new_id=self._new_id,
        )
        levels = {level.id for scale in known for level in scale.levels}
        for node in ready.nodes:
            for anchor in node.anchors:
                if anchor.scale_level_id and anchor.scale_level_id not in levels:
                    raise _no_level(node.key, anchor.scale_level_id)
        trees.replace_tree(
            connection,
            ready,
            revision=head.revision + 1,
            new_id=self._new_id,
            saved_at=self._clock(),
            saved_by=self.user.name,
        )
        return scales_changed

    def _save_changes(self, connection: Connection, changes: TreeChanges, head: VersionHead) -> bool:
        """Store what differs. False, with nothing settled, when the stored tree is not what the caller had."""
        self._check_new_ids(connection, changes, head)
        self._save_scales(connection, changes.scales)
        self._save_scales(connection, changes.brought, but_stored=True)
        exact = self._check_references(connection, changes)
        if exact is None:
            return False
        trees.put_header(
            connection,
            head.id,
            changes.header,
            revision=head.revision + 1,
            saved_at=self._clock(),
            saved_by=self.user.name,
        )
        # Keys may be traded, and children taken out of what goes: so first keys are freed, then new groups
        # come, then what stays moves, and last what goes, goes.
        trees.park_keys(connection, changes.parked)
        trees.add_nodes(connection, head.id, changes.added, new_id=self._new_id)
        whole = trees.change_nodes(
            connection, head.id, ((change.node.id, change.columns) for change in changes.changed)
        )
        if not whole:
            return False
        rewritten = [change.node for change in changes.changed if change.rewrite]
        trees.rewrite_anchors(connection, rewritten, new_id=self._new_id)
        trees.remove_nodes(connection, changes.removed)
        added, changed, removed = changes.bands
        trees.put_bands(connection, head.id, added=added, changed=changed, removed=removed)
        return True

    def _check_new_ids(self, connection: Connection, changes: TreeChanges, head: VersionHead) -> None:
        nodes, bands = [node.id for node in changes.added], [band.id for band in changes.bands[0]]
        if not nodes and not bands:
            return
        taken = trees.ids_of_other_versions(connection, head.id, nodes=nodes, bands=bands)
        if taken:
            keys = [node.key for node in changes.added if node.id in taken]
            what = f'criterion "{keys[0]}"' if keys else "a band"
            raise InvalidInputError(
                f"The id of {what} is that of one in another version.", remedy="Give it an id of its own."
            )

    @staticmethod
    def _check_references(connection: Connection, changes: TreeChanges) -> bool | None:
        """Whether everything referred to is there; None when a scale's id is written in another way."""
        if changes.scale_ids:
            known = scales.known_scales(connection)
            folded = {fold_id(id) for id in known}
            for scale_id, key in changes.scale_ids.items():
                if scale_id not in known:
                    if fold_id(scale_id) in folded:
                        return None
                    raise InvalidInputError(
                        f'Criterion "{key}" uses a scale that is not there ({scale_id}).',
                        remedy="Save the scale first, or choose another.",
                    )
        missing = changes.level_ids.keys() - scales.known_levels(connection, changes.level_ids)
        for level_id in sorted(missing):
            raise _no_level(changes.level_ids[level_id], level_id)
        return True

    def start_draft(self, rubric: str) -> VersionSnapshot:
        """A draft cloned from the latest Published version (the latest Retired when none is Published).

        Nodes, anchors and bands get new ids; scales are shared.

        Raises:
            StateError: the rubric has a draft already.
        """
        self._require(Role.AUTHOR, doing="change rubrics")
        with self._write() as connection:
            head = self._find_rubric(connection, rubric)
            version_id = self._start_draft(connection, head, self._new_id())
            return self._snapshot(connection, version_id)

    def _start_draft(self, connection: Connection, rubric: RubricHead, version_id: str) -> str:
        heads = rubrics.version_heads(connection, rubric.id)
        if any(head.status is VersionStatus.DRAFT for head in heads):
            raise StateError(
                f'"{rubric.name}" has a draft already.', remedy="Go on with it, publish it, or discard it."
            )
        published = [head for head in heads if head.status is VersionStatus.PUBLISHED]
        source = next(iter(published or heads), None)
        self._add_draft(connection, rubric.id, version_id, based_on=source.id if source else None)
        if source is not None:
            clone = cloned(self._snapshot(connection, source.id), version_id=version_id, new_id=self._new_id)
            trees.replace_tree(connection, clone, revision=0, new_id=self._new_id)
        return version_id

    def _add_draft(
        self, connection: Connection, rubric_id: str, version_id: str, *, based_on: str | None
    ) -> None:
        rubrics.add_draft(
            connection,
            id=version_id,
            rubric_id=rubric_id,
            based_on_id=based_on,
            created_at=self._clock(),
            created_by=self.user.name,
        )

    def discard_draft(self, rubric: str) -> None:
        """Delete the draft of a rubric. The rubric stays, with its published versions.

        Raises:
            StateError: it has none.
        """
        self._require(Role.AUTHOR, doing="discard drafts")
        with self._write() as connection:
            head = self._find_rubric(connection, rubric)
            rubrics.delete_draft(connection, self._draft_of(connection, head).id)

    def draft_revision(self, rubric: str) -> int:
        """The revision of a rubric's draft, to be given back to ``save_draft``."""
        with self._read() as connection:
            return self._draft_of(connection, self._find_rubric(connection, rubric)).revision

    @staticmethod
    def _draft_of(connection: Connection, rubric: RubricHead) -> VersionHead:
        for head in rubrics.version_heads(connection, rubric.id):
            if head.status is VersionStatus.DRAFT:
                return head
        raise StateError(f'"{rubric.name}" has no draft.', remedy="Start one first.")

    @staticmethod
    def _base_of(connection: Connection, rubric_id: str) -> VersionHead | None:
        """What a draft is compared with: the highest Published or Retired version."""
        heads = rubrics.version_heads(connection, rubric_id)
        return next((head for head in heads if head.status is not VersionStatus.DRAFT), None)


def _no_level(key: str, level_id: str) -> InvalidInputError:
    return InvalidInputError(
        f'An anchor of "{key}" is for a level that no scale has ({level_id}).',
        remedy="Write it for a level of the criterion's scale.",
    )
