"""Words and numbers as other programs write them, made fit to be names, texts and numbers of ours."""

from __future__ import annotations

import math
import re

from rubrictui.core.records import MAXIMUM_NAME
from rubrictui.interchange.importers._html import has_html, text_of_html

#: A name made out of a longer text is cut here.
SHORT = 100
#: So much of a text makes a key.
KEY_TEXT = 50

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile("\r\n?|[\u0085\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_POINTS = re.compile(r"(?:points?|pts?\.?|%)$", re.IGNORECASE)


def plain(text: str | None, *, html: bool = False) -> str:
    """A text of several lines without markup and control characters.

    Args:
        html: the field is HTML by nature; else it is taken for HTML only when it holds a tag of HTML.
    """
    if not text:
        return ""
    if not html and text.isascii() and text.isprintable() and "<" not in text:
        return text.strip()  # most texts, and thousands of them in a large file
    if html or has_html(text):
        text = text_of_html(text)
    text = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip()


def one_line(text: str | None, *, html: bool = False) -> str:
    """The same on one line, as names are."""
    return " ".join(plain(text, html=html).split())


def cut(text: str, limit: int = MAXIMUM_NAME) -> str:
    """The text, or its beginning, at a blank where there is one, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    blank = head.rfind(" ")
    return (head[:blank] if blank > limit // 2 else head).rstrip(" ,;:.") + "…"


def number(text: str) -> float | None:
    """A finite number with a decimal point or comma, a unit such as ``%`` or ``pts`` aside; None when it is none.

    Of a point and a comma the last one is the decimal sign. A lone comma always is: ``1,5`` is one and a half.
    """
    digits = _POINTS.sub("", text.strip()).strip()
    digits = re.sub("[\\s\u00a0\u202f']", "", digits).replace("\u2212", "-")
    if "," in digits and "." in digits:
        thousands = "." if digits.rfind(",") > digits.rfind(".") else ","
        digits = digits.replace(thousands, "")
    digits = digits.replace(",", ".")
    if not _NUMBER.fullmatch(digits):
        return None
    value = float(digits)
    return value if math.isfinite(value) and abs(value) < 1e12 else None


def shown(value: float) -> str:
    """A number as a label shows it: ``4``, ``2.5``."""
    return f"{value:.6f}".rstrip("0").rstrip(".") if value != int(value) else str(int(value))
