"""What can go wrong with a store, as one typed error each: one line, with the place and the remedy.

``translate`` is the only code that reads driver errors, and ``database`` is its only caller. Two families:

- ``StoreError``: the store itself cannot be opened, read or written (the command line exits with 3).
- ``FrozenError``: the database refused to change what is frozen. One subclass for each of the guide's
  numbers 51101 to 51110 (guide section 13), which the triggers raise.
"""

from __future__ import annotations

import re
import sqlite3
from typing import ClassVar

from rubrictui.core.errors import InvalidInputError, RubrictuiError


class StoreError(RubrictuiError):
    """The store cannot be opened, read or written. ``where`` is its path or its URL without the password."""

    code = "store"
    what: ClassVar[str] = "The store {where} cannot be used."
    how: ClassVar[str] = ""

    def __init__(self, where: str, *, detail: str = "") -> None:
        message = self.what.format(where=where)
        super().__init__(f"{message[:-1]}: {one_line(detail)}." if detail else message, remedy=self.how)
        self.where = where


class StoreLockedError(StoreError):
    code = "store_locked"
    what = "The store {where} is locked by another program."
    how = "Nothing was changed. Close the other program, or wait until it is done, and try again."


class StoreReadOnlyError(StoreError):
    code = "store_read_only"
    what = "The store {where} is read-only."
    how = "Nothing was changed. Make the file and its folder writable, or name another store with --db."


class NoWriteAheadLogError(StoreReadOnlyError):
    """SQLite's write-ahead log needs memory that programs share, which some network folders lack."""

    code = "store_no_wal"
    what = "The folder of the store {where} cannot hold SQLite's write-ahead log, so it can only be read."
    how = "Nothing was changed. Keep the store on a local disk: move it, or name another one with --db."


class StoreNewerError(StoreError):
    code = "store_newer"
    what = "The store {where} was made by a newer version of rubrictui."
    how = "Upgrade rubrictui, or name another store with --db. The store was not touched."


class StoreOutdatedError(StoreError):
    code = "store_outdated"
    what = "The store {where} needs an upgrade, which reading alone cannot do."
    how = "Open it once with write permission, or run `rubrictui db migrate`."


class NotAStoreError(StoreError):
    code = "not_a_store"
    what = "{where} is not a rubrictui store."
    how = "Check the path, or name another store with --db. The file was not touched."


class StoreDamagedError(StoreError):
    code = "store_damaged"
    what = "The store {where} is damaged."
    how = "Keep a copy of it, and go back to a backup; `rubrictui db check` says what is wrong."


class DiskFullError(StoreError):
    code = "disk_full"
    what = "There is no room left on the disk of the store {where}."
    how = "The last change was not saved, earlier ones are. Free some space and repeat it."


class DiskFailedError(StoreError):
    code = "disk_failed"
    what = "The disk of the store {where} failed to read or write."
    how = "The last change was not saved. Check the disk (a full one can say so too), then repeat it."


class MissingFolderError(StoreError):
    code = "missing_folder"
    what = "The folder of the store {where} does not exist."
    how = "Create the folder, or check the path."


class StoreMissingError(StoreError):
    code = "store_missing"
    what = "There is no store at {where}."
    how = "Check the path; `rubrictui load FILE` makes a store there, `rubrictui demo` has its own with samples."


class DanglingLinkError(StoreMissingError):
    code = "store_dangling_link"
    what = "The store {where} is a link to a file that does not exist."
    how = "Put that file back, or remove the link and name the store with --db."


class DatabaseMissingError(StoreMissingError):
    code = "store_database_missing"
    what = "There is no database for the store {where} on its server."
    how = "Check the name, or have it made with createdb; the first `rubrictui load FILE` fills it."


class StoreNotPermittedError(StoreError):
    code = "store_not_permitted"
    what = "The store {where} may not be opened by you."
    how = "Ask its owner for access, or name another store with --db."


class StoreUnreachableError(StoreError):
    code = "store_unreachable"
    what = "The server of the store {where} cannot be reached."
    how = "Check the address and the network, and that the server runs; then try again."


