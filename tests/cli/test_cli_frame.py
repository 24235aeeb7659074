"""Every command starts quickly, prints data on stdout and errors in one line, and exits as documented."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from rubrictui.cli import _frame
from rubrictui.cli._output import Output, aligned, number, short

HEAVY = ("textual", "sqlalchemy", "sqlmodel", "numpy", "alembic", "krippendorff", "rich")

VERSION = {
    "nodes": [{"id": "n1", "key": "a", "scale_id": "s1"}],
    "scales": [{"id": "s1", "scale_type": "Numeric", "min_value": 0, "max_value": 10}],
}


def process(*arguments: str, code: str = "", env: dict[str, str] | None = None, **rest: Any) -> Any:
    command = [sys.executable, *(["-c", code] if code else ["-m", "rubrictui"]), *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **(env or {})},
        check=False,
        **rest,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["score", "--version", "version.json", "--answers", "answers.json", "--json"],
        ["--help"],
    ],
    ids=["version", "score", "help"],
)
def test_nothing_heavy_is_imported(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "version.json").write_text(json.dumps(VERSION))
    (tmp_path / "answers.json").write_text('[{"criterion_id": "n1", "raw_value": 5}]')
    code = (
        "import sys\n"
        "from rubrictui.__main__ import main\n"
        "code = main(sys.argv[1:])\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not heavy, heavy\n"
        "sys.exit(code)\n"
    )
    done = process(*arguments, code=code, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_version_is_printed_without_building_any_parser() -> None:
    code = (
        "import sys\n"
        "from rubrictui.__main__ import main\n"
        "main(['--version'])\n"
        "assert 'argparse' not in sys.modules and 'msgspec' not in sys.modules\n"
    )
    done = process(code=code)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("rubrictui ")


def write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


# What is typed, the exit code, and words that the one line must have.
MISTAKES: list[tuple[list[str], int, str]] = [
    (["lst"], 2, 'there is no command "lst". Did you mean "list"?'),
    (["db"], 2, "name one of its commands: info, check, backup, migrate"),
    (["--json"], 2, "--json needs a command"),
    (["list", "--wrong"], 2, "--wrong"),
    (["show"], 2, "give a RUBRIC[@VERSION] or --evaluation ID"),
    (["score"], 2, "give --answers or --batch"),
    (["score", "--answers", "x"], 2, "--answers needs --version"),
    (["score", "--threshold", "2", "--batch", "x"], 2, "no number from 0 to 1"),
    (["diff", "a", "b"], 2, "give RUBRIC VERSION VERSION, or --files, or --batch"),
    (["diff", "--files", "a.json", "b.json", "--bump", "Huge"], 2, "Huge"),
    (["score", "--version", "gone.json", "--answers", "-"], 2, "gone.json cannot be read: No such file"),
    (["score", "--version", ".", "--answers", "-"], 2, ". is a folder"),
    (
        ["score", "--version", "broken.json", "--answers", "-"],
        2,
        "broken.json: this is not JSON: line 1, column 2",
    ),
    (["score", "--version", "nan.json", "--answers", "-"], 2, "NaN is not a number of JSON"),
    (["score", "--version", "deep.json", "--answers", "-"], 2, "nested more than 100 deep"),
    (["score", "--version", "twice.json", "--answers", "-"], 2, 'the key "id" stands twice'),
    (["score", "--version", "word.json", "--answers", "-"], 2, "Average"),
    (["score", "--version", "latin.json", "--answers", "-"], 2, "not UTF-8"),
    (["score", "--version", "large.json", "--answers", "-"], 2, "larger than 64 MB"),
    (["score", "--version", "good.json", "--answers", "illegal.json"], 1, "11"),
    (["score", "--version", "good.json", "--batch", "gone.jsonl"], 2, "gone.jsonl cannot be read"),
    (["score", "--version", "good.json", "--batch", "."], 2, ". cannot be read: Is a directory"),
    (["score", "--version", "bad.yaml", "--answers", "-"], 2, "bad.yaml:2:1: error:"),
    (["score", "--version", "cycle.yaml", "--answers", "-"], 2, "a cycle"),
    (["stats", "kappa", "good.json"], 2, "good.json"),
    (["stats", "consensus", "words.json"], 2, "words.json"),
    (["submit", "words.json"], 2, 'there is no field "scores"'),
    (["validate"], 2, "FILE"),
    (["subjects", "add", "gone.md"], 2, "gone.md does not exist"),
    (["list", "--db", "gone.db"], 3, "`rubrictui load FILE` makes a store there"),
    (["list", "--db", "dangling.db"], 3, "a link to a file that does not exist"),
    (["db", "info", "--db", "dangling.db"], 3, "a link to a file that does not exist"),
    (["subjects", "add", "note.md", "--db", "dangling.db"], 3, "a link to a file that does not exist"),
    (["list", "--db", "good.json"], 3, "is not a rubrictui store"),
    (["list", "--db", "x" * 300], 3, "File name too long"),
    (["list", "--db", "mysql://x"], 3, "kind of store"),
    (["db", "info", "--db", "no/such/folder/x.db"], 3, "does not exist"),
    (["subjects", "add", "note.md", "--db", "no/such/folder/x.db"], 3, "does not exist"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mistakes")
    write(path / "good.json", json.dumps(VERSION))
    (path / "dangling.db").symlink_to("unmounted.db")
    write(path / "illegal.json", '[{"criterion_id": "n1", "raw_value": 11}]')
    write(path / "broken.json", "{x}")
    write(path / "nan.json", '{"pass_threshold": NaN}')
    write(path / "deep.json", "[" * 5000)
    write(path / "twice.json", '{"id": "a", "id": "b"}')
    write(path / "word.json", '{"nodes": [{"id": "a", "key": "a", "rollup_method": "Average"}]}')
    write(path / "latin.json", b'{"id": "\xe9"}')
    with (path / "large.json").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    write(path / "bad.yaml", "kind: rubric\nkind: rubric\nid: r\nname: R\nversion: {id: v}\n")
    write(path / "cycle.yaml", "kind: rubric\nid: r\nname: R\nversion: &a {id: v, instructions: *a}\n")
    write(path / "words.json", '{"scores": ["high"]}')
    write(path / "note.md", "# Note\n")
    return path


@pytest.mark.parametrize("mistake", MISTAKES, ids=[" ".join(mistake[0]) for mistake in MISTAKES])
def test_a_mistake_is_one_line_with_its_exit_code(
    cli: Callable[..., Any],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    mistake: tuple[list[str], int, str],
) -> None:
    arguments, code, words = mistake
    monkeypatch.chdir(folder)
    done = cli(*arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.count("\n") == 1
    assert done.err.startswith("rubrictui")
    assert words in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["lst"], 2),
        (["score", "--version", "broken.json", "--answers", "-"], 2),
        (["list", "--db", "gone.db"], 3),
    ],
)
def test_the_process_ends_with_the_same_code_and_line(folder: Path, arguments: list[str], code: int) -> None:
    done = process(*arguments, cwd=folder, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.count("\n") == 1


def test_debug_shows_the_traceback(folder: Path) -> None:
    done = process("score", "--version", "broken.json", "--answers", "-", "--debug", cwd=folder)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_with_json_a_refusal_is_an_answer_too(cli: Callable[..., Any], folder: Path) -> None:
    done = cli("score", "--version", folder / "good.json", "--answers", folder / "illegal.json", "--json")
    assert done.code == 1
    error = done.data["error"]
    assert (error["kind"], error["key"]) == ("out_of_range", "a")
    assert done.err.count("\n") == 1


def test_a_fault_of_the_program_is_one_line_too(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(_frame, "_run", fail)
    done = cli("list")
    assert (done.code, done.err.count("\n")) == (70, 1)
    assert "RuntimeError: two␊lines" in done.err
    with pytest.raises(RuntimeError):
        cli("list", "--debug")


def test_interrupting_is_no_traceback(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_frame, "_run", stop)
    assert cli("list") == (130, "", "rubrictui: stopped.\n")


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    lines = json.dumps({"version": VERSION, "answers": []}) + "\n"
    (tmp_path / "many.jsonl").write_text(lines * 2000)
    done = process(
        code=(
            "import subprocess, sys\n"
            f"p = subprocess.Popen([sys.executable, '-m', 'rubrictui', 'score', '--batch', {str(tmp_path / 'many.jsonl')!r}],"
            " stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
            "p.stdout.readline(); p.stdout.close()\n"
            "print(p.wait(30), p.stderr.read())\n"
        )
    )
    assert done.stdout.split() == ["0", "b''"]


def test_a_terminal_that_cannot_say_a_character_gets_an_escape(tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text("kind: räubrik\n", encoding="utf-8")
    done = process(
        "validate", "rubric.yaml", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert done.returncode == 1
    assert r"r\xe4ubrik" in done.stdout


def test_the_bare_call_opens_the_application(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import rubrictui.app

    calls: list[Any] = []

    def opened(target: object, **rest: object) -> int:
        calls.append((target, rest))
        return 0

    monkeypatch.setattr(rubrictui.app, "run", opened)
    assert cli().code == 0
    assert cli("--db", "x.db", "--user", "ann", "--no-mouse").code == 0
    assert cli("demo", "--path", "y.db", "--no-mouse").code == 0
    assert calls == [
        (None, {"user": None, "no_mouse": None}),
        ("x.db", {"user": "ann", "no_mouse": True}),
        ("y.db", {"demo": True, "no_mouse": True}),
    ]


def test_without_a_terminal_the_bare_call_says_what_it_needs() -> None:
    done = process(stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "needs a terminal" in done.stderr


class Terminal:
    """A stream that says it is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)


