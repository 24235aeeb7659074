"""The shell driven by keys: beginning, getting around, errors, leaving."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from shell_world import (
    INBOX,
    NOW,
    RUBRICS,
    SlowOpening,
    StandIn,
    app_on,
    painted,
    row,
    settle,
    terminal,
    until,
)
from textual import events
from textual.command import CommandInput
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Input

from rubrictui.app import RubrictuiApp
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Node, NodeType, VersionSnapshot
from rubrictui.core.records import RubricSummary
from rubrictui.screens import opening_work
from rubrictui.screens.catalog import CatalogScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.help import HelpScreen
from rubrictui.screens.inbox import InboxScreen
from rubrictui.screens.palette import Palette
from rubrictui.screens.rubric import RubricScreen
from rubrictui.shell.settings import Settings
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.rubric_tree import RubricTree

__all__ = ["terminal"]


def rows_of(app: RubrictuiApp) -> RowsList:
    return app.screen.query_one(RowsList)


def current(app: RubrictuiApp) -> str:
    found = rows_of(app).current
    return found.cells[0] if found else ""


async def test_the_first_rows_are_there_before_the_engine_and_what_needs_it_waits(terminal: Path) -> None:
    gate = threading.Event()
    said: list[str] = []

    class Listening(RubrictuiApp):
        def notify(self, message: str, **values: Any) -> None:
            said.append(message)
            super().notify(message, **values)

    app = Listening(SlowOpening(StandIn(), first=INBOX[:2], gate=gate), now=lambda: NOW, zone=UTC)
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: len(rows_of(app).rows) == 2)
        await pilot.press("c")
        await until(pilot, lambda: "Opening the store ..." in said and bool(app.screen.query(RowsList)))
        assert isinstance(app.screen, CatalogScreen)
        assert rows_of(app).rows == ()
        gate.set()
        await until(pilot, lambda: len(rows_of(app).rows) == 2)
        await pilot.press("escape")
        await until(pilot, lambda: len(rows_of(app).rows) == len(INBOX))


async def test_returning_to_the_inbox_stands_on_the_work_then_on_what_is_next(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    async def form(screen: Any, begin: Any) -> str:
        opened.append(current(app))
        await screen.app.push_screen(Screen())
        return "e-new"

    monkeypatch.setattr(opening_work, "open_form", form)
    engine = StandIn()
    app = app_on(engine, terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        assert current(app).startswith("Óbuda")  # overdue, so next
        await pilot.press("j", "j")
        assert current(app).startswith("Northwind")
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, InboxScreen))
        assert opened == ["Northwind: cold chain tracking"]

        begun = row(
            1,
            "Northwind: cold chain tracking",
            "Draft",
            answered=3,
            evaluation_id="e-new",
            due_at=INBOX[0].due_at,
        )
        engine.rows = (begun, *INBOX[1:])
        app.pop_screen()
        await until(pilot, lambda: "3/5" in painted(app))
        assert current(app).startswith("Northwind")

        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, InboxScreen))
        done = row(
            1,
            "Northwind: cold chain tracking",
            "Submitted",
            evaluation_id="e-new",
            outcome="Passed",
            updated_at=NOW,
        )
        engine.rows = (done, *INBOX[1:])
        app.pop_screen()
        await until(pilot, lambda: current(app).startswith("Óbuda"))


async def test_the_filter_takes_letters_as_words_and_esc_brings_all_rows_back(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("slash", *"q kes")
        assert app.is_running
        assert rows_of(app).shown_count == 0
        await pilot.press("backspace", "backspace", "backspace", "backspace", "backspace", *"kes")
        assert app.screen.query_one(Input).value == "kes"
        assert (rows_of(app).shown_count, current(app)) == (1, "Kestrel Systems")
        assert "Filter" not in painted(app).splitlines()[-1].replace("Keep filter", "").replace(
            "Clear filter", ""
        )
        await pilot.press("enter")
        assert app.focused is rows_of(app)
        assert "1 of 6" in painted(app)
        await pilot.press("escape")
        assert rows_of(app).shown_count == 6
        assert not app.screen.query_one(FilterLine).display
        assert current(app) == "Kestrel Systems"


async def test_keys_typed_at_once_go_where_the_ones_before_them_lead(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        for key, character in [
            ("slash", "/"),
            *((c, c) for c in "cqkes"),
            ("enter", "\r"),
            ("c", "c"),
            ("down", None),
        ]:
            app.post_message(events.Key(key, character))
        await until(pilot, lambda: isinstance(app.screen, CatalogScreen))
        home = app.screen_stack[0]
        assert home.query_one(Input).value == "cqkes"
        await until(pilot, lambda: isinstance(app.focused, RowsList))
        for key in ("escape", "slash", "x", "escape", "j", "j"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: isinstance(app.screen, InboxScreen) and isinstance(app.focused, RowsList))
        await until(pilot, lambda: not rows_of(app).filter)


async def test_an_empty_store_offers_the_samples_and_loads_them(terminal: Path) -> None:
    engine = StandIn(rows=(), catalog=(), pool=())
    app = app_on(engine, terminal)
    async with app.run_test(notifications=True) as pilot:
        await settle(pilot)
        assert "This store is empty." in painted(app)
        assert "l Load samples" in painted(app)
        await pilot.press("o", "slash")  # not offered here
        assert isinstance(app.screen, InboxScreen)
        await pilot.press("l")
        await settle(pilot)
        assert engine.calls == ["load_samples"]
        assert "This store is empty." not in painted(app)
        assert len(rows_of(app).rows) == len(INBOX)
        assert app.focused is rows_of(app), "the first key goes to the list"
        assert "l Load samples" not in painted(app)
        await pilot.press("q")
    assert app.return_value == 0
    assert engine.closed


@dataclass
class Failing(StandIn):
    """A store whose catalog cannot be read and whose contexts hold a bug."""

    def rubrics(self, **_: object) -> tuple[RubricSummary, ...]:
        raise RubrictuiError("The catalog [red]cannot[/red] be read.", remedy="Ask\x1b[2J someone.")

    def subjects(self, **_: object) -> Any:
        raise KeyError("on purpose")


async def test_errors_are_one_line_and_the_app_goes_on(terminal: Path) -> None:
    app = app_on(Failing(), terminal)
    async with app.run_test(notifications=True, size=(100, 24)) as pilot:
        await settle(pilot)
        await pilot.press("c")
        await until(
            pilot, lambda: "Error: The catalog [red]cannot[/red] be read. Ask␛[2J someone." in painted(app)
        )
        await pilot.press("escape", "s")
        await until(pilot, lambda: "Something went wrong (KeyError)" in painted(app))
        assert app.focused is rows_of(app)
        log = terminal / "xdg_state_home" / "rubrictui" / "errors.log"
        assert "KeyError: 'on purpose'" in log.read_text()
        assert "The catalog" not in log.read_text()
        await pilot.press("escape", "j")
        assert current(app) == "Harbour Freight portal"


async def test_a_store_that_cannot_be_opened_is_said_and_is_the_exit_code(terminal: Path) -> None:
    class Locked(SlowOpening):
        def _open(self) -> Any:
            raise RubrictuiError("The store is locked by another program.", remedy="Close it and try again.")

    app = RubrictuiApp(Locked(StandIn()), now=lambda: NOW)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "The store is locked by another program." in painted(app))
        assert "Close it and try again." in painted(app)
        await pilot.press("q")
    assert app.return_value == 3


async def test_help_and_palette_are_made_from_the_screen_they_are_opened_on(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "Pick a subject and a rubric to score" in painted(app)
        await pilot.press("escape", "c")
        await settle(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Show all versions, or the current ones" in painted(app)
        assert "Pick a subject and a rubric to score" not in painted(app)
        await pilot.press("q", "ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Palette) and "Versions" in painted(app))
        await pilot.press(*"high")
        await until(pilot, lambda: "Theme: High contrast" in painted(app))
        below, entry = app.screen_stack[-2], app.screen.query_one(CommandInput)
        for _ in range(2):  # an impatient second Enter closes nothing else
            entry.post_message(Input.Submitted(entry, "high"))
        await until(pilot, lambda: app.theme == "rubrictui-contrast")
        await pilot.pause()
        assert app.screen is below
    assert json.loads((terminal / "config.json").read_text())["theme"] == "rubrictui-contrast"


async def test_a_small_terminal_says_so_and_works(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test(size=(40, 10)) as pilot:
        await settle(pilot)
        assert "80x24 shows more" in painted(app)
        for keys in (
            "j",
            "slash",
            "escape",
            "question_mark",
            "escape",
            "c",
            "enter",
            "tab",
            "v",
            "escape",
            "escape",
            "escape",
        ):
            await pilot.press(keys)
            await pilot.pause(0.05)
            assert painted(app)
        await pilot.resize_terminal(12, 3)
        await pilot.press("j", "c", "enter")
        await settle(pilot)
        await pilot.resize_terminal(80, 24)
        await pilot.press("escape", "escape")
        assert "To score (4)" in painted(app)


async def test_any_subject_is_scored_after_three_choices(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []

    async def form(screen: Any, begin: Any) -> str:
        class Recorder:
            def open_draft(self, **values: object) -> None:
                asked.append(values)

        begin(Recorder())
        return "e-new"

    monkeypatch.setattr(opening_work, "open_form", form)
    app = app_on(StandIn(), terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("o")
        await until(pilot, lambda: "which subject?" in painted(app))
        await pilot.press("slash", *"sand", "enter", "enter")
        await until(pilot, lambda: "with which rubric?" in painted(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "for what?" in painted(app))
        await pilot.press("enter")
        await until(pilot, lambda: bool(asked))
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, InboxScreen)
    assert asked == [{"subject": "sub-3", "rubric": RUBRICS[1].id, "context": None}]


def wide_tree(groups: int, leaves: int) -> VersionSnapshot:
    nodes: list[Node] = []
    for g in range(groups):
        nodes.append(Node(id=f"g{g}", key=f"g{g}", name=f"Group {g}", node_type=NodeType.GROUP))
        nodes += [
            Node(id=f"g{g}-{n}", key=f"g{g}-{n}", parent_id=f"g{g}", name=f"Criterion {g}.{n}")
            for n in range(leaves)
        ]
    return VersionSnapshot(id="v-1.2.0", rubric_name="Large", nodes=tuple(nodes))


async def test_a_rubric_of_many_nodes_folds_filters_and_changes_its_version(terminal: Path) -> None:
    class Large(StandIn):
        def version(self, ref: str) -> VersionSnapshot:
            return wide_tree(50, 49) if ref == "v-1.2.0" else super().version(ref)

    app = app_on(Large(), terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("c", "enter")
        await until(pilot, lambda: isinstance(app.screen, RubricScreen) and rows_of(app).shown_count == 2501)
        await pilot.press("down", "down", "down", "left")  # from a criterion to its group
        assert current(app) == "▾ Group 0"
        await pilot.press("left")
        assert (current(app), rows_of(app).shown_count) == ("▸ Group 0", 2501 - 49)
        await pilot.press("slash", *"0.48", "enter")
        assert (rows_of(app).shown_count, current(app)) == (
            5,
            "· Criterion 0.48",
        )  # in a folded group, and found
        await pilot.press("escape", "minus")
        assert rows_of(app).shown_count == 51
        await pilot.press("plus", "end")
        assert current(app) == "· Criterion 49.48"
        assert "It has no scale" in painted(app)
        await pilot.press("v", "down", "enter")
        await until(pilot, lambda: rows_of(app).shown_count == 8)
        assert "1.1.0" in painted(app).splitlines()[0]
        assert isinstance(app.screen.query_one(RowsList), RubricTree)


async def test_what_screens_hold_is_saved_when_the_app_leaves(terminal: Path) -> None:
    saved: list[str] = []

    class Holding(Screen[None]):
        def flush(self) -> None:
            saved.append("flushed")

    app = app_on(StandIn(), terminal, settings=Settings(keys={"inbox.catalog": "x"}))
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("x")  # a key of the user's own
        await until(pilot, lambda: isinstance(app.screen, CatalogScreen))
        await app.push_screen(Holding())
        await app.run_action("app.quit")
    assert saved == ["flushed"]


async def test_long_help_is_read_by_the_page_and_to_its_ends(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test(size=(60, 12)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        view = app.screen.query_one(VerticalScroll)
        page = view.scrollable_content_region.height - 1
        last = view.max_scroll_y
        assert last > page > 0
        places = []
        for key in ("pagedown", "pageup", "space", "home", "end", "g", "G", "pageup"):
            await pilot.press(key)
            places.append(round(view.scroll_y))
        assert places == [page, 0, page, 0, last, 0, last, last - page]


async def test_enter_opens_the_result_of_work_that_was_withdrawn(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    async def result(screen: Any, evaluation_id: str) -> None:
        opened.append(evaluation_id)

    monkeypatch.setattr(opening_work, "open_result", result)
    gone = row(1, "Kestrel Systems", "Withdrawn", evaluation_id="e-gone", outcome="Passed", updated_at=NOW)
    app = app_on(StandIn(rows=(gone,)), terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        assert "Done (1)" in painted(app)
        assert "Withdrawn" in painted(app)
        await pilot.press("enter")
        await until(pilot, lambda: opened == ["e-gone"])


async def test_esc_goes_back_one_choice_with_the_cursor_on_what_was_chosen(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("o")
        await until(pilot, lambda: "which subject?" in painted(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "with which rubric?" in painted(app))
        await pilot.press("down")
        rubric = current(app)
        await pilot.press("enter")
        await until(pilot, lambda: "for what?" in painted(app))
        await pilot.press("escape")
        await until(pilot, lambda: "with which rubric?" in painted(app))
        await until(pilot, lambda: current(app) == rubric)
        await pilot.press("question_mark")
        await until(pilot, lambda: "Help · Score · 2 of 3: with which rubric?" in painted(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "which subject?" in painted(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, InboxScreen))


async def test_the_ruler_fits_its_pane_whatever_width_that_takes(terminal: Path) -> None:
    app = app_on(StandIn(), terminal)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("c")
        await until(pilot, lambda: bool(rows_of(app).rows))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RubricScreen) and "passes at" in painted(app))
        for width in (79, 61, 78):
            app.screen.query_one(DetailPane).styles.width = width
            await settle(pilot)
            bars = [line for line in painted(app).splitlines() if "├" in line]
            assert len(bars) == 1, width
            assert bars[0].rstrip(" ▁▂▃▄▅▆▇█").endswith("┤"), width


async def test_one_of_a_kind_is_said_in_the_singular(terminal: Path) -> None:
    engine = StandIn()
    one = RUBRICS[1]
    engine.rubrics = lambda **_: (one,)  # type: ignore[method-assign,assignment]
    app = app_on(engine, terminal)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "1 rubric, " in painted(app))
