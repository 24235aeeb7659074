"""Rubrics from other programs into the store: all of a file in one transaction, twice the same as once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui.core.model import Scale, Value, VersionSnapshot, VersionStatus
from rubrictui.core.records import Role
from rubrictui.core.versions import diff_versions
from rubrictui.engine.care import Care
from rubrictui.engine.errors import StateError
from rubrictui.interchange.documents import RubricFile
from rubrictui.interchange.importers.fitting import as_version_of, fitted
from rubrictui.store import rubrics, scales
from rubrictui.store.rubrics import RubricHead, VersionHead

ImportStatus = Literal["new", "unchanged", "draft", "replaced", "differs", "name_taken"]


class ImportedRubric(Value, frozen=True, kw_only=True):
    """What became (or would become) of one rubric of a file.

    ``status``: ``new``, a rubric with its first draft; ``draft``, a new draft of a rubric whose published version
    differs; ``replaced``, written over the draft there was; ``unchanged``, what is there is the same. Only a dry run
    gives ``differs`` (its draft is another) and ``name_taken`` (a rubric from elsewhere has the name).
    ``version`` is the tree on the scales of the store, ``new_scales`` the names of those that come with it, and
    ``changes`` counts the differences from what is there.
    """

    id: str
    name: str
    status: ImportStatus
    version: VersionSnapshot
    new_scales: tuple[str, ...] = ()
    changes: int = 0


class _Plan(NamedTuple):
    """``draft`` is the one to write over; without one, ``rubric`` gets a new one, or is new itself."""

    told: ImportedRubric
    fresh: tuple[Scale, ...]
    rubric: RubricHead | None
    draft: VersionHead | None
    base: VersionHead | None


class Importing(Care):
    """Taking in what other programs wrote."""

    def import_rubrics(
        self, files: Sequence[RubricFile], *, replace: bool = False, dry_run: bool = False
    ) -> tuple[ImportedRubric, ...]:
        """Store rubrics that an importer read (``interchange.importers``) as drafts, all or none.

        Scales of the store with the same levels or range are used; new ones come along. A rubric that was imported
        before is found by its id, also under another name. Criteria that carry an id of their source keep their
        keys. A rubric that is there with the same content is left alone.

        Args:
            replace: write over drafts that differ, and make the file the draft of a rubric from elsewhere that has
                its name. Published versions are never touched.
            dry_run: change nothing, only tell; conflicts are told, not raised.

        Raises:
            NotPermittedError: the user is no author (not in a dry run).
            StateError: without ``replace``, a draft that differs or a name that is taken; nothing is stored.
        """
        if dry_run:
            with self._read() as connection:
                return tuple(plan.told for plan in self._plans(connection, files, replace))
        self._require(Role.AUTHOR, doing="import rubrics")
        with self._write() as connection:
            plans = self._plans(connection, files, replace)
            refused = [plan.told for plan in plans if plan.told.status in ("differs", "name_taken")]
            if refused:
                raise _refusal(refused)
            return tuple(
                self._carry_out(connection, file, plan) for file, plan in zip(files, plans, strict=True)
            )

    def _plans(self, connection: Connection, files: Sequence[RubricFile], replace: bool) -> list[_Plan]:
        known = list(scales.load_scales(connection))
        plans: list[_Plan] = []
        for file in files:
            plan = self._plan(connection, file, known, replace)
            known += plan.fresh
            plans.append(plan)
        return plans

    def _plan(self, connection: Connection, file: RubricFile, known: Sequence[Scale], replace: bool) -> _Plan:
        fit = fitted(file, known)
        snapshot = fit.rubric.snapshot

        def plan(
            status: ImportStatus,
            version: VersionSnapshot,
            *,
            rubric: RubricHead | None = None,
            draft: VersionHead | None = None,
            base: VersionHead | None = None,
            changes: int = 0,
        ) -> _Plan:
            fresh = () if status == "unchanged" else fit.fresh
            told = ImportedRubric(
                id=rubric.id if rubric else file.id,
                name=rubric.name if rubric else file.name,
                status=status,
                version=version,
                new_scales=tuple(scale.name or "" for scale in fresh),
                changes=changes,
            )
            return _Plan(told, fresh, rubric, draft, base)

        rubric = rubrics.find_rubric(connection, file.id) or rubrics.find_rubric(connection, file.name)
        if rubric is None:
            return plan("new", snapshot)
        heads = rubrics.version_heads(connection, rubric.id)
        draft = next((head for head in heads if head.status is VersionStatus.DRAFT), None)
        base = next((head for head in heads if head.status is not VersionStatus.DRAFT), None)
        stored = [self._snapshot(connection, head.id) for head in (draft, base) if head is not None]
        known_id = rubrics.version_head(connection, snapshot.id) is not None
        version_id = draft.id if draft else self._new_id() if known_id else snapshot.id
        version = as_version_of(fit.rubric, version_id, stored)
        changes = len(diff_versions(stored[0], version).changes) if stored else 0
        if stored and not changes:
            return plan("unchanged", stored[0], rubric=rubric)
        if rubric.id != file.id and not replace:
            return plan("name_taken", version, rubric=rubric, changes=changes)
        if draft is not None:
            status: ImportStatus = "replaced" if replace else "differs"
            return plan(status, version, rubric=rubric, draft=draft, changes=changes)
        return plan("draft", version, rubric=rubric, base=base, changes=changes)

    def _carry_out(self, connection: Connection, file: RubricFile, plan: _Plan) -> ImportedRubric:
        told = plan.told
        if told.status == "unchanged":
            return told
        if plan.rubric is None:
            self._create_rubric(
                connection,
                file.name,
                category=file.category,
                description=file.description,
                id=file.id,
                version_id=told.version.id,
            )
        elif plan.draft is None:
            self._add_draft(
                connection, plan.rubric.id, told.version.id, based_on=plan.base.id if plan.base else None
            )
        head = rubrics.version_head(connection, told.version.id)
        assert head is not None
        self._save_tree(connection, msgspec.structs.replace(told.version, scales=plan.fresh), head)
        return told


def _refusal(refused: Sequence[ImportedRubric]) -> StateError:
    first = refused[0]
    more = f" ({len(refused) - 1} more are in the way too)" if len(refused) > 1 else ""
    if first.status == "name_taken":
        return StateError(
            f'There is a rubric "{first.name}" already that is not from this kind of file.{more}',
            remedy="Give this one another name with --name, or make it a draft of that one with --replace.",
        )
    count = f"{first.changes} difference{'' if first.changes == 1 else 's'}"
    return StateError(
        f'"{first.name}" has a draft that is not what the file holds ({count}).{more}',
        remedy="Keep the draft, or write the file over it with --replace.",
    )
