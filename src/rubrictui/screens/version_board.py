"""The version board: a card for each version of a rubric, and what can be done with it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rubrictui.core.authoring_records import VersionCard
from rubrictui.core.model import VersionStatus
from rubrictui.core.problems import Problem
from rubrictui.core.records import RubricSummary
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.widgets.block_list import Block, BlockList
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar
from rubrictui.widgets.version_card_lines import closed_card, open_card

if TYPE_CHECKING:
    from rubrictui.engine import Engine

VERSION_COLUMNS = (Column("Version", width=8), Column("Status", width=9), Column("What changed", minimum=20))


def compared_with(cards: tuple[VersionCard, ...], card: VersionCard) -> VersionCard | None:
    """The version that a card is compared with unless another is asked for: the highest below it that is no draft."""
    place = cards.index(card)
    return next((each for each in cards[place + 1 :] if each.summary.status is not VersionStatus.DRAFT), None)


class VersionBoardScreen(ShellScreen[None]):
    """The versions of one rubric.

    Args:
        rubric: the rubric, by name or id.
        version_id: the version to begin on; else the first card.
    """

    TITLE = "Versions"
    AUTO_FOCUS = "BlockList"
    HELP = (
        "A card for each version, the draft first. n begins a draft from the latest published version (the latest "
        "retired one when none is published), e edits it, P publishes it. A retired version stays readable and its "
        "evaluations stay valid; nothing new is scored with it. d shows what changed since the version before, c "
        "against any other. The content hash is of everything in a version, the scoring hash of what decides a score: "
        "versions with one scoring hash score alike."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit draft", id="board.edit", tooltip="Open the draft in the builder"),
        Binding("n", "start", "New draft", id="board.start", tooltip="Begin a draft of the next version"),
        Binding("P", "publish", "Publish", id="board.publish", tooltip="Say what publishing means, and ask"),
        Binding(
            "d", "diff", "Changes", id="board.diff", tooltip="What changed since the version before this one"
        ),
        Binding(
            "c", "compare", "Compare", id="board.compare", tooltip="What changed against any other version"
        ),
        Binding(
            "t",
            "retire",
            "Retire",
            id="board.retire",
            tooltip="Take the version out of use",
        ),
        Binding("t", "restore", "Restore", id="board.restore", tooltip="Put the retired version back in use"),
        Binding(
            "X", "discard", "Discard draft", id="board.discard", tooltip="Delete the draft, after a question"
        ),
        Binding("R", "reload", "Reload", show=False, id="board.reload", tooltip="Read the versions again"),
        Binding("escape", "back", "Back", key_display="Esc", id="board.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Read the version. |
    | e | Edit the draft. |
    | n | Begin a draft. |
    | P | Publish the draft. |
    | d / c | What changed since the version before / against another. |
    | t | Retire a published version, restore a retired one. |
    | X | Discard the draft. |
    | R | Read the versions again. |
    | escape | Back. |
    """

    def __init__(self, rubric: str, version_id: str | None = None) -> None:
        super().__init__()
        self._rubric = rubric
        self._first = version_id
        self._summary: RubricSummary | None = None
        self._cards: tuple[VersionCard, ...] = ()

    def compose(self) -> ComposeResult:
        yield TitleBar("Versions")
        yield BlockList(empty="Reading the versions ...")
        yield KeyFooter()

    def on_screen_resume(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the versions again."""
        await self._reload()

    async def _reload(self) -> None:
        def read(engine: Engine) -> tuple[RubricSummary, tuple[VersionCard, ...]]:
            return engine.rubric(self._rubric), engine.version_cards(self._rubric)

        summary, self._cards = await self.shell.ask(read)
        self._summary = summary
        title = self.query_one(TitleBar)
        title.title = f"Versions · {summary.name}"
        title.right = counted(len(self._cards), "version")
        self.query_one(BlockList).set_blocks(
            [self._block(card) for card in self._cards],
            cursor=self._first,
            empty="No version yet: n begins a draft.",
        )
        self._first = None
        self.refresh_bindings()

    def _block(self, card: VersionCard) -> Block:
        return Block(
            id=card.summary.id,
            closed=lambda width: closed_card(card, width, self._dated),
            opened=lambda width: open_card(card, width, self._dated),
        )

    def _dated(self, when: datetime) -> str:
        return f"{when.astimezone(self.shell.zone):%Y-%m-%d %H:%M}"

    @property
    def card(self) -> VersionCard | None:
        """The card under the cursor."""
        current = self.query_one(BlockList).current if self.is_mounted else None
        return next((card for card in self._cards if card.summary.id == current), None)

    @property
    def draft(self) -> VersionCard | None:
        """The draft's card."""
        return next((card for card in self._cards if card.summary.status is VersionStatus.DRAFT), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what would do something is offered."""
        if action in ("edit", "publish", "discard"):
            return self.draft is not None
        if action == "start":
            return self._summary is not None and self.draft is None
        if action in ("retire", "restore"):
            wanted = VersionStatus.PUBLISHED if action == "retire" else VersionStatus.RETIRED
            return self.card is not None and self.card.summary.status is wanted
        if action == "diff":
            return self.card is not None and compared_with(self._cards, self.card) is not None
        if action == "compare":
            return len(self._cards) > 1
        return True

    def on_block_list_highlighted(self) -> None:
        self.refresh_bindings()

    # -- reading and comparing

    def on_block_list_selected(self, message: BlockList.Selected) -> None:
        from rubrictui.screens.rubric import RubricScreen

        if self._summary is not None:
            self.app.push_screen(RubricScreen(self._summary, message.block_id))

    def action_diff(self) -> None:
        """What changed since the version before this one."""
        card = self.card
        older = compared_with(self._cards, card) if card is not None else None
        if card is not None and older is not None:
            self._show_diff(older, card)

    @work(exit_on_error=False, exclusive=True, group="compare")
    async def action_compare(self) -> None:
        """Choose another version and compare the two."""
        card = self.card
        if card is None:
            return
        rows = [
            Row(
                id=each.summary.id,
                cells=(
                    each.summary.number or "draft",
                    each.summary.status.value,
                    each.summary.change_summary or "",
                ),
            )
            for each in self._cards
            if each is not card
        ]
        chosen = await self.app.push_screen_wait(
            ChooseScreen(f"Compare {card.summary.number or 'the draft'} with which?", VERSION_COLUMNS, rows)
        )
        other = next((each for each in self._cards if each.summary.id == chosen), None)
        if other is not None:
            # The cards stand newest first, and what changed is told forwards.
            older, newer = sorted((card, other), key=self._cards.index, reverse=True)
            self._show_diff(older, newer)

    def _show_diff(self, older: VersionCard, newer: VersionCard) -> None:
        from rubrictui.screens.version_diff import VersionDiffScreen

        self.app.push_screen(VersionDiffScreen(self._rubric, older.summary.id, newer.summary.id))

    # -- changing

    def action_edit(self) -> None:
        """Open the draft in the builder."""
        self._open_builder()

    def _open_builder(self, problem: Problem | None = None) -> None:
        from rubrictui.screens.builder import BuilderScreen

        self.app.push_screen(BuilderScreen(self._rubric, problem))

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_start(self) -> None:
        """Begin a draft of the next version, and open it."""
        await self.shell.ask(lambda engine: engine.start_draft(self._rubric))
        await self._reload()
        self.action_edit()

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_publish(self) -> None:
        """Say what publishing means, and ask."""
        from rubrictui.screens.publish import PublishScreen

        published = await self.app.push_screen_wait(PublishScreen(self._rubric))
        if isinstance(published, Problem):
            self._open_builder(published)
        elif published is not None:
            self._first = published.id
            await self._reload()

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_discard(self) -> None:
        """Delete the draft, after a question."""
        draft = self.draft
        if draft is None or self._summary is None:
            return
        changes = counted(len(draft.changes), "change")
        about = (
            f"The draft of {self._summary.name} and its {changes} would be deleted. This cannot be undone. "
            "Published versions stay."
        )
        if draft.based_on_number is None:
            about = f"The draft of {self._summary.name} would be deleted with all that is in it. This cannot be undone."
        if await confirmed(self, "Discard the draft?", about, yes="Discard the draft", no="Keep it"):
            await self.shell.ask(lambda engine: engine.discard_draft(self._rubric))
            await self._reload()
            self.say("The draft is discarded.")

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_retire(self) -> None:
        """Take a published version out of use, after a question."""
        card = self.card
        if card is None:
            return
        version = card.summary
        about = (
            f"Nothing new would be scored with {version.rubric_name} {version.number}. Its evaluations "
            f"({version.evaluation_count} that you may see) stay valid, and it can be restored."
        )
        if await confirmed(self, f"Retire {version.number}?", about, yes="Retire it", no="Keep it in use"):
            await self.shell.ask(lambda engine: engine.retire(version.id))
            await self._reload()
            self.say(f"{version.number} is retired.")

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_restore(self) -> None:
        """Put a retired version back in use."""
        card = self.card
        if card is None:
            return
        version = card.summary
        await self.shell.ask(lambda engine: engine.restore(version.id))
        await self._reload()
        self.say(f"{version.number} is in use again.")

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)


SCREEN = ScreenSpec(name="version_board", title="Versions", opener=VersionBoardScreen)
