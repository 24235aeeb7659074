"""``matter metrics``: many episodes in one table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from rubrictui.cli._input import shown
from rubrictui.cli._matter_input import actions_file, actions_of, documents, matter_folder
from rubrictui.cli._output import Output, counted, number
from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.loading import Matter
from rubrictui.matters.metrics import MEASURES, EpisodeRow, episode_row, measures
from rubrictui.matters.metrics_aggregate import Aggregate, aggregate
from rubrictui.matters.replay import replay


def run(options: argparse.Namespace, output: Output) -> int:
    folder = matter_folder(options.matter) if options.matter is not None else None
    matter = Matter.from_directory(folder) if folder is not None else None
    files = [(file, actions_file(file, folder) if folder is not None else file) for file in options.files]
    rows = [row for name, file in files for row in _rows(name, file, matter, options.seed, output)]
    if not rows:
        raise InvalidInputError("there is no scored episode in these files.", remedy="Give results.")
    if options.episodes:
        _episodes(rows, options, output)
    else:
        _means(aggregate(rows, seed=options.seed, resamples=options.resamples), options, output)
    return 0


def _rows(name: str, file: str, matter: Matter | None, seed: int, output: Output) -> Iterator[EpisodeRow]:
    """The episodes of a file. A case that was answered with an error has no score and is told, not counted."""
    found = documents(file)
    if matter is not None and not any(_is_result(one) for _, one in found):
        yield episode_row(replay(matter, actions_of(file), seed=seed), name=shown(name), matter=matter)
        return
    for where, one in found:
        if isinstance(one, dict) and "error" in one and "result" not in one:
            output.say(f"{where}: not scored, so not counted.")
            continue
        result = one.get("result", one) if isinstance(one, dict) else one
        if not isinstance(result, dict):
            raise InvalidInputError(
                f"{where} is no result of an episode.", remedy="Give what matter score prints."
            )
        named = one.get("id") if result is not one else None
        yield episode_row(result, name=str(named) if named is not None else where, matter=matter)


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and bool({"result", "error", "breakdown"} & value.keys())


def _means(found: Aggregate, options: argparse.Namespace, output: Output) -> None:
    if options.csv:
        from rubrictui.interchange.csv_out import write_csv

        header = ("measure", "mean", "low", "high", "episodes", "confidence", "resamples", "seed")
        about = (found.episodes, found.confidence, found.resamples, found.seed)
        rows = [(one.name, one.mean, one.low, one.high, *about) for one in found.measures]
        output.raw(write_csv(header, rows))
    elif output.json:
        output.data(found)
    else:
        percent = f"{found.confidence:.0%}"
        output.table(
            ("measure", "mean", f"{percent} low", f"{percent} high"),
            [
                (one.name, number(one.mean, 4), number(one.low, 4), number(one.high, 4))
                for one in found.measures
            ],
            right=(1, 2, 3),
        )
        output.say(
            f"{counted(found.episodes, 'episode')}; percentile bootstrap of the mean, "
            f"{found.resamples:,} draws, seed {found.seed}."
        )


def _episodes(rows: list[EpisodeRow], options: argparse.Namespace, output: Output) -> None:
    if output.json:
        output.data(rows)
        return
    if options.csv:
        from rubrictui.interchange.csv_out import write_csv

        header = ("episode", "matter_id", "max_score", *MEASURES)
        lines: list[tuple[str | float, ...]] = [
            (row.name, row.matter_id, row.max_score, *measures(row).values()) for row in rows
        ]
        output.raw(write_csv(header, lines))
        return
    header = (
        "episode",
        "score",
        "raw",
        "max",
        "issues",
        "questions",
        "redlines",
        "unsupported",
        "fabricated",
        "",
    )
    output.table(
        header,
        [
            (
                row.name,
                number(row.normalized_score, 4),
                number(row.raw_score, 4),
                number(row.max_score, 4),
                number(row.metrics.issue_recall, 2),
                number(row.metrics.question_recall, 2),
                number(row.metrics.redline_completion, 2),
                row.metrics.unsupported_issue_count,
                row.metrics.fabricated_quote_count,
                "critical" if row.critical_failure else "" if row.completed else "not finished",
            )
            for row in rows
        ],
        right=tuple(range(1, 9)),
    )
