"""``new``: a rubric to begin from that is in order as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


@pytest.mark.parametrize("name", ["Short talk", 'Yes: a "talk" # 1', "{id}", "yes", "N" * 200, "Körper"])
def test_a_new_rubric_is_valid_as_it_is_and_publishes_under_its_name(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    made = cli("new", name)
    assert (made.code, made.err) == (0, "")
    file = tmp_path / "new.yaml"
    file.write_text(made.out, encoding="utf-8")
    checked = cli("validate", file)
    assert (checked.code, checked.out) == (0, "")
    db = ("--db", tmp_path / "store.db")
    assert cli("load", file, *db).out == "Loaded 1 scale, 1 rubric, 1 published.\n"
    (rubric,) = cli("list", "--json", *db).data
    assert (rubric["name"], rubric["versions"][0]["number"]) == (name, "1.0.0")
    version = cli("show", rubric["id"], "--json", *db).data
    assert (version["pass_threshold"], len(version["scales"][0]["levels"])) == (0.6, 3)
    assert [node["key"] for node in version["nodes"]] == ["content", "clarity", "evidence"]


def test_every_new_rubric_has_ids_of_its_own(cli: Cli, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "store.db")
    for name in ("One", "Two"):
        assert cli("new", name, "-o", tmp_path / f"{name}.yaml").out == ""
        assert cli("load", tmp_path / f"{name}.yaml", *db).code == 0
    assert [row["name"] for row in cli("list", "--json", *db).data] == ["One", "Two"]


def test_the_scale_is_named_and_the_file_stands_in_the_comment(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    made = cli("new", "Short talk", "--scale", "Low to high", "-o", file)
    assert (made.code, made.out) == (0, "")
    assert made.err == f"Wrote {file}. Fill it in, then: rubrictui load {file}\n"
    assert file.read_text().count('"Low to high"') == 3
    assert f"rubrictui validate {file}" in file.read_text()


def test_a_file_that_is_there_and_a_name_that_cannot_be_one_are_refused(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("my work")
    refused = cli("new", "Short talk", "-o", file)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "is there already" in refused.err
    assert file.read_text() == "my work"
    for arguments in (["  "], ["a\nb"], ["N" * 201], ["Talk", "--scale", ""]):
        refused = cli("new", *arguments)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), arguments
    nowhere = cli("new", "Talk", "-o", tmp_path / "none" / "x.yaml")
    assert (nowhere.code, nowhere.err.count("\n")) == (2, 1)


def test_a_rubric_without_a_publication_is_said_to_be_a_draft(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "draft.yaml"
    text = cli("new", "Short talk").out
    file.write_text(text[: text.rindex("---")])
    db = ("--db", tmp_path / "store.db")
    loaded = cli("load", file, *db)
    assert loaded.err == (
        "1 rubric loaded as a draft; add a publication document to publish it (docs/formats.md)\n"
    )
    assert cli("load", file, *db).err == ""
    assert cli("load", file, "--no-publish", "--db", tmp_path / "other.db").err == ""
