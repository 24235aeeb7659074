"""Shares of the weights among siblings (guide section 6; contract, "Scoring")."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rubrictui.core.model import Node


def sibling_shares(siblings: Sequence[Node]) -> list[float | None]:
    """Each sibling's share (0..1) of its group when every one of them counts, in the order given.

    None for an advisory one, and for all while their weights do not add up to a finite number. Weights all
    zero share equally, as in scoring.
    """
    counting = [node for node in siblings if not node.is_advisory]
    total = sum(node.weight for node in counting)
    if not math.isfinite(total):
        return [None] * len(siblings)
    if total <= 0:
        equal = 1 / max(len(counting), 1)
        return [None if node.is_advisory else equal for node in siblings]
    return [None if node.is_advisory else node.weight / total for node in siblings]
