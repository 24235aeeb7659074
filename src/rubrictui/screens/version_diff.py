"""What changed from one version of a rubric to another, side by side, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.change_view import ChangeGroup, change_groups, made_way
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Bump, VersionSnapshot
from rubrictui.core.versions import VersionDiff, diff_versions
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.widgets.block_list import Block, BlockList
from rubrictui.widgets.diff_lines import group_heading, group_lines
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.text import counted, plain
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

FILTERS: tuple[tuple[str, tuple[Bump, ...]], ...] = (
    ("All changes", (Bump.MAJOR, Bump.MINOR, Bump.PATCH)),
    ("Major changes only", (Bump.MAJOR,)),
    ("Minor changes only", (Bump.MINOR,)),
    ("Patch changes only", (Bump.PATCH,)),
)

#: Beyond so many things that changed, each is one line until the cursor comes to it.
OPEN_GROUPS = 150


def diff_summary(found: VersionDiff, groups: Sequence[ChangeGroup], filter_name: str) -> str:
    """What all changes amount to, and what is shown of them."""
    if found.computed_bump is None:
        return "The two versions are the same."
    counts = [
        f"{count} {bump}"
        for bump in (Bump.MAJOR, Bump.MINOR, Bump.PATCH)
        if (count := sum(change.bump is bump for change in found.changes))
    ]
    text = f"{', '.join(counts)}: {found.computed_bump} · {filter_name}: {counted(len(groups), 'thing')}"
    aside = made_way(found, groups)
    return (
        f"{text}, {counted(aside, 'sibling')} made way"
        if aside and Bump.PATCH in bumps_of(filter_name)
        else text
    )


def bumps_of(filter_name: str) -> tuple[Bump, ...]:
    """What a filter shows."""
    return dict(FILTERS)[filter_name]


class VersionDiffScreen(ShellScreen[None]):
    """The changes between two versions.

    Args:
        rubric: the rubric, by name or id.
        older, newer: numbers, ``draft``, or version ids.
    """

    TITLE = "Changes"
    AUTO_FOCUS = "BlockList"
    HELP = (
        "What changed, thing by thing in the order of the tree: the older version on the left, the newer on the right, "
        "words that only one side has are struck through or underlined. M, m (minor) and p in front say what a change "
        "makes of the number. ⇅ marks what moved; siblings that only made way are left out. f shows the changes of one "
        "kind at a time. rubrictui diff prints the same, also as Markdown."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f", "filter(1)", "Filter", id="changes.filter", tooltip="All, Major, Minor or Patch changes"
        ),
        Binding("F", "filter(-1)", "Filter back", show=False, id="changes.filter_back"),
        Binding("escape", "back", "Back", key_display="Esc", id="changes.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | f / F | All changes, or only Major, Minor or Patch ones. |
    | escape | Back. |
    """

    DEFAULT_CSS = """
    VersionDiffScreen { & > #sum { height: 1; padding: 0 1; color: $text-muted; } }
    """

    def __init__(self, rubric: str, older: str, newer: str) -> None:
        super().__init__()
        self._rubric = rubric
        self._refs = (older, newer)
        self._versions: tuple[VersionSnapshot, VersionSnapshot] | None = None
        self._found = VersionDiff(changes=(), computed_bump=None, applied_bump=None, next_version=None)
        self._filter = 0

    def compose(self) -> ComposeResult:
        yield TitleBar("Changes")
        yield Static(Content(""), id="sum")
        yield BlockList(empty="Comparing the two ...", can_choose=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._read()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _read(self) -> None:
        def read(engine: Engine) -> tuple[tuple[VersionSnapshot, VersionSnapshot], VersionDiff]:
            versions = engine.two_versions(self._rubric, *self._refs)
            return versions, diff_versions(*versions)

        try:
            versions, self._found = await self.shell.ask(read)
        except RubrictuiError as error:
            self.query_one(BlockList).set_blocks((), empty=error.message)
            raise
        self._versions = older, newer = versions
        title = self.query_one(TitleBar)
        title.title = f"Changes · {newer.rubric_name}"
        title.right = f"{older.number or 'draft'} → {newer.number or 'draft'}"
        self._show()

    def _show(self) -> None:
        if self._versions is None:
            return
        name, bumps = FILTERS[self._filter]
        groups = change_groups(self._found, *self._versions, bumps=bumps)
        self.query_one("#sum", Static).update(plain(diff_summary(self._found, groups, name)))
        compact = len(groups) > OPEN_GROUPS
        self.query_one(BlockList).set_blocks(
            [_block(group, compact=compact) for group in groups],
            empty="No change of this kind; f shows others." if self._found.changes else "Nothing changed.",
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is filtered where nothing changed."""
        return action != "filter" or bool(self._found.changes)

    def action_filter(self, step: int) -> None:
        """Show all changes, or those of one kind."""
        self._filter = (self._filter + step) % len(FILTERS)
        self._show()

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)


def _block(group: ChangeGroup, *, compact: bool) -> Block:
    if compact:
        return Block(
            id=f"{group.kind}/{group.subject}",
            closed=lambda width: [group_heading(group, width)],
            opened=lambda width: group_lines(group, width),
        )
    return Block(id=f"{group.kind}/{group.subject}", closed=lambda width: group_lines(group, width))


SCREEN = ScreenSpec(name="version_diff", title="Changes", opener=VersionDiffScreen)
