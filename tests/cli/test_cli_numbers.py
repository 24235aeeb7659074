"""``score``, ``diff`` and ``stats`` print exactly what the conformance vectors say, without any store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
VECTORS = Path(__file__).parent.parent / "vectors" / "rubrics"


def vectors(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def json_lines(cases: list[Any]) -> str:
    return "".join(json.dumps(case) + "\n" for case in cases)


# score


def test_every_scoring_vector_through_the_batch(cli: Cli, tmp_path: Path) -> None:
    cases = vectors("scoring")
    done = cli("score", "--batch", "-", stdin=json_lines(cases))
    assert done.code == 0
    assert "900 answer sets: 839 scored, 61 refused, 0 unreadable." in done.err
    for case, line in zip(cases, done.lines, strict=True):
        assert line["id"] == case["id"]
        if case.get("error"):
            assert (line["error"]["kind"], line["error"]["key"]) == (case["error_kind"], case["error_key"])
            assert line["error"]["message"]
        else:
            assert line["result"] == case["expected"], case["id"]


def test_a_version_given_once_serves_every_line(cli: Cli, tmp_path: Path) -> None:
    case = next(
        c for c in vectors("scoring") if "expected" in c and c.get("pass_threshold_override") is not None
    )
    (tmp_path / "version.json").write_text(json.dumps(case["version"]))
    lines = json_lines([{k: case[k] for k in ("id", "answers", "pass_threshold_override")}, {"answers": []}])
    (tmp_path / "lines.jsonl").write_text("\ufeff\n" + lines + "\n\n", encoding="utf-8")
    done = cli("score", "--version", tmp_path / "version.json", "--batch", tmp_path / "lines.jsonl")
    assert done.lines[0] == {"id": case["id"], "result": case["expected"]}
    assert done.lines[1]["id"] is None


def test_a_line_that_cannot_be_read_is_answered_and_the_rest_goes_on(cli: Cli) -> None:
    good = {"id": "good", "version": {"nodes": []}, "answers": []}
    lines = ["{", "[1]", '{"id": "no-version", "answers": []}', json.dumps({**good, "answers": {"a": 1}})]
    lines += [json.dumps({**good, "pass_threshold_override": "x"}), json.dumps({**good, "version": 7})]
    done = cli("score", "--batch", "-", stdin="\n".join([*lines, json.dumps(good)]))
    assert done.code == 1
    assert [line["id"] for line in done.lines] == [None, None, "no-version", "good", "good", "good", "good"]
    assert all("standard input, line " in line["error"]["message"] for line in done.lines[:6])
    assert done.lines[6]["result"]["outcome"] == "Incomplete"


RUBRIC = """\
kind: scale
id: s1
name: Meets
levels:
  - {id: l0, label: "No", normalized_value: 0}
  - {id: l1, label: "Yes", normalized_value: 1}
---
kind: rubric
id: r1
name: Vendor
version:
  id: v1
  pass_threshold: 0.5
  criteria:
    - id: g1
      key: group
      name: A group
      children:
        - {id: c1, key: price, name: Price, scale: Meets}
    - {id: c2, key: speed, scale: Meets, is_gate: true, gate_minimum_score: 1}
