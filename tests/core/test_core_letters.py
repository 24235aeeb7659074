"""Letters and reports as values: what a person scored reads, and that no number betrays who reviewed her."""

from __future__ import annotations

import msgspec
import pytest

from letters_world import PEOPLE, a_panel, evaluation, facts, settled
from rubrictui.core.hidden_fields import anonymised
from rubrictui.core.letters import Letter, letters, recipients
from rubrictui.core.records import (
    EvaluationStatus,
    EvaluatorType,
    Subject,
    SubjectFile,
)
from rubrictui.core.round_report import RoundFacts, round_report
from rubrictui.core.round_report_words import report_text
from rubrictui.core.rounds import Naming


def letter_of(given: RoundFacts, subject: str) -> Letter:
    return next(one for one in letters(given) if one.subject_id == subject)


def test_a_letter_says_the_score_the_verdicts_and_what_each_reviewer_answered() -> None:
    letter = letter_of(a_panel(), "x")
    assert (letter.score, letter.count, letter.passed) == ("66.67", 3, 2)
    assert letter.outcome == "The reviewers differ: 2 of 3 say passed"
    craft = letter.criteria[1]
    assert (craft.mean, craft.spread) == ("50", "100")
    assert sorted(one.answer for one in craft.answers) == ["Meets", "Miss", "Partial"]
    assert all(one.rationale == "Craft of x." and one.evidence == ("two lines",) for one in craft.answers)


def test_a_gate_that_keeps_a_subject_out_is_explained() -> None:
    letter = letter_of(a_panel(), "y")
    assert letter.gated_out
    assert letter.outcome == "A required criterion is not met"
    why = " ".join(letter.why)
    assert "Eligible is a required criterion with a minimum of 50" in why
    assert "failed in 2 of 3 evaluations, so the subject has no place in the ranking" in why
    failed = [one for one in letter.criteria[0].answers if one.gate_failed]
    assert {one.anchor for one in failed} == {"Not in the region."}
    assert any(one.why.startswith("Gate failed: Eligible scored 0") for one in letter.reviewers)


def test_no_name_or_login_or_id_of_a_reviewer_is_in_an_anonymous_letter() -> None:
    for letter in letters(a_panel(settled=(settled("x"),))):
        told = msgspec.json.encode(msgspec.structs.replace(letter, settled=None)).decode().casefold()
        assert not [name for name in (*PEOPLE, "dora") if name.casefold() in told]
        assert [one.name for one in letter.reviewers] == ["Reviewer 1", "Reviewer 2", "Reviewer 3"]
        assert letter.settled is None or letter.settled.by == ""


def test_a_named_round_names_its_reviewers() -> None:
    letter = letter_of(a_panel(naming=Naming.NAMED, settled=(settled("x"),)), "x")
    assert tuple(one.name for one in letter.reviewers) == PEOPLE
    assert letter.settled is not None
    assert letter.settled.by == "Dora Keller"


def test_numbers_of_reviewers_follow_from_random_ids_and_not_from_who_they_are() -> None:
    ids = [f"s{n}" for n in range(60)]
    given = facts(*(evaluation(name, id, 2, mark) for id in ids for mark, name in enumerate(PEOPLE)))
    # Each person has an answer of her own, so it tells who a number is: over many letters all numbers are hers.
    places: dict[str, set[str]] = {}
    for letter in letters(given):
        for one in letter.criteria[1].answers:
            places.setdefault(one.answer, set()).add(one.reviewer)
    assert all(len(found) == 3 for found in places.values())
    again = facts(*reversed(given.table.evaluations))
    assert list(letters(again)) == list(letters(given))


def test_a_settled_score_is_the_score_of_record_beside_the_mean() -> None:
    letter = letter_of(a_panel(settled=(settled("x"),)), "x")
    assert (letter.score, letter.panel_score, letter.outcome) == ("75", "66.67", "Passed")
    assert letter.settled is not None
    assert (letter.settled.reason, letter.settled.at, letter.settled.by) == ("Slip", "2027-03-01", "")


def test_a_self_assessment_and_machines_are_told_apart_and_the_first_counts_in_nothing() -> None:
    panel = a_panel().table.evaluations
    own = evaluation("Bid team", "x", 2, 2, evaluator_type=EvaluatorType.SELF)
    judge = evaluation("run by ann", "x", 2, 2, evaluator_type=EvaluatorType.AI_PROMPT, evaluator_name="Sage")
    letter = letter_of(facts(*panel, own, judge), "x")
    assert letter.self_assessment is not None
    assert letter.count == 4
    assert [one.name for one in letter.reviewers][-1] == "AI judge"
    assert [one.is_self for one in letter.criteria[0].answers].count(True) == 1
    assert "Sage" not in msgspec.json.encode(letter).decode()


