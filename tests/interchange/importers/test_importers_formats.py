"""What every format becomes, and what is said of the rest. The codes of notes stand for what is said."""

from __future__ import annotations

import pytest
from import_files import FILES, anchors, codes, levels, lines, node, read, read_text, scale

from rubrictui.core.authoring import publish_problems, weight_shares
from rubrictui.core.model import Answer, ScaleType
from rubrictui.core.scoring import compute
from rubrictui.interchange.importers import format_names

FORMAT_OF = {
    "biggen.json": "prometheus",
    "brightspace.xml": "brightspace",
    "canvas.csv": "canvas",
    "moodle_guide.xml": "moodle",
    "moodle_rubric.xml": "moodle",
    "openreview.json": "openreview",
    "paperbench.json": "paperbench",
    "prometheus.json": "prometheus",
    "researchrubrics.json": "researchrubrics",
    "table.csv": "table",
    "table.md": "markdown",
}


def test_there_is_a_file_of_every_format() -> None:
    assert {path.name for path in FILES.iterdir()} == set(FORMAT_OF)
    assert set(FORMAT_OF.values()) == set(format_names())


@pytest.mark.parametrize("name", FORMAT_OF)
def test_a_file_is_recognised_and_can_be_published_as_it_comes(name: str) -> None:
    imported = read(name)
    assert (imported.format, lines(imported)) == (FORMAT_OF[name], [])
    assert imported.rubrics
    for rubric in imported.rubrics:
        assert [p for p in publish_problems(rubric.snapshot) if p.blocks] == []
        assert rubric.snapshot.rubric_id == rubric.id
        assert {one.id for one in rubric.snapshot.scales} <= {one.id for one in imported.scales}


@pytest.mark.parametrize("name", FORMAT_OF)
def test_the_same_file_gives_the_same_ids_and_another_name_others(name: str) -> None:
    once, again = read(name), read(name)
    assert once == again
    if len(once.rubrics) == 1:
        renamed = read(name, name="Another name").rubrics[0]
        ids = {one.id for one in once.rubrics[0].snapshot.nodes}
        assert renamed.name == "Another name"
        assert renamed.id != once.rubrics[0].id
        assert ids.isdisjoint(one.id for one in renamed.snapshot.nodes)


def test_canvas_gives_a_rubric_for_each_name_and_the_most_points_as_weights() -> None:
    essay, poster = (rubric.snapshot for rubric in read("canvas.csv").rubrics)
    assert [(one.key, one.weight, one.is_advisory) for one in essay.nodes] == [
        ("argument", 6, False),
        ("sources", 4.5, False),
        ("remarks", 0, True),
    ]
    assert essay.score_display_max == 10.5
    assert levels(essay, "argument") == [("Missing", 0, 0), ("Partial", 2.5, 0.416667), ("Full", 6, 1)]
    assert anchors(essay, "argument")["Partial"] == "A claim without support"
    assert node(essay, "argument").description == "What is claimed, and why"
    assert node(essay, "remarks").description == "For the **writer** only"
    assert [label for label, _, _ in levels(poster, "layout")] == ["Crowded", "Empty", "Clear", "Clear (2)"]


def test_canvas_ranges_are_any_points_with_the_ratings_as_anchors() -> None:
    essay = read("canvas.csv").rubrics[0].snapshot
    sources = scale(essay, "sources")
    assert (sources.scale_type, sources.min_value, sources.max_value) == (ScaleType.NUMERIC, 0, 4.5)
    assert anchors(essay, "sources") == {"0": "Few: None or one", "4.5": "Many: Five or more"}


def test_canvas_reports_blank_and_ragged_rows_outcomes_ranges_and_equal_labels() -> None:
    notes = {note.code: note for note in read("canvas.csv").notes}
    assert {"blank_row", "ragged_row", "outcome", "range", "label", "no_points"} == set(notes)
    assert notes["blank_row"].places == ("row 4",)
    assert notes["outcome"].places == ("row 3, column 4 (Criteria Outcome)",)


def test_canvas_points_score_as_they_do_there() -> None:
    version = read("canvas.csv").rubrics[0].snapshot
    partial = next(level for level in scale(version, "argument").levels if level.label == "Partial")
    result = compute(
        version,
        (
            Answer(criterion_id=node(version, "argument").id, scale_level_id=partial.id),
            Answer(criterion_id=node(version, "sources").id, raw_value=3),
        ),
    )
    assert result.normalized_score == pytest.approx((2.5 + 3) / 10.5, abs=1e-5)


