"""Ratings from files: what the rows say, and what is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Level, Node, Scale, VersionSnapshot
from rubrictui.core.ratings import RatingScale
from rubrictui.core.records import EvaluatorType
from rubrictui.interchange.ratings_in import Scales, is_json, is_ratings_json, read_ratings

WORDS = RatingScale(labels=("poor", "fair", "good"))
VERSION = VersionSnapshot(
    scales=(
        Scale(
            id="S",
            levels=(
                Level(id="b", label="Good", value=5, normalized_value=1.0),
                Level(id="a", label="Poor", value=1, normalized_value=0.0),
            ),
        ),
    ),
    nodes=(
        Node(id="1", key="clarity", scale_id="s"),
        Node(id="2", key="days"),
    ),
)
HEADER = "subject,evaluator,criterion,rating\n"


def read(text: str | bytes, scales: Scales | None = None, **options: Any) -> Any:
    data = text.encode() if isinstance(text, str) else text
    return read_ratings(data, "r.csv", scales or Scales(every=WORDS), **options)


def test_a_rating_a_row_becomes_a_table_with_labels_as_indexes() -> None:
    found = read(
        "Record;Reviewer;Type;Key;Level\n\nNorth; Ann ;;c;GOOD\nNorth;Bot;ai prompt;c;poor\nSouth;Ann;Human;c;n/a\nSouth;Bot;AIPrompt;c;\n"
    )
    (row,) = found.criteria
    assert found.subjects == ("North", "South")
    assert [(rater.name, rater.type) for rater in found.evaluators] == [
        ("Ann", EvaluatorType.HUMAN),
        ("Bot", EvaluatorType.AI_PROMPT),
    ]
    assert (row.ratings, row.not_applicable, row.scale) == (((2.0, 0.0), (None, None)), 1, WORDS)


def test_a_version_gives_scales_and_order_and_levels_by_label_or_value() -> None:
    found = read(f"{HEADER}n,Ann,days,12.5\nn,Ann,clarity,5\nn,Ben,clarity, poor\n", Scales(VERSION))
    assert [row.key for row in found.criteria] == ["clarity", "days"]
    assert found.criterion("clarity").ratings == ((1.0, 0.0),)
    assert found.criterion("days").ratings == ((12.5, None),)


def test_a_level_that_is_called_na_is_a_level() -> None:
    scale = RatingScale(labels=("N/A", "ok"))
    assert read(f"{HEADER}n,Ann,c,n/a\n", Scales(every=scale)).criterion("c").ratings == ((0.0,),)


def test_without_a_criterion_there_is_one() -> None:
    assert [row.key for row in read("subject,rater,rating\nn,Ann,fair\n").criteria] == ["rating"]


def test_json_rows_and_other_encodings_say_the_same() -> None:
    rows = [{"subject": "Süd", "evaluator": "Ann", "criterion": "c", "rating": "fair"}]
    latin = f"{HEADER}Süd,Ann,c,fair\n".encode("latin-1")
    assert read(json.dumps(rows)) == read(latin, encoding="latin-1")
    assert read(b"\xef\xbb\xbf" + f"{HEADER}Süd,Ann,c,fair\n".encode()) == read(json.dumps(rows))


TABLE: dict[str, Any] = {
    "subjects": ["n", "s"],
    "evaluators": ["Ann", {"name": "Bot", "type": "Agent"}],
    "criteria": [{"key": "c", "ratings": [[0, 2], [None, 1]]}],
}


def test_a_table_in_json_takes_the_declared_scale_unless_it_brings_its_own() -> None:
    found = read(json.dumps(TABLE))
    assert found.criterion("c").scale == WORDS
    assert found.evaluators[1].type is EvaluatorType.AGENT
    own = {"minimum": 0, "maximum": 10}
    changed = {**TABLE, "criteria": [{**TABLE["criteria"][0], "scale": own}]}
    assert read(json.dumps(changed)).criterion("c").scale == RatingScale(minimum=0, maximum=10)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (TABLE, True),
        ([{"subject": "a", "Rater": "b", "rating": 1}], True),
        ({"ratings": [[1, 2]]}, False),
        ([{"ratings": [[1, 2]]}], False),
        ([[1, 2]], False),
        ([], False),
        (7, False),
    ],
)
def test_numbers_for_one_coefficient_are_told_from_ratings(value: Any, expected: bool) -> None:
    assert is_ratings_json(value) is expected
    assert is_json(json.dumps(value).encode()) is (value != 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r.csv is empty"),
        ("a,b\n1,2\n", "r.csv, row 1: there is no column subject and none evaluator and none rating"),
        ("subject,subject,rating\n", 'r.csv, row 1: the column "subject" stands twice'),
        (
            f"{HEADER}n,Ann,c,great\n",
            'r.csv, row 2: "great" is no level of "c". Use one of: poor, fair, good',
        ),
        (f"{HEADER}n,Ann,c,1\n", 'r.csv, row 2: "1" is no level'),
        (f"{HEADER},Ann,c,fair\n", "r.csv, row 2 names no subject"),
        (f"{HEADER}n, ,c,fair\n", "r.csv, row 2 names no evaluator"),
        (f"{HEADER}n,Ann,c,fair,x\n", "r.csv, row 2 has 5 cells under 4 columns"),
        (f'{HEADER}n,Ann,c,"fair\n', "r.csv is not CSV"),
        (f"{HEADER}n,Ann,c,fair\nn,Ann,c,good\n", '"Ann" rates subject "n" twice on "c"'),
        ("subject,evaluator,rating,type\nn,Ann,fair,Robot\n", '"Robot" is no type of evaluator'),
        (b"subject,evaluator,rating\n\xff,Ann,fair\n", "r.csv is not UTF-8 text at byte 25"),
        ('{"ratings": [[1, 2]]}', "r.csv holds no table of ratings"),
        ("[7]", "is no object"),
        ('[{"subject": "n", "evaluator": "Ann", "rating": [1]}]', "r.csv[0].rating is neither text"),
        (json.dumps({**TABLE, "criteria": [{"key": "c"}]}), "ratings"),
        (json.dumps({**TABLE, "subjects": ["n"]}), "2 rows of ratings for 1 subjects"),
        ("{", "this is not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("written", ["great", "nan", "inf", "1_0", "0x1"])
def test_what_is_no_number_is_refused_where_no_levels_are_declared(written: str) -> None:
    with pytest.raises(InvalidInputError, match=r"is no number\. Declare the levels"):
        read(f"{HEADER}n,Ann,c,{written}\n", Scales())


def test_a_criterion_that_the_version_lacks_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInputError, match=r'no criterion "clarty"\. Did you mean "clarity"'):
        read(f"{HEADER}n,Ann,clarty,5\n", Scales(VERSION))
