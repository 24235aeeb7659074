"""What an episode came to: the score of record, the trace and the facts that metrics count (contract, "Score")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rubrictui.matters.events import Event, critical_reasons, raw_score
from rubrictui.matters.observation import negotiation_view
from rubrictui.matters.sections import citation_of
from rubrictui.matters.state import State

if TYPE_CHECKING:
    from rubrictui.matters.episode import Episode

DECIMALS = 4


def normalized(raw: float, maximum: float, *, critical: bool, cap: float) -> float:
    """``raw / maximum`` held to 0..1 (0 when the maximum is 0), at most ``cap`` after a critical failure."""
    score = min(max(raw / maximum, 0.0), 1.0) if maximum else 0.0
    return min(score, cap) if critical else score


def episode_result(episode: Episode, state: State) -> dict[str, Any]:
    """The result so far, ready for JSON.

    ``normalized_score`` (0..1) and ``raw_score`` are rounded to 4 decimals; ``max_score`` is the declared or
    derived maximum. ``critical_reasons`` says what capped the score; ``breakdown`` counts what was matched;
    ``negotiation`` is shown by label, ``tables`` by criterion.
    """
    matter = episode.matter
    raw = raw_score(state.events)
    reasons = critical_reasons(state.events)
    score = normalized(
        raw, matter.max_score, critical=bool(reasons), cap=matter.rubric.critical_failure_score_cap
    )
    submitted: dict[str, list[str]] = {"issue": [], "redline": []}
    for submission in state.submissions:
        submitted[submission.kind].append(submission.label)
    return {
        "matter_id": matter.matter_id,
        "seed": episode.seed,
        "normalized_score": round(score, DECIMALS),
        "raw_score": round(raw, DECIMALS),
        "max_score": matter.max_score,
        "critical_failure": bool(reasons),
        "critical_reasons": reasons,
        "terminated": episode.terminated,
        "truncated": episode.truncated,
        "steps": episode.steps,
        "rewards": list(episode.rewards),
        "budgets": episode.budgets,
        "events": list(state.events),
        "breakdown": _breakdown(state),
        "learned_facts": sorted({*matter.facts.public_facts, *state.learned}),
        "submitted_issue_ids": submitted["issue"],
        "submitted_redline_issue_ids": submitted["redline"],
        "submitted_escalation_topics": [escalation["topic"] for escalation in state.escalations],
        "negotiation": negotiation_view(state),
        "tables": _tables(state),
    }


_ISSUE_EVENTS = frozenset({"issue", "unsupported_issue", "unread_anchor_issue", "duplicate_issue"})
_UNSUPPORTED = frozenset({"unsupported_issue", "unread_anchor_issue"})


def _breakdown(state: State) -> dict[str, Any]:
    issues = [found for found in state.events if found["type"] in _ISSUE_EVENTS]
    return {
        "asked_questions": sorted(state.asked),
        "questions_asked_total": len(state.questions),
        "raised_escalations": sorted(state.raised),
        "escalations_total": len(state.escalations),
        "matched_issues": sorted(state.matched_issues),
        "matched_redlines": sorted(state.matched_redlines),
        "settled_issues": sorted(
            found["criterion"] for found in state.events if found["type"] == "settlement"
        ),
        "valid_citation_count": sum(len(found["valid_citations"]) for found in issues),
        "invalid_citations": [text for found in issues for text in found["invalid_citations"]],
        "unsupported_issues": [found["criterion"] for found in issues if found["type"] in _UNSUPPORTED],
        "fabricated_quotes": [citation for found in issues for citation in _fabricated(found)],
        "read_citations": sorted(citation_of(*key) for key in state.read),
    }


def _fabricated(found: Event) -> list[str]:
    return [quote["citation"] for quote in found.get("quotes", ()) if quote["status"] == "fabricated"]


def _tables(state: State) -> dict[str, dict[str, Any]]:
    """Each negotiated criterion: its state, the counters it was offered and whether one of them was a trap."""
    tables = {}
    for issue_id, table in state.tables.items():
        position = state.plan.by_id[issue_id].position
        offered = position.counters[: table.counters_made] if position is not None else ()
        tables[issue_id] = {
            "closed_by": table.closed_by,
            "rounds_used": table.rounds_used,
            "counters_made": table.counters_made,
            "trap_offered": any(counter.trap for counter in offered),
        }
    return tables
