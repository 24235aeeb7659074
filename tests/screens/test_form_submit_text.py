"""Before submitting, the form says exactly what is missing, or what will be frozen."""

from __future__ import annotations

from rubrictui.core.model import Answer, Band, Level, Node, Scale, VersionSnapshot
from rubrictui.core.records import SubmitPreview, SubmitProblem
from rubrictui.core.scoring import compute
from rubrictui.screens.scoring_submit import submit_rows, submit_text

SCALE = Scale(
    id="s",
    levels=(Level(id="no", label="No", normalized_value=0), Level(id="yes", label="Yes", normalized_value=1)),
)
VERSION = VersionSnapshot(
    id="v",
    pass_threshold=0.6,
    score_display_min=1,
    score_display_max=5,
    nodes=tuple(Node(id=f"C{n}", key=f"k{n}", name=f"Criterion {n}", scale_id="s") for n in (1, 2, 3)),
    scales=(SCALE,),
    bands=(Band(id="b", label="Strong", min_score=0.8, max_score=1),),
)


def preview(
    *answers: Answer, problems: tuple[SubmitProblem, ...] = (), warnings: tuple[str, ...] = ()
) -> SubmitPreview:
    answered = {answer.criterion_id for answer in answers}
    return SubmitPreview(
        result=compute(VERSION, answers),
        problems=problems,
        unanswered=tuple(f"k{n}" for n in (1, 2, 3) if f"C{n}" not in answered),
        warnings=warnings,
    )


def test_what_will_be_frozen_is_said_on_the_display_range() -> None:
    text = submit_text(preview(Answer(criterion_id="C1", scale_level_id="yes")), VERSION)
    assert text.split("\n") == [
        "Score 5 on 1 to 5 · Strong",
        "Passed: the score of 5 reaches the threshold of 3.4.",
        "Completeness 33.33%: 2 of 3 criteria that count unanswered.",
        "Submitting freezes the answers and this score. A correction is a new evaluation that supersedes it.",
    ]


def test_submit_now_comes_first_and_unanswered_criteria_after_it() -> None:
    rows = submit_rows(preview(Answer(criterion_id="C2", scale_level_id="no")), VERSION)
    assert [(row.id, row.cells) for row in rows] == [
        ("now", ("", "Submit now, with 2 unanswered")),
        ("u:k1", ("1", "Criterion 1")),
        ("u:k3", ("3", "Criterion 3")),
    ]


def test_with_nothing_left_open_there_is_only_submit_now() -> None:
    given = preview(*(Answer(criterion_id=f"C{n}", scale_level_id="yes") for n in (1, 2, 3)))
    assert [row.cells for row in submit_rows(given, VERSION)] == [("", "Submit now")]


def test_what_is_marked_to_return_to_is_listed_last() -> None:
    rows = submit_rows(preview(Answer(criterion_id="C2", scale_level_id="no")), VERSION, {"c2"})
    assert rows[0].cells == ("", "Submit now, with 2 unanswered and 1 marked to return to")
    assert [(row.id, row.mark) for row in rows][-1] == ("f:k2", "⚑")


def test_everything_that_is_missing_is_listed_and_submitting_is_not_offered() -> None:
    problems = (
        SubmitProblem(
            kind="rationale_missing", criterion_id="C1", key="k1", message='"Criterion 1" needs a rationale.'
        ),
        SubmitProblem(
            kind="evidence_missing", criterion_id="C1", key="k1", message='"Criterion 1" needs evidence.'
        ),
    )
    given = preview(Answer(criterion_id="C1", scale_level_id="yes"), problems=problems)
    assert submit_text(given, VERSION).startswith("Not yet: 2 things are missing or wrong.")
    rows = submit_rows(given, VERSION)
    assert [row.id for row in rows] == ["0:k1", "1:k1", "u:k2", "u:k3"]
    assert rows[1].cells == ("1", '"Criterion 1" needs evidence.')


def test_nothing_answered_has_no_score_and_can_still_be_submitted() -> None:
    given = preview(warnings=("The subject has changed since this draft was opened.",))
    text = submit_text(given, VERSION)
    assert "Incomplete" in text
    assert "Score" not in text.split("\n")[0]
    assert text.endswith("The subject has changed since this draft was opened.")
    assert submit_rows(given, VERSION)[0].id == "now"
