"""What a model's reply says: one decision for each criterion, whatever it is wrapped in.

Models wrap JSON in fences and prose, write labels in another case and numbers as text, leave keys out and add
some. All of that is read; what cannot be read is told in words that a model and a person understand. Nothing is
guessed: a label that is not on the scale is no answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from rubrictui.core.errors import ScoringError
from rubrictui.core.evidence import find_quote
from rubrictui.core.model import Answer, Evidence, EvidenceKind, NotApplicablePolicy, Value
from rubrictui.core.plan import Leaf
from rubrictui.core.scoring import read_answer
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.prompting_data import levels_upwards, requires_quote
from rubrictui.evaluators.prompting_subject import data_text

#: Longer texts of a reply are cut: what is stored has a limit.
MOST_RATIONALE: Final = 20_000
MOST_QUOTES: Final = 50

#: A reply is searched for JSON in so many places at most.
_MOST_STARTS: Final = 200

_KEY_NAMES: Final = ("key", "criterion", "criterionkey", "id")
_CHOSEN_NAMES: Final = ("chosen", "level", "label", "answer", "value", "score", "rawvalue")
_RATIONALE_NAMES: Final = ("rationale", "reason", "reasoning", "explanation")
_EVIDENCE_NAMES: Final = ("evidence", "quotes", "quote", "citations")
_LIST_NAMES: Final = ("decisions", "criteria", "scores", "answers", "results")
_NOT_APPLICABLE: Final = frozenset({"n/a", "na", "n.a.", "not applicable", "notapplicable", "not_applicable"})
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?")


class ReplyError(EvaluatorError):
    """A reply in which nothing can be read as an answer. The message says why, for the repair round too."""

    code = "reply_unreadable"


class Reading(Value, frozen=True, kw_only=True):
    """What one reply says.

    Attributes:
        answers: by criterion key; only what the version allows, with quotes that stand in the subject.
        problems: asked criteria without a usable answer: key, and why in a few words.
        repairable: those of ``problems`` that asking again may mend. A criterion whose quotes are invented is
            not among them: a model that is asked again for a quote finds one for any opinion.
        unknown_keys: keys of the reply that no criterion has.
        dropped_quotes: by key, how many quotes do not stand in the subject.
    """

    answers: dict[str, Answer] = msgspec.field(default_factory=dict)
    problems: dict[str, str] = msgspec.field(default_factory=dict)
    repairable: tuple[str, ...] = ()
    unknown_keys: tuple[str, ...] = ()
    dropped_quotes: dict[str, int] = msgspec.field(default_factory=dict)


def read_reply(text: str, asked: Sequence[Leaf], content: SubjectContent) -> Reading:
    """Read a reply of either shape: ``{"decisions": [...]}``, or ``{"chosen": ...}`` for one criterion.

    Args:
        asked: the criteria of the call, one or many.
        content: the subject that quotes are looked for in.

    Raises:
        ReplyError: there is no JSON object of either shape in it, or none of its entries is about a criterion
            that was asked.
    """
    entries, unknown = _entries(text, asked)
    answers: dict[str, Answer] = {}
    problems: dict[str, str] = {}
    repairable: list[str] = []
    dropped: dict[str, int] = {}
    quotable = _Quotable(content)
    for leaf in asked:
        key = leaf.node.key
        entry = entries.get(key)
        if entry is None:
            problems[key] = "the reply has no entry for it"
            repairable.append(key)
            continue
        answer, problem = _chosen(leaf, entry)
        if answer is None:
            problems[key] = problem
            repairable.append(key)
            continue
        rationale = storable_text(_text(_field(entry, _RATIONALE_NAMES)))[:MOST_RATIONALE]
        quotes, lost = quotable.evidence(_field(entry, _EVIDENCE_NAMES))
        if lost:
            dropped[key] = lost
        if requires_quote(leaf.node) and not quotes and not answer.is_not_applicable:
            problems[key] = (
                "none of its quotes stands in the subject" if lost else "it gives no quote from the subject"
            )
            if not lost:
                repairable.append(key)
            continue
        if leaf.node.rationale_required and not rationale.strip():
            problems[key] = "it gives no rationale"
            repairable.append(key)
            continue
        answers[key] = Answer(
            criterion_id=answer.criterion_id,
            scale_level_id=answer.scale_level_id,
            raw_value=answer.raw_value,
            is_not_applicable=answer.is_not_applicable,
            confidence=_confidence(leaf, answer, entry),
            rationale=rationale or None,
            evidence=quotes,
        )
    return Reading(
        answers=answers,
        problems=problems,
        repairable=tuple(repairable),
        unknown_keys=unknown,
        dropped_quotes=dropped,
    )


def storable_text(text: str) -> str:
    """The text without what a database does not take: NUL and halves of characters."""
    if "\x00" not in text and text.isascii():
        return text
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


# -- finding the entries ---------------------------------------------------------------------------------


def _entries(text: str, asked: Sequence[Leaf]) -> tuple[dict[str, Mapping[str, Any]], tuple[str, ...]]:
    """The entries by criterion key, and the keys that nothing asked for."""
    known = {_folded(leaf.node.key): leaf.node.key for leaf in asked}
    exact = {leaf.node.key for leaf in asked}
    unknown: list[str] = []
    best: dict[str, Mapping[str, Any]] | None = None
    for found in _json_values(text):
        listed = _listed(found, known)
        entries: dict[str, Mapping[str, Any]] = {}
        others: list[str] = []
        for key, entry in listed:
            own = key if key in exact else known.get(_folded(key))
            if own is None and key == "" and len(asked) == 1:
                own = asked[0].node.key
            if own is None:
                others.append(storable_text(key)[:100])
            else:
                entries[own] = entry
        # The last whole answer counts: models think aloud first and settle later.
        if entries and (best is None or len(entries) >= len(best)):
            best, unknown = entries, others
        elif best is None and others:
            unknown = others
    if best is not None:
        return best, tuple(dict.fromkeys(unknown))
    if unknown:
        shown = ", ".join(repr(key[:40]) for key in unknown[:5])
        raise ReplyError(
            f"The model's reply answers no criterion that was asked; its keys are {shown}.",
            remedy="Keep the reply's JSON in the evaluator prompt, or go back to Rubric Evaluator.",
        )
    if not text.strip():
        raise ReplyError("The model's reply is empty.", remedy="Try again, or use another model.")
    what = "is a web page" if re.match(r"\s*<(!doctype|html)", text, re.IGNORECASE) else "holds no answer"
    raise ReplyError(
        f"The model's reply {what} in the JSON that was asked for: {_short(text)!r}.",
        remedy="Keep the reply's JSON in the evaluator prompt, or use a stronger model.",
    )


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON object or list that stands in the text, outermost ones, in order."""
    decoder = json.JSONDecoder(parse_constant=lambda word: None)
    at = 0
    for _ in range(_MOST_STARTS):
        starts = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
        if not starts:
            return
        start = min(starts)
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield value


