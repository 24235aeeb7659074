"""What asking earns: client questions and escalations (contract, "Questions")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rubrictui.matters.events import Event, attribution, concept_attribution, event
from rubrictui.matters.plan import AskPlan
from rubrictui.matters.spans import WrittenText, whole_field
from rubrictui.matters.text import first_full_variant

OFF_RUBRIC_CHARACTERS = 80


class AskRule(NamedTuple):
    """How one kind of asking is named and what it costs to ask in vain."""

    kind: str
    again: float
    off_rubric: float


QUESTION = AskRule("question", again=-0.15, off_rubric=-0.1)
ESCALATION = AskRule("escalation", again=-0.15, off_rubric=-0.25)


def score_ask(
    rule: AskRule, asks: Sequence[AskPlan], text: WrittenText, field: str, seen: set[str]
) -> tuple[Event, AskPlan | None]:
    """The event of one question or escalation, and the rubric entry it hit.

    The first entry in rubric order with a wholly present variant is hit; the first hit of an entry earns its
    points and later ones cost. ``seen`` (ids hit before) is added to.
    """
    for ask in asks:
        variant = first_full_variant(ask.variants, text.normed)
        if variant is None:
            continue
        is_first = ask.id not in seen
        seen.add(ask.id)
        kind, points = ("required", ask.points) if is_first else ("redundant", rule.again)
        why = concept_attribution(rule.kind, points, variant, (), text)
        return event(f"{kind}_{rule.kind}", ask.id, points, attribution=[why]), ask
    cost = rule.off_rubric
    why = attribution(rule.kind, cost, spans=[whole_field(field, text.normed[:OFF_RUBRIC_CHARACTERS])])
    criterion = text.normed[:OFF_RUBRIC_CHARACTERS]
    return event(f"off_rubric_{rule.kind}", criterion, cost, attribution=[why]), None
