"""``demo``: the application on sample data, in a store of its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands

if TYPE_CHECKING:
    from rubrictui.core.records import Evaluation


def register(commands: Commands) -> None:
    parser = commands.add(
        "demo",
        "open the application on sample data",
        run,
        description="Open the application on sample data. The demo has a store of its own; yours is never "
        "touched. Work done in it is kept until you delete its file.",
        examples=["rubrictui demo", "rubrictui demo --path /tmp/demo.db", "rubrictui demo --with-judge"],
    )
    parser.add_argument("--path", metavar="FILE", help="where the demo keeps its store")
    parser.add_argument(
        "--prepare-only", action="store_true", help="make and fill the store, and open nothing"
    )
    parser.add_argument(
        "--with-judge",
        action="store_true",
        help="run a small judge on this machine, and have a sample scored by rule, judge, decision and agent",
    )
    parser.add_argument(
        "--no-mouse", action="store_true", default=argparse.SUPPRESS, help="leave the mouse to the terminal"
    )


def run(options: argparse.Namespace, output: Output) -> int:
    if options.with_judge:
        from rubrictui.cli._demo_judging import require_models
        from rubrictui.evaluators.demo_server import demo_judge

        require_models()
        with demo_judge():
            code = _prepare(options, output)
            return code if options.prepare_only else _open(options)
    return _prepare(options, output) if options.prepare_only else _open(options)


def _open(options: argparse.Namespace) -> int:
    from rubrictui.app import run as open_app

    if options.path is not None:
        _make_folder(Path(options.path))
    return open_app(options.path, demo=True, no_mouse=options.no_mouse or None)


def _prepare(options: argparse.Namespace, output: Output) -> int:
    """Make and fill the store, and say what is in it where that is all that is asked for."""
    from rubrictui.engine import Engine
    from rubrictui.shell.opening import demo_path

    path = Path(options.path) if options.path is not None else demo_path()
    _make_folder(path)
    judged: tuple[Evaluation, ...] = ()
    with Engine(path) as engine:
        filled = engine.is_empty()
        if filled:
            engine.load_samples()
        if options.with_judge:
            from rubrictui.cli._demo_judging import judge_example

            judged = judge_example(engine)
    if not options.prepare_only:
        return 0
    if output.json:
        output.data({"path": str(path), "filled": filled} | ({"judged": judged} if judged else {}))
        return 0
    output.text(f"{path}: {'filled with the samples' if filled else 'there already'}.")
    if judged:
        from rubrictui.cli._results import evaluator_words
        from rubrictui.core.ranges import DisplayRange

        output.table(
            ("evaluator", "score", "outcome"),
            [
                (evaluator_words(one), DisplayRange.of(one).score(one.normalized_score, 2), one.outcome)
                for one in judged
            ],
            right=(1,),
        )
    return 0


def _make_folder(path: Path) -> None:
    """The demo's folder may be new: ``make run`` keeps it below the working directory."""
    from rubrictui.core.errors import InvalidInputError

    try:
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            f"{path.parent} cannot be made: {error.strerror or error}.",
            remedy="Name another place with --path.",
        ) from None
