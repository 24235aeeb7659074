"""How large a regular expression may be. Searching has a time limit; compiling has none, and writes counted repeats out.

Patterns come with rubrics and matters of others: one of a few characters must not fill the memory, or bring the
interpreter down.
"""

from __future__ import annotations

import re

LONGEST_PATTERN = 10_000
"""Characters."""

MOST_PARTS = 20_000
"""Parts once counted repeats are written out. What compiling takes grows with them; from some hundred thousand on it
ends the process."""

# An escape (with its braces, as in \\p{L}), a class, the beginning of a group, a repeat that has a least count.
_PART = re.compile(
    r"\\[pPNLx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|[:=!>]|<[=!]))?|\{(\d+)(?:,\d*)?\}|.",
    re.DOTALL,
)


def too_large(pattern: str) -> str | None:
    """Why a pattern is too large to be compiled; None when it is not."""
    if len(pattern) > LONGEST_PATTERN:
        return f"it is longer than {LONGEST_PATTERN:,} characters"
    if written_out(pattern) > MOST_PARTS:
        return f"its counted repeats come to more than {MOST_PARTS:,} parts"
    return None


def written_out(pattern: str) -> int:
    """How many parts a pattern has once each counted repeat stands there as often as it must match at least:
    ``(?:a{3}b){4}`` has 16."""
    levels = [0]
    last = 0
    for part in _PART.finditer(pattern):
        text, count = part.group(), part.group(1)
        if count is not None:
            repeated = last * max(int(count[:9]), 1)
            levels[-1] += repeated - last
            last = repeated
        elif text.startswith("("):
            levels.append(0)
            last = 0
        elif text == ")":
            last = levels.pop() if len(levels) > 1 else 0
            levels[-1] += last
        elif text not in ("*", "+", "?", "|"):
            last = 1
            levels[-1] += 1
    return sum(levels)
