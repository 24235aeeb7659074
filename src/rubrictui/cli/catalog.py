"""``list`` and ``show``: the rubrics of a store, one version whole, one evaluation whole."""

from __future__ import annotations

import argparse

from rubrictui.cli._output import Output, short
from rubrictui.cli._parser import Commands, UsageError


def register(commands: Commands) -> None:
    parser = commands.add(
        "list",
        "the rubrics of the store",
        run_list,
        examples=["rubrictui list", "rubrictui list --category Procurement --json"],
    )
    parser.add_argument("--category", metavar="NAME", help="only this category")
    parser.add_argument("--search", metavar="TEXT", help="only names and descriptions with this text")
    parser = commands.add(
        "show",
        "one version with its tree, or one evaluation",
        run_show,
        description="Show a rubric version: its rules, its tree with weights and shares, gates, anchors and "
        "bands; with --json, the snapshot. Without a version, the latest Published one. With --evaluation, "
        "show one evaluation: its score, why its outcome is so, and every answer.",
        examples=[
            'rubrictui show "Vendor proposal"',
            'rubrictui show "Vendor proposal@1.0.0" --json > base.json',
            "rubrictui show --evaluation 8a0c... --json",
        ],
    )
    parser.add_argument("rubric", metavar="RUBRIC[@VERSION]", nargs="?", help="a name, with @1.2.0 or @draft")
    parser.add_argument("--evaluation", metavar="ID", help="an evaluation instead")


def run_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        rubrics = engine.rubrics(category=options.category, search=options.search)
    if output.json:
        output.data(rubrics)
        return 0
    if not rubrics:
        if options.category is not None or options.search is not None:
            output.say("No rubric fits. See all of them with: rubrictui list")
        else:
            output.say("No rubrics. Load some with: rubrictui load FILE")
        return 0
    rows = []
    for rubric in rubrics:
        latest = rubric.latest_published
        drafts = any(version.number is None for version in rubric.versions)
        rows.append(
            (
                rubric.name,
                rubric.category,
                latest.number if latest else "none",
                "draft" if drafts else "",
                latest.criteria_count if latest else "",
                sum(version.evaluation_count for version in rubric.versions),
                short(rubric.description or "", 40),
            )
        )
    output.table(
        ("rubric", "category", "published", "", "criteria", "evaluations", "description"), rows, right=(4, 5)
    )
    return 0


def run_show(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    if (options.rubric is None) == (options.evaluation is None):
        raise UsageError(
            "rubrictui show: give a RUBRIC[@VERSION] or --evaluation ID.",
            remedy="(See rubrictui show --help.)",
        )
    with open_engine(options) as engine:
        if options.evaluation is not None:
            from rubrictui.cli._results import evaluation_lines

            detail = engine.evaluation(options.evaluation)
            if output.json:
                output.data(detail)
            else:
                output.text(*evaluation_lines(detail))
            return 0
        version = engine.version(options.rubric)
    if output.json:
        output.data(version)
    else:
        from rubrictui.cli._trees import version_lines

        output.text(*version_lines(version))
    return 0
