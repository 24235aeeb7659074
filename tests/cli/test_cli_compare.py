"""``rubrictui matrix``, ``rank`` and ``agreement`` on a real store, and what a blind viewer gets of them."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.records import Role, Subject
from rubrictui.engine import Engine

Cli = Callable[..., Any]
SPRING = "Round/prize"
REVIEWERS = ("ann", "ben", "cai")
COUNT = 21


def answered(version: VersionSnapshot, number: int, place: int) -> list[Answer]:
    """Answers that follow the subject, with a reviewer's own leaning; every tenth subject fails the first gate."""
    found = []
    for at, node in enumerate(node for node in version.nodes if node.is_criterion):
        scale = next(scale for scale in version.scales if scale.id == node.scale_id)
        levels = sorted(scale.levels, key=lambda level: level.normalized_value)
        if not levels:
            found.append(Answer(criterion_id=node.id, raw_value=scale.max_value, rationale="All."))
            continue
        wanted = (number * 3 + at + (place if (number + at) % 4 == 0 else 0)) % len(levels)
        if node.is_gate:
            wanted = 0 if number % 10 == 9 else len(levels) - 1
        found.append(Answer(criterion_id=node.id, scale_level_id=levels[wanted].id, rationale="=1+1 because"))
    return found


@pytest.fixture(scope="module")
def panel(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round of the Awards example with enough subjects for coefficients, all of it submitted but one review."""
    path = tmp_path_factory.mktemp("panel") / "panel.db"
    shutil.copy(sample_store, path)
    with Engine(path) as engine:
        engine.add_subjects(
            [Subject(entity="Entry", record_id=f"e{n}", title=f"Entry {n}") for n in range(COUNT)]
        )
        for name in REVIEWERS:
            engine.add_user(name, display_name=name.title())
        engine.add_user("dora", roles=[Role.CHAIR, Role.ADMINISTER_EVALUATIONS])
        engine.open_round(
            "prize",
            rubric="Awards",
            name="Prize",
            subjects=[f"Entry/e{n}" for n in range(COUNT)],
            reviewers=REVIEWERS,
        )
        version = engine.version("Awards")
    for place, name in enumerate(REVIEWERS):
        with Engine(path, user=name) as engine:
            for number in range(COUNT):
                if (name, number) == ("cai", 0):
                    continue
                engine.submit_human_rubric(
                    version_id=version.id,
                    subject=f"Entry/e{number}",
                    context=SPRING,
                    answers=answered(version, number, place),
                )
    return path


def test_a_matrix_lays_the_evaluators_of_a_subject_side_by_side(panel: Path, cli: Cli) -> None:
    ran = cli("matrix", "Entry/e4", "--round", SPRING, "--db", panel)
    assert ran.code == 0
    head = ran.out.splitlines()
    assert head[0].startswith("Entry 4 · Awards")
    assert all(f"{name.title()} (person)" in head[1] for name in REVIEWERS)
    assert "≠ verdicts that differ" in ran.err
    found = cli("matrix", "Entry/e4", "--round", SPRING, "--db", panel, "--json").data
    assert [column["name"] for column in found["columns"]] == ["Ann", "Ben", "Cai"]
    assert found["rows"][0]["count"] == 3
    strict = cli("matrix", "Entry/e4", "--round", SPRING, "--db", panel, "--threshold", "0", "--json").data
    assert strict["disagreements"] >= found["disagreements"]


def test_a_rounds_matrix_and_its_ranking_agree_on_the_order(panel: Path, cli: Cli) -> None:
    matrix = cli("matrix", "--round", SPRING, "--db", panel, "--json").data
    ranking = cli("rank", SPRING, "--db", panel, "--json").data["ranking"]
    ranked = [one["subject"]["id"] for one in ranking["ranked"]]
    assert [row["key"] for row in matrix["rows"]][: len(ranked)] == ranked
    assert {one["subject"]["title"] for one in ranking["unranked"]} == {"Entry 9", "Entry 19"}
    assert all(one["gated_out"] for one in ranking["unranked"])
    words = cli("rank", SPRING, "--db", panel)
    assert "Entry 9" in words.out
    assert "gate failed in 3 of 3" in words.out
    assert "share a place" in words.err


@pytest.mark.parametrize("command", [("matrix", "--round", SPRING), ("rank", SPRING)])
def test_every_format_is_one_document(panel: Path, cli: Cli, command: tuple[str, ...]) -> None:
    rows = list(csv.reader(io.StringIO(cli(*command, "--db", panel, "--csv").out)))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == COUNT + 1
    assert cli(*command, "--db", panel, "--markdown").out.startswith("# Prize\n")
    page = cli(*command, "--db", panel, "--html").out
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert "http" not in page


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("matrix",), "name a subject, or a round"),
        (("matrix", "Entry/e1", "--csv", "--html"), "--csv and --html exclude each other"),
        (("matrix", "Entry/e1", "--threshold", "2"), '"2" is no spread; write a number from 0 to 1'),
        (("rank", SPRING, "--csv", "--json"), "--csv and --json exclude each other"),
    ],
)
def test_wrong_usage_is_told_in_a_line(panel: Path, cli: Cli, arguments: tuple[str, ...], what: str) -> None:
    ran = cli(*arguments, "--db", panel)
    assert ran.code == 2
    assert what in ran.err
    assert ran.err.count("\n") == 1


def test_a_round_that_is_not_there_is_told_in_a_line(panel: Path, cli: Cli) -> None:
    for command in ("rank", "agreement"):
        ran = cli(command, "Round/none", "--db", panel)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.count("\n") == 1


def test_agreement_of_a_round_has_intervals_and_no_nan(panel: Path, cli: Cli) -> None:
    ran = cli("agreement", SPRING, "--db", panel, "--resamples", 50, "--json")
    assert ran.code == 0
    assert "NaN" not in ran.out
    assert ran.data["overall"]["sample_size"] == COUNT
    assert ran.data["overall"]["alpha_interval"]["low"] is not None
    assert len(ran.data["overall"]["pairs"]) == 3
    for measure in ("severity", "consensus", "diagnostics", "confusion"):
        assert cli("agreement", SPRING, "--db", panel, "--measure", measure, "--resamples", 0).code == 0
    plot = cli(
        "agreement", SPRING, "--db", panel, "--measure", "plot", "--kind", "severity", "--resamples", 0
    )
    assert "stricter" in plot.out


def test_a_blind_chair_gets_the_same_bytes_whatever_a_peer_does(
    panel: Path, cli: Cli, tmp_path: Path
) -> None:
    """Dora begins a review of entry 0; then Cai submits his of it."""
    store = tmp_path / "blind.db"
    store.write_bytes(panel.read_bytes())
    with Engine(store, user="dora") as engine:
        engine.open_draft(subject="Entry/e0", rubric="Awards", context=SPRING)
        version = engine.version("Awards")

    def everything() -> str:
        said = []
        for command in (
            ("matrix", "Entry/e0", "--round", SPRING),
            ("matrix", "--round", SPRING),
            ("rank", SPRING),
            ("agreement", SPRING, "--resamples", "5"),
        ):
            for form in ((), ("--csv",), ("--json",)):
                ran = cli(*command, *form, "--db", store, "--user", "dora")
                said.append((command, form, ran.code, ran.out, ran.err))
        return json.dumps(said)

    before = everything()
    with Engine(store, user="cai") as engine:
        engine.submit_human_rubric(
            version_id=version.id, subject="Entry/e0", context=SPRING, answers=answered(version, 0, 2)
        )
    assert everything() == before
    assert "Entry 0" not in "".join(json.loads(before)[3][3])
    assert "left out: you have open work on them" in before
    assert "hidden from you while you have work open on it" in before


def test_an_ordinary_reviewer_compares_her_own_answers_with_the_cohorts_means(panel: Path, cli: Cli) -> None:
    found = cli("matrix", "Entry/e4", "--round", SPRING, "--db", panel, "--user", "ben", "--json").data
    assert [column["name"] for column in found["columns"]] == ["Ben"]
    assert found["rows"][0]["count"] == 3


# -- reports and letters -----------------------------------------------------------------------------


def test_a_report_is_printed_or_written_and_never_over_a_file(panel: Path, cli: Cli, tmp_path: Path) -> None:
    page = tmp_path / "prize.html"
    command = ("report", SPRING, "--db", panel, "--resamples", "5")
    printed = cli(*command)
    assert printed.out.startswith("# Prize\n")
    assert "## Settled" not in printed.out
    ran = cli(*command, "--format", "html", "--to", page)
    assert (ran.code, ran.out) == (0, f"{page}\n")
    assert page.read_text().count("<svg") == 6
    again = cli(*command, "--format", "html", "--to", page)
    assert (again.code, again.err.count("\n")) == (2, 1)
    assert f"{page} is there already. Write elsewhere, or over them with --force." in again.err
    assert cli(*command, "--format", "html", "--to", page, "--force").code == 0
    assert cli(*command, "--format", "csv").code == 2
    receipt = cli(*command, "--format", "csv", "--to", tmp_path / "csv", "--json").data
    assert receipt["subjects"] == COUNT
    assert {Path(name).name for name in receipt["files"]} >= {
        "subjects.csv",
        "evaluations.csv",
        "agreement.csv",
    }


def test_letters_take_a_role_that_reads_all_and_their_wording_may_be_ones_own(
    panel: Path, cli: Cli, tmp_path: Path
) -> None:
    refused = cli("letters", SPRING, "--to", tmp_path / "no", "--db", panel, "--user", "ben")
    assert refused.code == 1
    assert "may not write letters about the evaluations of others" in refused.err
    shown = cli("letters", "--show-template", "markdown").out
    assert "# Feedback on {{ subject }}" in shown
    mine = tmp_path / "mine.md"
    mine.write_text(shown.replace("# Feedback on", "# Thank you for"))
    ran = cli("letters", SPRING, "--to", tmp_path / "out", "--template", mine, "--db", panel, "--json").data
    assert ran["letters"] == COUNT
    text = (tmp_path / "out" / "entry-e4.md").read_text()
    assert text.startswith("# Thank you for Entry 4\n")
    assert not [name for name in REVIEWERS if name.title() in text]
    assert cli("letters", SPRING, "--db", panel).code == 2


def test_subjects_of_a_round_are_exported_and_read_again(panel: Path, cli: Cli, tmp_path: Path) -> None:
    ran = cli("subjects", "export", "--context", SPRING, "--to", tmp_path / "out", "--db", panel)
    assert len(ran.out.splitlines()) == COUNT
    assert "hides no field" in ran.err
    again = cli("subjects", "add", tmp_path / "out", "--entity", "Entry", "--db", tmp_path / "new.db")
    assert "Entry/e4  Entry 4" in again.out
