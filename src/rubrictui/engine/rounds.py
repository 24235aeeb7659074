"""Rounds: opening, changing and closing them, their people, and conflicts of interest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionStatus
from rubrictui.core.records import AssignmentStatus, Context, ContextStatus, Role, User
from rubrictui.core.rounds import Blinding, Conflict, Round, RoundEvent, RoundRules
from rubrictui.engine.errors import NameTakenError, NotFoundError, NotPermittedError, StateError
from rubrictui.engine.panels import Panels
from rubrictui.store import access, rounds, subjects

_STRICTNESS = {Blinding.STANDARD: 0, Blinding.COMMENTS_VISIBLE: 1, Blinding.UNTIL_CLOSED: 2}
# What every reviewer sees in her inbox whatever a round says; who needs them hidden gives neutral ones.
_ALWAYS_SHOWN = frozenset({"title", "record_id", "entity", "text"})


class Rounds(Panels):
    """What a chair does with a round. Every change is in its log, with who and when."""

    # -- opening, changing, closing ------------------------------------------------------------------

    def open_round(
        self,
        record_id: str,
        *,
        rubric: str,
        entity: str = "Round",
        name: str = "",
        description: str | None = None,
        version: str | None = None,
        pin: bool = True,
        subjects: Iterable[str] = (),
        reviewers: Iterable[str] = (),
        due_at: datetime | None = None,
        due_zone: str | None = None,
        self_allowed: bool = False,
        rules: RoundRules | None = None,
    ) -> Round:
        """A new round.

        Args:
            rubric: a name or id.
            version: a published version of it (``1.2.0`` or an id) that every review uses.
            pin: without ``version``: use the latest Published of now in every review; False means the latest
                Published at the time each begins.
            subjects: ids or ``Entity/record``; reviewers: logins or ids. Both can be added later.
            due_at: aware; ``due_zone`` is the zone it was said in, kept to show it.

        Raises:
            NotPermittedError: the user is no chair.
            NameTakenError: there is a round of this name.
            NoPublishedVersionError: nothing of the rubric is published.
        """
        self._require(Role.CHAIR, doing="open a round")
        given = _checked(rules or RoundRules())
        with self._write() as connection:
            if self._found_context(connection, f"{entity}/{record_id}") is not None:
                raise NameTakenError(
                    f'There is a round "{entity}/{record_id}" already.',
                    remedy="Change it, or open one of another name.",
                )
            head = self._find_rubric(connection, rubric)
            chosen = self._version_of(connection, head, version) if version else None
            if chosen is None:
                latest = self._published_version(connection, head)
                chosen = latest if pin else None
            if chosen is not None and chosen.status is not VersionStatus.PUBLISHED:
                raise StateError(
                    f'Version {chosen.number or "draft"} of "{head.name}" is {chosen.status.value}.',
                    remedy="Choose a published one.",
                )
            context = self._put_context(
                connection,
                Context(
                    entity=entity,
                    record_id=record_id,
                    name=name,
                    description=description,
                    rubric_id=head.id,
                    version_id=chosen.id if chosen else None,
                    due_at=due_at,
                    due_zone=due_zone,
                    self_allowed=self_allowed,
                ),
            )
            rounds.set_rules(connection, context.id, given)
            self._add_to_round(
                connection,
                context.id,
                subject_ids=[self._find_subject(connection, one).id for one in subjects],
                user_ids=[self._find_user(connection, one).id for one in reviewers],
            )
            self._log(connection, context.id, "opened", details={"rules": msgspec.to_builtins(given)})
            return self._round(connection, context)

    def change_round(
        self,
        ref: str,
        *,
        name: str | None = None,
        description: str | None = None,
        due_at: datetime | None = None,
        due_zone: str | None = None,
        self_allowed: bool | None = None,
        rules: RoundRules | None = None,
    ) -> Round:
        """Change what is given; None leaves it. A new due instant counts for the assignments that are open.

        Raises:
            StateError: the blinding of an open round would become looser: what was promised to reviewers who have
                submitted holds until it closes.
        """
        self._require(Role.CHAIR, doing="change a round")
        with self._write() as connection:
            before = self._round(connection, self._find_context(connection, ref))
            context = before.context
            changes: dict[str, Any] = {
                key: value
                for key, value in (
                    ("name", name),
                    ("description", description),
                    ("due_at", due_at),
                    ("self_allowed", self_allowed),
                )
                if value is not None
            }
            if due_at is not None:
                changes["due_zone"] = due_zone
                rounds.set_due_of_open(connection, context.id, due_at)
            self._put_context(connection, msgspec.structs.replace(context, **changes))
            if rules is not None:
                given = _checked(rules)
                is_looser = _STRICTNESS[given.blinding] < _STRICTNESS[before.rules.blinding]
                if is_looser and context.status is ContextStatus.OPEN:
                    raise StateError(
                        f'The blinding of "{context.name}" cannot go from {before.rules.blinding} to '
                        f"{given.blinding} while it is open.",
                        remedy="Close the round: that ends the stricter rule.",
                    )
                rounds.set_rules(connection, context.id, given)
                changes["rules"] = given
            self._log(connection, context.id, "changed", details=msgspec.to_builtins(changes))
            return self._round(connection, self._find_context(connection, context.id))

    def close_round(self, ref: str, reason: str = "", *, release: bool = False) -> Round:
        """Take no more evaluations in the round.

        Assignments that are still open stay so, and keep their reviewers blind, until they are declined or
        released; ``release`` releases them all at once, with the reason.

        Raises:
            StateError: it is closed already.
            NotPermittedError: the user is no chair, or releases drafts without *administer_evaluations*.
        """
        self._require(Role.CHAIR, doing="close a round")
        with self._write() as connection:
            context = self._find_context(connection, ref)
            if not rounds.set_state(connection, context.id, ContextStatus.CLOSED, at=self._clock()):
                raise StateError(f'"{context.name}" is closed already.', remedy="Open it again to change it.")
            released = 0
            if release:
                why = reason.strip() or "The round was closed."
                for one in subjects.assignments(connection, context_id=context.id):
                    if one.status is AssignmentStatus.OPEN:
                        self._end_assignment(connection, one, AssignmentStatus.RELEASED, why)
                        released += 1
            details = {"released": released} if release else None
            self._log(connection, context.id, "closed", reason=reason, details=details)
            return self._round(connection, self._find_context(connection, context.id))

    def reopen_round(self, ref: str, reason: str) -> Round:
        """Take evaluations in a closed round again, with the reason.

        Raises:
            StateError: it is open.
        """
        self._require(Role.CHAIR, doing="reopen a round")
        why = self._reason(reason)
        with self._write() as connection:
            context = self._find_context(connection, ref)
            if not rounds.set_state(connection, context.id, ContextStatus.OPEN, at=self._clock()):
                raise StateError(f'"{context.name}" is open.', remedy="Only a closed round can be reopened.")
            self._log(connection, context.id, "reopened", reason=why)
            return self._round(connection, self._find_context(connection, context.id))

    # -- reading -------------------------------------------------------------------------------------

    def rounds(self) -> tuple[Round, ...]:
        """Every round (every context), those due first in front."""
        with self._read() as connection:
            return tuple(self._round(connection, context) for context in subjects.contexts(connection))

    def round(self, ref: str) -> Round:
        """One round by the id or ``Entity/record`` of its context.

        Raises:
            NotFoundError: there is none.
        """
        with self._read() as connection:
            return self._round(connection, self._find_context(connection, ref))

    def round_log(self, ref: str) -> tuple[RoundEvent, ...]:
        """What happened to a round, oldest first; for chairs and *administer_evaluations*. That a subject on which
        she is blind was settled is not told."""
        self._require(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="read the log of a round")
        with self._read() as connection:
            found = rounds.events(connection, self._find_context(connection, ref).id)
            blind = access.blind_subjects(connection, self.user)
            if not blind:
                return found
            hidden = {
                f"{one.entity}/{one.record_id}"
                for one in subjects.subjects(connection, ids=blind, content=False)
            }
        return tuple(
            one
            for one in found
            if not (one.what.startswith("settled ") and (one.details or {}).get("subject") in hidden)
        )

    # -- what it holds and whom it asks --------------------------------------------------------------

    def add_round_subjects(self, ref: str, references: Iterable[str]) -> Round:
        """List subjects in the round (ids or ``Entity/record``); those that are there stay."""
        self._require(Role.CHAIR, doing="add subjects to a round")
        with self._write() as connection:
            context = self._find_context(connection, ref)
            ids = [self._find_subject(connection, one).id for one in references]
            fresh, _ = self._add_to_round(connection, context.id, subject_ids=ids)
            if fresh:
                self._log(connection, context.id, "subjects added", details={"count": len(fresh)})
            return self._round(connection, context)

    def add_reviewers(self, ref: str, names: Iterable[str]) -> Round:
        """Put users (logins or ids) on the round's list of reviewers; those on it stay."""
        self._require(Role.CHAIR, doing="add reviewers to a round")
        with self._write() as connection:
            context = self._find_context(connection, ref)
            people = [self._find_user(connection, one) for one in names]
            _, fresh = self._add_to_round(connection, context.id, user_ids=[one.id for one in people])
            added = sorted(one.name for one in people if one.id in fresh)
            if added:
                self._log(connection, context.id, "reviewers added", details={"reviewers": added})
            return self._round(connection, context)

    def remove_reviewer(self, ref: str, name: str, reason: str) -> Round:
        """Take a reviewer off the round's list, with the reason; what she still has open is released.

        What she has submitted stays. A round whose blinding is stricter stops holding peers back from her, except on
        what she has submitted, so nobody takes herself off while it is open.

        Raises:
            NotFoundError: she is not on the list.
            NotPermittedError: she has begun, and the user does not hold *administer_evaluations*; or she is the
                user, and the round keeps peers from its reviewers.
        """
        self._require(Role.CHAIR, doing="remove reviewers from a round")
        why = self._reason(reason)
        with self._write() as connection:
            found = self._round(connection, self._find_context(connection, ref))
            context = found.context
            user = self._find_user(connection, name)
            is_held = found.rules.blinding is not Blinding.STANDARD and context.status is ContextStatus.OPEN
            if is_held and user.id in (self.user.id, getattr(self.user, "login_id", None)):
                raise NotPermittedError(
                    f'"{context.name}" keeps peers from its reviewers until it closes: nobody takes herself off its list.',
                    remedy="Ask another chair, or close the round first.",
                )
            if not rounds.remove_reviewer(connection, context.id, user.id):
                raise NotFoundError(
                    f'{user.name} is no reviewer of "{context.name}".', remedy="`round show` lists them."
                )
            for one in subjects.assignments(connection, user_id=user.id, context_id=context.id):
                if one.status is AssignmentStatus.OPEN:
                    self._end_assignment(connection, one, AssignmentStatus.RELEASED, why)
            self._log(connection, context.id, "reviewer removed", reason=why, details={"reviewer": user.name})
            return self._round(connection, context)

    # -- conflicts of interest -----------------------------------------------------------------------

    def declare_conflict(self, subject: str, reason: str, *, user: str | None = None) -> Conflict:
        """Say that somebody must not score a subject. Anybody says it of herself, a chair of everyone.

        It holds in every round: nobody can assign the subject to her any more. Open assignments stand until they
        are declined or released.
        """
        why = self._reason(reason)
        with self._write() as connection:
            person = self._person_of(connection, user, doing="declare conflicts of others")
            found = self._find_subject(connection, subject)
            rounds.put_conflict(
                connection, person.id, found.id, reason=why, at=self._clock(), by=self.user.name, id=self._new_id()
            )  # fmt: skip
            listed = rounds.conflicts(connection, user_id=person.id, subjects_in=[found.id])
            return listed[0]

    def withdraw_conflict(self, subject: str, *, user: str) -> None:
        """A chair takes a conflict of interest back.

        Raises:
            NotFoundError: there is none.
        """
        self._require(Role.CHAIR, doing="withdraw conflicts of interest")
        with self._write() as connection:
            person, found = self._find_user(connection, user), self._find_subject(connection, subject)
            if not rounds.remove_conflict(connection, person.id, found.id):
                raise NotFoundError(
                    f'{person.name} has no conflict of interest with "{found.title or found.record_id}".',
                    remedy="`round conflicts` lists them.",
                )

    def conflicts(self, *, context: str | None = None) -> tuple[Conflict, ...]:
        """The user's own conflicts of interest; everyone's for a chair or *administer_evaluations*.

        Args:
            context: only with subjects of this round.
        """
        everyone = self._holds(Role.CHAIR, Role.ADMINISTER_EVALUATIONS)
        with self._read() as connection:
            place = self._optional_context(connection, context)
            return rounds.conflicts(
                connection,
                user_id=None if everyone else self.user.id,
                subjects_in=None if place is None else rounds.subject_ids(connection, place.id),
            )

    # -- shared steps --------------------------------------------------------------------------------

    def _person_of(self, connection: Connection, name: str | None, *, doing: str) -> User:
        if name is None or name in (self.user.name, self.user.id):
            return self.user
        self._require(Role.CHAIR, doing=doing)
        return self._find_user(connection, name)

    @staticmethod
    def _found_context(connection: Connection, ref: str) -> Context | None:
        return subjects.find_context(connection, ref)

    def _round(self, connection: Connection, context: Context) -> Round:
        found = rounds.round_of(connection, context.id)
        assert found is not None
        return found

    def _log(
        self,
        connection: Connection,
        context_id: str,
        what: str,
        *,
        reason: str = "",
        details: dict[str, Any] | None = None,
    ) -> None:
        rounds.log(
            connection,
            context_id,
            what,
            at=self._clock(),
            by=self.user.name,
            id=self._new_id(),
            reason=reason.strip() or None,
            details=details,
        )


def _checked(rules: RoundRules) -> RoundRules:
    """Rules that make sense.

    Raises:
        InvalidInputError: a threshold that is no share, no review at all, or a field that cannot be hidden.
    """
    if not 0 <= rules.disagreement_threshold <= 1:
        raise InvalidInputError(
            f"The disagreement threshold is {rules.disagreement_threshold}.",
            remedy="Use a spread between 0 and 1.",
        )
    if rules.reviews_per_subject is not None and rules.reviews_per_subject < 1:
        raise InvalidInputError(
            f"A subject cannot have {rules.reviews_per_subject} reviews.", remedy="Use 1 or more."
        )
    fields = tuple(dict.fromkeys(path.strip() for path in rules.hidden_fields))
    for path in fields:
        if path in _ALWAYS_SHOWN or not all(path.split(".")):
            raise InvalidInputError(
                f'"{path}" cannot be hidden: only fields of a subject\'s data can, as author or author.name.',
                remedy="Give such subjects neutral titles and texts when you add them.",
            )
    return msgspec.structs.replace(rules, hidden_fields=fields)
