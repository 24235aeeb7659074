"""Inspect logs: what of them becomes subjects and answers, what is told instead, and files made to do harm."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from test_scores_in import VERSION, said

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.scores_in import ScoreOptions, ScoresRead, read_scores


def sample(id: Any = 1, epoch: int = 1, **scores: Any) -> dict[str, Any]:
    return {
        "id": id,
        "epoch": epoch,
        "input": "How high is the tide?",
        "target": "2 m",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "How high is the tide?"}]},
            {"role": "assistant", "content": "It is 2 m high."},
        ],
        "output": {"choices": [{"message": {"role": "assistant", "content": "It is 2 m high."}}]},
        "scores": {
            name: value if isinstance(value, dict) and "value" in value else {"value": value}
            for name, value in scores.items()
        },
    }


def log(*samples: dict[str, Any], status: str = "success") -> dict[str, Any]:
    about = {"task": "tides", "task_id": "T1", "model": "local/small", "created": "2027-01-01T00:00:00Z"}
    return {"version": 2, "status": status, "eval": about, "samples": list(samples)}


def packed(whole: dict[str, Any], **more: bytes) -> bytes:
    """The log as an ``.eval`` file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        for one in whole["samples"]:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        archive.writestr("header.json", json.dumps({k: v for k, v in whole.items() if k != "samples"}))
        for name, data in more.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def read(whole: dict[str, Any], **options: Any) -> ScoresRead:
    return read_scores(json.dumps(whole).encode(), "run.json", VERSION, ScoreOptions(**options))


def test_a_sample_becomes_a_subject_that_the_answer_can_be_found_in() -> None:
    whole = log(sample(argument={"value": 1.0, "answer": "2 m", "explanation": "Right."}))
    (entry,) = read(whole).entries
    assert (entry.subject, entry.otherwise) == ("Inspect sample/tides/T1/1/1", "Inspect sample/1")
    (answer,) = entry.answers
    assert (answer.scale_level_id, answer.rationale) == ("meets", "Right.")
    assert [(one.kind, one.text) for one in answer.evidence] == [("quote", "2 m")]
    assert entry.content is not None
    assert entry.content.text == "## user\n\nHow high is the tide?\n\n## assistant\n\nIt is 2 m high."
    assert entry.content.data is not None
    assert entry.content.data["target"] == "2 m"
    assert entry.content.title == "1: How high is the tide?"


def test_the_zip_says_what_the_document_says() -> None:
    whole = log(sample(2, argument="C"), sample(10, argument="I"), sample(2, 2, argument="P"))
    zipped = read_scores(packed(whole), "run.eval", VERSION)
    assert said(zipped) == said(read(whole))
    # By epoch, then by number, whatever order the archive has.
    assert [entry.subject for entry in zipped.entries] == [
        "Inspect sample/tides/T1/2/1",
        "Inspect sample/tides/T1/10/1",
        "Inspect sample/tides/T1/2/2",
    ]


@pytest.mark.parametrize(
    ("value", "level"),
    [
        ("C", "meets"), ("P", "partial"), ("I", "miss"), ("Partial", "partial"), ("meets", "meets"),
        (1, "meets"), (0.5, "partial"), ("0.5", "partial"), (0, "miss"), (True, "meets"), (False, "miss"),
        ("N/A", "N/A"),
    ],
)  # fmt: skip
def test_a_value_is_a_label_or_a_share_of_the_scale(value: Any, level: str) -> None:
    assert said(read(log(sample(argument=value)))) == {"Inspect sample/tides/T1/1/1": {"c1": level}}


@pytest.mark.parametrize("value", [2, 0.7, "fine", -1])
def test_a_value_that_is_no_level_asks_for_its_meaning(value: Any) -> None:
    (finding,) = read(log(sample(), sample(2, argument=value))).findings
    assert (finding.line, finding.column) == (2, 1)
    assert "Say which it means with --levels" in finding.message
    declared = read(log(sample(argument=value)), levels={str(value): "Partial"})
    assert said(declared) == {"Inspect sample/tides/T1/1/1": {"c1": "partial"}}


