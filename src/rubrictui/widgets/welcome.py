"""What a store without anything in it says: try the samples, or begin with real work."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

COMMANDS: tuple[tuple[str, str], ...] = (
    ("rubrictui subjects add report.md", "what is to be scored: Markdown, text, CSV, JSON, folders"),
    ("rubrictui load rubric.yaml", "a rubric of your own, ready to score with"),
    (
        'rubrictui assign Subject/report --rubric "My rubric" --to LOGIN',
        "who scores what; R reads the inbox again",
    ),
)


class Welcome(Widget):
    """The welcome of an empty store. It only shows; the keys are the screen's."""

    ALLOW_SELECT = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "welcome--title",
        "welcome--key",
        "welcome--command",
        "welcome--muted",
    }
    """
    | Class | Description |
    | :- | :- |
    | `welcome--title` | The headings. |
    | `welcome--key` | A key to press. |
    | `welcome--command` | A command to type in a shell. |
    | `welcome--muted` | What goes without saying. |
    """

    DEFAULT_CSS = """
    Welcome {
        height: 1fr;
        padding: 1 2;
        overflow-y: auto;
        & > .welcome--title { color: $accent; text-style: bold; }
        & > .welcome--key { text-style: bold; color: $primary; }
        & > .welcome--command { color: $success; }
        & > .welcome--muted { color: $text-muted; }
    }
    """

    def render(self) -> Content:
        title, key, command, muted = (
            self.get_visual_style(f"welcome--{name}", partial=True)
            for name in ("title", "key", "command", "muted")
        )
        lines = [
            Content.assemble(("This store is empty.", title)),
            Content(""),
            Content.assemble(("Look around first", title)),
            Content.assemble("  ", ("d", key), "  open the demo, which has a store of its own"),
            Content.assemble("  ", ("l", key), "  load the samples into this store: six worked examples,"),
            Content("     the rubrics for agents, and subjects waiting to be scored"),
            Content(""),
            Content.assemble(("Write a rubric of your own", title)),
            Content.assemble(
                "  ",
                ("c", key),
                "  the catalog, and there ",
                ("a", key),
                "  a new rubric, shaped by single keys",
            ),
            Content(""),
            Content.assemble(("Begin with real work", title), ("  (in a shell)", muted)),
        ]
        for line, what in COMMANDS:
            lines.append(Content.assemble("  ", (line, command)))
            lines.append(Content.assemble("     ", (what, muted)))
        return Content("\n").join(lines)
