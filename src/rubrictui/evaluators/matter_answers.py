"""What an episode's trace says to a matter's rubric: an answer for each criterion, and the matter's own score beside them.

What an event earned is the answer to its criterion; what it cost is a penalty, for which there is no criterion. So the
matter's raw score is what the answers earned plus the penalties, to the last decimal. A rationale tells what was found
in the work, and only counts what was missing: the answer key stays in the matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rubrictui.core.explain import number, said
from rubrictui.core.model import Answer, Evidence, EvidenceKind, Node, VersionSnapshot
from rubrictui.evaluators.matter_rubric import (
    CRITICAL,
    ESCALATION,
    FINAL,
    ISSUE,
    QUESTION,
    REDLINE,
    SETTLEMENT,
    MatterPart,
    level_of,
    matter_hash,
    part_of,
    part_points,
)
from rubrictui.matters.issues import FABRICATED_QUOTE
from rubrictui.matters.loading import Matter

_Event = Mapping[str, Any]

#: Which component an event earns for; all other events only cost.
_EARNS: Final = {
    "required_question": QUESTION,
    "required_escalation": ESCALATION,
    "issue": ISSUE,
    "redline": REDLINE,
    "settlement": SETTLEMENT,
    "final_submission": FINAL,
}
_NOTHING: Final = {
    QUESTION: "No question was about it.",
    ESCALATION: "It was not raised.",
    ISSUE: "Nothing that was submitted rests on this provision, read before and cited first.",
    REDLINE: "No text was proposed for it.",
    SETTLEMENT: "The point was not closed.",
    FINAL: "There is no final submission.",
}
_MOST_QUOTES: Final = 3
_QUOTE_LENGTHS: Final = range(3, 300)
_DECIMALS: Final = 6


def matter_answers(
    matter: Matter, result: Mapping[str, Any], version: VersionSnapshot, text: str = ""
) -> tuple[list[Answer], dict[str, str]]:
    """The answers of an episode's result to a version of its matter's rubric.

    Args:
        result: of ``Episode.result`` or ``replay``.
        version: criteria that stand for nothing in the matter stay unanswered.
        text: the work as reviewers read it: words that earned points and stand there become evidence.

    Returns:
        the answers, and why the other criteria have none, by key.
    """
    most = part_points(matter)
    earning = _earning(result["events"])
    answers, unanswered = [], {}
    for node in version.nodes:
        if not node.is_criterion:
            continue
        part = part_of(node)
        if part is not None and part.component == CRITICAL:
            answers.append(_gate_answer(node, part, result))
        elif part is not None and part in most:
            answers.append(_answer(node, part, earning.get(part), most[part], text))
        else:
            unanswered[node.key] = "the matter has nothing of this name"
    return answers, unanswered


def matter_record(matter: Matter, result: Mapping[str, Any]) -> dict[str, Any]:
    """What an evaluation keeps of the matter's own scoring, under ``Evaluator.Matter``: JSON.

    ``EarnedPoints`` and ``PenaltyPoints`` (0 or less) add up to ``RawScore``; ``NormalizedScore`` (0..1) is the score of
    record. Critical reasons and penalties tell what in the work they are about, and no pattern.
    """
    events = result["events"]
    costs = [(event, _cost(event)) for event in events]
    earned = math.fsum(event["points"] - cost for event, cost in costs)
    return {
        "MatterID": matter.matter_id,
        "ContentHash": matter_hash(matter),
        "NormalizedScore": result["normalized_score"],
        "RawScore": result["raw_score"],
        "MaximumScore": round(matter.max_score, _DECIMALS),
        "EarnedPoints": round(earned, _DECIMALS),
        "PenaltyPoints": round(math.fsum(cost for _, cost in costs), _DECIMALS) + 0.0,
        "Penalties": [
            {"Event": event["type"], "Criterion": str(event["criterion"]), "Points": round(cost, _DECIMALS)}
            for event, cost in costs
            if cost < 0
        ],
        "CriticalFailure": result["critical_failure"],
        "CriticalReasons": [_critical_words(reason) for reason in result["critical_reasons"]],
        "Cap": matter.rubric.critical_failure_score_cap,
        "Steps": result["steps"],
        "Ended": "submitted"
        if result["terminated"]
        else "out of steps"
        if result["truncated"]
        else "unfinished",
    }


# -- points --------------------------------------------------------------------------------------------------


def _earning(events: Iterable[_Event]) -> dict[MatterPart, _Event]:
    found: dict[MatterPart, _Event] = {}
    for event in events:
        component = _EARNS.get(event["type"])
        if component is not None:
            own = "" if component == FINAL else event["criterion"]
            found.setdefault(MatterPart(component=component, id=own), event)
    return found


def _cost(event: _Event) -> float:
    """What an event took away, 0 or less."""
    return math.fsum(_cost_of(part, event) for part in event["attribution"])


def _cost_of(part: Mapping[str, Any], event: _Event) -> float:
    if part["component"] == "quotes":
        # A verified quote and an invented one stand in one component; only the second costs.
        fabricated: int = sum(quote["status"] == "fabricated" for quote in event.get("quotes", ()))
        return FABRICATED_QUOTE * float(fabricated)
    return min(float(part["points"]), 0.0)


# -- answers -------------------------------------------------------------------------------------------------


def _answer(node: Node, part: MatterPart, event: _Event | None, most: float, text: str) -> Answer:
    earned = 0.0 if event is None else min(max(event["points"] - _cost(event), 0.0), most)
    level = level_of(part, is_high=event is not None)
    return Answer(
        criterion_id=node.id,
        scale_level_id=level,
        raw_value=None if level is not None else min(round(earned, _DECIMALS), round(most, _DECIMALS)),
        rationale=_NOTHING[part.component] if event is None else _rationale(event, earned, most),
        evidence=() if event is None else _quotes(event["attribution"], text),
    )


def _rationale(event: _Event, earned: float, most: float) -> str:
    parts = [_component_words(part, event) for part in event["attribution"]]
    return f"{_shown(earned)} of {_shown(most)}: {'; '.join(part for part in parts if part)}."


def _component_words(part: Mapping[str, Any], event: _Event) -> str:
    name = part["component"].replace("_", " ")
    cost = _cost_of(part, event)
    words = f"{name} {_shown(part['points'] - cost)}"
    if cost:
        words += f" (and {_shown(cost)} as a penalty)"
    matched, missing = part["matched"], part["missing"]
    # The severity that would have been right, and citations and concepts that are missing, are the answer key.
    if matched and len(matched) + len(missing) > 1:
        words += f", {len(matched)} of {len(matched) + len(missing)}"
    elif missing and not matched and name == "concepts":
        words += f", none of {len(missing)}"
    if matched:
        words += " (" + ", ".join(said(str(one)) for one in matched[:6]) + ")"
    return words


def _gate_answer(node: Node, part: MatterPart, result: Mapping[str, Any]) -> Answer:
    reasons = [_critical_words(reason) for reason in result["critical_reasons"]]
    return Answer(
        criterion_id=node.id,
        scale_level_id=level_of(part, is_high=not result["critical_failure"]),
        rationale="; ".join(reasons) + "." if reasons else "No critical failure was found.",
    )


def _critical_words(reason: Mapping[str, Any]) -> str:
    """A critical failure in words, with the words of the work that brought it about."""
    spans = [span["text"] for span in reason.get("spans", ())]
    about = f": {said(spans[0])}" if spans else ""
    kinds = {
        "fabricated_quote": "a quote that does not stand in its section",
        "missed_escalation": "something that had to be raised was not",
        "non_negotiable": "closed without what could not be given up",
    }
    words = kinds.get(reason["reason"], "a statement that must not be made")
    where = "" if reason["reason"] == "missed_escalation" else f"{reason['criterion']}: "
    return f"{where}{words}{about}"


def _quotes(parts: Iterable[Mapping[str, Any]], text: str) -> tuple[Evidence, ...]:
    """The first words that earned points and stand in the text as they are."""
    found: dict[str, None] = {}
    for part in parts:
        if part["points"] <= 0 or part["component"] == "severity":
            continue
        for span in part["spans"]:
            words = span["text"]
            if len(words) in _QUOTE_LENGTHS and words in text:
                found.setdefault(words)
    return tuple(
        Evidence(kind=EvidenceKind.QUOTE, text=words, source="text") for words in list(found)[:_MOST_QUOTES]
    )


def _shown(points: float) -> str:
    return number(round(points, 4) + 0.0)
