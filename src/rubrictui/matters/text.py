"""What counts as the same text: normalisation, and when a concept is present (contract, "Text").

Normalising is deliberately small: lower case and white space, nothing else. Punctuation, hyphens, quotes
and accents count, so that an author can tell what will match by reading.
"""

from __future__ import annotations

from collections.abc import Sequence

Concepts = tuple[str, ...]


WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""All of Unicode's but the blank."""

LONG_TEXT = 5_000
"""Characters above which replacing white space is faster than splitting at it."""


def norm(text: str) -> str:
    """``text`` in Unicode lower case, every run of Unicode white space one blank, trimmed."""
    lowered = text.lower()
    if len(lowered) < LONG_TEXT:
        return " ".join(lowered.split())
    for character in WHITE_SPACE:
        if character in lowered:
            lowered = lowered.replace(character, " ")
    while "  " in lowered:
        lowered = lowered.replace("  ", " ")
    return lowered.strip(" ")


def normed(concepts: Sequence[str]) -> Concepts:
    """Each concept as ``norm`` gives it, in the order given; repeats stay and count each time."""
    return tuple(norm(concept) for concept in concepts)


def found_in(concepts: Concepts, text: str) -> Concepts:
    """Those of the (already normed) concepts that stand in the (already normed) text."""
    return tuple(concept for concept in concepts if concept in text)


def missing_from(concepts: Concepts, text: str) -> Concepts:
    """Those of the (already normed) concepts that do not stand in the (already normed) text."""
    return tuple(concept for concept in concepts if concept not in text)


def all_found(concepts: Concepts, text: str) -> bool:
    """Whether every (already normed) concept stands in the (already normed) text, and there is one."""
    return bool(concepts) and all(concept in text for concept in concepts)


def fraction_found(found: int, of: int) -> float:
    """Share of concepts present, 0..1; over no concepts 0 (contract, "Issues")."""
    return found / of if of else 0.0


def first_full_variant(variants: Sequence[Concepts], text: str) -> Concepts | None:
    """The first variant that is wholly present in the (normed) text; an empty variant never is."""
    for variant in variants:
        if all_found(variant, text):
            return variant
    return None
