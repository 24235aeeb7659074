"""The changes between two versions as text for a terminal, and as Markdown for a review."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rubrictui.cli._output import counted
from rubrictui.core.change_view import ChangeGroup, ChangeRow
from rubrictui.core.display import visible
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.text_diff import Part, word_diff
from rubrictui.core.versions import CONSEQUENCES, VersionDiff

#: Two values that together have at most so many characters stand side by side; longer ones are marked word by word.
_SHORT: Final = 60

_MARKDOWN_MARKS: Final = re.compile(r"([\\`*_\[\]<>|~#!&@])")


def text_lines(
    found: VersionDiff, groups: Sequence[ChangeGroup], *, aside: int = 0, next_number: str = ""
) -> Iterator[str]:
    """Every change under what it is about: its bump, then before and after; and what the bumps mean.

    Args:
        aside: how many siblings only made way for others; they are counted and not told.
        next_number: the number that comes next; "" where none does.

    In long texts ``[-words-]`` were removed and ``{+words+}`` added, as ``wdiff`` marks them.
    """
    for group in groups:
        yield " / ".join(group.path)
        if group.also:
            yield f"         {group.also}"
        for row in group.rows:
            first, *rest = _row_text(row).split("\n")
            yield f"  {row.bump:<6} {first}"
            yield from (f"         {line}" for line in rest)
    if groups:
        yield ""
    if aside:
        yield f"{counted(aside, 'sibling')} made way."
    yield from _meanings(groups)
    yield f"{found.computed_bump} by its changes{f'; the next version is {next_number}' if next_number else ''}."


def _meanings(groups: Sequence[ChangeGroup]) -> list[str]:
    """The reason of the changes of each bump that is shown."""
    shown = {row.bump for group in groups for row in group.rows}
    return [f"{bump}: {words}." for bump, words in CONSEQUENCES.items() if bump in shown]


def _row_text(row: ChangeRow) -> str:
    if row.before is None or row.after is None:
        return f"{row.what}: {row.before or row.after or ''}"
    if "\n" not in row.before + row.after and len(row.before) + len(row.after) <= _SHORT:
        return f"{row.what}: {row.before} → {row.after}"
    marks = {Part.SAME: "{}", Part.REMOVED: "[-{}-]", Part.ADDED: "{{+{}+}}"}
    return f"{row.what}: " + "".join(
        marks[part].format(text) for part, text in word_diff(row.before, row.after)
    )


def markdown(
    found: VersionDiff,
    groups: Sequence[ChangeGroup],
    base: VersionSnapshot | None,
    draft: VersionSnapshot,
    *,
    aside: int = 0,
    next_number: str = "",
) -> str:
    """The same as a page of Markdown: a heading, what it amounts to, a table for each thing that changed.

    Removed words are struck through, added ones bold. What a rubric says is escaped, so that it is never markup.
    """
    name = escape(draft.rubric_name or "Rubric")
    if base is None:
        return f"# {name}: the first version, {found.next_version}\n"
    old, new = base.number or "draft", draft.number or "draft"
    lines = [f"# {name}: {old} to {new}", ""]
    if found.computed_bump is None:
        return "\n".join([*lines, "No changes.", ""])
    counts = [
        counted(count, f"{bump} change")
        for bump in ("Major", "Minor", "Patch")
        if (count := sum(change.bump == bump for change in found.changes))
    ]
    following = f" The next version is {next_number}." if next_number else ""
    way = f" {counted(aside, 'sibling')} made way." if aside else ""
    lines += [f"{', '.join(counts)}: **{found.computed_bump}**.{following}{way}", ""]
    if meanings := _meanings(groups):
        lines += [" ".join(meanings), ""]
    for group in groups:
        lines += [f"## {escape(' / '.join(group.path))}", ""]
        if group.also:
            lines += [escape(group.also), ""]
        lines += ["| Bump | What | Before | After |", "|---|---|---|---|"]
        lines += [_row_markdown(row) for row in group.rows]
        lines.append("")
    return "\n".join(lines)


def _row_markdown(row: ChangeRow) -> str:
    before, after = escape(row.before or "", table=True), escape(row.after or "", table=True)
    if row.before and row.after and len(row.before) + len(row.after) > _SHORT:
        before = after = ""
        for part, text in word_diff(row.before, row.after):
            if part is not Part.ADDED:
                before += _marked(text, "~~" if part is Part.REMOVED else "")
            if part is not Part.REMOVED:
                after += _marked(text, "**" if part is Part.ADDED else "")
    return f"| {row.bump} | {escape(row.what, table=True)} | {before} | {after} |"


def _marked(text: str, mark: str) -> str:
    """Marks touch the words, never the blanks around them: Markdown would show those marks as they are."""
    inner = text.strip()
    if not inner or not mark:
        return escape(text, table=True)
    start = text.index(inner)
    lead, tail = text[:start], text[start + len(inner) :]
    return f"{escape(lead, table=True)}{mark}{escape(inner, table=True)}{mark}{escape(tail, table=True)}"


def escape(text: str, *, table: bool = False) -> str:
    """Text that Markdown shows as it is, on one line; in a table a line break is ``<br>``."""
    plain = _MARKDOWN_MARKS.sub(r"\\\1", visible(text)).replace("\r\n", "\n").replace("\r", "\n")
    return plain.replace("\n", "<br>" if table else " ").replace("\t", " ")
