"""rubrictui: score work with versioned rubrics, in a terminal, as a library and from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Engine", "__version__"]

if TYPE_CHECKING:
    from rubrictui.engine import Engine


def __getattr__(name: str) -> Any:
    """``Engine`` is imported when it is first asked for: the version and the scorer never pay for SQL."""
    if name == "Engine":
        from rubrictui.engine import Engine

        return Engine
    raise AttributeError(f"module 'rubrictui' has no attribute {name!r}")
