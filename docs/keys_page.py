"""Write docs/keys.md from the key bindings of the program: ``python docs/keys_page.py`` (part of ``make docs``)."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key

import rubrictui.app
import rubrictui.screens
import rubrictui.widgets

PAGE = Path(__file__).parent / "keys.md"
HEAD = """# Keys

Everything is done by keys; the footer shows those that matter now, `?` explains the screen and lists all of them, `Ctrl+P` finds a
command by its name. A shortcut never fires while a text field has the focus. Nothing but the terminal's own habits is needed: no key
of tmux, screen or a window manager is the only way to anything.

Every key has a name, in the last column. To change one, write it into `config.json` in your configuration folder
(`rubrictui db info` says where that is): `{"keys": {"form.submit": "ctrl+d"}}`.

This page is made from the program.
"""


def classes() -> Iterator[type[DOMNode]]:
    """The app, its screens and widgets that bind keys, in the order of their files."""
    yield rubrictui.app.RubrictuiApp
    for package in (rubrictui.screens, rubrictui.widgets):
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            for _, found in inspect.getmembers(module, inspect.isclass):
                if found.__module__ == module.__name__ and issubclass(found, DOMNode):
                    yield found


def rows(node: type[DOMNode]) -> list[str]:
    """One table row per action of the class, its keys joined."""
    found: dict[str, tuple[list[str], Binding]] = {}
    for binding in vars(node).get("BINDINGS", ()):
        if isinstance(binding, Binding) and binding.id:
            keys, _ = found.setdefault(binding.action, ([], binding))
            keys += [binding.key_display] if binding.key_display else map(format_key, binding.key.split(","))
    return [
        f"| {' '.join(f'`{key}`' for key in keys)} | {binding.tooltip or binding.description} | {binding.id} |"
        for keys, binding in found.values()
    ]


def title(node: type[DOMNode]) -> str:
    """What people call it: the app, a screen's title, or the words of a widget's name."""
    if issubclass(node, App):
        return "Everywhere"
    name = getattr(node, "TITLE", None) or " ".join(re.findall(r"[A-Z][a-z0-9]*", node.__name__))
    return str(name).removesuffix(" Screen").capitalize()


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for node in classes():
        if table := rows(node):
            parts.append(
                f"## {title(node)}\n\n| keys | what they do | name |\n|---|---|---|\n"
                + "\n".join(table)
                + "\n"
            )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print("docs/keys.md")
