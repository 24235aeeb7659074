"""The screens. Every module here with a ``SCREEN`` is found by listing the package; adding a file adds a screen.

Listing reads file names only. A module is imported when its screen is first wanted, or in the background
once the first frame is painted.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the command palette that is offered everywhere: what it is called, says and does.

    ``action`` is a Textual action in the app's namespace, such as ``app.open('catalog')``.
    """

    title: str
    help: str
    action: str


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """What a screen module says about itself.

    ``opener`` makes the screen from whatever its caller passes. A screen that needs nothing can be opened
    by name (``app.open('name')``) and lists the palette entries that do so.
    """

    name: str
    title: str
    opener: Callable[..., Screen[Any]]
    entries: tuple[Entry, ...] = ()


def names() -> tuple[str, ...]:
    """The module names of this package, sorted; nothing is imported."""
    return tuple(sorted(info.name for info in pkgutil.iter_modules(__path__)))


def load(name: str) -> ScreenSpec | None:
    """The spec of the module ``name``; None for a module that only helps others."""
    if name not in names():
        return None
    spec = getattr(import_module(f"{__name__}.{name}"), "SCREEN", None)
    return spec if isinstance(spec, ScreenSpec) else None


def specs() -> tuple[ScreenSpec, ...]:
    """Every screen there is. Imports all modules."""
    return tuple(spec for name in names() if (spec := load(name)) is not None)
