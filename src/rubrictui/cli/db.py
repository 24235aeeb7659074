"""``db``: facts about a store, its soundness, copies of it, its upgrade, who is let into it."""

from __future__ import annotations

import argparse

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands


def register(commands: Commands) -> None:
    group = commands.group("db", "the store itself: info, check, backup, migrate, copy, roles")
    group.add("info", "where the store and other files are, and what it holds", run_info)
    group.add(
        "check",
        "whether the store is sound",
        run_check,
        description="Check the store's file: pages, indexes, references. Exits with 1 when something is wrong.",
    )
    parser = group.add(
        "backup",
        "copy the store to a new file, while work goes on",
        run_backup,
        examples=["rubrictui db backup rubrics-2027-03-01.db"],
    )
    parser.add_argument("path", metavar="PATH", help="a file that does not exist yet")
    group.add(
        "migrate",
        "bring the store up to date with this program",
        run_migrate,
        description="Bring the store up to date with this program, after a backup of its file. Opening the "
        "store does the same; this command does nothing else.",
    )
    parser = group.add(
        "copy",
        "copy a whole store to another place, file or server",
        run_copy,
        description="Copy every row of one store to another that is empty or not there yet, a file or a PostgreSQL "
        "database, and compare counts and hashes of every table on both sides. All of it is copied, or nothing. On "
        "PostgreSQL it takes the owner of the database, or a superuser.",
        examples=["rubrictui db copy rubrics.db postgresql+psycopg://owner@server/panel"],
    )
    parser.add_argument("source", metavar="SOURCE", help="a file, or a PostgreSQL URL")
    parser.add_argument("target", metavar="TARGET", help="a file, or a PostgreSQL URL")
    group.add(
        "roles",
        "the psql script that lets people into a store on PostgreSQL",
        run_roles,
        description="Print what psql runs, as the owner of the database, so that everybody in the store can work in "
        "it under her own login: group roles, their rights, and a line for each person. Run it again after "
        "adding people or changing roles.",
        examples=["rubrictui db roles --db postgresql+psycopg://owner@server/panel > roles.sql"],
    )


def run_info(options: argparse.Namespace, output: Output) -> int:
    import msgspec

    from rubrictui.cli._store import open_engine

    with open_engine(options, read_only=True) as engine:
        info = engine.info()
    places = _places()
    if output.json:
        output.data({**msgspec.structs.asdict(info), **places})
        return 0
    size = "" if info.size is None else f", {info.size:,} bytes"
    output.text(
        f"{info.where} ({info.dialect}{size})",
        f"revision {info.revision}, made {info.created_at or 'at an unknown time'} by {info.created_by or '?'}",
        f"you are {info.user}: {', '.join(info.roles) or 'no roles'}",
        *(f"{count:>8,} {name}" for name, count in info.counts.items()),
        *(f"{name.replace('_', ' ')}: {place}" for name, place in places.items()),
    )
    return 0


def _places() -> dict[str, str]:
    """Where the other files of this user are, or will be once they are needed."""
    from rubrictui.shell.opening import demo_path
    from rubrictui.shell.settings import error_log_path, settings_path

    return {
        "settings_file": str(settings_path()),
        "error_log": str(error_log_path()),
        "demo_store": str(demo_path()),
    }


def run_check(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options, read_only=True) as engine:
        problems = engine.check()
    if output.json:
        output.data({"sound": not problems, "problems": problems})
    else:
        output.text(*(problems or ["The store is sound."]))
    return 1 if problems else 0


def run_backup(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        path = engine.backup(options.path)
    if output.json:
        output.data({"path": str(path), "size": path.stat().st_size})
    else:
        output.text(f"Copied to {path}.")
    return 0


def run_migrate(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.store.database import Database
    from rubrictui.store.revision import HEAD

    with Database.open(options.db, create=False) as database:
        before, copy = database.upgraded_from, database.backup_path
    if output.json:
        output.data(
            {"revision": HEAD, "upgraded_from": before, "backup": None if copy is None else str(copy)}
        )
    elif before is None:
        output.text(f"The store is at revision {HEAD} already.")
    else:
        output.text(f"Upgraded from revision {before} to {HEAD}." + (f" Backup: {copy}." if copy else ""))
    return 0


def run_roles(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        script = engine.role_script()
        people = len(engine.users())
    if output.json:
        output.data({"script": script, "people": people})
    else:
        output.raw(script)
    return 0


def run_copy(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.store.copying import copy_store
    from rubrictui.store.database import Database

    with Database.open(options.source, create=False) as source, Database.open(options.target) as target:
        proofs = copy_store(source, target)
        places = (source.where, target.where)
        is_server = target.dialect == "postgresql"
    if output.json:
        output.data({"source": places[0], "target": places[1], "tables": proofs})
        return 0
    output.table(
        ("table", "rows", "sha256 of both"),
        [(one.table, one.rows, one.sha256[:16]) for one in proofs],
        right=(1,),
    )
    rows = sum(one.rows for one in proofs)
    output.say(f"Copied {rows:,} rows to {places[1]}; counts and hashes are equal on both sides.")
    if is_server:
        output.say(
            "Its people keep their roles, and their logins are their database users: rubrictui db roles."
        )
    return 0