def _listed(found: Any, known: Mapping[str, str]) -> list[tuple[str, Mapping[str, Any]]]:
    """Key and entry of everything in a JSON value that looks like a decision; the key "" for a bare one."""
    if isinstance(found, Mapping):
        inner = _field(found, _LIST_NAMES)
        if isinstance(inner, list | Mapping):
            return _listed_in(inner)
        # A criterion may have a key like "score": an object under it is that criterion's entry.
        if any(_folded(key) in known and isinstance(entry, Mapping) for key, entry in found.items()):
            return _listed_in(found)
        if _has(found, _CHOSEN_NAMES) or _says_not_applicable(found):
            return [(_text(_field(found, _KEY_NAMES)), found)]
        if any(_folded(key) in known for key in found):
            return _listed_in(found)
        return []
    return _listed_in(found) if isinstance(found, list) else []


def _listed_in(inner: list[Any] | Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    if isinstance(inner, Mapping):
        pairs = [
            (str(key), entry if isinstance(entry, Mapping) else {"chosen": entry})
            for key, entry in inner.items()
        ]
        return [(key, entry) for key, entry in pairs if not isinstance(entry.get("chosen"), list | Mapping)]
    return [(_text(_field(entry, _KEY_NAMES)), entry) for entry in inner if isinstance(entry, Mapping)]


# -- one entry -------------------------------------------------------------------------------------------


def _chosen(leaf: Leaf, entry: Mapping[str, Any]) -> tuple[Answer | None, str]:
    """The bare answer, or why there is none."""
    said = _field(entry, _CHOSEN_NAMES)
    own = leaf.node.id
    if _says_not_applicable(entry) or (isinstance(said, str) and said.strip().casefold() in _NOT_APPLICABLE):
        # A scale may have a level of that name.
        level = _level_id(leaf, said) if isinstance(said, str) else None
        if level is not None:
            return Answer(criterion_id=own, scale_level_id=level), ""
        if leaf.policy is NotApplicablePolicy.NOT_ALLOWED:
            return None, "it answers N/A, which is not allowed here"
        return Answer(criterion_id=own, is_not_applicable=True), ""
    if said is None or isinstance(said, bool | list | Mapping) or said == "":
        return None, "its entry chooses nothing"
    if leaf.scale is None:
        return None, "it has no scale"
    if leaf.is_numeric:
        number = _number(said)
        if number is None:
            return None, f"{_short(str(said))!r} is no number"
        answer = Answer(criterion_id=own, raw_value=number)
    else:
        level = _level_id(leaf, said)
        if level is None:
            return None, f"{_short(str(said))!r} is no level of its scale"
        answer = Answer(criterion_id=own, scale_level_id=level)
    try:
        read_answer(leaf, answer)
    except ScoringError as error:
        return None, f"{_short(str(said))!r} is not allowed ({error.kind.replace('_', ' ')})"
    return answer, ""


def _level_id(leaf: Leaf, said: Any) -> str | None:
    """The level that a label means: by label ignoring case, quotes and outer marks; a number by its label."""
    if leaf.scale is None:
        return None
    levels = levels_upwards(leaf.scale)
    word = str(said).strip().strip("\"'`*.").strip().casefold()
    fitting = [level.id for level in levels if level.label.strip().casefold() == word]
    if not fitting:
        fitting = [level.id for level in levels if str(said).strip() == level.label.strip()]
    number = _number(said)
    if not fitting and number is not None:
        fitting = [level.id for level in levels if _number(level.label) == number]
    return fitting[0] if len(fitting) == 1 else None


def _number(said: Any) -> float | None:
    """A finite number, also as text, with a per cent sign or a comma between thousands left out of account."""
    if isinstance(said, bool):
        return None
    if isinstance(said, int | float):
        try:
            value = float(said)
        except OverflowError:
            return None
    else:
        text = str(said).strip().removesuffix("%").strip()
        if not _NUMBER.fullmatch(text):
            return None
        value = float(text)
    return value if math.isfinite(value) else None


def _confidence(leaf: Leaf, answer: Answer, entry: Mapping[str, Any]) -> float | None:
    """0..1: what the reply says, else the share of the chosen level in its probabilities."""
    stated = _number(_field(entry, ("confidence",)))
    if stated is not None:
        return min(max(stated, 0.0), 1.0) if -0.001 <= stated <= 1.001 else None
    probabilities = _field(entry, ("probabilities",))
    if not isinstance(probabilities, Mapping) or answer.scale_level_id is None:
        return None
    by_level: dict[str, float] = {}
    for label, value in probabilities.items():
        level, share = _level_id(leaf, label), _number(value)
        if level is not None and share is not None and share >= 0:
            by_level[level] = by_level.get(level, 0.0) + share
    total = sum(by_level.values())
    if not (math.isfinite(total) and total > 0):
        return None
    return by_level.get(answer.scale_level_id, 0.0) / total


class _Quotable:
    """The texts of a subject that can be quoted."""

    def __init__(self, content: SubjectContent) -> None:
        self._sources = [("text", content.text)] if content.text else []
        self._sources += [(file.name, file.text) for file in content.files if file.text]
        self._content = content
        self._data: str | None = None

    def evidence(self, given: Any) -> tuple[tuple[Evidence, ...], int]:
        """The pieces that hold, and how many do not."""
        pieces: list[Evidence] = []
        lost = 0
        for item in _as_list(given)[:MOST_QUOTES]:
            words = _quoted(item)
            if not words.strip():
                continue
            found = self._find(words)
            if found is None:
                lost += 1
            elif found not in pieces:
                pieces.append(found)
        return tuple(pieces), lost

    def _find(self, words: str) -> Evidence | None:
        for wanted in dict.fromkeys((words, words.strip())):
            for name, text in self._sources:
                place = find_quote(text, wanted)
                if place is not None:
                    return Evidence(
                        kind=EvidenceKind.QUOTE, text=wanted, source=name, start=place[0], end=place[1]
                    )
        if self._data is None:
            self._data = data_text(self._content)
        if words.strip() in self._data or any(
            words.strip() in value for value in _strings(self._content.data)
        ):
            # A field is no text to point into, so what stands in one is kept as a note.
            return Evidence(kind=EvidenceKind.NOTE, text=words.strip(), source="data")
        return None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)


def _quoted(item: Any) -> str:
    if isinstance(item, Mapping):
        return _text(_field(item, ("quote", "text", "evidence")))
    return item if isinstance(item, str) else ""


def _as_list(given: Any) -> list[Any]:
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


def _says_not_applicable(entry: Mapping[str, Any]) -> bool:
    return _field(entry, ("notapplicable", "isnotapplicable")) is True


def _has(entry: Mapping[str, Any], names: Iterable[str]) -> bool:
    return _field(entry, names) is not None


def _field(entry: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The first of the names that the object has, in whatever case it is written."""
    folded = {_folded(str(key)).replace("_", ""): value for key, value in entry.items()}
    return next((folded[name] for name in names if name in folded), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _folded(key: str) -> str:
    return key.strip().strip("`\"'").casefold()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
