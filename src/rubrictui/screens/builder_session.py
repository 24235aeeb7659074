"""An open draft while it is being edited: what it is, what is safe, what can be undone, what a sample scores.

No widgets here. Every edit goes to the store before this module says that it did; what the store did not take
stays here, is told, and is offered again. When somebody else saved the draft meanwhile, both sides stay until the
author has settled them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import msgspec

from rubrictui.core.answer_fill import answers_by_key
from rubrictui.core.authoring import DraftIndex
from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.editing import Edited, EditError, History, without_lost_anchors
from rubrictui.core.editing_base import node_of
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.explain import explain_outcome
from rubrictui.core.live_scoring import LiveScorer
from rubrictui.core.model import Answer, Scale, ScoreResult, VersionSnapshot, fold_id
from rubrictui.core.problems import Problem
from rubrictui.core.records import SampleAnswer, SampleSet
from rubrictui.core.scoring import compute
from rubrictui.core.tree import came_and_went
from rubrictui.engine.errors import NotFoundError, NotPermittedError, StaleDraftError
from rubrictui.widgets.builder_rows import Sample

FIRST_SET = "Sample"
"""The name of the sample set that the first sample answer makes."""

_AT_ONCE = 200
"""Sample sets with more answers than that are stored whole when there is a pause, and not at every key."""

_FINAL = (NotFoundError, NotPermittedError)
_FROZEN = "version_frozen"
"""The code of the refusal when somebody published the draft meanwhile."""


class BuilderStore(Protocol):
    """What a session needs of the engine."""

    def save_draft(
        self,
        snapshot: VersionSnapshot,
        *,
        revision: int | None = None,
        base: VersionSnapshot | None = None,
    ) -> int: ...

    def save_sample_set(self, rubric: str, sample_set: SampleSet) -> SampleSet: ...

    def delete_sample_set(self, sample_set_id: str) -> None: ...


class Safety(StrEnum):
    """Whether everything is on disk, in the words the builder shows."""

    SAVED = "saved ✓"
    SAVING = "saving"
    NOT_SAVED = "NOT SAVED"


@dataclass(frozen=True, slots=True)
class Clash:
    """The draft was saved elsewhere: ``base`` is what both sides began from, ``mine`` is not stored, ``theirs`` is."""

    base: VersionSnapshot
    mine: VersionSnapshot
    theirs: VersionSnapshot
    revision: int
    saved_by: str | None = None
    saved_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What the sample answers score. ``refusal`` says why nothing can be computed; then ``result`` is None."""

    result: ScoreResult | None
    reason: str
    refusal: str
    answered: int


