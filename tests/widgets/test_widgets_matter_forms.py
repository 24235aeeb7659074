"""Forms of a matter's actions: what they hold, what keeps them from being sent, and the actions they make."""

from __future__ import annotations

from typing import Any

import pytest

from rubrictui.matters.submissions import ISSUE_FIELDS, MARKUP_FIELDS, REDLINE_FIELDS
from rubrictui.widgets.matter_form import closed_field, open_field
from rubrictui.widgets.matter_forms import (
    FORMS,
    action_of,
    blank,
    form_of,
    fresh_label,
    is_blank,
    problem,
    sound_values,
)


def resolves(citation: str) -> bool:
    return citation in {"msa §1", "msa §2"}


FULL: dict[str, Any] = {
    "issue_id": " cap ",
    "title": "The cap",
    "severity": "high",
    "citations": ["msa §1"],
    "analysis": "It is low.",
    "recommendation": "Raise it.",
    "quotes": [],
}


@pytest.mark.parametrize(
    ("form", "fields"),
    [("issue", ISSUE_FIELDS), ("redline", REDLINE_FIELDS), ("markup", MARKUP_FIELDS), ("ask", ("question",))],
)
def test_a_form_makes_every_field_that_its_action_needs(form: str, fields: tuple[str, ...]) -> None:
    action = action_of(form, blank(form, place="msa §1"))
    assert set(fields) <= set(action)
    assert action["type"] == FORMS[form].action


def test_a_place_becomes_document_and_section() -> None:
    action = action_of("redline", blank("redline", place="msa §2"))
    assert (action["document_id"], action["section"]) == ("msa", "2")


def test_lines_are_trimmed_and_quotes_left_out_where_there_are_none() -> None:
    action = action_of("issue", FULL)
    assert action["issue_id"] == "cap"
    assert "quotes" not in action


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"title": " ", "severity": ""}, "Still empty: title, severity."),
        ({"citations": []}, "Still empty: citations."),
        ({"citations": ["msa §1", "msa §9"]}, "msa §9 names no section"),
    ],
)
def test_what_keeps_an_issue_from_being_sent(change: dict[str, Any], said: str) -> None:
    found = problem("issue", {**FULL, **change}, resolves)
    assert found.startswith(said) if said else found == ""


def test_a_redline_of_no_section_is_not_sent() -> None:
    values = blank("redline", issue_id="a", place="msa §9", replacement_text="x", rationale="y")
    assert "names no section" in problem("redline", values, resolves)


def test_a_summary_may_be_empty() -> None:
    assert problem("final", blank("final"), resolves) == ""


def test_a_form_with_a_label_only_counts_as_blank() -> None:
    assert is_blank("issue", blank("issue", issue_id="issue-1", severity="low"))
    assert not is_blank("issue", blank("issue", citations=["msa §1"]))
    assert not is_blank("ask", {"question": "x"})


def test_a_revision_has_the_form_of_what_it_revises() -> None:
    assert form_of("revise issue:cap").fields == FORMS["issue"].fields
    assert action_of("revise issue:cap", FULL)["type"] == "revise_issue"


@pytest.mark.parametrize(
    "values", [None, 3, {"citations": "x"}, {"quotes": [{"citation": "x"}]}, {"title": None}]
)
def test_values_of_the_wrong_shape_are_not_taken(values: object) -> None:
    assert sound_values("issue", values) is None


def test_values_that_lack_a_field_get_it_empty() -> None:
    assert sound_values("issue", {"title": "x"}) == blank("issue", title="x")


def test_labels_are_new() -> None:
    assert fresh_label(("issue-1", "cap")) == "issue-2"


def test_every_drawn_line_fits_its_width() -> None:
    values = {**FULL, "analysis": "word " * 80, "citations": ["msa §1", "msa §9"]}
    values["quotes"] = [{"citation": "msa §1", "text": "long " * 50}]
    for field in form_of("issue").fields:
        for lines in (closed_field, open_field):
            for line in lines(field, values[field.name], 30, resolves):
                assert sum(len(text) for text, _ in line) <= 30


def test_a_citation_of_nothing_is_said_in_words() -> None:
    field = form_of("issue").fields[3]
    shown = "\n".join("".join(t for t, _ in line) for line in open_field(field, ["msa §9"], 40, resolves))
    assert "names no section" in shown
