"""``evaluations import``: what is told, where errors stand, and the JSON of both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]
RUN = "Agent Run/harbour-gauges"
ROWS = "record;accuracy;sourcing;completeness\nharbour-gauges;Meets;Miss;Partial\n"


def _import(cli: Cli, store: Path, file: Path, *more: object) -> Any:
    fixed = ("--rubric", "Agent evaluation", "--entity", "Agent Run")
    return cli("evaluations", "import", file, *fixed, "--db", store, *more)


def test_a_file_is_imported_once(cli: Cli, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "self.csv"
    file.write_text(ROWS)
    look = _import(cli, store, file, "--type", "Self", "--dry-run")
    assert (look.code, look.err.splitlines()[-1]) == (0, "A dry run: nothing was written.")
    assert '1 evaluation would be imported with "Agent evaluation"' in look.err
    done = _import(cli, store, file, "--type", "Self")
    assert done.code == 0
    assert done.out.splitlines()[1].split() == [
        "Agent",
        "Run/harbour-gauges",
        "2",
        "new",
        "50",
        "BelowThreshold",
    ]
    assert done.err == '1 evaluation imported with "Agent evaluation" 1.0.0; 0 were there already.\n'
    again = _import(cli, store, file, "--type", "Self", "--json").data
    assert [row["status"] for row in again["scores"]] == ["unchanged"]
    found = cli("consensus", RUN, "Agent evaluation", "--json", "--db", store).data
    assert (found["sample_size"], found["cohort"]["self_score"]) == (0, 0.5)


def test_errors_are_lines_with_row_and_column_and_nothing_is_stored(
    cli: Cli, store: Path, tmp_path: Path
) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("record,accuracy,sourcing\nharbour-gauges,Good,Miss\nnobody,Meets,\x1b[31m\n")
    before = cli("evaluations", "--json", "--db", store).data
    refused = _import(cli, store, file, "--evaluator", "x")
    assert (refused.code, refused.out) == (1, "")
    places = [line.split(" ")[0] for line in refused.err.splitlines()[:-1]]
    assert places == [f"{file}:{place}:" for place in ("2:2", "3:1", "3:3")]
    assert refused.err.endswith("Nothing was imported.\n")
    assert "\x1b" not in refused.err
    told = _import(cli, store, file, "--evaluator", "x", "--json").data["error"]
    assert (told["kind"], len(told["problems"])) == ("unknown_level", 3)
    assert cli("evaluations", "--json", "--db", store).data == before


def test_a_log_is_imported_with_its_samples_from_standard_input(cli: Cli, store: Path) -> None:
    sample = {"id": 1, "input": "Q", "scores": {"match": {"value": "I"}, "style": {"value": 1}}}
    log = json.dumps({"eval": {"task": "t", "task_id": "T"}, "samples": [sample]})
    arguments = (
        "evaluations",
        "import",
        "-",
        "--rubric",
        "Agent evaluation",
        "--evaluator",
        "match",
        "--db",
        store,
    )
    more = ("--map", "match=accuracy", "--levels", "I=Miss", "--add-subjects")
    done = cli(*arguments, *more, stdin=log)
    assert (done.code, done.err.splitlines()) == (
        0,
        [
            "Not carried over:",
            '  1 sample with a score "style" that no criterion is mapped to.',
            "1 subject added.",
            '1 evaluation imported with "Agent evaluation" 1.0.0; 0 were there already.',
        ],
    )
    assert cli("subjects", "show", "Inspect sample/t/T/1/1", "--db", store).code == 0


def test_evaluations_without_a_word_behind_it_still_lists(cli: Cli, store: Path) -> None:
    assert cli("evaluations", "--status", "Submitted", "--db", store).code == 0
    assert cli("evaluations", "imprt", "--db", store).code == 2
