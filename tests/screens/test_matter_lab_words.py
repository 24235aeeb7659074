"""The gate lab without its screen: marks in a sentence, and probes kept in a file that stays as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matter_world import SHIPPED, matter_at, write_matter

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.gate_lab import judge
from rubrictui.matters.gates import gate_entry
from rubrictui.matters.probes import read_probes, run_probes
from rubrictui.screens.matter_lab import (
    add_probe,
    entry_mapping,
    keep_text,
    kept_text,
    probe_file,
    sentence_pieces,
    verdict_lines,
)

GUARDED: dict[str, Any] = {"pattern": "is void", "negation_guard": True}


def marks(entry: dict[str, Any] | str, text: str) -> str:
    verdict = judge(entry, text)
    return "".join(
        piece for piece, _ in sentence_pieces(verdict.normalized_text, verdict.normalized.matches[0])
    )


@pytest.mark.parametrize(
    ("entry", "text", "shown"),
    [
        (GUARDED, "So be it. The cap is void. Yes.", "the cap [is void]|"),
        (GUARDED, "Nobody says not; it is void", "nobody says {not}; it [is void]|"),
        ({**GUARDED, "negation_scope": "before"}, "It is void", "it |[is void]"),
        ({"pattern": "no right", "negation_guard": True}, "It has no right", "it has [{no} right]|"),
        (
            {"pattern": "void", "require_context": "draft"},
            "As drafted it is void",
            "as {draft}ed it is [void]",
        ),
        ({"pattern": "void", "exclude_context": "person"}, "Void for persons", "[void] for {person}s"),
        ("void", "It is void.", "it is [void]."),
    ],
)
def test_a_match_is_marked_with_what_decided(entry: dict[str, Any] | str, text: str, shown: str) -> None:
    assert marks(entry, text).strip() == shown.strip()


def test_a_long_sentence_is_cut_around_its_match() -> None:
    shown = marks(GUARDED, "word " * 2_000 + "it is void " + "word " * 2_000)
    assert "[is void]" in shown
    assert len(shown) < 800
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_the_text_as_typed_may_be_judged_otherwise() -> None:
    verdict = judge(GUARDED, "Never\nis void")
    shown = "\n".join("".join(t for t, _ in line) for line in verdict_lines(verdict))
    assert shown.startswith("does not fire")
    assert "it would fire" in shown


@pytest.mark.parametrize(
    "entry",
    [
        GUARDED,
        {"pattern": "x", "require_context": "y"},
        {**GUARDED, "negation_scope": "before", "exclude_context": "z"},
    ],
)
def test_an_entry_is_written_as_it_was_read(entry: dict[str, Any]) -> None:
    assert entry_mapping(gate_entry(entry)) == entry


# --- probes


@pytest.fixture
def depot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return write_matter(tmp_path / "depot")


def test_a_new_probe_file_runs(depot: Path) -> None:
    file = probe_file(depot)
    add_probe(file, depot, "repairs/critical/1", 'It is "void": really.', must_fire=True)
    add_probe(file, depot, GUARDED, "It is not void\nat all.", must_fire=False)
    report = run_probes(read_probes(file))
    assert [(one.text, one.passed) for one in report.outcomes] == [
        ('It is "void": really.', True),
        ("It is not void\nat all.", True),
    ]
    assert file == depot / "probes.yaml"


@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_what_stands_in_the_file_stays(depot: Path, indent: str) -> None:
    file = depot / "probes.yaml"
    before = f"# mine\nprobes:\n{indent}- gate: repairs   # all of them\n{indent}  must_fire: [void]"
    file.write_text(before)
    add_probe(file, depot, "repairs/critical/1", "not void", must_fire=False)
    assert file.read_text().startswith(before)
    assert [probe.gate for probe in read_probes(file).probes] == ["repairs", "repairs/critical/1"]


@pytest.mark.parametrize(
    "before",
    [
        "probes: [{gate: repairs, must_fire: [void]}]\n",
        "probes:\n  - {gate: repairs, must_fire: [void]}\nmatter: .\n",
    ],
)
def test_a_file_that_does_not_end_with_its_list_is_left_alone(depot: Path, before: str) -> None:
    file = depot / "probes.yaml"
    file.write_text(before)
    with pytest.raises(InvalidInputError, match=r"probes\.yaml|does not end"):
        add_probe(file, depot, "repairs/critical/1", "x", must_fire=True)
    assert file.read_text() == before
    assert [
        path.name for path in depot.iterdir() if path.suffix == ".yaml" and path.name.startswith(".")
    ] == []


def test_a_broken_file_is_left_alone(depot: Path) -> None:
    file = depot / "probes.yaml"
    file.write_text("probes: [")
    with pytest.raises(InvalidInputError):
        add_probe(file, depot, "repairs/critical/1", "x", must_fire=True)
    assert file.read_text() == "probes: ["


def test_probes_on_a_shipped_matter_go_to_the_user(depot: Path) -> None:
    folder = SHIPPED["supply-negotiation"]
    file = probe_file(folder)
    assert folder not in file.parents
    add_probe(file, folder, "exclusivity/critical/1", "The exclusivity is void.", must_fire=True)
    assert run_probes(read_probes(file), None).failures == ()
    assert matter_at(folder).title


def test_the_text_of_the_lab_is_kept(depot: Path) -> None:
    assert kept_text() == ""
    keep_text("Is it void?\nNo.")
    assert kept_text() == "Is it void?\nNo."
