"""What every edit of a draft gives back, how it is refused, and the keys it proposes."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Container
from operator import attrgetter
from typing import Any, Final

import msgspec

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Node, Value, VersionSnapshot, fold_id
from rubrictui.core.problems import MAXIMUM_KEY_LENGTH
from rubrictui.core.tree import stays_tidy

_NO_WORD: Final = re.compile(r"[^\w]+|_+")
_KEY: Final = attrgetter("key")
_COUNTED: Final = re.compile(r"-\d+$")


class EditError(RubrictuiError):
    """An edit that is refused, because no draft could hold what it asks for. Nothing has changed.

    ``code`` says why: ``key_empty``, ``key_long``, ``key_taken``, ``number``, ``under_criterion``, ``cycle``,
    ``no_place``, ``not_there``, ``scale_unknown``, ``field``.
    """

    code = "edit_refused"


class Edited(Value, frozen=True, kw_only=True):
    """A draft after an edit. ``focus`` is the id of the node the cursor belongs on, None for the version."""

    version: VersionSnapshot
    focus: str | None = None


_VOICING: Final = "\u3099\u309a"


def propose_key(name: str, taken: Collection[str], *, fallback: str = "criterion") -> str:
    """A key for a node of this name: its words in lower case joined by hyphens, at most 100 characters.

    Accents are dropped and letters of any script kept; a key that is ``taken`` (ignoring case) gets the first
    free number from 2. ``fallback`` serves a name without a letter or digit.

    >>> propose_key("Answers the question", {"answers-the-question"})
    'answers-the-question-2'
    """
    return free_key(key_stem(name) or fallback, {key.strip().casefold() for key in taken})


def free_key(stem: str, used: Container[str]) -> str:
    """``stem``, or where it is ``used`` with the first free number from 2; ``used`` are keys trimmed and case-folded."""
    if stem.casefold() not in used:
        return stem
    number = 2
    while True:
        tail = f"-{number}"
        key = stem[: MAXIMUM_KEY_LENGTH - len(tail)].rstrip("-") + tail
        if key.casefold() not in used:
            return key
        number += 1


def key_stem(name: str) -> str:
    """What ``propose_key`` makes of a name alone; "" when there is no letter or digit in it."""
    # Marks go after decomposing, and what is left is composed again: "é" becomes "e", Hangul stays Hangul. The
    # voicing marks of kana stay: without them it is another letter.
    bare = "".join(
        c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c) or c in _VOICING
    )
    words = _NO_WORD.sub("-", unicodedata.normalize("NFC", bare).casefold()).strip("-")
    return words[:MAXIMUM_KEY_LENGTH].rstrip("-")


def is_proposed(key: str, name: str, fallback: str) -> bool:
    """Whether a key is still one that ``propose_key`` would give to this name, with or without a number."""
    stem = key_stem(name) or fallback
    counted = _COUNTED.search(key)
    if key == stem or counted is None:
        return key == stem
    return key == stem[: MAXIMUM_KEY_LENGTH - len(counted[0])].rstrip("-") + counted[0]


def checked_key(key: str, taken: Collection[str]) -> str:
    """A key as typed, trimmed.

    Raises:
        EditError: ``key_empty``, ``key_long`` or ``key_taken``.
    """
    clean = key.strip()
    if not clean:
        raise EditError("The key is empty.", remedy="Type a short permanent key.", code="key_empty")
    if len(clean) > MAXIMUM_KEY_LENGTH:
        raise EditError(
            f"The key has {len(clean)} characters.",
            remedy=f"Keys have at most {MAXIMUM_KEY_LENGTH}.",
            code="key_long",
        )
    if clean in taken:
        raise EditError(
            f"Another node has the key {clean!r}.", remedy="Give each node its own key.", code="key_taken"
        )
    return clean


def checked_number(value: float | None, what: str, *, optional: bool = False) -> float | None:
    """A number that a draft can hold: finite, or None where there may be none.

    Raises:
        EditError: ``number``.
    """
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise EditError(
            f"The {what} is {'missing' if value is None else value}.",
            remedy="Type a number such as 0.5.",
            code="number",
        )
    return float(value)


def changed(value: Any, **changes: Any) -> Any:
    """``value`` with these fields, or ``value`` itself when all of them are so already."""
    if all(
        type(getattr(value, name)) is type(new) and getattr(value, name) == new
        for name, new in changes.items()
    ):
        return value
    return msgspec.structs.replace(value, **changes)


def node_of(version: VersionSnapshot, node_id: str) -> tuple[int, Node]:
    """A node by its id, with its place among ``version.nodes``.

    Raises:
        EditError: ``not_there``.
    """
    for place, node in enumerate(version.nodes):
        if node.id == node_id:
            return place, node
    folded = fold_id(node_id)
    for place, node in enumerate(version.nodes):
        if fold_id(node.id) == folded:
            return place, node
    raise EditError("This node is no longer in the draft.", remedy="Choose another.", code="not_there")


def with_node(version: VersionSnapshot, place: int, node: Node) -> VersionSnapshot:
    """The version with another node in this place; the same version when it is the same node."""
    if version.nodes[place] is node:
        return version
    before = version.nodes[place]
    nodes = (*version.nodes[:place], node, *version.nodes[place + 1 :])
    if node.parent_id == before.parent_id and node.sequence == before.sequence:
        return stays_tidy(version, nodes)
    return msgspec.structs.replace(version, nodes=nodes)


def keys_of(version: VersionSnapshot, *, but: str | None = None) -> set[str]:
    """The keys in use, without that of the node with the id ``but``."""
    return set(map(_KEY, version.nodes)) if but is None else {n.key for n in version.nodes if n.id != but}