MOODLE_MINIMUM = (
    # --minimum, lockzeropoints in the file, the weight of Figures, the score of its 1 of 3 points
    (None, "1", 3, 0.333333),
    (None, "0", 2, 0),
    ("zero", "1", 2, 0),
    ("keep", "0", 3, 0.333333),
)


@pytest.mark.parametrize(("minimum", "locked", "weight", "lowest"), MOODLE_MINIMUM)
def test_moodle_counts_the_minimum_as_asked_else_as_the_file_says(
    minimum: str | None, locked: str, weight: float, lowest: float
) -> None:
    text = (
        (FILES / "moodle_rubric.xml")
        .read_text()
        .replace('"lockzeropoints":"1"', f'"lockzeropoints":"{locked}"')
    )
    imported = read_text(text, minimum=minimum)
    version = imported.rubrics[0].snapshot
    assert node(version, "figures").weight == weight
    assert levels(version, "figures")[0] == ("1", 1, lowest)
    (note,) = (note for note in imported.notes if note.code == "minimum")
    assert ("as asked for" if minimum else "as the file's options say") in note.message


def test_moodle_without_options_keeps_the_minimum_and_says_so() -> None:
    text = (FILES / "moodle_rubric.xml").read_text()
    start, end = text.index("<options>"), text.index("</options>")
    imported = read_text(text[:start] + text[end + len("</options>") :])
    assert levels(imported.rubrics[0].snapshot, "figures")[0][2] == 0.333333
    assert any("the file does not say" in note.message for note in imported.notes)


def test_moodle_criteria_stand_in_their_order_with_html_as_text() -> None:
    rubric = read("moodle_rubric.xml").rubrics[0]
    assert rubric.description == "For **both** halves."
    assert [one.name for one in rubric.snapshot.nodes] == ["Method", "Figures"]
    assert anchors(rubric.snapshot, "method")["2"] == "- steps\n- tools"
    assert anchors(rubric.snapshot, "figures")["3"] == "Labelled & readable"


def test_a_moodle_guide_is_a_number_for_each_criterion() -> None:
    imported = read("moodle_guide.xml")
    version = imported.rubrics[0].snapshot
    assert imported.rubrics[0].description is None
    assert (node(version, "sense").weight, scale(version, "sense").max_value) == (12.5, 12.5)
    assert node(version, "sense").guidance == "Half a point off for each slip."
    assert codes(imported) == {"comment"}


def test_brightspace_groups_cells_and_overall_levels_become_groups_points_and_bands() -> None:
    version = read("brightspace.xml").rubrics[0].snapshot
    shares = weight_shares(version)
    assert {one.key: shares[one.id] for one in version.nodes} == {
        "content": 0.6,
        "facts": 1,
        "delivery": 0.4,
        "voice": 1,
    }
    assert [(band.label, band.min_score, band.max_score, band.description) for band in version.bands] == [
        ("Poor", 0, 0.5, None),
        ("Good", 0.5, 0.8, "On its way"),
        ("Excellent", 0.8, 1, None),
    ]
    assert levels(version, "facts")[-1] == ("Strong", 6, 1)
    assert anchors(version, "facts") == {"Strong": "All *checked*\nand sourced"}


def test_a_holistic_brightspace_rubric_is_one_criterion() -> None:
    version = read("brightspace.xml").rubrics[1].snapshot
    assert [one.key for one in version.nodes] == ["overall-impression"]
    assert levels(version, "overall-impression") == [("Not yet", 0, 0), ("Convincing", 60, 1)]


def test_paperbench_leaves_are_met_or_not_and_zero_weights_stay() -> None:
    imported = read("paperbench.json")
    rubric = imported.rubrics[0]
    assert rubric.name == "The results on tide tables have been reproduced."
    version = rubric.snapshot
    assert [(one.name[:12], one.weight, one.is_criterion) for one in version.nodes] == [
        ("The harbour ", 2, False),
        ("The gauges o", 3, True),
        ("Times are in", 0, True),
        ("The mean err", 1.5, True),
    ]
    assert version.nodes[1].guidance == "Code Development · Data"
    assert version.nodes[3].name.endswith("…")
    assert version.nodes[3].description is not None
    assert version.nodes[3].description.endswith("third table of the paper.")
    assert len(version.scales) == 1
    assert codes(imported) == {"root", "field"}


