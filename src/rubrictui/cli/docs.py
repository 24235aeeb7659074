"""Keeps docs/cli.md true: the help of every command stands in it as the program prints it.

``python -m rubrictui.cli.docs docs/cli.md`` writes the help texts anew between their markers; a test
holds the page to the program.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from rubrictui.cli._frame import build_parser
from rubrictui.cli._parser import Parser

_BLOCK = re.compile(r"<!-- help: (?P<command>[^>]+) -->\n.*?<!-- end -->", re.DOTALL)


def help_texts() -> dict[str, str]:
    """The help of the program and of every command, by how it is called."""
    return {parser.prog: parser.format_help() for parser in _parsers(build_parser())}


def _parsers(parser: Parser) -> Iterator[Parser]:
    yield parser
    for command in parser.commands.values():
        yield from _parsers(command)


def with_current_help(page: str) -> str:
    """The page with every help block as the program prints it now.

    Raises:
        KeyError: a block is for a command that does not exist.
    """
    texts = help_texts()

    def block(match: re.Match[str]) -> str:
        command = match["command"].strip()
        return f"<!-- help: {command} -->\n```text\n{texts[command]}```\n<!-- end -->"

    return _BLOCK.sub(block, page)


def commands_without_help(page: str) -> list[str]:
    """The commands that have no block on the page."""
    there = {match["command"].strip() for match in _BLOCK.finditer(page)}
    return [command for command in help_texts() if command not in there]


def main(arguments: list[str]) -> int:
    """Bring the page up to date; 1 when a command has no block on it."""
    path = Path(arguments[0] if arguments else "docs/cli.md")
    page = path.read_text(encoding="utf-8")
    path.write_text(with_current_help(page), encoding="utf-8")
    missing = commands_without_help(page)
    for command in missing:
        print(f"{path} has no block for: {command}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
