"""The counterparty: what it does with a markup, and what the text an issue closes on earns (contract, "Counterparty").

What is scored is the closing text, ours or theirs alike. Offers and refusals score nothing; marking up a point that is
closed, or one there is no position on, costs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rubrictui.matters.events import Event, attribution, concept_attribution, event, fired_gates
from rubrictui.matters.plan import IssuePlan
from rubrictui.matters.sections import citation_of
from rubrictui.matters.spans import WrittenText, whole_field
from rubrictui.matters.state import State, Table
from rubrictui.matters.submissions import Markup
from rubrictui.matters.text import first_full_variant, found_in, missing_from

UNSUPPORTED_MARKUP = -0.5
DUPLICATE_SETTLEMENT = -0.2


class Reply(NamedTuple):
    """What the other side answers (the last result shown), and the event of the round."""

    result: dict[str, Any]
    event: Event


def send_markup(state: State, markup: Markup) -> Reply:
    """Play one round of a markup; the round itself is already counted.

    Raises:
        GateTimeoutError: a critical-failure pattern ran out of time on the closing text.
    """
    issue = _addressed(state, markup)
    position = issue.position if issue is not None else None
    if issue is None or position is None:
        return _unsupported(markup, is_matched=issue is not None)
    state.table_labels[markup.label] = issue.id
    table = state.tables.setdefault(issue.id, Table())
    if table.closed_by is not None:
        why = attribution("duplicate", DUPLICATE_SETTLEMENT, spans=[whole_field("issue_id", markup.label)])
        closed = event("duplicate_settlement", issue.id, DUPLICATE_SETTLEMENT, attribution=[why])
        return Reply({"kind": "markup_closed"}, closed)
    table.rounds_used += 1
    is_acceptable = first_full_variant(position.accepts, markup.text.normed) is not None
    if is_acceptable and table.rounds_used > position.resist_rounds:
        table.closed_by = "ours"
        return Reply(
            {"kind": "markup_accepted"}, _settlement(issue, markup.text, "ours", markup.proposed_text)
        )
    if table.counters_made < len(position.counters):
        counter = position.counters[table.counters_made]
        table.counters_made += 1
        table.outstanding = counter
        result = {"kind": "markup_counter", "message": counter.message, "counter_text": counter.text}
        made = event(
            "counterparty_counter",
            issue.id,
            0.0,
            counter=table.counters_made,
            trap=counter.trap,
            attribution=[attribution("counter", 0.0)],
        )
        return Reply(result, made)
    refused = event("counterparty_reject", issue.id, 0.0, attribution=[attribution("reject", 0.0)])
    return Reply({"kind": "markup_rejected", "message": position.reject_message}, refused)


def _addressed(state: State, markup: Markup) -> IssuePlan | None:
    """The issue a markup is about: by the label of a matched issue, else by the anchor it rewrites."""
    issue = state.labels.get(markup.label)
    if issue is not None or markup.document_id is None:
        return issue
    return state.plan.by_anchor.get(citation_of(markup.document_id, markup.section))


def _unsupported(markup: Markup, *, is_matched: bool) -> Reply:
    code = "markup_no_position" if is_matched else "markup_unmatched"
    message = (
        "The other side has no position on this point."
        if is_matched
        else "The other side cannot tell which point this is about."
    )
    why = attribution("unsupported", UNSUPPORTED_MARKUP, spans=[whole_field("issue_id", markup.label)])
    cost = event("unsupported_markup", markup.label, UNSUPPORTED_MARKUP, attribution=[why])
    return Reply({"kind": "error", "code": code, "message": message}, cost)


def table_of_label(state: State, label: str) -> tuple[IssuePlan, Table] | None:
    """The criterion and table that ``accept_counterparty`` means by a label: that of a matched issue, else
    one used at the table."""
    issue = state.labels.get(label)
    if issue is None:
        issue = state.plan.by_id.get(state.table_labels.get(label, ""))
    if issue is None:
        return None
    table = state.tables.get(issue.id)
    return (issue, table) if table is not None else None


def accept_counter(issue: IssuePlan, table: Table, text: str) -> Reply:
    """Close on the outstanding counter ``text``; the round itself is already counted.

    Raises:
        GateTimeoutError: a critical-failure pattern ran out of time on the closing text.
    """
    table.rounds_used += 1
    table.closed_by = "theirs"
    result = {"kind": "accepted_theirs", "accepted_text": text}
    trap = table.outstanding is not None and table.outstanding.trap
    written = WrittenText(("accepted_text", text))
    return Reply(result, _settlement(issue, written, "theirs", text, trap=trap))


def _settlement(
    issue: IssuePlan, text: WrittenText, closed_by: str, closing_text: str, *, trap: bool = False
) -> Event:
    """Points for the closing text: the share of settlement concepts in it, all of them when there are none."""
    concepts = issue.settlement_concepts
    found = found_in(concepts, text.normed)
    missing = missing_from(concepts, text.normed)
    share = len(found) / len(concepts) if concepts else 1.0
    points = issue.issue.settlement_points * share
    more: dict[str, Any] = {
        "closed_by": closed_by,
        "closing_text": closing_text,
        "trap": trap,
        "matched_concepts": list(found),
        "missing_concepts": list(missing),
    }
    critical = fired_gates(issue.settlement_gates, text)
    if critical:
        more["critical_failure_pattern"] = critical[-1]["pattern"]
    if issue.issue.non_negotiable and missing:
        more["non_negotiable_missing"] = list(missing)
        critical = [*critical, {"reason": "non_negotiable", "missing": list(missing), "spans": []}]
    if critical:
        more["critical"] = critical
    why = concept_attribution("settlement", points, found, missing, text)
    return event("settlement", issue.id, points, **more, attribution=[why])
