"""Where a round stands, and the tables that comparison, statistics, ranking and reports take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.panel_tables import PanelSubject, PanelTable
from rubrictui.core.plan_tree import PlanTree
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import AssignmentStatus, Context, Role, Subject
from rubrictui.core.rounding import round6
from rubrictui.core.rounds import (
    DEFAULT_DISAGREEMENT,
    ReviewerProgress,
    Round,
    RoundOverview,
    SubjectProgress,
)
from rubrictui.engine.round_assigning import RoundAssigning
from rubrictui.store import access, access_round, rounds, rubrics, subjects
from rubrictui.store.access_round import SubjectFigures, Work
from rubrictui.store.access_rules import rights
from rubrictui.store.rubrics import RubricHead

_HELD = (AssignmentStatus.OPEN, AssignmentStatus.DONE)


class RoundTables(RoundAssigning):
    """Reading rounds. What the user may not see is not in what she gets, and nothing tells that it exists."""

    def round_overview(self, ref: str) -> RoundOverview:
        """How far the reviewers and the subjects of a round are, and where its scores lie apart.

        A reviewer gets her own line and her own subjects, without figures. A chair or *administer_evaluations* gets
        everyone's, less everything about subjects on which she is blind herself; the figures of the others take a
        role that reads all.
        """
        everyone = self._holds(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION)
        now = self._clock()
        with self._read() as connection:
            found = self._round(connection, self._find_context(connection, ref))
            context = found.context
            blind = access.blind_subjects(connection, self.user)
            work = access_round.round_work(connection, self.user, context.id, now=now, own_only=not everyone)
            done = access_round.round_done(connection, self.user, context.id, own_only=not everyone)
            asked = rounds.asked_by_subject(connection, context.id, None if everyone else self.user.id)
            listed = rounds.round_subjects(connection, context.id)
            if not everyone:
                listed = tuple(one for one in listed if one.id in asked)
            figures: dict[str, SubjectFigures] = {}
            display = DisplayRange()
            if context.rubric_id is not None:
                head = self._find_rubric(connection, context.rubric_id)
                major = self._major_of(connection, head, context)
                if major is not None:
                    display = DisplayRange.of(self._tree_of(connection, head, context, major)[1])
                    figures = access_round.round_figures(
                        connection, self.user, context.id, rubric_id=head.id, major=major
                    )
            hidden = rounds.asked_by_user(connection, context.id, blind.intersection(asked))
            people = {user.id: user for user in rounds.asked(connection, context.id)}
        reads_drafts = self._holds(Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION)
        reviewers = tuple(
            _reviewer_progress(
                user.id,
                user.name,
                user.display_name,
                [one for one in work if one.user_id == user.id],
                hidden=0 if user.id == self.user.id else hidden.get(user.id, 0),
                knows_begun=reads_drafts or user.id == self.user.id,
            )
            for user in people.values()
            if everyone or user.id == self.user.id
        )
        lines = tuple(
            _subject_progress(
                subject,
                assigned=asked.get(subject.id, 0),
                done=done.get(subject.id, 0),
                is_blind=subject.id in blind,
                wanted=found.rules.reviews_per_subject if everyone else None,
                figures=figures.get(subject.id),
            )
            for subject in listed
        )
        threshold = found.rules.disagreement_threshold
        return RoundOverview(
            round=found,
            at=now,
            reviewers=reviewers,
            subjects=lines,
            hidden=sum(line.is_blind for line in lines),
            display=display,
            disagreements=tuple(
                line.subject_id
                for line in lines
                if line.flips
                or (line.spread is not None and line.count and line.count > 1 and line.spread >= threshold)
            ),
        )

    def matrix_table(
        self,
        *,
        subject: str,
        rubric: str | None = None,
        context: str | None = None,
        major: int | None = None,
        with_texts: bool = False,
    ) -> PanelTable:
        """The evaluations of one subject that the user may read, side by side.

        A reviewer gets her own, and the cohort's aggregates once she may see them. While she is blind on the
        subject she gets her own alone, and the subject says ``is_blind``.

        Args:
            subject, context: an id or ``Entity/record``; no context means the evaluations without one.
            rubric: a name or id; the context's when omitted.
            major: that of the context's pinned version, else the latest Published, when omitted.
            with_texts: rationales and evidence too.

        Raises:
            NotFoundError: subject, context, rubric or major are not there.
            NoPublishedVersionError: no major is given and nothing of the rubric is published.
            InvalidInputError: no rubric is named and the context has none.
        """
        with self._read() as connection:
            place = self._optional_context(connection, context)
            head = self._rubric_of(connection, rubric, place)
            wanted, version = self._tree_of(connection, head, place, major)
            found = self._find_subject(connection, subject)
            place_id = place.id if place else None
            rows = access_round.round_scores(
                connection,
                self.user,
                place_id,
                subject_id=found.id,
                rubric_id=head.id,
                major=wanted,
                with_texts=with_texts,
            )
            return PanelTable(
                context=place,
                rubric_id=head.id,
                rubric_name=head.name,
                major=wanted,
                version=version,
                criteria=criteria_of(version),
                subjects=(_panel_subject(found, access.is_blind(connection, self.user, found.id)),),
                evaluations=rows,
                threshold=self._threshold(connection, place),
                # Whoever reads every evaluation has the figures in the rows: the view would work them out again.
                cohort=None
                if rights(self.user).reads_all
                else access.cohort(
                    connection,
                    self.user,
                    subject_id=found.id,
                    context_id=place_id,
                    rubric_id=head.id,
                    major=wanted,
                ),
                comments=()
                if place is None
                else access_round.comments(
                    connection,
                    self.user,
                    place.id,
                    subject_id=found.id,
                    rubric_id=head.id,
                    major=wanted,
                ),
            )

    def round_table(
        self,
        ref: str,
        *,
        rubric: str | None = None,
        major: int | None = None,
        counting_only: bool = False,
        with_texts: bool = False,
    ) -> PanelTable:
        """Every evaluation of a round that the user may read, with all scores, for statistics and ranking.

        Subjects on which she is blind are left out whole and stand in ``hidden``.

        Args:
            rubric, major: as for ``matrix_table``.
            counting_only: only what is in cohort means (Submitted, no self-assessment).
            with_texts: rationales and evidence too.

        Raises:
            as ``matrix_table``.
        """
        with self._read() as connection:
            place = self._find_context(connection, ref)
            head = self._rubric_of(connection, rubric, place)
            wanted, version = self._tree_of(connection, head, place, major)
            blind = access.blind_subjects(connection, self.user)
            listed = rounds.round_subjects(connection, place.id)
            found = access_round.round_scores(
                connection,
                self.user,
                place.id,
                rubric_id=head.id,
                major=wanted,
                counting_only=counting_only,
                with_texts=with_texts,
            )
            # Scored for the round without being listed or assigned in it.
            more = {one.subject_id for one in found} - {one.id for one in listed}
            if more:
                listed += self._listed_subjects(connection, sorted(more))
            threshold = self._threshold(connection, place)
        order = {subject.id: index for index, subject in enumerate(listed)}
        return PanelTable(
            context=place,
            rubric_id=head.id,
            rubric_name=head.name,
            major=wanted,
            version=version,
            criteria=criteria_of(version),
            subjects=tuple(_panel_subject(one, False) for one in listed if one.id not in blind),
            evaluations=tuple(sorted(found, key=lambda one: order[one.subject_id])),
            hidden=tuple(_panel_subject(one, True) for one in listed if one.id in blind),
            threshold=threshold,
        )

    # -- what a table is about -----------------------------------------------------------------------

    def _rubric_of(self, connection: Connection, rubric: str | None, place: Context | None) -> RubricHead:
        wanted = rubric or (place.rubric_id if place else None)
        if wanted is None:
            raise InvalidInputError("No rubric is named.", remedy="Name one, or a round that has one.")
        return self._find_rubric(connection, wanted)

    def _major_of(self, connection: Connection, head: RubricHead, place: Context | None) -> int | None:
        """The pinned version's major when it is of this rubric, else the latest one in use."""
        heads = rubrics.version_heads(connection, head.id)
        pinned = next((one for one in heads if place is not None and one.id == place.version_id), None)
        latest = next((one for one in heads if one.major is not None), None)
        chosen = pinned or latest
        return chosen.major if chosen else None

    def _tree_of(
        self, connection: Connection, head: RubricHead, place: Context | None, major: int | None
    ) -> tuple[int, VersionSnapshot]:
        """The major, and the version that stands for it: pinned, else the highest of that major."""
        if major is None:
            major = self._major_of(connection, head, place)
        if major is None:
            major = self._published_version(connection, head).major  # raises: there is none
        heads = rubrics.version_heads(connection, head.id)
        of_major = [one for one in heads if one.major == major]
        pinned = next((one for one in of_major if place is not None and one.id == place.version_id), None)
        if not of_major:
            of_major = [self._version_of(connection, head, str(major))]  # raises, and lists what there is
        assert major is not None
        return major, self._snapshot(connection, (pinned or of_major[0]).id)

    @staticmethod
    def _threshold(connection: Connection, place: Context | None) -> float:
        found: Round | None = rounds.round_of(connection, place.id) if place else None
        return found.rules.disagreement_threshold if found else DEFAULT_DISAGREEMENT

    @staticmethod
    def _listed_subjects(connection: Connection, ids: Sequence[str]) -> tuple[Subject, ...]:
        return subjects.subjects(connection, ids=ids, content=False)


