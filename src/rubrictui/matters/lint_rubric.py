"""Lint of what earns and loses points: issues, questions, escalations, the counterparty, the final memo."""

from __future__ import annotations

from rubrictui.matters.lint_gates import lint_gates
from rubrictui.matters.lint_view import View, Views
from rubrictui.matters.model import SEVERITIES
from rubrictui.matters.text import norm

MAX_SCORE_TOLERANCE = 1e-6


def lint_rubric(views: Views, derived_max_score: float) -> None:
    """Check rubric.yaml, hidden_facts.yaml and counterparty.yaml against each other and the documents.

    Args:
        derived_max_score: what the rubric's points add up to.
    """
    _issues(views)
    _asked(views, "questions", "question")
    _asked(views, "escalations", "escalation")
    _questions(views)
    _escalation_points(views)
    _unreachable_answers(views)
    _positions(views)
    _final(views)
    _max_score(views, derived_max_score)


def _ids(entries: list[View]) -> set[str]:
    return {str(entry["id"].value) for entry in entries if not entry["id"].is_blank}


def _identity(entry: View, kind: str, seen: set[str]) -> None:
    entry_id = entry["id"]
    if entry_id.is_blank:
        entry_id.error(f"{kind}_id_missing", f"{entry.name} has no id. Give it a short permanent one.")
    elif str(entry_id.value) in seen:
        entry_id.error(f"{kind}_id_duplicate", f'the {kind} id "{entry_id.value}" is used before.')
    seen.add(str(entry_id.value))


def _listed(view: View, code: str, what: str) -> list[View]:
    """The entries of a list; something else in its place is said with the code of an entry without an id."""
    if not view.is_missing and view.value is not None and not view.is_list:
        view.error(code, f"{view.name} must be a list of {what}.")
    return view.items()


def _issues(views: Views) -> None:
    ids: set[str] = set()
    anchors: set[str] = set()
    for issue in _listed(views.rubric["issues"], "issue_id_missing", "issues"):
        _identity(issue, "issue", ids)
        _anchor(issue, views, anchors)
        severity = issue["severity"]
        if severity.value not in SEVERITIES:
            severity.error("severity_invalid", f"{severity.name} must be one of {', '.join(SEVERITIES)}.")
        for key, points in issue.pairs():
            if key.endswith("_points"):
                _points(points, "points")
        if not issue["required_concepts"].items():
            issue["required_concepts"].warn(
                "issue_without_required_concepts",
                f"{issue.name} has no required_concepts: its analysis earns nothing for its content.",
            )
        lint_gates(issue)
        _settlement(issue, views)


def _anchor(issue: View, views: Views, seen: set[str]) -> None:
    anchor, required = issue["anchor"], issue["required_citations"]
    for citation in required.items():
        if views.section(citation.text) is None:
            citation.error(
                "required_citation_unresolved", f'{citation.name}: "{citation.value}" {_NO_SECTION}'
            )
    if not anchor.text.strip():
        anchor.error("anchor_missing", f"{issue.name} has no anchor. Name its operative provision.")
        return
    if anchor.text in seen:
        anchor.error(
            "anchor_shared", f'the anchor "{anchor.text}" is that of an earlier issue, which gets all.'
        )
    seen.add(anchor.text)
    if views.section(anchor.text) is None:
        anchor.error("anchor_unresolved", f'{anchor.name}: "{anchor.text}" {_NO_SECTION}')
    if anchor.text not in [citation.value for citation in required.items()]:
        required.error(
            "anchor_not_in_required_citations",
            f'required_citations of {issue.name} lacks its anchor "{anchor.text}". Put it first.',
        )


_NO_SECTION = "names no section of a document. Write it as in: msa §4.2."


def _points(points: View, code: str) -> None:
    number = points.number
    if number is None:
        points.error(f"{code}_not_numeric", f"{points.name} must be a number, without quotes.")
    elif number < 0:
        points.error(f"{code}_negative", f"{points.name} must not be below 0.")


def _settlement(issue: View, views: Views) -> None:
    vacuous = not issue["settlement_concepts"].items()
    negotiated = views.has_position(issue)
    if issue["non_negotiable"].value is True:
        if vacuous:
            issue["non_negotiable"].error(
                "non_negotiable_without_concepts",
                f"{issue.name} is non_negotiable, but no settlement_concepts say what must be kept.",
            )
    elif negotiated and vacuous:
        issue["settlement_concepts"].warn(
            "negotiated_issue_vacuous",
            f"{issue.name} is negotiated without settlement_concepts: any closing text earns all its points.",
        )
    points = issue["settlement_points"]
    if negotiated and points.number is not None and points.number <= 0:
        points.warn(
            "negotiated_issue_without_points", f"{issue.name} is negotiated, but closing it earns nothing."
        )


