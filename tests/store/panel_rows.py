"""A small panel to read: reviewers, a chair, machines; one rubric of two majors; subjects in two rounds."""

from __future__ import annotations

import inspect
from typing import Any

from sqlalchemy import Connection, select
from store_rows import START, Rows

from rubrictui.core.records import Assignment, AssignmentStatus, Role, User
from rubrictui.store import access, access_round, subjects, upkeep
from rubrictui.store.database import Database
from rubrictui.store.inbox import inbox
from rubrictui.store.tables import ASSIGNMENT, EVALUATION


class Panel:
    """``north`` is scored by Ben (0.75) and a judge (0.5) in spring; ``south`` by Ben in no context."""

    def __init__(self, database: Database) -> None:
        self.rows = rows = Rows(database)
        self.database = database
        self.criteria: dict[tuple[str, str], str] = {}
        with rows.together():
            self.ann = rows.user("ann", Role.REVIEWER)
            self.ben = rows.user("ben", Role.REVIEWER)
            self.cai = rows.user("cai", Role.REVIEWER)
            self.chair = rows.user("chair", Role.CHAIR, Role.REVIEWER, Role.AUTHOR)
            self.head = rows.user("head", Role.CHAIR, Role.ADMINISTER_EVALUATIONS)
            self.dev = rows.user("dev", Role.DEVELOPER)
            self.bot = rows.user("bot", Role.INTEGRATION)
            self.mill = rows.user("mill", Role.INTEGRATION)
            self.scale = rows.scale("Meets / Miss")
            self.meets = rows.level(self.scale)
            self.rubric = rows.rubric("Vendor proposal")
            self.version = self.publish(self.rubric, (1, 0, 0))
            self.next_version = self.publish(self.rubric, (2, 0, 0))
            self.north, self.south = rows.subject("north"), rows.subject("south")
            self.spring, self.autumn = rows.context("spring"), rows.context("autumn")
            self.by_ben = self.scored(self.ben, self.north, 0.75, context_id=self.spring)
            self.by_judge = self.scored(
                self.mill, self.north, 0.5, context_id=self.spring,
                evaluator_type="AIPrompt", evaluator_name="Judge",
            )  # fmt: skip
            self.by_ben_south = self.scored(self.ben, self.south, 0.25)

    def publish(self, rubric: str, number: tuple[int, int, int]) -> str:
        rows = self.rows
        version = rows.draft(rubric)
        group = rows.criterion(version, "quality", node_type="Group", sequence=0)
        self.criteria[version, "quality"] = group
        for sequence, key in enumerate(("clarity", "evidence")):
            self.criteria[version, key] = rows.criterion(
                version, key, parent_id=group, scale_id=self.scale, sequence=sequence
            )
        rows.publish(version, number)
        return version

    def criterion(self, key: str, version: str | None = None) -> str:
        return self.criteria[version or self.version, key]

    def answered(self, evaluation: str, version: str | None = None, score: float | None = 0.5) -> None:
        for sequence, key in enumerate(("quality", "clarity", "evidence")):
            self.rows.score(
                evaluation,
                self.criterion(key, version),
                scale_level_id=None if key == "quality" else self.meets,
                rationale=None if key == "quality" else f"On {key}.",
                normalized_score=score,
                sequence=sequence,
            )

    def scored(self, user: User, subject: str, score: float | None, **values: Any) -> str:
        """A Submitted evaluation with all its rows."""
        version = values.pop("version", self.version)
        passed = values.pop("passed", None)
        evaluation = self.rows.evaluation(user, subject, version, **values)
        self.answered(evaluation, version, score)
        return self.rows.submit(evaluation, score, passed=passed)

    def begun(self, user: User, subject: str, **values: Any) -> str:
        """A Draft with its answers."""
        version = values.pop("version", self.version)
        evaluation = self.rows.evaluation(user, subject, version, **values)
        self.answered(evaluation, version)
        return evaluation

    # -- every way to read ---------------------------------------------------------------------------

    def cohorts(self) -> list[dict[str, Any]]:
        keys = [
            (self.north, self.spring, 1),
            (self.north, self.spring, 2),
            (self.north, self.autumn, 1),
            (self.north, None, 1),
            (self.south, None, 1),
        ]
        return [
            {"subject_id": subject, "rubric_id": self.rubric, "context_id": context, "major": major}
            for subject, context, major in keys
        ]

    def evaluation_ids(self, connection: Connection) -> list[str]:
        return [*connection.execute(select(EVALUATION.c.id).order_by(EVALUATION.c.id)).scalars(), "unknown"]

    def all_that(self, viewer: User, ids: list[str] | None = None) -> dict[str, Any]:
        """What every read path gives this viewer, for everything there is to ask about.

        ``ids`` are the evaluations to ask for one by one; all that exist by default.
        """
        with self.database.read() as c:
            asked = ids or self.evaluation_ids(c)
            found: dict[str, Any] = {
                "blind_subjects": access.blind_subjects(c, viewer),
                "is_blind": [access.is_blind(c, viewer, one) for one in (self.north, self.south)],
                "veiled": access.veiled(c, viewer, subjects.assignments(c)),
                "count": access.count(c, viewer),
                "counts_by_version": access.counts_by_version(c, viewer),
                "evaluation": [access.evaluation(c, viewer, id) for id in asked],
                "scores": [access.scores(c, viewer, id) for id in asked],
                "draft_answers": [access.draft_answers(c, viewer, id) for id in asked],
                "draft_cursor": [access.draft_cursor(c, viewer, id) for id in asked],
                "answers_of": access.answers_of(c, viewer, asked),
                "cursors_of": access.cursors_of(c, viewer, asked),
                "evaluations": [
                    access.evaluations(c, viewer),
                    access.evaluations(c, viewer, subject_id=self.north),
                    access.evaluations(c, viewer, context_id=self.spring),
                    access.evaluations(c, viewer, rubric_id=self.rubric, limit=3),
                    access.evaluations(c, viewer, version_id=self.version),
                ],
                "answer_sets": self._answer_sets(c, viewer),
                "past_answers": [
                    access.past_answers(c, viewer, rubric_id=self.rubric, criterion_key=key)
                    for key in ("clarity", "quality")
                ],
                "cohort": [access.cohort(c, viewer, **key) for key in self.cohorts()],
                "cohort_scores": [access.cohort_scores(c, viewer, **key) for key in self.cohorts()],
                **self._of_rounds(c, viewer),
            }
            assert set(found) == ways_to_read(), "a way to read that the blind rule is not tested for"
            found["inbox"] = inbox(c, viewer)
            found["counts"] = upkeep.counts(c, viewer)
        return found

    def _of_rounds(self, c: Connection, viewer: User) -> dict[str, Any]:
        of: dict[str, Any] = {"rubric_id": self.rubric, "major": 1}
        rounds = (self.spring, self.autumn)
        # Whose work she may count is the engine's to decide, as here.
        own_only = not {Role.CHAIR, Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION} & set(
            viewer.roles
        )
        return {
            "round_scores": [
                access_round.round_scores(c, viewer, one, subject_id=subject, with_texts=True, **of)
                for one in (*rounds, None)
                for subject in (None, self.north, self.south)
            ],
            "comments": [
                access_round.comments(c, viewer, one, subject_id=self.north, **of) for one in rounds
            ],
            "round_figures": [access_round.round_figures(c, viewer, one, **of) for one in rounds],
            "round_work": [
                sorted(access_round.round_work(c, viewer, one, now=START, own_only=own_only))
                for one in rounds
            ],
            "round_tally": [sorted(access_round.round_tally(c, viewer, one)) for one in rounds],
            "round_done": [access_round.round_done(c, viewer, one, own_only=own_only) for one in rounds],
        }

    def _answer_sets(self, connection: Connection, viewer: User) -> Any:
        sets = access.answer_sets(connection, viewer, self.version, limit=100)
        return (sets.evaluations, sets.left_out, sets.limited, list(sets.answers()))

    def assign(self, user: User, subject: str, **values: Any) -> str:
        return self.rows.assignment(user, subject, self.rubric, **values)

    def end_assignment(self, assignment: str, status: AssignmentStatus) -> str:
        return self.rows.change(ASSIGNMENT, assignment, status=status.value, ended_at=self.rows.now())


def ways_to_read() -> set[str]:
    """The public functions of ``access`` and ``access_round`` that take a viewer."""
    return {
        name
        for module in (access, access_round)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and "viewer" in inspect.signature(function).parameters
    }


def seen(found: dict[str, Any]) -> set[str]:
    """The ids of the evaluations that any of the rows in ``found`` belongs to."""
    ids = {one.id for listed in found["evaluations"] for one in listed}
    ids |= {one.id for one in found["evaluation"] if one is not None}
    ids |= {one.evaluation_id for listed in found["past_answers"] for one in listed}
    return ids | {one.evaluation_id for one in found["inbox"] if one.evaluation_id}


def statuses(found: dict[str, Any]) -> dict[str, AssignmentStatus]:
    listed: tuple[Assignment, ...] = found["veiled"]
    return {one.id: one.status for one in listed}
