"""Text from outside, made safe to show: controls become symbols, nothing invisible stays invisible.

A terminal obeys control characters wherever they come from, and a reader is fooled by characters she
cannot see. So text that others wrote passes ``visible`` before any terminal sees it, in the application
and on the command line. It maps single characters, so a line of visible text never contains a
character that a terminal acts on; stored text is never changed.
"""

from __future__ import annotations

import re
import unicodedata

BIDI_MARK = "⇄"
"""Stands for a character that turns the reading direction (overrides, embeddings, isolates, marks)."""

HIDDEN_MARK = "¤"
"""Stands for a character without a width (zero-width space and joiners, byte order mark, tags, fillers)."""

UNKNOWN_MARK = "�"
"""Stands for a C1 control and for a code that is no character (a lone surrogate, U+FFFF)."""

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_HIDDEN = (
    0x00AD,
    0x034F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x180E,
    *range(0x200B, 0x200E),
    *range(0x2060, 0x2066),
    *range(0x206A, 0x2070),
    0x3164,
    0xFEFF,
    0xFFA0,
    *range(0xFFF9, 0xFFFC),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE0080),
)
# Terminals disagree about their width, and without them the character before says the same.
_DROPPED = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x1F3FB, 0x1F400))

_TABLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: "␡",
    **dict.fromkeys(range(0x80, 0xA0), UNKNOWN_MARK),
    0x2028: "␤",
    0x2029: "␤",
    **dict.fromkeys(_BIDI, BIDI_MARK),
    **dict.fromkeys(_HIDDEN, HIDDEN_MARK),
    **dict.fromkeys(_DROPPED, ""),
    **dict.fromkeys(range(0xD800, 0xE000), UNKNOWN_MARK),
    0xFFFE: UNKNOWN_MARK,
    0xFFFF: UNKNOWN_MARK,
}
_ONE_LINE_TABLE = {**_TABLE, 0x0A: "␊"}


def _character_class(codes: dict[int, str]) -> str:
    """A regular expression class of the codes, as ranges: a scan that finds nothing costs no copy."""
    spans: list[list[int]] = []
    for code in sorted(codes):
        if spans and code == spans[-1][1] + 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans) + "]"


_NEEDS_WORK = re.compile(_character_class(_TABLE))
_EMOJI_JOINER = re.compile(
    "(?<=[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2190-\u2bff\U0001f000-\U0001faff])"
)


def visible(text: str, *, newlines: bool = True) -> str:
    """The text with every control, direction and zero-width character shown as a symbol.

    C0 controls become control pictures (ESC is ``␛``), C1 controls and codes that are no character
    ``�``, direction marks ``⇄``, characters without a width ``¤``. Variation selectors, skin tones and
    the joiners inside an emoji are left out, because terminals disagree about their width. Tabs stay;
    their width depends on where they stand.

    Args:
        text: any string, lone surrogates included.
        newlines: keep line breaks (``\\r\\n`` becomes ``\\n``); False shows them as ``␊``.

    Returns:
        Text without a character below U+0020 but tab and (with ``newlines``) line feed; it can always
        be encoded as UTF-8.
    """
    if newlines:
        if "\r\n" in text:
            text = text.replace("\r\n", "\n")
        table = _TABLE
    else:
        table = _ONE_LINE_TABLE
        if "\n" in text:
            text = text.replace("\n", "␊")
    if text.isascii() and text.isprintable():
        return text
    if _NEEDS_WORK.search(text) is None:
        return text
    if "\u200d" in text:
        text = _EMOJI_JOINER.sub("", text)
    return text.translate(table)


def name_fault(name: str, limit: int) -> str:
    """What keeps a text from being the name of a record, as in "is empty"; nothing when it may be one.

    Names are typed, quoted and listed a line each, so they hold no control character and no line break.
    """
    name = name.strip()
    if not name:
        return "is empty"
    if len(name) > limit:
        return f"has {len(name)} characters; at most {limit} fit"
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        return "holds a character that cannot be shown"
    return ""
