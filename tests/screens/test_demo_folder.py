"""The demo opens on a machine where nothing of ours has been before."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubrictui.app import demo_opening
from rubrictui.shell.opening import demo_path


def test_the_folder_of_the_demo_store_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "new" / "home"))
    demo_opening()
    assert demo_path().parent.is_dir()
    assert demo_path().is_relative_to(tmp_path)


def test_a_path_that_was_named_makes_no_folders(tmp_path: Path) -> None:
    demo_opening(tmp_path / "mistyped" / "demo.db")
    assert not (tmp_path / "mistyped").exists()
