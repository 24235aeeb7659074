"""Trying a deterministic rule on one subject: what stood there, and what the rule answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from rubrictui.core.deterministic import MISSING, RuleError, evaluate_rule, parse_rule, read_path, rule_of
from rubrictui.core.model import Scale

_LIMIT = 400


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What came of it. ``answer`` is in words; ``problem`` stands instead of it when the rule cannot run."""

    subject: str
    path: str = ""
    found: str = ""
    answer: str = ""
    problem: str = ""

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Text and its tone, a line each."""
        lines = [(f"Tried on {self.subject}", "name")]
        if self.path:
            lines.append((f"{self.path} is {self.found}", "value"))
        if self.problem:
            lines.append((self.problem, "error"))
        else:
            lines.append((f"The rule answers: {self.answer}", "success"))
        return tuple(lines)


def try_rule(config: Mapping[str, Any] | None, scale: Scale | None, subject: str, data: Any) -> RuleTrial:
    """Run the rule of a criterion's settings on the data of a subject.

    It takes at most ``core.deterministic.PATTERN_TIME_LIMIT`` seconds, as long as a pattern may.

    Args:
        config: the evaluator settings.
        scale: what the criterion is answered on.
        subject: what to call the subject.
        data: its data; None for none.
    """
    found = rule_of(config)
    if found is None:
        return RuleTrial(subject, problem="There is no deterministic rule in these settings.")
    path = shown = ""
    try:
        rule = parse_rule(found)
        path = rule.path or ""
        shown = _told(read_path(data, path)) if path else ""
        answer = evaluate_rule(rule, data, scale)
    except RuleError as error:
        return RuleTrial(subject, path, shown, problem=str(error))
    if not path:
        return RuleTrial(subject, problem="The rule has no Path, so it gives no answer.")
    if answer is None:
        return RuleTrial(subject, path, shown, "nothing: it names no level for this result")
    if answer.is_not_applicable:
        return RuleTrial(subject, path, shown, "not applicable, because nothing stands at the path")
    if answer.scale_level_label is not None:
        return RuleTrial(subject, path, shown, answer.scale_level_label)
    if answer.raw_value is not None:
        return RuleTrial(subject, path, shown, f"{answer.raw_value:g}")
    return RuleTrial(
        subject, path, shown, problem="The level it names is not on the scale: the criterion stays open."
    )


def _told(value: Any) -> str:
    if value is MISSING:
        return "missing"
    text = msgspec.json.encode(value, enc_hook=str).decode("utf-8", "replace")
    return text if len(text) <= _LIMIT else f"{text[:_LIMIT]}…"
