"""What happens in a matter, in words: actions, their results, budgets, drafts. Nothing of the rubric is in them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubrictui.matters.sections import citation_of
from rubrictui.screens.matter_session import StepRecord
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.matter_forms import form_of
from rubrictui.widgets.text import counted

_BUDGET_WORDS = {"steps": "step", "questions": "question", "escalations": "escalation", "rounds": "round"}


def budget_words(budgets: Mapping[str, int | None]) -> str:
    """What is left: ``21 steps · 4 questions · 2 escalations``."""
    return " · ".join(
        counted(left, _BUDGET_WORDS[name]) for name, left in budgets.items() if left is not None
    )


def action_words(action: Mapping[str, Any]) -> str:
    """An action in a few words. Its values may be anything."""

    def text(name: str) -> str:
        return str(action.get(name, ""))

    kind = str(action.get("type", ""))
    place = (
        citation_of(text("document_id"), text("section"))
        if action.get("section") is not None
        else text("document_id")
    )
    words = {
        "read_document": f"read {place}",
        "search_matter": f"search “{text('query')}”",
        "ask_client": f"ask: {text('question')}",
        "escalate": f"escalate: {text('topic')}",
        "submit_issue": f"issue {text('issue_id')}: {text('title')}",
        "revise_issue": f"revise issue {text('issue_id')}: {text('title')}",
        "propose_redline": f"redline {text('issue_id')} at {place}",
        "revise_redline": f"revise redline {text('issue_id')} at {place}",
        "send_markup": f"markup {text('issue_id')} at {place}",
        "accept_counterparty": f"accept their text on {text('issue_id')}",
        "submit_final": "final submission",
    }
    return words.get(kind, f"unknown action {kind}")


def told_in_short(record: StepRecord, *, practice: bool) -> str:
    """What came back from an action, in a line."""
    result = record.result
    kind = result["kind"]
    words = {
        "read": "Read. Its sections can now be cited and quoted.",
        "search": f"{counted(result.get('hit_count', 0), 'section holds', 'sections hold')} “{result.get('query', '')}”.",
        "answer": f"The client: {result.get('answer', '')}",
        "no_answer": result.get("message", ""),
        "guidance": f"Guidance: {result.get('guidance', '')}",
        "neutral_guidance": result.get("message", ""),
        "ack": f"Taken: {result.get('issue_id', '')}. What it is worth is told at the end.",
        "markup_accepted": "The other side accepts your text. The point is closed.",
        "markup_counter": f"They counter: {result.get('message', '')}",
        "markup_rejected": f"They refuse: {result.get('message', '')}",
        "markup_closed": "That point is closed already.",
        "accepted_theirs": "You accepted their text. The point is closed.",
        "final_ack": "The final submission is in.",
        "error": f"Refused: {result.get('message', '')}",
    }
    line = str(words.get(kind, kind.replace("_", " ")))
    return f"{line}{reward_words(record)}" if practice else line


def reward_words(record: StepRecord) -> str:
    """The reward of a step, for practice."""
    return f"  [{record.reward:+.2f}, so far {record.raw:.2f}]"


def result_lines(record: StepRecord) -> list[Line]:
    """What came back, in full."""
    result = record.result
    lines: list[Line] = [[(f"Step {record.number}: {action_words(record.action)}", "heading")], []]
    kind = result["kind"]
    if kind == "answer":
        lines += [[("The client", "label")], [(result["answer"], "")]]
    elif kind == "guidance":
        lines += [[("Guidance", "label")], [(result["guidance"], "")]]
    elif kind == "markup_counter":
        lines += [
            [("The other side", "label")],
            [(result["message"], "")],
            [],
            [("It would sign", "label")],
            [(result["counter_text"] or "(no text)", "")],
        ]
    elif kind == "markup_rejected":
        lines += [[("The other side refuses", "label")], [(result["message"], "")]]
    elif kind == "accepted_theirs":
        lines += [[("Closed on their text", "label")], [(result["accepted_text"], "")]]
    elif kind == "error":
        lines.append([(told_in_short(record, practice=False), "warning")])
        lines += [
            [(f"{name}: {_listed(value)}", "muted")]
            for name, value in result.items()
            if name in ("available", "fields", "missing")
        ]
    else:
        lines.append([(told_in_short(record, practice=False), "")])
    return lines


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def issue_lines(issue: Mapping[str, Any]) -> list[Line]:
    """A submitted issue in full."""
    lines: list[Line] = [
        [(f"Issue {issue['issue_id']}", "heading")],
        [(str(issue["title"]), "label")],
        [("Severity ", "label"), (str(issue["severity"]), "")],
        [("Citations ", "label"), (", ".join(issue["citations"]) or "none", "")],
        [],
        [("Analysis", "label")],
        [(str(issue["analysis"]), "")],
        [],
        [("Recommendation", "label")],
        [(str(issue["recommendation"]), "")],
    ]
    for quote in issue["quotes"]:
        lines += [[], [(f"Quote from {quote['citation']}", "label")], [(f"“{quote['text']}”", "")]]
    return lines


def redline_lines(redline: Mapping[str, Any]) -> list[Line]:
    """A proposed redline in full."""
    return [
        [
            (
                f"Redline {redline['issue_id']} of {citation_of(redline['document_id'], redline['section'])}",
                "heading",
            )
        ],
        [],
        [("New text", "label")],
        [(str(redline["replacement_text"]), "")],
        [],
        [("Rationale", "label")],
        [(str(redline["rationale"]), "")],
    ]


def table_lines(label: str, table: Mapping[str, Any], history: Sequence[StepRecord]) -> list[Line]:
    """Where a point of the negotiation stands, and what was said about it."""
    lines: list[Line] = [[(f"Negotiation: {label}", "heading")], [(table_words(table), "label")]]
    if table["last_counter_text"] and table["closed_by"] is None:
        lines += [[], [("They would sign", "label")], [(str(table["last_counter_text"]), "")]]
    for record in history:
        action = record.action
        if (
            action.get("type") not in ("send_markup", "accept_counterparty")
            or str(action.get("issue_id")) != label
        ):
            continue
        lines += [[], [(f"Step {record.number}: {action_words(action)}", "label")]]
        if action.get("proposed_text"):
            lines.append([("You: ", "accent"), (str(action["proposed_text"]), "")])
        lines.append([("Then: ", "accent"), (told_in_short(record, practice=False), "")])
        if record.result.get("counter_text"):
            lines.append([("Their text: ", "accent"), (str(record.result["counter_text"]), "")])
    return lines


def table_words(table: Mapping[str, Any]) -> str:
    """Where a point stands, in a few words."""
    rounds = counted(table["rounds_used"], "round")
    if table["closed_by"] is not None:
        return f"closed on {'your' if table['closed_by'] == 'ours' else 'their'} text after {rounds}"
    return f"open after {rounds}" + (", they offer a text" if table["last_counter_text"] else "")


def draft_words(key: str) -> str:
    """What a half-written form is called."""
    _, _, label = key.partition(":")
    return f"{form_of(key).title}{f' {label}' if label else ''}"


def brief_lines(observation: Mapping[str, Any]) -> list[Line]:
    """The assignment: who you are, what is asked, how it is done."""
    facts = observation["matter"]
    lines: list[Line] = [
        [(str(facts["title"]), "heading")],
        [(str(facts["role"]), "label")],
        [],
        [(str(facts["assignment"]), "")],
        [],
    ]
    lines += [[(f"{key}: ", "label"), (str(value), "")] for key, value in facts["public_facts"].items()]
    lines += [[], [("How to work", "label")]]
    lines += [[("· ", "muted"), (rule, "")] for rule in observation["protocol"]]
    return lines