def test_nothing_stored_reaches_the_terminal_as_a_command() -> None:
    stream = Terminal()
    evil = "a\x1b]52;c;AAAA\x07b\x9b2J\u202etxt\ufeff"
    output = Output(stream, stream)  # type: ignore[arg-type]
    output.text(evil)
    output.table(("x",), [(evil + "\nsecond",)])
    output.say(evil + "\nsecond")
    output.data({"x": evil})
    output.line({"x": evil})
    assert not set("\x1b\x07\x9b\u202e\ufeff") & set(stream.text)
    assert "␛]52;c;AAAA␇b" in stream.text
    assert stream.text.count("second\n") == 2


def test_json_on_a_terminal_reads_back_equal() -> None:
    stream = Terminal()
    text = "\x7f\x85\u2028\u202e\ufeff ok"
    Output(stream, stream).data({"x": text})  # type: ignore[arg-type]
    assert json.loads(stream.text) == {"x": text}


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    assert aligned(("a", "n"), [("日本", 1), ("x", 22)], right=(1,)) == ["a      n", "日本   1", "x     22"]


def test_numbers_and_beginnings_of_texts() -> None:
    assert [number(v) for v in (None, 0.0, -0.0, 1.0, 0.8333333, 100.0)] == [
        "–",
        "0",
        "0",
        "1",
        "0.833333",
        "100",
    ]
    assert short("a  b\nc", 4) == "a b…"


