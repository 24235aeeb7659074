"""What the resolvers share: the names of a whole load, and errors that know their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rubrictui.core.model import Scale, VersionSnapshot
from rubrictui.core.records import Category
from rubrictui.interchange.building import Builder
from rubrictui.interchange.documents import ME, RubricFile
from rubrictui.interchange.places import Position

FORMAT = 1

CategoryLookup = Callable[[str], Category | None]
ScaleLookup = Callable[[str], Scale | None]
VersionLookup = Callable[[str], VersionSnapshot | None]


class Names:
    """What the files of one load define, and where to look for what they do not."""

    def __init__(
        self,
        scales: ScaleLookup | None,
        versions: VersionLookup | None,
        categories: CategoryLookup | None = None,
    ) -> None:
        self._category_lookup = categories
        self._scale_lookup = scales
        self._version_lookup = versions
        self.scales_by_name: dict[str, Scale] = {}
        self.scales_by_id: dict[str, Scale] = {}
        self.categories: dict[str, Category] = {}
        self.rubrics: dict[str, RubricFile] = {}
        self.versions_by_id: dict[str, RubricFile] = {}
        # Ids of scales and versions whose documents had errors: nothing is checked against them.
        self.damaged: set[str] = set()
        # Names and ids of documents that could not be built at all: nothing is said about who uses them.
        self.broken: set[str] = set()
        self.knows_rubrics = versions is not None
        self.users: set[str] = {ME}
        self.contexts: set[str] = set()
        self.subjects: set[str] = set()
        self.ids: dict[tuple[str, str], tuple[str, Position]] = {}

    def scale(self, *, name: str | None = None, scale_id: str | None = None) -> Scale | None:
        wanted = name if name is not None else scale_id
        if wanted is None:
            return None
        found = (self.scales_by_name if name is not None else self.scales_by_id).get(wanted)
        if found is None and self._scale_lookup is not None:
            found = self._scale_lookup(wanted)
        return found

    def category(self, id_or_name: str) -> Category | None:
        """By id, or by name ignoring case."""
        found = self.categories.get(id_or_name) or self.categories.get(id_or_name.strip().casefold())
        if found is None and self._category_lookup is not None:
            found = self._category_lookup(id_or_name)
        return found

    def stored_version(self, version_id: str) -> VersionSnapshot | None:
        """The version with this id in the store, when there is a store to ask."""
        found = self._version_lookup(version_id) if self._version_lookup is not None else None
        return found if found is not None and found.id == version_id else None

    def version(self, rubric: str) -> VersionSnapshot | None:
        in_files = self.rubrics.get(rubric.strip().casefold())
        if in_files is not None:
            return in_files.snapshot
        return self._version_lookup(rubric) if self._version_lookup is not None else None


class Resolver:
    """Turns the shapes of one file into documents."""

    def __init__(self, builder: Builder, names: Names) -> None:
        self.builder = builder
        self.findings = builder.findings
        self.names = names

    def error(self, code: str, message: str, shape: object, field: str | None = None) -> None:
        self.findings.add(code, message, self.builder.place(shape, field))

    def warn(self, code: str, message: str, shape: object, field: str | None = None) -> None:
        self.findings.warn(code, message, self.builder.place(shape, field))

    def check_format(self, shape: Any) -> None:
        if shape.format != FORMAT:
            self.error(
                "format",
                f"format {shape.format} is newer than this program reads ({FORMAT}). Upgrade rubrictui.",
                shape,
                "format",
            )

    def own_id(self, kind: str, shape: Any) -> None:
        """Refuse an id that another record of the same kind has."""
        at = self.builder.place(shape, "id")
        earlier = self.names.ids.setdefault((kind, shape.id), (self.findings.file, at))
        if earlier != (self.findings.file, at):
            self.findings.add(
                "duplicate_id", f"{kind} id {shape.id} was used before, at {earlier[0]}:{earlier[1][0]}.", at
            )

    def known_version(self, name: str | None, shape: Any) -> VersionSnapshot | None:
        if name is None:
            return None
        version = self.names.version(name)
        if version is not None and version.id in self.names.damaged:
            return None
        if version is None and name not in self.names.broken:
            if self.names.knows_rubrics:
                self.error(
                    "unknown_rubric",
                    f'there is no rubric "{name}", in these files or in the store.',
                    shape,
                    "rubric",
                )
            else:
                self.warn(
                    "unknown_rubric",
                    f'the rubric "{name}" is not in these files; it must be in the store already.',
                    shape,
                    "rubric",
                )
        return version


def choices(words: list[str]) -> str:
    if not words:
        return "There are none."
    shown = ", ".join(words[:12])
    return f"There are {shown}{', ...' if len(words) > 12 else ''}."