class StoreDroppedError(StoreUnreachableError):
    """The server ended a connection that was at work. Nothing of the transaction is stored, unless it was its
    last word that was lost."""

    code = "store_dropped"
    what = "The server of the store {where} dropped the connection."
    how = "Nothing half-done was kept. Check the network and the server; then try again."


class UnknownStoreKindError(StoreError):
    code = "store_unknown_kind"
    what = "{where} names a kind of store that rubrictui does not know."
    how = "Give the path of a file, or a URL that begins with sqlite:/// or postgresql+psycopg://."


class MissingDriverError(StoreError):
    code = "driver_missing"
    what = "The store {where} needs the PostgreSQL driver, which is not installed."
    how = "Install it with: pip install 'rubrictui[postgres]'"


class ConstraintError(RubrictuiError):
    """A row that the store's own rules refuse. ``constraint`` is the name of the rule."""

    code = "constraint"

    def __init__(self, constraint: str, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.constraint = constraint


class FrozenError(RubrictuiError):
    """The database refused to change something frozen. ``number`` is the guide's, 51101 to 51110; ours follow it."""

    code = "frozen"
    number: ClassVar[int] = 0
    what: ClassVar[str] = ""
    how: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__(f"{self.what} (error {self.number}).", remedy=self.how)


_NEW_VERSION = "Start a new draft of the rubric, make the change there, and publish it."
_NEW_SCALE = "Create a new scale and use it in a new draft; the description of a level may still be edited."
_SUPERSEDE = "Submit a new evaluation that supersedes this one, or withdraw it."


class VersionFrozenError(FrozenError):
    code = "version_frozen"
    number = 51101
    what = "A published or retired version cannot be changed, nor stored without being published"
    how = _NEW_VERSION


class VersionUndeletableError(FrozenError):
    code = "version_undeletable"
    number = 51102
    what = "A published or retired version cannot be deleted"
    how = "Retire it to take it out of use; its evaluations keep their meaning. " + _NEW_VERSION


class CriterionFrozenError(FrozenError):
    code = "criterion_frozen"
    number = 51103
    what = "The criteria of a published or retired version cannot be changed"
    how = _NEW_VERSION


class AnchorFrozenError(FrozenError):
    code = "anchor_frozen"
    number = 51104
    what = "The anchors of a published or retired version cannot be changed"
    how = _NEW_VERSION


class BandFrozenError(FrozenError):
    code = "band_frozen"
    number = 51105
    what = "The bands of a published or retired version cannot be changed"
    how = _NEW_VERSION


class ScaleFrozenError(FrozenError):
    code = "scale_frozen"
    number = 51106
    what = "A scale that a published version uses cannot be changed"
    how = _NEW_SCALE


class ScaleLevelFrozenError(FrozenError):
    code = "scale_level_frozen"
    number = 51107
    what = "The levels of a scale that a published version uses cannot be changed"
    how = _NEW_SCALE


class EvaluationFrozenError(FrozenError):
    code = "evaluation_frozen"
    number = 51108
    what = "An evaluation that is no longer a draft cannot be changed"
    how = _SUPERSEDE


class EvaluationUndeletableError(FrozenError):
    code = "evaluation_undeletable"
    number = 51109
    what = "An evaluation that is no longer a draft cannot be deleted"
    how = _SUPERSEDE


class ScoreFrozenError(FrozenError):
    code = "score_frozen"
    number = 51110
    what = "The answers and scores of an evaluation that is no longer a draft cannot be changed"
    how = _SUPERSEDE


class SettlementFrozenError(FrozenError):
    code = "settlement_frozen"
    number = 51111
    what = "A settlement that stands cannot be changed"
    how = "Settle the subject again as a correction; the first settlement stays in the record."


class SettlementUndeletableError(FrozenError):
    code = "settlement_undeletable"
    number = 51112
    what = "A settlement that stands cannot be deleted"
    how = "Settle the subject again as a correction; the first settlement stays in the record."


FROZEN_ERRORS: dict[int, type[FrozenError]] = {
    error.number: error
    for error in (
        VersionFrozenError,
        VersionUndeletableError,
        CriterionFrozenError,
        AnchorFrozenError,
        BandFrozenError,
        ScaleFrozenError,
        ScaleLevelFrozenError,
        EvaluationFrozenError,
        EvaluationUndeletableError,
        ScoreFrozenError,
    )
}
# Of settlements: numbers of our own after the guide's.
_FROZEN = FROZEN_ERRORS | {
    error.number: error for error in (SettlementFrozenError, SettlementUndeletableError)
}

# What the rules people can run into mean, by constraint name.
_CONSTRAINTS = {
    "uq_rubric_name": ("A rubric of this name exists already.", "Choose another name."),
    "uq_category_name": ("A category of this name exists already.", "Choose another name."),
    "uq_scale_name": ("A scale of this name exists already.", "Choose another name, or use that scale."),
    "uq_user_account_name": ("A user of this name exists already.", "Use that user."),
    "uq_prompt_name": ("A prompt of this name exists already.", "Choose another name."),
    "uq_rubric_version_draft": ("This rubric has a draft already.", "Publish or discard it first."),
    "uq_rubric_version_number": ("This rubric has a version of this number already.", "Publish again."),
    "uq_criterion_version_id_key": (
        "Two criteria of one version have the same key.",
        "Give each criterion its own key.",
    ),
    "uq_sample_answer_set_rubric_id_name": (
        "This rubric has sample answers of this name already.",
        "Choose another name.",
    ),
    "uq_subject_entity_record_id": ("A subject of this entity and record id exists already.", "Use that subject."),
    "uq_context_entity_record_id": ("A context of this entity and record id exists already.", "Use that context."),
    "uq_assignment_open": ("This reviewer has this subject assigned already.", "Use that assignment."),
    "uq_evaluation_open_draft": (
        "This evaluator has an open draft of this subject, context and rubric already.",
        "Resume that draft, or decline it.",
    ),
    "uq_evaluation_supersedes": (
        "That evaluation has been superseded already.",
        "Supersede the evaluation that took its place.",
    ),
    "uq_adjudication_settled": ("This subject was settled in the meantime.", "Read that settlement; correct it if need be."),
    "uq_adjudication_draft": ("You have begun to settle this subject already.", "Go on with that."),
}  # fmt: skip


def one_line(text: str) -> str:
    """Driver text as part of one line: white space folded, final dots dropped, not too long."""
    return re.sub(r"\s+", " ", text).strip().rstrip(".")[:300]


def frozen_error(text: str) -> FrozenError | None:
    """The typed error behind a trigger's message ``51103 ...``, if it is one."""
    found = re.match(r"\s*(511\d\d)\b", text)
    error = _FROZEN.get(int(found[1])) if found else None
    return error() if error else None


def translate(error: BaseException, where: str) -> RubrictuiError | None:
    """The error people see for a driver's error; None when it is not one we know to be the store's.

    Args:
        error: what sqlite3 or psycopg raised (unwrapped from SQLAlchemy).
        where: the store's path or its URL without the password.
    """
    if isinstance(error, UnicodeEncodeError):
        return InvalidInputError(
            "A text holds half a Unicode character (a lone surrogate).", remedy="Correct the text."
        )
    if isinstance(error, sqlite3.Error):
        return _from_sqlite(error, where)
    sqlstate = getattr(error, "sqlstate", None)
    if type(error).__module__.partition(".")[0] == "psycopg":
        return _from_postgres(error, sqlstate, where)
    return None


_SQLITE: dict[str, type[StoreError]] = {
    "SQLITE_BUSY": StoreLockedError,
    "SQLITE_LOCKED": StoreLockedError,
    "SQLITE_PROTOCOL": StoreLockedError,
    "SQLITE_READONLY": StoreReadOnlyError,
    "SQLITE_FULL": DiskFullError,
    "SQLITE_NOTADB": NotAStoreError,
    "SQLITE_CORRUPT": StoreDamagedError,
    "SQLITE_CANTOPEN": StoreNotPermittedError,
    "SQLITE_PERM": StoreNotPermittedError,
    "SQLITE_AUTH": StoreNotPermittedError,
    "SQLITE_IOERR": DiskFailedError,
}


def _from_sqlite(error: sqlite3.Error, where: str) -> RubrictuiError:
    text = str(error)
    frozen = frozen_error(text)
    if frozen is not None:
        return frozen
    # Extended names begin with the primary one: SQLITE_BUSY_SNAPSHOT, SQLITE_READONLY_DIRECTORY.
    name = getattr(error, "sqlite_errorname", None) or ""
    if name == "SQLITE_IOERR_SHMSIZE":  # no room for the shared memory file beside the store
        return DiskFullError(where)
    primary = "_".join(name.split("_")[:2])
    if primary in _SQLITE:
        return _SQLITE[primary](where)
    if isinstance(error, sqlite3.IntegrityError):
        return _constraint_error(_sqlite_constraint(text), text)
    if isinstance(error, sqlite3.DataError):
        return InvalidInputError("A text is too long to store.", remedy="Shorten it, or keep it in a file.")
    return StoreError(where, detail=text)


def _sqlite_constraint(text: str) -> str:
    """The name of the rule in ``UNIQUE constraint failed: rubric.name`` and its kin."""
    subject = text.partition(": ")[2]
    named = re.match(r"index '(\w+)'$", subject) or re.match(r"(ck_\w+)$", subject)
    if named:
        return named[1]
    columns = [column.strip().partition(".") for column in subject.split(",")]
    table = columns[0][0]
    names = [column[2] for column in columns]
    if (table, names) == ("rubric_version", ["rubric_id"]):
        return "uq_rubric_version_draft"
    if (table, names[0]) == ("rubric_version", "rubric_id"):
        return "uq_rubric_version_number"
    if (table, names) == ("evaluation", ["supersedes_id"]):
        return "uq_evaluation_supersedes"
    if text.startswith("UNIQUE"):
        return f"uq_{table}_{'_'.join(names)}"
    return "foreign_key" if text.startswith("FOREIGN KEY") else subject


def _constraint_error(name: str, text: str) -> ConstraintError:
    if name in _CONSTRAINTS:
        message, remedy = _CONSTRAINTS[name]
        return ConstraintError(name, message, remedy=remedy)
    if name == "foreign_key" or name.startswith("fk_"):
        return ConstraintError(
            name,
            "A row refers to something that is not in the store, or is referred to and cannot go.",
            remedy="Store what it refers to first.",
        )
    return ConstraintError(name, f"The store refused a row ({one_line(text)}).", remedy="Correct the value.")


_POSTGRES: dict[str, type[StoreError]] = {
    "55P03": StoreLockedError,  # lock_not_available
    "40P01": StoreLockedError,  # deadlock_detected
    "40001": StoreLockedError,  # serialization_failure
    "25006": StoreReadOnlyError,  # read_only_sql_transaction
    "53100": DiskFullError,
    "42501": StoreNotPermittedError,  # insufficient_privilege
    "28000": StoreNotPermittedError,
    "28P01": StoreNotPermittedError,  # invalid_password
    "3D000": DatabaseMissingError,  # no such database
    "XX001": StoreDamagedError,
    "XX002": StoreDamagedError,
}


def _from_postgres(error: BaseException, sqlstate: str | None, where: str) -> RubrictuiError:
    text = str(error)
    if sqlstate and sqlstate.isdigit() and int(sqlstate) in _FROZEN:
        return _FROZEN[int(sqlstate)]()
    if sqlstate in _POSTGRES:
        return _POSTGRES[sqlstate](where)
    if sqlstate and sqlstate.startswith("23"):
        diagnosis = getattr(error, "diag", None)
        return _constraint_error(getattr(diagnosis, "constraint_name", None) or "", text)
    if (sqlstate and sqlstate.startswith("22")) or "cannot contain NUL" in text:
        return InvalidInputError(f"A value cannot be stored ({one_line(text)}).", remedy="Correct it.")
    if sqlstate is None or sqlstate.startswith(("08", "57", "53")):
        for sign, kind in (
            ("authentication failed", StoreNotPermittedError),
            ('FATAL:  role "', StoreNotPermittedError),
            ("does not exist", DatabaseMissingError),
        ):
            if sign in text:
                return kind(where)
        return StoreUnreachableError(where)
    return StoreError(where, detail=text.splitlines()[0] if text else "")
