"""What a rubric's points add up to, by component and by issue; what ``derived_max_score`` is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rubrictui.matters.loading import Matter
    from rubrictui.matters.model import Issue

POINTS = ("base", "severity", "citation", "concept", "quote", "redline", "settlement")
"""The components of an issue, as its ``..._points`` name them."""


def issue_points(matter: Matter, issue: Issue) -> dict[str, float]:
    """The points of an issue by component; a settlement counts only where the counterparty has a position."""
    points = {name: getattr(issue, f"{name}_points") for name in POINTS}
    if issue.id not in (matter.positions or {}):
        points["settlement"] = 0.0
    return points


def component_points(matter: Matter) -> dict[str, float]:
    """What the derived maximum is made of."""
    rubric = matter.rubric
    issues = [issue_points(matter, issue) for issue in rubric.issues]
    return {
        "questions": sum(one.points for one in rubric.questions),
        "escalations": sum(one.points for one in rubric.escalations),
        **{f"issues: {name}": sum(points[name] for points in issues) for name in POINTS},
        "final submission": rubric.final_submission.points,
        "final submission: concepts": rubric.final_submission.concept_points,
    }
