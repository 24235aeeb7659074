"""``packet``: work for reviewers without the store, as one file out and one file back."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted, short
from rubrictui.cli._parser import Commands
from rubrictui.cli._passphrase import add_option, passphrase

if TYPE_CHECKING:
    from rubrictui.core.model import Answer
    from rubrictui.engine.packet_records import PacketConflict, PacketReport, PacketSent

SUFFIX = ".packet"
RETURN_SUFFIX = ".return.packet"


def register(commands: Commands) -> None:
    group = commands.group(
        "packet",
        "work for offline reviewers: export, list, open, return, import",
        description="Work for reviewers who cannot reach the store: one file goes out with rubrics, subjects, "
        "assignments and the reviewer's own drafts, and nothing of anybody else; one file comes back. "
        "docs/packets.md has the whole way, and the format.",
    )
    parser = group.add(
        "export",
        "write a reviewer's open work in a round to a file",
        run_export,
        examples=[
            "rubrictui packet export --round Round/spring --to r.okafor",
            "rubrictui packet export --round spring --to r.okafor -o rita.packet --encrypt",
        ],
    )
    parser.add_argument(
        "--round", metavar="ROUND", required=True, help="the round: a name, Entity/record, or an id"
    )
    parser.add_argument("--to", metavar="NAME", required=True, help="the reviewer")
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write (ROUND-NAME.packet)")
    parser.add_argument("--sign", action="store_true", help="sign it with a passphrase; so is its return")
    parser.add_argument(
        "--encrypt", action="store_true", help="encrypt it with a passphrase (needs the extra packets)"
    )
    add_option(parser)
    parser.add_argument("--replace", action="store_true", help="write over a file that is there")

    parser = group.add(
        "show",
        "what a packet or a return holds",
        run_show,
        examples=["rubrictui packet show rita.packet"],
    )
    parser.add_argument("file", metavar="FILE", help="a packet or a return")
    add_option(parser)

    parser = group.add(
        "list",
        "the packets that went out, and what came back",
        run_list,
        examples=["rubrictui packet list --round Round/spring"],
    )
    parser.add_argument("--round", metavar="ROUND", help="only of this round")

    parser = group.add(
        "open",
        "score a packet's work",
        run_open,
        description="Score the work of a packet, on any machine. The work is kept in a store of its own beside the "
        "file (NAME.work.db), and opening the packet again goes on with it.",
        examples=["rubrictui packet open rita.packet"],
    )
    parser.add_argument("file", metavar="FILE", help="a packet, or the store of its work")
    _add_store(parser)
    parser.add_argument("--prepare-only", action="store_true", help="make the store, and open nothing")
    parser.add_argument(
        "--no-mouse", action="store_true", default=argparse.SUPPRESS, help="leave the mouse to the terminal"
    )
    add_option(parser)

    parser = group.add(
        "return",
        "write what was scored to a file for the chair",
        run_return,
        examples=[
            "rubrictui packet return rita.packet",
            "rubrictui packet return rita.packet -o back.packet",
        ],
    )
    parser.add_argument("file", metavar="FILE", help="the packet, or the store of its work")
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write (NAME.return.packet)")
    _add_store(parser)
    add_option(parser)
    parser.add_argument("--replace", action="store_true", help="write over a file that is there")

    parser = group.add(
        "import",
        "take a return into the store",
        run_import,
        description="Take in what a reviewer returned: checked against the record of the export, scored anew, and "
        "stored as the reviewer to whom the packet was sent, in one transaction. What the store may not take by "
        "itself is listed and changes nothing until it is settled; the exit code is 1 then.",
        examples=["rubrictui packet import rita.return.packet --dry-run"],
    )
    parser.add_argument("file", metavar="FILE", help="a return")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, only tell")
    add_option(parser)

    parser = group.add(
        "conflicts",
        "what packets brought back that is to be settled",
        run_conflicts,
        examples=[
            "rubrictui packet conflicts --round spring",
            "rubrictui packet conflicts settle 3f0b4a39 --take packet",
        ],
    )
    parser.add_argument(
        "words", metavar="settle ID", nargs="*", help="settle this conflict (the beginning of its id will do)"
    )
    parser.add_argument(
        "--take",
        choices=("packet", "store"),
        help="what counts: what came back, or what the store has",
    )
    parser.add_argument("--round", metavar="ROUND", help="only of this round")
    parser.add_argument("--all", action="store_true", help="those that are settled too")


def _add_store(parser: Any) -> None:
    parser.add_argument("--store", metavar="FILE", help="where the work is kept (NAME.work.db)")


# -- out ---------------------------------------------------------------------------------------------


def run_export(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.interchange.packets import packet_bytes
    from rubrictui.interchange.packets_seal import check_passphrase

    signs = options.sign or options.encrypt or options.passphrase_file is not None
    secret = check_passphrase(passphrase(options, new=True)()) if signs else None
    target = Path(options.output or f"{_plain(options.round)}-{_plain(options.to)}{SUFFIX}")
    _check_target(target, replace=options.replace)
    with open_engine(options) as engine:
        packet = engine.export_packet(options.round, options.to, signed=signs)
        _write(target, packet_bytes(packet, passphrase=secret, sign=signs, encrypt=options.encrypt))
    found = {
        "file": str(target),
        "packet_id": packet.manifest.packet_id,
        "reviewer": packet.manifest.reviewer.name,
        "subjects": len(packet.subjects),
        "assignments": len(packet.assignments),
        "drafts": len(packet.evaluations),
        "signed": signs,
        "encrypted": options.encrypt,
    }
    if output.json:
        output.data(found)
    else:
        output.text(
            f"{target}: {counted(len(packet.subjects), 'subject')} and "
            f"{counted(len(packet.evaluations), 'draft')} for {packet.manifest.reviewer.name}."
        )
    return 0


def run_show(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.interchange.packets import read_packet
    from rubrictui.interchange.packets_zip import read_file

    path = Path(options.file)
    packet = read_packet(read_file(path), where=str(path), passphrase=passphrase(options))
    manifest = packet.manifest
    if output.json:
        output.data(
            {
                "manifest": manifest,
                "rubrics": [
                    {"name": one.name, "version": one.version.number, "content_hash": one.content_hash}
                    for one in packet.rubrics
                ],
                "subjects": [
                    {"id": one.id, "entity": one.entity, "record_id": one.record_id, "title": one.title}
                    for one in packet.subjects
                ],
                "evaluations": len(packet.evaluations),
                "declined": len(packet.declined),
            }
        )
        return 0
    kind = "Work" if manifest.kind == "work" else "Return"
    sealed = "signed" if manifest.signature else "not signed"
    output.text(
        f"{kind} for {manifest.reviewer.display_name or manifest.reviewer.name}: {manifest.round.name}",
        f"packet {manifest.packet_id}, {sealed}, made {manifest.made_at:%Y-%m-%d %H:%M} UTC",
        *(f"rubric {one.name} {one.version.number}" for one in packet.rubrics),
        f"{counted(len(packet.subjects), 'subject')}, {counted(len(packet.evaluations), 'evaluation')}, "
        f"{len(packet.declined)} declined",
    )
    return 0


def run_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.sent_packets(round=options.round)
    if output.json:
        output.data(found)
    elif not found:
        output.say("No packet went out.")
    else:
        output.table(
            ("packet", "round", "reviewer", "subjects", "exported (UTC)", "returned (UTC)", ""),
            [
                (
                    one.packet_id[:8],
                    one.round_name,
                    one.reviewer,
                    one.subjects,
                    f"{one.exported_at:%Y-%m-%d %H:%M}",
                    _came_back(one),
                    "signed" if one.signed else "",
                )
                for one in found
            ],
            right=(3,),
        )
        if any(one.hidden for one in found):
            output.say("?: you have open work on a subject in it, so whether it came back is not told.")
    return 0


def _came_back(one: PacketSent) -> str:
    if one.hidden:
        return "?"
    return f"{one.returned_at:%Y-%m-%d %H:%M} by {one.returned_by}" if one.returned_at else "no"


def run_open(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.engine.packets_work import work_engine

    path, made = _work(options)
    if options.prepare_only:
        if output.json:
            output.data({"path": str(path), "made": made})
        else:
            output.text(f"{path}: {'made' if made else 'there already'}.")
        return 0
    with work_engine(path) as engine:
        reviewer = engine.user.name
    from rubrictui.app import run as open_app
    from rubrictui.shell.opening import StoreOpening

    # Whoever waits for her key to be saved is told within two seconds that it is not, as in every store.
    opening = StoreOpening(path, user=reviewer, make_engine=lambda _, __: work_engine(path, busy_seconds=1.0))
    return open_app(opening=opening, no_mouse=getattr(options, "no_mouse", None) or None)


def _work(options: argparse.Namespace) -> tuple[Path, bool]:
    """The store of a packet's work, made when it is not there, and whether it was."""
    from rubrictui.engine.packets_work import default_work_path, open_work
    from rubrictui.interchange.packets_zip import read_file

    path = Path(options.file)
    if _is_store(path):
        return path, False
    store = Path(options.store) if options.store else default_work_path(path)
    return store, open_work(read_file(path), store, where=str(path), passphrase=passphrase(options))


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.is_file() and file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


