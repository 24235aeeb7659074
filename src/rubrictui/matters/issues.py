"""What a submitted issue earns (contract, "Issues" and "Quotes").

An issue is found by its anchor, the operative provision: the first valid citation that is some criterion's
anchor decides. Without one, with an anchor that was never read, or for an issue found before, nothing else is looked
at. Otherwise points come by component: base, severity, citations, concepts, quotes, and a penalty per citation that
names nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rubrictui.matters.events import (
    Attribution,
    Critical,
    Event,
    attribution,
    concept_attribution,
    event,
    fired_gates,
)
from rubrictui.matters.plan import IssuePlan, Plan
from rubrictui.matters.spans import whole_field
from rubrictui.matters.state import State
from rubrictui.matters.submissions import IssueSubmission
from rubrictui.matters.text import found_in, fraction_found, missing_from, norm

INVALID_CITATION = -0.75
UNSUPPORTED_ISSUE = -0.5
DUPLICATE_ISSUE = -0.2
FABRICATED_QUOTE = -1.0
SHORTEST_QUOTE = 15
"""Characters after normalisation; a shorter quote is ignored."""


class Citations(NamedTuple):
    """The citations of a submission: those that name a section, and (index, text) of those that do not."""

    valid: tuple[str, ...]
    invalid: tuple[tuple[int, str], ...]


def sort_citations(plan: Plan, citations: tuple[str, ...]) -> Citations:
    valid: list[str] = []
    invalid: list[tuple[int, str]] = []
    for index, citation in enumerate(citations):
        if plan.section(citation) is not None:
            valid.append(citation)
        else:
            invalid.append((index, citation))
    return Citations(tuple(valid), tuple(invalid))


def find_by_anchor(plan: Plan, citations: tuple[str, ...]) -> IssuePlan | None:
    """The issue whose anchor is the first among (valid) citations."""
    for citation in citations:
        issue = plan.by_anchor.get(citation.strip())
        if issue is not None:
            return issue
    return None


def score_issue(state: State, submission: IssueSubmission) -> Event:
    """Score an issue and remember what it matched.

    Raises:
        GateTimeoutError: a critical-failure pattern ran out of time.
    """
    plan = state.plan
    citations = sort_citations(plan, submission.citations)
    cited = {
        "label": submission.label,
        "valid_citations": list(dict.fromkeys(citations.valid)),
        "invalid_citations": [text for _, text in citations.invalid],
    }
    issue = find_by_anchor(plan, citations.valid)
    if issue is None:
        return _unsupported("unsupported_issue", submission, citations, cited)
    if issue.anchor_section not in state.read:
        return _unsupported("unread_anchor_issue", submission, citations, cited)
    if issue.id in state.matched_issues:
        at = _citation_spans(submission, issue.issue.anchor)
        why = attribution("duplicate", DUPLICATE_ISSUE, matched=[issue.issue.anchor], spans=at)
        return event("duplicate_issue", issue.id, DUPLICATE_ISSUE, **cited, attribution=[why])
    state.matched_issues.add(issue.id)
    state.labels.setdefault(submission.label, issue)
    return _matched(plan, issue, submission, citations, cited)


def _unsupported(
    kind: str, submission: IssueSubmission, citations: Citations, cited: dict[str, Any]
) -> Event:
    invalid = _invalid_citations(citations)
    points = UNSUPPORTED_ISSUE + invalid["points"]
    spans = [whole_field("citations", text, index) for index, text in enumerate(submission.citations)]
    why = [attribution("unsupported", UNSUPPORTED_ISSUE, spans=spans)]
    if citations.invalid:
        why.append(invalid)
    return event(kind, submission.label, points, **cited, attribution=why)


def _invalid_citations(citations: Citations) -> Attribution:
    spans = [whole_field("citations", text, index) for index, text in citations.invalid]
    points = INVALID_CITATION * len(citations.invalid)
    return attribution(
        "invalid_citation_penalty", points, missing=[text for _, text in citations.invalid], spans=spans
    )


def _citation_spans(submission: IssueSubmission, citation: str) -> list[dict[str, Any]]:
    return [
        whole_field("citations", text, index)
        for index, text in enumerate(submission.citations)
        if text.strip() == citation
    ][:1]


def _matched(
    plan: Plan, issue: IssuePlan, submission: IssueSubmission, citations: Citations, cited: dict[str, Any]
) -> Event:
    entry = issue.issue
    text = submission.text
    anchor_spans = _citation_spans(submission, entry.anchor)
    parts = [
        attribution("base", entry.base_points, matched=[entry.anchor], spans=anchor_spans),
        _severity(issue, submission),
        _required_citations(issue, submission, citations),
    ]
    if citations.invalid:
        parts.append(_invalid_citations(citations))
    found = found_in(issue.concepts, text.normed)
    missing = missing_from(issue.concepts, text.normed)
    points = entry.concept_points * fraction_found(len(found), len(issue.concepts))
    parts.append(concept_attribution("concepts", points, found, missing, text))
    quotes, quote_part, fabrications = _quotes(plan, issue, submission)
    parts.append(quote_part)
    fired = fired_gates(issue.gates, text)
    required_missing = parts[2]["missing"]
    more: dict[str, Any] = {
        **cited,
        "components": {part["component"]: part["points"] for part in parts},
        "missing_citations": required_missing,
        "matched_concepts": list(found),
        "missing_concepts": list(missing),
        "quotes": quotes,
    }
    if fired:
        more["critical_failure_pattern"] = fired[-1]["pattern"]
    if fired or fabrications:
        more["critical"] = [*fabrications, *fired]
    total = sum(part["points"] for part in parts)
    return event("issue", issue.id, total, **more, attribution=parts)


def _severity(issue: IssuePlan, submission: IssueSubmission) -> Attribution:
    entry = issue.issue
    is_exact = submission.severity == entry.severity
    return attribution(
        "severity",
        entry.severity_points if is_exact else 0.0,
        matched=[entry.severity] if is_exact else [],
        missing=[] if is_exact else [entry.severity],
        spans=[whole_field("severity", submission.severity)],
    )


def _required_citations(issue: IssuePlan, submission: IssueSubmission, citations: Citations) -> Attribution:
    """All required citations must be there, valid, and written exactly as the rubric writes them."""
    given = set(citations.valid)
    found = [citation for citation in issue.required_citations if citation in given]
    missing = [citation for citation in issue.required_citations if citation not in given]
    spans = [
        whole_field("citations", text, index)
        for index, text in enumerate(submission.citations)
        if text in issue.required_citations
    ]
    points = 0.0 if missing else issue.issue.citation_points
    return attribution("citations", points, found, missing, spans)


def quote_status(plan: Plan, citation: str, text: str) -> str:
    """``too_short``, ``verified`` (stands in the cited section) or ``fabricated``."""
    wanted = norm(text)
    if len(wanted) < SHORTEST_QUOTE:
        return "too_short"
    section = plan.section(citation)
    return "verified" if section is not None and wanted in section.normed else "fabricated"


def _quotes(
    plan: Plan, issue: IssuePlan, submission: IssueSubmission
) -> tuple[list[dict[str, str]], Attribution, list[Critical]]:
    """The status of each quote, what quotes earned, and each fabrication."""
    statuses: list[dict[str, str]] = []
    spans: list[dict[str, Any]] = []
    fabrications: list[Critical] = []
    matched: list[str] = []
    missing: list[str] = []
    for index, quote in enumerate(submission.quotes):
        status = quote_status(plan, quote.citation, quote.text)
        statuses.append({"citation": quote.citation, "status": status})
        if status == "too_short":
            continue
        span = whole_field("quotes", quote.text, index)
        spans.append(span)
        (matched if status == "verified" else missing).append(quote.citation)
        if status == "fabricated":
            fabrications.append({"reason": "fabricated_quote", "citation": quote.citation, "spans": [span]})
    points = issue.issue.quote_points if matched else 0.0
    points += FABRICATED_QUOTE * len(fabrications)
    return statuses, attribution("quotes", points, matched, missing, spans), fabrications
