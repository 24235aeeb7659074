"""File names from the names of rubrics and scales, which may be anything at all.

A name becomes plain lower-case words with hyphens, so no path, no device of Windows, no leading dot and no
two files that differ in case alone can come out of it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

LONGEST = 60

# What Windows keeps for devices, with any suffix.
_RESERVED = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]", re.ASCII)


def slug(name: str) -> str:
    """The plain form of a name: ``Vendor Proposal (2027)`` is ``vendor-proposal-2027``; "" when nothing plain is left."""
    parts = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].strip("-")


def short_id(id: str) -> str:
    """Eight hex digits that stand for an id, which may be any text."""
    return hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def file_stem(kind: str, id: str, name: str, taken: Collection[str]) -> str:
    """A file name without its suffix for an item of the store.

    Args:
        kind: ``rubric``; what a name without any plain letter begins with.
        taken: the stems that other items of the folder have, in lower case.
    """
    plain = slug(name)
    stem = plain or f"{kind}-{short_id(id)}"
    if _RESERVED.fullmatch(stem) or stem in taken:
        stem = f"{stem}-{short_id(id)}"
    number = 2
    unique = stem
    while unique in taken:
        unique = f"{stem}-{number}"
        number += 1
    return unique
