"""``diff``: how two versions differ, from the store, from files, or many pairs at once."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import msgspec

from rubrictui.cli._output import Output, error_json, number
from rubrictui.cli._parser import Commands, UsageError
from rubrictui.core.errors import InvalidInputError, RubrictuiError

if TYPE_CHECKING:
    from rubrictui.core.model import VersionSnapshot
    from rubrictui.core.versions import VersionDiff

BUMPS = ("Major", "Minor", "Patch")


def register(commands: Commands) -> None:
    parser = commands.add(
        "diff",
        "compare two versions: changes, bump, next number",
        run,
        description="Compare two versions of a rubric: every change with its bump and reason, the bump they "
        "amount to, and the number the next version would get. In long texts [-words-] were removed and {+words+} "
        "added.",
        examples=[
            'rubrictui diff "Vendor proposal" 1.0.0 draft',
            'rubrictui diff "Vendor proposal" 1.0.0 draft --only Major --markdown',
            "rubrictui diff --files base.json draft.yaml --bump Minor --json",
            "rubrictui diff --files old.yaml rubrics/rubrics/bids.yaml --scales rubrics/scales/",
        ],
    )
    parser.add_argument(
        "names",
        metavar="RUBRIC VERSION VERSION",
        nargs="*",
        help="a rubric of the store and two of its versions",
    )
    parser.add_argument(
        "--files",
        metavar="BASE DRAFT",
        nargs=2,
        help="two files instead; - or a file that holds null is no base",
    )
    parser.add_argument(
        "--scales",
        metavar="FILE",
        action="append",
        help="YAML, or a folder of it, with scales that the files use; may repeat",
    )
    parser.add_argument("--batch", metavar="FILE", help="JSON Lines of {id, base, draft, requested_bump}")
    parser.add_argument(
        "--bump", choices=BUMPS, help="the bump asked for; a lower one than needed is ignored"
    )
    parser.add_argument(
        "--only",
        choices=BUMPS,
        action="append",
        help="show changes of this bump only; may be given more than once",
    )
    parser.add_argument("--markdown", action="store_true", help="print a page of Markdown, for a review")


def run(options: argparse.Namespace, output: Output) -> int:
    ways = [bool(options.names), options.files is not None, options.batch is not None]
    if sum(ways) != 1 or (options.names and len(options.names) != 3):
        raise UsageError(
            "rubrictui diff: give RUBRIC VERSION VERSION, or --files, or --batch.",
            remedy="(See rubrictui diff --help.)",
        )
    if options.scales and options.files is None:
        raise UsageError("rubrictui diff: --scales goes with --files.", remedy="(See rubrictui diff --help.)")
    if options.batch is not None:
        return _batch(options, output)
    if options.files is not None:
        from rubrictui.cli._input import read_version

        base = _base(options.files[0], options.scales)
        draft = read_version(options.files[1], options.scales)
        is_next = base is None or (base.number is not None and draft.number in (None, base.number))
    else:
        if options.bump:
            raise UsageError(
                "rubrictui diff: --bump goes with --files.", remedy="(See rubrictui diff --help.)"
            )
        from rubrictui.cli._store import open_engine

        with open_engine(options) as engine:
            base, draft = engine.two_versions(*options.names)
            numbers = [each.number for each in engine.rubric(options.names[0]).versions if each.number]
        is_next = draft.number is None and numbers[:1] == [base.number]
    return _print(base, draft, options, output, is_next=is_next)


def _base(name: str, scale_files: list[str] | None) -> VersionSnapshot | None:
    """The version in a file; None for ``-`` and for a file that holds null: nothing was published yet."""
    from rubrictui.cli._input import YAML_SUFFIXES, read_json, read_version
    from rubrictui.core.loading import version_from_json

    if name == "-":
        return None
    if name.casefold().endswith(YAML_SUFFIXES):
        return read_version(name, scale_files)
    value = read_json(name)
    return None if value is None else version_from_json(value, where=name)


def _print(
    base: VersionSnapshot | None,
    draft: VersionSnapshot,
    options: argparse.Namespace,
    output: Output,
    *,
    is_next: bool,
) -> int:
    """Print the changes; ``is_next`` says that the draft would be published after the base."""
    from rubrictui.core.change_view import change_groups, made_way
    from rubrictui.core.model import Bump
    from rubrictui.core.versions import diff_versions

    found = diff_versions(base, draft, options.bump)
    wanted = tuple(Bump(word) for word in options.only or BUMPS)
    if output.json:
        rows = tuple(change for change in found.changes if change.bump in wanted)
        output.data(msgspec.structs.replace(found, changes=rows))
        return 0
    from rubrictui.cli._diff_text import markdown, text_lines

    groups = change_groups(found, base, draft, bumps=wanted)
    aside = made_way(found, groups) if Bump.PATCH in wanted else 0
    following = str(found.next_version) if is_next and found.next_version is not None else ""
    if options.markdown:
        output.raw(markdown(found, groups, base, draft, aside=aside, next_number=following))
    elif found.changes:
        output.text(*text_lines(found, groups, aside=aside, next_number=following))
    elif found.next_version is None:
        output.text("No changes.")
    else:
        output.text(f"The first version, {found.next_version}.")
    return 0


def _batch(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_lines, shown
    from rubrictui.core.loading import json_value

    count = unreadable = 0
    for line_number, line in read_lines(options.batch):
        where = f"{shown(options.batch)}, line {line_number}"
        count += 1
        case_id: Any = None
        try:
            case = json_value(line, where)
            if not isinstance(case, dict):
                raise InvalidInputError(f"{where} is no object.", remedy="Write {id, base, draft}.")
            case_id = case.get("id")
            output.line({"id": case_id, "result": _diff_case(case, options.bump, where)})
        except RubrictuiError as error:
            unreadable += 1
            output.line({"id": case_id, "error": error_json(error)})
        output.flush()
    output.say(f"{number(count)} pairs: {number(unreadable)} unreadable.")
    return int(unreadable > 0)


def _diff_case(case: dict[str, Any], bump: str | None, where: str) -> VersionDiff:
    from rubrictui.core.loading import version_from_json
    from rubrictui.core.versions import diff_versions

    def side(name: str) -> VersionSnapshot | None:
        value = case.get(name)
        return None if value is None else version_from_json(value, where=f"{where}: {name}")

    draft = side("draft")
    if draft is None:
        raise InvalidInputError(f'{where} has no "draft".', remedy="Write {id, base, draft}.")
    requested = case.get("requested_bump", bump)
    if requested is not None and not isinstance(requested, str):
        raise InvalidInputError(f'{where}: "requested_bump" is no word.', remedy=f"Write {', '.join(BUMPS)}.")
    return diff_versions(side("base"), draft, requested)
