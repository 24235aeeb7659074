"""The catalog: the rubrics of the store by category, with their versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType

from rubrictui.core.model import VersionStatus
from rubrictui.core.records import Role, RubricSummary, VersionSummary
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import ListScreen
from rubrictui.screens.catalog_work import CatalogWork
from rubrictui.screens.opening_work import score_any
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

COLUMNS: tuple[Column, ...] = (
    Column("Rubric", share=3, minimum=20),
    Column("Version", width=8),
    Column("Status", width=9),
    Column("Criteria", width=8, right=True, drop=2),
    Column("Scored", width=7, right=True, drop=1),
    Column("Since", width=10, drop=3),
)

EMPTY = "There is no rubric yet. An author makes one, or loads one: rubrictui load FILE."
EMPTY_FOR_AUTHORS = "There is no rubric yet: a makes one here, rubrictui load FILE brings one."
NO_CATEGORY = "Without a category"
TONES = {VersionStatus.DRAFT: "warning", VersionStatus.PUBLISHED: "success", VersionStatus.RETIRED: "muted"}


def catalog_rows(rubrics: Sequence[RubricSummary], *, all_versions: bool) -> list[Row]:
    """The catalog as rows, by category and name. A row's id is ``rubric id/version id``.

    Args:
        rubrics: what the store has.
        all_versions: a row for every version; else one a rubric, with the version that scores now (or the draft).
    """
    rows: list[Row] = []
    for rubric in sorted(
        rubrics, key=lambda r: (r.category is None, (r.category or "").casefold(), r.name.casefold())
    ):
        section = rubric.category or NO_CATEGORY
        chosen = rubric.latest_published or (rubric.versions[0] if rubric.versions else None)
        versions = rubric.versions if all_versions else ((chosen,) if chosen else ())
        if not versions:
            rows.append(Row(id=f"{rubric.id}/", cells=(rubric.name, "", "no version"), section=section))
        for place, version in enumerate(versions):
            more = len(rubric.versions) - 1
            name = rubric.name if place == 0 else "└"
            if not all_versions and more:
                name += f"  (+{more})"
            rows.append(_version_row(rubric, version, name, section, indent=0 if place == 0 else 2))
    return rows


def _version_row(
    rubric: RubricSummary, version: VersionSummary, name: str, section: str, *, indent: int
) -> Row:
    since = version.retired_at or version.published_at or version.created_at
    return Row(
        id=f"{rubric.id}/{version.id}",
        cells=(
            name,
            version.number or "draft",
            version.status.value,
            str(version.criteria_count),
            str(version.evaluation_count),
            f"{since:%Y-%m-%d}" if since else "",
        ),
        section=section,
        tone="muted" if version.status is VersionStatus.RETIRED else "",
        tones=("", "", TONES[version.status]),
        indent=indent,
        search=f"{rubric.name} {rubric.description or ''}",
    )


class CatalogScreen(ListScreen[None], CatalogWork):
    """The rubrics of the store."""

    TITLE = "Catalog"
    COLUMNS = COLUMNS
    READING = "Reading the catalog ..."
    HELP = (
        "The rubrics by category. One line a rubric shows the version that scores now, and in brackets how many "
        "more there are; v shows them all. Scored counts the evaluations you may see. Enter opens a version to read, b "
        "shows the versions of a rubric as cards. Authors make rubrics (a), edit drafts (e), rename (i), sort into "
        "categories (m) and keep the answer scales (S)."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="catalog.filter",
            tooltip="Show rows with these words",
        ),
        Binding(
            "v",
            "versions",
            "Versions",
            id="catalog.versions",
            tooltip="Show all versions, or the current ones",
        ),
        Binding(
            "o",
            "score",
            "Score with it",
            id="catalog.score",
            tooltip="Pick a subject to score with this rubric",
        ),
        Binding(
            "M",
            "app.open('matters')",
            "Matters",
            show=False,
            id="catalog.matters",
            tooltip="Legal matters, scored by what a work product says",
        ),
        Binding("R", "reload", "Reload", show=False, id="catalog.reload", tooltip="Read the catalog again"),
        Binding("escape", "back", "Back", key_display="Esc", id="catalog.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Open the version to read. |
    | / | Filter. |
    | v | All versions, or one a rubric. |
    | o | Score a subject with this rubric. |
    | M | The legal matters. |
    | R | Read the catalog again. |
    | escape | Clear the filter; back. |
    """

    def __init__(self) -> None:
        super().__init__()
        self._all_versions = False

    def on_screen_resume(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the catalog again."""
        await self.read_again()

    async def read_again(self, *, rubric: str | None = None) -> None:
        """Read the catalog again, and go to a rubric."""

        def read(engine: Engine) -> tuple[tuple[RubricSummary, ...], bool]:
            return engine.rubrics(), Role.AUTHOR in engine.user.roles

        self._rubrics, self._may_write = await self.shell.ask(read)
        self._show()
        if rubric is not None:
            self._go_to_rubric(rubric)
        self.refresh_bindings()

    @property
    def current_rubric(self) -> RubricSummary | None:
        """The rubric under the cursor."""
        current = self.query_one(RowsList).current if self.is_mounted else None
        rubric_id = current.id.partition("/")[0] if current is not None else None
        return next((rubric for rubric in self._rubrics if rubric.id == rubric_id), None)

    def _show(self, cursor: str | None = None) -> None:
        listed = self.query_one(RowsList)
        listed.empty = EMPTY_FOR_AUTHORS if self._may_write else EMPTY
        listed.set_rows(catalog_rows(self._rubrics, all_versions=self._all_versions), cursor=cursor)
        versions = sum(len(rubric.versions) for rubric in self._rubrics)
        self.query_one(
            TitleBar
        ).right = f"{counted(len(self._rubrics), 'rubric')}, {counted(versions, 'version')}"
        self.query_one(FilterLine).count()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        version_id = message.row.id.partition("/")[2]
        rubric = self.current_rubric
        if rubric is None or not version_id:
            self.say("This rubric has no version to show.")
            return
        from rubrictui.screens.rubric import RubricScreen

        self.app.push_screen(RubricScreen(rubric, version_id))

    def action_versions(self) -> None:
        """Show all versions, or one a rubric."""
        current = self.query_one(RowsList).current
        self._all_versions = not self._all_versions
        self._show()
        if current is None or self.query_one(RowsList).go_to(current.id):
            return
        self._go_to_rubric(current.id.partition("/")[0])

    def _go_to_rubric(self, rubric_id: str) -> None:
        listed = self.query_one(RowsList)
        same = next((row for row in listed.rows if row.id.startswith(f"{rubric_id}/")), None)
        if same is not None:
            listed.go_to(same.id)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_score(self) -> None:
        """Pick a subject and score it with the rubric under the cursor."""
        rubric = self.current_rubric
        if rubric is None or rubric.latest_published is None:
            self.say("This rubric has no published version, so nothing can be scored with it.")
            return
        await score_any(self, rubric_id=rubric.id)


SCREEN = ScreenSpec(
    name="catalog",
    title="Catalog",
    opener=CatalogScreen,
    entries=(Entry("Catalog", "The rubrics by category and their versions", "app.open('catalog')"),),
)