"""


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC)
    return path


BY_NAME = '[{"criterion": "price", "level": "Yes"}, {"criterion": "speed", "level": "%s"}]'


def test_a_yaml_rubric_is_scored_by_keys_and_labels(cli: Cli, rubric: Path) -> None:
    done = cli("score", "--version", rubric, "--answers", "-", "--json", stdin=BY_NAME % "Yes")
    assert (done.code, done.data["outcome"], done.data["normalized_score"]) == (0, "Passed", 1.0)
    by_id = '{"answers": [{"criterion_id": "c1", "scale_level_id": "l1"}]}'
    assert (
        cli("score", "--version", rubric, "--answers", "-", "--json", stdin=by_id).data["completeness"] == 0.5
    )


def test_a_threshold_replaces_the_versions(cli: Cli, rubric: Path) -> None:
    done = cli(
        "score", "--version", rubric, "--answers", "-", "--threshold", "0", "--json", stdin=BY_NAME % "Yes"
    )
    assert done.data["pass_threshold_applied"] == 0.0


@pytest.mark.parametrize(("level", "code"), [("Yes", 0), ("No", 1)])
def test_check_turns_the_outcome_into_an_exit_code(cli: Cli, rubric: Path, level: str, code: int) -> None:
    assert cli("score", "--version", rubric, "--answers", "-", "--check", stdin=BY_NAME % level).code == code
    line = json.dumps({"answers": json.loads(BY_NAME % level)})
    assert cli("score", "--version", rubric, "--batch", "-", "--check", stdin=line).code == code
    assert cli("score", "--version", rubric, "--answers", "-", stdin=BY_NAME % level).code == 0


def test_for_people_the_reason_comes_first_and_then_a_table(cli: Cli, rubric: Path) -> None:
    done = cli("score", "--version", rubric, "--answers", "-", stdin=BY_NAME % "No")
    lines = done.out.splitlines()
    assert lines[0].startswith("Gate failed: speed scored 0")
    assert lines[3].split() == ["criterion", "score", "share", "points"]
    assert lines[5].split() == ["Price", "100", "1", "50"]
    assert lines[6].split() == ["speed", "0", "0.5", "0", "gate", "failed"]


def test_an_answer_that_takes_no_part_is_a_warning(cli: Cli, rubric: Path) -> None:
    done = cli("score", "--version", rubric, "--answers", "-", "--json", stdin='[{"criterion_id": "nope"}]')
    assert (done.code, done.err.count("warning:")) == (0, 1)


def test_a_level_or_key_that_is_not_there_is_named(cli: Cli, rubric: Path) -> None:
    done = cli("score", "--version", rubric, "--answers", "-", stdin=BY_NAME % "Maybe")
    assert (done.code, done.out) == (2, "")
    assert 'no level "Maybe". Its levels are No, Yes.' in done.err


def test_scales_may_stand_in_a_file_of_their_own(cli: Cli, tmp_path: Path) -> None:
    scale, _, rubric = RUBRIC.partition("---\n")
    (tmp_path / "scale.yaml").write_text(scale)
    (tmp_path / "rubric.yaml").write_text(rubric)
    arguments = ["score", "--version", tmp_path / "rubric.yaml", "--answers", "-", "--json"]
    assert cli(*arguments, stdin="[]").code == 2
    assert cli(*arguments, "--scales", tmp_path / "scale.yaml", stdin="[]").code == 0
    assert "holds 0 rubrics" in cli("score", "--version", tmp_path / "scale.yaml", "--answers", "-").err


# diff


def multiset(changes: list[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    return Counter((change["bump"], change["subject"], change["property"]) for change in changes)


def test_every_diff_vector_through_the_batch(cli: Cli) -> None:
    cases = vectors("diff")
    done = cli("diff", "--batch", "-", stdin=json_lines(cases))
    assert done.code == 0
    for case, line in zip(cases, done.lines, strict=True):
        result, expected = line["result"], case["expected"]
        assert line["id"] == case["id"]
        assert multiset(result["changes"]) == multiset(expected["changes"]), case["id"]
        for field in ("computed_bump", "applied_bump", "next_version"):
            assert result[field] == expected[field], case["id"]


def test_two_files_are_compared(cli: Cli, rubric: Path, tmp_path: Path) -> None:
    case = next(
        c for c in vectors("diff") if c["base"] is not None and c["expected"]["computed_bump"] == "Patch"
    )
    base, draft = tmp_path / "base.json", tmp_path / "draft.json"
    base.write_text(json.dumps(case["base"]))
    draft.write_text(json.dumps(case["draft"]))
    done = cli("diff", "--files", base, draft, "--bump", "Minor", "--json")
    assert sorted(done.data) == ["applied_bump", "changes", "computed_bump", "next_version"]
    assert (done.data["computed_bump"], done.data["applied_bump"]) == ("Patch", "Minor")
    text = cli("diff", "--files", base, draft).out
    assert text.splitlines()[-1].startswith("Patch by its changes; the next version is ")
    assert cli("diff", "--files", base, base).out == "No changes.\n"
    first = cli("diff", "--files", "-", rubric, "--json")
    assert first.data == {
        "changes": [],
        "computed_bump": None,
        "applied_bump": "Initial",
        "next_version": {"major": 1, "minor": 0, "patch": 0},
    }
    assert cli("diff", "--files", "-", rubric).out == "The first version, 1.0.0.\n"
    base.write_text("null")
    assert cli("diff", "--files", base, rubric, "--json").data == first.data
    assert cli("diff", "--files", rubric, rubric).out == "No changes.\n"


def test_a_pair_that_cannot_be_read_is_answered_and_the_rest_goes_on(cli: Cli) -> None:
    good: dict[str, Any] = {"id": 1, "base": None, "draft": {"nodes": []}}
    lines = ["nonsense", "[]", '{"id": 2}', json.dumps({**good, "requested_bump": 5}), json.dumps(good)]
    done = cli("diff", "--batch", "-", stdin="\n".join(lines))
    assert (done.code, [("error" in line) for line in done.lines]) == (1, [True] * 4 + [False])


# stats


def close(found: Any, expected: Any) -> bool:
    """Equal to 1e-9, in every field the vectors fix."""
    if isinstance(expected, dict):
        return all(close(found[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, float):
        return found is not None and abs(found - expected) < 1e-9
    return bool(found == expected)


@pytest.mark.parametrize("name", ["consensus", "kappa", "alpha", "agreement", "diagnostics"])
def test_every_statistics_vector(cli: Cli, name: str) -> None:
    cases = vectors("statistics")[name]
    done = cli("stats", name, "-", "--json", stdin=json.dumps(cases))
    assert done.code == 0
    assert len(done.data) == len(cases)
    for case, result in zip(cases, done.data, strict=True):
        assert close(result, case["expected"]), case["id"]
    one = cli("stats", name, "--json", stdin=json.dumps(cases[0]))
    assert close(one.data, cases[0]["expected"])


@pytest.mark.parametrize(
    ("name", "given", "lines"),
    [
        ("kappa", [[0, 0], [1, 1], [2, 2]], ["1"]),
        ("kappa", [], ["not defined"]),
        ("alpha", {"units": [[1, 1], [2, 3]], "level": "interval"}, ["0.727273"]),
        (
            "consensus",
            [0.5, 1, None],
            ["Mean: 0.75", "standard deviation: 0.25", "range: 0.5", "evaluations: 2"],
        ),
        ("agreement", [[1, 1]], ["withheld: 1 usable subjects, 20 are needed"]),
        ("diagnostics", [], ["no flags"]),
        ("diagnostics", [{"key": "a", "scores": [0, 1]}], ["a: InsufficientData."]),
    ],
)
def test_statistics_for_people_from_bare_lists(cli: Cli, name: str, given: Any, lines: list[str]) -> None:
    done = cli("stats", name, stdin=json.dumps(given))
    assert done.code == 0
    printed = done.out.splitlines()
    assert all(line.startswith(begin) for line, begin in zip(printed, lines, strict=False))
    assert len(printed) >= len(lines)


def test_agreement_of_three_raters_names_the_pairs(cli: Cli) -> None:
    ratings = [[n % 3, n % 3, (n + n // 7) % 3] for n in range(25)]
    done = cli("stats", "agreement", stdin=json.dumps({"ratings": ratings}))
    assert "kappa of raters 1 and 2: 1 (of 25)" in done.out
    several = cli("stats", "agreement", stdin=json.dumps([{"id": "x", "ratings": ratings}]))
    assert several.out.startswith("x:\n  subjects: 25\n")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("kappa", {"pairs": [[0, "1"]]}),
        ("kappa", {"pairs": [[0, 1]], "categories": 3}),
        ("kappa", {"pairs": [[0, 1]], "category_count": 0}),
        ("alpha", {"units": [[1, 1]], "level": "ratio"}),
        ("consensus", {"scores": [0.5], "method": "Mode"}),
        ("consensus", {"scores": 1}),
        ("agreement", {"ratings": [1]}),
        ("diagnostics", {"criteria": [{"key": "a", "scores": [1]}, {"key": "b", "scores": []}]}),
        ("diagnostics", 7),
    ],
)
def test_what_is_no_case_is_refused_in_one_line(cli: Cli, name: str, given: Any) -> None:
    done = cli("stats", name, stdin=json.dumps(given))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_numbers_that_no_sum_holds_are_refused_in_one_line(cli: Callable[..., Any]) -> None:
    for measure, case in (
        ("alpha", '{"units": [[1e308, -1e308], [1, 2]], "level": "interval"}'),
        ("agreement", '{"ratings": [[1e308, -1e308], [1, 2]], "minimum_sample": 1}'),
    ):
        done = cli("stats", measure, "-", stdin=case)
        assert (done.code, done.err) == (
            2,
            "rubrictui: A rating of 1e+308 is too large. Use at most 1e+100.\n",
        )


def test_a_display_range_at_the_end_of_all_numbers_is_shown(cli: Callable[..., Any], tmp_path: Path) -> None:
    level = {"id": "l", "label": "L", "normalized_value": 1}
    version = {
        "nodes": [{"id": "n", "key": "k", "scale_id": "s"}],
        "scales": [{"id": "s", "levels": [level]}],
        "score_display_min": -1e308,
        "score_display_max": 1e308,
    }
    (tmp_path / "v.json").write_text(json.dumps(version))
    answers = '[{"criterion": "k", "level": "L"}]'
    assert cli("score", "--version", tmp_path / "v.json", "--answers", "-", stdin=answers).code == 0


def test_a_text_is_no_list_of_answers_and_a_line_keeps_its_threshold_in_range(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "v.json").write_text('{"nodes": [{"id": "n", "key": "k"}]}')
    lines = '{"answers": "[]"}\n{"answers": [], "pass_threshold_override": 7}\n'
    done = cli("score", "--version", tmp_path / "v.json", "--batch", "-", stdin=lines)
    assert done.code == 1
    assert "an object is needed, this is text" in done.lines[0]["error"]["message"]
    assert "out of range" in done.lines[1]["error"]["message"]


def test_a_wrong_type_in_answers_by_name_is_told_in_plain_words(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "v.json").write_text('{"nodes": [{"id": "n", "key": "k"}]}')
    answers = '[{"criterion": "k", "level": 3}]'
    done = cli("score", "--version", tmp_path / "v.json", "--answers", "-", stdin=answers)
    assert done.err == (
        "rubrictui: standard input: $[0].level: text or null is needed, this is a whole number. "
        "Write text or null.\n"
    )