def test_withdrawn_and_superseded_evaluations_are_in_no_letter() -> None:
    ended = [
        evaluation("Old", "x", 0, 0, id=f"e{n}", status=status)
        for n, status in enumerate((EvaluationStatus.WITHDRAWN, EvaluationStatus.SUPERSEDED))
    ]
    assert letter_of(facts(*a_panel().table.evaluations, *ended), "x") == letter_of(a_panel(), "x")


def test_subjects_without_a_letter_are_named_with_the_reason() -> None:
    found = recipients(a_panel())
    assert [one.id for one in found.subjects] == ["x", "y"]
    assert [names for _, names in found.without] == [("Bid/h",), ("Bid/silent",)]


# -- reports -------------------------------------------------------------------------------------------------


def told(given: RoundFacts) -> str:
    return msgspec.json.encode(report_text(round_report(given, resamples=0))).decode()


def test_a_report_tells_ranks_disagreements_what_was_settled_and_what_is_left_out() -> None:
    withdrawn = evaluation("Old", "x", 0, 0, status=EvaluationStatus.WITHDRAWN, end_reason="Conflict.")
    given = facts(*a_panel().table.evaluations, withdrawn, failed=2, elsewhere=1, settled=(settled("x"),))
    report = round_report(given, resamples=0)
    assert [(line.place, line.subject.id) for line in report.lines] == [
        ("1.", "x"),
        ("gate", "y"),
        ("–", "silent"),
    ]
    assert [line.subject.id for line in report.disagreeing] == ["x", "y"]
    said = told(given)
    for words in (
        "1 settled, 1 not settled", "Settled disagreements", "1 Slip", "Cai misread it.", "75, passed",
        "Withdrawn evaluations (1)", "Old on Bid x: Conflict.", "Failed evaluations (2)", "Evaluations elsewhere (1)",
        "Subjects (1): kim has open work on them", "All coefficients are withheld: 2 usable subjects at most",
    ):  # fmt: skip
        assert words in said


def test_a_settlement_changes_no_figure_of_a_report() -> None:
    plain, with_one = (
        round_report(one, resamples=0) for one in (a_panel(), a_panel(settled=(settled("x"),)))
    )
    assert with_one.ranking == plain.ranking
    assert (with_one.overall, with_one.criteria, with_one.agreement) == (
        plain.overall,
        plain.criteria,
        plain.agreement,
    )


def test_a_report_of_one_who_reads_only_her_own_says_so() -> None:
    own = msgspec.structs.replace(a_panel(), reads_all=False)
    assert "they are not the round's" in told(own)
    assert "they are not the round's" not in told(a_panel())


def test_a_report_of_nothing_is_a_report() -> None:
    said = told(facts())
    assert "0 ranked, 0 kept out by a gate, 1 without a score" in said
    assert "nan" not in said.casefold()


# -- anonymised subjects -------------------------------------------------------------------------------------


def test_hidden_fields_and_what_stood_in_them_are_gone_everywhere() -> None:
    subject = Subject(
        record_id="north", title="North by Ada  Lovelace", text="ADA\nLOVELACE wrote it; Ada did.",
        data={"author": {"name": "Ada Lovelace", "phone": 5551234}, "about": ["Ada Lovelace", 5551234], "ok": "no"},
        files=(SubjectFile(name="cv.txt", text="Ada Lovelace", path="/home/ada/cv.txt"), SubjectFile(name="face.png")),
    )  # fmt: skip
    found = anonymised(subject, ["author"])
    assert found.subject.title == "North by [hidden]"
    assert found.subject.text == "[hidden] wrote it; Ada did."
    assert found.subject.data == {"about": ["[hidden]", "[hidden]"], "ok": "no"}
    assert [(one.name, one.text, one.path) for one in found.subject.files] == [("cv.txt", "[hidden]", None)]
    assert (found.replaced, found.dropped, found.in_record_id) == (5, ("face.png",), False)


@pytest.mark.parametrize("value", ["it", "12", 7, True, None, ""])
def test_what_is_too_common_to_be_told_goes_from_its_field_alone(value: object) -> None:
    found = anonymised(Subject(record_id="a", text="it is 12 and 7 True", data={"x": value}), ["x"])
    assert found.subject.text == "it is 12 and 7 True"
    assert found.subject.data == {}


def test_a_word_inside_another_is_not_taken_for_it_and_a_record_id_is_told() -> None:
    found = anonymised(Subject(record_id="ada-1", text="Canada", data={"x": "Ada"}), ["x"])
    assert (found.subject.text, found.in_record_id) == ("Canada", True)
