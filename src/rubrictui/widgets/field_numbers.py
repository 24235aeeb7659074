"""A number being typed into a field: what it is worth so far, or what is wrong with it, in words. Pure."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_LIMIT = 40
_STARTS = "0123456789.,-+"


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed. With a ``problem`` there is no value to keep; a ``note`` is only said."""

    value: float | None = None
    problem: str = ""
    note: str = ""


def begins_number(character: str | None) -> bool:
    """Whether a key begins to type a number."""
    return character is not None and len(character) == 1 and character in _STARTS


def read_number(text: str, *, optional: bool, share: bool = False) -> Typed:
    """The number that ``text`` says. The decimals stand behind a point or a comma.

    Args:
        text: as typed.
        optional: nothing typed means none; else a number is needed.
        share: the field holds a share, 0..1: ``60%`` is 0.6, and another number gets a note.
    """
    text = text.strip().replace("\u2212", "-")
    if not text:
        return Typed() if optional else Typed(problem="A number is needed here.")
    is_percent = share and text.endswith("%")
    digits = text[:-1].rstrip() if is_percent else text
    if "." in digits and "," in digits:
        return Typed(problem="Only one point or comma: write thousands without a separator.")
    if len(digits) > _LIMIT or not _NUMBER.fullmatch(digits):
        hint = "0.7 or 70%" if share else "1.5"
        return Typed(problem=f"That is not a number yet; write one such as {hint}.")
    exact = Decimal(digits.replace(",", "."))
    value = float(exact / 100 if is_percent else exact)
    if not math.isfinite(value):
        return Typed(problem="The number is too large.")
    value = value or 0.0  # there is no -0 to store
    return Typed(value, note=_share_note(value) if share else "")


def _share_note(value: float) -> str:
    if 0 <= value <= 1:
        return ""
    if 1 < value <= 100:
        return f"This is a share from 0 to 1: write {number_text(value)}% or {number_text(value / 100)}."
    return "This is a share from 0 to 1."


def number_text(value: float | None) -> str:
    """A number as a person types it; it reads back as the same number. Empty for none."""
    if value is None:
        return ""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
