"""The bottom line: the keys that do something now, the most important first, cut to the width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import ActiveBinding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

Key = tuple[str, str]
"""What is drawn for one binding: its key and its word."""

HELP_ACTION = "help"


def shown_keys(
    bindings: Mapping[str, ActiveBinding], display: Mapping[str, str], later: Sequence[str] = ()
) -> list[Key]:
    """The keys to offer, in the order of the bindings: one per action, enabled ones only, help last.

    Args:
        bindings: ``Screen.active_bindings``: the focused widget's first, then its ancestors', the app's last.
        display: how each key of ``bindings`` is written.
        later: ids of bindings that give way to all others, in the order in which they come then.
    """
    keys: list[Key] = []
    made_way: dict[str, Key] = {}
    help_keys: list[Key] = []
    seen: set[tuple[int, str]] = set()
    for key, (node, binding, enabled, _tooltip) in bindings.items():
        if not (binding.show and enabled) or (id(node), binding.action) in seen:
            continue
        seen.add((id(node), binding.action))
        entry = (display[key], binding.description)
        if binding.id is not None and binding.id in later:
            made_way[binding.id] = entry
        else:
            (help_keys if binding.action.endswith(HELP_ACTION) else keys).append(entry)
    return [*keys, *(made_way[own] for own in later if own in made_way), *help_keys]


def fit_keys(keys: list[Key], width: int) -> list[Key]:
    """As many of ``keys`` as fit into ``width`` cells, from the front; the last one (help) always stays."""
    if not keys:
        return []
    *front, last = keys
    left = width + 1 - _width(last)  # the blank after the last word may fall off the edge
    kept: list[Key] = []
    for key in front:
        left -= _width(key)
        if left < 0:
            break
        kept.append(key)
    return [*kept, last]


def _width(key: Key) -> int:
    return cell_len(key[0]) + cell_len(key[1]) + 3


class KeyFooter(Widget):
    """One line of live keys. It follows the screen's active bindings by itself and paints only when they change.

    A screen's ``FOOTER_LATER`` names bindings by id that give way to the others where there is little room.
    """

    ALLOW_SELECT = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-footer--key", "key-footer--word"}
    """
    | Class | Description |
    | :- | :- |
    | `key-footer--key` | A key. |
    | `key-footer--word` | What it does. |
    """

    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom;
        height: 1;
        background: $footer-background;
        color: $footer-foreground;
        & > .key-footer--key { color: $footer-key-foreground; text-style: bold; }
        & > .key-footer--word { color: $footer-description-foreground; }
    }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._keys: list[Key] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._follow)
        self._follow(self.screen)

    def _follow(self, screen: Screen[object]) -> None:
        keys = self._read(screen.active_bindings.items())
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def _read(self, active: Iterable[tuple[str, ActiveBinding]]) -> list[Key]:
        focused = self.screen.focused
        bindings: dict[str, ActiveBinding] = {}
        display: dict[str, str] = {}
        for key, entry in active:
            shown = self.app.get_key_display(entry.binding)
            character = (
                " "
                if key == "space"
                else next((k for k in (key, shown) if k.isascii() and len(k) == 1), None)
            )
            if focused is None or not focused.check_consume_key(key, character):
                bindings[key], display[key] = entry, shown
        return shown_keys(bindings, display, getattr(self.screen, "FOOTER_LATER", ()))

    def render(self) -> Content:
        key_style = self.get_visual_style("key-footer--key", partial=True)
        word_style = self.get_visual_style("key-footer--word", partial=True)
        parts: list[Content] = []
        for key, word in fit_keys(self._keys, self.size.width):
            parts.append(Content.assemble(" ", (key, key_style), " ", (word, word_style), " "))
        return Content("").join(parts)
