"""What the page about agreement types prints what it shows, and its reasons are those of the program."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rubrictui.core.agreement_report import Reason
from rubrictui.core.diagnostics import DiagnosticFlag

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "agreement.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```\n```text\n(.*?)^```\n", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("language", "block", "shown"), BLOCKS)
def test_every_block_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, block: str, shown: str
) -> None:
    shutil.copytree(DOCS / "examples", tmp_path / "examples")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    command = ["sh", "-ec", block] if language == "sh" else [sys.executable, "-c", block]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == shown.strip()


def test_every_reason_and_every_flag_stands_on_the_page() -> None:
    assert len(BLOCKS) == 4
    assert [word for word in (*Reason, *DiagnosticFlag) if f"`{word.value}`" not in PAGE] == []
