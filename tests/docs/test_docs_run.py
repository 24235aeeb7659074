"""What the guide tells people to type works, in the order in which it stands there."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
# A block that is run, and the output shown below it.
MATTER_BLOCKS = re.compile(r"^```(sh|python)\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
LINKS = re.compile(r"\]\((?!https?:)([^)#]+)")


def test_every_command_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(DOCS / "examples", tmp_path / "examples")
    monkeypatch.setenv("RUBRICTUI_DB", str(tmp_path / "rubrics.db"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    blocks = re.findall(r"^```sh\n(.*?)^```", (DOCS / "guide.md").read_text(), re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 10
    for line in lines:
        done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def test_what_the_page_of_matters_types_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    blocks = MATTER_BLOCKS.findall((DOCS / "matters.md").read_text(encoding="utf-8"))
    assert len(blocks) > 10
    for language, block, shown in blocks:
        command = ["sh", "-ec", block] if language == "sh" else [sys.executable, "-c", block]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
        assert done.stdout.strip() == shown.strip(), f"the page shows something else for:\n{block}"


@pytest.mark.parametrize(
    "page", [*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md"], ids=lambda page: page.name
)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    missing = [link for link in LINKS.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


def test_the_page_of_keys_is_what_the_program_binds() -> None:
    made = runpy.run_path(str(DOCS / "keys_page.py"))
    assert (DOCS / "keys.md").read_text() == made["page"](), "run: make docs"
