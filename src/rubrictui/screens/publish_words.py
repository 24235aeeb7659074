"""What publishing a draft would mean, in words and rows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.change_view import ChangeGroup, ChangeRow, change_groups
from rubrictui.core.model import Bump, VersionSnapshot
from rubrictui.core.problems import Problem
from rubrictui.core.versions import VersionDiff
from rubrictui.widgets.rows_list import Row
from rubrictui.widgets.text import counted

NOW: Final = "now"
_PROBLEM: Final = "problem/"
BUMPS: Final = (Bump.PATCH, Bump.MINOR, Bump.MAJOR)
BUMP_TONES: Final = {Bump.MAJOR: "error", Bump.MINOR: "warning", Bump.PATCH: "success"}

_MEANING: Final = {
    Bump.MAJOR: "Scores of {old} and of {new} do not compare: they are never averaged together.",
    Bump.MINOR: "Scores still compare with {old}; what they lead to (pass, band, completeness) may not.",
    Bump.PATCH: "The same answers score the same as in {old}: wording, order or display changed.",
}


def publish_text(
    draft: RubricDraft, found: VersionDiff, problems: Sequence[Problem], summary: str = ""
) -> str:
    """What would be published, why under that number, and what it means for scores; or what stands against it."""
    blocking = sum(problem.blocks for problem in problems)
    base = draft.published
    lines: list[str] = []
    if blocking:
        lines.append(f"Not yet: {counted(blocking, 'problem blocks', 'problems block')} publishing.")
    if found.next_version is None and base is not None:
        lines.append(f"The draft is identical to {base.number}. Change something, or discard it.")
        return "\n".join(lines)
    if base is None:
        lines.append(f"The first version of this rubric: {found.next_version}.")
    else:
        lines.append(f"{base.number} → {found.next_version}: {_why(found)}")
        lines.append(_meaning(draft, base, found))
    lines.append(
        "Publishing freezes the tree, the bands and the scales it uses. A later change begins a new draft."
    )
    if base is not None or summary:
        lines.append(f"Summary: {summary}" if summary else "Summary: none yet; s writes one.")
    return "\n".join(lines)


def _why(found: VersionDiff) -> str:
    asked = found.applied_bump is not found.computed_bump
    first = f"{found.applied_bump}, as asked; the changes make a {found.computed_bump}" if asked else ""
    counts = [
        f"{count} {bump}"
        for bump in reversed(BUMPS)
        if (count := sum(change.bump is bump for change in found.changes))
    ]
    return f"{first or found.applied_bump} ({', '.join(counts)} {'change' if len(found.changes) == 1 else 'changes'})."


def _meaning(draft: RubricDraft, base: VersionSnapshot, found: VersionDiff) -> str:
    bump = found.applied_bump or Bump.PATCH
    old = base.number or "the base"
    text = _MEANING[bump].format(old=f"{base.major_version}.x", new=f"{(base.major_version or 0) + 1}.x")
    if bump is not Bump.MAJOR:
        text = _MEANING[bump].format(old=old)
    if draft.evaluation_count:
        text += f" {counted(draft.evaluation_count, 'evaluation')} of {old} you may see."
    return text


def publish_rows(draft: RubricDraft, found: VersionDiff, problems: Sequence[Problem]) -> list[Row]:
    """Publish now where that is possible; then what blocks it, what is odd, and every change with its reason."""
    rows: list[Row] = []
    blocked = any(problem.blocks for problem in problems)
    if not blocked and found.next_version is not None:
        rows.append(Row(NOW, ("", f"Publish {found.next_version} now"), tone="strong"))
    for blocks, section, mark, tone in (
        (True, "Blocks publishing", "✗", "error"),
        (False, "Odd, but allowed", "▵", "warning"),
    ):
        rows.extend(
            Row(
                id=f"{_PROBLEM}{place}",
                cells=("", f"{problem.message} {problem.remedy}".rstrip()),
                section=section,
                mark=mark,
                tones=(tone,),
            )
            for place, problem in enumerate(problems)
            if problem.blocks is blocks
        )
    for bump in reversed(BUMPS):
        groups = change_groups(found, draft.published, draft.version, bumps=[bump])
        rows.extend(_change_rows(groups, bump))
    return rows


def problem_of(row_id: str, problems: Sequence[Problem]) -> Problem | None:
    """The problem that a row of ``publish_rows`` tells; None for any other row."""
    place = row_id.removeprefix(_PROBLEM)
    return problems[int(place)] if place != row_id else None


def _reason(group: ChangeGroup, row: ChangeRow) -> str:
    """Why a change counts, in a sentence; a new place says beside whom, which a number would not."""
    if group.kind == "node" and row.property == "Sequence":
        return f"{group.title!r} moved from {row.before} to {row.after}: scores stay as they are."
    return row.reason or row.what


def _change_rows(groups: Sequence[ChangeGroup], bump: Bump) -> list[Row]:
    rows: list[Row] = []
    for group in groups:
        reasons = list(dict.fromkeys(_reason(group, row) for row in group.rows))
        rows.extend(
            Row(
                id=f"{bump}/{group.kind}/{group.subject}/{place}",
                cells=(str(bump), reason),
                section=f"{bump} changes",
                tones=(BUMP_TONES[bump],),
            )
            for place, reason in enumerate(reasons)
        )
    return rows
