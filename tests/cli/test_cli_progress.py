"""How far a command is: a line on a terminal that goes whatever ends the work, and nothing elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from rubrictui.cli._progress import Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _interrupted() -> None:
    with Bar("files") as bar:
        bar.show(1, 2)
        bar.show(1, 2)
        raise KeyboardInterrupt


@pytest.mark.parametrize(("stream", "shown"), [(Terminal, True), (io.StringIO, False)])
def test_the_line_is_written_on_a_terminal_and_taken_away_though_the_work_fails(
    stream: type[io.StringIO], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    with pytest.raises(KeyboardInterrupt):
        _interrupted()
    written = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert written.count("1 of 2 files") == int(shown)
    assert written.endswith("\r\x1b[K") is shown
