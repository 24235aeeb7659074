"""What an author tries a draft on: sample answers she keeps, and answers that have been given."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from rubrictui.core.answer_fill import sample_answers
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import EvaluationStatus, Role, SampleAnswer, SampleSet
from rubrictui.engine.authoring import Authoring
from rubrictui.engine.base import named
from rubrictui.engine.errors import NameTakenError, NoPublishedVersionError, NotFoundError
from rubrictui.store import access, samples

if TYPE_CHECKING:
    from rubrictui.core.whatif import StoredAnswers, WhatIf

#: So many stored evaluations, the latest, are scored again under a draft.
RESCORED_AT_MOST = 10_000


class Previewing(Authoring):
    """Trying drafts out. Nothing here changes a version or an evaluation."""

    # -- sample answers ------------------------------------------------------------------------------

    def sample_sets(self, rubric: str) -> tuple[SampleSet, ...]:
        """The sample answers kept with a rubric, in their order."""
        with self._read() as connection:
            return samples.sample_sets(connection, self._find_rubric(connection, rubric).id)

    def save_sample_set(self, rubric: str, sample_set: SampleSet) -> SampleSet:
        """Keep sample answers with a rubric, or change the set with this id.

        Returns:
            the set as it is stored: with an id, and at the end of the others when it is new.

        Raises:
            NotPermittedError: the user is no author.
            NameTakenError: another set of this rubric has the name, ignoring case.
            InvalidInputError: no name, or a number that is not finite.
        """
        self._require(Role.AUTHOR, doing="keep sample answers")
        title = named(sample_set.name, "set of sample answers")
        for key, answer in sample_set.answers.items():
            if answer.raw_value is not None and not math.isfinite(answer.raw_value):
                raise InvalidInputError(
                    f'The sample value of "{key}" is {answer.raw_value}.', remedy="Give a finite number."
                )
        with self._write() as connection:
            rubric_id = self._find_rubric(connection, rubric).id
            others = samples.sample_sets(connection, rubric_id)
            for other in others:
                if other.id != sample_set.id and other.name.casefold() == title.casefold():
                    raise NameTakenError(
                        f'There are sample answers "{other.name}" already.', remedy="Choose another name."
                    )
            sequence = sample_set.sequence
            if not any(other.id == sample_set.id for other in others):
                sequence = max((other.sequence for other in others), default=-1) + 1
            kept = msgspec.structs.replace(
                sample_set,
                id=sample_set.id or self._new_id(),
                rubric_id=rubric_id,
                name=title,
                sequence=sequence,
            )
            samples.put_sample_set(connection, kept, at=self._clock(), by=self.user.name)
            return kept

    def delete_sample_set(self, id: str) -> None:
        """Forget a set of sample answers.

        Raises:
            NotFoundError: there is none of this id.
        """
        self._require(Role.AUTHOR, doing="delete sample answers")
        with self._write() as connection:
            if not samples.delete_sample_set(connection, id):
                raise NotFoundError(
                    "There are no such sample answers.", remedy="They may have been deleted already."
                )

    # -- answers that were given ---------------------------------------------------------------------

    def last_answers(self, rubric: str, subject: str) -> dict[str, SampleAnswer]:
        """The answers of the latest submitted evaluation of a subject that the user may read, by criterion key.

        Any version of the rubric counts, since keys are permanent. Empty when there is no such evaluation; one
        she may not read is answered like one that does not exist.

        Args:
            subject: ``Entity/record`` or an id.
        """
        with self._read() as connection:
            found = access.evaluations(
                connection,
                self.user,
                subject_id=self._find_subject(connection, subject).id,
                rubric_id=self._find_rubric(connection, rubric).id,
                status=EvaluationStatus.SUBMITTED,
                limit=1,
            )
            if not found:
                return {}
            given = access.draft_answers(connection, self.user, found[0].id)
            version = self._frozen(connection, found[0].version_id)
        return sample_answers(version, (one.answer for one in given))

    def what_if(
        self,
        rubric: str,
        draft: VersionSnapshot,
        *,
        limit: int = RESCORED_AT_MOST,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> WhatIf:
        """What a draft would change about evaluations of the version it follows: scored under both, compared.

        The latest submitted evaluations that the user may read take part; subjects on which she has open work
        of her own are left out, whatever was said about them, and so no number tells anything of them.

        Args:
            rubric: whose highest Published or Retired version is the base.
            draft: the draft, stored or not.
            limit: so many evaluations at most.
            progress: called now and then with how many are done, of how many.
            cancelled: asked now and then; True ends the reading, and what was read so far is compared.

        Raises:
            NoPublishedVersionError: there is no version to compare with.
            InvalidInputError: a number in the draft that no score can be computed with.
        """
        from rubrictui.core.whatif import rescore

        with self._read() as connection:
            head = self._find_rubric(connection, rubric)
            base_head = self._base_of(connection, head.id)
            if base_head is None:
                raise NoPublishedVersionError(
                    f'"{head.name}" has no version that was ever published, so nothing was scored with one.',
                    remedy="Publish the draft first; the next one is compared with it.",
                )
            base = self._frozen(connection, base_head.id)
            sets = access.answer_sets(connection, self.user, base.id, limit=limit)
            total = len(sets.evaluations)

            def done(count: int) -> bool:
                if progress is not None:
                    progress(count, total)
                return cancelled is not None and cancelled()

            found = rescore(base, draft, self._stored_answers(base, sets), progress=done)
        if progress is not None and found.total == total:
            progress(total, total)
        return msgspec.structs.replace(
            found, left_out=sets.left_out, limited=sets.limited or found.total < total
        )

    @staticmethod
    def _stored_answers(base: VersionSnapshot, sets: access.AnswerSets) -> Iterator[StoredAnswers]:
        from rubrictui.core.whatif import StoredAnswers

        keys = {node.id: node.key for node in base.nodes}
        labels = {level.id: level.label for scale in base.scales for level in scale.levels}
        # Answers repeat: one object for each different one, whose hash is found once.
        met: dict[tuple[str | None, float | None, bool], SampleAnswer] = {}
        for ids, rows in sets.answers():
            given: dict[str, dict[str, SampleAnswer]] = {id: {} for id in ids}
            for evaluation_id, criterion_id, level_id, raw_value, not_applicable in rows:
                said = (level_id, raw_value, not_applicable)
                answer = met.get(said)
                if answer is None:
                    answer = met[said] = SampleAnswer(
                        level_id=level_id,
                        level_label=labels.get(level_id or ""),
                        raw_value=raw_value,
                        is_not_applicable=bool(not_applicable),
                    )
                given[evaluation_id][keys[criterion_id]] = answer
            for id, answers in given.items():
                yield StoredAnswers(evaluation_id=id, title=sets.evaluations[id], answers=answers)
