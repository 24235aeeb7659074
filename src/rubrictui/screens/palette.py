"""The command palette: what the keys of this screen do, where else to go, themes, and Quit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import NamedTuple

from textual import on
from textual.command import CommandInput, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.widgets import Input, OptionList

from rubrictui import screens
from rubrictui.styles.themes import TITLES

ANSWERING = "criteria.level_"
"""How the ids of keys begin that give an answer."""


class Command(NamedTuple):
    """One line of the palette."""

    title: str
    help: str
    run: Callable[[], Awaitable[bool]]


class Commands(Provider):
    """Everything that can be done from the screen the palette was opened on."""

    def _commands(self) -> Iterator[Command]:
        seen: set[str] = set()
        # Elsewhere comes first: Enter on an open palette must not change an answer.
        for command in (*self._elsewhere(), *self._of_screen(), *self._always()):
            if command.title not in seen:
                seen.add(command.title)
                yield command

    def _of_screen(self) -> Iterator[Command]:
        for node, binding, enabled, tooltip in self.screen.active_bindings.values():
            if not (enabled and binding.id and binding.description and (binding.show or tooltip)):
                continue  # moving about is for the keys, not for the palette
            if binding.id.startswith(ANSWERING):
                continue  # a level is picked where it can be read
            key = self.app.get_key_display(binding).replace("[", "open bracket")  # help is parsed as markup
            text = f"{tooltip} ({key})" if tooltip else f"Key: {key}"
            yield Command(binding.description, text, partial(self.app.run_action, binding.action, node))

    def _elsewhere(self) -> Iterator[Command]:
        for spec in screens.specs():
            for entry in spec.entries:
                yield Command(entry.title, entry.help, partial(self.app.run_action, entry.action))

    def _always(self) -> Iterator[Command]:
        for name, title in TITLES.items():
            yield Command(
                f"Theme: {title}",
                "Kept for the next time",
                partial(self.app.run_action, f"app.theme({name!r})"),
            )
        yield Command("Quit", "Leave; everything is saved", partial(self.app.run_action, "app.quit"))

    async def discover(self) -> Hits:
        for command in self._commands():
            yield DiscoveryHit(command.title, command.run, help=command.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            if (score := matcher.match(command.title)) > 0:
                yield Hit(score, matcher.highlight(command.title), command.run, help=command.help)


class Palette(CommandPalette):
    """Textual's palette without what blinks."""

    def on_mount(self) -> None:
        self.query_one(CommandInput).cursor_blink = False

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _once(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        """An Enter that was typed before the palette closed on the first one would close what is below it."""
        if self not in self.app.screen_stack:
            event.stop()
            event.prevent_default()
