"""``demo``: the application on sample data, in a store of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands


def register(commands: Commands) -> None:
    parser = commands.add(
        "demo",
        "open the application on sample data",
        run,
        description="Open the application on sample data. The demo has a store of its own; yours is never "
        "touched. Work done in it is kept until you delete its file.",
        examples=["rubrictui demo", "rubrictui demo --path /tmp/demo.db"],
    )
    parser.add_argument("--path", metavar="FILE", help="where the demo keeps its store")
    parser.add_argument(
        "--prepare-only", action="store_true", help="make and fill the store, and open nothing"
    )
    parser.add_argument(
        "--no-mouse", action="store_true", default=argparse.SUPPRESS, help="leave the mouse to the terminal"
    )


def run(options: argparse.Namespace, output: Output) -> int:
    if not options.prepare_only:
        from rubrictui.app import run as open_app

        if options.path is not None:
            _make_folder(Path(options.path))
        return open_app(options.path, demo=True, no_mouse=options.no_mouse or None)
    from rubrictui.engine import Engine
    from rubrictui.shell.opening import demo_path

    path = Path(options.path) if options.path is not None else demo_path()
    _make_folder(path)
    with Engine(path) as engine:
        filled = engine.is_empty()
        if filled:
            engine.load_samples()
    if output.json:
        output.data({"path": str(path), "filled": filled})
    else:
        output.text(f"{path}: {'filled with the samples' if filled else 'there already'}.")
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
