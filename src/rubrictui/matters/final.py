"""What the final submission earns, and what is settled up with it (contract, "Final").

The summary earns its points by length and its concept points by content; a required issue that was never found
and a required escalation that was never raised cost. A missed critical escalation gates and takes no points.
"""

from __future__ import annotations

from typing import Any

from rubrictui.matters.events import Attribution, Event, attribution, concept_attribution, event
from rubrictui.matters.model import Escalation
from rubrictui.matters.spans import WrittenText, whole_field
from rubrictui.matters.state import State
from rubrictui.matters.text import found_in, fraction_found, missing_from


def score_final(state: State, summary: str) -> Event:
    """The one event of the final submission."""
    plan = state.plan
    final = plan.final
    text = WrittenText(("summary", summary))
    is_long_enough = len(summary.strip()) >= final.minimum_characters
    parts: list[Attribution] = [
        attribution(
            "summary",
            final.points if is_long_enough else 0.0,
            missing=[] if is_long_enough else [f"at least {final.minimum_characters} characters"],
            spans=[whole_field("summary", summary)],
        )
    ]
    missing_issues = sorted(set(plan.required_issue_ids) - state.matched_issues)
    if missing_issues:
        cost = -final.missing_required_issue_penalty * len(missing_issues)
        parts.append(attribution("missing_issues", cost, missing=missing_issues))
    missed, missed_critical = _missed_escalations(state)
    if missed:
        cost = -final.missed_escalation_penalty * len(missed)
        parts.append(attribution("missed_escalations", cost, missing=missed))
    found = found_in(plan.final_concepts, text.normed)
    missing = missing_from(plan.final_concepts, text.normed)
    concept_points = final.concept_points * fraction_found(len(found), len(plan.final_concepts))
    if plan.final_concepts:
        parts.append(concept_attribution("concepts", concept_points, found, missing, text))
    more: dict[str, Any] = {
        "missing_issues": missing_issues,
        "missed_escalations": missed,
        "missed_critical_escalations": missed_critical,
        "matched_concepts": list(found),
        "missing_concepts": list(missing),
        "concept_points": concept_points,
        "components": {part["component"]: part["points"] for part in parts},
    }
    if missed_critical:
        more["critical"] = [
            {"reason": "missed_escalation", "escalation": missed_id, "spans": []}
            for missed_id in missed_critical
        ]
    points = sum(part["points"] for part in parts)
    return event("final_submission", "final", points, **more, attribution=parts)


def _missed_escalations(state: State) -> tuple[list[str], list[str]]:
    """Ids never raised: those that cost points, and those that are critical."""
    missed: list[str] = []
    critical: list[str] = []
    for ask in state.plan.escalations:
        entry = ask.entry
        if not isinstance(entry, Escalation) or ask.id in state.raised:
            continue
        if entry.critical_if_missed:
            critical.append(ask.id)
        elif entry.required:
            missed.append(ask.id)
    return missed, critical
