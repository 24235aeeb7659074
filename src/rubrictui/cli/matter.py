"""``matter``: legal matters scored by content. Each command's work is in a ``_matter_*`` module of its own."""

from __future__ import annotations

import argparse
from importlib import import_module

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands, Parser

_FOLDER = "the folder that holds matter.yaml, or the name of a shipped matter"


def register(commands: Commands) -> None:
    group = commands.group(
        "matter",
        "legal matters scored by content: check, play, score, compare",
        description="Legal matters scored by content: documents, a rubric that earns credit by anchors, quotes "
        "and concepts, hidden facts, and a counterparty where there is one. A matter is a folder "
        "(docs/matters.md); matter list names those that are shipped. Only rubric --load and evaluate need a store.",
    )
    for add in (_add_list, _add_lint, _add_show, _add_play, _add_score, _add_gate, _add_probe, _add_metrics):
        add(group)
    _add_rubric(group)
    _add_evaluate(group)


def _later(module: str, options: argparse.Namespace, output: Output) -> int:
    return int(import_module(f"rubrictui.cli._matter_{module}").run(options, output))


def _add_list(group: Commands) -> None:
    parser = group.add(
        "list",
        "the matters there are",
        lambda options, output: _later("list", options, output),
        description="List the shipped matters, and those in the folders that are given: each folder itself, or the "
        "folders in it. Where a command takes DIR, a shipped matter goes by its name; a folder of that name wins.",
        examples=["rubrictui matter list", "rubrictui matter list matters --json"],
    )
    parser.add_argument("folders", metavar="DIR", nargs="*", help="a matter, or a folder of matters")


def _add_lint(group: Commands) -> None:
    parser = group.add(
        "lint",
        "check a matter's files",
        lambda options, output: _later("lint", options, output),
        description="Check a matter: files, keys, documents, anchors and citations, gates, points, questions, "
        "the counterparty. Each finding is one line, FILE:LINE:COLUMN: error or warning. Exits with 1 when "
        "there is an error.",
        examples=["rubrictui matter lint matters/depot", "rubrictui matter lint matters/* --pedantic --json"],
    )
    parser.add_argument("folders", metavar="DIR", nargs="+", help=_FOLDER)
    parser.add_argument(
        "--pedantic", action="store_true", help="also warn of what is valid, and may be meant otherwise"
    )
    parser.add_argument("--strict", action="store_true", help="warnings count as errors")


def _add_show(group: Commands) -> None:
    parser = group.add(
        "show",
        "a matter: documents, sections, points by component",
        lambda options, output: _later("show", options, output),
        description="Show a matter to its author: documents with their sections, and what the rubric's points "
        "add up to, by component and by criterion. It tells what an assessed person must not know.",
        examples=[
            "rubrictui matter show matters/depot",
            "rubrictui matter show matters/depot --document lease",
        ],
    )
    parser.add_argument("matter", metavar="DIR", help=_FOLDER)
    parser.add_argument("--document", metavar="ID", help="print this document instead")
    parser.add_argument("--section", metavar="NUMBER", help="with --document: this section alone")


def _add_play(group: Commands) -> None:
    parser = group.add(
        "play",
        "work a matter, action by action",
        lambda options, output: _later("play", options, output),
        description="Work a matter by hand or by pipe. On a terminal the player opens, with the documents beside what "
        "you do; it goes on where you left off. With --lines, and from a pipe, actions are read from standard "
        "input, one a line: a JSON object, or a short command (type help). What changed is printed after each; the "
        "score is told at the end. With --json everything printed is JSON Lines.",
        examples=[
            "rubrictui matter play saas-agreement",
            "rubrictui matter play matters/depot --lines --record mine.jsonl",
            "rubrictui matter play matters/depot --json < actions.jsonl",
        ],
    )
    parser.add_argument("matter", metavar="DIR", help=_FOLDER)
    parser.add_argument("--record", metavar="FILE", help="write the actions to this new file, as JSON Lines")
    parser.add_argument("--rewards", action="store_true", help="tell the reward of each action at once")
    parser.add_argument("--lines", action="store_true", help="line by line, also on a terminal")
    parser.add_argument(
        "--anew", action="store_true", help="in the player: begin, and leave what was begun before"
    )
    _seed(parser)


