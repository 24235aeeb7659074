"""Settings, the error log, discovery: what the shell keeps and finds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rubrictui import screens
from rubrictui.core.errors import InvalidInputError
from rubrictui.shell.error_log import ErrorLog
from rubrictui.shell.opening import demo_path, operating_system_login
from rubrictui.shell.settings import Settings, load_settings, save_settings


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.json"
    kept = Settings(theme="rubrictui-light", mouse=False, keys={"inbox.filter": "f"})
    save_settings(path, kept)
    assert load_settings(path) == kept
    assert [p.name for p in path.parent.iterdir()] == ["config.json"]


def test_without_a_file_the_settings_are_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.json") == Settings()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'{"theme": 3}', b'{"keys": {"a": null}}', b"\xff\xfe", b"[" * 100_000]
)
def test_broken_settings_are_refused_in_one_line_that_names_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError) as caught:
        load_settings(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_that_cannot_be_written_are_an_error_of_ours(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        save_settings(blocker / "config.json", Settings())


def test_the_error_log_makes_its_folder_on_the_first_error_and_starts_anew_when_it_is_long(
    tmp_path: Path,
) -> None:
    log = ErrorLog(tmp_path / "state" / "errors.log")
    assert not log.path.parent.exists()
    log.add(ValueError("the first"))
    assert "ValueError: the first" in log.path.read_text()
    log.write("x" * 1_000_001)
    log.add(ValueError("the second"))
    assert log.path.read_text().count("ValueError") == 1
    assert log.path.with_suffix(".old.log").exists()


def test_a_log_that_cannot_be_written_is_no_second_error(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    ErrorLog(blocker / "errors.log").add(ValueError("lost"))


def test_the_demo_store_is_never_the_users_own() -> None:
    from rubrictui.store.locations import default_path

    assert demo_path() != default_path()


def test_the_first_rows_are_asked_for_by_the_login_the_engine_will_find() -> None:
    from rubrictui.engine.base import operating_system_login as engine_login

    assert operating_system_login() == engine_login()


def test_screens_are_found_by_listing_the_package() -> None:
    found = {spec.name: spec for spec in screens.specs()}
    assert {"inbox", "catalog", "subjects"} <= found.keys()
    assert screens.load("base") is None
    assert screens.load("no such screen") is None
    for spec in found.values():
        assert spec.title
        for entry in spec.entries:
            assert entry.action.startswith("app.")


def test_listing_the_screens_imports_none_of_them() -> None:
    code = (
        "import sys; from rubrictui import screens; assert 'inbox' in screens.names();"
        "print([m for m in sys.modules if m.startswith('rubrictui.screens.') or m.startswith('textual')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