class BuilderSession:
    """One author's open draft, with the sample answers it is tried on.

    Attributes:
        opened: the draft as it was read, with the versions it is compared with.
        problem: one line on why something is not stored; "" when all is.
        clash: the other side, while the draft was saved elsewhere and that is not settled.
        is_closed: the draft is no draft any more, so nothing can be stored.
        sets: the sample sets, in their order.
    """

    def __init__(self, store: BuilderStore, opened: RubricDraft, sets: tuple[SampleSet, ...] = ()) -> None:
        self._store = store
        self.opened = opened
        self.history = History(opened.version)
        self.problem = ""
        self.clash: Clash | None = None
        self.is_closed = False
        self.sets: list[SampleSet] = sorted(sets, key=lambda each: each.sequence)
        self._place = 0
        self._saved, self._revision = opened.version, opened.revision
        self._unsaved_sets: dict[str, SampleSet] = {}
        base = opened.published or opened.based_on
        self.base_keys = frozenset(node.key for node in base.nodes) if base is not None else frozenset()
        self._index = DraftIndex()
        self._live = LiveScorer()
        self._problems: tuple[VersionSnapshot, tuple[Problem, ...]] | None = None
        self._answers: tuple[VersionSnapshot, SampleSet | None, dict[str, Answer]] | None = None
        self._preview: tuple[VersionSnapshot, dict[str, Answer], Preview, Sample] | None = None
        self._compared: tuple[VersionSnapshot, VersionSnapshot] | None = None

    # -- the draft

    @property
    def version(self) -> VersionSnapshot:
        """The draft as it is now."""
        return self.history.version

    @property
    def saved(self) -> VersionSnapshot:
        """The draft as the store has it, as far as is known here."""
        return self._saved

    @property
    def published(self) -> VersionSnapshot | None:
        """The version that publishing compares the draft with."""
        return self.opened.published

    @property
    def safety(self) -> Safety:
        if self.problem or self._saved is not self.version:
            return Safety.NOT_SAVED
        return Safety.SAVING if self._unsaved_sets else Safety.SAVED

    def apply(self, edited: Edited, label: str, *, at: str | None = None, run: str | None = None) -> bool:
        """Take an edit and store it.

        Args:
            label: what was done, in words, for undo.
            at: the node it was done at, where undo leads; else where the edit leads.
            run: edits in a row with the same word (one text being typed) undo as one.

        Returns:
            Whether it changed anything.
        """
        before = self.version
        if edited.version is before:
            return False
        self.history.push(edited.version, label, focus=at or edited.focus, run=run)
        self._follow_keys(before, edited.version)
        self._save()
        return True

    def undo(self) -> tuple[str, str | None] | None:
        """Take the last edit back and store that: its words and its node. None when there is none."""
        before = self.version
        step = self.history.undo()
        return self._stepped(before, step)

    def redo(self) -> tuple[str, str | None] | None:
        """Make the edit that was taken back once more: its words and its node. None when there is none."""
        before = self.version
        step = self.history.redo()
        return self._stepped(before, step)

    def _stepped(
        self, before: VersionSnapshot, step: tuple[VersionSnapshot, str, str | None] | None
    ) -> tuple[str, str | None] | None:
        if step is None:
            return None
        self._follow_keys(before, step[0])
        self._save()
        return step[1], step[2]

    # -- storing

    def _save(self) -> None:
        """Offer the store what it has not; what goes wrong is kept in ``problem`` or ``clash``."""
        if self.clash is not None or self.is_closed:
            return
        version = self.version
        try:
            if version is not self._saved:
                self._revision = self._store.save_draft(version, revision=self._revision, base=self._saved)
                self._saved = version
            for own, kept in tuple(self._unsaved_sets.items()):
                self._store.save_sample_set(self.version.rubric_id, kept)
                self._unsaved_sets.pop(own, None)
        except StaleDraftError as error:
            self.problem = error.message
            if error.stored is not None:
                self.clash = Clash(
                    self._saved, version, error.stored, error.revision, error.saved_by, error.saved_at
                )
        except _FINAL as error:
            self.is_closed = True
            self.problem = str(error)
        except RubrictuiError as error:
            self.is_closed = error.code == _FROZEN
            self.problem = str(error)
        except Exception as error:
            self.problem = f"The store did not take it: {error or type(error).__name__}"
        else:
            self.problem = ""

    def retry(self) -> bool:
        """Offer the store everything that it has not taken; returns whether all is stored now."""
        if self.safety is not Safety.SAVED:
            self._save()
        return self.safety is Safety.SAVED

    def settle(self, merged: VersionSnapshot) -> None:
        """End a clash with a draft made of both sides, and store it. Earlier steps can no longer be undone."""
        clash = self.clash
        assert clash is not None
        self.clash = None
        self._saved, self._revision = clash.theirs, clash.revision
        before = self.version
        self.history.rebase(merged)
        self._follow_keys(before, merged)
        self._save()

    def use_scales(self, scales: Iterable[Scale]) -> bool:
        """Take the scales of the draft as the store has them now; they belong to the store, not to the draft.

        Anchors for levels that are gone go with them, as they went in the store.

        Returns:
            Whether one of them has changed. Then earlier steps can no longer be undone: they would bring its old
            levels back, for every rubric that uses it.
        """
        known = {fold_id(scale.id): scale for scale in scales}
        before = self.version
        fresh = tuple(known.get(fold_id(scale.id), scale) for scale in before.scales)
        if fresh == before.scales:
            return False

        def taken(state: VersionSnapshot) -> VersionSnapshot:
            nodes = without_lost_anchors(state.nodes, before.scales, fresh)
            return msgspec.structs.replace(state, scales=fresh, nodes=nodes)

        version = taken(before)
        self._saved = version if self._saved is before else taken(self._saved)
        self.history.rebase(version)
        return True

    # -- problems

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What stands against publishing the draft as it is now."""
        version = self.version
        if self._problems is None or self._problems[0] is not version:
            self._problems = (version, self._index.problems(version))
        return self._problems[1]

    # -- sample answers

    @property
    def sample_set(self) -> SampleSet | None:
        """The sample set in use; None while there is none at all."""
        return self.sets[self._place] if self._place < len(self.sets) else None

    @property
    def answers(self) -> dict[str, Answer]:
        """The sample answers that the draft as it is now can be given, by folded criterion id."""
        version, used = self.version, self.sample_set
        if self._answers is not None and self._answers[0] is version and self._answers[1] is used:
            return self._answers[2]
        found: dict[str, Answer] = {}
        if used is not None:
            before = self._answers if self._answers is not None and self._answers[1] is used else None
            found = _answers_again(version, used, before[0], before[2]) if before else _answers(version, used)
        self._answers = (version, used, found)
        return found

    def give(self, node_id: str, answer: SampleAnswer | None) -> None:
        """Set the sample answer of a criterion, or clear it; kept with the set in use."""
        try:
            _, node = node_of(self.version, node_id)
        except EditError:
            return
        used = self.sample_set or self.add_set(FIRST_SET)
        given = dict(used.answers)
        if answer is None:
            given.pop(node.key, None)
        else:
            given[node.key] = answer
        changed = msgspec.structs.replace(used, answers=given)
        # Only one answer differs, so the others need not be found again.
        known = self._answers
        self._put_set(changed)
        if known is not None and known[0] is self.version and known[1] is used:
            found = dict(known[2])
            found.pop(fold_id(node.id), None)
            part = msgspec.structs.replace(self.version, nodes=(node,))
            found |= _answers(part, changed)
            self._answers = (self.version, changed, found)

    def fill(self, answers: dict[str, SampleAnswer]) -> None:
        """Give the set in use these answers and no others, by key."""
        used = self.sample_set or self.add_set(FIRST_SET)
        self._put_set(msgspec.structs.replace(used, answers=answers))

    def use_set(self, set_id: str) -> None:
        """Try the draft on another sample set."""
        self._place = next((i for i, each in enumerate(self.sets) if each.id == set_id), self._place)

    def add_set(
        self, name: str, answers: dict[str, SampleAnswer] | None = None, *, id: str = ""
    ) -> SampleSet:
        """A new sample set, which is in use from now on. Its name gets a number where another has it."""
        taken = {each.name.casefold() for each in self.sets}
        title, number = name, 2
        while title.casefold() in taken:
            title, number = f"{name} {number}", number + 1
        made = SampleSet(
            id=id,
            rubric_id=self.version.rubric_id,
            name=title,
            answers=answers or {},
            sequence=max((each.sequence for each in self.sets), default=-1) + 1,
        )
        if not made.id:
            try:
                made = self._store.save_sample_set(self.version.rubric_id, made)
            except Exception:
                from uuid import uuid4

                made = msgspec.structs.replace(made, id=str(uuid4()))
                self._unsaved_sets[made.id] = made
        self.sets.append(made)
        self._place = len(self.sets) - 1
        return made

    def rename_set(self, set_id: str, name: str) -> None:
        """Give a sample set another name."""
        for each in self.sets:
            if each.id == set_id:
                self._put_set(msgspec.structs.replace(each, name=name))
                return

    def delete_set(self, set_id: str) -> None:
        """Delete a sample set.

        Raises:
            RubrictuiError: the store did not take it; the set stays.
        """
        used = self.sample_set
        self._store.delete_sample_set(set_id)
        self._unsaved_sets.pop(set_id, None)
        self.sets = [each for each in self.sets if each.id != set_id]
        self._place = next((i for i, each in enumerate(self.sets) if each is used), 0)

    def _put_set(self, changed: SampleSet) -> None:
        self.sets = [changed if each.id == changed.id else each for each in self.sets]
        self._unsaved_sets[changed.id] = changed
        if len(changed.answers) <= _AT_ONCE:
            self._save()

    def _follow_keys(self, before: VersionSnapshot, after: VersionSnapshot) -> None:
        """Let sample answers follow criteria whose key changed."""
        if not self.sets:
            return
        gone, come = came_and_went(before.nodes, after.nodes)
        keys = {node.id: node.key for node in gone}
        renamed = {keys[node.id]: node.key for node in come if node.id in keys and keys[node.id] != node.key}
        if not renamed:
            return
        for each in tuple(self.sets):
            if renamed.keys() & each.answers.keys():
                answers = {renamed.get(key, key): answer for key, answer in each.answers.items()}
                changed = msgspec.structs.replace(each, answers=answers)
                self.sets = [changed if one.id == changed.id else one for one in self.sets]
                self._unsaved_sets[changed.id] = changed

    # -- what the samples score

    @property
    def preview(self) -> Preview:
        """What the sample answers score on the draft as it is now."""
        return self._previewed()[2]

    @property
    def sample(self) -> Sample:
        """The sample as the tree shows it."""
        return self._previewed()[3]

    def _previewed(self) -> tuple[VersionSnapshot, dict[str, Answer], Preview, Sample]:
        version, answers = self.version, self.answers
        known = self._preview
        if known is not None and known[0] is version and known[1] is answers:
            return known
        sample = Sample(answers, {})  # nothing answered is no sample
        try:
            live = self._live.score(version, answers)
        except RubrictuiError as error:
            preview = Preview(None, "", str(error), len(answers))
        else:
            result = live.result
            preview = Preview(result, explain_outcome(version, result), "", len(answers))
            if answers:
                sample = Sample(answers, live.rows, result.normalized_score)
        self._preview = version, answers, preview, sample
        return self._preview

    def score_of(self, version: VersionSnapshot, kept: SampleSet) -> ScoreResult | None:
        """What a sample set scores under a version where its keys still match; None when it cannot be computed."""
        if version is self.version:
            # A copy: the history keeps every state of the draft alive, and with it whatever was compiled of it.
            if self._compared is None or self._compared[0] is not version:
                self._compared = version, msgspec.structs.replace(version)
            version = self._compared[1]
        try:
            return compute(version, answers_by_key(version, kept.answers))
        except RubrictuiError:
            return None


def _answers(version: VersionSnapshot, kept: SampleSet) -> dict[str, Answer]:
    """The answers of a set that a version can be given, by folded criterion id."""
    return {fold_id(answer.criterion_id): answer for answer in answers_by_key(version, kept.answers)}


def _answers_again(
    version: VersionSnapshot, kept: SampleSet, before: VersionSnapshot, found: dict[str, Answer]
) -> dict[str, Answer]:
    """The same after an edit: nodes that are the same objects keep their answers."""
    if (
        before.scales is not version.scales
        or before.not_applicable_policy is not version.not_applicable_policy
    ):
        return _answers(version, kept)
    gone, others = came_and_went(before.nodes, version.nodes)
    fresh = _answers(msgspec.structs.replace(version, nodes=tuple(others)), kept) if others else {}
    left = {own: found[own] for node in gone if (own := fold_id(node.id)) in found}
    if fresh == left:
        return found
    changed = dict(found)
    for own in left:
        del changed[own]
    return changed | fresh
