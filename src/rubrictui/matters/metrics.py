"""How well episodes went, in shares and counts: of one episode, and over many (contract, "Metrics and lint").

A result is the plain mapping that ``Episode.result()`` gives, or one read back from JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import Value


class EpisodeMetrics(Value, frozen=True):
    """What one episode found, cited, asked and closed. Shares lie in 0..1.

    Attributes:
        issue_recall: issues matched; 0 when the matter has none.
        required_issue_recall: issues that the final submission requires, matched. This and every other share
            is 1 when there is nothing to count.
        unsupported_issue_count: submissions without a valid anchor, or with one that was never read.
        citation_validity: valid citations among all.
        question_recall: questions of the rubric that were asked. ``questions_asked`` counts all that were.
        escalation_recall: escalations raised, of those that are required or critical when missed.
        over_escalation_count: escalations that the rubric does not know.
        redline_completion: issues with redline points that got a redline, scored or not.
        settled_issue_ratio: positions of the counterparty that were closed.
        trap_counter_exposure_count: positions with a trap where the other side made a counter.
        trap_counter_acceptance_count: those among them that closed on the other side's text.
        fabricated_quote_count: quotes that do not stand where they were said to.
    """

    issue_recall: float
    required_issue_recall: float
    unsupported_issue_count: int
    citation_validity: float
    question_recall: float
    questions_asked: int
    escalation_recall: float
    over_escalation_count: int
    redline_completion: float
    settled_issue_ratio: float
    trap_counter_exposure_count: int
    trap_counter_acceptance_count: int
    fabricated_quote_count: int


class EpisodeRow(Value, frozen=True):
    """One line of a table of episodes: what it is called, its totals and its metrics."""

    name: str
    matter_id: str
    normalized_score: float
    raw_score: float
    max_score: float
    critical_failure: bool
    completed: bool
    metrics: EpisodeMetrics


def episode_metrics(matter: Matter, result: Mapping[str, Any]) -> EpisodeMetrics:
    """The metrics of an episode on a matter.

    Args:
        result: needs ``events`` and ``breakdown``.
    """
    rubric, breakdown, events = matter.rubric, result["breakdown"], result["events"]
    positions = matter.positions or {}
    matched = set(breakdown["matched_issues"])
    valid, invalid = breakdown["valid_citation_count"], len(breakdown["invalid_citations"])
    needed = [one.id for one in rubric.escalations if one.required or one.critical_if_missed]
    redlined = [issue.id for issue in rubric.issues if issue.redline_points > 0]
    traps = {key for key, position in positions.items() if any(one.trap for one in position.counters)}
    offered = {event["criterion"] for event in events if event["type"] == "counterparty_counter"}
    theirs = {
        event["criterion"]
        for event in events
        if event["type"] == "settlement" and event.get("closed_by") == "theirs"
    }
    return EpisodeMetrics(
        issue_recall=_share([issue.id for issue in rubric.issues], matched, empty=0.0),
        required_issue_recall=_share(rubric.final_submission.required_issue_ids, matched),
        unsupported_issue_count=len(breakdown["unsupported_issues"]),
        citation_validity=valid / (valid + invalid) if valid + invalid else 1.0,
        question_recall=_share([one.id for one in rubric.questions], set(breakdown["asked_questions"])),
        questions_asked=breakdown["questions_asked_total"],
        escalation_recall=_share(needed, set(breakdown["raised_escalations"])),
        over_escalation_count=sum(event["type"] == "off_rubric_escalation" for event in events),
        redline_completion=_share(redlined, set(breakdown["matched_redlines"])),
        settled_issue_ratio=_share(list(positions), set(breakdown["settled_issues"])),
        trap_counter_exposure_count=len(traps & offered),
        trap_counter_acceptance_count=len(traps & theirs),
        fabricated_quote_count=len(breakdown["fabricated_quotes"]),
    )


def _share(wanted: Iterable[str], had: Collection[str], *, empty: float = 1.0) -> float:
    distinct = set(wanted)
    return len(distinct.intersection(had)) / len(distinct) if distinct else empty


def episode_row(result: Mapping[str, Any], *, name: str, matter: Matter | None = None) -> EpisodeRow:
    """An episode's line of the table.

    Args:
        result: as ``Episode.result()`` gives it. Without ``matter`` it must hold ``metrics``.
        name: what the episode is called, a file as a rule.

    Raises:
        InvalidInputError: something is missing or of the wrong type, or the result is of another matter.
    """
    told = result.get("matter_id")
    if matter is not None and told not in (None, matter.matter_id):
        raise InvalidInputError(
            f"{name} is a result of the matter {told}, not of {matter.matter_id}.",
            remedy="Name its own matter with --matter.",
        )
    try:
        metrics = (
            episode_metrics(matter, result)
            if matter is not None
            else msgspec.convert(result["metrics"], EpisodeMetrics)
        )
        totals = msgspec.convert(
            {key: result[key] for key in ("normalized_score", "raw_score", "max_score", "critical_failure")},
            _Totals,
        )
        completed = result["terminated"]
    except KeyError as error:
        raise InvalidInputError(
            f"{name} is no result of an episode: {error} is missing.",
            remedy="Make one with rubrictui matter score --json"
            + ("." if matter is not None else ", or name its matter with --matter."),
        ) from None
    except (msgspec.ValidationError, TypeError, AttributeError) as error:
        raise InvalidInputError(
            f"{name} is no result of an episode: {error}.",
            remedy="Make one with rubrictui matter score --json.",
        ) from None
    return EpisodeRow(
        name=name,
        matter_id=matter.matter_id if matter is not None else str(result.get("matter_id", "")),
        normalized_score=totals.normalized_score,
        raw_score=totals.raw_score,
        max_score=totals.max_score,
        critical_failure=totals.critical_failure,
        completed=completed is True,
        metrics=metrics,
    )


class _Totals(Value, frozen=True):
    normalized_score: float
    raw_score: float
    max_score: float
    critical_failure: bool


def measures(episode: EpisodeRow) -> dict[str, float]:
    """Everything that is averaged over episodes, by name."""
    return {
        "normalized_score": episode.normalized_score,
        "raw_score": episode.raw_score,
        **msgspec.structs.asdict(episode.metrics),
        "critical_failure_rate": float(episode.critical_failure),
        "critical_free_rate": float(not episode.critical_failure),
        "completion_rate": float(episode.completed),
    }


MEASURES: tuple[str, ...] = (
    "normalized_score",
    "raw_score",
    *EpisodeMetrics.__struct_fields__,
    "critical_failure_rate",
    "critical_free_rate",
    "completion_rate",
)
"""The names of ``measures``, in order."""