def shell(script: str, folder: Path) -> tuple[int, str, str]:
    """A line of shell with ``R`` as the program: its exit code and what it printed."""
    done = subprocess.run(
        ["sh", "-c", f'R() {{ "{sys.executable}" -m rubrictui "$@"; }}; {script}'],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", ["--version", "--help", "stats alpha a.json", "stats alpha a.json --json"]
)
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path, arguments: str) -> None:
    (tmp_path / "a.json").write_text("[[1, 1], [2, 2]]")
    code, _, err = shell(f"R {arguments} > /dev/full", tmp_path)
    assert (code, err.count("\n")) == (2, 1)
    assert "No space left on device" in err
    assert "fault" not in err


def test_streams_that_are_closed_from_the_start_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[[1, 1], [2, 2]]")
    assert shell("R stats alpha a.json >&-", tmp_path) == (0, "", "")
    assert shell("R stats alpha a.json >&- 2>&- <&-", tmp_path) == (0, "", "")
    code, _, err = shell("R stats alpha - <&-", tmp_path)
    assert (code, err) == (2, "rubrictui: standard input: there is nothing in it. Write JSON.\n")


def test_a_refusal_of_the_machine_itself_is_no_fault_of_the_program(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(36, "File name too long", "x" * 5000)

    monkeypatch.setattr("rubrictui.cli._frame._run", refuse)
    done = cli("list")
    assert done.code == 2
    assert len(done.err) < 250
    assert done.err.startswith("rubrictui: xxx")


def test_a_table_fits_the_terminal_by_cutting_its_long_texts() -> None:
    rows = [("a-long-reference-that-is-copied", "t" * 60, "u" * 30, 7)]
    lines = aligned(("ref", "title", "other", "n"), rows, right=(3,), width=80)
    assert [cell_len(line) for line in lines] == [80, 80]
    assert lines[1].startswith("a-long-reference-that-is-copied  ttt")
    assert lines[1].endswith("…  7")
    assert "t" * 60 in aligned(("ref", "title", "other", "n"), rows)[1]
    assert len(aligned(("ref", "title", "other", "n"), rows, width=10)) == 2
