"""The options of ``stats`` over files of ratings; defined apart, so that help needs none of the statistics."""

from __future__ import annotations

import argparse

from rubrictui.cli._parser import Parser


def add_ratings_options(parser: Parser) -> None:
    """How a file of ratings is read."""
    parser.add_argument("--version", metavar="FILE", help="the rubric version: its criteria and scales")
    parser.add_argument(
        "--scales", metavar="FILE", action="append", help="YAML with scales the rubric uses; may repeat"
    )
    parser.add_argument(
        "--levels", metavar="LABELS", help="the levels of every criterion, lowest first: a,b,c"
    )
    parser.add_argument(
        "--range", metavar="LOW..HIGH[/STEP]", help="the numeric scale of every criterion: 0..10/0.5"
    )
    parser.add_argument("--encoding", metavar="NAME", help="of CSV, when it is not UTF-8")


def add_sampling_options(parser: Parser) -> None:
    """How coefficients are withheld, and intervals drawn."""
    parser.add_argument(
        "--minimum-sample",
        metavar="NUMBER",
        type=int,
        help="usable subjects below which coefficients are withheld (20)",
    )
    parser.add_argument(
        "--resamples",
        metavar="NUMBER",
        type=int,
        default=1000,
        help="draws for the intervals; 0: none (1000)",
    )
    parser.add_argument("--seed", metavar="NUMBER", type=int, default=0, help="the seed of the draws (0)")


def is_asked_for_ratings(options: argparse.Namespace) -> bool:
    """Whether an option was given that only ratings take."""
    return any(getattr(options, name, None) for name in ("version", "levels", "range", "csv"))