# -- back --------------------------------------------------------------------------------------------


def run_return(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.engine.packets_work import default_work_path, work_engine
    from rubrictui.interchange.packets import packet_bytes

    path = Path(options.file)
    store = Path(options.store) if options.store else path if _is_store(path) else default_work_path(path)
    target = Path(options.output) if options.output else _return_name(path)
    _check_target(target, replace=options.replace)
    _check_work(store, path)
    with work_engine(store) as engine:
        origin = engine.packet_origin()
        returned = engine.return_packet()
    assert origin is not None
    signs = origin.manifest.is_signed
    secret = passphrase(options)() if signs or origin.is_encrypted else None
    _check_passphrase(path, secret)
    _write(target, packet_bytes(returned.packet, passphrase=secret, sign=signs, encrypt=origin.is_encrypted))
    counts = dict.fromkeys(("Submitted", "Draft", "Withdrawn"), 0)
    for one in returned.packet.evaluations:
        counts[one.status.value] += 1
    if returned.left_out:
        output.say(
            f"note: {counted(returned.left_out, 'evaluation')} of work that was not in the packet stays here."
        )
    if output.json:
        output.data(
            {
                "file": str(target),
                "packet_id": returned.packet.manifest.packet_id,
                "submitted": counts["Submitted"],
                "drafts": counts["Draft"],
                "withdrawn": counts["Withdrawn"],
                "declined": len(returned.packet.declined),
                "left_out": returned.left_out,
            }
        )
    else:
        declined = f", {len(returned.packet.declined)} declined" if returned.packet.declined else ""
        output.text(
            f"{target}: {counts['Submitted']} submitted, {counted(counts['Draft'], 'draft')}{declined}."
        )
    return 0


def _return_name(path: Path) -> Path:
    stem = path.name
    for ending in (".work.db", SUFFIX):
        stem = stem.removesuffix(ending)
    return path.with_name(f"{stem}{RETURN_SUFFIX}")


def _check_work(store: Path, path: Path) -> None:
    from rubrictui.core.errors import InvalidInputError

    if not store.exists():
        raise InvalidInputError(
            f"{path} has not been opened here: {store} does not exist.",
            remedy="Open it first (rubrictui packet open), or name its store with --store.",
        )


def _check_passphrase(path: Path, secret: str | None) -> None:
    """A return sealed with another passphrase than its packet could not be taken in: told now, while it is known."""
    if secret is None or _is_store(path):
        return
    from rubrictui.interchange.packets import read_packet
    from rubrictui.interchange.packets_zip import read_file

    read_packet(read_file(path), where=str(path), passphrase=lambda: secret)


def run_import(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.interchange.packets import read_packet
    from rubrictui.interchange.packets_zip import read_file

    path = Path(options.file)
    packet = read_packet(read_file(path), where=str(path), passphrase=passphrase(options))
    with open_engine(options) as engine:
        report = engine.import_packet(packet, dry_run=options.dry_run)
    for warning in report.warnings:
        output.say(f"warning: {warning}")
    if output.json:
        output.data(report)
    else:
        _print_report(report, output)
    return 1 if report.conflicts else 0


def _print_report(report: PacketReport, output: Output) -> None:
    told = [item for item in report.items if item.took != "unchanged"]
    told.sort(key=lambda item: (item.subject_title or item.subject_id).casefold())
    if told:
        output.table(
            ("subject", "what", "why"),
            [
                (
                    item.subject_title or item.subject_id,
                    item.took.value,
                    " ".join([*(reason.message for reason in item.reasons), *item.warnings]),
                )
                for item in told
            ],
        )
    same = sum(item.took == "unchanged" for item in report.items)
    done = len(report.items) - same - report.conflicts
    would = "would be taken" if report.dry_run else "taken"
    output.text(
        f"{report.reviewer}, {report.round_name}: {done} {would}, {same} unchanged, "
        f"{counted(report.conflicts, 'conflict')}."
    )
    if report.hidden:
        output.say(
            f"note: of the {counted(report.hidden, 'subject')} of this round that you have open work on, "
            "nothing is told."
        )
    if report.conflicts and not report.dry_run:
        output.say("Settle them: rubrictui packet conflicts.")


# -- conflicts ---------------------------------------------------------------------------------------


def run_conflicts(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    if options.words:
        return _settle(options, output)
    if options.take is not None:
        options.parser.error("--take goes with settle ID")
    with open_engine(options) as engine:
        found = engine.packet_conflicts(round=options.round, include_settled=options.all)
    if output.json:
        output.data(found)
        return 0
    if not found:
        output.say("There is nothing to settle.")
    for conflict in found:
        _print_conflict(conflict, output)
    return 0


def _settle(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.errors import InvalidInputError

    if options.words[0] != "settle" or len(options.words) != 2:
        options.parser.error("write settle ID, or nothing to list them")
    if options.take is None:
        options.parser.error("settle needs --take packet or --take store")
    with open_engine(options) as engine:
        wanted = options.words[1].strip()
        fitting = [one.id for one in engine.packet_conflicts() if one.id.startswith(wanted)] if wanted else []
        if len(fitting) > 1:
            raise InvalidInputError(
                f'"{wanted}" is the beginning of {len(fitting)} conflicts.', remedy="Write more of the id."
            )
        settled = engine.settle_packet_conflict(fitting[0] if fitting else wanted, options.take)
    if output.json:
        output.data(settled)
    else:
        output.text(f"{settled.subject_title}: {options.take} counts.")
    return 0


def _print_conflict(conflict: PacketConflict, output: Output) -> None:
    state = f"settled by {conflict.settled_by}: {conflict.taken}" if conflict.taken else "open"
    came = f", came back as {conflict.returned}" if conflict.returned else ""
    output.text(
        f"{conflict.id}  {state}",
        f"  {conflict.subject_title}, by {conflict.reviewer}, {conflict.round_name}{came}",
        *(f"  {reason.message}" for reason in conflict.reasons),
    )
    if conflict.differences:
        output.table(
            ("  criterion", "packet", "store"),
            [
                (
                    f"  {one.criterion_key}",
                    _answer_words(one.packet, one.packet_level),
                    _answer_words(one.store, one.store_level),
                )
                for one in conflict.differences
            ],
        )


def _answer_words(answer: Answer | None, level: str | None) -> str:
    if answer is None:
        return "–"
    if answer.is_not_applicable:
        said = "n/a"
    elif answer.raw_value is not None:
        said = f"{answer.raw_value:g}"
    else:
        said = level or "no answer"
    return f"{said}: {short(answer.rationale, 40)}" if answer.rationale else said


# -- files -------------------------------------------------------------------------------------------


def _plain(name: str) -> str:
    """A name fit for a file."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.rpartition("/")[2]).strip(".-") or "round"


def _check_target(target: Path, *, replace: bool) -> None:
    from rubrictui.core.errors import InvalidInputError

    if target.is_dir():
        raise InvalidInputError(f"{target} is a folder.", remedy="Name a file with -o.")
    if target.exists() and not replace:
        raise InvalidInputError(
            f"{target} exists already.", remedy="Name another file with -o, or add --replace."
        )
    if not target.absolute().parent.is_dir():
        raise InvalidInputError(f"The folder of {target} does not exist.", remedy="Make it first.")


def _write(target: Path, data: bytes) -> None:
    from rubrictui.interchange.sync_writing import write_atomically

    write_atomically(target, data, private=True)
