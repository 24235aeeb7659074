"""Every file that is no rubric is refused with the place of each error, and gives no rubric at all."""

from __future__ import annotations

import pytest
from import_files import FILES, codes, lines, read_text

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.importers import import_rubrics

CANVAS = "Rubric Name,Criteria Name,Criteria Description,Criteria Enable Range,Rating Name,Rating Description,Rating Points"
MOODLE = (FILES / "moodle_rubric.xml").read_text()
PAPERBENCH = (FILES / "paperbench.json").read_text()

REFUSED = {
    "points that are none": (
        f"{CANVAS}\nA,One,,false,Good,,4\nA,Two,,false,Good,,lots\n",
        'f:3:7: error: row 3, column 7 (Rating Points): "lots" is no number.',
    ),
    "a rating without points": (
        f"{CANVAS}\nA,One,,false,Good,,\n",
        "f:2:7: error: row 2, column 7 (Rating Points): the rating has no points.",
    ),
    "a criterion without a name": (
        f"{CANVAS}\nA,,,false,Good,,4\n",
        "f:2:2: error: row 2, column 2 (Criteria Name): the criterion has no name.",
    ),
    "a rubric without a name": (
        f"{CANVAS}\n,One,,false,Good,,4\n",
        "f:2:1: error: row 2, column 1 (Rubric Name):",
    ),
    "a criterion without ratings": (
        f"{CANVAS}\nA,One,,false,,,\n",
        "f:2:5: error: row 2, column 5: the criterion has no",
    ),
    "a truth that is none": (
        f"{CANVAS}\nA,One,,maybe,Good,,4\n",
        "f:2:4: error: row 2, column 4 (Criteria Enable Range):",
    ),
    "rating columns in disorder": (
        f"{CANVAS},Rating Points\nA,One,,false,Good,,4,2\n",
        "f:1:8: error: row 1, column 8 (Rating Points): Rating Name is expected here.",
    ),
    "an open quote": (f'{CANVAS}\nA,"One,,false,Good,,4\n', "f:2:1: error: row 2: this is not CSV:"),
    "a table with a word for a weight": (
        "Criterion,Weight,Low,High\nA,heavy,,\n",
        'f:2:2: error: row 2, column 2 (Weight): "heavy" is no number',
    ),
    "a weight below zero": ("Criterion,Weight\nA,-1\n", "f:2:2: error: row 2, column 2 (Weight):"),
    "a cell beyond the header": ("Criterion,Weight\nA,1,left over\n", "f:2:3: error: row 2, column 3:"),
    "a header alone": ("Criterion,Weight\n", "f:1:1: error: row 1: there is a header and no row"),
    "a bad weight in Markdown": (
        "# T\n\n|Criterion|Weight|\n|-|-|\n|A|x|\n",
        'f:5:2: error: line 5, column 2 (Weight): "x" is no number',
    ),
    "a cell beyond the header in Markdown": (
        "|Criterion|Weight|\n|-|-|\n|A \\| B|1|\n|C|1|left over|\n",
        'f:4:3: error: line 4, column 3: "left over" stands beyond the 2 columns',
    ),
    "a level without a score": (
        MOODLE.replace("<score>1.00000</score>", "<score></score>"),
        "f:18:17: error: line 18: the level has no score.",
    ),
    "a definition without criteria": (
        MOODLE.replace("criteria>", "other>"),
        "f:6:7: error: line 6: the definition has no criteria.",
    ),
    "XML that ends too soon": (
        MOODLE[:900],
        "f:21:32: error: line 21, column 32: this is not XML: no element found",
    ),
    "an entity bomb": (
        '<!DOCTYPE areas [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<areas>&b;plugin_gradingform_</areas>',
        "f:1:17: error: line 1, column 17: a document type or entities",
    ),
    "an external entity": (
        '<!DOCTYPE rubrics [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<rubrics>&x;</rubrics>',
        "f:1:19: error: line 1, column 19: a document type or entities",
    ),
    "an undefined entity": (
        "<rubrics>&nbsp;</rubrics>",
        "f:1:10: error: line 1, column 10: this is not XML: undefined",
    ),
    "XML that is too deep": ("<rubrics>" + "<a>" * 300, "f:1:607: error: line 1: the file is too deep."),
    "Brightspace points that are none": (
        '<rubrics>\n<rubric name="R"><criteria_group><levels>\n<level level_id="1" name="A" level_value="x"/></levels>'
        '<criterion name="C"/></criteria_group></rubric></rubrics>',
        'f:3:1: error: line 3: "x" is no number.',
    ),
    "an empty Brightspace rubric": (
        '<rubrics>\n <rubric name="R"/></rubrics>',
        "f:2:2: error: line 2: the rubric has neither",
    ),
    "a weight below zero in a tree": (
        PAPERBENCH.replace('"weight": 1.5', '"weight": -1.5'),
        "f:26:17: error: $.sub_tasks[1].weight, line 26: the weight must be a number from 0 up.",
    ),
    "parts that are no list": (
        PAPERBENCH.replace('"sub_tasks": [], "judge"', '"sub_tasks": 3, "judge"'),
        "f:20:85: error: $.sub_tasks[0].sub_tasks[1].sub_tasks, line 20: sub_tasks must be a list.",
    ),
    "a part without a text": (
        PAPERBENCH.replace('"Times are in UTC."', "null"),
        "f:20:9: error: $.sub_tasks[0].sub_tasks[1], line 20: requirements is missing or empty.",
    ),
    "JSON that ends too soon": (
        PAPERBENCH[:80],
        "f:3:19: error: this is not JSON: line 3, column 19: unterminated",
    ),
    "a key that stands twice": (
        '{"requirements": "a", "sub_tasks": [], "sub_tasks": []}',
        "f:1:1: error: $: the key",
    ),
    "a score without a description": (
        '{"criteria": "Is it kind?",\n "score1_description": " ", "score5_description": "Yes"}',
        "f:2:24: error: $.score1_description, line 2: the score has no description.",
    ),
    "a score rubric without a question": (
        '{"score1_description": "No"}',
        "f:1:1: error: $, line 1: criteria is missing",
    ),
    "a penalty that is no number": (
        '{"rubric": [{"requirement": "A", "weight": "5"}]}',
        "f:1:44: error: $.rubric[0].weight, line 1: the weight must be a number.",
    ),
    "a choice that is none": (
        '{"soundness": {"value-radio": ["1: no", {"x": 2}]}}',
        "f:1:15: error: $.soundness, line 1: a choice is neither",
    ),
    "nothing at all": ("  \n", "f:1:1: error: the file is empty."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_told_at_its_place_and_nothing_is_given(name: str) -> None:
    text, wanted = REFUSED[name]
    imported = read_text(text)
    assert (imported.rubrics, imported.scales) == ((), ())
    assert not imported.is_valid
    assert lines(imported)[0].startswith(wanted)


def test_all_errors_of_a_file_are_told_at_once() -> None:
    imported = read_text(f"{CANVAS}\nA,,,x,Good,,4\nA,Two,,x,Good,,lots\nA,Three,,true,,,\n")
    assert [(one.line, one.column) for one in imported.findings] == [(2, 2), (3, 4), (3, 7), (4, 5)]


def test_a_wrong_byte_is_told_with_its_place_and_what_to_do() -> None:
    imported = read_text("Criterion,Points\nGröße,5\n".encode("windows-1252"))
    (line,) = lines(imported)
    assert line.startswith("f:2:3: error: line 2, column 3: byte 20 (0xf6) is not UTF-8.")
    assert "--encoding" in line


SAID_IN_A_LINE: tuple[tuple[str | bytes, str | None, dict[str, str], str], ...] = (
    ("Words and nothing else.", None, {}, "is no rubric in a format known here"),
    ('{"a": 1}', None, {}, "is no rubric in a format known here"),
    ("Criterion,Weight\nA,1\n".encode("utf-16-le"), None, {}, "holds null characters"),
    ("Criterion,Weight\nA,1\n", None, {"encoding": "nonsense"}, 'no text encoding "nonsense"'),
    ("Criterion,Weight\nA,1\n", None, {"encoding": "hex"}, 'no text encoding "hex"'),
    ("Criterion,Weight\nA,1\n", "excel", {}, 'no format "excel"'),
    (
        '{"requirements": "a", "sub_tasks": [], "score1_description": "b", "criteria": "c"}',
        None,
        {},
        "could be paperbench (PaperBench rubric tree) or prometheus (Prometheus",
    ),
    ((FILES / "canvas.csv").read_bytes(), None, {"name": "One for two"}, "holds 2 rubrics"),
)


@pytest.mark.parametrize(("text", "format", "options", "wanted"), SAID_IN_A_LINE)
def test_a_question_of_format_or_encoding_is_one_line(
    text: str | bytes, format: str | None, options: dict[str, str], wanted: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_text(text, format=format, **options)
    assert wanted in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "data",
    [b'{"version": 2, "eval": {"task": "t"}, "samples": []}', b"PK\x03\x04\x14\x00_journal/start.json"],
)
def test_a_log_of_scores_is_told_where_it_belongs(data: bytes) -> None:
    with pytest.raises(InvalidInputError) as refused:
        import_rubrics(data, name="f")
    assert "evaluations import" in refused.value.remedy


def test_the_format_can_be_said_where_the_content_does_not() -> None:
    text = '{"requirements": "a", "sub_tasks": [], "score1_description": "b", "criteria": "c", "weight": 1}'
    assert read_text(text, format="paperbench").is_valid
    assert read_text(text, format="prometheus").is_valid
    assert not import_rubrics(b"Criterion,Weight\nA,1\n", format="moodle").is_valid


HOSTILE = (
    ("<script>steal()</script>Fair", "Fair"),
    ("<p>One</p><p>Two&nbsp;&amp; three</p>", "One\n\nTwo & three"),
    ('<a href="javascript:x()">here</a>', "here"),
    ('<a href="https://example.org/a">here</a>', "here (https://example.org/a)"),
    ("<b></b>Plain<i> </i>", "Plain"),
    ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
    ('<img src=x onerror="y()" alt="a chart"><br>', "a chart"),
    ("<!-- <p>unseen</p> --><p>Seen</p>", "Seen"),
    ("<p>2 < 3</p>", "2 < 3"),
    ("a < b and <think> stay", "a < b and <think> stay"),
    ("x\x1b[2Jy\x07z", "x[2Jyz"),
)


@pytest.mark.parametrize(("text", "wanted"), HOSTILE)
def test_markup_and_controls_never_come_along(text: str, wanted: str) -> None:
    cell = text.replace('"', '""')
    version = read_text(f'Criterion,Description,Points\nA,"{cell}",1\n').rubrics[0].snapshot
    assert version.nodes[0].description == wanted


def test_names_are_one_line_that_fits_and_the_whole_stands_in_the_description() -> None:
    long = "word " * 60
    imported = read_text(f'Criterion,Points\n"{long}",1\n"two\nlines",1\n')
    first, second = imported.rubrics[0].snapshot.nodes
    assert (len(first.name) <= 200, first.description) == (True, long.strip())
    assert (second.name, len(first.key) <= 100) == ("two lines", True)
    assert codes(imported) == {"name"}


def test_equal_names_have_keys_and_ids_of_their_own() -> None:
    nodes = read_text("Criterion,Points\n" + "Same,1\n" * 30).rubrics[0].snapshot.nodes
    assert [one.key for one in nodes][:3] == ["same", "same-2", "same-3"]
    assert len({one.id for one in nodes}) == len({one.key for one in nodes}) == 30
