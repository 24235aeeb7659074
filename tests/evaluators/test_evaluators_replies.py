"""Replies of models: both shapes, whatever they are wrapped in; nothing guessed, nothing but a named error raised."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging_world import CONTENT, NOT_ALLOWED, PERCENT, decisions, evidence_version, node, version

from rubrictui.core.model import EvidenceKind, Level, Scale, VersionSnapshot
from rubrictui.core.records import SubjectFile
from rubrictui.core.scoring import compute
from rubrictui.evaluators.prompting_data import leaves
from rubrictui.evaluators.replies import Reading, ReplyError, read_reply
from rubrictui.evaluators.replies_merge import merge

ALL = {"accuracy": "Meets", "sourcing": "Partial", "completeness": "Miss"}


def read(reply: str, /, rubric: VersionSnapshot | None = None, **content: Any) -> Reading:
    return read_reply(reply, leaves(rubric or version()), msgspec.structs.replace(CONTENT, **content))


def levels(reading: Reading) -> dict[str, str | None]:
    return {
        key: answer.scale_level_id.removeprefix("l-").title() if answer.scale_level_id else None
        for key, answer in reading.answers.items()
    }


PLAIN = decisions(**ALL)


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\nThat is my judgement.",
        f"Let me think [about {{this}}] first.\n\n{PLAIN}\n\nI hope it helps {{you}}.",
        json.dumps(json.loads(PLAIN)["decisions"]),
        json.dumps({"decisions": ALL}),
        json.dumps(ALL),
        json.dumps({"Decisions": [{"Key": key, "Chosen": value} for key, value in ALL.items()]}),
        json.dumps({"decisions": [{"key": f" {key.upper()} ", "chosen": f'"{value.lower()}".'} for key, value in ALL.items()]}),
        json.dumps({key: {"level": value, "reason": "x"} for key, value in ALL.items()}),
        decisions(accuracy="Miss") + "\nOn reflection:\n" + PLAIN,
        PLAIN.replace("{", "{\n  ").replace(",", " ,\n"),
    ],
    ids=["plain", "fenced", "fence-prose", "prose", "list", "map", "bare-map", "case", "marks", "nested", "second-thought", "spaced"],
)  # fmt: skip
def test_a_reply_is_read_whatever_it_is_wrapped_in(reply: str) -> None:
    found = read(reply)
    assert levels(found) == ALL
    assert found.problems == {}


@pytest.mark.parametrize(
    ("reply", "confidence"),
    [
        ('{"chosen": "Partial", "probabilities": {"Meets": 0.2, "Partial": 0.6, "Miss": 0.2}}', 0.6),
        ('{"chosen": "partial", "probabilities": {"meets": 2, "partial": "6", "Great": 5}}', 0.75),
        ('{"chosen": "Partial", "probabilities": {"Meets": 0, "Partial": 0}}', None),
        ('{"chosen": "Partial", "confidence": 0.9, "probabilities": {"Partial": 0.1}}', 0.9),
        ('{"chosen": "Partial", "confidence": 90}', None),
        ('Sure: ```json\n{"chosen": "Partial", "rationale": "so"}```', None),
        ('{"key": "accuracy", "chosen": "Partial"}', None),
        ('{"decisions": [{"key": "accuracy", "chosen": "Partial"}]}', None),
    ],
)
def test_the_reply_to_one_criterion_is_read(reply: str, confidence: float | None) -> None:
    found = read(reply, version(nodes=(node("accuracy"),)))
    assert levels(found) == {"accuracy": "Partial"}
    assert found.answers["accuracy"].confidence == (None if confidence is None else pytest.approx(confidence))


def test_keys_that_nobody_asked_for_are_dropped_and_told() -> None:
    found = read(decisions(**ALL, charm="Meets", style="Miss"))
    assert found.unknown_keys == ("charm", "style")
    assert levels(found) == ALL


def test_a_missing_key_is_a_problem_of_that_criterion_alone() -> None:
    found = read(decisions(accuracy="Meets", sourcing="Meets"))
    assert found.problems == {"completeness": "the reply has no entry for it"}
    assert found.repairable == ("completeness",)
    assert levels(found) == {"accuracy": "Meets", "sourcing": "Meets"}


@pytest.mark.parametrize("chosen", ["Excellent", "", None, True, ["Meets"], {"a": 1}, 3, "Meets or Partial"])
def test_what_is_not_on_the_scale_is_no_answer(chosen: Any) -> None:
    found = read(decisions(accuracy={"chosen": chosen}, sourcing="Meets", completeness="Meets"))
    assert set(found.problems) == {"accuracy"}


@pytest.mark.parametrize(
    ("said", "value"),
    [(85, 85), ("85", 85), (" 85.0 % ", 85), ("8.5e1", 85), (0, 0), (100, 100)],
)
def test_numbers_are_read_as_text_too(said: Any, value: float) -> None:
    rubric = version(nodes=(node("share", scale_id=PERCENT.id),))
    assert read(decisions(share=said), rubric).answers["share"].raw_value == value


@pytest.mark.parametrize("said", [101, -5, "12", 12.5, "NaN", "inf", "1e999", "many", "0x10", 10**400])
def test_numbers_off_the_scale_or_its_steps_are_no_answer(said: Any) -> None:
    rubric = version(nodes=(node("share", scale_id=PERCENT.id), node("accuracy")))
    found = read(decisions(share=said, accuracy="Meets"), rubric)
    assert set(found.problems) == {"share"}


def test_a_number_means_the_level_that_is_called_by_it() -> None:
    likert = Scale(
        id="s5",
        levels=tuple(Level(id=f"i{n}", label=str(n), normalized_value=(n - 1) / 4) for n in range(1, 6)),
    )
    rubric = version(
        nodes=(node("structure", scale_id="s5"), node("evidence", scale_id="s5")), scales=(likert,)
    )
    found = read(decisions(structure=4, evidence="5"), rubric)
    assert found.answers["structure"].scale_level_id == "i4"
    assert found.answers["evidence"].scale_level_id == "i5"


@pytest.mark.parametrize("said", ["N/A", "n/a", "Not applicable", {"chosen": None, "not_applicable": True}])
def test_not_applicable_is_read_where_it_is_allowed(said: Any) -> None:
    rubric = version(nodes=(node("accuracy"), node("sourcing", not_applicable_policy=NOT_ALLOWED)))
    found = read(decisions(accuracy=said, sourcing=said), rubric)
    assert found.answers["accuracy"].is_not_applicable
    assert "not allowed" in found.problems["sourcing"]


# -- evidence --------------------------------------------------------------------------------------------


def test_a_quote_is_kept_with_its_place_and_an_invented_one_is_dropped_and_counted() -> None:
    quotes = ["It rained 12 mm in May", "It rained 13 mm in May", " at the harbour ", ""]
    found = read(
        decisions(accuracy={"chosen": "Meets", "evidence": quotes}, sourcing="Meets"), evidence_version()
    )
    kept = found.answers["accuracy"].evidence
    assert [piece.text for piece in kept] == ["It rained 12 mm in May", " at the harbour "]
    assert all(CONTENT.text[piece.start : piece.end] == piece.text for piece in kept)
    assert found.dropped_quotes == {"accuracy": 1}


@pytest.mark.parametrize(
    ("quotes", "why", "again"),
    [
        (["made up"], "none of its quotes", False),
        ([], "gives no quote", True),
        (None, "gives no quote", True),
    ],
)
def test_a_criterion_that_needs_evidence_and_has_none_left_is_unanswered(
    quotes: Any, why: str, again: bool
) -> None:
    found = read(
        decisions(accuracy={"chosen": "Meets", "evidence": quotes}, sourcing="Miss"), evidence_version()
    )
    assert levels(found) == {"sourcing": "Miss"}
    assert why in found.problems["accuracy"]
    assert found.repairable == (("accuracy",) if again else ())


def test_not_applicable_needs_no_evidence() -> None:
    found = read(decisions(accuracy="N/A", sourcing="Miss"), evidence_version())
    assert found.answers["accuracy"].is_not_applicable


def test_quotes_are_found_in_text_files_and_in_fields() -> None:
    file = SubjectFile(name="notes.md", text="Measured twice.")
    quotes = [{"quote": "Measured twice."}, "harbour", "no such words"]
    found = read(
        decisions(accuracy={"chosen": "Meets", "evidence": quotes}, sourcing="Miss"),
        evidence_version(),
        text="Something else.",
        files=(file,),
    )
    first, second = found.answers["accuracy"].evidence
    assert (first.kind, first.source, first.start) == (EvidenceKind.QUOTE, "notes.md", 0)
    assert (second.kind, second.source) == (EvidenceKind.NOTE, "data")


def test_a_required_rationale_that_is_missing_leaves_the_criterion_unanswered() -> None:
    rubric = version(nodes=(node("accuracy", rationale_required=True), node("sourcing")))
    found = read(decisions(accuracy={"chosen": "Meets", "rationale": "  "}, sourcing="Meets"), rubric)
    assert "rationale" in found.problems["accuracy"]


def test_text_that_a_database_does_not_take_is_made_harmless() -> None:
    reply = '{"decisions": [{"key": "accuracy", "chosen": "Meets", "rationale": "a\\u0000b\\ud800c"}]}'
    rationale = read(reply).answers["accuracy"].rationale
    assert rationale is not None
    rationale.encode()
    assert "\0" not in rationale


# -- what is no reply ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("", "empty"),
        ("I cannot judge this.", "holds no answer"),
        ("<!DOCTYPE html><html><body>502</body></html>", "web page"),
        (PLAIN[:-25].replace('{"key"', "{'key'"), "holds no answer"),
        (decisions(charm="Meets"), "'charm'"),
        ("[" * 100_000, "holds no answer"),
        ('{"decisions": ' * 5000, "holds no answer"),
        ("null", "holds no answer"),
        ('{"decisions": "none"}', "holds no answer"),
    ],
    ids=["empty", "refusal", "html", "broken", "other-keys", "deep-list", "deep-object", "null", "no-list"],
)
def test_a_reply_without_an_answer_is_one_named_error(reply: str, says: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read(reply)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cut_off_reply_gives_what_was_whole_in_it() -> None:
    found = read(decisions(**ALL)[:-80])
    assert found.answers.keys() < ALL.keys()
    assert "completeness" in found.problems


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["Meets", "N/A"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["decisions", "key", "chosen", "accuracy", "sourcing", "probabilities", "evidence", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=80)
    | JSON.map(json.dumps)
    | st.tuples(st.text(max_size=20), JSON).map(lambda p: p[0] + json.dumps(p[1]))
)
def test_nothing_but_the_named_error_is_ever_raised_and_every_answer_is_legal(reply: str) -> None:
    rubric = version(
        nodes=(node("accuracy", evidence_required=True), node("sourcing"), node("share", scale_id=PERCENT.id))
    )
    try:
        found = read_reply(reply, leaves(rubric), CONTENT)
    except ReplyError:
        return
    assert found.answers.keys() | found.problems.keys() == {"accuracy", "sourcing", "share"}
    assert not found.answers.keys() & found.problems.keys()
    compute(rubric, tuple(found.answers.values()))


# -- samples ---------------------------------------------------------------------------------------------


def merged(*replies: str, rubric: VersionSnapshot | None = None) -> Any:
    rubric = rubric or version()
    return merge(leaves(rubric), [read(reply, rubric) for reply in replies])


@pytest.mark.parametrize(
    ("given_labels", "median"),
    [
        (["Meets", "Miss", "Partial"], "Partial"),
        (["Meets", "Meets", "Miss"], "Meets"),
        (["Meets", "Partial"], "Partial"),
        (["Miss", "Meets", "Meets", "Miss"], "Miss"),
        (["N/A", "Meets", "Miss"], "Miss"),
        (["N/A", "N/A", "Meets"], None),
    ],
)
def test_the_median_answer_counts(given_labels: list[str], median: str | None) -> None:
    found = merged(*(decisions(accuracy=label) for label in given_labels))
    answer = found.answers["accuracy"]
    assert answer.is_not_applicable == (median is None)
    assert answer.scale_level_id == (median and f"l-{median.lower()}")


def test_the_rationale_is_that_of_a_sample_which_gave_the_answer() -> None:
    found = merged(
        decisions(accuracy={"chosen": "Meets", "rationale": "high"}),
        decisions(accuracy={"chosen": "Partial", "rationale": "middle", "confidence": 0.5}),
        decisions(accuracy={"chosen": "Miss", "rationale": "low"}),
    )
    assert found.answers["accuracy"].rationale == "middle"
    assert found.answers["accuracy"].confidence == 0.5


def test_how_far_samples_lie_apart_is_told() -> None:
    found = merged(*(decisions(accuracy=label) for label in ("Meets", "Meets", "Miss", "Meets")))
    assert found.spread["accuracy"] == {
        "Answers": ["Meets", "Meets", "Miss", "Meets"],
        "Spread": 1.0,
        "Agreement": 0.75,
    }
    assert merged(decisions(accuracy="Meets")).spread == {}


def test_a_criterion_that_no_sample_answers_is_unanswered_with_the_reason() -> None:
    found = merged(decisions(accuracy="Meets"), decisions(accuracy="Meets", sourcing="Great"))
    assert found.unanswered["completeness"] == "the reply has no entry for it"
    assert "sourcing" in found.unanswered


def test_numbers_have_their_median_too() -> None:
    rubric = version(nodes=(node("share", scale_id=PERCENT.id),))
    found = merged(*(decisions(share=value) for value in (90, 10, 40)), rubric=rubric)
    assert found.answers["share"].raw_value == 40
    assert found.spread["share"]["Spread"] == 0.8
