"""Making rubrics: scales, drafts, publishing, retiring. All of it takes the role author."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection

from rubrictui.core import canonical
from rubrictui.core.authoring import Problem, publish_problems
from rubrictui.core.model import Bump, Scale, VersionSnapshot, VersionStatus
from rubrictui.core.records import Category, Role, RubricSummary, VersionSummary
from rubrictui.core.versions import VersionDiff, diff_versions
from rubrictui.engine.base import named
from rubrictui.engine.catalog import Catalog
from rubrictui.engine.errors import (
    NameTakenError,
    NotFoundError,
    PublishRefusedError,
    StaleDraftError,
    StateError,
)
from rubrictui.engine.trees import cloned, prepared, prepared_scale
from rubrictui.store import access, rubrics, scales
from rubrictui.store.rubrics import RubricHead, VersionHead


class Authoring(Catalog):
    """Writing definitions. Each call is one transaction."""

    # -- scales and categories -----------------------------------------------------------------------

    def save_scale(self, scale: Scale) -> Scale:
        """Store a scale, or change the one with its id; missing ids are given.

        Returns:
            the scale as it is stored.

        Raises:
            NotPermittedError: the user is no author.
            InvalidInputError: levels or a range that make no scale.
            NameTakenError: another scale has its name, ignoring case.
            ScaleFrozenError, ScaleLevelFrozenError: a published version uses it, and more than the
                description of a level changes.
        """
        self._require(Role.AUTHOR, doing="change scales")
        ready = prepared_scale(scale, new_id=self._new_id)
        with self._write() as connection:
            self._put_scale(connection, ready)
        self._versions.forget()
        return ready

    def _put_scale(self, connection: Connection, scale: Scale) -> None:
        if scale.name is not None:
            same = scales.find_scale(connection, scale.name)
            if same is not None and same.id != scale.id and same.name:
                raise NameTakenError(
                    f'There is a scale "{same.name}" already.', remedy="Use it, or choose another name."
                )
        scales.put_scale(connection, scale)

    def save_category(self, name: str, *, description: str | None = None, sequence: int = 0) -> Category:
        """Store a category, or change the one with this name (ignoring case)."""
        self._require(Role.AUTHOR, doing="change categories")
        with self._write() as connection:
            return self._put_category(connection, name, description=description, sequence=sequence)

    def _put_category(
        self, connection: Connection, name: str, *, description: str | None = None, sequence: int = 0
    ) -> Category:
        title = named(name, "category")
        known = {category.name.casefold(): category for category in rubrics.categories(connection)}
        stored = known.get(title.casefold())
        category = Category(
            id=stored.id if stored else self._new_id(),
            name=title,
            description=description,
            sequence=sequence,
        )
        rubrics.put_category(connection, category)
        return category

    # -- drafts --------------------------------------------------------------------------------------

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
        category_id = None
        if category is not None and category.strip():
            known = {c.name.casefold(): c.id for c in rubrics.categories(connection)}
            category_id = known.get(category.strip().casefold())
            if category_id is None:
                category_id = self._put_category(connection, category).id
        rubric_id = id or self._new_id()
        rubrics.add_rubric(
            connection,
            id=rubric_id,
            name=title,
            category_id=category_id,
            description=description,
            created_at=self._clock(),
            created_by=self.user.name,
        )
        self._add_draft(connection, rubric_id, version_id or self._new_id(), based_on=None)
        return self._find_rubric(connection, rubric_id)

    def save_draft(self, snapshot: VersionSnapshot, *, revision: int | None = None) -> int:
        """Replace the whole tree of a draft, and store the scales it brings along.

        Nodes and bands without an id get one; those with an id that another version owns get a new one.
        The order of ``nodes`` is the order of siblings: sequences that disagree with it are renumbered. Of
        ``snapshot.scales`` only those that are new or differ are written.

        Args:
            snapshot: ``id`` names the draft; number, status and rubric are not looked at.
            revision: the revision the caller last read or saved; None overwrites whatever is there.

        Returns:
            the draft's revision after the change.

        Raises:
            StaleDraftError: ``revision`` is not the stored one.
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
            if head.status is VersionStatus.DRAFT and revision is not None and revision != head.revision:
                raise StaleDraftError(
                    f'The draft of "{head.rubric_name}" was saved by someone else in the meantime.',
                    revision=head.revision,
                    remedy="Read it again, or save over it without a revision.",
                )
            changed = self._save_tree(connection, snapshot, head)
        if changed:
            self._versions.forget()
        return head.revision + 1

    def _save_tree(self, connection: Connection, snapshot: VersionSnapshot, head: VersionHead) -> bool:
        """Returns whether a stored scale changed with it."""
        scales_changed = self._save_scales(connection, snapshot.scales)
        known = scales.load_scales(connection)
        ready = prepared(
            msgspec.structs.replace(snapshot, scales=known),
            taken=rubrics.ids_of_other_versions(connection, snapshot),
            new_id=self._new_id,
        )
        self._check_anchors(ready)
        rubrics.replace_tree(connection, ready, revision=head.revision + 1, new_id=self._new_id)
        return scales_changed

    def _save_scales(self, connection: Connection, given: tuple[Scale, ...]) -> bool:
        stored = {scale.id: scale for scale in scales.load_scales(connection, {s.id for s in given})}
        changed = False
        for scale in given:
            ready = prepared_scale(scale, new_id=self._new_id)
            if ready != stored.get(scale.id):
                self._put_scale(connection, ready)
                changed = True
        return changed

    @staticmethod
    def _check_anchors(snapshot: VersionSnapshot) -> None:
        levels = {level.id for scale in snapshot.scales for level in scale.levels}
        for node in snapshot.nodes:
            for anchor in node.anchors:
                if anchor.scale_level_id and anchor.scale_level_id not in levels:
                    raise NotFoundError(
                        f'An anchor of "{node.key}" is for a level that no scale has ({anchor.scale_level_id}).',
                        remedy="Write it for a level of the criterion's scale.",
                    )

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
            rubrics.replace_tree(connection, clone, revision=0, new_id=self._new_id)
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

    # -- publishing ----------------------------------------------------------------------------------

    def publish_preview(self, rubric: str, *, requested_bump: Bump | None = None) -> VersionDiff:
        """What publishing the draft now would be called, and why; nothing is checked or changed."""
        with self._read() as connection:
            head = self._draft_of(connection, self._find_rubric(connection, rubric))
            return self._diff_to_base(connection, head, requested_bump)[1]

    def publish(
        self, rubric: str, *, requested_bump: Bump | None = None, summary: str = ""
    ) -> VersionSummary:
        """Freeze the draft as the next version (guide section 7).

        One transaction validates it, compares it with its base (the highest Published or Retired version),
        gives it its number and both hashes, stores what changed, and freezes it.

        Args:
            requested_bump: a higher bump than the changes make; a lower one is ignored.
            summary: one line on what changed, for people.

        Raises:
            PublishRefusedError: it has problems, all listed, or is identical to its base.
            StateError: there is no draft.
        """
        self._require(Role.AUTHOR, doing="publish versions")
        with self._write() as connection:
            draft = self._draft_of(connection, self._find_rubric(connection, rubric))
            self._publish(connection, draft, requested_bump, summary)
            versions = self._rubric_summary(connection, draft.rubric_id).versions
            return next(version for version in versions if version.id == draft.id)

    def _publish(
        self, connection: Connection, draft: VersionHead, requested: Bump | None, summary: str
    ) -> None:
        snapshot, diff = self._diff_to_base(connection, draft, requested)
        problems = tuple(problem for problem in publish_problems(snapshot) if problem.blocks)
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            raise PublishRefusedError(
                f'The draft of "{draft.rubric_name}" cannot be published: {problems[0].message}{more}',
                problems=problems,
                remedy=problems[0].remedy or "Correct the draft, then publish it again.",
            )
        if diff.applied_bump is None or diff.next_version is None:
            same = Problem(
                code="identical", severity="error", message="The draft has no change from its base."
            )
            raise PublishRefusedError(
                f'The draft of "{draft.rubric_name}" is identical to its base.',
                problems=(same,),
                remedy="Make a change, or discard the draft.",
            )
        rubrics.publish_version(
            connection,
            draft.id,
            {
                "major_version": diff.next_version.major,
                "minor_version": diff.next_version.minor,
                "patch_version": diff.next_version.patch,
                "content_hash": canonical.content_hash(snapshot),
                "scoring_hash": canonical.scoring_hash(snapshot),
                "computed_bump": diff.computed_bump.value if diff.computed_bump else None,
                "applied_bump": diff.applied_bump.value,
                "change_summary": summary.strip() or None,
                "change_details": msgspec.to_builtins(diff.changes),
                "published_at": self._clock(),
                "published_by": self.user.name,
            },
        )

    def _diff_to_base(
        self, connection: Connection, draft: VersionHead, requested: Bump | None
    ) -> tuple[VersionSnapshot, VersionDiff]:
        heads = rubrics.version_heads(connection, draft.rubric_id)
        base = next((head for head in heads if head.status is not VersionStatus.DRAFT), None)
        snapshot = self._snapshot(connection, draft.id)
        # Read anew: both sides must show the same wording of the scale they share.
        base_snapshot = rubrics.load_snapshot(connection, base.id) if base else None
        return snapshot, diff_versions(base_snapshot, snapshot, requested)

    def retire(self, version_ref: str) -> VersionSummary:
        """Take a published version out of use. Its evaluations stay valid.

        Raises:
            StateError: it is not Published.
        """
        return self._set_retired(version_ref, retired=True)

    def restore(self, version_ref: str) -> VersionSummary:
        """Put a retired version back in use.

        Raises:
            StateError: it is not Retired.
        """
        return self._set_retired(version_ref, retired=False)

    def _set_retired(self, version_ref: str, *, retired: bool) -> VersionSummary:
        self._require(Role.AUTHOR, doing="retire or restore versions")
        needed = VersionStatus.PUBLISHED if retired else VersionStatus.RETIRED
        with self._write() as connection:
            head = self._find_version(connection, version_ref)
            if head.status is not needed:
                raise StateError(
                    f'Version {head.number or "draft"} of "{head.rubric_name}" is {head.status.value}.',
                    remedy=f"Only a {needed.value} version can be {'retired' if retired else 'restored'}.",
                )
            rubrics.set_retired(connection, head.id, self._clock() if retired else None)
            versions = self._rubric_summary(connection, head.rubric_id).versions
            return next(version for version in versions if version.id == head.id)

    def _rubric_summary(self, connection: Connection, rubric_id: str) -> RubricSummary:
        head = self._find_rubric(connection, rubric_id)
        counts = access.counts_by_version(connection, self.user)
        versions = rubrics.version_summaries(connection, [rubric_id], counts=counts)
        return RubricSummary(
            id=head.id,
            name=head.name,
            description=head.description,
            category=head.category,
            versions=versions.get(rubric_id, ()),
        )
