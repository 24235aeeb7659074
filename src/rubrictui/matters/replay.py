"""A scripted episode from its first action to its last, as one plain result with what happened at each step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rubrictui.matters.episode import Episode
from rubrictui.matters.loading import Matter
from rubrictui.matters.metrics import episode_metrics

BUDGETS = ("steps", "questions", "escalations", "rounds")


def replay(matter: Matter, actions: Iterable[Any], *, seed: int = 0) -> dict[str, Any]:
    """Carry out actions until they are used up or the episode ends.

    Returns:
        The episode's result, and under the names of the conformance cases: ``rewards``, ``step_events`` (type,
        criterion and points, or None), ``last_results`` (without the text of what was read), ``valid``,
        ``budgets_start`` and ``budgets`` (steps, questions, escalations, rounds left), ``action_types``,
        ``document_sections``, ``metrics``; and ``ignored_actions``, how many came after the end.

    Raises:
        InvalidInputError: the matter has problems.
        GateTimeoutError: a pattern ran out of time, so there is no score.
    """
    episode = Episode(matter, seed=seed)
    start = episode.observation
    budgets_start = _left(start)
    steps: dict[str, list[Any]] = {"step_events": [], "last_results": [], "valid": [], "budgets": []}
    ignored = 0
    for action in actions:
        if episode.ended:
            ignored += 1
            continue
        observation, _, _, _, info = episode.step(action)
        steps["step_events"].append(_short_event(info["event"]))
        steps["last_results"].append(_without_text(observation["last_result"]))
        steps["valid"].append(info["valid"])
        steps["budgets"].append(_left(observation))
    result = episode.result()
    return {
        **result,
        "budgets_start": budgets_start,
        **steps,
        "action_types": sorted(start["actions"]),
        "document_sections": {document["id"]: list(document["sections"]) for document in start["documents"]},
        "metrics": msgspec.structs.asdict(episode_metrics(matter, result)),
        "ignored_actions": ignored,
    }


def _left(observation: dict[str, Any]) -> list[int | None]:
    return [observation["budgets"][name] for name in BUDGETS]


def _short_event(event: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if event is None else {key: event[key] for key in ("type", "criterion", "points")}


def _without_text(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "text"}
