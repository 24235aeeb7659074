"""The list beside the documents of a matter: what there is to read, and what was done so far. Pure."""

from __future__ import annotations

from typing import NamedTuple

from rubrictui.matters.sections import citation_of
from rubrictui.screens.matter_session import MatterSession
from rubrictui.screens.matter_words import draft_words, table_words
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import one_line

OUTLINE_COLUMNS = (Column("Papers and work", minimum=12),)

READ, PARTLY, UNREAD = "✓", "◦", " "
"""Before a section: it was read; some of the document was; nothing was."""

BRIEF, DOCUMENT, SECTION, FACT, DRAFT = "brief", "document", "section", "fact", "draft"
ISSUE, REDLINE, TABLE, QUESTION, ESCALATION, SEARCH = (
    "issue",
    "redline",
    "table",
    "question",
    "escalation",
    "search",
)


class Target(NamedTuple):
    """What a row stands for: its kind, and what names it (a document and section, a label, a place in a list)."""

    kind: str
    name: str = ""
    section: str = ""

    @property
    def row_id(self) -> str:
        return "\t".join(self)


def target_of(row_id: str) -> Target:
    """What the row of an id stands for."""
    return Target(*row_id.split("\t"))


def outline_rows(session: MatterSession) -> list[Row]:
    """Everything, in sections: the assignment and the documents first, then the work."""
    rows = [Row(Target(BRIEF).row_id, ("Assignment",), section="Read")]
    rows += _documents(session)
    rows += _work(session)
    return rows


def _documents(session: MatterSession) -> list[Row]:
    rows = []
    for document in session.observation["documents"]:
        document_id, sections = document["id"], document["sections"]
        done = sum(session.is_read(document_id, token) for token in sections)
        whole = session.is_read(document_id)
        mark = READ if whole else PARTLY if done else UNREAD
        rows.append(
            Row(
                Target(DOCUMENT, document_id).row_id,
                (document_id if whole else f"{document_id}  {done} of {len(sections)} read",),
                section="Read",
                mark=mark,
                tone="strong",
                search=document["title"],
            )
        )
        for token in sections:
            read = session.is_read(document_id, token)
            rows.append(
                Row(
                    Target(SECTION, document_id, token).row_id,
                    (f"§{token} {session.heading(document_id, token)}".rstrip(),),
                    section="Read",
                    mark=READ if read else UNREAD,
                    indent=1,
                    tone="" if read else "muted",
                    search=citation_of(document_id, token),
                )
            )
    return rows


def _work(session: MatterSession) -> list[Row]:
    observation = session.observation
    rows = [
        Row(Target(DRAFT, key).row_id, (f"{draft_words(key)}, unsent",), section="Begun", tone="warning")
        for key in session.open_drafts()
    ]
    rows += [
        Row(Target(ISSUE, str(place)).row_id, (f"{issue['issue_id']}: {issue['title']}",), section="Issues")
        for place, issue in enumerate(observation["submitted_issues"])
    ]
    rows += [
        Row(
            Target(REDLINE, str(place)).row_id,
            (f"{line['issue_id']}: {citation_of(line['document_id'], line['section'])}",),
            section="Redlines",
        )
        for place, line in enumerate(observation["submitted_redlines"])
    ]
    for label, table in (observation["negotiation"] or {}).items():
        state = "closed" if table["closed_by"] else "offer" if table["last_counter_text"] else "open"
        tone = {"closed": "success", "offer": "warning"}.get(state, "")
        rows.append(
            Row(
                Target(TABLE, label).row_id,
                (f"{label}: {state}",),
                section="Negotiation",
                tone=tone,
                search=table_words(table),
            )
        )
    rows += [
        Row(Target(FACT, key).row_id, (f"{key}: {one_line(str(value), 60)}",), section="Known facts")
        for key, value in observation["learned_facts"].items()
    ]
    for kind, words, heading in (
        (QUESTION, "ask_client", "Questions asked"),
        (ESCALATION, "escalate", "Escalations"),
        (SEARCH, "search_matter", "Searches"),
    ):
        for step in session.steps:
            if step.action.get("type") == words and step.result["kind"] != "error":
                text = step.action.get({QUESTION: "question", ESCALATION: "topic", SEARCH: "query"}[kind], "")
                rows.append(Row(Target(kind, str(step.number)).row_id, (str(text),), section=heading))
    return rows
