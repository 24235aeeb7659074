"""The work that an episode's actions amount to, as people read it: the subject that everyone scores.

What was written stands in it word for word, revisions in the place of what they revise; what was only read or
searched, and what was refused for its form, does not. Of what others answered only the closing text of a settlement is
there, because it is what is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rubrictui.core.records import Subject
from rubrictui.evaluators.matter_rubric import matter_hash
from rubrictui.matters.loading import Matter

ENTITY: Final = "Work product"
ACTIONS: Final = "actions"

_Action = Mapping[str, Any]
_KEPT: Final = frozenset({"ack", "answer", "no_answer", "guidance", "neutral_guidance", "final_ack"})


def work_subject(
    matter: Matter,
    actions: Sequence[_Action],
    result: Mapping[str, Any],
    *,
    record_id: str,
    entity: str = ENTITY,
    title: str = "",
) -> Subject:
    """The subject of an episode: its text for readers, its actions in ``data`` for the rules.

    Args:
        actions: all of them, in order.
        result: what ``replay`` gave for them.
        record_id, entity: how it is known.
        title: the matter's, when it is left out.
    """
    about = {"id": matter.matter_id, "content_hash": matter_hash(matter)}
    return Subject(
        entity=entity,
        record_id=record_id,
        title=title or f"{matter.title or matter.matter_id}: {record_id}",
        text=work_text(matter, actions, result),
        data={"matter": about, ACTIONS: [dict(action) for action in actions]},
    )


def work_text(matter: Matter, actions: Sequence[_Action], result: Mapping[str, Any]) -> str:
    """The work as Markdown, in the order in which a file is read: memo, issues, redlines, settlements, questions."""
    done = [
        (action, outcome)
        for action, outcome in zip(actions, result["last_results"], strict=False)
        if outcome["kind"] in _KEPT
    ]
    issues = _submitted(done, "issue", ("issue_id",))
    redlines = _submitted(done, "redline", ("issue_id", "document_id", "section"))
    parts = [f"# {matter.title or matter.matter_id}"]
    memos = [action for action, _ in done if action["type"] == "submit_final"]
    parts += ["## Memo", *(str(action.get("summary") or "(empty)") for action in memos)] if memos else []
    parts += ["## Issues", *map(_issue, issues)] if issues else []
    parts += ["## Redlines", *map(_redline, redlines)] if redlines else []
    closed = [event for event in result["events"] if event["type"] == "settlement"]
    if closed:
        parts.append("## Settlements")
        for event in closed:
            who = "our text" if event["closed_by"] == "ours" else "their text"
            parts += [f"### {event['criterion']}: closed on {who}", event["closing_text"]]
    asked = [action for action, _ in done if action["type"] == "ask_client"]
    if asked:
        parts += ["## Questions to the client", "\n".join(f"- {action['question']}" for action in asked)]
    raised = [action for action, _ in done if action["type"] == "escalate"]
    if raised:
        lines = [f"- {action['topic']}: {action['reason']}" for action in raised]
        parts += ["## Escalations", "\n".join(lines)]
    if len(parts) == 1:
        parts.append("Nothing was submitted.")
    return "\n\n".join(parts) + "\n"


def _submitted(
    done: Iterable[tuple[_Action, _Action]], kind: str, known_by: tuple[str, ...]
) -> list[_Action]:
    """What stands at the end: each submission, or the last revision of the first that is known by the same fields.

    A label or a section given as a number is its text.
    """
    found: list[_Action] = []
    for action, _ in done:
        if action["type"] in (f"submit_{kind}", f"propose_{kind}"):
            found.append(action)
        elif action["type"] == f"revise_{kind}":
            name = [str(action[field]) for field in known_by]
            at = next(at for at, one in enumerate(found) if [str(one[field]) for field in known_by] == name)
            found[at] = action
    return found


def _issue(action: _Action) -> str:
    lines = [
        f"### {action['title']}",
        "",
        f"{action['severity']} · {', '.join(map(str, action['citations']))}",
        "",
        str(action["analysis"]),
    ]
    for quote in action.get("quotes") or ():
        lines += ["", f"> {quote['text']}", "", f"({quote['citation']})"]
    lines += ["", f"Recommendation: {action['recommendation']}"]
    return "\n".join(lines)


def _redline(action: _Action) -> str:
    return "\n".join(
        (
            f"### {action['document_id']} §{action['section']}",
            "",
            str(action["replacement_text"]),
            "",
            f"Why: {action['rationale']}",
        )
    )