def _add_score(group: Commands) -> None:
    parser = group.add(
        "score",
        "score scripted actions: rewards, events, totals",
        lambda options, output: _later("score", options, output),
        description="Carry out scripted actions on a matter and score them: the reward of every step, every "
        "event with its points, totals and metrics. Actions are a JSON list or JSON Lines.",
        examples=[
            "rubrictui matter score --matter saas-agreement --actions reference",
            "rubrictui matter score --matter matters/depot --actions - --json < mine.jsonl",
            "rubrictui matter score --batch episodes.jsonl > results.jsonl",
        ],
    )
    parser.add_argument("--matter", metavar="DIR", help=_FOLDER)
    parser.add_argument(
        "--actions",
        metavar="FILE",
        help="the actions, or the name of a trajectory kept with the matter; - is standard input",
    )
    parser.add_argument(
        "--batch",
        metavar="FILE",
        help="JSON Lines, or a JSON list, of {id, matter, actions}; a result a line",
    )
    parser.add_argument(
        "--why", action="store_true", help="show what matched and what was missing, by component"
    )
    parser.add_argument(
        "--check", metavar="SCORE", type=_share, help="exit with 1 below this normalized score, 0 to 1"
    )
    _seed(parser)


def _add_gate(group: Commands) -> None:
    parser = group.add(
        "gate",
        "whether a critical-failure pattern fires on a text, and why",
        lambda options, output: _later("gate", options, output),
        description="Try a critical-failure pattern on a text: the match, its sentence, the window of the guard, "
        "and the negator or context that saved it. The text is judged as scoring sees it, in lower case and "
        "on one line; --raw judges it as given. The entry is --pattern with its guards, --entry as JSON, or "
        "the gates of a matter (--matter with --gate).",
        examples=[
            'rubrictui matter gate --pattern "law prohibits" --guard "No law prohibits it."',
            "rubrictui matter gate --matter matters/depot --gate repairs/critical/1 --file memo.txt",
            "rubrictui matter gate --batch gates.json",
        ],
    )
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the text; else --file, else standard input")
    parser.add_argument("--file", metavar="FILE", help="a file with the text; - is standard input")
    parser.add_argument("--pattern", metavar="REGEX", help="the pattern")
    parser.add_argument("--guard", action="store_true", help="with --pattern: negation_guard")
    parser.add_argument("--scope", choices=("span", "before"), help="with --pattern: negation_scope")
    parser.add_argument("--require", metavar="REGEX", help="with --pattern: require_context")
    parser.add_argument("--exclude", metavar="REGEX", help="with --pattern: exclude_context")
    parser.add_argument("--entry", metavar="JSON", help="an entry as a rubric writes it")
    parser.add_argument("--matter", metavar="DIR", help=_FOLDER)
    parser.add_argument(
        "--gate",
        metavar="NAME",
        help="of the matter: ISSUE/critical/1, a pattern, or an issue; all when left out",
    )
    parser.add_argument("--batch", metavar="FILE", help="JSON Lines, or a JSON list, of {id, entry, text}")
    parser.add_argument("--raw", action="store_true", help="judge the text as given")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a gate fires")


def _add_probe(group: Commands) -> None:
    parser = group.add(
        "probe",
        "run texts that must and must not fire a gate, as tests",
        lambda options, output: _later("probe", options, output),
        description="Run probe files (docs/matters-checking.md): texts that must fire a gate and texts that must "
        "not. Each failure is one line with its place and the reason. Exits with 1 when one fails.",
        examples=["rubrictui matter probe matters/depot", "rubrictui matter probe probes.yaml --json"],
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="probe files, folders that hold a probes.yaml, or shipped matters",
    )
    parser.add_argument("--matter", metavar="DIR", help="where gates are looked up; else what the file says")


