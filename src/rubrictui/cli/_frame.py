"""Runs one command: finds it, runs it, and turns whatever happens into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import rubrictui.cli
from rubrictui.cli._output import Output, error_json
from rubrictui.cli._parser import WITH_A_VALUE, Commands, Parser, UsageError, add_general_options
from rubrictui.core.display import visible
from rubrictui.core.errors import InvalidInputError, RubrictuiError

DONE = 0
NO = 1
USAGE = 2
STORE = 3
FAULT = 70
INTERRUPTED = 130

FRAMES = "120"
"""How many turns to paint a second has, unless the environment says otherwise."""

DESCRIPTION = """Score work with versioned rubrics. Without a command, the application opens.

Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 the answer is no
(invalid, refused, not found), 2 wrong usage or unreadable input, 3 the store cannot be opened."""


def groups() -> list[str]:
    """The names of the command group modules, in order."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(rubrictui.cli.__path__)
        if not module.name.startswith("_")
    )


def build_parser(only: str | None = None) -> Parser:
    """The parser with every command, or with one: what a command costs before it begins is mostly the others'."""
    parser = Parser(prog="rubrictui", description=DESCRIPTION)
    parser.add_argument(
        "--version", action="version", version=f"rubrictui {rubrictui.__version__}", help="show the version"
    )
    mouse = parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    mouse.default = False
    add_general_options(parser, at_top=True)
    parser.set_defaults(handler=None, parser=parser)
    commands = Commands(parser, only)
    for name in groups():
        register = getattr(import_module(f"rubrictui.cli.{name}"), "register", None)
        if register is not None:
            register(commands)
    parser.commands = dict(sorted(parser.commands.items()))
    return parser


def run(arguments: Sequence[str]) -> int:
    """Run the command the arguments name; the exit code."""
    _prepare_streams()
    debug = "--debug" in arguments
    try:
        try:
            code = _run(arguments)
        except SystemExit as end:  # --help and --version end this way
            code = end.code if isinstance(end.code, int) else DONE
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output has seen enough. Nothing may be flushed into the closed pipe at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        return DONE
    except KeyboardInterrupt:
        _complain("rubrictui: stopped.")
        return INTERRUPTED
    except RubrictuiError as error:
        if debug:
            raise
        prefix = "" if isinstance(error, UsageError) else "rubrictui: "
        _complain(f"{prefix}{error}")
        for problem in problems_of(error)[1:]:
            _complain(f"  also: {problem.message}")
        if "--json" in arguments and not isinstance(error, UsageError):
            _answer(error)
        return exit_code(error)
    except OSError as error:
        # What a command reads has its own errors by now: this is the output, or the machine itself.
        if debug:
            raise
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        place = f"{str(error.filename)[:80]}: " if error.filename else ""
        _complain(
            f"rubrictui: {place}{error.strerror or error}. Check the disk, the folder and where the output goes."
        )
        return USAGE
    except Exception as error:
        if debug:
            raise
        _complain(
            f"rubrictui: a fault of the program: {type(error).__name__}: {error}. Nothing half-done was kept; "
            "add --debug to see where."
        )
        return FAULT


def exit_code(error: RubrictuiError) -> int:
    """2 for input that cannot be read, 3 for a store that cannot be opened, 1 for every refusal."""
    if isinstance(error, UsageError | InvalidInputError):
        return USAGE
    # The store's errors are not imported here: most commands never open one.
    store = sys.modules.get("rubrictui.store.errors")
    if store is not None and isinstance(error, store.StoreError):
        return STORE
    return NO


def _run(arguments: Sequence[str]) -> int:
    # Read when Textual is imported. Nothing is painted while nothing changes; but where one key changes two things
    # after each other, the second waits for the next turn.
    os.environ.setdefault("TEXTUAL_FPS", FRAMES)
    if not arguments:  # the command people type most does not wait for the parser of the others
        return _open_app()
    options = _parser_for(arguments).parse_args(arguments)
    if options.handler is None:
        return _without_command(options)
    output = Output(json=options.json)
    code = int(options.handler(options, output))
    output.flush()
    return code


def _parser_for(arguments: Sequence[str]) -> Parser:
    """The parser of the command that is named; of all where none is, or none of that name."""
    words = iter(arguments)
    for word in words:
        if word in WITH_A_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            parser = build_parser(word)
            return parser if word in parser.commands else build_parser()
    return build_parser()


def _without_command(options: argparse.Namespace) -> int:
    if options.parser.prog != "rubrictui":
        options.parser.error(f"name one of its commands: {', '.join(options.parser.commands)}")
    if options.json:
        options.parser.error("--json needs a command")
    return _open_app(options.db, user=options.user, no_mouse=options.no_mouse or None)


def _open_app(target: str | None = None, *, user: str | None = None, no_mouse: bool | None = None) -> int:
    from rubrictui.app import run

    return run(target, user=user, no_mouse=no_mouse)


def problems_of(error: RubrictuiError) -> Sequence[Any]:
    """All that a refusal lists (a publish or a submission lists everything at once); the first is its message."""
    found = getattr(error, "problems", ())
    return found if isinstance(found, tuple) else ()


def _answer(error: RubrictuiError) -> None:
    """With ``--json``, a refusal is an answer too."""
    answer: dict[str, Any] = {**error_json(error), "message": error.message, "remedy": error.remedy}
    if problems_of(error):
        answer["problems"] = problems_of(error)
    output = Output(json=True)
    output.data({"error": answer})
    output.flush()


def _complain(line: str) -> None:
    sys.stderr.write(visible(line, newlines=False) + "\n")


def _prepare_streams() -> None:
    """What the terminal's encoding cannot say is written as an escape, never an error.

    A stream that was closed before we began goes nowhere: its number must not become that of a store's file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
