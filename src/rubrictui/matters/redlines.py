"""What a proposed redline earns (contract, "Redlines").

It belongs to the issue that its label was matched to, else to the issue whose anchor it rewrites. Its gates come
first; then points follow the share of redline concepts in the replacement text.
"""

from __future__ import annotations

from typing import Any

from rubrictui.matters.events import Event, attribution, concept_attribution, event, fired_gates
from rubrictui.matters.spans import whole_field
from rubrictui.matters.state import State
from rubrictui.matters.submissions import RedlineSubmission
from rubrictui.matters.text import found_in, fraction_found, missing_from

UNSUPPORTED_REDLINE = -0.5
DUPLICATE_REDLINE = -0.2


def score_redline(state: State, submission: RedlineSubmission) -> Event:
    """Score a redline and remember what it matched.

    Raises:
        GateTimeoutError: a critical-failure pattern ran out of time.
    """
    given = {"label": submission.label, "target": submission.target}
    issue = state.labels.get(submission.label) or state.plan.by_anchor.get(submission.target)
    if issue is None:
        why = attribution(
            "unsupported", UNSUPPORTED_REDLINE, spans=[whole_field("issue_id", submission.label)]
        )
        return event("unsupported_redline", submission.label, UNSUPPORTED_REDLINE, **given, attribution=[why])
    if issue.id in state.matched_redlines:
        why = attribution("duplicate", DUPLICATE_REDLINE, spans=[whole_field("issue_id", submission.label)])
        return event("duplicate_redline", issue.id, DUPLICATE_REDLINE, **given, attribution=[why])
    state.matched_redlines.add(issue.id)
    text = submission.text
    more: dict[str, Any] = dict(given)
    fired = fired_gates(issue.redline_gates, text)
    if fired:
        more["critical_failure_pattern"] = fired[-1]["pattern"]
        more["critical"] = fired
    worth = issue.issue.redline_points
    if not issue.redline_concepts or worth <= 0:
        return event("unscored_redline", issue.id, 0.0, **more, attribution=[attribution("redline", 0.0)])
    found = found_in(issue.redline_concepts, text.normed)
    missing = missing_from(issue.redline_concepts, text.normed)
    points = worth * fraction_found(len(found), len(issue.redline_concepts))
    more["matched_redline_concepts"] = list(found)
    more["missing_redline_concepts"] = list(missing)
    why = concept_attribution("redline", points, found, missing, text)
    return event("redline", issue.id, points, **more, attribution=[why])
