"""HTML as plain text with the few marks of Markdown that keep its sense. What runs or hides is left out."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

_TAGS = (
    "p|br|div|span|b|i|u|em|strong|ul|ol|li|a|h[1-6]|table|thead|tbody|tr|td|th|img|font|sub|sup|script|style|"
    "iframe|object|embed|form|input|svg|meta|link|blockquote|pre|code|hr|small|section|article|html|body|head"
)
_HTML = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")
# A sign that no tag ends: the parser would look for its end again and again.
_LONE = re.compile(r"<(?![A-Za-z/!?][^<>]*>)")
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "ul",
        "ol",
        "table",
        "tr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "pre",
        "hr",
        "section",
        "article",
        "header",
        "footer",
        "dl",
        "dt",
        "dd",
    ]
)
_UNSEEN = frozenset(
    ["script", "style", "head", "title", "template", "iframe", "object", "embed", "noscript", "svg", "math"]
)
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`"}
#: Longer texts are read without regard to their structure: what takes long to parse was not meant to be read.
_LONGEST = 1_000_000


def has_html(text: str) -> bool:
    """Whether a text holds a tag of HTML. ``a < b`` and ``<think>`` are none."""
    return "<" in text and _HTML.search(text) is not None


def text_of_html(text: str) -> str:
    """The text that HTML shows: paragraphs, lists with hyphens or numbers, bold, italics, addresses of links."""
    if "<" not in text:
        return html.unescape(text)
    if len(text) > _LONGEST:
        return _without_tags(text)
    reader = _Reader()
    try:
        reader.feed(_LONE.sub("&lt;", _without_comments(text)))
        reader.close()
    except AssertionError:  # what the parser says of a broken declaration
        return _without_tags(text)
    return reader.text()


def _without_comments(text: str) -> str:
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("-->", start + 4)
        if end < 0:  # browsers show nothing after it either
            return "".join(parts)
        at = end + 3
    parts.append(text[at:])
    return "".join(parts)


def _without_tags(text: str) -> str:
    return html.unescape(_ANY_TAG.sub(" ", text))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._unseen = 0
        self._lists: list[int | None] = []
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif self._unseen:
            return
        elif tag == "br":
            self._parts.append("\n")
        elif tag == "li":
            self._parts.append("\n" + "  " * min(len(self._lists) - 1, 5) + self._bullet())
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
            self._parts.append("\n" if len(self._lists) > 1 else "\n\n")
        elif tag in ("td", "th"):
            self._parts.append(" ")
        elif tag in _MARKS:
            self._parts.append(_MARKS[tag])
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")
        elif tag == "img":
            self._parts.append(dict(attrs).get("alt") or "")
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif self._unseen:
            return
        elif tag in ("ul", "ol"):
            if self._lists:
                self._lists.pop()
            self._parts.append("\n" if self._lists else "\n\n")
        elif tag in _MARKS:
            self._end_mark(_MARKS[tag])
        elif tag == "a" and self._links:
            address = self._links.pop().strip()
            if address.lower().startswith(("http://", "https://", "mailto:")):
                self._parts.append(f" ({address})")
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._parts.append(re.sub(r"\s+", " ", data))

    def _end_mark(self, mark: str) -> None:
        """The mark again, or neither of the two where editors left them around nothing."""
        words = [index for index, part in enumerate(self._parts[-3:]) if part.strip()]
        if words and self._parts[-3:][words[-1]] == mark:
            del self._parts[len(self._parts) - len(self._parts[-3:]) + words[-1]]
        else:
            self._parts.append(mark)

    def _bullet(self) -> str:
        if self._lists and self._lists[-1] is not None:
            self._lists[-1] += 1
            return f"{self._lists[-1]}. "
        return "- "

    def text(self) -> str:
        text = re.sub(r" *\n *(?=[^ \n-])", "\n", "".join(self._parts))
        text = re.sub(r"[ \t]+\n", "\n", text)
        return re.sub(r"(?<=\S) {2,}", " ", re.sub(r"\n{3,}", "\n\n", text)).strip()
