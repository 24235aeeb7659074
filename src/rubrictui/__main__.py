"""``rubrictui`` and ``python -m rubrictui``: the version at once, everything else through ``cli``."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code (docs/cli.md, "Exit codes").

    Args:
        argv: the arguments without the program's name; those of the process when None.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        from rubrictui import __version__

        try:
            print(f"rubrictui {__version__}", flush=True)
        except OSError as error:  # nobody reads it, or it cannot be written
            sys.stdout = None
            if isinstance(error, BrokenPipeError):
                return 0
            sys.stderr.write(f"rubrictui: {error.strerror}. Check where the output goes.\n")
            return 2
        return 0
    from rubrictui.cli._frame import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
