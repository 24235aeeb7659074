"""Every case of matching.json and sections.json: concepts, quotes, questions, escalations, citations, sections."""

from __future__ import annotations

from typing import Any

import pytest
from matter_cases import case_id, cases

from rubrictui.matters import Matter
from rubrictui.matters.issues import quote_status
from rubrictui.matters.model import Escalation, Question
from rubrictui.matters.plan import AskPlan
from rubrictui.matters.questions import ESCALATION, QUESTION, score_ask
from rubrictui.matters.sections import parse_document, parse_sections, split_citation
from rubrictui.matters.spans import WrittenText
from rubrictui.matters.text import LONG_TEXT, WHITE_SPACE, found_in, fraction_found, norm, normed

MATCHING = cases("matching")


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [case for case in MATCHING if case["kind"] == kind]


def with_document(case: dict[str, Any]) -> Matter:
    return Matter.from_dict(
        {
            "matter": {"documents": [{"id": case["document_id"]}]},
            "rubric": {},
            "hidden_facts": {},
            "documents": {case["document_id"]: case["markdown"]},
        }
    )


def asks(case: dict[str, Any], kind: type[Question] | type[Escalation]) -> list[AskPlan]:
    return [
        AskPlan(
            kind(
                id=entry["id"],
                concepts=tuple(entry.get("concepts", ())),
                aliases=tuple(tuple(alias) for alias in entry.get("aliases", ())),
            ),
            None,
        )
        for entry in case["criteria"]
    ]


@pytest.mark.parametrize("case", of_kind("concept"), ids=case_id)
def test_concepts_are_found_in_the_joined_fields(case: dict[str, Any]) -> None:
    text = WrittenText(*case["fields"].items())
    concepts = normed(case["concepts"])
    assert [concept in text.normed for concept in concepts] == case["expected"]["hits"]
    share = fraction_found(len(found_in(concepts, text.normed)), len(concepts))
    assert share == pytest.approx(case["expected"]["fraction"], abs=1e-4)


@pytest.mark.parametrize("case", of_kind("quote"), ids=case_id)
def test_a_quote_is_verified_fabricated_or_ignored(case: dict[str, Any]) -> None:
    status = quote_status(with_document(case).plan, case["citation"], case["text"])
    assert status == case["expected"]["status"]


@pytest.mark.parametrize("case", of_kind("citation"), ids=case_id)
def test_a_citation_resolves_is_an_anchor_or_counts_as_required(case: dict[str, Any]) -> None:
    matter = with_document(case)
    resolves = matter.resolves(case["citation"])
    assert resolves is case["expected"]["resolves"]
    assert (resolves and case["citation"].strip() == case["anchor"]) is case["expected"]["matches_anchor"]
    counts = resolves and case["citation"] == case["anchor"]
    assert counts is case["expected"]["counts_as_required"]


@pytest.mark.parametrize("case", of_kind("question"), ids=case_id)
def test_a_question_hits_the_first_criterion_with_a_full_variant(case: dict[str, Any]) -> None:
    text = WrittenText(("question", case["text"]))
    _, ask = score_ask(QUESTION, asks(case, Question), text, "question", set())
    assert (ask.id if ask else None) == case["expected"]["match"]


@pytest.mark.parametrize("case", of_kind("escalation"), ids=case_id)
def test_an_escalation_is_matched_on_topic_and_reason(case: dict[str, Any]) -> None:
    text = WrittenText(("topic", case["topic"]), ("reason", case["reason"]))
    _, ask = score_ask(ESCALATION, asks(case, Escalation), text, "topic", set())
    assert (ask.id if ask else None) == case["expected"]["match"]


@pytest.mark.parametrize("case", cases("sections"), ids=case_id)
def test_a_document_falls_into_the_sections_of_the_case(case: dict[str, Any]) -> None:
    assert parse_sections(case["markdown"]) == {"full": "", **case["sections"]}


def test_headings_and_bare_headings_are_known_by_their_lines() -> None:
    document = parse_document("intro\n## 1. One\ntext\n## \n##\n## 1 Again\n")
    assert [tuple(heading) for heading in document.headings] == [("1", 2), ("1", 6)]
    assert document.bare_headings == (4,)
    assert document.sections["1"] == "## 1. One\ntext\n## \n##\n## 1 Again"


def test_text_is_normalised_by_case_and_white_space_alone() -> None:
    assert norm("\u00a0A\u2003\nB\u00a0 \u201cC\u201d\u2013d ") == "a b \u201cc\u201d\u2013d"


@pytest.mark.parametrize(
    ("citation", "parts"),
    [
        ("msa §4.2", ("msa", "4.2")),
        ("msa\u00a0§\u00a04.2", ("msa", "4.2")),
        ("msa §4 §5", ("msa", "4 §5")),
        ("msa 4.2", None),
        ("§", ("", "")),
    ],
)
def test_a_citation_is_split_at_its_first_section_sign(citation: str, parts: tuple[str, str] | None) -> None:
    assert split_citation(citation) == parts


def test_a_long_text_is_normalised_as_a_short_one_whatever_its_white_space() -> None:
    blanks = [character for character in map(chr, range(0x3100)) if character.isspace()]
    assert sorted(WHITE_SPACE + " ") == blanks
    text = " Ends" + "".join(f"{one}{two}\u00c9x" for one in blanks for two in blanks) + "\n \n"
    assert len(text) < LONG_TEXT < len(text) * 5
    assert norm(text * 5) == " ".join([norm(text)] * 5)
