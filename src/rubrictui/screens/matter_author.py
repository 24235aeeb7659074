"""The author's view of a matter: what its points add up to, lint beside what it concerns, probes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.matter_author_rows import (
    AUTHOR_COLUMNS,
    AuthorView,
    author_lines,
    author_rows,
    lint_words,
    read_author_view,
)
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.title_bar import TitleBar


class MatterAuthorScreen(ShellScreen[None]):
    """One matter, for who writes it. It tells what an assessed person must not know."""

    TITLE = "Author of a matter"
    HELP = (
        "What the rubric's points add up to, by component, and every criterion with what lint finds about it. The "
        "files are read again when they change on disk and you press R; edit them in an editor beside. P adds warnings "
        "about what is valid and perhaps meant otherwise. This view tells the answers."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab", "other_pane", "Read", key_display="Tab", id="author.read", tooltip="Scroll what is beside"
        ),
        Binding("R", "reload", "Read again", id="author.reload", tooltip="Read the files again"),
        Binding("P", "pedantic", "Pedantic", id="author.pedantic", tooltip="More warnings, or fewer"),
        Binding("l", "lab", "Gate lab", id="author.lab", tooltip="Try its patterns on texts"),
        Binding("escape", "back", "Back", key_display="Esc", id="author.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab | Between the list and what is beside it. |
    | R | Read the files again. |
    | P | Warnings about what is valid, too. |
    | l | The gate lab. |
    | escape | Back. |
    """

    DEFAULT_CSS = """
    MatterAuthorScreen {
        & > #panes { height: 1fr; layout: vertical; }
        & > #panes > RowsList { height: 45%; }
        & > #panes > DetailPane { height: 1fr; }
        &.-wide > #panes { layout: horizontal; }
        &.-wide > #panes > RowsList { width: 55%; height: 1fr; }
        &.-wide > #panes > DetailPane { width: 1fr; height: 1fr; }
    }
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._pedantic = False
        self._view: AuthorView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(f"Author · {self._folder.name}")
        with Container(id="panes"):
            yield RowsList(AUTHOR_COLUMNS, empty="Reading the matter ...")
            yield DetailPane()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the files again."""
        view = await asyncio.to_thread(read_author_view, self._folder, pedantic=self._pedantic)
        self._view = view
        self.query_one(RowsList).set_rows(author_rows(view))
        pedantic = "pedantic · " if self._pedantic else ""
        self.query_one(TitleBar).right = pedantic + (lint_words(view.findings)[0] or "sound")
        self._show()
        self.refresh_bindings()

    def on_rows_list_highlighted(self) -> None:
        self._show()

    def _show(self) -> None:
        current = self.query_one(RowsList).current
        if self._view is not None and current is not None:
            self.query_one(DetailPane).show(author_lines(self._view, current.id))

    def on_rows_list_selected(self) -> None:
        self.action_other_pane()

    def action_other_pane(self) -> None:
        """Between the list and what is beside it."""
        pane = self.query_one(DetailPane)
        self.set_focus(self.query_one(RowsList) if pane.has_focus else pane)

    def action_pedantic(self) -> None:
        """More warnings, or fewer."""
        self._pedantic = not self._pedantic
        self.action_reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The lab needs a matter that can be loaded."""
        return action != "lab" or (self._view is not None and self._view.matter is not None)

    def action_lab(self) -> None:
        """Try the patterns on texts."""
        from rubrictui.screens.gate_lab import GateLabScreen

        self.app.push_screen(GateLabScreen(self._folder))

    def action_back(self) -> None:
        """Back."""
        if self.query_one(DetailPane).has_focus:
            self.set_focus(self.query_one(RowsList))
        else:
            self.dismiss(None)


SCREEN = ScreenSpec(name="matter_author", title="Author of a matter", opener=MatterAuthorScreen)
