"""The examples of docs/formats.md are true, and the schemas are those of the structs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rubrictui.core import answers_from_json, compute, to_json, version_from_json
from rubrictui.interchange.documents import RubricFile, ScaleFile, SubjectsFile, answers_for
from rubrictui.interchange.places import publish_findings
from rubrictui.interchange.schema_files import FOLDER, schemas, written
from rubrictui.interchange.yaml_reader import read_text
from rubrictui.interchange.yaml_writer import write_documents

PAGE = (Path(__file__).parent.parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_yaml_example_is_valid_and_could_be_published() -> None:
    (example,) = blocks("yaml")
    reading = read_text(example)
    assert [str(finding) for finding in reading.findings] == []
    (entry,) = [one for one in reading.entries if isinstance(one.document, RubricFile)]
    assert isinstance(entry.document, RubricFile)
    assert entry.places is not None
    assert [f for f in publish_findings(entry.document.snapshot, entry.places) if f.severity == "error"] == []
    assert read_text(write_documents(reading.documents)).documents == reading.documents


def test_the_evaluation_of_the_yaml_example_scores_as_the_result_example_says() -> None:
    (example,) = blocks("yaml")
    documents = read_text(example).documents
    rubric = next(document for document in documents if isinstance(document, RubricFile))
    subjects = next(document for document in documents if isinstance(document, SubjectsFile))
    result = compute(rubric.snapshot, answers_for(subjects.evaluations[0].answers, rubric.snapshot))
    assert result.normalized_score == json.loads(blocks("json")[3])["normalized_score"]


def test_the_json_examples_score_as_the_page_says() -> None:
    version, answers, result = blocks("json")[1:]
    computed = compute(version_from_json(version), answers_from_json(answers))
    assert json.loads(result) == json.loads(to_json(computed))


def test_the_record_of_the_page_says_what_its_yaml_says() -> None:
    (example,) = blocks("yaml")
    scale = read_text(example).documents[0]
    assert isinstance(scale, ScaleFile)
    reading = read_text(blocks("json")[0], file="record.json", scales={scale.scale.name: scale.scale}.get)
    assert [str(finding) for finding in reading.findings] == []
    (rubric,) = reading.documents
    assert isinstance(rubric, RubricFile)
    assert [node.key for node in rubric.snapshot.nodes] == ["encryption"]


@pytest.mark.parametrize("name", list(schemas()))
def test_a_schema_file_is_current(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == written(schemas()[name]), "run: python -m rubrictui.interchange.schema_files"
