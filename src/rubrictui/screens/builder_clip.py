"""What was copied or cut in a builder: one clip for the whole application, so that it can be pasted elsewhere."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from textual.app import App

from rubrictui.core.editing import Clip

_clips: WeakKeyDictionary[App[Any], Clip] = WeakKeyDictionary()


def clip_of(app: App[Any]) -> Clip | None:
    """What was copied last; None when nothing was."""
    return _clips.get(app)


def keep_clip(app: App[Any], clip: Clip) -> None:
    """Remember what was copied, until something else is or the application ends."""
    _clips[app] = clip