def _asked(views: Views, key: str, kind: str) -> None:
    """What questions and escalations share."""
    seen: set[str] = set()
    for entry in _listed(views.rubric[key], f"{kind}_id_missing", key):
        _identity(entry, kind, seen)
        if not entry["concepts"].items():
            entry["concepts"].error(
                f"{kind}_without_concepts",
                f"{entry.name} has no concepts, the words that match it. Give some.",
            )


def _questions(views: Views) -> None:
    answers = views.hidden_facts["client_answers"]
    told: set[str] = set()
    variants: dict[frozenset[str], str] = {}
    shared: set[tuple[str, str]] = set()
    for question in views.rubric["questions"].items():
        name = str(question["id"].value)
        named = not question["id"].is_blank
        if named and name not in told and (answers[name].is_missing or answers[name].value is None):
            question["id"].error(
                "question_without_answer", f'client_answers of hidden_facts.yaml has no answer to "{name}".'
            )
        told.add(name)
        for variant in [question["concepts"], *question["aliases"].items()]:
            words = frozenset(norm(word.text) for word in variant.texts())
            if not (named and words):
                continue
            earlier = variants.setdefault(words, name)
            if earlier != name and (earlier, name) not in shared:
                shared.add((earlier, name))
                variant.warn(
                    "questions_share_variant",
                    f'"{earlier}" has the same words and stands before "{name}", which they never reach.',
                )


def _escalation_points(views: Views) -> None:
    for escalation in views.rubric["escalations"].items():
        if not escalation["points"].is_missing:
            _points(escalation["points"], "escalation_points")


def _unreachable_answers(views: Views) -> None:
    for key, kind, code in (
        ("client_answers", "questions", "answer_unreachable"),
        ("escalation_answers", "escalations", "escalation_answer_unreachable"),
    ):
        ids = _ids(views.rubric[kind].items())
        answers = views.hidden_facts[key]
        for name, answer in answers.pairs():
            if name not in ids:
                answer.warn(
                    code,
                    f'{answers.name} answers "{name}", but {kind} of rubric.yaml has no such id.',
                    answers.key_place(name),
                )


def _positions(views: Views) -> None:
    ids = _ids(views.issues)
    positions = views.positions
    if not positions.is_blank and not positions.is_mapping:
        positions.error("position_unknown_issue", "positions must be a mapping from the ids of issues.")
    for name, position in positions.pairs():
        if name not in ids:
            position.error(
                "position_unknown_issue",
                f'there is no issue "{name}" in rubric.yaml.',
                positions.key_place(name),
            )
        if not any(variant.items() for variant in position["accept_concepts"].items()):
            position["accept_concepts"].error(
                "position_without_accept_concepts",
                f"{position.name} has no accept_concepts: no wording is ever agreed to. Give a list of lists.",
            )
        if position["reject_message"].is_blank:
            position["reject_message"].error(
                "position_without_reject_message", f"{position.name} has no reject_message. Write one."
            )
        counters = position["counters"]
        for counter in counters.items() if counters.is_list or counters.is_blank else [counters]:
            for key in ("message", "text"):
                if counter[key].is_blank:
                    counter[key].error(f"counter_without_{key}", f"{counter.name} has no {key}. Write one.")


def _final(views: Views) -> None:
    ids = _ids(views.issues)
    told: set[str] = set()
    for required in views.rubric["final_submission"]["required_issue_ids"].items():
        name = str(required.value)
        if name not in ids and name not in told:
            required.error("final_requires_unknown_issue", f'{required.name}: there is no issue "{name}".')
        told.add(name)


def _max_score(views: Views, derived: float) -> None:
    declared = views.rubric["max_score"]
    if declared.is_missing or declared.value is None:
        return
    if declared.number is None or abs(declared.number - derived) > MAX_SCORE_TOLERANCE:
        declared.warn(
            "max_score_differs",
            f"max_score is declared as {declared.value}, but the points add up to {derived:.6g}. "
            "Leave it out: it is derived.",
        )
