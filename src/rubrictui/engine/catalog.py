"""What there is to score with: rubrics, versions, scales, categories."""

from __future__ import annotations

from sqlalchemy import Connection

from rubrictui.core.model import Scale, VersionSnapshot, VersionStatus
from rubrictui.core.placing import as_placed
from rubrictui.core.records import Category, RubricSummary, VersionSummary
from rubrictui.core.versions import VersionDiff, diff_versions
from rubrictui.engine.base import EngineBase
from rubrictui.store import access, rubrics, scales


class Catalog(EngineBase):
    """Reading definitions. Everyone in a store may."""

    def rubrics(self, *, category: str | None = None, search: str | None = None) -> tuple[RubricSummary, ...]:
        """Every rubric by name, each with its versions: a draft first, then the highest number.

        Args:
            category: only rubrics of the category with this name, ignoring case.
            search: only rubrics that hold these words in their name, description or category.
        """
        with self._read() as connection:
            heads = rubrics.rubric_heads(connection)
            if category is not None:
                wanted = category.strip().casefold()
                heads = tuple(h for h in heads if (h.category or "").casefold() == wanted)
            for word in (search or "").casefold().split():
                heads = tuple(h for h in heads if word in _words(h))
            counts = access.counts_by_version(connection, self.user)
            narrowed = None if category is None and search is None else [h.id for h in heads]
            versions = rubrics.version_summaries(connection, narrowed, counts=counts)
        return tuple(_summary(head, versions) for head in heads)

    def rubric(self, name_or_id: str) -> RubricSummary:
        """One rubric with its versions.

        Raises:
            NotFoundError: there is none of that name or id.
        """
        with self._read() as connection:
            return self._rubric_summary(connection, self._find_rubric(connection, name_or_id).id)

    def _rubric_summary(self, connection: Connection, rubric_id: str) -> RubricSummary:
        head = self._find_rubric(connection, rubric_id)
        counts = access.counts_by_version(connection, self.user)
        return _summary(head, rubrics.version_summaries(connection, [head.id], counts=counts))

    def version(self, ref: str) -> VersionSnapshot:
        """One version, whole.

        Args:
            ref: ``Name`` (its latest Published version), ``Name@1.2.0`` (also ``@1.2`` or ``@1``: the highest
                that fits, a Published one first), ``Name@draft``, or a version id.

        Raises:
            NoPublishedVersionError: a bare name, and nothing of it is Published.
            NotFoundError: no such rubric or version.
        """
        with self._read() as connection:
            return self._snapshot(connection, self._find_version(connection, ref).id)

    def scales(self) -> tuple[Scale, ...]:
        """Every scale, by name."""
        with self._read() as connection:
            return scales.load_scales(connection)

    def categories(self) -> tuple[Category, ...]:
        """Every category, in the order their authors gave."""
        with self._read() as connection:
            return rubrics.categories(connection)

    def two_versions(self, rubric: str, a: str, b: str) -> tuple[VersionSnapshot, VersionSnapshot]:
        """Two versions of a rubric, read at one moment, so that both show the same wording of a scale they share.

        Args:
            a, b: a number, ``draft``, or a version id.
        """
        with self._read() as connection:
            head = self._find_rubric(connection, rubric)
            older, newer = (
                self._snapshot(connection, self._version_of(connection, head, word).id) for word in (a, b)
            )
        # A draft is shown as publishing it would freeze it.
        return older, as_placed(older, newer) if newer.status is VersionStatus.DRAFT else newer

    def diff(self, rubric: str, a: str, b: str) -> VersionDiff:
        """What changed from version ``a`` of a rubric to version ``b``, and the bump that makes.

        Args:
            a, b: a number, ``draft``, or a version id.
        """
        return diff_versions(*self.two_versions(rubric, a, b))


def _words(head: rubrics.RubricHead) -> str:
    return " ".join((head.name, head.description or "", head.category or "")).casefold()


def _summary(head: rubrics.RubricHead, versions: dict[str, tuple[VersionSummary, ...]]) -> RubricSummary:
    return RubricSummary(
        id=head.id,
        name=head.name,
        description=head.description,
        category=head.category,
        versions=versions.get(head.id, ()),
    )
