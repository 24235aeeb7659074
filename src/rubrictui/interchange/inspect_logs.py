"""Logs of Inspect evaluations: what was asked, what the model said, and what each scorer gave.

A log is one JSON document, or a zip file (``.eval``) with a header and a file for each sample. Only what tells about
samples and their scores is taken; NaN and infinities occur, and are no values.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.zip_reading import read_members

_SAMPLE: Final = re.compile(r"samples/[^/]+\.json")
_HEADERS: Final = ("header.json", "_journal/start.json")
_ATTACHED: Final = re.compile(r"attachment://([0-9a-f]{16,64})")


class InspectScore(NamedTuple):
    """What one scorer gave a sample: a text, a number, a truth, a list or an object; why; the answer it read."""

    value: Any
    answer: str | None
    explanation: str | None


class InspectSample(NamedTuple):
    """One sample of one epoch. ``row`` counts the samples of the log from 1. ``messages`` are (role, text)."""

    row: int
    id: str
    epoch: int
    messages: tuple[tuple[str, str], ...]
    target: str
    output: str
    scores: dict[str, InspectScore]
    metadata: dict[str, Any]
    error: str | None


class InspectLog(NamedTuple):
    """A log. ``run`` is one task on one model; two runs of one task have two."""

    task: str
    run: str
    model: str
    created: str
    status: str
    samples: tuple[InspectSample, ...]


def read_eval(data: bytes, name: str) -> InspectLog:
    """A log from the bytes of an ``.eval`` file.

    Raises:
        InvalidInputError: it is no such file, unsafe to unpack, damaged, or holds no samples.
    """
    members = read_members(data, name, lambda one: one in _HEADERS or _SAMPLE.fullmatch(one) is not None)
    header = next((members[one] for one in _HEADERS if one in members), None)
    if header is None:
        raise InvalidInputError(
            f"{name} is no log of Inspect: it has no header.", remedy="Give an .eval file."
        )
    whole = _json(header, f"{name}: header")
    samples = [_json(members[one], f"{name}: {one}") for one in sorted(members) if one not in _HEADERS]
    if not isinstance(whole, dict):
        raise InvalidInputError(f"{name} is no log of Inspect: its header is no object.", remedy="Check it.")
    samples.sort(key=_order)
    return read_log({**whole, "samples": samples}, name)


def read_log(log: dict[str, Any], name: str) -> InspectLog:
    """A log from its JSON document.

    Raises:
        InvalidInputError: it is no log, or holds no samples.
    """
    about = log.get("eval")
    if not isinstance(about, dict):
        raise InvalidInputError(f"{name} is no log of Inspect.", remedy="Give a log with eval and samples.")
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise InvalidInputError(
            f"{name} holds no samples, so there is nothing to score.", remedy="Give a log with its samples."
        )
    scorer = _scorer(log)
    return InspectLog(
        task=_text(about.get("task")) or "task",
        run=_text(about.get("task_id")) or _text(about.get("eval_id")) or _text(about.get("run_id")),
        model=_text(about.get("model")),
        created=_text(about.get("created")),
        status=_text(log.get("status")),
        samples=tuple(_sample(one, row, scorer, name) for row, one in enumerate(samples, 1)),
    )


def _json(data: bytes, where: str) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be read"
        raise InvalidInputError(
            f"{where} is no JSON: {what[:1].lower()}{what[1:]}.", remedy="Get it again."
        ) from None


def _order(sample: Any) -> tuple[int, float, str]:
    """By epoch, then id: numbers as numbers."""
    if not isinstance(sample, dict):
        return (0, 0.0, "")
    id, epoch = sample.get("id"), sample.get("epoch")
    number = float(id) if isinstance(id, int) and abs(id) < 2**53 else 0.0
    return (epoch if isinstance(epoch, int) else 1, number, str(id))


def _scorer(log: dict[str, Any]) -> str:
    """The name of the only scorer of an old log, whose samples have one score without a name."""
    results = log.get("results")
    scorer = results.get("scorer") if isinstance(results, dict) else None
    return (_text(scorer.get("name")) if isinstance(scorer, dict) else "") or "score"


def _sample(value: Any, row: int, scorer: str, name: str) -> InspectSample:
    if not isinstance(value, dict):
        raise InvalidInputError(f"{name}: sample {row} is no object.", remedy="Get the log again.")
    given = value.get("scores")
    if not isinstance(given, dict):
        given = {scorer: value["score"]} if isinstance(value.get("score"), dict) else {}
    attached = value.get("attachments")
    texts = (
        {key: one for key, one in attached.items() if isinstance(one, str)}
        if isinstance(attached, dict)
        else {}
    )

    def whole(text: str) -> str:
        return _ATTACHED.sub(lambda match: texts.get(match[1], match[0]), text) if texts else text

    def words(one: Any) -> str | None:
        return whole(_content(one)) or None

    messages = value.get("messages")
    asked = value.get("input")
    said = messages if isinstance(messages, list) and messages else asked if isinstance(asked, list) else []
    spoken = [
        (_text(one.get("role")) or "message", whole(_message(one))) for one in said if isinstance(one, dict)
    ]
    if not spoken and isinstance(asked, str):
        spoken = [("user", whole(asked))]
    output = value.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    answered = [whole(_message(one.get("message"))) for one in choices if isinstance(one, dict)] if isinstance(
        choices, list
    ) else []  # fmt: skip
    error = value.get("error")
    epoch = value.get("epoch")
    return InspectSample(
        row=row,
        id=_text(value.get("id")) or str(row),
        epoch=epoch if isinstance(epoch, int) else 1,
        messages=tuple((role, text) for role, text in spoken if text.strip()),
        target=whole(_content(value.get("target"))),
        output=answered[0] if answered else "",
        scores={
            _text(key): InspectScore(
                one.get("value"), words(one.get("answer")), words(one.get("explanation"))
            )
            for key, one in given.items()
            if isinstance(one, dict)
        },
        metadata=value["metadata"] if isinstance(value.get("metadata"), dict) else {},
        error=(_text(error.get("message")) or "it failed") if isinstance(error, dict) else None,
    )


def _message(message: Any) -> str:
    """The text of a message, with the calls of tools it makes."""
    if not isinstance(message, dict):
        return ""
    parts = [_content(message.get("content"))]
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            arguments = json.dumps(call.get("arguments"), ensure_ascii=False)
            parts.append(f"[calls {_text(call.get('function'))} {arguments}]")
    return "\n".join(part for part in parts if part.strip())


def _content(value: Any) -> str:
    """Text, or what is text of a list of parts."""
    if isinstance(value, list):
        return "\n".join(part for part in map(_content, value) if part)
    if isinstance(value, dict):
        for field in ("text", "reasoning"):
            if isinstance(value.get(field), str):
                return str(value[field])
        return f"[{_text(value.get('type')) or 'part'}]"
    return _text(value)


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    # Half a character cannot be stored, and a log of a model may hold one.
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