def _add_metrics(group: Commands) -> None:
    parser = group.add(
        "metrics",
        "means over episodes, with intervals",
        lambda options, output: _later("metrics", options, output),
        description="Average what episodes came to: score, recall of issues, questions and escalations, citations, "
        "redlines, settlements, traps, critical failures. Files are results of matter score --json (or its "
        "--batch); with --matter, files of actions are scored first. The intervals are a percentile bootstrap "
        "over episodes, drawn with --seed; one episode has none.",
        examples=[
            "rubrictui matter metrics results/*.json",
            "rubrictui matter metrics --matter matters/depot run-*.jsonl --episodes --csv > runs.csv",
        ],
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="results; with --matter also actions, or trajectories of the matter by name; - is stdin",
    )
    parser.add_argument("--matter", metavar="DIR", help="the matter of the episodes")
    parser.add_argument(
        "--episodes", action="store_true", help="a line for each episode instead of the means"
    )
    parser.add_argument("--csv", action="store_true", help="print CSV")
    parser.add_argument(
        "--resamples", metavar="NUMBER", type=_count, default=2_000, help="bootstrap draws (default 2000)"
    )
    _seed(parser)


def _add_rubric(group: Commands) -> None:
    parser = group.add(
        "rubric",
        "a matter as a rubric that people and judges score with",
        lambda options, output: _later("rubric", options, output),
        description="Print the rubric of a matter as YAML: a criterion for each question, escalation, issue, redline, "
        "settlement and the final submission, weighted by its points, and being no critical failure as a gate. The "
        "same matter gives the same rubric, a changed one its next version. It holds nothing of the answer key but "
        "which provisions matter.",
        examples=[
            "rubrictui matter rubric saas-agreement -o rubric.yaml",
            "rubrictui matter rubric matters/depot --publish",
        ],
    )
    parser.add_argument("matter", metavar="DIR", help=_FOLDER)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write this file, which must not be there yet; else print it"
    )
    parser.add_argument("--load", action="store_true", help="store it instead of printing it, as a draft")
    parser.add_argument("--publish", action="store_true", help="store it and publish it")


def _add_evaluate(group: Commands) -> None:
    parser = group.add(
        "evaluate",
        "store work on a matter, scored by the matter's rules",
        lambda options, output: _later("evaluate", options, output),
        description="Store work on a matter as a subject, as people read it, and have the evaluator Matter score it "
        "with the matter's rubric, which must be published (matter rubric DIR --publish). The matter's own score, with "
        "its penalties and its cap, stays the score of record and is kept beside that of the criteria. People and "
        "judges score the same subject with the same rubric.",
        examples=["rubrictui matter evaluate saas-agreement --actions associate --record associate-1"],
    )
    parser.add_argument("matter", metavar="DIR", help=_FOLDER)
    parser.add_argument(
        "--actions",
        metavar="FILE",
        required=True,
        help="the actions, or the name of a trajectory kept with the matter; - is standard input",
    )
    parser.add_argument("--record", metavar="ID", required=True, help="the id of the work")
    parser.add_argument(
        "--entity", metavar="ENTITY", default="Work product", help="what kind of record it is (Work product)"
    )
    parser.add_argument("--title", metavar="TEXT", help="what people call it (the matter's title and the id)")
    parser.add_argument(
        "--context", metavar="REF", help="what it is scored for (a name, Entity/record, or an id)"
    )
    parser.add_argument(
        "--replace", action="store_true", help="put this work in the place of other work with that id"
    )


def _seed(parser: Parser) -> None:
    parser.add_argument("--seed", metavar="NUMBER", type=_seed_number, default=0, help="the seed (default 0)")


def _seed_number(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number of at least 0')
    return value


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 1_000_000:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1 to 1000000')
    return value


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no number from 0 to 1')
    return value
