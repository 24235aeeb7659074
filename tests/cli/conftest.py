"""Running commands inside the test process: quick, and with everything they print."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rubrictui.__main__ import main

VECTORS = Path(__file__).parent.parent / "vectors" / "rubrics"


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command; ``stdin`` is what it reads from standard input."""
    monkeypatch.delenv("RUBRICTUI_DB", raising=False)

    def run(*arguments: object, stdin: str | bytes = b"") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run


@pytest.fixture
def store(sample_store: Path, tmp_path: Path) -> Path:
    """A copy of the sample store, to write to."""
    import shutil

    path = tmp_path / "store.db"
    shutil.copy(sample_store, path)
    return path