def criteria_of(version: VersionSnapshot) -> tuple[str, ...]:
    """The keys of a version's criteria (leaves) in tree order."""
    return tuple(node.key for node in PlanTree(version).leaves)


def _panel_subject(subject: Subject, is_blind: bool) -> PanelSubject:
    return PanelSubject(
        id=subject.id,
        entity=subject.entity,
        record_id=subject.record_id,
        title=subject.title or subject.record_id,
        is_blind=is_blind,
    )


def _reviewer_progress(
    user_id: str, name: str, display: str, work: Sequence[Work], *, hidden: int, knows_begun: bool
) -> ReviewerProgress:
    status = Counter({one.status: one.number for one in work})
    return ReviewerProgress(
        user_id=user_id,
        user_name=name,
        display_name=display,
        assigned=sum(status[kind.value] for kind in _HELD),
        begun=sum(one.begun for one in work) if knows_begun else None,
        submitted=status[AssignmentStatus.DONE.value],
        declined=status[AssignmentStatus.DECLINED.value],
        released=status[AssignmentStatus.RELEASED.value],
        overdue=sum(one.overdue for one in work),
        hidden=hidden,
    )


def _subject_progress(
    subject: Subject,
    *,
    assigned: int,
    done: int,
    is_blind: bool,
    wanted: int | None,
    figures: SubjectFigures | None,
) -> SubjectProgress:
    spread = None
    if figures is not None and figures.highest is not None and figures.lowest is not None:
        spread = round6(figures.highest - figures.lowest)
    return SubjectProgress(
        subject_id=subject.id,
        entity=subject.entity,
        record_id=subject.record_id,
        title=subject.title or subject.record_id,
        assigned=assigned,
        wanted=wanted,
        done=None if is_blind else done,
        is_blind=is_blind,
        count=figures.number if figures else None,
        mean=_rounded(figures.mean) if figures else None,
        lowest=figures.lowest if figures else None,
        highest=figures.highest if figures else None,
        spread=spread,
        flips=figures.flips if figures else None,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round6(float(value))