def test_a_paperbench_group_of_zero_weights_is_told() -> None:
    text = (FILES / "paperbench.json").read_text().replace('"weight": 3', '"weight": 0')
    assert "zero_weights" in codes(read_text(text))


def test_a_list_of_score_rubrics_is_one_rubric_and_those_of_tasks_are_their_own() -> None:
    listed = read("prometheus.json", title="My criteria").rubrics
    assert [(rubric.name, len(rubric.snapshot.nodes)) for rubric in listed] == [("My criteria", 2)]
    version = listed[0].snapshot
    assert [score for _, _, score in levels(version, "tone")] == [0, 0.5, 1]
    assert node(version, "tone").description == "Is the tone fit for a letter to a stranger?"
    tasks = read("biggen.json")
    assert [rubric.name for rubric in tasks.rubrics] == ["letter_0"]
    assert codes(tasks) == {"fields", "same", "minimum"}


def test_score_rubrics_are_read_a_line_each_and_told_at_their_line() -> None:
    kind = '{"criteria": "Is it kind?", "score1_description": "No", "score2_description": "Yes"}'
    text = f"{kind}\n\n{kind.replace('kind', 'clear')}\r\n"
    (rubric,) = read_text(text).rubrics
    assert [node.name for node in rubric.snapshot.nodes] == ["Is it kind?", "Is it clear?"]
    assert lines(
        read_text(text.replace('clear?", "score1_description": "No"', 'clear?", "score1_description": ""'))
    ) == [
        "f:3:52: error: $[1].score1_description, line 3: the score has no description. Write what it means."
    ]


def test_scores_that_keep_their_minimum_count_as_parts_of_the_highest() -> None:
    version = read("prometheus.json", minimum="keep").rubrics[0].snapshot
    assert [score for _, _, score in levels(version, "tone")] == [0.2, 0.6, 1]


def test_a_review_form_has_its_choices_as_criteria_and_asks_for_the_text() -> None:
    imported = read("openreview.json", title="Review")
    version = imported.rubrics[0].snapshot
    assert [(one.key, one.is_advisory, one.rationale_required) for one in version.nodes] == [
        ("soundness", False, True),
        ("verdict", False, False),
        ("confidence", True, False),
    ]
    assert levels(version, "soundness") == [("1", 1, 0), ("2", 2, 0.5), ("3", 3, 1)]
    assert anchors(version, "soundness")["1"] == "The proof fails"
    assert levels(version, "verdict") == [("Reject", None, 0), ("Revise", None, 0.5), ("Accept", None, 1)]
    assert version.instructions == "Write in the rationale:\n\n- Summary: What the paper does."
    assert codes(imported) == {"text_field", "minimum", "choice_order", "confidence", "field"}


def test_a_penalty_is_answered_in_reverse_and_said_to_differ() -> None:
    imported = read("researchrubrics.json")
    version = imported.rubrics[0].snapshot
    assert [(one.key, one.weight) for one in version.nodes] == [("explicit-1", 4), ("implicit-1", 2)]
    assert [(label, score) for label, _, score in levels(version, "implicit-1")] == [
        ("Satisfied", 0),
        ("Partially satisfied", 0.5),
        ("Not satisfied", 1),
    ]
    assert codes(imported) == {"field", "verdict", "negative_weight"}


def test_a_plain_table_has_groups_weights_and_a_level_for_every_other_column() -> None:
    imported = read("table.csv", title="Leaflet")
    version = imported.rubrics[0].snapshot
    assert imported.rubrics[0].name == "Leaflet"
    assert [(one.key, one.weight) for one in version.nodes] == [
        ("text", 2.5),
        ("clear", 2),
        ("short", 0.5),
        ("form", 1),
        ("printed", 1),
    ]
    assert levels(version, "clear") == [("Poor", 0, 0), ("Fair", 1, 0.333333), ("Good", 3, 1)]
    assert anchors(version, "short") == {"Good": "Below a page"}
    assert codes(imported) == {"ragged_row"}


LEVEL_HEADERS = (
    ("4 - Full,2 - Half,0 - None", [("None", 0, 0), ("Half", 2, 0.5), ("Full", 4, 1)]),
    ("Low,High", [("Low", None, 0), ("High", None, 1)]),
    ("Excellent,Good,Poor", [("Poor", None, 0), ("Good", None, 0.5), ("Excellent", None, 1)]),
    ("1,2", [("1", 1, 0.5), ("2", 2, 1)]),
    ('Level 1,"Level 1,5"', [("Level 1", 1, 0.666667), ("Level 1,5", 1.5, 1)]),
)


