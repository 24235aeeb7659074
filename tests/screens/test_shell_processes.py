"""The app as a process on a terminal of its own: what it imports, how it ends, what it sends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shell_pty import Terminal

from rubrictui.shell.opening import operating_system_login

RUN = "import sys; from rubrictui.app import run; sys.exit(run(sys.argv[1]))"

# As make does over SSH: it leads the terminal's session, keeps SIGHUP to itself and waits for its child.
PARENT = """
import pathlib, signal, subprocess, sys

told, *app = sys.argv[1:]
signal.signal(signal.SIGHUP, lambda *_: None)
child = subprocess.Popen([sys.executable, "-c", *app])
pathlib.Path(told).write_text(str(child.pid))
sys.exit(child.wait())
"""
FIRST_FRAME = """
import sys
from rubrictui.app import RubrictuiApp
from rubrictui.shell.opening import StoreOpening

class AtTheFirstFrame(RubrictuiApp):
    def on_ready(self):
        heavy = {"sqlalchemy", "sqlmodel", "alembic", "numpy", "yaml", "krippendorff", "pydantic"}
        print(sorted(heavy & set(sys.modules)), len(self.screen.query_one("RowsList").rows))
        self.exit(0)

sys.exit(AtTheFirstFrame(StoreOpening(sys.argv[1])).run(headless=True, size=(80, 24)))
"""


@pytest.fixture(scope="module")
def store(sample_store: Path) -> Path:
    """A store with the samples; tests only read it."""
    return sample_store


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    return {name: str(tmp_path) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}


def test_nothing_heavy_is_imported_before_the_first_frame(store: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME, str(store)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1].startswith("[] ")


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
def test_a_signal_ends_the_app_and_gives_the_terminal_back(
    store: Path, surroundings: dict[str, str], name: str
) -> None:
    number = signal.Signals[name]
    with Terminal(["-c", RUN, str(store)], environment=surroundings) as terminal:
        terminal.wait_for("to score")
        terminal.signal(number)
        assert terminal.wait() == 128 + number
        assert terminal.is_restored()
        assert b"Traceback" not in terminal.output


def test_a_terminal_that_is_closed_ends_the_app(
    store: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    with Terminal(["-c", RUN, str(store)], environment=surroundings) as terminal:
        terminal.wait_for("to score")
        terminal.hang_up()
        assert terminal.wait() == 128 + signal.SIGHUP
    assert not list(tmp_path.rglob("errors.log"))


def test_a_terminal_that_is_closed_ends_an_app_that_its_parent_does_not_tell(
    store: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    told = tmp_path / "pid"
    with Terminal(["-c", PARENT, str(told), RUN, str(store)], environment=surroundings) as terminal:
        terminal.wait_for("to score")
        app = int(told.read_text())
        terminal.hang_up()
        assert terminal.wait() == 128 + signal.SIGHUP
    with pytest.raises(ProcessLookupError):
        os.kill(app, 0)
    assert not list(tmp_path.rglob("errors.log"))


def test_moving_sends_little_and_an_idle_app_sends_nothing(store: Path, surroundings: dict[str, str]) -> None:
    over_ssh = {**surroundings, "SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}
    with Terminal(["-c", RUN, str(store)], environment=over_ssh) as terminal:
        terminal.wait_for(f"{operating_system_login()} · ")  # the engine has answered too
        terminal.read(1)
        assert b"\x1b[?1000h" not in terminal.output  # no mouse over SSH
        assert terminal.read(1.5) == b""
        terminal.press("j")
        assert 0 < len(terminal.read(0.5)) < 2000
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.is_restored()


def test_without_a_terminal_it_says_what_to_do_instead(store: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(store)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "The application needs a terminal. In a script use the commands: rubrictui --help." in done.stderr
