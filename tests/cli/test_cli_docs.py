"""docs/cli.md holds the help of every command as the program prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrictui.cli.docs import commands_without_help, help_texts, main, with_current_help

PAGE = Path(__file__).parent.parent.parent / "docs" / "cli.md"


def test_every_command_stands_on_the_page() -> None:
    assert commands_without_help(PAGE.read_text(encoding="utf-8")) == []


def test_the_help_on_the_page_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_current_help(page), "run: make docs"


@pytest.mark.parametrize(("command", "text"), help_texts().items(), ids=list(help_texts()))
def test_help_fits_a_narrow_terminal(command: str, text: str) -> None:
    beyond = [line for line in text.splitlines() if len(line) > 80 and "rubrictui" not in line]
    assert beyond == []
    assert text.startswith(f"usage: {command}")


def test_help_is_what_the_option_prints(cli: Any) -> None:
    for arguments in ([], ["score"], ["db", "backup"]):
        done = cli(*arguments, "--help")
        assert (done.code, done.out) == (0, help_texts()[" ".join(["rubrictui", *arguments])])


def test_a_page_that_lacks_a_command_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "cli.md"
    page.write_text("<!-- help: rubrictui list -->\nold\n<!-- end -->\n")
    assert main([str(page)]) == 1
    assert "usage: rubrictui list" in page.read_text()
    assert "no block for: rubrictui score" in capsys.readouterr().err
