"""A small, fixed world for the tests of scales, versions and publishing: a stand-in engine an author may write to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec
from shell_world import ME, NOW, NUMERIC, RUBRICS, SCALE, StandIn, version

from rubrictui.core import editing
from rubrictui.core.authoring_records import RubricDraft, ScaleUse, VersionCard
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Bump, Scale, VersionSnapshot, VersionStatus
from rubrictui.core.records import Category, Role, RubricSummary, VersionSummary
from rubrictui.core.versions import diff_versions

AUTHOR = msgspec.structs.replace(ME, roles=(Role.AUTHOR,))

PERCENT = msgspec.structs.replace(
    NUMERIC, id="s-pct", name="Percentage", min_value=0, max_value=100, higher_is_better=True
)
QUALITY = msgspec.structs.replace(
    SCALE,
    id="s-quality",
    name="Quality [b]draft[/b]",
    description="How well it is made.",
    levels=tuple(
        msgspec.structs.replace(level, id=f"q-{place}", description=text)
        for place, (level, text) in enumerate(
            zip(SCALE.levels, ("Not there.", "There in part.", "All there, and sound."), strict=True)
        )
    ),
)

USES: dict[str, tuple[ScaleUse, ...]] = {
    SCALE.id: (
        ScaleUse(
            rubric_id="r-vendor",
            rubric_name="Vendor proposal",
            version_id="v-2.0.0",
            version_number=None,
            status=VersionStatus.DRAFT,
            criteria_count=4,
        ),
        ScaleUse(
            rubric_id="r-vendor",
            rubric_name="Vendor proposal",
            version_id="v-1.2.0",
            version_number="1.2.0",
            status=VersionStatus.PUBLISHED,
            criteria_count=4,
        ),
    ),
    NUMERIC.id: (),
    PERCENT.id: (),
    QUALITY.id: (),
}


def old_version() -> VersionSnapshot:
    return version("1.2.0")


def new_draft() -> VersionSnapshot:
    """The draft after 1.2.0: a weight, a moved node, reworded texts, a new threshold."""
    draft = msgspec.structs.replace(
        version("1.2.0"),
        id="v-2.0.0",
        status=VersionStatus.DRAFT,
        major_version=None,
        minor_version=None,
        patch_version=None,
    )
    draft = editing.set_node(draft, "n-price", weight=5).version
    draft = editing.set_node(draft, "n-enc", description="Data at rest, in transit and in backups.").version
    draft = editing.set_anchor(
        draft, "n-enc", "l-partial", "In transit only, or at rest without saying who holds the keys."
    ).version
    draft = editing.move(draft, "n-tone", -2).version
    draft = editing.move_to(draft, "n-days", None).version
    return editing.set_version(draft, pass_threshold=0.65).version


@dataclass
class AuthorStandIn(StandIn):
    """What the screens of an author ask of the engine; fields are the store."""

    user: Any = AUTHOR
    kept: dict[str, Scale] = field(
        default_factory=lambda: {s.id: s for s in (SCALE, NUMERIC, PERCENT, QUALITY)}
    )
    draft: VersionSnapshot = field(default_factory=new_draft)
    retired: set[str] = field(default_factory=lambda: {"v-1.1.0"})
    has_draft: bool = True

    # -- scales

    def scales(self) -> tuple[Scale, ...]:
        return tuple(self.kept.values())

    def all_scale_uses(self) -> dict[str, tuple[ScaleUse, ...]]:
        return {own: USES.get(own, ()) for own in self.kept}

    def scale_uses(self, scale: str) -> tuple[ScaleUse, ...]:
        return USES.get(scale, ())

    def save_scale(self, scale: Scale) -> Scale:
        if not scale.name:
            raise RubrictuiError("A scale needs a name.", remedy="Type one.")
        scale = msgspec.structs.replace(scale, id=scale.id or "s-new")
        self.calls.append(f"save {scale.name}")
        self.kept[scale.id] = scale
        return scale

    def duplicate_scale(self, scale: str, name: str) -> Scale:
        self.calls.append(f"duplicate {scale} {name}")
        copy = msgspec.structs.replace(self.kept[scale], id=f"{scale}-copy", name=name)
        self.kept[copy.id] = copy
        return copy

    def delete_scale(self, scale: str) -> None:
        self.calls.append(f"delete {scale}")
        del self.kept[scale]

    # -- versions

    def version_cards(self, rubric: str) -> tuple[VersionCard, ...]:
        versions = self.rubric(rubric).versions
        cards = []
        for summary in versions:
            if summary.status is VersionStatus.DRAFT and not self.has_draft:
                continue
            status = VersionStatus.RETIRED if summary.id in self.retired else summary.status
            shown = msgspec.structs.replace(
                summary,
                status=status,
                created_by="m.ruiz",
                published_by=None if summary.status is VersionStatus.DRAFT else "a.dumont",
                applied_bump=None if summary.status is VersionStatus.DRAFT else Bump.MINOR,
                retired_at=NOW - timedelta(days=9) if status is VersionStatus.RETIRED else None,
            )
            changes = (
                diff_versions(old_version(), self.draft).changes
                if summary.status is VersionStatus.DRAFT
                else ()
            )
            cards.append(
                VersionCard(summary=shown, changes=changes, based_on_number="1.2.0" if changes else None)
            )
        return tuple(cards)

    def two_versions(self, rubric: str, a: str, b: str) -> tuple[VersionSnapshot, VersionSnapshot]:
        found = {"v-2.0.0": self.draft, "v-1.2.0": old_version(), "v-1.1.0": version("1.1.0")}
        return found[a], found[b]

    def open_rubric_draft(self, rubric: str) -> RubricDraft:
        return RubricDraft(
            version=self.draft,
            revision=7,
            published=old_version(),
            based_on=old_version(),
            evaluation_count=12,
        )

    def publish(
        self, rubric: str, *, requested_bump: Bump | None, summary: str, revision: int | None
    ) -> VersionSummary:
        self.calls.append(f"publish {requested_bump} {summary} {revision}")
        return self.catalog[0].versions[1]

    def start_draft(self, rubric: str) -> VersionSnapshot:
        self.calls.append(f"start {rubric}")
        self.has_draft = True
        return self.draft

    def discard_draft(self, rubric: str) -> None:
        self.calls.append(f"discard {rubric}")
        self.has_draft = False

    def retire(self, version_id: str) -> None:
        self.calls.append(f"retire {version_id}")
        self.retired.add(version_id)

    def restore(self, version_id: str) -> None:
        self.calls.append(f"restore {version_id}")
        self.retired.discard(version_id)

    # -- the catalog

    def categories(self) -> tuple[Category, ...]:
        return (Category(id="c1", name="Procurement"), Category(id="c2", name="Research"))

    def set_category(self, rubric: str, category: str | None) -> RubricSummary:
        return self._change(rubric, category=category)

    def rename_rubric(self, rubric: str, name: str) -> RubricSummary:
        if any(each.name == name for each in self.catalog):
            raise RubrictuiError(f'There is a rubric "{name}" already.', remedy="Choose another name.")
        return self._change(rubric, name=name)

    def _change(self, rubric: str, **changes: Any) -> RubricSummary:
        self.calls.append(f"change {rubric} {changes}")
        self.catalog = tuple(
            msgspec.structs.replace(each, **changes) if each.id == rubric else each for each in self.catalog
        )
        return self.rubric(rubric)


__all__ = ["AUTHOR", "RUBRICS", "AuthorStandIn", "new_draft", "old_version"]
