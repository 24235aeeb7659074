"""Scales, versions and publishing by keys, on a stand-in store: what each key asks of the engine, and what it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from shell_world import StandIn, app_on, painted, settle, terminal, until
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from versions_world import USES, AuthorStandIn, old_version

from rubrictui.core.model import VersionStatus
from rubrictui.screens import publish
from rubrictui.screens.catalog import CatalogScreen
from rubrictui.screens.publish import PublishScreen
from rubrictui.screens.scale_editor import ScaleEditorScreen
from rubrictui.screens.scale_typing import typed_number
from rubrictui.screens.scales import ScalesScreen
from rubrictui.screens.version_board import VersionBoardScreen
from rubrictui.screens.version_diff import VersionDiffScreen

__all__ = ["terminal"]


@pytest.fixture(autouse=True)
def read_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests read at once what a person reads in a third of a second."""
    monkeypatch.setattr(publish, "READING_TIME", 0.0)


@asynccontextmanager
async def opened(
    store: StandIn, folder: Path, screen: Callable[[], Screen[Any]]
) -> AsyncIterator[Pilot[Any]]:
    app = app_on(store, folder)
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await settle(pilot)
        app.push_screen(screen())
        await settle(pilot)
        yield pilot


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when the one before has done its work or has asked something."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await until(
            pilot,
            lambda: (
                isinstance(pilot.app.screen, ModalScreen)
                or all(worker.is_finished for worker in pilot.app.workers)
            ),
        )
        await pilot.pause()


async def says(pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: text in painted(pilot.app))


async def type_line(pilot: Pilot[Any], text: str) -> None:
    """Replace what stands in the line by a text, and give it."""
    await press(pilot, "end", "ctrl+u")
    await pilot.press(*text)
    await press(pilot, "enter")


# --- scales -------------------------------------------------------------------------------------------


async def test_a_scale_is_made_changed_and_changed_back(terminal: Path) -> None:
    store = AuthorStandIn()
    async with opened(store, terminal, ScalesScreen) as pilot:
        await press(pilot, "a")
        await type_line(pilot, "Depth")
        assert isinstance(pilot.app.screen, ScaleEditorScreen)
        await press(pilot, "end", "a")
        await type_line(pilot, "Excels")
        made = store.kept["s-new"]
        assert [(x.label, x.normalized_value) for x in made.levels][2:] == [
            ("Meets", 0.666667),
            ("Excels", 1),
        ]
        await press(pilot, "up", "s")
        await type_line(pilot, "0,9")
        assert store.kept["s-new"].levels[2].normalized_value == 0.9
        await press(pilot, "equals_sign")
        assert store.kept["s-new"].levels[2].normalized_value == 0.666667
        await press(pilot, "u", "u", "u")
        assert [level.label for level in store.kept["s-new"].levels] == ["Miss", "Partial", "Meets"]
        await press(pilot, "U")
        assert len(store.kept["s-new"].levels) == 4
        await press(pilot, "home", "down", "down", "enter", "down", "enter")
        assert "Maximum" in painted(pilot.app)
        assert store.kept["s-new"].is_percentage


async def test_what_is_refused_stays_in_the_line(terminal: Path) -> None:
    store = AuthorStandIn()
    async with opened(store, terminal, lambda: ScaleEditorScreen("s-quality")) as pilot:
        await press(pilot, "end", "s")
        await type_line(pilot, "2")
        await says(pilot, "A level cannot score 2.")
        await type_line(pilot, "much")
        await says(pilot, "The score 'much' is no number.")
        await press(pilot, "escape", "enter")
        await type_line(pilot, "miss")
        await says(pilot, "There is a level 'miss' already.")
        assert not store.calls


async def test_of_a_frozen_scale_only_descriptions_change_and_a_copy_is_free(terminal: Path) -> None:
    store = AuthorStandIn()
    async with opened(store, terminal, lambda: ScaleEditorScreen("s-mpm")) as pilot:
        assert "Frozen by Vendor proposal 1.2.0" in painted(pilot.app)
        await press(pilot, "end", "s", "a", "X", "equals_sign")
        assert not store.calls
        await press(pilot, "enter")
        await type_line(pilot, "All of it.")
        assert store.kept["s-mpm"].levels[2].description == "All of it."
        await press(pilot, "D")
        await type_line(pilot, "Ours")
        assert store.calls[-1] == "duplicate s-mpm Ours"
        assert "Free to change" in painted(pilot.app)


async def test_a_scale_that_nothing_uses_is_deleted_after_a_question(terminal: Path) -> None:
    store = AuthorStandIn()
    async with opened(store, terminal, ScalesScreen) as pilot:
        await press(pilot, "X", "enter")
        assert "s-days" in store.kept, "the question begins on no"
        await press(pilot, "X", "down", "enter")
        assert store.calls == ["delete s-days"]
        await press(pilot, "X")
        assert isinstance(pilot.app.screen, ScalesScreen), "one that is used is not offered to be deleted"


