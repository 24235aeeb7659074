"""A rationale can be written in the reviewer's own editor, and is not lost when that fails."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from rubrictui.screens.scoring_external import EditorError, edit, editor_command


def test_the_editor_is_the_one_that_is_set() -> None:
    assert editor_command({"EDITOR": "nano -w"}) == ["nano", "-w"]
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_command({}, find=lambda name: "/bin/vi" if name == "vi" else None) == ["vi"]


def test_no_editor_is_said_with_what_to_do() -> None:
    with pytest.raises(EditorError, match=r"There is no editor\. Set EDITOR"):
        editor_command({}, find=lambda _: None)
    with pytest.raises(EditorError, match="EDITOR is no command"):
        editor_command({"EDITOR": "vi 'unclosed"})


def test_what_was_written_comes_back_and_the_file_is_gone() -> None:
    seen: list[Path] = []

    def run(command: Sequence[str]) -> int:
        path = Path(command[-1])
        seen.append(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_text() == "before"
        path.write_text("before, and after\n")
        return 0

    assert edit("before", environment={"EDITOR": "x"}, run=run) == "before, and after"
    assert not seen[0].exists()


def test_an_editor_that_fails_leaves_what_was_written() -> None:
    seen: list[Path] = []

    def run(command: Sequence[str]) -> int:
        seen.append(Path(command[-1]))
        seen[0].write_text("half a sentence")
        return 1

    with pytest.raises(EditorError, match="What you wrote is in") as caught:
        edit("", environment={"EDITOR": "x"}, run=run)
    assert str(seen[0]) in str(caught.value)
    assert seen[0].read_text() == "half a sentence"
    seen[0].unlink()


def test_an_editor_that_is_not_there_is_named() -> None:
    with pytest.raises(EditorError, match="no-such-editor-here cannot be run"):
        edit("text", environment={"EDITOR": "no-such-editor-here"})


def test_bytes_that_are_no_text_do_not_stop_it() -> None:
    def run(command: Sequence[str]) -> int:
        Path(command[-1]).write_bytes(b"caf\xe9")
        return 0

    assert edit("x", environment={"EDITOR": "x"}, run=run) == "caf\ufffd"
