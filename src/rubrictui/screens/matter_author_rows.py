"""A matter as its author sees it: points by component and criterion, each with what lint finds about it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rubrictui.ground.errors import RubrictuiError
from rubrictui.ground.findings import Finding
from rubrictui.matters.lint import lint
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import Concepts, GateEntry, Issue
from rubrictui.matters.points import POINTS, component_points, issue_points
from rubrictui.matters.probes import FILE_NAME, ProbeReport, read_probes, run_probes
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted

AUTHOR_COLUMNS = (
    Column("What", share=3, minimum=22),
    Column("Where", share=1, minimum=12, drop=2),
    Column("Points", width=7, right=True),
    Column("Lint", width=11),
)

ALL, LOST = "all", "elsewhere"
"""The ids of the row of the whole, and of the findings that concern no criterion."""


class AuthorView(NamedTuple):
    """What there is to say of a matter. ``matter`` is None when it cannot be loaded."""

    matter: Matter | None
    error: str
    findings: tuple[Finding, ...]
    probes: ProbeReport | None
    probe_error: str
    by_row: dict[str, tuple[Finding, ...]]


def read_author_view(folder: Path, *, pedantic: bool) -> AuthorView:
    """Load, lint and probe the matter in a folder; never raises for what its files hold."""
    matter: Matter | None = None
    error = ""
    try:
        matter = Matter.from_directory(folder)
    except RubrictuiError as found:
        error = str(found)
    try:
        findings = tuple(lint(folder, pedantic=pedantic))
    except RubrictuiError as found:
        findings, error = (), error or str(found)
    probes: ProbeReport | None = None
    probe_error = ""
    if matter is not None and (folder / FILE_NAME).is_file():
        try:
            probes = run_probes(read_probes(folder), matter)
        except RubrictuiError as found:
            probe_error = str(found)
    return AuthorView(matter, error, findings, probes, probe_error, placed(matter, findings))


def placed(matter: Matter | None, findings: Sequence[Finding]) -> dict[str, tuple[Finding, ...]]:
    """The findings by the row they concern: the criterion whose lines they stand in, else ``LOST``."""
    starts: list[tuple[str, int, str]] = []
    if matter is not None:
        source = matter.source
        for key in ("questions", "escalations", "issues"):
            written = (source.rubric.value or {}).get(key)
            for index, entry in enumerate(written if isinstance(written, list) else ()):
                name = entry.get("id") if isinstance(entry, dict) else None
                if isinstance(name, str):
                    line = source.rubric.place(key, index)[0]
                    starts.append((source.rubric.label, line, f"{key}\t{name}"))
        if "final_submission" in (source.rubric.value or {}):
            starts.append((source.rubric.label, source.rubric.key_place("final_submission")[0], "final"))
        positions = (source.counterparty.value or {}).get("positions")
        for name in positions if isinstance(positions, dict) else ():
            line = source.counterparty.key_place("positions", name)[0]
            starts.append((source.counterparty.label, line, f"issues\t{name}"))
    starts.sort()
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        before = [row for file, line, row in starts if file == finding.file and line <= finding.line]
        found.setdefault(before[-1] if before else LOST, []).append(finding)
    return {row: tuple(some) for row, some in found.items()}


def author_rows(view: AuthorView) -> list[Row]:
    """The whole, findings without a criterion, then every criterion, the gates without a probe last."""
    matter = view.matter

    def row(
        row_id: str, what: str, points: float | None, section: str, *, where: str = "", tone: str = ""
    ) -> Row:
        found = view.by_row.get(row_id, ())
        word, lint_tone = lint_words(found)
        shown = "" if points is None else f"{points:g}"
        return Row(
            row_id,
            (what, where, shown, word),
            section=section,
            tone=tone,
            tones=("", "", "", lint_tone),
            mark="!" if lint_tone == "error" else "▵" if lint_tone else " ",
        )

    rows = [row(ALL, "The whole", matter.max_score if matter is not None else None, "Matter", tone="strong")]
    if view.by_row.get(LOST):
        rows.append(row(LOST, "Findings about the files", None, "Matter"))
    if matter is None:
        return rows
    rubric = matter.rubric
    rows += [row(f"questions\t{one.id}", one.id, one.points, "Questions") for one in rubric.questions]
    rows += [
        row(
            f"escalations\t{one.id}",
            one.id,
            one.points,
            "Escalations",
            where="critical" if one.critical_if_missed else "required" if one.required else "",
        )
        for one in rubric.escalations
    ]
    rows += [
        row(
            f"issues\t{issue.id}",
            issue.id,
            sum(issue_points(matter, issue).values()),
            "Issues",
            where=issue.anchor,
        )
        for issue in rubric.issues
    ]
    final = rubric.final_submission
    rows.append(row("final", "Final submission", final.points + final.concept_points, "End"))
    if view.probes is not None or view.probe_error:
        rows.append(row("probes", probe_words(view), None, "End", where=FILE_NAME))
    return rows


def lint_words(findings: Sequence[Finding]) -> tuple[str, str]:
    """Findings in a word or two, and a tone."""
    errors = sum(finding.severity == "error" for finding in findings)
    if errors:
        return counted(errors, "error"), "error"
    return (counted(len(findings), "warning"), "warning") if findings else ("", "")


def probe_words(view: AuthorView) -> str:
    """How the probes came out."""
    if view.probes is None:
        return "Probes cannot be read"
    failed = len(view.probes.failures)
    passed = len(view.probes.outcomes) - failed
    return f"Probes: {passed} pass" + (f", {failed} fail" if failed else "")


def author_lines(view: AuthorView, row_id: str) -> list[Line]:
    """What there is to read about a row; findings first."""
    lines: list[Line] = finding_lines(view.by_row.get(row_id, ()))
    matter = view.matter
    if matter is None:
        return [[(view.error, "error")], [], *lines]
    kind, _, name = row_id.partition("\t")
    rubric = matter.rubric
    if row_id == ALL:
        return [*lines, *_whole_lines(view, matter)]
    if row_id == "final":
        final = rubric.final_submission
        return [
            *lines,
            [("Final submission", "heading")],
            [("Points ", "label"), (f"{final.points:g} from {final.minimum_characters} characters", "")],
            [("Concepts ", "label"), (f"{final.concept_points:g}: {_listed(final.required_concepts)}", "")],
            [("Required issues ", "label"), (f"{_listed(final.required_issue_ids)}", "")],
            [("Each one missed ", "label"), (f"-{final.missing_required_issue_penalty:g}", "")],
            [("Each required escalation missed ", "label"), (f"-{final.missed_escalation_penalty:g}", "")],
        ]
    if row_id == "probes":
        return [*lines, *_probe_lines(view)]
    if kind == "questions":
        question = next((one for one in rubric.questions if one.id == name), None)
        if question is not None:
            answer = matter.hidden_facts.client_answers.get(name, "(none)")
            return [*lines, *_ask_lines("Question", name, question.variants, answer)]
    if kind == "escalations":
        escalation = next((one for one in rubric.escalations if one.id == name), None)
        if escalation is not None:
            answer = matter.hidden_facts.escalation_answers.get(name, "(none)")
            return [*lines, *_ask_lines("Escalation", name, escalation.variants, answer)]
    issue = next((one for one in rubric.issues if one.id == name), None)
    return [*lines, *_issue_lines(matter, issue)] if issue is not None else lines


def finding_lines(findings: Sequence[Finding]) -> list[Line]:
    """Findings, a line each with their place."""
    lines: list[Line] = [
        [
            (f"{finding.severity} ", finding.severity),
            (f"{Path(finding.file).name}:{finding.line}:{finding.column} ", "muted"),
            (finding.message, ""),
            (f" [{finding.code}]", "muted"),
        ]
        for finding in findings
    ]
    return [*lines, []] if lines else []


def _whole_lines(view: AuthorView, matter: Matter) -> list[Line]:
    errors = sum(finding.severity == "error" for finding in view.findings)
    lines: list[Line] = [
        [(matter.title, "heading")],
        [(f"Lint: {counted(errors, 'error')}, {counted(len(view.findings) - errors, 'warning')}", "label")],
        [],
        [("What the points add up to", "label")],
    ]
    for name, points in component_points(matter).items():
        lines.append(
            [
                (f"  {name:<30}", "" if points else "muted"),
                (f"{points:7.2f}", "accent" if points else "muted"),
            ]
        )
    lines.append([(f"  {'derived max score':<30}", "label"), (f"{matter.derived_max_score:7.2f}", "label")])
    declared = matter.rubric.max_score
    if declared is not None:
        same = abs(declared - matter.derived_max_score) < 1e-9
        lines.append([(f"  {'declared max score':<30}", ""), (f"{declared:7.2f}", "" if same else "warning")])
    cap = matter.rubric.critical_failure_score_cap
    lines.append([(f"  {'cap after a critical failure':<30}", ""), (f"{cap:7.2f}", "")])
    limits = matter.constraints
    lines += [
        [],
        [
            ("Limits ", "label"),
            (
                f"{limits.maximum_steps} steps, {limits.maximum_client_questions} questions, {limits.maximum_escalations} escalations, {limits.maximum_negotiation_rounds} rounds",
                "",
            ),
        ],
        [],
        [("Documents", "label")],
    ]
    for document in matter.documents.values():
        lines.append(
            [
                (
                    f"  {document.id}: {document.title}, {len(document.text)} characters, {counted(len(document.tokens), 'section')}",
                    "",
                )
            ]
        )
    return lines


def _issue_lines(matter: Matter, issue: Issue) -> list[Line]:
    points = issue_points(matter, issue)
    anchor = matter.section(issue.anchor)
    lines: list[Line] = [
        [(f"{issue.id} · {issue.anchor} · {issue.severity}", "heading")],
        [
            ("Points ", "label"),
            (", ".join(f"{name} {points[name]:g}" for name in POINTS if points[name]), ""),
        ],
        [("Cites ", "label"), (_listed(issue.required_citations), "")],
        [("Analysis holds ", "label"), (_listed(issue.required_concepts), "")],
        [("Redline holds ", "label"), (_listed(issue.redline_concepts), "")],
        [("Settlement holds ", "label"), (_listed(issue.settlement_concepts), "")],
    ]
    if issue.non_negotiable:
        lines.append([("Not for trading: a settlement concept missing is critical.", "warning")])
    for title, entries in (
        ("Fires on an analysis", issue.critical_failure_patterns),
        ("Fires on a redline", issue.redline_critical_failure_patterns),
        ("Fires on a settlement", issue.settlement_critical_failure_patterns),
    ):
        lines += [[(f"{title} ", "label"), (gate_words(entry), "")] for entry in entries]
    position = (matter.positions or {}).get(issue.id)
    if position is not None:
        lines += [
            [],
            [
                ("The other side ", "label"),
                (
                    f"gives in after {counted(position.resist_rounds, 'round')} to "
                    + " or ".join(_listed(one) for one in position.accept_concepts),
                    "",
                ),
            ],
        ]
        for number, counter in enumerate(position.counters, 1):
            lines.append(
                [
                    (
                        f"Counter {number}{' (trap)' if counter.trap else ''} ",
                        "warning" if counter.trap else "label",
                    ),
                    (f"{counter.message} {counter.text}", ""),
                ]
            )
    return [*lines, [], [("The anchor's text", "label")], [(anchor or "(names no section)", "muted")]]


def gate_words(entry: GateEntry) -> str:
    """A critical-failure pattern with its guards."""
    words = [entry.pattern]
    if entry.negation_guard:
        words.append("guarded" + (", looking before it" if entry.negation_scope == "before" else ""))
    if entry.require_context is not None:
        words.append(f"only with {entry.require_context}")
    if entry.exclude_context is not None:
        words.append(f"not with {entry.exclude_context}")
    return " · ".join(words)


def _ask_lines(kind: str, name: str, variants: Sequence[Concepts], answer: str) -> list[Line]:
    return [
        [(f"{kind} {name}", "heading")],
        *[[("Hit by ", "label"), (_listed(variant), "")] for variant in variants if variant],
        [],
        [("Hidden answer", "label")],
        [(answer, "")],
    ]


def _probe_lines(view: AuthorView) -> list[Line]:
    if view.probes is None:
        return [[(view.probe_error, "error")]]
    lines: list[Line] = [[(probe_words(view), "heading")]]
    for outcome in sorted(view.probes.outcomes, key=lambda one: one.passed):
        wanted = "must fire" if outcome.must_fire else "must not fire"
        word, tone = ("pass", "success") if outcome.passed else ("FAIL", "error")
        lines += [
            [(f"{word} ", tone), (f"{outcome.gate} {wanted}: ", "label"), (outcome.text, "")],
            [(f"     {outcome.why}", "muted")],
        ]
    if view.probes.unprobed:
        lines += [[], [("Without a probe ", "warning"), (_listed(view.probes.unprobed), "")]]
    return lines


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "-"
