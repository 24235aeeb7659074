"""Lint counts what the conformance cases count, from a mapping and from files alike."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rubrictui.ground.findings import Finding
from rubrictui.matters.lint import lint

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "matters" / "lint.json").read_text(encoding="utf-8")
)
FILES = ("matter", "rubric", "hidden_facts", "counterparty")


def write_case(case: dict[str, Any], folder: Path) -> Path:
    """The matter of a case as files, with what the case leaves out left out."""
    matter = case["matter"]
    (folder / "documents").mkdir(parents=True)
    for name in FILES:
        if matter[name] is not None and f"{name}.yaml" not in case["omit_files"]:
            (folder / f"{name}.yaml").write_text(yaml.safe_dump(matter[name], allow_unicode=True), "utf-8")
    for document_id, text in matter["documents"].items():
        if document_id not in case["omit_documents"]:
            (folder / "documents" / f"{document_id}.md").write_bytes(text.encode())
    for name, text in case["raw_files"].items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def counts(findings: Iterable[Finding], severity: str) -> dict[str, int]:
    return dict(Counter(finding.code for finding in findings if finding.severity == severity))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['change']}")
def test_a_directory_is_linted_as_the_case_says(case: dict[str, Any], tmp_path: Path) -> None:
    findings = lint(write_case(case, tmp_path / "matter"))
    expected = case["expected"]
    assert counts(findings, "error") == expected["errors"]
    assert counts(findings, "warning") == expected["warnings"]
    assert (not expected["errors"]) is expected["ok"]


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case["raw_files"]],
    ids=lambda case: f"{case['id']} {case['change']}",
)
def test_a_mapping_is_linted_as_its_files_are(case: dict[str, Any]) -> None:
    matter = dict(case["matter"])
    for name in case["omit_files"]:
        matter[name.removesuffix(".yaml")] = None
    matter["documents"] = {
        key: text for key, text in matter["documents"].items() if key not in case["omit_documents"]
    }
    findings = lint(matter)
    assert counts(findings, "error") == case["expected"]["errors"]
    assert counts(findings, "warning") == case["expected"]["warnings"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["expected"]["ok"]], ids=lambda case: str(case["id"])
)
def test_pedantic_only_adds_warnings(case: dict[str, Any], tmp_path: Path) -> None:
    folder = write_case(case, tmp_path / "matter")
    usual, pedantic = lint(folder), lint(folder, pedantic=True)
    assert set(usual) <= set(pedantic)
    assert {finding.severity for finding in pedantic} <= {"warning"}
