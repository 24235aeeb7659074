"""One version of a rubric to read: its tree with weights and shares, and all that each node says."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.records import Role, RubricSummary, VersionSummary
from rubrictui.screens.base import FilteredScreen, ShellScreen
from rubrictui.screens.catalog_work import open_builder
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.opening_work import score_any
from rubrictui.screens.rubric_text import node_lines, version_lines
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.rubric_tree import ROOT, RubricTree
from rubrictui.widgets.title_bar import TitleBar

DRAFT = VersionStatus.DRAFT
VERSION_COLUMNS = (
    Column("Version", width=8),
    Column("Status", width=9),
    Column("Criteria", width=8, right=True, drop=2),
    Column("Scored", width=7, right=True, drop=1),
    Column("Since", width=10, drop=3),
    Column("What changed", minimum=12),
)


def version_rows(versions: tuple[VersionSummary, ...]) -> list[Row]:
    """The versions of one rubric to choose from."""
    rows = []
    for version in versions:
        since = version.retired_at or version.published_at or version.created_at
        rows.append(
            Row(
                id=version.id,
                cells=(
                    version.number or "draft",
                    version.status.value,
                    str(version.criteria_count),
                    str(version.evaluation_count),
                    f"{since:%Y-%m-%d}" if since else "",
                    version.change_summary or (version.applied_bump.value if version.applied_bump else ""),
                ),
            )
        )
    return rows


def version_after(before: RubricSummary, after: RubricSummary, shown: str) -> VersionSummary | None:
    """Which version to show of a rubric that may have changed: what scores now where that was shown, else the same.

    Args:
        before, after: the rubric as it was and as it is.
        shown: the id of the version that was shown; the latest one stands in where it is gone.
    """
    newest = after.latest_published or (after.versions[0] if after.versions else None)
    if before.latest_published is not None and before.latest_published.id == shown:
        return newest
    return next((version for version in after.versions if version.id == shown), newest)


class RubricScreen(FilteredScreen[None], ShellScreen[None]):
    """One version, read only.

    Args:
        rubric: the rubric, with its versions.
        version_id: the version to show first.
    """

    TITLE = "Rubric"
    HELP = (
        "A version to read. Share is a node's part of its group, Of all its part of the whole score; below a minimum "
        "or maximum no part is fixed. A gate is marked !. The pane says what the row under the cursor asks, and what "
        "each level means; on the first row it says when the whole passes, and draws the bands to scale."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Pane", id="rubric.pane", tooltip="Between the tree and the pane"),
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="rubric.filter",
            tooltip="Show rows with these words",
        ),
        Binding("e", "edit", "Edit", id="rubric.edit", tooltip="Open the rubric's draft in the builder"),
        Binding("b", "board", "Board", id="rubric.board", tooltip="The versions of the rubric as cards"),
        Binding(
            "v",
            "choose_version",
            "Versions",
            show=False,
            id="rubric.versions",
            tooltip="Show another version",
        ),
        Binding(
            "o",
            "score",
            "Score with it",
            id="rubric.score",
            tooltip="Pick a subject to score with this rubric",
        ),
        Binding("escape", "back", "Back", key_display="Esc", id="rubric.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab | Between the tree and the pane. |
    | / | Filter. |
    | e | Edit the draft of the rubric. |
    | b | The versions as cards. |
    | v | Choose another version. |
    | o | Score a subject with this rubric. |
    | escape | Clear the filter; back. |
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it

    DEFAULT_CSS = """
    RubricScreen {
        & #panes { height: 1fr; layout: vertical; }
        & RubricTree { height: 1fr; min-height: 4; }
        & DetailPane { height: 40%; border-top: solid $border; }
        &.-wide #panes { layout: horizontal; }
        &.-wide RubricTree { width: 3fr; height: 1fr; }
        &.-wide DetailPane { width: 2fr; height: 1fr; border-top: none; border-left: solid $border; }
    }
    """

    def __init__(self, rubric: RubricSummary, version_id: str) -> None:
        super().__init__()
        self._rubric = rubric
        self._version_id = version_id
        self._version: VersionSnapshot | None = None
        self._shares: dict[str, float | None] = {}
        self._may_write = False
        self._is_choosing = False

    def compose(self) -> ComposeResult:
        tree = RubricTree()
        yield TitleBar(f"rubrictui · {self._rubric.name}")
        with Container(id="panes"):
            yield tree
            yield DetailPane()
        yield FilterLine(tree)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._read(self._version_id)

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _read(self, version_id: str) -> None:
        from rubrictui.core.authoring import weight_shares

        tree = self.query_one(RubricTree)
        tree.empty = "Reading the version ..." if self._version is None else ""
        try:
            version, self._may_write = await self.shell.ask(
                lambda engine: (engine.version(version_id), Role.AUTHOR in engine.user.roles)
            )
        except RubrictuiError as error:
            tree.empty = error.message
            tree.refresh()
            raise
        self._version_id = version_id
        self._version, self._shares = version, weight_shares(version)
        self.query_one(TitleBar).right = f"{version.number or 'draft'} · {version.status.value}"
        tree.show(version, self._shares)
        self.query_one(FilterLine).count()
        self._show_detail()
        self.refresh_bindings()

    def on_screen_resume(self) -> None:
        """Look for what was edited or published meanwhile, but not after a mere choice of a version."""
        if self._is_choosing:
            self._is_choosing = False
        else:
            self._catch_up()

    @work(exit_on_error=False, exclusive=True, group="resume")
    async def _catch_up(self) -> None:
        shown = self._version
        if shown is None:
            return
        before = self._rubric
        self._rubric = await self.shell.ask(lambda engine: engine.rubric(before.id))
        wanted = version_after(before, self._rubric, self._version_id)
        if wanted is None:
            self.dismiss(None)
        elif wanted.id != self._version_id or wanted.status is not shown.status or wanted.status is DRAFT:
            self._read(wanted.id)

    def on_rows_list_highlighted(self) -> None:
        self._show_detail()

    def _show_detail(self) -> None:
        version, row = self._version, self.query_one(RubricTree).current
        if version is None or row is None:
            return
        pane = self.query_one(DetailPane)
        if row.id == ROOT:
            summary = next((v for v in self._rubric.versions if v.id == self._version_id), None)
            about = self._rubric.description
            pane.show(lambda width: version_lines(version, summary, width, about=about))
        else:
            node = next(node for node in version.nodes if node.id == row.id)
            pane.show(node_lines(version, node, self._shares))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only authors edit."""
        return action != "edit" or self._may_write

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_edit(self) -> None:
        """Open the rubric's draft in the builder."""
        rubric = await self.shell.ask(lambda engine: engine.rubric(self._rubric.id))
        await open_builder(self, rubric)

    def action_board(self) -> None:
        """The versions of the rubric as cards."""
        from rubrictui.screens.version_board import VersionBoardScreen

        self.app.push_screen(VersionBoardScreen(self._rubric.id, self._version_id))

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_choose_version(self) -> None:
        """Choose another version of this rubric."""
        choice = ChooseScreen(
            f"{self._rubric.name}: which version?",
            VERSION_COLUMNS,
            version_rows(self._rubric.versions),
            cursor=self._version_id,
        )
        self._is_choosing = True
        chosen = await self.app.push_screen_wait(choice)
        if chosen is not None and chosen != self._version_id:
            self._read(chosen)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_score(self) -> None:
        """Pick a subject and score it with this rubric."""
        if self._rubric.latest_published is None:
            self.say("This rubric has no published version, so nothing can be scored with it.")
            return
        await score_any(self, rubric_id=self._rubric.id)
