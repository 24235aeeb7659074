"""Markdown as blocks to read in a terminal: headings, lists, quotes, code and tables. Pure.

Only the structure is used. HTML stays text, links show where they lead and lead nowhere, images show
their description; every piece of text is made visible first, so nothing in it reaches the terminal as
markup or as a control code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.widgets.document import Block, Span
from rubrictui.widgets.text import expand_tabs, pad, wrap

if TYPE_CHECKING:
    from markdown_it.token import Token

MARKDOWN_LIMIT = 120_000
"""Characters beyond which a text is shown as it was written."""

_SYNTAX = re.compile(
    r"^ {0,3}(#{1,6} |[-*+] |\d+[.)] |> |```|~~~|\|.*\|)|^(=+|-{3,})\s*$|\*\*\S|(?<!\w)_\S|`\S|\]\(",
    re.MULTILINE,
)


def looks_like_markdown(text: str) -> bool:
    """Whether formatting would change anything worth it; and the text is not too large to format."""
    if len(text) > MARKDOWN_LIMIT:
        return False
    return _SYNTAX.search(text) is not None


def parse(text: str) -> list[Token]:
    """The tokens of a Markdown text: CommonMark with tables and strikethrough, without HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    return parser.parse(text)


def markdown_blocks(tokens: list[Token], width: int) -> list[Block]:
    """The blocks of a page of ``width`` cells."""
    return _Builder(max(width, 20)).build(tokens)


