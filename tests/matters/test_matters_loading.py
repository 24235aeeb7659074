"""A matter from a directory or a dict: the same either way, every bad file told with its place, nothing raised raw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from matter_cases import cases, small

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters import Episode, Matter

NAMES = ("matter", "rubric", "hidden_facts", "counterparty")


def write(folder: Path, obj: dict[str, Any]) -> Path:
    """Write a matter as the files it stands for."""
    for name in NAMES:
        if obj.get(name) is not None:
            text = yaml.safe_dump(obj[name], allow_unicode=True, sort_keys=False)
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "documents").mkdir()
    for document_id, text in obj["documents"].items():
        (folder / "documents" / f"{document_id}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("case", cases("episodes")[::25], ids=lambda case: str(case["id"]))
def test_a_matter_is_the_same_from_files_and_from_a_dict(case: dict[str, Any], tmp_path: Path) -> None:
    from_files = Matter.from_directory(write(tmp_path, case["matter"]))
    from_dict = Matter.from_dict(case["matter"])
    assert from_files.rubric == from_dict.rubric
    assert from_files.facts == from_dict.facts
    assert from_files.positions == from_dict.positions
    assert from_files.hidden_facts == from_dict.hidden_facts
    assert from_files.documents == from_dict.documents
    assert from_files.max_score == pytest.approx(case["expected"]["max_score"], abs=1e-4)


@pytest.mark.parametrize("name", ["matter", "rubric", "hidden_facts"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    write(tmp_path, small())
    (tmp_path / f"{name}.yaml").unlink()
    with pytest.raises(InvalidInputError, match=rf"{name}\.yaml is missing"):
        Matter.from_directory(tmp_path)


def test_a_matter_without_a_counterparty_has_nothing_to_negotiate(tmp_path: Path) -> None:
    obj = {**small(), "counterparty": None}
    episode = Episode(Matter.from_directory(write(tmp_path, obj)))
    assert "send_markup" not in episode.observation["actions"]
    assert episode.observation["negotiation"] is None
    assert episode.budgets["rounds"] is None


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("issues: [1, 2\nb: }", "rubric.yaml:2:"),
        ("- one\n", "no mapping"),
        ("", "no mapping"),
        ("a: 1\n---\nb: 2\n", "rubric.yaml:3:1: error: the file holds more than one document"),
        (BOMB, "aliases"),
        ("a: " + "[" * 200 + "]" * 200, "nested"),
        ("a: 1\na: 2\n", "rubric.yaml:2:1"),
        ("a: !!python/object/apply:os.system [ls]\n", "not allowed"),
        ("a: \x07\n", "U+0007"),
    ],
    ids=["syntax", "list", "empty", "two documents", "bomb", "deep", "twice", "tag", "control"],
)
def test_a_bad_yaml_file_is_told_with_file_and_line(text: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, small())
    (tmp_path / "rubric.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        Matter.from_directory(tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    write(tmp_path, small())
    (tmp_path / "matter.yaml").write_bytes(b"title: \xff\n")
    with pytest.raises(InvalidInputError, match=r"matter\.yaml:1:8.*UTF-8"):
        Matter.from_directory(tmp_path)


@pytest.mark.parametrize(
    ("part", "path", "value", "said"),
    [
        ("rubric", ("issues", 0, "base_points"), "many", "base_points must be a number"),
        ("rubric", ("issues", 0, "base_points"), None, "base_points must be a number"),
        ("rubric", ("issues", 0, "base_points"), float("nan"), "at most 1,000,000,000"),
        ("rubric", ("issues", 0, "base_points"), 10**400, "at most 1,000,000,000"),
        ("rubric", ("issues", 0, "required_concepts"), "two years", "must be a list"),
        ("rubric", ("issues", 0, "required_concepts"), [["two"]], "must be text"),
        ("rubric", ("issues", 0, "non_negotiable"), "yes", "must be true or false"),
        ("rubric", ("issues", 0, "critical_failure_patterns"), ["("], "no regex"),
        ("rubric", ("issues", 0, "anchor"), "", "anchor is missing"),
        ("rubric", ("issues", 0), "cap", "must be a mapping"),
        ("rubric", ("questions", 0, "id"), None, "id is missing"),
        ("rubric", ("questions", 0, "aliases"), ["go live"], "must be a list of concepts"),
        ("rubric", ("final_submission",), [], "must be a mapping"),
        ("matter", ("constraints", "maximum_steps"), 0, "at least 1"),
        ("matter", ("constraints", "maximum_steps"), True, "at least 1"),
        ("matter", ("public_facts",), ["a"], "must be a mapping"),
        ("matter", ("title",), "half \ud800", "must be text"),
        ("matter", ("documents", 0, "path"), "../outside.md", "no file of this matter"),
        ("hidden_facts", ("client_answers", "q_date"), ["In May."], "must be text"),
        ("counterparty", ("positions", "notice"), None, "must be a mapping"),
        ("counterparty", ("positions", "notice", "counters"), {}, "must be a list"),
    ],
)
def test_a_field_of_no_use_is_a_problem_and_no_episode_begins(
    part: str, path: tuple[str | int, ...], value: Any, said: str
) -> None:
    obj = small()
    holder = obj[part]
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    if path[-1] == "path":
        obj["documents"] = {}
    matter = Matter.from_dict(obj)
    assert said in " ".join(problem.message for problem in matter.problems)
    with pytest.raises(InvalidInputError) as caught:
        Episode(matter)
    assert "\n" not in str(caught.value)


def test_a_problem_names_the_line_and_column_of_its_value(tmp_path: Path) -> None:
    write(tmp_path, small())
    text = "issues:\n  - id: cap\n    anchor: msa §1.1\n    base_points: many\n"
    (tmp_path / "rubric.yaml").write_text(text, encoding="utf-8")
    (problem,) = Matter.from_directory(tmp_path).problems
    assert (problem.line, problem.column) == (4, 18)
    assert problem.file == str(tmp_path / "rubric.yaml")


def test_a_number_where_text_is_meant_is_the_text_that_was_written(tmp_path: Path) -> None:
    write(tmp_path, small())
    text = "issues:\n  - {id: 1.10, anchor: msa §1.1, required_concepts: [24, 007]}\n"
    (tmp_path / "rubric.yaml").write_text(text, encoding="utf-8")
    (issue,) = Matter.from_directory(tmp_path).rubric.issues
    assert issue.id == "1.10"
    assert issue.required_concepts == ("24", "007")


def test_a_document_outside_the_directory_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("## 1 Secret\n", encoding="utf-8")
    folder = tmp_path / "matter"
    folder.mkdir()
    obj = small()
    obj["matter"]["documents"][0]["path"] = "../secret.md"
    write(folder, obj)
    matter = Matter.from_directory(folder)
    assert "msa" not in matter.documents
    assert [problem.code for problem in matter.problems] == ["missing"]


@pytest.mark.parametrize(
    ("raw", "tokens"),
    [
        (b"\xef\xbb\xbf## 1 One\r\nText\r\n## 2. Two\r\n", ["1", "2"]),
        (b"no headings at all", []),
        (b"", []),
        (b"## 1 a\n## 1 b\n", ["1"]),
    ],
    ids=["BOM and CRLF", "no headings", "empty", "twice"],
)
def test_documents_of_every_make_are_read(raw: bytes, tokens: list[str], tmp_path: Path) -> None:
    write(tmp_path, small())
    (tmp_path / "documents" / "msa.md").write_bytes(raw)
    matter = Matter.from_directory(tmp_path)
    assert list(matter.documents["msa"].tokens) == tokens
    assert matter.resolves("msa §full")
    observation, reward, *_ = Episode(matter).step({"type": "read_document", "document_id": "msa"})
    assert reward == 0
    assert not observation["last_result"]["text"].startswith("\ufeff")


@pytest.mark.parametrize("obj", [None, [], "matter", {}, {"matter": {}, "rubric": [], "hidden_facts": {}}])
def test_what_is_no_matter_is_refused_in_one_line(obj: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Matter.from_dict(obj)
    assert "\n" not in str(caught.value)


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not a directory"):
        Matter.from_directory(tmp_path / "nowhere")
