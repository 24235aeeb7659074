"""Writing a report to a new file: what is there already is never written over."""

from __future__ import annotations

from pathlib import Path

from rubrictui.core.errors import InvalidInputError


def write_new(path: Path, content: str | bytes) -> None:
    """Write text, as UTF-8 with the line ends it has, or bytes.

    Raises:
        InvalidInputError: there is something at ``path``, or it cannot be written; nothing is left half-written.
    """
    try:
        with path.open("xb") as file:
            try:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
            except OSError:
                path.unlink(missing_ok=True)
                raise
    except FileExistsError:
        raise InvalidInputError(f"{path} is there already.", remedy="Name another file.") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidInputError(f"{path} cannot be written: {why}.", remedy="Name another file.") from None
