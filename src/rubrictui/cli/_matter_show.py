"""``matter show``: a matter for its author."""

from __future__ import annotations

import argparse
from typing import Any

from rubrictui.cli._matter_input import matter_folder, matter_of, trajectories_of
from rubrictui.cli._output import Output, counted, number, short
from rubrictui.cli._parser import UsageError
from rubrictui.matters.errors import RubrictuiError
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import Document
from rubrictui.matters.points import POINTS, component_points, issue_points


def run(options: argparse.Namespace, output: Output) -> int:
    if options.section is not None and options.document is None:
        raise UsageError(
            "rubrictui matter show: --section goes with --document.",
            remedy="(See rubrictui matter show --help.)",
        )
    matter = matter_of(options.matter)
    if options.document is not None:
        return _show_document(matter, options.document, options.section, output)
    if output.json:
        output.data(shown(matter))
    else:
        _tell(matter, output)
        kept = trajectories_of(matter_folder(options.matter))
        if kept:
            output.text(f"trajectories: {', '.join(kept)}")
    for problem in matter.problems:
        output.say(str(problem))
    return 0


def shown(matter: Matter) -> dict[str, Any]:
    """The matter as ``--json`` prints it."""
    rubric, facts, positions = matter.rubric, matter.facts, matter.positions or {}
    return {
        "matter_id": facts.matter_id,
        "title": facts.title,
        "practice_area": facts.practice_area,
        "role": facts.role,
        "assignment": facts.assignment,
        "public_facts": facts.public_facts,
        "constraints": facts.constraints,
        "documents": [
            {
                "id": document.id,
                "title": document.title,
                "path": document.path,
                "characters": len(document.text),
                "sections": list(document.tokens),
            }
            for document in matter.documents.values()
        ],
        "issues": [
            {
                "id": issue.id,
                "anchor": issue.anchor,
                "severity": issue.severity,
                "negotiated": issue.id in positions,
                "points": issue_points(matter, issue),
            }
            for issue in rubric.issues
        ],
        "questions": {one.id: one.points for one in rubric.questions},
        "escalations": {one.id: one.points for one in rubric.escalations},
        "points": component_points(matter),
        "max_score": matter.max_score,
        "declared_max_score": rubric.max_score,
        "derived_max_score": matter.derived_max_score,
        "critical_failure_score_cap": rubric.critical_failure_score_cap,
        "problems": matter.problems,
    }


def _tell(matter: Matter, output: Output) -> None:
    facts, rubric, limits = matter.facts, matter.rubric, matter.constraints
    output.text(f"{facts.title} ({facts.matter_id})", facts.role, facts.assignment, "")
    rounds = f", {counted(limits.maximum_negotiation_rounds, 'round')}" if matter.positions else ""
    output.text(
        f"{counted(limits.maximum_steps, 'step')}, {counted(limits.maximum_client_questions, 'question')}, "
        f"{counted(limits.maximum_escalations, 'escalation')}{rounds}",
        "",
    )
    output.table(
        ("document", "title", "characters", "sections"),
        [
            (document.id, short(document.title, 40), len(document.text), " ".join(document.tokens))
            for document in matter.documents.values()
        ],
        right=(2,),
    )
    output.text("")
    output.table(
        ("issue", "anchor", "severity", *POINTS),
        [
            (issue.id, issue.anchor, issue.severity, *map(number, issue_points(matter, issue).values()))
            for issue in rubric.issues
        ],
        right=tuple(range(3, 3 + len(POINTS))),
    )
    output.text("")
    output.table(
        ("component", "points"),
        [(name, number(points)) for name, points in component_points(matter).items() if points],
        right=(1,),
    )
    output.text("", f"max score {number(matter.max_score)}, {_where_from(matter)}")


def _where_from(matter: Matter) -> str:
    if matter.rubric.max_score is None:
        return "derived"
    return f"declared; the points add up to {number(matter.derived_max_score)}"


def _show_document(matter: Matter, document_id: str, section: str | None, output: Output) -> int:
    document = matter.documents.get(document_id)
    if document is None:
        raise RubrictuiError(
            f'there is no document "{document_id}".', remedy=f"There are {', '.join(matter.documents)}."
        )
    text = document.text if section is None else _section(document, section)
    if output.json:
        output.data({"document_id": document.id, "title": document.title, "section": section, "text": text})
    else:
        output.text(text)
    return 0


def _section(document: Document, token: str) -> str:
    if token not in document.sections:
        raise RubrictuiError(
            f'{document.id} has no section "{token}".', remedy=f"It has {', '.join(document.tokens)}."
        )
    return document.sections[token]
