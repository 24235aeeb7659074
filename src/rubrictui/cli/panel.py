"""``subjects``, ``context``, ``assign`` and ``users``: who scores what, for what."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrictui.cli._output import Output, counted, short
from rubrictui.cli._parser import Commands
from rubrictui.core.errors import InvalidInputError

if TYPE_CHECKING:
    from rubrictui.core.records import User

ROLES = ("reviewer", "author", "chair", "administer_evaluations", "developer", "integration")


def register(commands: Commands) -> None:
    subjects = commands.group("subjects", "what is scored: add, list, show")
    parser = subjects.add(
        "add",
        "add subjects from files and folders",
        run_add,
        description="Add subjects from Markdown, text, JSON, JSON Lines, CSV, PDF, DOCX and folders of files, or from "
        "the rows of a database query. A subject "
        "that is there already (the same entity and record id) is brought up to date. An error anywhere "
        "means that nothing is added.",
        examples=[
            "rubrictui subjects add bids/*.md --entity Bid",
            "rubrictui subjects add talks.csv --entity Talk --id-field number --text-field abstract",
            'rubrictui subjects add --sql-url sqlite:///talks.db --query "SELECT id, title, abstract FROM talk"',
        ],
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files, or folders of files")
    parser.add_argument("--entity", metavar="NAME", default="Subject", help="what they are (Subject)")
    parser.add_argument("--id-field", metavar="FIELD", help="the column or key with the record id")
    parser.add_argument("--title-field", metavar="FIELD", help="the column or key with the title")
    parser.add_argument("--text-field", metavar="FIELD", help="the column or key with the text to read")
    parser.add_argument("--encoding", metavar="NAME", help="of text and CSV files (UTF-8)")
    parser.add_argument("--folder-as-subject", action="store_true", help="a folder is one subject with files")
    parser.add_argument(
        "--sql-url",
        metavar="URL",
        help="a database, as SQLAlchemy writes it (else RUBRICTUI_SQL_URL); it is only read",
    )
    parser.add_argument("--query", metavar="SQL", help="what to read there: a subject for each row")
    parser = subjects.add("list", "the subjects of the store", run_list)
    parser.add_argument("--entity", metavar="NAME", help="only of this entity")
    parser.add_argument("--search", metavar="TEXT", help="only with this text in title or record id")
    parser.add_argument("--context", metavar="REF", help="only those of this context")
    parser = subjects.add("show", "one subject, whole", run_show)
    parser.add_argument("subject", metavar="SUBJECT", help="Entity/record, or an id")

    parser = subjects.add(
        "export",
        "write the subjects of a round as files, without what it hides",
        run_export,
        description="Write the subjects of a round as files, a file each, without the fields that the round hides from its "
        "reviewers, and with [hidden] where other parts of a subject repeat what stood in them. `subjects add` reads the "
        "files again. Attached files that are no text are left out when a field is hidden.",
        examples=["rubrictui subjects export --context Round/spring --to subjects"],
    )
    parser.add_argument("--context", metavar="ROUND", required=True, help="a name, Entity/record, or an id")
    parser.add_argument("--to", metavar="DIR", required=True, help="the folder to write into")
    parser.add_argument("--force", action="store_true", help="write over files that are there")

    contexts = commands.group("context", "what subjects are scored for: add, list")
    parser = contexts.add(
        "add",
        "add a context, or change one",
        run_context_add,
        examples=[
            'rubrictui context add Round/spring --name "Spring round" --rubric "Vendor proposal" '
            "--due 2027-03-01T17:00 --zone Europe/Zurich"
        ],
    )
    parser.add_argument("context", metavar="CONTEXT", help="Entity/record, as in Round/spring")
    parser.add_argument("--name", metavar="TEXT", default="", help="how people call it")
    parser.add_argument("--description", metavar="TEXT", help="what it is about")
    parser.add_argument("--rubric", metavar="RUBRIC[@VERSION]", help="what its subjects are scored with")
    parser.add_argument("--due", metavar="TIME", help="when scores are due, as 2027-03-01T17:00+01:00")
    parser.add_argument("--zone", metavar="ZONE", help="the time zone of --due, as Europe/Zurich")
    parser.add_argument("--self-allowed", action="store_true", help="self-assessments are welcome")
    parser.add_argument("--closed", action="store_true", help="nothing more may be submitted")
    contexts.add("list", "the contexts of the store", run_context_list)

    parser = commands.add(
        "assign",
        "ask a reviewer to score subjects",
        run_assign,
        examples=['rubrictui assign Bid/north Bid/south --rubric "Vendor proposal" --to a.moreau'],
    )
    parser.add_argument("subjects", metavar="SUBJECT", nargs="+", help="Entity/record, or an id")
    parser.add_argument("--rubric", metavar="RUBRIC[@VERSION]", required=True, help="what to score with")
    parser.add_argument(
        "--to", metavar="NAME", action="append", required=True, help="the reviewer; may repeat"
    )
    parser.add_argument("--context", metavar="REF", help="what they are scored for")
    parser.add_argument("--due", metavar="TIME", help="when scores are due, as 2027-03-01T17:00+01:00")
    parser.add_argument("--zone", metavar="ZONE", help="the time zone of --due, as Europe/Zurich")

    users = commands.group("users", "who works in the store: add, list, roles")
    parser = users.add(
        "add", "add a user", run_user_add, examples=["rubrictui users add a.moreau --role author"]
    )
    parser.add_argument("name", metavar="NAME", help="the login")
    parser.add_argument("--display-name", metavar="TEXT", default="", help="how people call her")
    parser.add_argument(
        "--role", metavar="ROLE", action="append", choices=ROLES, help="may repeat; reviewer when left out"
    )
    users.add("list", "the users of the store", run_user_list)
    parser = users.add("roles", "give a user exactly these roles", run_user_roles)
    parser.add_argument("name", metavar="NAME", help="the login")
    parser.add_argument(
        "--role",
        metavar="ROLE",
        action="append",
        choices=ROLES,
        default=[],
        help="may repeat; none when left out",
    )


def run_add(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.interchange.subjects_in import Options, read_subjects

    how = Options(
        entity=options.entity,
        id_field=options.id_field,
        title_field=options.title_field,
        text_field=options.text_field,
        encoding=options.encoding,
        folder_as_subject=options.folder_as_subject,
    )
    if options.query is not None or options.sql_url is not None:
        from rubrictui.interchange.subjects_sql import read_sql_subjects

        read = read_sql_subjects(*_database(options), how)
    elif options.paths:
        read = read_subjects(options.paths, how)
    else:
        raise InvalidInputError("Nothing is named to add.", remedy="Give files, or --sql-url and --query.")
    output.say(*read.notes)
    with open_engine(options, create=True) as engine:
        stored = engine.add_subjects(read.subjects)
    if output.json:
        output.data(stored)
        return 0
    for subject in stored:
        output.text(f"{subject.entity}/{subject.record_id}  {short(subject.title)}")
    output.say(f"{len(stored)} {'subject' if len(stored) == 1 else 'subjects'} added or brought up to date.")
    return 0


def _database(options: argparse.Namespace) -> tuple[str, str]:
    """The URL and the query."""
    import os

    url = options.sql_url or os.environ.get("RUBRICTUI_SQL_URL")
    if options.paths or not url or not (options.query or "").strip():
        raise InvalidInputError(
            "Subjects come from files, or from a database with its URL and a query.",
            remedy="Give --sql-url (or RUBRICTUI_SQL_URL) and --query, and no files.",
        )
    return url, options.query


def run_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.subjects(
            search=options.search, entity=options.entity, context=options.context, content=output.json
        )
    if output.json:
        output.data(found)
    else:
        output.table(
            ("subject", "title"), [(f"{one.entity}/{one.record_id}", short(one.title)) for one in found]
        )
    return 0


def run_show(options: argparse.Namespace, output: Output) -> int:
    import json

    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.subject(options.subject)
    if output.json:
        output.data(found)
        return 0
    output.text(f"{found.title} [{found.entity}/{found.record_id}]", "")
    if found.text:
        output.text(*found.text.rstrip("\n").split("\n"))
    if found.data is not None:
        output.text("", *json.dumps(found.data, indent=2, ensure_ascii=False).split("\n"))
    for file in found.files:
        size = "" if file.size is None else f", {file.size} bytes"
        output.text("", f"{file.name} ({file.media_type}{size})")
        if file.text is not None:
            output.text(*(f"  {line}" for line in file.text.rstrip("\n").split("\n")))
    return 0


def run_export(options: argparse.Namespace, output: Output) -> int:
    from pathlib import Path

    from rubrictui.cli._progress import Bar
    from rubrictui.cli._store import open_engine
    from rubrictui.interchange.subjects_out import write_subjects

    with open_engine(options) as engine:
        found = engine.anonymised_subjects(options.context)
        hidden = engine.round(options.context).rules.hidden_fields
    with Bar("subjects") as bar:
        written = write_subjects(found, Path(options.to), force=options.force, progress=bar.show)
    named = [one for one in found if one.in_record_id]
    dropped = [(one.subject, one.dropped) for one in found if one.dropped]
    if output.json:
        output.data(
            {
                "files": [str(path) for path in written.files],
                "hidden_fields": hidden,
                "replaced": sum(one.replaced for one in found),
                "named_by_record_id": [f"{one.subject.entity}/{one.subject.record_id}" for one in named],
                "left_out": {f"{one.entity}/{one.record_id}": names for one, names in dropped},
            }
        )
        return 0
    output.text(*(str(path) for path in written.files))
    if not hidden:
        output.say("The round hides no field, so nothing was taken out: round change --hide FIELD.")
    else:
        places = sum(one.replaced for one in found)
        output.say(
            f"Taken out: {', '.join(hidden)}; in {counted(places, 'other place')} [hidden] stands for it."
        )
    if named:
        output.say(
            f"{counted(len(named), 'record id')} says what is hidden, {short(named[0].subject.record_id)} for one."
        )
    for subject, names in dropped:
        output.say(
            f"{subject.entity}/{subject.record_id}: left out, since it is no text: {', '.join(names)}."
        )
    return 0


def run_context_add(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine, rubric_and_version
    from rubrictui.cli._times import parse_due
    from rubrictui.core.records import Context, ContextStatus
    from rubrictui.interchange.documents import split_reference

    entity, record = split_reference(options.context)
    due = parse_due(options.due, options.zone)
    with open_engine(options, create=True) as engine:
        rubric_id = version_id = None
        if options.rubric is not None:
            rubric_id, version_id = rubric_and_version(engine, options.rubric)
        stored = engine.add_context(
            Context(
                entity=entity,
                record_id=record,
                name=options.name,
                description=options.description,
                rubric_id=rubric_id,
                version_id=version_id,
                due_at=due,
                due_zone=options.zone,
                self_allowed=options.self_allowed,
                status=ContextStatus.CLOSED if options.closed else ContextStatus.OPEN,
            )
        )
    if output.json:
        output.data(stored)
    else:
        output.text(f"{stored.entity}/{stored.record_id}  {stored.name}")
    return 0


def run_context_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.cli._times import shown_time

    with open_engine(options) as engine:
        found = engine.contexts()
    if output.json:
        output.data(found)
    else:
        output.table(
            ("context", "name", "status", "due (UTC)"),
            [
                (f"{one.entity}/{one.record_id}", one.name, one.status, shown_time(one.due_at))
                for one in found
            ],
        )
    return 0


def run_assign(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine, rubric_and_version
    from rubrictui.cli._times import parse_due, shown_time

    due = parse_due(options.due, options.zone)
    with open_engine(options) as engine:
        rubric_id, version_id = rubric_and_version(engine, options.rubric)
        made = [
            (
                subject,
                name,
                engine.assign(
                    subject=subject,
                    rubric=rubric_id,
                    version=version_id,
                    user=name,
                    context=options.context,
                    due_at=due,
                ),
            )
            for subject in options.subjects
            for name in options.to
        ]
    if output.json:
        output.data([assignment for _, _, assignment in made])
    else:
        output.table(
            ("subject", "reviewer", "status", "due (UTC)"),
            [(subject, name, one.status, shown_time(one.due_at)) for subject, name, one in made],
        )
    return 0


def run_user_add(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.records import Role

    roles = [Role(word) for word in options.role or ["reviewer"]]
    with open_engine(options, create=True) as engine:
        user = engine.add_user(options.name, display_name=options.display_name, roles=roles)
    return _print_user(user, output)


def run_user_roles(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.records import Role

    with open_engine(options) as engine:
        user = engine.set_roles(options.name, [Role(word) for word in options.role])
    return _print_user(user, output)


def _print_user(user: User, output: Output) -> int:
    if output.json:
        output.data(user)
    else:
        output.text(f"{user.name}: {', '.join(user.roles) or 'no roles'}")
    return 0


def run_user_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.users()
    if output.json:
        output.data(found)
    else:
        output.table(
            ("name", "display name", "roles"), [(u.name, u.display_name, ", ".join(u.roles)) for u in found]
        )
    return 0