def test_scores_are_mapped_by_name_and_the_values_of_one_scorer_each() -> None:
    whole = log(sample(match="C", panel={"value": {"sources": 0.5, "weeks": 3, "mood": 1}}))
    found = read(whole, columns={"match": "argument"})
    assert said(found) == {"Inspect sample/tides/T1/1/1": {"c1": "meets", "c2": "partial", "c3": 3.0}}
    assert found.notes == ('1 sample with a score "panel.mood" that no criterion is mapped to.',)


def test_what_is_no_value_is_left_unanswered_and_told() -> None:
    whole = log(
        sample(1, argument=float("nan")),
        sample(2, argument="N"),
        sample(3, argument=None),
        sample(4, argument=[1, 0]),
        {**sample(5), "error": {"message": "timeout"}},
        sample(6, argument="C"),
        status="error",
    )
    found = read(whole)
    assert said(found) == {"Inspect sample/tides/T1/6/1": {"c1": "meets"}}
    assert found.notes == (
        "The run ended with status error: its log may be incomplete.",
        '1 sample with NaN for "argument", left unanswered.',
        '1 sample with no answer (N) for "argument", left unanswered.',
        '1 sample with no value for "argument", left unanswered.',
        '1 sample with a list of values for "argument", left unanswered.',
        "1 sample failed in Inspect.",
    )
    assert said(read(log(sample(argument="N")), levels={"N": "Miss"})) == {
        "Inspect sample/tides/T1/1/1": {"c1": "miss"}
    }


def test_scores_that_nothing_is_mapped_to_are_an_error_that_names_both_sides() -> None:
    (finding,) = read(log(sample(match="C"))).findings
    assert "The scores are match, the criteria argument, sources, weeks" in finding.message


def test_an_old_log_with_one_score_and_long_texts_beside_it_is_read() -> None:
    old = sample(argument="C")
    old["score"] = old.pop("scores")["argument"]
    old["messages"] = [{"role": "user", "content": "attachment://" + "a" * 32}]
    old["attachments"] = {"a" * 32: "A long question."}
    found = read({**log(old), "results": {"scorer": {"name": "argument"}}})
    (entry,) = found.entries
    assert entry.content is not None
    assert entry.content.text.startswith("## user\n\nA long question.")
    assert entry.answers[0].scale_level_id == "meets"


def test_metadata_keeps_only_what_a_store_can() -> None:
    one = sample(argument="C")
    one["metadata"] = {"loss": float("inf"), "half": "\ud800", "big": 2**70}
    (entry,) = read(log(one)).entries
    assert entry.content is not None
    assert entry.content.data is not None
    assert entry.content.data["metadata"] == {"loss": "inf", "half": "?", "big": str(2**70)}


def _with(name: str, data: bytes = b"{}") -> bytes:
    return packed(log(sample(argument="C")), **{name: data})


def _cut() -> bytes:
    return _with("extra.json")[:-40]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_with("../../evil.json"), "a path that leads out"),
        (_with("/etc/evil.json"), "a path that leads out"),
        (_with("samples/big.json", b" " * (20 << 20)), "would unpack to 20 MB"),
        (_cut(), "damaged or cut short"),
        (_with("samples/9_epoch_1.json", b"{"), "is no JSON"),
        (_with("samples/9_epoch_1.json", b"[]"), "is no object"),
        (packed({"samples": []}), "is no log of Inspect"),
        (packed(log()), "holds no samples"),
    ],
)
def test_a_zip_that_is_broken_or_made_to_do_harm_is_refused_in_a_line(data: bytes, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words) as told:
        read_scores(data, "run.eval", VERSION)
    assert str(told.value).startswith("run.eval")
    assert "\n" not in str(told.value)


def test_an_encrypted_or_oddly_packed_sample_is_refused() -> None:
    data = bytearray(packed(log(sample(argument="C"))))
    at = data.find(b"PK\x01\x02", data.find(b"PK\x01\x02") + 4)  # the listed sample
    data[at + 8] |= 1
    with pytest.raises(InvalidInputError, match="is encrypted"):
        read_scores(bytes(data), "run.eval", VERSION)
    data[at + 8] &= 0xFE
    data[at + 10] = 93
    with pytest.raises(InvalidInputError, match="method 93"):
        read_scores(bytes(data), "run.eval", VERSION)
