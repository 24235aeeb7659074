"""Settling what is to be scored: subject, rubric and version, context, assignment."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionStatus
from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Context,
    ContextStatus,
    EvaluatorType,
    Subject,
)
from rubrictui.engine.errors import NotFoundError, NotPermittedError, StateError
from rubrictui.engine.previewing import Previewing
from rubrictui.store import access_rules, rubrics, subjects
from rubrictui.store.rubrics import RubricHead, VersionHead

# A person's own word, given under a login; every other type is a machine's, known by its name too.
PEOPLE = frozenset({EvaluatorType.HUMAN, EvaluatorType.SELF})


class Work(NamedTuple):
    """One piece of work, settled: what a new evaluation will say about itself."""

    subject: Subject
    rubric_id: str
    rubric_name: str
    version: VersionHead
    context: Context | None
    assignment: Assignment | None

    @property
    def context_id(self) -> str | None:
        return self.context.id if self.context else None

    def assignment_for(self, kind: EvaluatorType) -> str | None:
        """The assignment that an evaluation of this type fulfils: only a review by the one who was asked."""
        return self.assignment.id if self.assignment and kind is EvaluatorType.HUMAN else None


class Evaluator(NamedTuple):
    """Who scores, besides the user: a person has no ``name`` here, a machine must."""

    type: EvaluatorType
    name: str | None


def evaluator(kind: EvaluatorType | str, name: str | None) -> Evaluator:
    """Who scores, checked.

    Raises:
        InvalidInputError: an unknown type, a machine without a name, or a person with one.
    """
    try:
        chosen = EvaluatorType(kind)
    except ValueError:
        raise InvalidInputError(
            f'There is no evaluator type "{kind}".', remedy=f"Use {', '.join(EvaluatorType)}."
        ) from None
    title = (name or "").strip() or None
    if chosen in PEOPLE and title is not None:
        raise InvalidInputError(
            f'A {chosen.value} evaluation carries no evaluator name ("{title}").',
            remedy="The user is its evaluator.",
        )
    if chosen not in PEOPLE and title is None:
        raise InvalidInputError(
            f"An evaluation of type {chosen.value} needs the evaluator's name.",
            remedy="Name the judge, rule set or source, so that a rerun replaces its own result.",
        )
    return Evaluator(chosen, title)


class Settling(Previewing):
    """Finding the work behind the words of a call."""

    def _work(
        self,
        connection: Connection,
        *,
        subject: str | None,
        rubric: str | None,
        version: str | None,
        context: str | None,
        assignment: str | None,
    ) -> Work:
        """Everything named, found. What is not named comes from the assignment, then from the context.

        The version is the one named, else the assignment's, else the context's, else the latest Published.
        """
        asked = self._own_open_assignment(connection, assignment) if assignment else None
        subject_ref = asked.subject_id if asked else subject
        if subject_ref is None:
            raise InvalidInputError("No subject is named.", remedy="Name a subject or an assignment.")
        found = self._find_subject(connection, subject_ref)
        self._refuse_hidden(connection, found.id)
        place = self._optional_context(connection, asked.context_id if asked else context)
        pinned = version or (asked.version_id if asked else None)
        wanted = asked.rubric_id if asked else rubric
        head, chosen = self._rubric_and_version(connection, wanted, pinned, place)
        if asked is None:
            asked = subjects.open_assignment(
                connection,
                user_id=self.user.id,
                subject_id=found.id,
                rubric_id=head.id,
                context_id=place.id if place else None,
            )
            if asked is not None and asked.version_id and version is None:
                chosen = self._find_version(connection, asked.version_id)
        return Work(found, head.id, head.name, chosen, place, asked)

    def _refuse_hidden(self, connection: Connection, subject_id: str) -> None:
        """Refuse work in another's name on a subject on which the one who really asks is blind: that it was begun or
        submitted would already tell."""
        if subject_id in access_rules.hidden_from_login(connection, self.user):
            raise NotPermittedError(
                f"You have work of your own on this subject: what {self.user.name} does with it is hidden from you.",
                remedy="Submit yours, or decline it with a reason; then act for others.",
            )

    def _rubric_and_version(
        self, connection: Connection, rubric: str | None, version: str | None, context: Context | None
    ) -> tuple[RubricHead, VersionHead]:
        if rubric is None and version is None and context is not None:
            rubric = context.rubric_id
        if version is not None:
            chosen = self._find_version(connection, version)
            if rubric is not None and self._find_rubric(connection, rubric).id != chosen.rubric_id:
                raise InvalidInputError(
                    f'Version {chosen.number or "draft"} is of "{chosen.rubric_name}", not of that rubric.',
                    remedy="Name the rubric or the version, not both.",
                )
            return self._find_rubric(connection, chosen.rubric_id), chosen
        if rubric is None:
            raise InvalidInputError(
                "No rubric is named.", remedy="Name a rubric, a version, or a context that has one."
            )
        head = rubrics.find_rubric(connection, rubric)
        if head is None:
            chosen = self._find_version(connection, rubric)
            return self._find_rubric(connection, chosen.rubric_id), chosen
        if context is not None and context.version_id is not None and context.rubric_id in (None, head.id):
            pinned = self._find_version(connection, context.version_id)
            if pinned.rubric_id == head.id:
                return head, pinned
        return head, self._published_version(connection, head)

    def _own_open_assignment(self, connection: Connection, assignment_id: str) -> Assignment:
        found = subjects.find_assignment(connection, assignment_id)
        if found is None or found.user_id != self.user.id:
            raise NotFoundError(f"You have no assignment {assignment_id}.", remedy="The inbox lists yours.")
        if found.status is not AssignmentStatus.OPEN:
            raise StateError(
                f"That assignment is {found.status.value}.", remedy="Only an Open one can be worked on."
            )
        return found

    @staticmethod
    def _check_new(work: Work, by: Evaluator, *, correcting: bool) -> None:
        """Refuse a new evaluation where the version or the context takes none.

        ``correcting``: it supersedes another, which may be of a version that was retired since.
        """
        version = work.version
        if version.status is VersionStatus.DRAFT:
            raise StateError(
                f'"{version.rubric_name}" is a draft there, and a score must say what it was given for.',
                remedy="Publish the draft, or score with a published version.",
            )
        if version.status is VersionStatus.RETIRED and not correcting:
            raise StateError(
                f'Version {version.number} of "{version.rubric_name}" is retired.',
                remedy="Score with a published version, or have this one restored.",
            )
        check_context(work.context, by)


def check_context(context: Context | None, by: Evaluator) -> None:
    """Refuse where the context takes no scores any more, or none of a subject's own."""
    if context is None:
        return
    if context.status is ContextStatus.CLOSED:
        raise StateError(
            f'"{context.name or context.record_id}" is closed.', remedy="Its chair can open it again."
        )
    if by.type is EvaluatorType.SELF and not context.self_allowed:
        raise StateError(
            f'"{context.name or context.record_id}" takes no self-assessments.',
            remedy="Its chair can allow them.",
        )
