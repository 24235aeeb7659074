"""What reports and letters of a round are made of, read in one state of the store."""

from __future__ import annotations

from sqlalchemy import Connection

from rubrictui import __version__
from rubrictui.core.hidden_fields import Anonymised, anonymised
from rubrictui.core.panel_tables import PanelTable
from rubrictui.core.records import Context, EvaluationStatus, Role
from rubrictui.core.round_report import RoundFacts, VersionUsed
from rubrictui.engine.importing_scores import ImportingScores
from rubrictui.store import access_round, rounds, rubrics, subjects
from rubrictui.store.access_round import Tally

_READS_ALL = (Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION)


class Reporting(ImportingScores):
    """Gathering a round for whoever was scored in it, and for whoever reads about it."""

    def round_facts(self, ref: str, *, with_texts: bool = False) -> RoundFacts:
        """Everything a report of a round tells, as far as the user may see it.

        Subjects on which she is blind are left out whole, and stand in ``table.hidden``. Without a role that reads
        all, ``reads_all`` is False and the table holds her own evaluations alone.

        Args:
            ref: its context, by id or ``Entity/record``.
            with_texts: rationales and evidence too.

        Raises:
            NotFoundError: there is no such round.
            InvalidInputError: the round has no rubric.
            NoPublishedVersionError: nothing of its rubric is published.
        """
        with self._one_snapshot() as (here, connection):
            found = here.round(ref)
            context = found.context
            table = here.round_table(context.id, with_texts=with_texts)
            told = {one.id for one in table.subjects}
            tally = access_round.round_tally(connection, self.user, context.id)
            return RoundFacts(
                round=found,
                at=self._clock(),
                by=self.user.name,
                made_with=__version__,
                reads_all=self._holds(*_READS_ALL),
                table=table,
                overview=here.round_overview(context.id),
                versions=_versions(connection, table, tally),
                failed=sum(one.number for one in tally if one.status == EvaluationStatus.FAILED),
                elsewhere=sum(
                    one.number
                    for one in tally
                    if one.status == EvaluationStatus.SUBMITTED
                    and (one.rubric_id, one.major) != (table.rubric_id, table.major)
                ),
                settled=tuple(
                    one
                    for one in here.adjudications(context.id, with_superseded=True)
                    if one.subject_id in told
                ),
            )

    def letter_facts(self, ref: str) -> RoundFacts:
        """The same with the texts, for letters to the people scored: who writes them must see all that was said.

        Raises:
            NotPermittedError: the user reads only what she gave herself.
            as ``round_facts``.
        """
        self._require(*_READS_ALL, doing="write letters about the evaluations of others")
        return self.round_facts(ref, with_texts=True)

    def anonymised_subjects(self, ref: str) -> tuple[Anonymised, ...]:
        """The subjects of a round, listed or assigned, whole but for what the round hides from its reviewers.

        Raises:
            NotFoundError: there is no such round.
        """
        with self._read() as connection:
            context: Context = self._find_context(connection, ref)
            found = rounds.round_of(connection, context.id)
            ids = rounds.subject_ids(connection, context.id)
            stored = {one.id: one for one in subjects.subjects(connection, ids=ids)}
        paths = found.rules.hidden_fields if found is not None else ()
        return tuple(anonymised(stored[id], paths) for id in ids if id in stored)


def _versions(connection: Connection, table: PanelTable, tally: tuple[Tally, ...]) -> tuple[VersionUsed, ...]:
    """The versions that evaluations of the table were made with, and the one it is laid out by."""
    used: dict[str, int] = {}
    for one in tally:
        is_of_table = (one.rubric_id, one.major) == (table.rubric_id, table.major)
        if is_of_table and one.status == EvaluationStatus.SUBMITTED:
            used[one.version_id] = used.get(one.version_id, 0) + one.number
    summaries = rubrics.version_summaries(connection, [table.rubric_id], counts={})
    return tuple(
        VersionUsed(
            id=one.id,
            number=one.number or "draft",
            content_hash=one.content_hash,
            scoring_hash=one.scoring_hash,
            evaluations=used.get(one.id, 0),
            is_layout=one.id == table.version.id,
        )
        for one in summaries.get(table.rubric_id, ())
        if one.id in used or one.id == table.version.id
    )
