"""A matter's rubric and work on the matter, into a store: ``matter rubric`` and ``matter evaluate``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.engine import Engine
from rubrictui.interchange.documents import RubricFile
from rubrictui.interchange.yaml_reader import read_files

Cli = Callable[..., Any]

RUBRIC = "Wrenfold Instruments and Calder Optics, mutual confidentiality agreement"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def published(cli: Cli, store: Path) -> Path:
    """A store with the published rubric of a shipped matter."""
    assert cli("matter", "rubric", "clean-nda", "--publish", "--db", store).code == 0
    return store


def evaluate(cli: Cli, store: Path, *more: object, actions: object = "associate", **given: Any) -> Any:
    return cli("matter", "evaluate", "clean-nda", "--db", store, "--actions", actions, *more, **given)


def test_the_rubric_that_is_printed_reads_back(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "rubric.yaml"
    assert cli("matter", "rubric", "clean-nda", "-o", file).code == 0
    assert file.read_text(encoding="utf-8") == cli("matter", "rubric", "clean-nda").out
    reading = read_files([file])
    assert reading.findings == ()
    (rubric,) = [one for one in reading.documents if isinstance(one, RubricFile)]
    assert rubric.name == RUBRIC
    again = cli("matter", "rubric", "clean-nda", "-o", file)
    assert again.code == 2
    assert "is there already" in again.err


def test_a_rubric_is_loaded_as_a_draft_published_when_asked_and_loaded_once(cli: Cli, store: Path) -> None:
    states = []
    for flag in ("--load", "--publish", "--publish"):
        done = cli("matter", "rubric", "clean-nda", flag, "--db", store, "--json")
        states.append((done.data["status"], done.data["version"]))
    assert states == [("Draft", None), ("Published", "1.0.0"), ("Published", "1.0.0")]
    assert "there already" in cli("matter", "rubric", "clean-nda", "--load", "--db", store).out


def test_a_rubric_of_the_same_name_from_elsewhere_is_left_alone(cli: Cli, store: Path) -> None:
    with Engine(store) as engine:
        engine.create_rubric(RUBRIC)
    done = cli("matter", "rubric", "clean-nda", "--load", "--db", store)
    assert done.code == 2
    assert "which was not made from this matter" in done.err


def test_work_is_stored_and_scored_beside_its_score_of_record(cli: Cli, published: Path) -> None:
    done = evaluate(cli, published, "--record", "a", "--json")
    assert done.code == 0, done.err
    assert done.data["score"] == 0.583333
    assert done.data["score_of_record"]["normalized_score"] == 0.4583
    shown = cli("show", "--evaluation", done.data["evaluation_id"], "--db", published).out
    assert "score 58.33 of 100 · Scored" in shown
    assert "score of record, by the matter's own rules: 0.4583 (1.8333 of 4 points, penalties -0.5)" in shown
    # A shipped matter is known by what it is: no folder of this machine is kept.
    assert (
        "sample_data"
        not in cli("show", "--evaluation", done.data["evaluation_id"], "--db", published, "--json").out
    )


def test_a_rerun_takes_the_place_of_the_last(cli: Cli, published: Path) -> None:
    for _ in range(2):
        assert evaluate(cli, published, "--record", "a").code == 0
    found = cli("evaluations", "--db", published, "--json").data
    assert sorted(one["status"] for one in found) == ["Submitted", "Superseded"]


def test_other_work_under_the_same_id_is_refused_until_it_is_asked_for(cli: Cli, published: Path) -> None:
    evaluate(cli, published, "--record", "a")
    refused = evaluate(cli, published, "--record", "a", actions="reference")
    assert refused.code == 2
    assert "Work product/a is stored with other content." in refused.err
    replaced = evaluate(cli, published, "--record", "a", "--replace", actions="reference")
    assert "score of record, by the matter's own rules: 1 (4 of 4 points)" in replaced.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--record", ""), "needs a name"),
        (("--record", "a", "--context", "Round/none"), 'no context "Round/none"'),
        (("--record", "a", "--entity", "a/b"), "slash"),
    ],
    ids=["no id", "no context", "an entity with a slash"],
)
def test_what_cannot_be_stored_is_one_line_and_stores_nothing(
    cli: Cli, published: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = evaluate(cli, published, *arguments)
    assert done.code != 0
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    with Engine(published) as engine:
        assert engine.subjects() == ()


@pytest.mark.parametrize("load", [False, True], ids=["not stored", "a draft"])
def test_work_waits_for_the_published_rubric(cli: Cli, store: Path, *, load: bool) -> None:
    with Engine(store):
        pass
    if load:
        cli("matter", "rubric", "clean-nda", "--load", "--db", store)
    done = evaluate(cli, store, "--record", "a")
    assert done.code == 2
    assert ("a draft version there" if load else "not in the store") in done.err
    assert "matter rubric clean-nda --publish" in done.err


def test_hostile_words_in_the_work_reach_the_terminal_made_visible(cli: Cli, published: Path) -> None:
    line = '{"type": "ask_client", "question": "signatory \\u001b[31mred"}'
    done = evaluate(cli, published, "--record", "a", "--title", "\x1b[31mT", actions="-", stdin=line)
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