async def test_a_level_that_drafts_have_anchors_for_goes_after_a_question(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AuthorStandIn()
    monkeypatch.setitem(USES, "s-quality", USES["s-mpm"][:1])
    async with opened(store, terminal, lambda: ScaleEditorScreen("s-quality")) as pilot:
        await press(pilot, "end", "X")
        await says(pilot, "The anchors that the drafts of Vendor proposal have for it go too")
        await press(pilot, "enter")
        assert not store.calls
        await press(pilot, "X", "down", "enter")
        assert len(store.kept["s-quality"].levels) == 2


async def test_who_may_not_write_reads_only(terminal: Path) -> None:
    store = AuthorStandIn()
    store.user = StandIn().user
    async with opened(store, terminal, ScalesScreen) as pilot:
        await press(pilot, "a", "D", "X", "enter", "end", "s", "u")
        assert isinstance(pilot.app.screen, ScaleEditorScreen)
        assert not store.calls


@pytest.mark.parametrize(
    ("text", "value"),
    [("0,5", 0.5), (" 1e2 ", 100), ("", None), ("nan", "no number"), ("1,2,3", "no number")],
)
def test_numbers_are_typed_with_a_point_or_a_comma(text: str, value: float | str | None) -> None:
    if isinstance(value, str):
        with pytest.raises(Exception, match=value):
            typed_number(text, "step")
    else:
        assert typed_number(text, "step") == value


# --- publishing ---------------------------------------------------------------------------------------


async def test_publishing_says_why_and_passes_on_what_was_asked_for(terminal: Path) -> None:
    store = AuthorStandIn()
    store.draft = msgspec.structs.replace(old_version(), instructions="Read it twice.")
    async with opened(store, terminal, lambda: PublishScreen("r-vendor")) as pilot:
        text = painted(pilot.app)
        assert "1.2.0 → 1.2.1: Patch (1 Patch change)." in text
        assert "The same answers score the same as in 1.2.0" in text
        await press(pilot, "plus", "plus")
        assert "1.2.0 → 2.0.0: Major, as asked; the changes make a Patch" in painted(pilot.app)
        await press(pilot, "plus", "plus", "s")
        await type_line(pilot, "Read twice")
        assert "1.2.0 → 1.3.0: Minor, as asked" in painted(pilot.app)
        await press(pilot, "P")
        assert store.calls == ["publish Minor Read twice 7"]
        assert not isinstance(pilot.app.screen, PublishScreen)


async def test_a_draft_with_problems_or_without_a_change_is_not_published(terminal: Path) -> None:
    store = AuthorStandIn()
    node = msgspec.structs.replace(store.draft.nodes[0], weight=-1)
    store.draft = msgspec.structs.replace(store.draft, nodes=(node, *store.draft.nodes[1:]))
    async with opened(store, terminal, lambda: PublishScreen("r-vendor")) as pilot:
        assert "Not yet: 1 problem blocks publishing." in painted(pilot.app)
        await press(pilot, "P", "enter")
        assert not store.calls
    store.draft = msgspec.structs.replace(old_version(), status=VersionStatus.DRAFT)
    async with opened(store, terminal, lambda: PublishScreen("r-vendor")) as pilot:
        assert "The draft is identical to 1.2.0." in painted(pilot.app)
        await press(pilot, "P", "enter")
        assert not store.calls


# --- the board ----------------------------------------------------------------------------------------


async def test_versions_are_retired_restored_and_drafts_discarded_and_begun(terminal: Path) -> None:
    store = AuthorStandIn()
    async with opened(store, terminal, lambda: VersionBoardScreen("r-vendor")) as pilot:
        await press(pilot, "down", "t", "down", "enter")
        assert store.calls == ["retire v-1.2.0"]
        assert "t Restore" in painted(pilot.app)
        assert "t Retire" not in painted(pilot.app)
        await press(pilot, "t")
        assert store.calls[1:] == ["restore v-1.2.0"]
        assert "t Retire" in painted(pilot.app)
        await press(pilot, "X", "enter")
        assert store.has_draft
        await press(pilot, "X", "down", "enter")
        assert store.calls[2:] == ["discard r-vendor"]
        assert "Draft" not in painted(pilot.app)


async def test_what_changed_is_shown_against_the_version_before_or_another(terminal: Path) -> None:
    async with opened(AuthorStandIn(), terminal, lambda: VersionBoardScreen("r-vendor")) as pilot:
        await press(pilot, "d")
        assert isinstance(pilot.app.screen, VersionDiffScreen)
        assert "1.2.0 → draft" in painted(pilot.app)
        await press(pilot, "f")
        assert "Major changes only" in painted(pilot.app)
        await press(pilot, "escape", "end", "c", "enter")
        assert "1.1.0 → draft" in painted(pilot.app)


# --- the catalog --------------------------------------------------------------------------------------


async def test_authors_name_and_sort_rubrics_from_the_catalog(terminal: Path) -> None:
    store = AuthorStandIn()
    async with opened(store, terminal, CatalogScreen) as pilot:
        await press(pilot, "i")
        await type_line(pilot, "Conference abstract")
        await says(pilot, "already")
        await type_line(pilot, "Bids")
        assert store.catalog[0].name == "Bids"
        await press(pilot, "m", "down", "enter")
        assert store.catalog[0].category == "Research"
        await press(pilot, "b")
        assert isinstance(pilot.app.screen, VersionBoardScreen)


async def test_reviewers_are_not_offered_what_authors_do(terminal: Path) -> None:
    store = StandIn()
    async with opened(store, terminal, CatalogScreen) as pilot:
        await press(pilot, "a", "i", "m", "e", "S")
        await until(pilot, lambda: isinstance(pilot.app.screen, CatalogScreen))
        assert "a New" not in painted(pilot.app)
        assert not store.calls
