"""Text of others inside Markdown, where nothing in it may become markup: as CommonMark reads it and as GitHub does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rubrictui.core.display import visible

# Emphasis, code, links, tags, cells, strikes; entities; addresses and names that become links by themselves.
_ANYWHERE = re.compile(r"[\\`*_\[\]<>|~@]|&(?=#?\w+;)|:(?=//)|(?<=www)\.", re.IGNORECASE)
# What begins a heading, a list or a rule, or makes a heading of the line above.
_LEADING = re.compile(r"#(?=#*(?:\s|$))|[-+](?=\s|$)|-(?=[-\s]*$)|=(?=[=\s]*$)|\d{1,9}(?=[.)](?:\s|$))")


def markdown_line(text: str) -> str:
    """A text inside a line of Markdown, or a line of its own."""
    return _escaped(visible(" ".join(text.split())))


def markdown_block(text: str) -> str:
    """A text of several lines: blank lines part paragraphs, other line breaks stay breaks."""
    lines = [_escaped(" ".join(line.split())) for line in visible(text).strip().split("\n")]
    return re.sub(r"(?<=[^\n])\n(?=[^\n])", "\\\\\n", "\n".join(lines))


def fenced(lines: Sequence[str]) -> list[str]:
    """Lines as code, in a fence that none of them can end."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *lines, fence]


def _escaped(line: str) -> str:
    found = _ANYWHERE.sub(r"\\\g<0>", line)
    first = _LEADING.match(found)
    if first is None:
        return found
    if first.group().isdigit():  # a number begins a list by the mark after it
        return f"{first.group()}\\{found[first.end() :]}"
    return f"\\{found}"
