"""What a user has chosen, kept in one small JSON file. A broken file gives the defaults and one line.

The file is ``config.json`` in the user's configuration directory (``platformdirs``)::

    {"theme": "rubrictui-light", "mouse": false, "keys": {"inbox.filter": "f"}}
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from rubrictui.core.errors import InvalidInputError


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Choices that outlive a session.

    Attributes:
        theme: a theme's name, or "auto": what the terminal can show.
        mouse: whether the mouse is used; None means yes, but not over SSH.
        keys: binding id to key, for keys the user wants elsewhere (``docs/keys.md`` lists the ids).
        matters: folders of legal matters, or folders that hold some, listed besides the shipped ones.
    """

    theme: str = "auto"
    mouse: bool | None = None
    keys: dict[str, str] = {}
    matters: tuple[str, ...] = ()


def settings_path() -> Path:
    """Where the settings are kept; nothing is created."""
    import platformdirs

    return Path(platformdirs.user_config_dir("rubrictui", appauthor=False)) / "config.json"


def error_log_path() -> Path:
    """Where unexpected errors are written, with their tracebacks."""
    import platformdirs

    return Path(platformdirs.user_state_dir("rubrictui", appauthor=False)) / "errors.log"


def load_settings(path: Path) -> Settings:
    """The settings in ``path``; the defaults when there is no such file.

    Raises:
        InvalidInputError: the file cannot be read, or is not what it should be.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise InvalidInputError(
            f"The settings {path} cannot be read: {error.strerror}.", remedy="The defaults are used."
        ) from error
    try:
        return msgspec.json.decode(raw, type=Settings)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError(
            f"The settings {path} are not valid: {error}.",
            remedy="The defaults are used; mend or delete the file.",
        ) from error


def save_settings(path: Path, settings: Settings) -> None:
    """Write the settings, whole or not at all.

    Raises:
        InvalidInputError: the file cannot be written.
    """
    spare = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        spare.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n")
        spare.replace(path)
    except OSError as error:
        with suppress(OSError):
            spare.unlink(missing_ok=True)
        raise InvalidInputError(
            f"The settings {path} cannot be written: {error.strerror}.",
            remedy="The choice holds until you leave.",
        ) from error
