"""Writing a long rationale in the reviewer's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rubrictui.core.errors import RubrictuiError

_FALLBACKS = ("sensible-editor", "nano", "vi")


class EditorError(RubrictuiError):
    """The editor could not be run, or said that it failed; the text is as it was."""

    code = "editor"


def editor_command(
    environment: Mapping[str, str], find: Callable[[str], str | None] = shutil.which
) -> list[str]:
    """The editor's command: ``VISUAL``, else ``EDITOR``, else one that is there.

    Raises:
        EditorError: none is set and none is there, or what is set is no command.
    """
    for name in ("VISUAL", "EDITOR"):
        value = environment.get(name, "").strip()
        if value:
            try:
                words = shlex.split(value)
            except ValueError as error:
                raise EditorError(f"{name} is no command: {value!r}.", remedy="Correct it.") from error
            if words:
                return words
    for candidate in _FALLBACKS:
        if find(candidate):
            return [candidate]
    raise EditorError("There is no editor.", remedy="Set EDITOR, for example to nano.")


def edit(
    text: str,
    *,
    environment: Mapping[str, str] = os.environ,
    run: Callable[[Sequence[str]], int] = subprocess.call,
) -> str:
    """The text as the reviewer left it in her editor.

    The file is hers alone (mode 600) and is removed afterwards, unless the editor failed or was killed:
    then what she wrote stays in it and the error names it.

    Args:
        text: what to begin with.
        environment: where ``VISUAL`` and ``EDITOR`` are looked up.
        run: runs the command and returns its exit code.

    Raises:
        EditorError: there is no editor, it could not be run or it failed.
    """
    command = editor_command(environment)
    handle, name = tempfile.mkstemp(prefix="rationale-", suffix=".md")
    path = Path(name)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
    try:
        code = run([*command, name])
    except OSError as error:
        path.unlink(missing_ok=True)
        raise EditorError(
            f"{command[0]} cannot be run: {error.strerror}.", remedy="Correct EDITOR."
        ) from error
    if code != 0:
        raise EditorError(f"{command[0]} ended with code {code}.", remedy=f"What you wrote is in {name}.")
    try:
        written = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise EditorError(f"{name} cannot be read: {error.strerror}.") from error
    path.unlink(missing_ok=True)
    return written.removesuffix("\n") if not text.endswith("\n") else written
