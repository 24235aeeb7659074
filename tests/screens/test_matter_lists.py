"""The list of matters and the author's view, without their screens: state, lint beside what it concerns, points."""

from __future__ import annotations

from pathlib import Path

import pytest
from matter_world import SHIPPED, write_matter

from rubrictui.screens.matter_author_rows import LOST, author_lines, author_rows, read_author_view
from rubrictui.screens.matter_rows import detail_words, matter_rows, matters_in, read_entries


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "matters"


def test_shipped_matters_are_listed_and_sound(folder: Path) -> None:
    rows = matter_rows(read_entries(()))
    assert [row.search for row in rows] == list(SHIPPED)
    assert {row.cells[3] for row in rows} == {"sound"}


def test_a_folder_lists_the_matters_in_it(folder: Path) -> None:
    write_matter(folder / "one")
    write_matter(folder / "two", **{"rubric.yaml": "issues:\n  - {id: a, anchor: lease §9}\n"})
    (folder / "three").mkdir()
    (folder / "three" / "matter.yaml").write_text("a: [")
    rows = {row.search: row for row in matter_rows(read_entries((str(folder),))) if row.section != "Shipped"}
    assert {name: row.cells[3] for name, row in rows.items()} == {
        "one": "sound",
        "two": "4 errors",
        "three": "cannot be loaded",
    }
    assert matters_in(folder / "one") == (folder / "one",)


def test_a_folder_that_is_gone_is_listed_with_what_to_do(folder: Path) -> None:
    entry = read_entries((str(folder / "gone"),))[-1]
    assert "no matter.yaml here" in detail_words(entry)


def test_the_line_below_the_list_says_the_first_finding(folder: Path) -> None:
    write_matter(folder / "two", **{"rubric.yaml": "issues:\n  - {id: a, anchor: lease §9}\n"})
    assert detail_words(read_entries((str(folder),))[-1]).startswith("rubric.yaml:2:")


def shown(folder: Path, row_id: str) -> str:
    lines = author_lines(read_author_view(folder, pedantic=False), row_id)
    return "\n".join("".join(text for text, _ in line) for line in lines)


def test_lint_stands_beside_the_criterion_it_concerns(folder: Path) -> None:
    rubric = """questions:
  - id: q_roof
    concepts: [how old]
issues:
  - id: repairs
    anchor: lease §2.1
    severity: grave
    required_citations: [lease §2.1]
    required_concepts: [roof]
    settlement_concepts: [roof]
  - id: rent
    anchor: lease §9
    severity: low
    required_citations: [lease §9]
    required_concepts: [rent]
"""
    view = read_author_view(write_matter(folder / "two", **{"rubric.yaml": rubric}), pedantic=False)
    codes = {row: {finding.code for finding in found} for row, found in view.by_row.items()}
    assert codes["issues\trepairs"] == {"severity_invalid"}
    assert "anchor_unresolved" in codes["issues\trent"]
    marks = {row.id: row.mark for row in author_rows(view)}
    assert (marks["issues\trent"], marks["questions\tq_roof"]) == ("!", " ")
    assert "severity_invalid" in shown(folder / "two", "issues\trepairs")


def test_findings_about_the_files_have_a_row_of_their_own(folder: Path) -> None:
    place = write_matter(folder / "one", **{"documents/policy.md": "no heading\n"})
    view = read_author_view(place, pedantic=False)
    assert LOST in {row.id for row in author_rows(view)}
    assert "document_without_sections" in shown(place, LOST)


def test_a_matter_that_cannot_be_loaded_says_why(folder: Path) -> None:
    place = write_matter(folder / "one", **{"rubric.yaml": "issues: ["})
    view = read_author_view(place, pedantic=False)
    assert view.matter is None
    assert "rubric.yaml" in shown(place, "all")
    assert author_rows(view)


def test_the_whole_shows_what_the_points_add_up_to(folder: Path) -> None:
    text = shown(write_matter(folder / "one"), "all")
    assert ["derived", "max", "score", "5.75"] in [line.split() for line in text.split("\n")]
    assert ["issues:", "settlement", "1.00"] in [line.split() for line in text.split("\n")]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_row_of_a_shipped_matter_can_be_read(folder: Path, name: str) -> None:
    view = read_author_view(SHIPPED[name], pedantic=True)
    rows = author_rows(view)
    for row in rows:
        assert author_lines(view, row.id), row.id
    assert ("probes" in {row.id for row in rows}) is (SHIPPED[name] / "probes.yaml").exists()


def test_probes_are_run_and_failures_come_first(folder: Path) -> None:
    probes = "probes:\n  - gate: repairs\n    must_fire: [It is void., It is not void.]\n"
    place = write_matter(folder / "one", **{"probes.yaml": probes})
    text = shown(place, "probes")
    assert "Probes: 1 pass, 1 fail" in text
    assert text.index("FAIL") < text.index("pass repairs")
