"""Inspect logs as evaluations: samples become subjects, scores answers, and what cannot be carried is told."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rubrictui.core.display import name_fault
from rubrictui.core.model import Answer, Evidence, EvidenceKind
from rubrictui.core.records import MAXIMUM_RECORD_ID, Subject
from rubrictui.interchange.inspect_logs import InspectLog, InspectSample, InspectScore
from rubrictui.interchange.scores_in_answers import AnswerReader, listed
from rubrictui.interchange.scores_in_values import ScoreEntry, ScoreOptions

INSPECT_ENTITY = "Inspect sample"
_NO_ANSWER = "n"
_DEEP = 40


def inspect_entries(
    log: InspectLog, reader: AnswerReader, options: ScoreOptions
) -> tuple[tuple[ScoreEntry, ...], tuple[str, ...]]:
    """The scored samples of a log, and a line for each kind of thing that is left out."""
    entity = options.entity or INSPECT_ENTITY
    left: Counter[str] = Counter()
    names: dict[str, None] = {}
    entries: list[ScoreEntry] = []
    met: dict[str, int] = {}
    mapped = False
    for sample in log.samples:
        if sample.error is not None:
            left["failed in Inspect"] += 1
        answers: dict[str, Answer] = {}
        at = (sample.row, 1)
        for name, score in _single(sample):
            names[name] = None
            key = reader.key_of(name)
            if key is None and "." in name:
                key = reader.key_of(name.rpartition(".")[2])
            if key is None:
                if not reader.is_ignored(name):
                    left[f'with a score "{name[:60]}" that no criterion is mapped to'] += 1
                continue
            mapped = True
            node = reader.nodes[key]
            why = None if reader.is_declared(score.value) else _no_value(score.value)
            if why is not None:
                left[f'with {why} for "{name[:60]}", left unanswered'] += 1
                continue
            if node.id in answers:
                reader.findings.add(
                    "duplicate_row", f'two scores of sample {sample.id[:60]} answer "{key}".', at
                )
                continue
            chosen = reader.inspect_value(key, score.value, at, name)
            if chosen is not None:
                answers[node.id] = Answer(
                    criterion_id=node.id, rationale=score.explanation, evidence=_cited(score), **chosen
                )
        if not answers:
            continue
        record = _record_id(log, sample)
        if record in met:
            reader.findings.add(
                "duplicate_row", f"sample {record[:80]} stands in row {met[record]} already.", at
            )
            continue
        met[record] = sample.row
        entries.append(_entry(log, sample, entity, record, tuple(answers.values())))
    if not mapped:
        reader.findings.add(
            "unmapped",
            f"no score has the name of a criterion. The scores are {listed(names) or 'none'}, the criteria "
            f"{listed(reader.nodes)}. Map one with --map SCORE=CRITERION.",
        )
    notes = [f"{count} sample{'' if count == 1 else 's'} {what}." for what, count in left.items()]
    if log.status not in ("", "success"):
        notes.insert(0, f"The run ended with status {log.status[:40]}: its log may be incomplete.")
    return tuple(entries), tuple(notes)


def _entry(
    log: InspectLog, sample: InspectSample, entity: str, record: str, answers: tuple[Answer, ...]
) -> ScoreEntry:
    heading = next((text for role, text in sample.messages if role == "user"), "")
    about = {
        "task": log.task,
        "model": log.model,
        "created": log.created,
        "sample": sample.id,
        "epoch": sample.epoch,
        "target": sample.target,
        "metadata": _plain(sample.metadata),
    }
    short = " ".join(heading.split())
    return ScoreEntry(
        subject=f"{entity}/{record}",
        otherwise=f"{entity}/{sample.id}",
        at=(sample.row, 1),
        answers=answers,
        places={answer.criterion_id: (sample.row, 1) for answer in answers},
        content=Subject(
            entity=entity,
            record_id=record,
            title=f"{sample.id}: {short[:80]}" if short else sample.id,
            text="\n\n".join(_spoken(sample)),
            data={name: value for name, value in about.items() if value not in ("", {}, None)},
        ),
        loose_quotes=True,
        details={"Task": log.task, "Model": log.model, "Sample": sample.id, "Epoch": str(sample.epoch)},
    )


def _spoken(sample: InspectSample) -> Iterator[str]:
    """The conversation; what the model said last comes last, whether or not it stands in the messages."""
    for role, text in sample.messages:
        yield f"## {role}\n\n{text}"
    if sample.output.strip() and not any(
        role == "assistant" and text == sample.output for role, text in sample.messages
    ):
        yield f"## assistant\n\n{sample.output}"


def _record_id(log: InspectLog, sample: InspectSample) -> str:
    """One name for a sample of a run, the same whenever the log is read."""
    record = "/".join(
        " ".join(part.split()) for part in (log.task, log.run, sample.id, str(sample.epoch)) if part
    )
    if name_fault(record, MAXIMUM_RECORD_ID):
        return hashlib.sha256(record.encode("utf-8", "replace")).hexdigest()
    return record


def _single(sample: InspectSample) -> Iterator[tuple[str, InspectScore]]:
    """Scores with one value each; those of a scorer that gives several as ``scorer.name``."""
    for name, score in sample.scores.items():
        if isinstance(score.value, dict):
            for part, value in score.value.items():
                yield f"{name}.{part}", score._replace(value=value)
        else:
            yield name, score


def _no_value(value: Any) -> str | None:
    """Why a value says nothing that could be an answer."""
    if value is None:
        return "no value"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinity"
    if isinstance(value, list | dict):
        return "a list of values" if isinstance(value, list) else "nested values"
    if isinstance(value, str) and value.strip().casefold() == _NO_ANSWER:
        return "no answer (N)"
    return None if not isinstance(value, str) or value.strip() else "an empty value"


def _cited(score: InspectScore) -> tuple[Evidence, ...]:
    """The answer that the scorer read, as a quote."""
    answer = (score.answer or "").strip()
    return (Evidence(kind=EvidenceKind.QUOTE, text=answer, source="text"),) if answer else ()


def _plain(value: Any, depth: int = 0) -> Any:
    """A value without what a store cannot keep: NaN, infinities, and what is nested without end."""
    if depth > _DEEP:
        return "…"
    if isinstance(value, dict):
        return {_well(str(key)): _plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 63:
        return str(value)
    return _well(value) if isinstance(value, str) else value


def _well(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
