"""A draft that two people changed at once: what each did, and where the author has to choose."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from rubrictui.core.merging import merge_drafts
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.versions import diff_versions
from rubrictui.screens.builder_merge import can_choose, conflict_words, settled, switched
from rubrictui.screens.builder_session import Clash
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

COLUMNS = (
    Column("What", share=5, minimum=32),
    Column("Yours", share=2, minimum=12),
    Column("Theirs", share=2, minimum=12),
    Column("Taken", width=7),
)
_CONFLICT, _THEIRS, _MINE = "conflict", "theirs", "mine"


class ClashScreen(ModalScreen[VersionSnapshot | None]):
    """Dismissed with the draft made of both sides; None leaves it unsettled.

    Args:
        clash: both sides, and what they began from.
    """

    AUTO_FOCUS = "RowsList"
    TITLE = "Changed by two"
    HELP = (
        "Somebody else saved this draft while you were changing it. Everything that only one of you changed is kept. "
        "Where both changed the same thing, Enter switches between yours and theirs. s saves the draft made of both."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "Save both", id="clash.save", tooltip="Save the draft made of both sides"),
        Binding(
            "enter,space", "switch", "Yours or theirs", key_display="⏎", priority=True, id="clash.switch"
        ),
        Binding(
            "T", "all('theirs')", "All theirs", id="clash.theirs", tooltip="Take theirs in every conflict"
        ),
        Binding("M", "all('mine')", "All yours", id="clash.mine", tooltip="Take yours in every conflict"),
        Binding(
            "escape",
            "later",
            "Later",
            key_display="Esc",
            id="clash.later",
            tooltip="Leave it unsaved for now",
        ),
        Binding("question_mark", "app.help", "Help", key_display="?", id="clash.help"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter, space | Switch a conflict between yours and theirs. |
    | T / M | All theirs / all yours. |
    | s | Save the draft made of both. |
    | escape | Leave it unsettled. |
    | ? | Explain this. |
    """

    DEFAULT_CSS = """
    ClashScreen { & > DetailPane { height: auto; max-height: 6; } & > RowsList { height: 1fr; } }
    """

    def __init__(self, clash: Clash) -> None:
        super().__init__()
        self._clash = clash
        self._merge = merge_drafts(clash.base, clash.mine, clash.theirs)
        self._theirs: set[int] = set()

    def compose(self) -> ComposeResult:
        yield TitleBar(f"Changed by two · {self._clash.mine.rubric_name}", self._clash.saved_by or "")
        yield RowsList(COLUMNS)
        yield DetailPane()
        yield KeyFooter()

    def on_mount(self) -> None:
        self._show()
        self.query_one(DetailPane).can_focus = False

    def _show(self) -> None:
        self.query_one(RowsList).set_rows(self._rows())
        self._explain()

    def _rows(self) -> list[Row]:
        rows = []
        clash = self._clash
        who = clash.saved_by or "someone else"
        for place, conflict in enumerate(self._merge.conflicts):
            what, mine, theirs = conflict_words(conflict, self._merge.version)
            takes_theirs = place in self._theirs
            rows.append(
                Row(
                    id=f"{_CONFLICT}/{place}",
                    cells=(
                        what,
                        mine,
                        theirs,
                        "theirs" if takes_theirs else "yours" if can_choose(conflict) else "merged",
                    ),
                    section="You both changed these: choose",
                    tones=(
                        "",
                        "muted" if takes_theirs else "strong",
                        "strong" if takes_theirs else "muted",
                        "",
                    ),
                    mark="!",
                )
            )
        for kind, section, side in (
            (_THEIRS, f"Changed by {who}", clash.theirs),
            (_MINE, "Changed by you, not stored yet", clash.mine),
        ):
            for place, change in enumerate(diff_versions(clash.base, side).changes):
                rows.append(
                    Row(
                        id=f"{kind}/{place}", cells=(change.reason, "", "", ""), section=section, tone="muted"
                    )
                )
        return rows

    def _explain(self) -> None:
        count = len(self._merge.conflicts)
        who = self._clash.saved_by or "Somebody else"
        first = f"{who} saved this draft while you were changing it. Nothing of either side is lost."
        second = (
            f"You both changed {counted(count, 'thing')}: Enter switches between yours and theirs. s saves the draft made of both."
            if count
            else "You changed different things: s saves the draft made of both."
        )
        current = self.query_one(RowsList).current
        pane = self.query_one(DetailPane)
        lines = [[(first, "")], [(second, "label")]]
        if current is not None and not current.id.startswith(_CONFLICT):
            lines.append([(current.cells[0], "muted")])
        elif current is not None:
            lines += [
                [("Yours: ", "label"), (current.cells[1], "")],
                [("Theirs: ", "label"), (current.cells[2], "")],
            ]
        pane.show(lines)

    def on_rows_list_highlighted(self) -> None:
        self._explain()

    def action_switch(self) -> None:
        """Switch the conflict under the cursor between yours and theirs."""
        current = self.query_one(RowsList).current
        if current is None or not current.id.startswith(_CONFLICT):
            return
        place = int(current.id.partition("/")[2])
        if can_choose(self._merge.conflicts[place]):
            self._theirs = switched(self._merge, self._theirs, place)
            self._show()

    def action_all(self, side: str) -> None:
        """Take one side in every conflict."""
        places = {place for place, each in enumerate(self._merge.conflicts) if can_choose(each)}
        self._theirs = places if side == _THEIRS else set()
        self._show()

    def action_save(self) -> None:
        """Go on with the draft made of both sides."""
        self.dismiss(settled(self._merge, self._theirs))

    def action_later(self) -> None:
        """Leave it unsettled."""
        self.dismiss(None)
