"""The shipped matters go by name, their trajectories too, and ``matter list`` tells what there is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.sample_data import matter_folders

Cli = Callable[..., Any]

FOLDERS = {folder.name: folder for folder in matter_folders()}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of matters, one whole and one broken, in an empty current directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "matters"
    shutil.copytree(FOLDERS["clean-nda"], folder / "ours")
    (folder / "broken").mkdir()
    (folder / "broken" / "matter.yaml").write_text("title: [", "utf-8")
    (folder / "notes").mkdir()
    return folder


def test_the_list_names_shipped_matters_with_their_trajectories(cli: Cli) -> None:
    done = cli("matter", "list", "--json")
    assert done.code == 0
    assert [entry["name"] for entry in done.data] == list(FOLDERS)
    assert all(entry["shipped"] and entry["problems"] == 0 for entry in done.data)
    assert all({"reference", "keyword-stuffing"} < set(entry["trajectories"]) for entry in done.data)
    assert "supply-negotiation" in cli("matter", "list").out


def test_the_list_tells_of_a_matter_that_cannot_be_loaded(cli: Cli, own: Path) -> None:
    entries = {entry["name"]: entry for entry in cli("matter", "list", "matters", "--json").data}
    assert set(entries) == {*FOLDERS, "matters/broken", "matters/ours"}
    assert entries["matters/ours"]["max_score"] == 4
    assert not entries["matters/ours"]["shipped"]
    assert "matter.yaml" in entries["matters/broken"]["error"]
    assert "cannot be loaded" in cli("matter", "list", "matters").out
    assert [one["name"] for one in cli("matter", "list", own / "ours", "--json").data][-1] == str(
        own / "ours"
    )


@pytest.mark.parametrize("folder", ["matters/notes", "nowhere"])
def test_a_folder_without_a_matter_is_told_in_one_line(cli: Cli, own: Path, folder: str) -> None:
    done = cli("matter", "list", folder)
    assert done.code == (2 if folder == "nowhere" else 0)
    assert done.err.count("\n") == 1
    assert folder in done.err


@pytest.mark.parametrize(
    "command",
    [
        ("lint", "saas-agreement"),
        ("show", "saas-agreement"),
        ("probe", "saas-agreement"),
        ("gate", "--matter", "saas-agreement", "Nothing of note."),
        ("score", "--matter", "saas-agreement", "--actions", "reference", "--check", "1"),
        ("metrics", "--matter", "saas-agreement", "reference", "associate"),
    ],
    ids=lambda command: command[0],
)
def test_a_name_stands_where_a_folder_does(cli: Cli, own: Path, command: tuple[str, ...]) -> None:
    done = cli("matter", *command)
    assert done.code == 0, done.err


def test_a_shipped_matter_is_played_by_name(cli: Cli, own: Path) -> None:
    done = cli("matter", "play", "clean-nda", stdin="read nda 7\nfinal Nothing.\n")
    assert done.code == 0
    assert "returns or destroys" in done.out


def test_a_folder_of_that_name_wins(cli: Cli, own: Path) -> None:
    shutil.copytree(own / "ours", "saas-agreement")
    assert cli("matter", "show", "saas-agreement", "--json").data["matter_id"] == "sample_clean_nda"


def test_a_file_of_that_name_wins_over_a_trajectory(cli: Cli, own: Path) -> None:
    Path("reference").write_text('{"type": "submit_final"}\n', "utf-8")
    done = cli("matter", "score", "--matter", "clean-nda", "--actions", "reference", "--json")
    assert done.data["steps"] == 1


def test_metrics_call_an_episode_as_it_was_named(cli: Cli) -> None:
    done = cli("matter", "metrics", "--matter", "clean-nda", "reference", "associate", "--episodes", "--json")
    assert [row["name"] for row in done.data] == ["reference", "associate"]


def test_a_matter_without_gates_needs_no_probes(cli: Cli) -> None:
    done = cli("matter", "probe", "clean-nda")
    assert (done.code, done.err) == (0, "clean-nda has no gates, so there is nothing to probe.\n")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("show", "nothing-like-it"), "clean-nda, saas-agreement, supply-negotiation"),
        (("score", "--matter", "clean-nda", "--actions", "nobody"), "associate, keyword-stuffing, reference"),
        (("probe", "missing.yaml"), "missing.yaml"),
    ],
    ids=["matter", "trajectory", "probe file"],
)
def test_a_name_that_is_none_is_told_with_those_that_are(
    cli: Cli, own: Path, command: tuple[str, ...], told: str
) -> None:
    done = cli("matter", *command)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert told in done.err