@dataclass
class _Builder:
    """Walks the tokens once; ``prefixes`` holds what stands before the lines of each open container."""

    width: int
    blocks: list[Block] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)
    marker: str | None = None
    source: int = 0

    def build(self, tokens: list[Token]) -> list[Block]:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.map:
                self.source = token.map[0]
            if token.type == "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self._gap()
                self._table(tokens[index : end + 1])
                index = end + 1
                continue
            self._token(token)
            index += 1
        while self.blocks and not self.blocks[-1].text and not self.blocks[-1].first:
            self.blocks.pop()
        return self.blocks or [Block()]

    def _token(self, token: Token) -> None:
        kind = token.type
        if kind == "heading_open":
            self._gap()
            self._style = "heading-1" if token.tag == "h1" else "heading"
        elif kind == "heading_close":
            self._style = "text"
        elif kind == "paragraph_open":
            if not token.hidden:
                self._gap()
        elif kind == "inline":
            self._inline(token)
        elif kind in ("fence", "code_block"):
            self._gap()
            for line in token.content.rstrip("\n").split("\n"):
                self._add(expand_tabs(visible(line, newlines=False)), style="code", indent="  ")
        elif kind == "hr":
            self._gap()
            self._add("─" * max(self.width - cell_len("".join(self.prefixes)), 3), style="muted")
        elif kind in ("bullet_list_open", "ordered_list_open"):
            if not self.numbers:
                self._gap()
            start = token.attrGet("start")
            self.numbers.append(
                None if kind == "bullet_list_open" else int(start) if start is not None else 1
            )
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.numbers.pop()
        elif kind == "list_item_open":
            number = self.numbers[-1]
            self.marker = "• " if number is None else f"{number}. "
            if number is not None:
                self.numbers[-1] = number + 1
            self.prefixes.append(" " * cell_len(self.marker))
        elif kind == "list_item_close":
            if self.marker is not None:
                self._add("")  # an item without text still shows its mark
            self.prefixes.pop()
        elif kind == "blockquote_open":
            self._gap()
            self.prefixes.append("│ ")
        elif kind == "blockquote_close":
            self.prefixes.pop()

    _style = "text"

    def _gap(self) -> None:
        """An empty line before a block, unless it begins the page or an item."""
        if self.blocks and self.marker is None and (self.blocks[-1].text or self.blocks[-1].first.strip()):
            prefix = "".join(p if "│" in p else " " * len(p) for p in self.prefixes).rstrip()
            self.blocks.append(Block(first=prefix, rest=prefix, source=self.source))

    def _add(
        self, text: str, spans: tuple[Span, ...] = (), *, style: str | None = None, indent: str = ""
    ) -> None:
        rest = "".join(self.prefixes)[: max(self.width - 10, 0)]
        first = rest
        if self.marker is not None and rest.endswith(" " * cell_len(self.marker)):
            first = rest[: len(rest) - cell_len(self.marker)] + self.marker
        self.marker = None
        self.blocks.append(
            Block(text, spans, first + indent, rest + indent, style or self._style, "muted", self.source)
        )

    def _inline(self, token: Token) -> None:
        text, spans = inline_text(token)
        at = 0
        for line in text.split("\n"):
            end = at + len(line)
            cut = tuple((max(a, at) - at, min(b, end) - at, s) for a, b, s in spans if a < end and b > at)
            self._add(line, cut)
            at = end + 1

    def _table(self, tokens: list[Token]) -> None:
        rows: list[tuple[bool, list[str]]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append((False, []))
            elif token.type == "th_open":
                rows[-1] = (True, rows[-1][1])
            elif token.type == "inline" and rows:
                rows[-1][1].append(inline_text(token)[0].replace("\n", " "))
        if not rows:
            return
        room = self.width - cell_len("".join(self.prefixes))
        widths = table_widths([cells for _, cells in rows], room)
        for is_head, cells in rows:
            folded = [wrap(cell, width) for cell, width in zip(cells, widths, strict=False)]
            for line in range(max((len(cell) for cell in folded), default=1)):
                parts = [
                    pad(cell[line] if line < len(cell) else "", width)
                    for cell, width in zip(folded, widths, strict=False)
                ]
                self._add(" │ ".join(parts).rstrip(), style="strong" if is_head else None)
            if is_head:
                self._add("─┼─".join("─" * width for width in widths), style="muted")


def inline_text(token: Token) -> tuple[str, tuple[Span, ...]]:
    """The visible text of an inline token with its styled spans; hard breaks are line feeds."""
    parts: list[str] = []
    spans: list[Span] = []
    opened: list[tuple[str, int]] = []
    length = 0

    def add(text: str) -> None:
        nonlocal length
        parts.append(text)
        length += len(text)

    def close(style: str) -> None:
        for index in range(len(opened) - 1, -1, -1):
            if opened[index][0] == style:
                _, start = opened.pop(index)
                spans.append((start, length, style))
                return

    for child in token.children or ():
        kind = child.type
        if kind in ("text", "html_inline", "text_special"):
            add(expand_tabs(visible(child.content, newlines=False)))
        elif kind == "code_inline":
            start = length
            add(visible(child.content, newlines=False))
            spans.append((start, length, "code"))
        elif kind == "softbreak":
            add(" ")
        elif kind == "hardbreak":
            add("\n")
        elif kind == "image":
            start = length
            add(f"[image: {visible(child.content, newlines=False) or 'no description'}]")
            spans.append((start, length, "muted"))
        elif kind in ("strong_open", "em_open", "s_open", "link_open"):
            opened.append((_STYLES[kind.removesuffix("_open")], length))
            if kind == "link_open":
                opened.append((f"href:{child.attrGet('href') or ''}", length))
        elif kind == "link_close":
            target, start = next(((s[5:], a) for s, a in reversed(opened) if s.startswith("href:")), ("", 0))
            opened = [item for item in opened if not (item[0].startswith("href:") and item[1] == start)]
            close("link")
            shown = visible(target, newlines=False)
            if shown and shown != "".join(parts)[start:]:
                start = length
                add(f" ({shown})")
                spans.append((start, length, "muted"))
        elif kind in ("strong_close", "em_close", "s_close"):
            close(_STYLES[kind.removesuffix("_close")])
    return "".join(parts), tuple(spans)


_STYLES = {"strong": "strong", "em": "em", "s": "strike", "link": "link"}


def table_widths(rows: list[list[str]], room: int) -> list[int]:
    """Cells for each column: what it needs if all fit, else the widest give way first."""
    count = max((len(cells) for cells in rows), default=0)
    if not count:
        return []
    needs = [
        max((cell_len(cells[column][:400]) for cells in rows if column < len(cells)), default=1) or 1
        for column in range(count)
    ]
    room = max(room - 3 * (count - 1), count * 3)
    while sum(needs) > room:
        widest = max(range(count), key=lambda column: needs[column])
        second = sorted(needs)[-2] if count > 1 else 0
        # Down to the next widest at once: a cell of a million characters takes one turn, not a million.
        needs[widest] = max(min(needs[widest] - 1, max(second, needs[widest] - (sum(needs) - room))), 3)
    return needs
