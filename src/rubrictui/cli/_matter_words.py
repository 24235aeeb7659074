"""The player's short commands, and what happened in words."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

from rubrictui.cli._output import counted, short
from rubrictui.ground.errors import InvalidInputError, RubrictuiError


class CommandError(RubrictuiError):
    """A line that is no action. Nothing was done, and no step was used."""

    code = "command"


class _Form(NamedTuple):
    """A short command: the fields that ``|`` parts, those after ``required`` may be left out."""

    action: str
    fields: tuple[str, ...]
    required: int
    words: str


FORMS = {
    "read": _Form("read_document", ("document_id", "section"), 1, "read DOCUMENT [| SECTION]"),
    "search": _Form("search_matter", ("query",), 1, "search WORDS"),
    "ask": _Form("ask_client", ("question",), 1, "ask QUESTION"),
    "escalate": _Form("escalate", ("topic", "reason"), 2, "escalate TOPIC | REASON"),
    "issue": _Form(
        "submit_issue",
        ("issue_id", "title", "severity", "citations", "analysis", "recommendation", "quotes"),
        6,
        "issue LABEL | TITLE | SEVERITY | CITATION; CITATION | ANALYSIS | RECOMMENDATION [| CITATION: QUOTE]",
    ),
    "redline": _Form(
        "propose_redline",
        ("issue_id", "document_id", "section", "replacement_text", "rationale"),
        5,
        "redline LABEL | DOCUMENT | SECTION | TEXT | RATIONALE",
    ),
    "markup": _Form(
        "send_markup",
        ("issue_id", "document_id", "section", "proposed_text"),
        4,
        "markup LABEL | DOCUMENT | SECTION | TEXT",
    ),
    "accept": _Form("accept_counterparty", ("issue_id",), 1, "accept LABEL"),
    "final": _Form("submit_final", ("summary",), 1, "final SUMMARY"),
}
_REVISIONS = {"revise-issue": ("issue", "revise_issue"), "revise-redline": ("redline", "revise_redline")}
# These take the rest of the line whole: a bar in it is a bar.
_ONE_FIELD = frozenset({"search", "ask", "accept", "final"})


def _wrapped(text: str, indent: str) -> list[str]:
    """A text as lines of at most 79 characters."""
    return textwrap.wrap(
        text,
        79,
        initial_indent=indent,
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )


HELP = [
    *(line for form in FORMS.values() for line in _wrapped(form.words, "  ")),
    *_wrapped("revise-issue, revise-redline: as issue and redline, for a label submitted before", "  "),
    "  state: the matter and where it stands;  quit: leave",
    '  {"type": ...}: an action as JSON',
]


def action_of(line: str) -> dict[str, Any]:
    """The action of a line: JSON, or a short command.

    Raises:
        CommandError: it is neither.
    """
    text = line.strip()
    if text.startswith(("{", "[")):
        return _json_action(text)
    word, _, rest = text.partition(" ")
    name, action = _REVISIONS.get(word.casefold(), (word.casefold(), ""))
    form = FORMS.get(name)
    if form is None:
        raise CommandError(f'there is no command "{short(word, 40)}".', remedy="Type help.")
    rest = rest.strip()
    if name == "read" and "|" not in rest and " " in rest:
        rest = " | ".join(rest.replace("§", " ").split(None, 1))
    parts = [rest] if name in _ONE_FIELD else [part.strip() for part in rest.split("|")]
    parts = [part for part in parts if part] if len(parts) == 1 else parts
    if not form.required <= len(parts) <= len(form.fields):
        raise CommandError(f"write {form.words}.", remedy="No step was used.")
    fields: dict[str, Any] = dict(zip(form.fields, parts, strict=False))
    if "citations" in fields:
        fields["citations"] = [one.strip() for one in fields["citations"].split(";") if one.strip()]
    if "quotes" in fields:
        fields["quotes"] = [_quote(fields["quotes"], form)]
    return {"type": action or form.action, **fields}


def _quote(text: str, form: _Form) -> dict[str, str]:
    citation, colon, words = text.partition(":")
    if not colon:
        raise CommandError(f"a quote needs its citation: write {form.words}.", remedy="No step was used.")
    return {"citation": citation.strip(), "text": words.strip()}


def _json_action(text: str) -> dict[str, Any]:
    from rubrictui.matters.actions import parse_actions

    try:
        (action,) = parse_actions(text, "this line")
    except (InvalidInputError, ValueError) as error:
        what = str(error) if isinstance(error, InvalidInputError) else "this line holds several actions."
        raise CommandError(what, remedy="No step was used.") from None
    return action


def opening_lines(observation: dict[str, Any]) -> list[str]:
    """What is known at the beginning, or by now."""
    facts = observation["matter"]
    lines = [facts["title"], f"{facts['role']}. {facts['assignment']}", ""]
    for document in observation["documents"]:
        lines.append(f"{document['id']}: {document['title']}; sections {', '.join(document['sections'])}")
    lines += ["", *(line for rule in observation["protocol"] for line in _wrapped(rule, "- ")), ""]
    lines += [f"{key}: {_value(value)}" for key, value in observation["learned_facts"].items()]
    for issue in observation["submitted_issues"]:
        lines.append(f"issue {issue['issue_id']}: {issue.get('title', '')}")
    for redline in observation["submitted_redlines"]:
        lines.append(f"redline {redline['issue_id']} of {redline['document_id']} §{redline['section']}")
    lines += _negotiation(observation)
    return [*lines, _budgets(observation)]


def result_lines(result: dict[str, Any]) -> list[str]:
    """What an action brought."""
    kind = result["kind"]
    if kind == "read":
        section = f" §{result['section']}" if result["section"] is not None else ""
        return [f"{result['document_id']}{section}:", "", result["text"], ""]
    if kind == "search":
        hits = zip(result["hits"], result["snippets"], strict=True)
        found = counted(result["hit_count"], "section holds", "sections hold")
        return [
            f'{found} "{result["query"]}".',
            *(f"  {document} §{token}: {short(snippet, 160)}" for (document, token), snippet in hits),
        ]
    if kind == "answer":
        return [f"The client: {result['answer']}"]
    if kind == "guidance":
        return [f"Guidance on {result['topic']}: {result['guidance']}"]
    if kind == "ack":
        return [f"Taken: {result['issue_id']}"]
    if kind == "final_ack":
        return ["The final submission is in."]
    if kind == "error":
        return [f"Refused ({result['code']}): {result['message']}", *_rest(result, "code", "message")]
    return [f"{kind.replace('_', ' ')}: {result.get('message', '')}".rstrip(": "), *_rest(result, "message")]


def change_lines(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What else changed: facts learned, the table, what is left."""
    lines = [f"learned {key}" for key in after["learned_facts"] if key not in before["learned_facts"]]
    if before["negotiation"] != after["negotiation"]:
        lines += _negotiation(after)
    if before["budgets"] != after["budgets"]:
        lines.append(_budgets(after))
    return lines


def _rest(result: dict[str, Any], *told: str) -> list[str]:
    return [f"  {key}: {_value(value)}" for key, value in result.items() if key not in ("kind", *told)]


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _negotiation(observation: dict[str, Any]) -> list[str]:
    lines = []
    for label, table in (observation["negotiation"] or {}).items():
        line = f"table {label}: {table['status']}, {counted(table['rounds_used'], 'round')} used"
        if table["closed_by"]:
            line += f", on {'your' if table['closed_by'] == 'ours' else 'their'} text"
        elif table["last_counter_text"]:
            line += f"; they offer: {table['last_counter_text']}"
        lines.append(line)
    return lines


def _budgets(observation: dict[str, Any]) -> str:
    left = [f"{count} {name}" for name, count in observation["budgets"].items() if count is not None]
    return f"left: {', '.join(left)}"
