"""``diff`` shows the same changes as text, as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrictui.core.loading import to_json
from rubrictui.core.model import Anchor, Level, Node, NodeType, Scale, VersionSnapshot

Cli = Callable[..., Any]

SCALE = Scale(
    id="s",
    name="Yes or no",
    levels=(Level(id="n", label="No"), Level(id="y", label="Yes", normalized_value=1)),
)
LONG = "Read the whole proposal before you score it, and score only what is written in the proposal."


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    nodes = (
        Node(id="g", key="terms", name="Terms", node_type=NodeType.GROUP),
        Node(
            id="p",
            key="price",
            name="Price | <b>",
            scale_id="s",
            sequence=1,
            anchors=(Anchor(scale_level_id="y", descriptor="Below *all* others."),),
        ),
    )
    base = VersionSnapshot(
        rubric_name="Bids", major_version=1, instructions=LONG, nodes=nodes, scales=(SCALE,)
    )
    moved = msgspec.structs.replace(
        nodes[1],
        parent_id="g",
        weight=2,
        anchors=(
            Anchor(scale_level_id="y", descriptor="Below all others, by *far* more than a little bit."),
        ),
    )
    draft = msgspec.structs.replace(
        base, major_version=None, instructions=LONG.replace("whole", "entire"), nodes=(nodes[0], moved)
    )
    paths = tmp_path / "base.json", tmp_path / "draft.json"
    for path, version in zip(paths, (base, draft), strict=True):
        path.write_bytes(to_json(version))
    return paths


def test_text_stands_by_subject_with_before_and_after(cli: Cli, files: tuple[Path, Path]) -> None:
    lines = cli("diff", "--files", *files).out.splitlines()
    assert lines[0] == "The version"
    assert "Instructions: Read the [-whole-]{+entire+} proposal before" in lines[1]
    assert lines[2] == "Terms / Price | <b>"
    assert "  Major  Moved: at the top level → in Terms" in lines
    assert "  Major  Weight: 1 → 2" in lines
    assert (
        "  Patch  Anchor Yes: Below [-*all* others-]{+all others, by *far* more than a little bit+}." in lines
    )
    assert lines[-3:] == [
        "Major: old scores do not compare.",
        "Patch: scores stay as they are.",
        "Major by its changes; the next version is 2.0.0.",
    ]


def test_only_changes_of_one_bump_are_shown_in_every_form(cli: Cli, files: tuple[Path, Path]) -> None:
    assert "Weight" not in cli("diff", "--files", *files, "--only", "Patch").out
    data = cli("diff", "--files", *files, "--only", "Patch", "--only", "Minor", "--json").data
    assert {change["bump"] for change in data["changes"]} == {"Patch"}
    assert data["computed_bump"] == "Major"
    assert "Weight" not in cli("diff", "--files", *files, "--only", "Patch", "--markdown").out


def test_markdown_marks_words_and_never_obeys_what_a_rubric_says(cli: Cli, files: tuple[Path, Path]) -> None:
    page = cli("diff", "--files", *files, "--markdown").out
    assert page.startswith("# Bids: 1.0.0 to draft\n")
    assert "2 Major changes, 2 Patch changes: **Major**. The next version is 2.0.0." in page
    assert "\nMajor: old scores do not compare. Patch: scores stay as they are.\n" in page
    assert "## Terms / Price \\| \\<b\\>" in page
    assert "| Major | Weight | 1 | 2 |" in page
    assert "Read the ~~whole~~ proposal" in page
    assert "Read the **entire** proposal" in page
    assert "by \\*far\\* more" in page
    for line in page.splitlines():
        if line.startswith("| P"):
            assert line.replace("\\|", "").count("|") == 5


def test_without_a_base_or_a_change_markdown_says_so(cli: Cli, files: tuple[Path, Path]) -> None:
    assert cli("diff", "--files", files[0], files[0], "--markdown").out.endswith("No changes.\n")
    assert cli("diff", "--files", "-", files[0], "--markdown").out == "# Bids: the first version, 1.0.0\n"
    assert json.loads(files[0].read_text())["rubric_name"] == "Bids"


def test_files_whose_scales_lie_beside_them_are_compared_with_scales(
    cli: Cli, store: Path, tmp_path: Path
) -> None:
    """The folder of ``sync`` keeps each scale in a file of its own: a diff for a review needs them."""
    folder = tmp_path / "rubrics"
    assert cli("--db", store, "sync", "pull", folder).code == 0
    draft = folder / "rubrics" / "vendor-proposal.yaml"
    base = tmp_path / "base.yaml"
    base.write_text(draft.read_text())
    weight = next(line for line in draft.read_text().splitlines() if line.strip().startswith("weight: "))
    draft.write_text(base.read_text().replace(weight, weight.split(":")[0] + ": 77", 1))
    assert cli("diff", "--files", base, draft).code != 0
    ran = cli("diff", "--files", base, draft, "--scales", folder / "scales", "--json")
    assert [(one["property"], one["after"]) for one in ran.data["changes"]] == [("Weight", 77)]
    assert cli("diff", "Vendor proposal", "1.0.0", "draft", "--scales", folder).code == 2


def test_siblings_that_made_way_are_said_and_a_number_that_cannot_come_is_not(
    cli: Cli, store: Path, tmp_path: Path
) -> None:
    from rubrictui.engine import Engine

    with Engine(store, user="root") as engine:
        engine.start_draft("Hiring")
        draft = engine.open_rubric_draft("Hiring")
        nodes = tuple(reversed(draft.version.nodes))
        weighty = (msgspec.structs.replace(nodes[0], weight=9.0), *nodes[1:])
        engine.save_draft(msgspec.structs.replace(draft.version, nodes=weighty))
    text = cli("diff", "Hiring", "1.0.0", "draft", "--db", store).out
    assert "1 sibling made way." in text
    assert text.endswith("the next version is 2.0.0.\n")
    assert "made way" not in cli("diff", "Hiring", "1.0.0", "draft", "--only", "Major", "--db", store).out
    back = cli("diff", "Hiring", "draft", "1.0.0", "--db", store).out
    assert "next version" not in back
