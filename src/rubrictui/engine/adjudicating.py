"""Settling what the reviewers of a round disagree about, once their reviews are in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rubrictui.core.adjudication import (
    Adjudication,
    AdjudicationQueue,
    AdjudicationReason,
    SettlementDesk,
    SettlementStatus,
    checked_reasons,
    queue_items,
    reason_of,
    with_answer,
    with_choices,
)
from rubrictui.core.model import Answer
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import Role
from rubrictui.core.scoring import SCORING_ENGINE_VERSION, compute
from rubrictui.engine.adjudicating_steps import (
    AdjudicationSteps,
    check_standing,
    checked_note,
    still_taken,
    taken,
)
from rubrictui.engine.checking import settled as checked_answer
from rubrictui.engine.checking import storable
from rubrictui.engine.errors import DraftClosedError, NotFoundError, StateError
from rubrictui.store import adjudications


class Adjudicating(AdjudicationSteps):
    """Settlements. They are no evaluations: no mean, spread, agreement or rank is made of them."""

    # -- reading -------------------------------------------------------------------------------------

    def adjudications(
        self,
        context: str,
        *,
        subject: str | None = None,
        as_user: str | None = None,
        with_superseded: bool = False,
    ) -> tuple[Adjudication, ...]:
        """What was settled in a round, the earliest first, as far as the user may see it: never of a subject on which
        she is blind; all else for who reads all evaluations, for a reviewer what she has submitted on herself.

        Args:
            subject: of this one alone, an id or ``Entity/record``.
            as_user: ask as this user, which takes *administer_evaluations*.
            with_superseded: those that were corrected since, too.

        Raises:
            NotFoundError: there is no such round.
        """
        who = self._speaking_for(as_user)
        with who._read() as connection:
            place = who._find_context(connection, context)
            return adjudications.settlements(
                connection,
                who.user,
                place.id,
                subject_id=who._find_subject(connection, subject).id if subject is not None else None,
                with_superseded=with_superseded,
            )

    def adjudication_queue(
        self, context: str, *, as_user: str | None = None, everything: bool = False
    ) -> AdjudicationQueue:
        """The subjects of a round whose overall scores reach its threshold of disagreement or whose verdicts differ,
        and those that were settled. Subjects on which the user is blind are left out, and counted.

        Args:
            everything: the other subjects that are scored, too.

        Raises:
            NotPermittedError: the user may not settle.
            NotFoundError: there is no such round.
        """
        who = self._speaking_for(as_user)
        who._require_adjudicator()
        overview = who.round_overview(context)
        place = overview.round.context
        threshold = overview.round.rules.disagreement_threshold
        with who._read() as connection:
            head = who._rubric_of(connection, None, place)
            major, version = who._tree_of(connection, head, place, None)
            items = queue_items(
                (*overview.subjects, *who._unlisted(connection, overview, head.id, major)),
                threshold=threshold,
                open_reviews={
                    id: len(names)
                    for id, names in adjudications.open_reviews(connection, who.user, place.id).items()
                },
                settled={
                    one.subject_id: one
                    for one in adjudications.settlements(connection, who.user, place.id)
                    if who._is_of(connection, one, head.id, major)
                },
                basis=adjudications.counting(connection, who.user, place.id, rubric_id=head.id, major=major),
                drafts=adjudications.drafts(connection, who.user, place.id),
                everything=everything,
            )
        return AdjudicationQueue(
            context_id=place.id,
            round_name=place.name or place.record_id,
            threshold=threshold,
            display=DisplayRange.of(version),
            items=items,
            hidden=overview.hidden,
        )

    def settlement_desk(self, context: str, subject: str, *, as_user: str | None = None) -> SettlementDesk:
        """Everything to settle one subject by: the evaluations side by side, and the answers to begin with.

        It is given while reviews are still open, too, and says whose; nothing can be saved until they are in.

        Raises:
            NotPermittedError: the user may not settle.
            StateError: she has a review of the subject open herself, or is blind on it otherwise.
            NotFoundError: there is no such round or subject.
        """
        who = self._speaking_for(as_user)
        with who._read() as connection:
            case = who._case(connection, context, subject)
            table = who._table_of(connection, case)
            history = [
                one
                for one in adjudications.settlements(
                    connection, who.user, case.context.id, subject_id=case.subject.id, with_superseded=True
                )
                if who._is_of(connection, one, case.key.rubric_id, case.key.major)
            ]
            standing = next((one for one in history if one.superseded_at is None), None)
            settled = adjudications.answers_of(connection, who.user, standing.id) if standing else None
            draft = case.draft
            answers, start = who._beginning(case, table, settled)
            return SettlementDesk(
                context=case.context,
                subject=case.subject,
                table=table,
                version=case.version,
                reasons=adjudications.reasons(connection),
                answers=answers,
                start=start,
                reason=draft.reason if draft else None,
                note=draft.note if draft else "",
                cursor=draft.cursor if draft else None,
                taken_id=draft.evaluation_id if draft else None,
                settlement=standing,
                settled_answers=settled or (),
                history=tuple(history),
                open_reviews=adjudications.open_reviews(
                    connection, who.user, case.context.id, subject_id=case.subject.id
                ).get(case.subject.id, ()),
                conflict=who._conflict_with(connection, case.subject),
            )

    def adjudication_reasons(self) -> tuple[AdjudicationReason, ...]:
        """The reasons that a settlement can have, in the order they are offered."""
        with self._read() as connection:
            return adjudications.reasons(connection)

    # -- the list of reasons -------------------------------------------------------------------------

    def set_adjudication_reasons(self, given: Iterable[AdjudicationReason]) -> tuple[AdjudicationReason, ...]:
        """Offer these reasons from now on, in this order. What was settled keeps the words of its day.

        Raises:
            NotPermittedError: the user neither is a chair nor holds *administer_evaluations*.
            InvalidInputError: the list is empty or too long, or a label is missing, too long or there twice.
        """
        self._require(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="change the reasons of settlements")
        ready = checked_reasons(given)
        with self._write() as connection:
            adjudications.set_reasons(connection, ready, self._new_id)
            return ready

    # -- working on one ------------------------------------------------------------------------------

    def save_settlement(
        self,
        context: str,
        subject: str,
        *,
        answers: Iterable[Answer] = (),
        take: str | None = None,
        reason: str | None = None,
        note: str | None = None,
        cursor: str | None = None,
        as_user: str | None = None,
    ) -> datetime:
        """Keep a part of a settlement that is being made, durably; the first one begins it. What is None stays.

        Two sessions of one adjudicator merge: each answer is stored by itself.

        Args:
            answers: each takes the place of the one to the same criterion; an empty one takes it out.
            take: an evaluation's id: choose throughout as it did; ``panel``: as the panel's middle. What was
                written to the criteria stays.
            reason: of the list; "" takes it out.

        Returns:
            when it was kept.

        Raises:
            NotPermittedError: the user may not settle.
            StateError: her own or others' reviews of the subject are open, she is blind on it, has a conflict of
                interest with it, or nobody has reviewed it.
            NotFoundError: there is no such round, subject, or evaluation of it.
            InvalidInputError, ScoringError: an answer, reason or note that cannot be.
        """
        who = self._speaking_for(as_user)
        changed = tuple(answers)
        with who._write() as connection:
            case = who._case(connection, context, subject)
            who._refuse_early(connection, case)
            now = who._clock()
            values: dict[str, Any] = {"updated_at": now}
            draft = case.draft
            stored = draft.answers if draft is not None else None
            if take is not None or draft is None:
                table = who._table_of(connection, case)
                if stored is None:
                    stored, _ = who._beginning(case, table, who._standing_answers(connection, case))
                if take is not None:
                    values["evaluation_id"], chosen = taken(case.version, table, take)
                    stored = with_choices(stored, chosen)
            for answer in changed:
                stored = with_answer(stored or (), checked_answer(case.version, answer))
            values["answers"] = stored
            if reason is not None:
                wanted = reason.strip()
                known = adjudications.reasons(connection)
                values["reason"] = reason_of(wanted, known).label if wanted else None
            if note is not None:
                values["note"] = checked_note(note)
            if cursor is not None:
                values["cursor"] = cursor
            id = draft.id if draft is not None else who._begin_settlement(connection, case, now)
            adjudications.change_draft(connection, id, values)
            return now

    def discard_settlement(self, context: str, subject: str, *, as_user: str | None = None) -> None:
        """Throw away a settlement that was begun and does not stand yet.

        Raises:
            NotFoundError: the user has begun none.
            as ``settlement_desk``.
        """
        who = self._speaking_for(as_user)
        with who._write() as connection:
            case = who._case(connection, context, subject)
            if case.draft is None:
                raise NotFoundError(
                    f'You have not begun to settle "{case.title}".',
                    remedy="`adjudicate list` shows the queue.",
                )
            adjudications.discard_draft(connection, case.draft.id)

    def settle(
        self,
        context: str,
        subject: str,
        *,
        reason: str | None = None,
        note: str | None = None,
        answers: Iterable[Answer] = (),
        take: str | None = None,
        supersedes: str | None = None,
        as_user: str | None = None,
    ) -> Adjudication:
        """Settle a subject: from here its settlement stands beside the evaluations, as the score of record.

        It begins from what the user has kept of it (``save_settlement``), else from the settlement it corrects, else
        from the panel's middle; ``take`` begins from one evaluator instead, and ``answers`` go over all of that.

        Args:
            reason: a line of ``adjudication_reasons`` or its number; compulsory here or in what was kept.
            answers, take, note: as in ``save_settlement``.
            supersedes: the settlement that this corrects: compulsory, and the id of the one that stands, where the
                subject has been settled. That one stays in the record.

        Raises:
            SubmitRefusedError: an answer is not allowed, or is nobody's and lacks a rationale the rubric asks for.
            StateError: as in ``save_settlement``; or it has been settled, and not the settlement that is named.
            as ``save_settlement``.
        """
        who = self._speaking_for(as_user)
        changed = tuple(answers)
        with who._write() as connection:
            case = who._case(connection, context, subject)
            who._refuse_early(connection, case)
            standing = who._standing(connection, case)
            check_standing(case, standing, supersedes)
            table = who._table_of(connection, case)
            ready, _ = who._beginning(case, table, who._standing_answers(connection, case))
            column = case.draft.evaluation_id if case.draft else None
            if take is not None:
                column, chosen = taken(case.version, table, take)
                ready = with_choices(ready, chosen)
            for answer in changed:
                ready = with_answer(ready, checked_answer(case.version, answer))
            ready = storable(case.version, ready)
            who._refuse_settlement(case, table, ready)
            why = reason if reason is not None else (case.draft.reason if case.draft else None)
            label = reason_of(why or "", adjudications.reasons(connection)).label
            words = checked_note(note) if note is not None else (case.draft.note if case.draft else "")
            result = compute(case.version, ready)
            now = who._clock()
            if standing is not None and not adjudications.supersede(connection, standing.id, at=now):
                raise StateError(f'"{case.title}" was settled in the meantime.', remedy="Read it again.")
            id = case.draft.id if case.draft else who._begin_settlement(connection, case, now)
            if not adjudications.change_draft(
                connection,
                id,
                {
                    "status": SettlementStatus.SETTLED.value,
                    "answers": ready,
                    "evaluation_id": still_taken(case.version, table, column, ready),
                    "reason": label,
                    "note": words,
                    "basis": list(case.basis),
                    "updated_at": now,
                    "settled_at": now,
                    "supersedes_id": standing.id if standing else None,
                    "normalized_score": result.normalized_score,
                    "outcome": result.outcome.value,
                    "passed": result.passed,
                    "gate_failed": result.gate_failed,
                    "completeness": result.completeness,
                    "band_id": result.band_id,
                    "pass_threshold_applied": result.pass_threshold_applied,
                    "engine_version": SCORING_ENGINE_VERSION,
                },
            ):
                raise DraftClosedError("This settlement stands already.", remedy="Read it again.")
            # The log tells that, not what: it is read by chairs who may be blind on the subject.
            named = f"{case.subject.entity}/{case.subject.record_id}"
            who._log(
                connection,
                case.context.id,
                f"settled {named}{' again' if standing else ''}",
                details={"subject": named, "settlement": id},
            )
            found = who._standing(connection, case)
            assert found is not None
            return found