@pytest.mark.parametrize(("header", "wanted"), LEVEL_HEADERS)
def test_the_headers_of_a_table_say_what_its_levels_are_worth(
    header: str, wanted: list[tuple[str, float | None, float]]
) -> None:
    imported = read_text(
        f"Criterion,{header}\nClear,a,b,c\n" if wanted[2:] else f"Criterion,{header}\nClear,a,b\n"
    )
    assert levels(imported.rubrics[0].snapshot, "clear") == wanted


def test_a_table_without_levels_is_points_or_met_or_not() -> None:
    points = read_text("Criterion,Points\nClear,5\n").rubrics[0].snapshot
    assert (scale(points, "clear").max_value, node(points, "clear").weight) == (5, 5)
    weights = read_text("Criterion,Weight\nClear,30 %\n").rubrics[0].snapshot
    assert (node(weights, "clear").weight, len(levels(weights, "clear"))) == (30, 2)


def test_markdown_tables_under_one_title_are_its_groups() -> None:
    imported = read("table.md")
    rubric = imported.rubrics[0]
    assert (rubric.name, rubric.description) == ("Short talk", "For the spring meeting.")
    assert [(one.key, one.is_criterion) for one in rubric.snapshot.nodes] == [
        ("matter", False),
        ("point", True),
        ("proof", True),
        ("manner", False),
        ("time", True),
    ]
    assert anchors(rubric.snapshot, "proof")["Excellent"] == "Shown\nand explained"
    assert levels(rubric.snapshot, "time") == [("Not met", None, 0), ("Met", None, 1)]
    assert codes(imported) == {"level_order", "text"}


def test_markdown_tables_without_a_common_title_are_rubrics_of_their_own() -> None:
    text = (
        "## One\n\n|Criterion|Points|\n|-|-|\n|A|1|\n\n## Two\n\nWords.\n\n|Criterion|Points|\n|-|-|\n|B|2|\n"
    )
    rubrics = read_text(text).rubrics
    assert [(rubric.name, rubric.description) for rubric in rubrics] == [("One", None), ("Two", "Words.")]


def test_criteria_with_the_same_levels_share_a_scale_and_others_have_names_of_their_own() -> None:
    text = "Criterion,Low (0),High (1)\nA,,\nB,,\n"
    assert [one.name for one in read_text(text).scales] == ["Low / High"]
    rows = "X,A,,false,Low,,0,High,,1\nX,B,,false,Low,,0,High,,3\nX,C,,false,0,,0,10,,10\n"
    header = (
        "Rubric Name,Criteria Name,Criteria Description,Criteria Enable Range"
        + ",Rating Name,Rating Description,Rating Points" * 2
    )
    names = [one.name for one in read_text(f"{header}\n{rows}").scales]
    assert names == ["Low / High", "Low / High (0, 3)", "0 / 10 points"]


ENCODINGS = (
    ("utf-8-sig", None),
    ("utf-16", None),
    ("utf-32", None),
    ("windows-1252", "windows-1252"),
    ("utf-16-le", "utf-16-le"),
)


@pytest.mark.parametrize(("encoding", "named"), ENCODINGS)
def test_text_is_read_in_the_encoding_of_its_mark_or_the_one_that_is_named(
    encoding: str, named: str | None
) -> None:
    data = "Criterion,Points\nGröße,5\n".encode(encoding)
    version = read_text(data, encoding=named).rubrics[0].snapshot
    assert [(one.name, one.key) for one in version.nodes] == [("Größe", "grosse")]


def test_xml_is_read_in_the_encoding_that_it_declares() -> None:
    text = (FILES / "moodle_guide.xml").read_text().replace("Sense", "Größe")
    data = f'<?xml version="1.0" encoding="windows-1252"?>\n{text}'.encode("windows-1252")
    assert read_text(data).rubrics[0].snapshot.nodes[0].name == "Größe"


def test_short_and_blank_rows_of_a_table_in_markdown_are_told() -> None:
    imported = read_text(
        "|Criterion|Weight|Low (0)|High (2)|\n|-|-|-|-|\n|A|1|no|yes|\n| | | | |\n|B|1|no|\n"
    )
    assert [node.name for node in imported.rubrics[0].snapshot.nodes] == ["A", "B"]
    assert {"blank_row", "ragged_row"} <= codes(imported)
