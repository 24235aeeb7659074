"""The steps of settling: finding what is settled, and refusing what may not be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, Self

import msgspec
from sqlalchemy import Connection

from rubrictui.core.adjudication import (
    MAXIMUM_NOTE,
    Adjudication,
    SettlementStart,
    answers_of,
    compulsory,
    may_settle,
    panel_answers,
    same_choices,
)
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.panel_tables import PanelEvaluation, PanelSubject, PanelTable
from rubrictui.core.records import Acting, Context, EvaluationStatus, Role, Subject
from rubrictui.core.rounding import round6
from rubrictui.core.rounds import RoundOverview, SubjectProgress
from rubrictui.engine.checking import storable, submit_problems
from rubrictui.engine.errors import NotFoundError, NotPermittedError, StateError, SubmitRefusedError
from rubrictui.engine.round_tables import RoundTables, criteria_of
from rubrictui.store import access, access_round, adjudications, rounds
from rubrictui.store.adjudications import SettlementKey, StoredDraft

#: ``take`` of this word means the panel's middle instead of one evaluator.
PANEL = "panel"


class Case(NamedTuple):
    """One subject of a round, found: what is settled, on which version, and from which evaluations (``basis``)."""

    context: Context
    subject: Subject
    key: SettlementKey
    version: VersionSnapshot
    draft: StoredDraft | None
    basis: tuple[str, ...]

    @property
    def title(self) -> str:
        return self.subject.title or self.subject.record_id


class AdjudicationSteps(RoundTables):
    """What the methods of ``Adjudicating`` have in common."""

    def _speaking_for(self, as_user: str | None) -> Self:
        """The engine of the one in whose name it is asked."""
        if as_user is None or as_user in (self.user.name, self.user.id):
            return self
        self._require(Role.ADMINISTER_EVALUATIONS, doing="act as another user")
        other = self._known_user(as_user)
        login = self.user.login_id if isinstance(self.user, Acting) else self.user.id
        return self._acting_as(Acting(**msgspec.structs.asdict(other), login_id=login))

    def _require_adjudicator(self) -> None:
        if may_settle(self.user.roles):
            return
        raise NotPermittedError(
            f"{self.user.name} may not settle disagreements: it takes administer_evaluations, or a chair who reads "
            "all evaluations.",
            remedy="Someone with administer_evaluations can settle, or grant it.",
        )

    def _case(self, connection: Connection, context: str, subject: str) -> Case:
        """The subject and what it is settled on, for an adjudicator who is not blind on it."""
        self._require_adjudicator()
        place = self._find_context(connection, context)
        found = self._find_subject(connection, subject)
        title = found.title or found.record_id
        if access.is_blind(connection, self.user, found.id):
            if adjudications.has_open_review(connection, self.user, found.id):
                raise StateError(
                    f'You have a review of "{title}" open yourself: who settles has none pending.',
                    remedy="Submit or decline it first, or leave it to somebody else.",
                )
            raise StateError(
                f'"{title}" is hidden from you for now: a round keeps peers from its reviewers until it closes, or '
                "work on it is open.",
                remedy="Close the round first, or leave it to somebody else.",
            )
        head = self._rubric_of(connection, None, place)
        major, version = self._tree_of(connection, head, place, None)
        counts = adjudications.counting(
            connection, self.user, place.id, rubric_id=head.id, major=major, subject_id=found.id
        )
        if not counts and found.id not in rounds.subject_ids(connection, place.id):
            raise NotFoundError(
                f'"{title}" is no subject of "{place.name or place.record_id}".',
                remedy="`round show` lists its subjects.",
            )
        key = SettlementKey(place.id, found.id, head.id, major)
        draft = adjudications.find_draft(connection, self.user, key)
        if draft is not None:
            # A version published since belongs to what is begun later.
            version = self._snapshot(connection, draft.version_id)
        basis = counts.get(found.id, ())
        return Case(place, self._shown(connection, found)[0], key, version, draft, basis)

    def _refuse_early(self, connection: Connection, case: Case) -> None:
        """Refuse while it cannot be settled by this user, or by anybody."""
        waiting = adjudications.open_reviews(
            connection, self.user, case.context.id, subject_id=case.subject.id
        ).get(case.subject.id, ())
        if waiting:
            number = "1 review" if len(waiting) == 1 else f"{len(waiting)} reviews"
            verb = "is" if len(waiting) == 1 else "are"
            raise StateError(
                f'{number} of "{case.title}" {verb} still open: {", ".join(waiting)}.',
                remedy="Wait until it is in, or release it with a reason."
                if len(waiting) == 1
                else "Wait until they are in, or release them with a reason.",
            )
        conflict = self._conflict_with(connection, case.subject)
        if conflict:
            raise StateError(
                f'You have a conflict of interest with "{case.title}": {conflict}',
                remedy="Leave it to somebody else.",
            )
        if not case.basis:
            raise StateError(
                f'Nobody has reviewed "{case.title}" in this round: there is nothing to settle.',
                remedy="Wait for a review.",
            )

    def _unlisted(
        self, connection: Connection, overview: RoundOverview, rubric_id: str, major: int
    ) -> Iterator[SubjectProgress]:
        """The subjects that were scored for a round without being listed or assigned in it."""
        figures = access_round.round_figures(
            connection, self.user, overview.round.context.id, rubric_id=rubric_id, major=major
        )
        more = figures.keys() - {line.subject_id for line in overview.subjects}
        for one in self._listed_subjects(connection, sorted(more)) if more else ():
            found = figures[one.id]
            apart = None if found.highest is None or found.lowest is None else found.highest - found.lowest
            yield SubjectProgress(
                subject_id=one.id,
                entity=one.entity,
                record_id=one.record_id,
                title=one.title or one.record_id,
                count=found.number,
                mean=None if found.mean is None else round6(float(found.mean)),
                lowest=found.lowest,
                highest=found.highest,
                spread=None if apart is None else round6(apart),
                flips=found.flips,
            )

    def _conflict_with(self, connection: Connection, subject: Subject) -> str:
        listed = rounds.conflicts(connection, user_id=self.user.id, subjects_in=[subject.id])
        return listed[0].reason if listed else ""

    def _table_of(self, connection: Connection, case: Case) -> PanelTable:
        """The evaluations side by side, laid out by the version that is settled on."""
        key, subject = case.key, case.subject
        return PanelTable(
            context=case.context,
            rubric_id=key.rubric_id,
            rubric_name=case.version.rubric_name,
            major=key.major,
            version=case.version,
            criteria=criteria_of(case.version),
            subjects=(
                PanelSubject(
                    id=subject.id, entity=subject.entity, record_id=subject.record_id, title=case.title
                ),
            ),
            evaluations=access_round.round_scores(
                connection,
                self.user,
                key.context_id,
                subject_id=key.subject_id,
                rubric_id=key.rubric_id,
                major=key.major,
                with_texts=True,
            ),
            threshold=self._threshold(connection, case.context),
        )

    def _is_of(self, connection: Connection, one: Adjudication, rubric_id: str, major: int) -> bool:
        version = self._snapshot(connection, one.version_id)
        return version.rubric_id == rubric_id and version.major_version == major

    def _standing(self, connection: Connection, case: Case) -> Adjudication | None:
        key = case.key
        found = adjudications.settlements(connection, self.user, key.context_id, subject_id=key.subject_id)
        return next((one for one in found if self._is_of(connection, one, key.rubric_id, key.major)), None)

    def _standing_answers(self, connection: Connection, case: Case) -> tuple[Answer, ...] | None:
        standing = self._standing(connection, case)
        return adjudications.answers_of(connection, self.user, standing.id) if standing else None

    @staticmethod
    def _beginning(
        case: Case, table: PanelTable, settled: tuple[Answer, ...] | None
    ) -> tuple[tuple[Answer, ...], SettlementStart]:
        if case.draft is not None:
            return case.draft.answers, SettlementStart.DRAFT
        if settled is not None:
            return storable(case.version, settled), SettlementStart.SETTLEMENT
        return panel_answers(table), SettlementStart.PANEL

    def _begin_settlement(self, connection: Connection, case: Case, now: datetime) -> str:
        id = self._new_id()
        adjudications.add_draft(
            connection, case.key, id=id, version_id=case.version.id, adjudicator_id=self.user.id, at=now
        )
        return id

    @staticmethod
    def _refuse_settlement(case: Case, table: PanelTable, answers: tuple[Answer, ...]) -> None:
        if not any(answer.is_answered for answer in answers):
            raise StateError(
                f'Nothing of "{case.title}" is answered yet.', remedy="Answer its criteria, or take a column."
            )
        problems = compulsory(
            submit_problems(case.version, case.subject, answers), table, case.version, answers
        )
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            raise SubmitRefusedError(
                f"This cannot be settled yet: {problems[0].message.rstrip('.')}{more}.",
                problems=problems,
                remedy="Complete or correct it, then settle again.",
            )


def check_standing(case: Case, standing: Adjudication | None, supersedes: str | None) -> None:
    if standing is None:
        if supersedes is not None:
            raise StateError(
                f'"{case.title}" has no settlement that could be corrected.', remedy="Settle it first."
            )
        return
    if supersedes != standing.id:
        raise StateError(
            f'"{case.title}" was settled by {standing.adjudicator} '
            f"on {standing.settled_at:%Y-%m-%d %H:%M} UTC ({standing.display_score}, {standing.reason}).",
            remedy="Read that settlement, and settle again as a correction of it if need be.",
        )


def taken(version: VersionSnapshot, table: PanelTable, take: str) -> tuple[str | None, tuple[Answer, ...]]:
    """Whose answers are taken (None: the panel's), and what they are.

    Raises:
        NotFoundError: nobody of that id, login or label has evaluated the subject; InvalidInputError: several have.
    """
    wanted = take.strip().casefold()
    if wanted == PANEL:
        return None, panel_answers(table)
    usable = [one for one in table.evaluations if one.status is EvaluationStatus.SUBMITTED]
    found = [one for one in usable if wanted in _names(one)]
    if len(found) == 1:
        return found[0].id, answers_of(version, found[0])
    known = ", ".join(one.label for one in usable)
    if not found:
        raise NotFoundError(
            f'"{take}" has not evaluated this subject.', remedy=f"Take one of {known}, or panel."
        )
    raise InvalidInputError(f'"{take}" stands for several evaluations.', remedy="Name one by its id.")


def _names(one: PanelEvaluation) -> set[str]:
    return {one.id.casefold(), one.label.casefold(), one.user_name.casefold()}


def still_taken(
    version: VersionSnapshot, table: PanelTable, taken: str | None, answers: tuple[Answer, ...]
) -> str | None:
    """``taken``, as long as the answers choose the same as that evaluation throughout."""
    one = next((one for one in table.evaluations if one.id == taken), None)
    return taken if one is not None and same_choices(answers_of(version, one), answers) else None


def checked_note(note: str) -> str:
    words = note.strip()
    if len(words) > MAXIMUM_NOTE:
        raise InvalidInputError(
            f"A note of {len(words)} characters is too long.", remedy=f"Use at most {MAXIMUM_NOTE}."
        )
    return words
