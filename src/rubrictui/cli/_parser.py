"""Parsing of arguments, with one-line errors and help that reads the same under every Python.

``argparse`` lays its help out differently from version to version; docs/cli.md holds our help texts and
is tested, so they are laid out here.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

from rubrictui.core.errors import RubrictuiError

if TYPE_CHECKING:
    from rubrictui.cli._output import Output

WIDTH = 80
# General options that take a value, which is not the name of a command.
WITH_A_VALUE = frozenset({"--db", "--user"})
Handler = Callable[[argparse.Namespace, "Output"], int]


class UsageError(RubrictuiError):
    """The arguments are not what the command takes."""

    code = "usage"


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that raises ``UsageError`` and lays out its own help."""

    def __init__(self, *, summary: str = "", examples: Sequence[str] = (), **rest: Any) -> None:
        super().__init__(allow_abbrev=False, add_help=False, **rest)
        self.summary = summary
        self.examples = tuple(examples)
        self.commands: dict[str, Parser] = {}

    def _get_formatter(self) -> argparse.HelpFormatter:
        # The inherited one asks for the size of the terminal, at every argument that is added.
        return argparse.HelpFormatter(self.prog, width=WIDTH)

    def _print_message(self, message: str, file: Any = None) -> None:
        # The inherited one swallows what cannot be written.
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"argument COMMAND: invalid choice: '(.*)' \(choose", message, re.DOTALL)
        if unknown:
            name = unknown.group(1)
            close = difflib.get_close_matches(name, self.commands, n=1)
            what = f'there is no command "{name}".'
            message = f'{what} Did you mean "{close[0]}"?' if close else what
        raise UsageError(f"{self.prog}: {message}", remedy=f"(See {self.prog} --help.)")

    def format_help(self) -> str:
        parts = [f"usage: {self._usage()}", "", *_filled(self.description or self.summary, 0)]
        if self.commands:
            rows = [(name, parser.summary) for name, parser in self.commands.items()]
            parts += ["", "commands:", *_table(rows)]
        places = [action for action in self._actions if _is_place(action)]
        options = [action for action in self._actions if action.option_strings and action.help]
        if places:
            parts += ["", "arguments:", *_table([(str(a.metavar), a.help or "") for a in places])]
        own = [action for action in options if not getattr(action, "is_general", False)]
        if own:
            parts += ["", "options:", *_table([(_option(a), a.help or "") for a in own])]
        general = [action for action in options if getattr(action, "is_general", False)]
        if general and self.commands:
            parts += ["", "options of every command:", *_table([(_option(a), a.help or "") for a in general])]
        if self.examples:
            parts += ["", "examples:", *(f"  {line}" for line in self.examples)]
        return "\n".join(parts) + "\n"

    def _usage(self) -> str:
        words = [self.prog]
        for action in self._actions:
            if not action.option_strings or not action.help or getattr(action, "is_general", False):
                continue
            words.append(_option(action) if action.required else f"[{_option(action)}]")
        if self.commands:
            words.append("[COMMAND ...]" if self.get_default("handler") else "COMMAND ...")
        for action in self._actions:
            if _is_place(action):
                name = str(action.metavar)
                words.append({"+": f"{name} [{name} ...]", "?": f"[{name}]", "*": f"[{name} ...]"}.get(
                    str(action.nargs), name
                ))  # fmt: skip
        return "\n".join(
            textwrap.wrap(" ".join(words), WIDTH, subsequent_indent=" " * 9, break_on_hyphens=False)
        )


def _is_place(action: argparse.Action) -> bool:
    return not action.option_strings and action.nargs != argparse.PARSER


def _option(action: argparse.Action) -> str:
    name = action.option_strings[-1]
    if action.nargs == 0:
        return name
    if action.choices is not None:
        return f"{name} {'|'.join(map(str, action.choices))}"
    return f"{name} {action.metavar}"


def _filled(text: str, indent: int) -> list[str]:
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if lines:
            lines.append("")
        lines += textwrap.wrap(" ".join(paragraph.split()), WIDTH - indent, break_on_hyphens=False)
    return [" " * indent + line if line else "" for line in lines]


def _table(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Two columns; a name too long for the first stands on a line of its own."""
    width = 24
    lines: list[str] = []
    for name, text in rows:
        wrapped = textwrap.wrap(text, WIDTH - width - 2, break_on_hyphens=False) or [""]
        if len(name) > width - 2:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{width}}{wrapped.pop(0)}".rstrip())
        lines += [" " * (width + 2) + line for line in wrapped]
    return lines


class _Unasked:
    """The parser of a command that is not asked for: it takes whatever it is told, and keeps nothing."""

    def __getattr__(self, name: str) -> Callable[..., _Unasked]:
        return lambda *args, **kwargs: self


class Commands:
    """Where a group adds its commands.

    Args:
        parser: under which they stand.
        only: the name of the one that is asked for; no parser is made for the others. All, for None.
    """

    def __init__(self, parser: Parser, only: str | None = None) -> None:
        self._parser = parser
        self._only = only
        self._under = parser.add_subparsers(
            metavar="COMMAND", dest="command", parser_class=Parser, required=False, prog=parser.prog
        )

    def add(
        self,
        name: str,
        summary: str,
        handler: Handler,
        *,
        description: str = "",
        examples: Sequence[str] = (),
    ) -> Parser:
        """A command. ``summary`` is its line in the list; ``handler`` gives the exit code."""
        parser = self._new(name, summary, description, examples)
        parser.set_defaults(handler=handler, parser=parser)
        return parser

    def group(self, name: str, summary: str, *, description: str = "") -> Commands:
        """A command that has commands of its own."""
        parser = self._new(name, summary, description, ())
        parser.set_defaults(handler=None, parser=parser)
        return Commands(parser)

    def _new(self, name: str, summary: str, description: str, examples: Sequence[str]) -> Parser:
        if self._only not in (None, name) or isinstance(self._parser, _Unasked):
            return cast("Parser", _Unasked())
        parser: Parser = self._under.add_parser(
            name, summary=summary, description=description or summary, examples=examples
        )
        add_general_options(parser)
        self._parser.commands[name] = parser
        return parser


def add_general_options(parser: Parser, *, at_top: bool = False) -> None:
    """The options that every command takes, before or after its name."""
    nothing = argparse.SUPPRESS

    def add(*names: str, default: Any, **rest: Any) -> None:
        action = parser.add_argument(*names, default=default if at_top else nothing, **rest)
        action.is_general = True  # type: ignore[attr-defined]

    add(
        "--db",
        default=None,
        metavar="STORE",
        help="the store: a file, or a PostgreSQL URL (else RUBRICTUI_DB)",
    )
    add("--user", default=None, metavar="NAME", help="act as this user; needs administer_evaluations")
    add("--json", default=False, action="store_true", help="print JSON")
    add("--debug", default=False, action="store_true", help="show the traceback of an error")
    add("--help", default=nothing, action="help", help="show this help")
