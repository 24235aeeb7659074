"""The fields pane within the builder: what is typed is in the store, can be undone, and survives leaving."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from form_host import RUBRIC, Template, keys, screen_text, until
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.app import RubrictuiApp
from rubrictui.core.model import Level, Node, Scale, VersionSnapshot
from rubrictui.engine import Engine
from rubrictui.screens.builder import BuilderScreen
from rubrictui.shell.opening import StoreOpening


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("template"))


class App(RubrictuiApp):
    """The application with the builder as its first screen."""

    def get_default_screen(self) -> Screen[object]:
        return BuilderScreen(RUBRIC)  # type: ignore[return-value]


class Desk:
    def __init__(self, path: Path, app: App, pilot: Pilot[Any]) -> None:
        self.path = path
        self.app = app
        self.pilot = pilot

    @property
    def builder(self) -> BuilderScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, BuilderScreen)
        return screen

    async def at(self, key: str, field: str) -> None:
        """Go to a field of a node."""
        node = next(node for node in self.builder.session.version.nodes if node.key == key)
        assert self.builder.tree_pane.go_to(node.id)
        self.builder.show_pane("fields")
        await self.pilot.pause()
        assert self.builder.fields.go_to(field)

    def stored(self, key: str) -> Node:
        return next(node for node in stored(self.path).nodes if node.key == key)


def stored(path: Path) -> VersionSnapshot:
    with Engine(path, user="tester") as engine:
        return engine.version(f"{RUBRIC}@draft")


@asynccontextmanager
async def desk(template: Template, folder: Path) -> AsyncIterator[Desk]:
    path = template.copy(folder)
    app = App(StoreOpening(path, make_engine=lambda target, _: Engine(target, user="tester")))
    async with app.run_test(size=(120, 40)) as pilot:
        at = Desk(path, app, pilot)
        await until(pilot, lambda: at.builder.is_open)
        await pilot.pause()
        yield at


async def test_fields_are_stored_as_they_are_typed_and_one_undo_takes_a_field_back(
    template: Template, tmp_path: Path
) -> None:
    async with desk(template, tmp_path) as at:
        await at.at("people", "name")
        await keys(at.pilot, 'enter ctrl+u "Who_is_concerned" enter')
        await at.at("people", "weight")
        await keys(at.pilot, "2 comma 5 enter")
        node = at.stored("people")
        assert (node.name, node.weight) == ("Who is concerned", 2.5)
        await keys(at.pilot, "u")
        assert at.stored("people").weight == 1
        assert at.stored("people").name == "Who is concerned"
        await keys(at.pilot, "u")
        assert at.stored("people").name == "Those concerned"


async def test_no_key_of_the_builder_fires_while_a_field_is_typed(template: Template, tmp_path: Path) -> None:
    async with desk(template, tmp_path) as at:
        before = [node.key for node in stored(at.path).nodes]
        await at.at("people", "guidance")
        await keys(at.pilot, 'enter "agdxpuUwtbv!s12PJK?/" escape')
        assert at.stored("people").guidance == "agdxpuUwtbv!s12PJK?/"
        assert [node.key for node in stored(at.path).nodes] == before
        assert at.app.screen is at.builder


async def test_what_was_typed_last_is_stored_when_the_app_is_left(template: Template, tmp_path: Path) -> None:
    async with desk(template, tmp_path) as at:
        await at.at("people", "description")
        await keys(at.pilot, 'enter "Last_words"')
        assert at.builder.fields.is_editing
        await at.app.action_quit()
    assert next(n for n in stored(at.path).nodes if n.key == "people").description == "Last words"


async def test_bands_edited_on_the_ruler_are_stored_and_undone_in_the_builder(
    template: Template, tmp_path: Path
) -> None:
    async with desk(template, tmp_path) as at:
        await keys(at.pilot, "b")
        await keys(at.pilot, 'a "All" enter s "Good" enter h h')
        await keys(at.pilot, "escape")
        assert [(b.label, b.min_score, b.max_score) for b in stored(at.path).bands] == [
            ("All", 0, 0.5),
            ("Good", 0.5, 0.98),
        ]
        await keys(at.pilot, "u")
        assert [band.max_score for band in stored(at.path).bands] == [0.5, 1]


async def test_a_rule_is_tried_on_a_subject_of_the_store(template: Template, tmp_path: Path) -> None:
    async with desk(template, tmp_path) as at:
        await at.at("people", "evaluator_config")
        await keys(at.pilot, "enter ctrl+t escape t")
        await until(at.pilot, lambda: at.app.screen is not at.builder)
        await keys(at.pilot, "end enter")
        rows = at.builder.fields.fields_list

        def told() -> str:
            return "".join(text for line in rows.open_lines(rows.row_cursor) for text, _ in line)

        await until(at.pilot, lambda: "Tried on" in told())
        assert "section.field is missing" in told()
        assert "The rule answers: Miss" in told()


async def test_the_choice_of_a_scale_offers_those_of_the_store_and_marks_what_is_published(
    template: Template, tmp_path: Path
) -> None:
    async with desk(template, tmp_path) as at:
        new = Scale(id="ab", name="Zero or one", levels=(Level(id="z", label="Zero"),))
        (await at.app.engine()).save_scale(new)
        await at.builder.read_scales().wait()
        await at.at("people", "scale")
        await keys(at.pilot, "enter")
        assert "published · 3 levels" in screen_text(at.app)
        await keys(at.pilot, "z enter")
        assert at.stored("people").scale_id == new.id
