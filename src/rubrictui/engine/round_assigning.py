"""Who reviews what in a round: balanced, as a list says, and taken back again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from rubrictui.core.assigning import Pair, Short, balance
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import Assignment, AssignmentStatus, Context, ContextStatus, Role, Subject, User
from rubrictui.core.rounds import AssignmentPlan, AssignmentProblem, ListedAssignment
from rubrictui.engine.errors import AssignmentRefusedError, NotFoundError, StateError
from rubrictui.engine.rounds import Rounds
from rubrictui.store import rounds, subjects, users

_HELD = (AssignmentStatus.OPEN, AssignmentStatus.DONE)


class RoundAssigning(Rounds):
    """Assigning in a round. Each call makes all of its assignments, or none."""

    def assign_balanced(
        self,
        ref: str,
        *,
        per_subject: int | None = None,
        reviewers: Iterable[str] | None = None,
        subjects_in: Iterable[str] | None = None,
        seed: int = 0,
        partly: bool = False,
    ) -> AssignmentPlan:
        """Give each subject of a round so many reviewers, loads even, around conflicts of interest.

        Assignments that are there stay and count. Whoever declined or was released is not asked for that subject
        again. The same people, subjects and seed give the same outcome, in any store.

        Args:
            per_subject: the round's number of reviews when omitted.
            reviewers: logins or ids; the round's reviewers when omitted.
            subjects_in: ids or ``Entity/record``; the round's subjects when omitted.
            partly: assign what is possible when some subject cannot have all its reviews.

        Raises:
            NotPermittedError: the user is no chair.
            StateError: the round is closed, or has no rubric.
            AssignmentRefusedError: some subject cannot have its reviews; it says which, and why.
        """
        self._require(Role.CHAIR, doing="assign subjects")
        with self._write() as connection:
            found = self._round(connection, self._find_context(connection, ref))
            context = found.context
            rubric_id = _open_with_rubric(context)
            number = per_subject if per_subject is not None else found.rules.reviews_per_subject
            if number is None:
                raise InvalidInputError(
                    "How many reviews each subject is to have is not said.",
                    remedy="Name a number, as --each 3.",
                )
            people = (
                [self._find_user(connection, name) for name in reviewers]
                if reviewers is not None
                else list(found.reviewers)
            )
            work = (
                tuple(self._find_subject(connection, one) for one in subjects_in)
                if subjects_in is not None
                else rounds.round_subjects(connection, context.id)
            )
            by_name = {user.name: user for user in people}
            by_subject = {_name(subject): subject for subject in work}
            names = {user.id: user.name for user in people}
            refs = {subject.id: _name(subject) for subject in work}
            existing, over = self._pairs(connection, context, rubric_id, names, refs)
            excluded = over | {
                Pair(names[one.user_id], refs[one.subject_id])
                for one in rounds.conflicts(connection, subjects_in=refs)
                if one.user_id in names
            }
            plan = balance(
                list(by_subject), list(by_name), number, seed=seed, excluded=excluded, existing=existing
            )
            uncovered = tuple(_why(one, over) for one in plan.short)
            if uncovered and not partly:
                raise AssignmentRefusedError(
                    uncovered[0].message,
                    problems=uncovered,
                    remedy="Add reviewers, ask for fewer reviews, or assign what is possible with --partly.",
                )
            made = tuple(
                self._assign(
                    connection, by_subject[pair.subject], by_name[pair.reviewer], context, rubric_id=rubric_id
                )[0]
                for pair in plan.pairs
            )
            self._log(
                connection,
                context.id,
                "assigned",
                details={"how": "balanced", "made": len(made), "each": number, "seed": seed},
            )
            return AssignmentPlan(made=made, uncovered=tuple(one.message for one in uncovered))

    def _pairs(
        self,
        connection: Connection,
        context: Context,
        rubric_id: str,
        names: dict[str, str],
        refs: dict[str, str],
    ) -> tuple[set[Pair], set[Pair]]:
        """The pairs that stand, and those that ended without a review."""
        standing: set[Pair] = set()
        over: set[Pair] = set()
        for one in subjects.assignments(connection, context_id=context.id):
            if one.subject_id not in refs or one.rubric_id != rubric_id:
                continue
            name = names.get(one.user_id) or self._find_user(connection, one.user_id).name
            pair = Pair(name, refs[one.subject_id])
            (standing if one.status in _HELD else over).add(pair)
        return standing, over - standing

    def assign_listed(self, ref: str, rows: Sequence[ListedAssignment]) -> AssignmentPlan:
        """Assign in a round what a list says, all of it or nothing.

        A pair that stands already is kept. New reviewers and subjects are put on the round's lists.

        Raises:
            NotPermittedError: the user is no chair.
            StateError: the round is closed, or has no rubric.
            AssignmentRefusedError: an unknown reviewer or subject, or a conflict of interest; every one with its
                row and column.
        """
        self._require(Role.CHAIR, doing="assign subjects")
        with self._write() as connection:
            context = self._find_context(connection, ref)
            rubric_id = _open_with_rubric(context)
            problems: list[AssignmentProblem] = []
            ready: list[tuple[Subject, User, ListedAssignment]] = []
            barred = {(one.user_id, one.subject_id): one for one in rounds.conflicts(connection)}
            for row in rows:
                subject = subjects.find_subject(connection, row.subject)
                user = users.find_user(connection, row.reviewer)
                if subject is None:
                    problems.append(
                        _at(
                            "unknown_subject", row, row.subject_column, f'there is no subject "{row.subject}"'
                        )
                    )
                if user is None:
                    problems.append(
                        _at(
                            "unknown_reviewer", row, row.reviewer_column, f'there is no user "{row.reviewer}"'
                        )
                    )
                if subject is None or user is None:
                    continue
                conflict = barred.get((user.id, subject.id))
                if conflict is not None:
                    said = f'{user.name} has a conflict of interest with "{row.subject}": {conflict.reason}'
                    problems.append(_at("conflict", row, row.reviewer_column, said))
                ready.append((subject, user, row))
            if problems:
                raise AssignmentRefusedError(
                    problems[0].message,
                    problems=tuple(problems),
                    remedy="Nothing was assigned. Correct the list.",
                )
            made: list[Assignment] = []
            kept: list[Assignment] = []
            for subject, user, row in ready:
                if row.due_at is None and self._stands(connection, subject, user, context, rubric_id):
                    continue
                one, is_new = self._assign(
                    connection, subject, user, context, rubric_id=rubric_id, due_at=row.due_at
                )
                (made if is_new else kept).append(one)
            self._log(
                connection, context.id, "assigned", details={"how": "listed", "made": len(made), "kept": len(rows) - len(made)}
            )  # fmt: skip
            return AssignmentPlan(made=tuple(made), kept=tuple(kept))

    @staticmethod
    def _stands(
        connection: Connection, subject: Subject, user: User, context: Context, rubric_id: str
    ) -> bool:
        """Whether she has done this work already: a list that is given twice asks nobody twice."""
        return any(
            one.status is AssignmentStatus.DONE and one.rubric_id == rubric_id
            for one in subjects.assignments(
                connection, user_id=user.id, subject_id=subject.id, context_id=context.id
            )
        )

    def release_from_round(
        self, ref: str, reason: str, *, reviewer: str | None = None, subject: str | None = None
    ) -> tuple[Assignment, ...]:
        """Take open assignments of a round back, with the reason: a reviewer's, a subject's, or one of both.

        Raises:
            InvalidInputError: neither a reviewer nor a subject is named.
            NotFoundError: nothing of it is open.
            NotPermittedError: as ``release``.
        """
        why = self._reason(reason)
        self._require(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="release assignments")
        if reviewer is None and subject is None:
            raise InvalidInputError(
                "Whom to release is not said.", remedy="Name a reviewer, a subject, or both."
            )
        with self._write() as connection:
            context = self._find_context(connection, ref)
            found = subjects.assignments(
                connection,
                context_id=context.id,
                user_id=self._find_user(connection, reviewer).id if reviewer is not None else None,
                subject_id=self._find_subject(connection, subject).id if subject is not None else None,
            )
            still_open = [one for one in found if one.status is AssignmentStatus.OPEN]
            if not still_open:
                raise NotFoundError(
                    f'No open assignment of that is in "{context.name}".',
                    remedy="`round show` lists what is open.",
                )
            ended = tuple(
                self._end_assignment(connection, one, AssignmentStatus.RELEASED, why) for one in still_open
            )
            self._log(connection, context.id, "released", reason=why, details={"released": len(ended)})
            return ended


def _name(subject: Subject) -> str:
    return f"{subject.entity}/{subject.record_id}"


def _open_with_rubric(context: Context) -> str:
    if context.status is ContextStatus.CLOSED:
        raise StateError(f'"{context.name}" is closed.', remedy="Open it again first.")
    if context.rubric_id is None:
        raise StateError(
            f'"{context.name}" has no rubric.', remedy="Give the round one: `context add --rubric`."
        )
    return context.rubric_id


def _why(short: Short, over: set[Pair]) -> AssignmentProblem:
    gave_back = {pair.reviewer for pair in over if pair.subject == short.subject}
    reasons = [
        f"{words} {', '.join(names)}"
        for words, names in (
            ("conflict of interest:", sorted(set(short.excluded) - gave_back)),
            ("declined or released:", sorted(gave_back & set(short.excluded))),
        )
        if names
    ]
    because = f" ({'; '.join(reasons)})" if reasons else " (too few reviewers)"
    return AssignmentProblem(
        code="uncovered",
        message=f"{short.subject} can have {short.possible} of {short.wanted}{because}.",
    )


def _at(code: str, row: ListedAssignment, column: int, what: str) -> AssignmentProblem:
    return AssignmentProblem(
        code=code,
        message=f"{row.source}, row {row.row}, column {column}: {what}.",
        source=row.source,
        row=row.row,
        column=column,
    )
