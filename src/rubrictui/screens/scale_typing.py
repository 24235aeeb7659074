"""What a line typed in the scale editor asks to be changed. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Scale
from rubrictui.core.scale_edits import add_level, set_level
from rubrictui.screens.scale_words import ABOUT, HIGH, LOW, NAME, STEP

Edit = Callable[[Scale], Scale]

#: What is asked about a level, and about a copy.
LABEL, VALUE, SCORE, TEXT, ADD, COPY = "label", "value", "score", "text", "add", "copy"

#: What is asked about the scale as a whole, in what words.
ASKED: Final = {
    NAME: "Name",
    ABOUT: "Description",
    LOW: "Minimum",
    HIGH: "Maximum",
    STEP: "Step (empty: any number)",
}
NUMBERS: Final = {LOW: "min_value", HIGH: "max_value", STEP: "step"}


def typed_number(text: str, what: str) -> float | None:
    """A number as typed, with a point or a comma; None for nothing.

    Raises:
        InvalidInputError: it is none.
    """
    clean = text.strip().replace(",", ".")
    if not clean:
        return None
    try:
        value = float(clean)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e15:
        raise InvalidInputError(f"The {what} {text.strip()!r} is no number.", remedy="Type one such as 0.5.")
    return value


def typed_edit(purpose: str, text: str, level_id: str, *, new: str) -> Edit:
    """The edit that a typed text asks for.

    Args:
        purpose: what was asked.
        level_id: the level under the cursor, "" for none; a new one comes after it.
        new: the id of a new level.

    Raises:
        InvalidInputError: it is no number where one is asked for. The edit itself may refuse as well.
    """
    if purpose == NAME:
        return lambda old: replace(old, name=text or None)
    if purpose == ABOUT:
        return lambda old: replace(old, description=text or None)
    if purpose in NUMBERS:
        number = typed_number(text, ASKED[purpose].partition(" ")[0].lower())
        if number is None and purpose != STEP:
            raise InvalidInputError("A range needs both ends.", remedy="Type a number.")
        return lambda old: replace(old, **{NUMBERS[purpose]: number})
    if purpose == ADD:
        return lambda old: add_level(old, new, text, after=level_id or None)
    if purpose == LABEL:
        return lambda old: set_level(old, level_id, label=text)
    if purpose == TEXT:
        return lambda old: set_level(old, level_id, description=text)
    if purpose == VALUE:
        value = typed_number(text, "value")
        return lambda old: set_level(old, level_id, value=value)
    score = typed_number(text, "score")
    if score is None:
        raise InvalidInputError("A level needs a score.", remedy="Type one from 0 to 1.")
    return lambda old: set_level(old, level_id, normalized_value=score)
