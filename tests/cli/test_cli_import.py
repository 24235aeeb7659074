"""``import``: a look first, then drafts; a file with errors writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.cli.import_ import FORMATS
from rubrictui.interchange.importers import format_names

Cli = Callable[..., Any]
FILES = Path(__file__).parent.parent / "interchange" / "importers" / "files"


def test_every_format_is_named_in_the_help() -> None:
    assert format_names() == FORMATS


def test_a_dry_run_shows_the_tree_and_what_is_left_behind_and_makes_no_store(
    cli: Cli, tmp_path: Path
) -> None:
    store = tmp_path / "none.db"
    shown = cli("import", FILES / "canvas.csv", "--dry-run", "--db", store)
    assert (shown.code, shown.err) == (0, "A dry run: nothing was written.\n")
    assert "Argument [argument] · weight 6 (57.1%) · Missing / Partial / Full" in shown.out
    assert "Not carried over as it is:\n  A blank row is left out. (row 4)\n" in shown.out
    assert not store.exists()


def test_an_import_makes_drafts_once(cli: Cli, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "store.db")
    done = cli("import", FILES / "canvas.csv", "--category", "Courses", *db)
    assert done.code == 0
    assert done.out == (
        '"Essay" imported as a draft: 3 criteria, 3 new scales.\n'
        '"Poster" imported as a draft: 1 criterion, 1 new scale.\n'
    )
    assert done.err.startswith("Not carried over as it is:\n")
    again = cli("import", FILES / "canvas.csv", *db)
    assert again.out == '"Essay" is there already, unchanged.\n"Poster" is there already, unchanged.\n'
    assert [row["name"] for row in cli("list", "--category", "Courses", "--json", *db).data] == [
        "Essay",
        "Poster",
    ]
    look = cli("import", FILES / "canvas.csv", "--dry-run", *db)
    assert '"Essay" is there already, unchanged.' in look.out


def test_a_draft_in_the_way_is_a_refusal_with_a_way_out(cli: Cli, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "store.db")
    file = tmp_path / "my_essay.csv"
    file.write_text("Criterion,Points\nClear,1\n")
    assert cli("import", file, *db).out.startswith('"my essay" imported')
    file.write_text("Criterion,Points\nClear,2\n")
    refused = cli("import", file, *db)
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert "--replace" in refused.err
    assert "it takes --replace" in cli("import", file, "--dry-run", *db).out
    assert cli("import", file, "--replace", *db).out.startswith('The draft of "my essay" replaced: ')


def test_a_file_with_errors_writes_nothing_and_names_row_and_column(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("Criterion,Weight\nA,x\nB,-1\n")
    store = tmp_path / "store.db"
    refused = cli("import", file, "--db", store)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.splitlines()[0].startswith(f"{file}:2:2: error: row 2, column 2 (Weight):")
    assert refused.err.splitlines()[-1] == "Nothing was imported."
    assert not store.exists()
    told = cli("import", file, "--json", "--db", store)
    assert (told.code, told.data["error"]["kind"]) == (1, "number")
    assert [(one["line"], one["column"]) for one in told.data["error"]["problems"]] == [(2, 2), (3, 2)]


def test_the_json_of_a_dry_run_holds_the_trees_and_the_notes(cli: Cli) -> None:
    answer = cli("import", FILES / "table.md", "--dry-run", "--json").data
    assert (answer["format"], answer["dry_run"]) == ("markdown", True)
    (rubric,) = answer["rubrics"]
    assert (rubric["name"], rubric["status"], rubric["criteria"]) == ("Short talk", "new", 3)
    assert [node["key"] for node in rubric["version"]["nodes"]][:2] == ["matter", "point"]
    assert {note["code"] for note in answer["notes"]} == {"level_order", "text"}


def test_options_reach_the_importer(cli: Cli) -> None:
    text = "Criterion,Low (1),High (2)\nGröße,,\n".encode("windows-1252")
    arguments = (
        "import",
        "-",
        "--dry-run",
        "--json",
        "--name",
        "Mine",
        "--format",
        "table",
        "--minimum",
        "zero",
    )
    (rubric,) = cli(*arguments, "--encoding", "windows-1252", stdin=text).data["rubrics"]
    assert rubric["name"] == "Mine"
    levels = rubric["version"]["scales"][0]["levels"]
    assert [level.get("normalized_value", 0) for level in levels] == [0, 1]


USAGE = (
    (("import", FILES / "canvas.csv", "--dry-run", "--name", "One"), "holds 2 rubrics"),
    (("import", FILES / "canvas.csv", "--dry-run", "--format", "word"), 'no format "word"'),
    (("import", FILES / "none.csv"), "cannot be read"),
)


@pytest.mark.parametrize(("arguments", "wanted"), USAGE)
def test_what_cannot_be_asked_is_one_line(cli: Cli, arguments: tuple[object, ...], wanted: str) -> None:
    refused = cli(*arguments)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert wanted in refused.err


def test_nothing_that_a_file_says_reaches_the_terminal_raw(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "evil.csv"
    file.write_text("Criterion,Points\nA\u202eB\u009b31m,1\n", encoding="utf-8")
    shown = cli("import", file, "--dry-run")
    assert shown.code == 0
    assert not {"\u202e", "\u009b", "\x1b"} & set(shown.out)
