"""What is scored and by whom: subjects, contexts, assignments, users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from rubrictui.core import canonical
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import (
    MAXIMUM_RECORD_ID,
    Assignment,
    AssignmentStatus,
    Context,
    ContextStatus,
    Role,
    Subject,
    User,
)
from rubrictui.engine.base import named
from rubrictui.engine.errors import NameTakenError, NotFoundError, NotPermittedError, StateError
from rubrictui.engine.reading import Reading
from rubrictui.store import access, evaluations, rounds, subjects, users

MAY_CHANGE_SUBJECTS = (
    Role.AUTHOR,
    Role.CHAIR,
    Role.INTEGRATION,
    Role.DEVELOPER,
    Role.ADMINISTER_EVALUATIONS,
)


class Panels(Reading):
    """Setting work up."""

    # -- subjects ------------------------------------------------------------------------------------

    def add_subjects(self, subjects: Iterable[Subject]) -> tuple[Subject, ...]:
        """Store subjects, in one transaction: new ones, and new content of known ones.

        A subject is known by ``entity`` and ``record_id``; it keeps its id, and its content hash is taken
        anew. Of two that are one subject, the later counts. Evaluations keep the hash of the content they
        saw. Anyone may add a subject; changing the content of one that is there takes a role of
        ``MAY_CHANGE_SUBJECTS``, and one whose hash stays the same is not changed.

        Returns:
            the subjects with their ids and hashes, in the order given.

        Raises:
            InvalidInputError: no entity or record id, an entity with a slash, two files of one name, or an
                id that another subject has.
            NotPermittedError: the user may not change a subject that is there.
        """
        return self._store_subjects([checked_subject(subject) for subject in subjects])

    def _store_subjects(self, given: Sequence[Subject]) -> tuple[Subject, ...]:
        # All that takes long comes before the transaction: nobody else can save while it is open.
        now = self._clock()
        rows = [
            subjects.subject_row(subject, id=subject.id or self._new_id(), at=now, by=self.user.name)
            for subject in given
        ]
        names = [(subject.entity, subject.record_id) for subject in given]
        brought = {subject.id for subject in given if subject.id}
        with self._write() as connection:
            known = subjects.known_subjects(connection, names)
            ids = {name: found.id for name, found in known.items()}
            taken = subjects.taken_ids(connection, brought)
            for name, row in zip(names, rows, strict=True):
                if name not in ids:
                    if row["id"] in taken:
                        raise InvalidInputError(
                            f'The id of subject "{"/".join(name)}" is another subject\'s ({row["id"]}).',
                            remedy="Leave the id out, or use a new one.",
                        )
                    ids[name] = row["id"]
                    taken.add(row["id"])
                row["id"] = ids[name]
            last = dict(zip(names, rows, strict=True))
            there = {name: row for name, row in last.items() if name in known}
            changed = [name for name, row in there.items() if row["content_hash"] != known[name].content_hash]
            if changed:
                self._require(*MAY_CHANGE_SUBJECTS, doing=f"change {_listed(changed)}")
            subjects.add_rows(connection, [row for name, row in last.items() if name not in known])
            if self._holds(*MAY_CHANGE_SUBJECTS):
                # The hash leaves out where files lie and the order of keys: those become as given too.
                subjects.change_rows(connection, list(there.values()))
        return tuple(
            msgspec.structs.replace(subject, id=ids[name]) for name, subject in zip(names, given, strict=True)
        )

    def subjects(
        self,
        *,
        search: str | None = None,
        entity: str | None = None,
        context: str | None = None,
        content: bool = True,
    ) -> tuple[Subject, ...]:
        """Subjects by entity and record id; every argument narrows.

        Args:
            search: a part of the title, record id or entity.
            context: those listed or assigned for this context, or scored for it as far as the user may see.
            content: False leaves text, data and files out, for long lists.
        """
        with self._read() as connection:
            ids: set[str] | None = None
            if context is not None:
                place = self._find_context(connection, context)
                ids = set(rounds.subject_ids(connection, place.id))
                scored = access.evaluations(connection, self.user, context_id=place.id)
                ids.update(found.subject_id for found in scored)
            found = subjects.subjects(connection, search=search, entity=entity, ids=ids, content=content)
            return self._shown(connection, *found) if content else found

    def subject(self, ref: str) -> Subject:
        """One subject, whole, by id or ``Entity/record``.

        Raises:
            NotFoundError: there is none.
        """
        with self._read() as connection:
            return self._shown(connection, self._find_subject(connection, ref))[0]

    # -- contexts ------------------------------------------------------------------------------------

    def add_context(self, context: Context) -> Context:
        """Store what subjects are scored for, or change the one of this entity and record id.

        Closing a context (``status``) stops new evaluations and submissions in it.

        Raises:
            NotPermittedError: the user is no chair.
            NotFoundError: its rubric or version is not there.
        """
        self._require(Role.CHAIR, doing="open or change a round")
        with self._write() as connection:
            return self._put_context(connection, context)

    def _put_context(self, connection: Connection, context: Context) -> Context:
        entity = _entity(context.entity, "context")
        record_id = named(context.record_id, "context", limit=MAXIMUM_RECORD_ID)
        stored = subjects.find_context(connection, f"{entity}/{record_id}")
        version = self._find_version(connection, context.version_id) if context.version_id else None
        rubric_id = version.rubric_id if version else None
        if context.rubric_id:
            rubric_id = self._find_rubric(connection, context.rubric_id).id
        if version is not None and version.rubric_id != rubric_id:
            raise InvalidInputError(
                f'The version of context "{entity}/{record_id}" is of another rubric.',
                remedy="Name one of the two.",
            )
        ready = msgspec.structs.replace(
            context,
            id=stored.id if stored else context.id or self._new_id(),
            entity=entity,
            record_id=record_id,
            name=context.name.strip() or record_id,
            rubric_id=rubric_id,
            version_id=version.id if version else None,
        )
        subjects.put_context(connection, ready, at=self._clock(), by=self.user.name)
        return ready

    def contexts(self) -> tuple[Context, ...]:
        """Every context, those due first in front."""
        with self._read() as connection:
            return subjects.contexts(connection)

    def context(self, ref: str) -> Context:
        """One context by id or ``Entity/record``.

        Raises:
            NotFoundError: there is none.
        """
        with self._read() as connection:
            return self._find_context(connection, ref)

    # -- assignments ---------------------------------------------------------------------------------

    def assign(
        self,
        *,
        subject: str,
        rubric: str,
        user: str,
        context: str | None = None,
        version: str | None = None,
        due_at: datetime | None = None,
        id: str | None = None,
    ) -> Assignment:
        """Ask a user to score a subject. Asked before and not done yet: the same assignment, with this date.

        Args:
            rubric: a name or id; ``version`` pins a published version of it, else the latest counts when
                the reviewer begins.
            user: a login name or id.
            due_at: aware; None takes the context's.
            id: of the assignment, when a file fixes it; one of this id that is there is given back as it is.

        Raises:
            NotPermittedError: the user is no chair.
            StateError: the context is closed, the version is not Published, or the user has a conflict of
                interest with the subject.
        """
        self._require(Role.CHAIR, doing="assign subjects")
        with self._write() as connection:
            known = subjects.find_assignment(connection, id) if id is not None else None
            if known is not None:
                return known
            place = self._optional_context(connection, context)
            head, chosen = self._rubric_and_version(connection, rubric, version, place)
            return self._assign(
                connection,
                self._find_subject(connection, subject),
                self._find_user(connection, user),
                place,
                rubric_id=head.id,
                version_id=chosen.id if version is not None else None,
                due_at=due_at,
                id=id,
            )[0]

    def _assign(
        self,
        connection: Connection,
        subject: Subject,
        reviewer: User,
        place: Context | None,
        *,
        rubric_id: str,
        version_id: str | None = None,
        due_at: datetime | None = None,
        id: str | None = None,
    ) -> tuple[Assignment, bool]:
        """The open assignment of this work, and whether it was made just now."""
        if place is not None and place.status is ContextStatus.CLOSED:
            raise StateError(f'"{place.name}" is closed.', remedy="Open it again first.")
        context_id = place.id if place else None
        known = subjects.open_assignment(
            connection, user_id=reviewer.id, subject_id=subject.id, rubric_id=rubric_id, context_id=context_id
        )
        if known is not None:
            if due_at is not None and due_at != known.due_at:
                subjects.set_due(connection, known.id, due_at)
            return msgspec.structs.replace(known, due_at=due_at or known.due_at), False
        conflict = rounds.conflicts(connection, user_id=reviewer.id, subjects_in=[subject.id])
        if conflict:
            raise StateError(
                f'{reviewer.name} has a conflict of interest with "{subject.title or subject.record_id}": '
                f"{conflict[0].reason}",
                remedy="Assign somebody else.",
            )
        ready = Assignment(
            id=id or self._new_id(),
            subject_id=subject.id,
            rubric_id=rubric_id,
            user_id=reviewer.id,
            context_id=context_id,
            version_id=version_id,
            due_at=due_at or (place.due_at if place else None),
        )
        subjects.add_assignment(connection, ready, at=self._clock(), by=self.user.name)
        if place is not None:
            self._add_to_round(connection, place.id, subject_ids=[subject.id], user_ids=[reviewer.id])
        return ready, True

    def _add_to_round(
        self,
        connection: Connection,
        context_id: str,
        *,
        subject_ids: Iterable[str] = (),
        user_ids: Iterable[str] = (),
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """List subjects and reviewers in a round; the ids of those that were not there."""
        about: dict[str, Any] = {"at": self._clock(), "by": self.user.name, "new_id": self._new_id}
        return (
            rounds.add_subjects(connection, context_id, subject_ids, **about),
            rounds.add_reviewers(connection, context_id, user_ids, **about),
        )

    def assignments(
        self, *, subject: str | None = None, context: str | None = None
    ) -> tuple[Assignment, ...]:
        """The user's own assignments; everyone's for a chair or *administer_evaluations*."""
        everyone = self._holds(Role.CHAIR, Role.ADMINISTER_EVALUATIONS)
        with self._read() as connection:
            place = self._optional_context(connection, context)
            found = subjects.assignments(
                connection,
                user_id=None if everyone else self.user.id,
                subject_id=self._find_subject(connection, subject).id if subject is not None else None,
                context_id=place.id if place else None,
            )
            return access.veiled(connection, self.user, found)

    def decline(self, assignment_id: str, reason: str) -> Assignment:
        """The user gives her own assignment back (a conflict of interest, no time), with the reason.

        A draft begun for it becomes Withdrawn with it.
        """
        why = self._reason(reason)
        with self._write() as connection:
            found = subjects.find_assignment(connection, assignment_id)
            if found is None or found.user_id != self.user.id:
                raise NotFoundError(
                    f"You have no assignment {assignment_id}.", remedy="The inbox lists yours."
                )
            return self._end_assignment(connection, found, AssignmentStatus.DECLINED, why)

    def release(self, assignment_id: str, reason: str) -> Assignment:
        """A chair takes an assignment back, with the reason.

        A draft begun for it becomes Withdrawn with it; that takes *administer_evaluations*.
        """
        why = self._reason(reason)
        self._require(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="release assignments")
        with self._write() as connection:
            found = subjects.find_assignment(connection, assignment_id)
            if found is None:
                raise NotFoundError(f"There is no assignment {assignment_id}.", remedy="Check its id.")
            return self._end_assignment(connection, found, AssignmentStatus.RELEASED, why)

    def _end_assignment(
        self, connection: Connection, assignment: Assignment, ending: AssignmentStatus, reason: str
    ) -> Assignment:
        now = self._clock()
        if not subjects.close_assignment(
            connection, assignment.id, ending, at=now, by=self.user.name, reason=reason
        ):
            raise StateError(
                f"That assignment is {assignment.status.value}.", remedy="Only an Open one can be ended."
            )
        own = assignment.user_id == self.user.id
        withdrawn = evaluations.withdraw_drafts(
            connection, assignment_id=assignment.id, at=now, reason=reason
        )
        if withdrawn and not own and not self._holds(Role.ADMINISTER_EVALUATIONS):
            raise NotPermittedError(
                "The reviewer has begun: releasing her draft takes the role administer_evaluations.",
                remedy="Ask her to decline it.",
            )
        return msgspec.structs.replace(
            assignment, status=ending, reason=reason, ended_at=now, ended_by=self.user.name
        )

    # -- users ---------------------------------------------------------------------------------------

    def add_user(
        self,
        name: str,
        *,
        display_name: str = "",
        roles: Iterable[Role] = (Role.REVIEWER,),
        id: str | None = None,
    ) -> User:
        """A new user of the store.

        Args:
            name: the login that identifies the user.
            roles: a chair may make reviewers; any other role takes *administer_evaluations*.

        Raises:
            NameTakenError: there is a user of this name.
        """
        wanted = tuple(dict.fromkeys(Role(role) for role in roles))
        self._may_grant(wanted)
        login = named(name, "user")
        with self._write() as connection:
            if users.find_user(connection, login) is not None:
                raise NameTakenError(f'There is a user "{login}" already.', remedy="Use that user.")
            user = User(
                id=id or self._new_id(), name=login, display_name=display_name.strip() or login, roles=wanted
            )
            users.add_user(connection, user, created_at=self._clock(), new_id=self._new_id)
            return self._find_user(connection, user.id)

    def set_roles(self, name: str, roles: Iterable[Role]) -> User:
        """Give a user exactly these roles.

        Raises:
            StateError: nobody would be left who administers evaluations.
        """
        wanted = tuple(dict.fromkeys(Role(role) for role in roles))
        self._require(Role.ADMINISTER_EVALUATIONS, doing="change roles")
        with self._write() as connection:
            user = msgspec.structs.replace(self._find_user(connection, name), roles=wanted)
            users.change_user(connection, user, new_id=self._new_id)
            if not any(Role.ADMINISTER_EVALUATIONS in known.roles for known in users.users(connection)):
                raise StateError(
                    "Nobody would be left who administers evaluations.", remedy="Grant it to another first."
                )
            changed = self._find_user(connection, user.id)
        if changed.id == self.user.id:
            self.user = msgspec.structs.replace(self.user, roles=changed.roles)
        return changed

    def users(self) -> tuple[User, ...]:
        """Everyone in the store, by name."""
        with self._read() as connection:
            return users.users(connection)

    def _may_grant(self, roles: Iterable[Role]) -> None:
        if set(roles) - {Role.REVIEWER}:
            self._require(Role.ADMINISTER_EVALUATIONS, doing="grant roles beyond reviewer")
        self._require(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="add users")


def checked_subject(subject: Subject) -> Subject:
    """The subject as it may be stored, with its content hash.

    Raises:
        InvalidInputError: as ``add_subjects``.
    """
    entity = _entity(subject.entity, "subject")
    record_id = named(subject.record_id, "subject", limit=MAXIMUM_RECORD_ID)
    names = [file.name for file in subject.files]
    if len(set(names)) != len(names):
        raise InvalidInputError(
            f'Subject "{entity}/{record_id}" has two files of one name.', remedy="Rename one of them."
        )
    ready = msgspec.structs.replace(
        subject, entity=entity, record_id=record_id, title=subject.title.strip() or record_id
    )
    return msgspec.structs.replace(ready, content_hash=canonical.subject_hash(ready))


def _listed(names: Sequence[tuple[str, str]]) -> str:
    more = len(names) - 1
    others = f" and {more} other{'s' if more > 1 else ''}" if more else ""
    return f'what subject "{"/".join(names[0])}"{others} holds'


def _entity(entity: str, what: str) -> str:
    name = named(entity, f"{what}'s entity")
    if "/" in name:
        raise InvalidInputError(
            f'The entity "{name}" of a {what} holds a slash.',
            remedy="A slash separates the entity from the record; put it in the record id.",
        )
    return name
