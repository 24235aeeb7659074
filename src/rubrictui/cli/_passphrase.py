"""Where a passphrase comes from: a file, the environment, or a person; never an argument, which others can read."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from rubrictui.cli._parser import Parser
from rubrictui.core.errors import InvalidInputError

VARIABLE = "RUBRICTUI_PASSPHRASE"
_MAXIMUM = 4096


def add_option(parser: Parser) -> None:
    """``--passphrase-file``."""
    parser.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=f"the passphrase is the first line of this file (else {VARIABLE}, else it is asked for)",
    )


def passphrase(options: argparse.Namespace, *, new: bool = False) -> Callable[[], str]:
    """Gives the passphrase when it is needed; a ``new`` one is asked for twice.

    The function raises ``InvalidInputError`` when there is none, and nobody to ask.
    """

    def give() -> str:
        if options.passphrase_file is not None:
            return _from_file(options.passphrase_file)
        told = os.environ.get(VARIABLE, "")
        return told or _asked(new=new)

    return give


def _from_file(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            first = file.read(_MAXIMUM).split(b"\n", 1)[0].rstrip(b"\r")
        found = first.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInputError(
            f"The passphrase file {name} cannot be read: {error.strerror or error}.", remedy="Check its name."
        ) from None
    except UnicodeDecodeError:
        raise InvalidInputError(
            f"The passphrase file {name} is not UTF-8.", remedy="Save it as UTF-8."
        ) from None
    if not found:
        raise InvalidInputError(
            f"The first line of the passphrase file {name} is empty.", remedy="Write the passphrase there."
        )
    return found


def _asked(*, new: bool) -> str:
    if not sys.stdin.isatty():
        raise InvalidInputError(
            "A passphrase is needed.", remedy=f"Name a file with --passphrase-file, or set {VARIABLE}."
        )
    import getpass

    found = getpass.getpass("Passphrase: ")
    if not found:
        raise InvalidInputError("No passphrase was typed.", remedy="Try again.")
    if new and getpass.getpass("The same again: ") != found:
        raise InvalidInputError("The two passphrases differ.", remedy="Try again.")
    return found
