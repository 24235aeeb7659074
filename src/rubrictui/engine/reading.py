"""Reading what was scored: evaluations, cohorts, consensus. All of it through ``store/access.py``."""

from __future__ import annotations

from sqlalchemy import Connection

from rubrictui.core.consensus import DEFAULT_TRIM, Consensus, consensus
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import (
    Cohort,
    Evaluation,
    EvaluationDetail,
    EvaluationStatus,
    PastAnswer,
    Phrase,
)
from rubrictui.engine.base import named
from rubrictui.engine.errors import NotFoundError, NotPermittedError
from rubrictui.engine.submitting import Submitting
from rubrictui.store import access, phrases, rubrics


class Reading(Submitting):
    """What the user may see of evaluations, and her own past words."""

    def evaluation(self, id: str) -> EvaluationDetail:
        """One evaluation, whole; its cohort only where the user may see it.

        Raises:
            NotFoundError: there is none of that id, or it is not the user's to read.
        """
        with self._read() as connection:
            return self._detail(connection, id)

    def evaluations(
        self,
        *,
        subject: str | None = None,
        context: str | None = None,
        rubric: str | None = None,
        status: EvaluationStatus | None = None,
    ) -> tuple[Evaluation, ...]:
        """The evaluations the user may see, the latest first; every argument narrows.

        Args:
            subject, context: an id or ``Entity/record``.
            rubric: a name or id.
        """
        with self._read() as connection:
            return access.evaluations(
                connection,
                self.user,
                subject_id=self._find_subject(connection, subject).id if subject is not None else None,
                context_id=self._find_context(connection, context).id if context is not None else None,
                rubric_id=self._find_rubric(connection, rubric).id if rubric is not None else None,
                status=status,
            )

    def cohort(
        self, *, subject: str, rubric: str, context: str | None = None, major: int | None = None
    ) -> Cohort | None:
        """The cohort columns of one subject (guide section 9); None where the user may not see them.

        Args:
            context: no context means the evaluations without one.
            major: the latest Published major when omitted.
        """
        with self._read() as connection:
            subject_id, context_id, rubric_id, wanted = self._cohort_of(
                connection, subject, rubric, context, major
            )
            return access.cohort(
                connection,
                self.user,
                subject_id=subject_id,
                context_id=context_id,
                rubric_id=rubric_id,
                major=wanted,
            )

    def consensus_for_subject(
        self,
        *,
        subject: str,
        rubric: str,
        context: str | None = None,
        major: int | None = None,
        method: str = "Mean",
        trim: float = DEFAULT_TRIM,
    ) -> Consensus:
        """What the evaluators of one subject say together: Submitted ones, Self left out.

        Args:
            context: no context means the evaluations without one.
            major: the latest Published major when omitted.
            method: Mean, Median or TrimmedMean (``trim`` from each end).

        Raises:
            NoPublishedVersionError: no major is given and nothing of the rubric is Published.
            NotPermittedError: the cohort is not the user's to see (yet).
        """
        with self._read() as connection:
            subject_id, context_id, rubric_id, wanted = self._cohort_of(
                connection, subject, rubric, context, major
            )
            found = access.cohort_scores(
                connection,
                self.user,
                subject_id=subject_id,
                context_id=context_id,
                rubric_id=rubric_id,
                major=wanted,
            )
            # Of her own work only, so that the words never tell whether a peer has submitted.
            has_open_work = found is None and access.is_blind(connection, self.user, subject_id)
        if has_open_work:
            raise NotPermittedError(
                "You have open work on this subject, so what others said is hidden: "
                "submit it or decline it with a reason."
            )
        if found is None:
            raise NotPermittedError(
                "The scores of others on this subject are hidden from you.",
                remedy="Submit your own first; reading all takes administer_evaluations.",
            )
        return consensus(found.overall, method, trim, found.criteria)

    def display_range(self, rubric: str, major: int | None = None) -> DisplayRange:
        """On which range people read scores of a rubric: that of its highest version (of this major); 0..100 when
        there is none."""
        with self._read() as connection:
            head = self._find_rubric(connection, rubric)
            heads = rubrics.version_heads(connection, head.id)
            found = next((one for one in heads if one.major is not None and major in {None, one.major}), None)
            return DisplayRange.of(self._snapshot(connection, found.id)) if found else DisplayRange()

    def _cohort_of(
        self, connection: Connection, subject: str, rubric: str, context: str | None, major: int | None
    ) -> tuple[str, str | None, str, int]:
        head = self._find_rubric(connection, rubric)
        if major is None:
            major = self._published_version(connection, head).major
        assert major is not None
        place = self._optional_context(connection, context)
        return self._find_subject(connection, subject).id, place.id if place else None, head.id, major

    # -- her own past words --------------------------------------------------------------------------

    def past_answers(
        self, criterion_key: str, rubric: str, *, excluding: str | None = None, limit: int = 20
    ) -> tuple[PastAnswer, ...]:
        """The user's own answers to this criterion for other subjects, the latest first.

        Args:
            rubric: a name or id; every version of it counts.
            excluding: an evaluation whose subject is left out.
        """
        with self._read() as connection:
            return access.past_answers(
                connection,
                self.user,
                rubric_id=self._find_rubric(connection, rubric).id,
                criterion_key=criterion_key,
                excluding=excluding,
                limit=limit,
            )

    def phrases(self, criterion_key: str | None = None) -> tuple[Phrase, ...]:
        """The user's own phrases, the most used first. With a key: that criterion's and the general ones."""
        with self._read() as connection:
            return phrases.phrases(connection, self.user.id, criterion_key)

    def add_phrase(self, text: str, criterion_key: str | None = None) -> Phrase:
        """Keep a phrase; the same one twice is kept once.

        Args:
            criterion_key: offer it at this criterion only; None is everywhere.
        """
        words = text.strip()
        if not words:
            raise InvalidInputError("A phrase needs a text.", remedy="Write it first.")
        key = named(criterion_key, "criterion") if criterion_key is not None else None
        with self._write() as connection:
            known = phrases.find_phrase(connection, self.user.id, text=words, criterion_key=key)
            if known is not None:
                return known
            phrase = Phrase(id=self._new_id(), text=words, criterion_key=key)
            phrases.add_phrase(connection, self.user.id, phrase, created_at=self._clock())
            return phrase

    def use_phrase(self, id: str) -> None:
        """Count a use, so that the phrases used most come first."""
        with self._write() as connection:
            if not phrases.count_use(connection, self.user.id, id, used_at=self._clock()):
                raise _no_phrase()

    def delete_phrase(self, id: str) -> None:
        with self._write() as connection:
            if not phrases.delete_phrase(connection, self.user.id, id):
                raise _no_phrase()


def _no_phrase() -> NotFoundError:
    return NotFoundError("You have no such phrase.", remedy="It may have been deleted.")
