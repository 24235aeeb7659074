"""What the builder's tree says under the cursor is seen where it is said, and nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.core.model import Node, NodeType, VersionSnapshot
from rubrictui.styles.themes import DARK, THEMES
from rubrictui.widgets.builder_rows import NO_SAMPLE
from rubrictui.widgets.builder_tree import BuilderTree


def grown(groups: int) -> VersionSnapshot:
    """So many groups of nine criteria."""
    nodes: list[Node] = []
    for n in range(groups):
        nodes.append(Node(id=f"g{n}", key=f"g{n}", name=f"Group {n}", node_type=NodeType.GROUP, sequence=n))
        nodes += [
            Node(id=f"c{n}-{i}", key=f"c{n}-{i}", name=f"Leaf {n} {i}", parent_id=f"g{n}", sequence=i)
            for i in range(9)
        ]
    return VersionSnapshot(nodes=tuple(nodes))


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.tree_pane = BuilderTree(grown(9))
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield self.tree_pane

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.tree_pane.show(grown(9), problems={}, sample=NO_SAMPLE)
        self.tree_pane.focus()


@asynccontextmanager
async def shown(*, height: int = 23) -> AsyncIterator[tuple[BuilderTree, Pilot[None]]]:
    app = Host()
    async with app.run_test(size=(80, height)) as pilot:
        await pilot.pause()
        yield app.tree_pane, pilot


def seen(tree: BuilderTree) -> list[str]:
    return [tree._painted_lines[y].text for y in range(tree.size.height)]


async def test_what_is_said_at_the_bottom_comes_into_view() -> None:
    async with shown() as (tree, pilot):
        while round(tree.scroll_y) == 0:
            tree.move_to(tree.row_cursor + 1)
        flush = tree.row_cursor - 1
        tree.move_to(0, at_top=True)
        tree.move_to(flush)
        await pilot.pause()
        assert round(tree.scroll_y) == 0
        assert tree._span(flush)[1] == tree.size.height
        tree.note("Once more deletes it.")
        await pilot.pause()
        assert any("Once more deletes it." in line for line in seen(tree))
        assert tree._span(flush)[1] - round(tree.scroll_y) <= tree.size.height  # and pushes nothing out of it


@pytest.mark.parametrize("step", ["fold", "delete"])
async def test_folding_or_deleting_at_the_end_leaves_no_lines_empty(step: str) -> None:
    async with shown(height=34) as (tree, pilot):
        tree.show(grown(60), problems={}, sample=NO_SAMPLE)
        tree.go_to("c59-8")
        await pilot.pause()
        if step == "fold":
            tree.action_fold_all()
        else:
            version = grown(60)
            fewer = replace(version, nodes=version.nodes[:-2])
            tree.show(fewer, problems={}, sample=NO_SAMPLE, focus="c59-6")
        await pilot.pause()
        assert all(line.strip() for line in seen(tree)), seen(tree)


async def test_a_terminal_that_gets_higher_at_the_end_of_a_list_is_filled() -> None:
    async with shown(height=20) as (tree, pilot):
        tree.show(grown(60), problems={}, sample=NO_SAMPLE)
        tree.go_to("c59-8")
        await pilot.pause()
        await pilot.resize_terminal(100, 40)
        await pilot.pause()
        assert tree.size.height > 30
        assert all(line.strip() for line in seen(tree)), seen(tree)


async def test_what_was_said_of_one_row_is_not_said_of_the_row_that_folding_leads_to() -> None:
    async with shown() as (tree, pilot):
        tree.go_to("c3-4")
        tree.note("It is the last of its group.")
        await pilot.pause()
        tree.action_fold_all()
        await pilot.pause()
        assert tree.cursor_id == "g3"
        assert not any("It is the last" in line for line in seen(tree))


async def test_a_list_that_gets_longer_or_shorter_has_nothing_laid_out(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    async with shown() as (tree, pilot):
        await pilot.pause(0.1)
        laid_out: list[bool] = []
        layout = Screen._refresh_layout
        monkeypatch.setattr(
            Screen, "_refresh_layout", lambda self, *r, **k: (laid_out.append(True), layout(self, *r, **k))[1]
        )
        for groups in (30, 2, 60):
            tree.show(grown(groups), problems={}, sample=NO_SAMPLE)
            await pilot.pause()
            bar = tree.vertical_scrollbar
            assert (bar.window_virtual_size, bar.window_size) == (tree.virtual_size.height, tree.size.height)
        tree.go_to("c59-8")
        await pilot.pause()
        tree.show(grown(3), problems={}, sample=NO_SAMPLE)
        await pilot.pause()
        assert any("Leaf 2 8" in line for line in seen(tree))
        assert tree.scroll_y <= max(tree.virtual_size.height - tree.size.height, 0)
        assert laid_out == []
