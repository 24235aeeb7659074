from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrictui.core.evidence import (
    check_evidence,
    find_quote,
    link_address,
    nearest_quote,
)
from rubrictui.core.model import Evidence, EvidenceKind
from rubrictui.core.records import Subject, SubjectFile

TEXT = "The plan is sound.\n\nIt names   three risks,\tand one owner."
SUBJECT = Subject(
    record_id="north",
    text=TEXT,
    files=(
        SubjectFile(name="budget.csv", text="item,cost\nroof,12"),
        SubjectFile(name="photo.jpg", media_type="image/jpeg"),
    ),
)


def quote(text: str, **fields: object) -> Evidence:
    return Evidence(**{"kind": EvidenceKind.QUOTE, "text": text, **fields})  # type: ignore[arg-type]


def test_a_quote_is_found_word_for_word_only() -> None:
    assert find_quote(TEXT, "plan is") == (4, 11)
    assert find_quote(TEXT, "Plan is") is None
    assert find_quote(TEXT, "names three") is None
    assert find_quote(TEXT, "") is None


@pytest.mark.parametrize(
    ("wanted", "stands"),
    [
        ("names three risks, and", "names   three risks,\tand"),
        ("  sound. It ", "sound.\n\nIt"),
        ("ree\nrisks, an", "ree risks,\tan"),
        ("plan is", "plan is"),
    ],
)
def test_a_hint_shows_where_the_words_stand_with_other_white_space(wanted: str, stands: str) -> None:
    place = nearest_quote(TEXT, wanted)
    assert place is not None
    assert TEXT[place[0] : place[1]] == stands


@pytest.mark.parametrize("wanted", ["", " \n", "threerisks", "three owners"])
def test_there_is_no_hint_for_other_words(wanted: str) -> None:
    assert nearest_quote(TEXT, wanted) is None


white = st.text(" \n\t\u00a0\u2003", min_size=1, max_size=3)
words = st.lists(st.text("abé𝔘", min_size=1, max_size=4), min_size=1, max_size=6)


@given(words, st.data())
def test_a_hint_survives_any_change_of_white_space(parts: list[str], data: st.DataObject) -> None:
    def written() -> str:
        return data.draw(white) + "".join(part + data.draw(white) for part in parts)

    text, wanted = written(), written()
    place = nearest_quote("aab " + text + "bb", wanted)
    assert place is not None
    found = ("aab " + text + "bb")[place[0] : place[1]]
    assert found.split() == wanted.split()


@pytest.mark.parametrize(
    "evidence",
    [
        quote("sound."),
        quote("sound.", source="text"),
        quote("sound.", source="", start=12, end=18),
        quote("roof,12", source="budget.csv", start=10, end=17),
        Evidence(kind=EvidenceKind.FILE, source="photo.jpg"),
        Evidence(kind=EvidenceKind.FILE, text="minutes/2027-03.pdf"),
        Evidence(kind=EvidenceKind.LINK, text="https://example.org/a?b#c"),
        Evidence(kind=EvidenceKind.LINK, text="The page", source="http://example.org"),
        Evidence(kind=EvidenceKind.LINK, source="https://пример.рф/путь"),
        Evidence(kind=EvidenceKind.NOTE, text="seen on site"),
    ],
)
def test_sound_evidence_has_no_problem(evidence: Evidence) -> None:
    assert check_evidence(SUBJECT, evidence) is None


@pytest.mark.parametrize(
    ("evidence", "kind", "message"),
    [
        (quote("lies"), "quote_not_found", "The quote 'lies' does not stand in the subject word for word."),
        (quote(" "), "quote_not_found", "The quote is empty."),
        (
            quote("names three"),
            "quote_not_found",
            "The quote stands in the subject only with other white space.",
        ),
        (quote("sound.", source="budget.csv"), "quote_not_found", "The quote 'sound.' does not stand"),
        (quote("x", source="gone.md"), "quote_not_found", "The subject has no file 'gone.md' to quote from."),
        (quote("x", source="photo.jpg"), "quote_not_found", "photo.jpg is not a text file."),
        (quote("sound.", start=11, end=17), "quote_not_found", "does not stand at characters 11 to 17."),
        (quote("sound.", start=12), "quote_not_found", "does not stand at characters 12 to None."),
        (quote("r.", start=-2, end=len(TEXT)), "quote_not_found", "does not stand at characters -2"),
        (Evidence(kind=EvidenceKind.FILE, text=" "), "evidence_invalid", "The file has no name."),
        (Evidence(kind=EvidenceKind.NOTE), "evidence_invalid", "The note is empty."),
        (Evidence(kind=EvidenceKind.LINK), "evidence_invalid", "The link has no address."),
        *(
            (Evidence(kind=EvidenceKind.LINK, text=address), "evidence_invalid", "is not a web address.")
            for address in (
                "example.org",
                "ftp://example.org",
                "javascript:alert(1)",
                "file:///etc/passwd",
                "https://",
                "https://[::1",
                "https://example.org/a b",
                "https://exa\nmple.org",
                "https://example.org/\x1b]0;x",
            )
        ),
    ],
)
def test_evidence_that_does_not_hold_is_told_in_one_line(evidence: Evidence, kind: str, message: str) -> None:
    problem = check_evidence(SUBJECT, evidence)
    assert problem is not None
    assert problem.kind == kind
    assert message in problem.message
    assert "\n" not in problem.message + problem.remedy
    assert "\x1b" not in problem.message + problem.remedy


def test_a_quote_at_the_wrong_place_is_told_its_place() -> None:
    problem = check_evidence(SUBJECT, quote("sound.", start=0, end=6))
    assert problem is not None
    assert problem.nearest == (12, 18)


def test_a_quote_that_stands_twice_may_name_its_second_place() -> None:
    subject = Subject(record_id="x", text="no, no")
    assert check_evidence(subject, quote("no", start=4, end=6)) is None


def test_the_source_of_a_link_is_its_address() -> None:
    assert link_address(Evidence(kind=EvidenceKind.LINK, text=" https://a.b ")) == "https://a.b"
    assert link_address(Evidence(kind=EvidenceKind.LINK, text="A", source="https://a.b")) == "https://a.b"
