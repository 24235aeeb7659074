"""Help on a screen, made from the screen itself: what it is for, and the keys that do something now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, Self

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.text import one_line, pad
from rubrictui.widgets.title_bar import TitleBar


class KeyHelp(NamedTuple):
    """The keys of one action and what it does."""

    keys: str
    text: str


def key_help(bindings: Iterable[ActiveBinding], names: Sequence[str]) -> list[KeyHelp]:
    """One line an action, in the order of the bindings, its keys joined.

    Args:
        bindings: the active bindings; those without an id are Textual's own and left out.
        names: how the key of each of them is written.
    """
    found: dict[tuple[int, str], KeyHelp] = {}
    for (node, binding, enabled, tooltip), name in zip(bindings, names, strict=True):
        if not (binding.id and binding.description and enabled):
            continue
        place = (id(node), binding.action)
        before = found.get(place)
        text = tooltip or binding.description
        if before is None:
            found[place] = KeyHelp(name, text)
        elif name not in before.keys.split(" "):  # keys that share one way of being written
            found[place] = KeyHelp(f"{before.keys} {name}", before.text)
    return list(found.values())


class HelpScreen(ModalScreen[None]):
    """What a screen is for and which keys do something there now.

    Args:
        subject: the title of the screen explained.
        explanation: a few sentences, plain text.
        keys: the keys of that screen.
        everywhere: the keys that are the same on every screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Back", key_display="Esc", id="help.back"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="help.down"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="help.up"),
        Binding("pagedown,space", "page(1)", "Page down", show=False, id="help.page_down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="help.page_up"),
        Binding("home,g", "edge(-1)", "Top", show=False, id="help.top"),
        Binding("end,G", "edge(1)", "Bottom", show=False, id="help.bottom"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape, q, ? | Back to the screen. |
    | down, j / up, k | Scroll. |
    | pageup / pagedown, space | Scroll by a page. |
    | home, g / end, G | To the top; to the bottom. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--heading", "help--key"}
    """
    | Class | Description |
    | :- | :- |
    | `help--heading` | The heading of a group of keys. |
    | `help--key` | A key. |
    """

    DEFAULT_CSS = """
    HelpScreen {
        & > VerticalScroll { padding: 1 2; scrollbar-size-vertical: 1; }
        & > .help--heading { color: $accent; text-style: bold; }
        & > .help--key { color: $primary; text-style: bold; }
    }
    """

    def __init__(
        self, subject: str, explanation: str, keys: Sequence[KeyHelp], everywhere: Sequence[KeyHelp]
    ) -> None:
        super().__init__()
        self._subject = subject
        self._explanation = explanation
        self._keys = list(keys)
        self._everywhere = list(everywhere)

    @classmethod
    def of(cls, screen: Screen[object]) -> Self:
        """Help on ``screen`` as it is now, with the focused widget's own explanation first."""
        texts: list[str] = []
        for node in (screen.focused, screen):
            if node is not None and node.HELP:
                texts.append(node.HELP)
        own: list[ActiveBinding] = []
        shared: list[ActiveBinding] = []
        for entry in screen.active_bindings.values():
            (shared if isinstance(entry.node, App) else own).append(entry)

        def named(entries: list[ActiveBinding]) -> list[KeyHelp]:
            return key_help(entries, [screen.app.get_key_display(entry.binding) for entry in entries])

        return cls(screen.title or screen.name or "", "\n\n".join(texts), named(own), named(shared))

    def compose(self) -> ComposeResult:
        yield TitleBar(f"Help · {self._subject}")
        with VerticalScroll(can_focus=False):
            yield Static(self._content(), markup=False)
        yield KeyFooter()

    def _content(self) -> Content:
        heading = self.get_visual_style("help--heading", partial=True)
        key = self.get_visual_style("help--key", partial=True)
        parts = [Content(self._explanation), Content("")] if self._explanation else []
        width = min(16, max((cell_len(k.keys) for k in (*self._keys, *self._everywhere)), default=0))
        for title, keys in (("Keys here", self._keys), ("Keys everywhere", self._everywhere)):
            if keys:
                parts.append(Content.assemble((title, heading)))
                parts += [
                    Content.assemble("  ", (pad(one_line(k.keys), width), key), "  ", one_line(k.text))
                    for k in keys
                ]
                parts.append(Content(""))
        return Content("\n").join(parts[:-1])

    def action_scroll(self, by: int) -> None:
        """Scroll by ``by`` lines."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        """Scroll by ``by`` pages, keeping a line in sight."""
        view = self.query_one(VerticalScroll)
        page = max(view.scrollable_content_region.height - 1, 1)
        view.scroll_relative(y=by * page, animate=False)

    def action_edge(self, side: int) -> None:
        """Scroll to the top (-1) or the bottom (1)."""
        view = self.query_one(VerticalScroll)
        view.scroll_to(y=0 if side < 0 else view.max_scroll_y, animate=False)
