"""What the engine refuses, by name. Each is a ``RubrictuiError``: one line, a remedy, a stable code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rubrictui.core.errors import RubrictuiError

if TYPE_CHECKING:
    from datetime import datetime

    from rubrictui.core.authoring import Problem
    from rubrictui.core.model import VersionSnapshot
    from rubrictui.core.records import DraftAnswer, SubmitProblem
    from rubrictui.core.rounds import AssignmentProblem
    from rubrictui.ground.findings import Finding


class NotFoundError(RubrictuiError):
    """What was named is not in the store, or the asker may not see it: the two look the same on purpose."""

    code = "not_found"


class NoPublishedVersionError(NotFoundError):
    """A rubric was named without a version and has none that is Published (guide section 13)."""

    code = "no_published_version"


class NotPermittedError(RubrictuiError):
    """The user lacks the role that this needs (design, "The store")."""

    code = "not_permitted"


class NameTakenError(RubrictuiError):
    """A name that must be unique in the store (rubric, scale, category, user) is in use."""

    code = "name_taken"


class StateError(RubrictuiError):
    """The record is not in a state that allows this: a second draft, a closed round, a retired version."""

    code = "wrong_state"


class DraftClosedError(StateError):
    """The evaluation is no longer a Draft, so its answers stand as they are."""

    code = "draft_closed"


class StaleDraftError(StateError):
    """A rubric draft was saved by someone else since it was read. Nothing was stored.

    Attributes:
        revision: the revision that is stored now.
        stored: the draft as it is stored now.
        saved_by, saved_at: the login and the instant of the save that came in between, where they are known.
    """

    code = "stale_draft"

    def __init__(
        self,
        message: str,
        *,
        revision: int,
        stored: VersionSnapshot,
        saved_by: str | None,
        saved_at: datetime | None,
        remedy: str = "",
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.revision = revision
        self.stored = stored
        self.saved_by = saved_by
        self.saved_at = saved_at


class DraftConflictError(StateError):
    """The same criterion was answered elsewhere since the caller last read the draft. Nothing was stored.

    Attributes:
        stored: what the store holds for that criterion, with the revision that put it there.
        revision: the draft's revision now; pass it as ``base_revision`` to answer over ``stored``.
    """

    code = "draft_conflict"

    def __init__(self, message: str, *, stored: DraftAnswer, revision: int, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.stored = stored
        self.revision = revision


class PublishRefusedError(RubrictuiError):
    """A draft that cannot become a version.

    Attributes:
        problems: every reason, with the node or band it is about; the message holds the first and counts
            the others. A draft without a change has one of code ``identical``.
    """

    code = "publish_refused"

    def __init__(self, message: str, *, problems: tuple[Problem, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.problems = problems


class SubmitRefusedError(RubrictuiError):
    """A draft that cannot be submitted yet.

    Attributes:
        problems: everything that is missing or wrong, in the order of the criteria.
    """

    code = "submit_refused"

    def __init__(self, message: str, *, problems: tuple[SubmitProblem, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.problems = problems


class AssignmentRefusedError(RubrictuiError):
    """Assignments that cannot all be made. None was.

    Attributes:
        problems: every reason, with its row and column where a list was given; the message is the first.
    """

    code = "assignment_refused"

    def __init__(self, message: str, *, problems: tuple[AssignmentProblem, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.problems = problems


class ScoresRefusedError(RubrictuiError):
    """A file of evaluations that cannot be taken in. Nothing of it was stored.

    Attributes:
        problems: everything that is wrong, with its row and column; the message holds the first and counts the others.
    """

    code = "scores_refused"

    def __init__(self, message: str, *, problems: tuple[Finding, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.problems = problems


class SupersedeRefusedError(RubrictuiError):
    """Only the same evaluator replaces an evaluation, for the same subject, context and rubric."""

    code = "supersede_refused"


class EvaluatorFailedError(RubrictuiError):
    """An evaluator that began and could not finish, or answered what cannot be stored.

    Attributes:
        evaluation_id: the Failed evaluation that keeps its message.
    """

    code = "evaluator_failed"

    def __init__(self, message: str, *, evaluation_id: str, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.evaluation_id = evaluation_id
