"""``stats`` over files of ratings."""

from __future__ import annotations

import csv
import io
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.interchange.ratings_in import COLUMNS

Cli = Callable[..., Any]
LEVELS = ("poor", "fair", "good")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """25 subjects, two criteria, two people and a judge who is kinder; one name begins like a formula."""
    rng = random.Random(1)
    lines = [",".join(name for name in COLUMNS)]
    for subject in range(25):
        for key in ("clarity", "depth"):
            true = rng.uniform(0, 2)
            for name, type, bias in (("=Ann", "Human", 0), ("Ben", "Human", 0), ("Judge", "AIPrompt", 0.8)):
                level = LEVELS[min(2, max(0, round(rng.gauss(true + bias, 0.4))))]
                lines.append(f"s{subject},{name},{key},{level},{type}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(lines))
    return path


LEVELS_OPTION = ("--levels", ",".join(LEVELS))


def test_agreement_of_a_file_has_every_criterion_the_overall_score_pairs_and_severities(
    cli: Cli, ratings: Path
) -> None:
    found = cli("stats", "agreement", ratings, *LEVELS_OPTION, "--resamples", 50, "--json").data
    assert [row["key"] for row in found["criteria"]] == ["clarity", "depth"]
    assert found["overall"]["sample_size"] == 25
    assert len(found["overall"]["pairs"]) == 3
    ac2 = found["criteria"][0]["ac2"]
    assert ac2["low"] < ac2["value"] < ac2["high"]
    assert found["criteria"][0]["kappa"] == {
        "value": None,
        "low": None,
        "high": None,
        "reason": "needs_two_raters",
    }


def test_agreement_for_people_says_values_intervals_and_why_there_is_none(cli: Cli, ratings: Path) -> None:
    text = cli("stats", "agreement", ratings, *LEVELS_OPTION, "--resamples", 50).out
    assert "clarity: 25 subjects with two ratings or more, 3 raters" in text
    assert "Gwet's AC2" in text
    assert "it is for two raters; see the pairs" in text
    assert "Severity, Overall score: mean deviation from the others, below 0 is stricter" in text
    few = cli("stats", "agreement", ratings, *LEVELS_OPTION, "--minimum-sample", 26, "--resamples", 0).out
    assert "withheld: at least 26 subjects are needed" in few
    assert "ICC" not in few


@pytest.mark.parametrize(
    ("command", "header"),
    [
        (("agreement", "--resamples", "0"), "criterion,first,second,measure,value,low,high,reason,subjects"),
        (("severity", "--resamples", "0"), "evaluator,type,subjects,deviation,low,high,reason"),
        (("confusion",), "criterion,first,second,count"),
        (("consensus",), "subject,criterion,mean,median,trimmed_mean,std_dev,range"),
        (("diagnostics",), "criterion,other,flag,evaluations,scored,value,limit,sentence,advice"),
    ],
)
def test_every_measure_prints_csv_that_no_spreadsheet_runs(
    cli: Cli, ratings: Path, command: tuple[str, ...], header: str
) -> None:
    text = cli("stats", command[0], ratings, *LEVELS_OPTION, *command[1:], "--csv").out
    assert text.startswith(header)
    rows = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert not any(cell.startswith("=") for row in rows for cell in row)


def test_severity_of_a_criterion_puts_the_strictest_first(cli: Cli, ratings: Path) -> None:
    text = cli("stats", "severity", ratings, *LEVELS_OPTION, "--criterion", "depth", "--resamples", 50).out
    assert text.splitlines()[0].startswith("Severity, depth")
    assert "Judge" in text.splitlines()[-1]
    found = cli("stats", "severity", ratings, *LEVELS_OPTION, "--resamples", 0, "--json").data
    assert {row["evaluator"]: row["deviation"]["value"] > 0 for row in found}["Judge"]


def test_confusion_of_two_evaluators_counts_subjects_and_of_all_counts_pairs_both_ways(
    cli: Cli, ratings: Path
) -> None:
    two = cli("stats", "confusion", ratings, *LEVELS_OPTION, "--evaluators", "ben", "JUDGE")
    assert "clarity: Ben down, Judge across, 25 subjects" in two.out
    (one,) = cli("stats", "confusion", ratings, *LEVELS_OPTION, "--criterion", "clarity", "--json").data
    assert sum(map(sum, one["counts"])) == 25 * 6
    undeclared = cli("stats", "confusion", "-", stdin="subject,rater,rating\ns,Ann,1\ns,Ben,2\n")
    assert (undeclared.code, undeclared.out) == (0, "")
    assert '"rating" has no declared levels' in undeclared.err


def test_consensus_and_item_analysis_read_the_same_file(cli: Cli, ratings: Path) -> None:
    found = cli("stats", "consensus", ratings, *LEVELS_OPTION, "--json").data
    assert found["subjects"][0]["criteria"][0]["ai_count"] == 1
    assert "mean range" in cli("stats", "consensus", ratings, *LEVELS_OPTION).out
    assert cli("stats", "diagnostics", ratings, *LEVELS_OPTION, "--json").data == []
    few = cli("stats", "diagnostics", "-", stdin="subject,rater,rating\ns,Ann,1\ns,Ben,1\n").out
    assert "RangeCollapse: All 2 scores of rating are the same, so it tells no subject from another." in few


def test_plots_are_drawn_as_text_or_written_as_pictures(cli: Cli, ratings: Path, tmp_path: Path) -> None:
    plot = ("stats", "plot", ratings, *LEVELS_OPTION, "--resamples", "20")
    assert "poor │" in cli(*plot, "--criterion", "clarity", "--width", "50").out
    assert cli(*plot).out.startswith("Overall score (75 ratings)")
    assert "stricter" in cli(*plot, "--kind", "severity").out
    assert cli(*plot, "--kind", "bland-altman", "--json").data["sample_size"] == 25
    for name, begin in (("p.svg", b"<svg"), ("p.png", b"\x89PNG")):
        done = cli(*plot, "--kind", "bland-altman", "--evaluators", "Ben", "Judge", "--out", tmp_path / name)
        assert (done.code, done.out) == (0, "")
        assert (tmp_path / name).read_bytes().startswith(begin)


def test_a_progress_bar_stands_on_a_terminal_alone_and_leaves_nothing(
    cli: Cli, ratings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("stats", "severity", ratings, *LEVELS_OPTION, "--resamples", "100")
    assert cli(*command).err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = cli(*command).err
    assert "300 of 300 resamples" in shown
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("agreement", "--levels", "poor,Poor"), "The levels"),
        (("agreement", "--range", "0-5"), '"0-5" is no range'),
        (("agreement", "--range", "a..b"), '"a..b" is no range'),
        (("agreement", "--range", "5..1"), "is no number"),
        (("agreement", "--levels", "poor,fair"), '"good" is no level'),
        (("agreement", *LEVELS_OPTION, "--range", "0..5"), "exclude each other"),
        (("agreement", *LEVELS_OPTION, "--resamples", "-1"), "-1 resamples"),
        (("agreement", *LEVELS_OPTION, "--seed", "-1"), "The seed -1"),
        (("consensus", *LEVELS_OPTION, "--trim", "-1"), "The trim must be 0 or more"),
        (("severity", *LEVELS_OPTION, "--criterion", "x"), 'no criterion "x"'),
        (("confusion", *LEVELS_OPTION, "--evaluators", "Ben", "x"), 'no evaluator "x"'),
        (("plot", *LEVELS_OPTION, "--out", "p.gif"), 'cannot be written as "p.gif"'),
        (("plot", *LEVELS_OPTION, "--out", "no/p.svg"), "no/p.svg cannot be written"),
        (
            ("plot", *LEVELS_OPTION, "--kind", "bland-altman", "--evaluators", "Ben", "ben"),
            "cannot be compared",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    cli: Cli, ratings: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, message: str
) -> None:
    monkeypatch.chdir(ratings.parent)
    done = cli("stats", arguments[0], ratings, *arguments[1:])
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_one_evaluator_has_nobody_to_be_compared_with(cli: Cli) -> None:
    done = cli("stats", "plot", "-", "--kind", "bland-altman", stdin="subject,rater,rating\ns,Ann,1\n")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "compares two evaluators" in done.err
