"""Publishing rubrics, retiring and restoring versions, and what the board of versions shows."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection

from rubrictui.core import canonical
from rubrictui.core.authoring import Problem, publish_problems
from rubrictui.core.authoring_records import VersionCard
from rubrictui.core.model import Bump, VersionSnapshot, VersionStatus
from rubrictui.core.placing import as_placed
from rubrictui.core.records import Role, VersionSummary
from rubrictui.core.versions import Change, VersionDiff, diff_versions
from rubrictui.engine.errors import PublishRefusedError, StateError
from rubrictui.engine.rubric_drafts import RubricDrafts
from rubrictui.store import rubrics, trees
from rubrictui.store.rubrics import VersionHead


class Authoring(RubricDrafts):
    """Turning drafts into versions. Each call is one transaction."""

    # -- publishing ----------------------------------------------------------------------------------

    def publish_preview(self, rubric: str, *, requested_bump: Bump | None = None) -> VersionDiff:
        """What publishing the draft now would be called, and why; nothing is checked or changed."""
        with self._read() as connection:
            head = self._draft_of(connection, self._find_rubric(connection, rubric))
            return self._diff_to_base(connection, head, requested_bump)[1]

    def publish(
        self,
        rubric: str,
        *,
        requested_bump: Bump | None = None,
        summary: str = "",
        revision: int | None = None,
    ) -> VersionSummary:
        """Freeze the draft as the next version (guide section 7).

        One transaction validates it, compares it with its base (the highest Published or Retired version),
        gives it its number and both hashes, stores what changed, and freezes it.

        Args:
            requested_bump: a higher bump than the changes make; a lower one is ignored.
            summary: one line on what changed, for people.
            revision: the revision of the draft that was looked at; None publishes whatever is there.

        Raises:
            StaleDraftError: ``revision`` is not the stored one.
            PublishRefusedError: it has problems, all listed, or is identical to its base.
            StateError: there is no draft.
        """
        self._require(Role.AUTHOR, doing="publish versions")
        with self._write() as connection:
            draft = self._draft_of(connection, self._find_rubric(connection, rubric))
            if revision is not None and revision != draft.revision:
                raise self._stale(connection, draft)
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
        # What is frozen is what was compared: siblings that stand as they stood have the numbers they had.
        trees.change_nodes(
            connection,
            draft.id,
            (
                (now.id, {"sequence": now.sequence})
                for was, now in zip(self._snapshot(connection, draft.id).nodes, snapshot.nodes, strict=True)
                if was.sequence != now.sequence
            ),
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
        base = self._base_of(connection, draft.rubric_id)
        snapshot = self._snapshot(connection, draft.id)
        # Read anew: both sides must show the same wording of the scale they share.
        base_snapshot = trees.load_snapshot(connection, base.id) if base else None
        snapshot = as_placed(base_snapshot, snapshot)
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
            at = self._clock() if retired else None
            rubrics.set_retired(connection, head.id, at, by=self.user.name if retired else None)
            versions = self._rubric_summary(connection, head.rubric_id).versions
            return next(version for version in versions if version.id == head.id)

    # -- the board -----------------------------------------------------------------------------------

    def version_cards(self, rubric: str) -> tuple[VersionCard, ...]:
        """Every version of a rubric, a draft first, then the highest number, with what changed in each.

        The changes of a draft are those that publishing it now would store.
        """
        with self._read() as connection:
            summary = self._rubric_summary(connection, self._find_rubric(connection, rubric).id)
            stored = rubrics.version_changes(connection, summary.id)
            heads = {head.id: head for head in rubrics.version_heads(connection, summary.id)}
            numbers = {version.id: version.number for version in summary.versions}
            cards = []
            for version in summary.versions:
                head = heads[version.id]
                if version.status is VersionStatus.DRAFT:
                    changes = self._diff_to_base(connection, head, None)[1].changes
                else:
                    changes = msgspec.convert(stored.get(version.id) or (), tuple[Change, ...])
                cards.append(
                    VersionCard(
                        summary=version, changes=changes, based_on_number=numbers.get(head.based_on_id or "")
                    )
                )
            return tuple(cards)
