"""An open draft while it is being scored: what is answered, what is safe, what can be undone.

No widgets here. Every change goes to the store before this module says that it did; what the store did
not take stays here, is told, and is offered again, so that nothing typed is lost to a full disk or a
locked file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from msgspec.structs import replace

from rubrictui.core.errors import RubrictuiError, ScoringError
from rubrictui.core.model import Answer, ScoreResult, VersionSnapshot, fold_id
from rubrictui.core.records import Draft, DraftAnswer, SaveReceipt
from rubrictui.core.scoring import compute
from rubrictui.engine.errors import DraftClosedError, DraftConflictError, NotFoundError, NotPermittedError

_HISTORY_LIMIT = 500
_FINAL = (DraftClosedError, NotFoundError, NotPermittedError)


class DraftStore(Protocol):
    """What a session needs of the engine."""

    def save_answer(
        self,
        evaluation_id: str,
        answer: Answer,
        *,
        base_revision: int | None = None,
        flagged: bool | None = None,
        cursor: str | None = None,
    ) -> SaveReceipt: ...

    def save_cursor(self, evaluation_id: str, key: str | None) -> None: ...


class Safety(StrEnum):
    """Whether everything is on disk, in the words the form shows."""

    SAVED = "saved ✓"
    SAVING = "saving"
    NOT_SAVED = "NOT SAVED"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of one criterion: its answer and whether to return to it."""

    answer: Answer
    is_flagged: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One step of undo. ``group`` joins what belongs together: a rationale typed in one go."""

    criterion_id: str
    before: Kept
    after: Kept
    group: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The same criterion was answered elsewhere: ``mine`` is not stored, ``stored`` is."""

    criterion_id: str
    mine: Kept
    stored: DraftAnswer
    revision: int


class DraftSession:
    """One reviewer's open draft.

    Attributes:
        problem: one line on why something is not stored; "" when all is.
        refused: one line on why the last change was refused; "" when it was not. It is not kept either.
        conflict: the criterion that was answered elsewhere meanwhile, until it is settled.
        is_closed: the draft is no draft any more, so nothing can be stored.
    """

    def __init__(self, store: DraftStore, draft: Draft) -> None:
        self._store = store
        self.draft = draft
        self.problem = ""
        self.refused = ""
        self.conflict: Conflict | None = None
        self.is_closed = False
        self._kept: dict[str, Kept] = {}
        self._names = {fold_id(node.id): node.id for node in draft.version.nodes if node.is_criterion}
        self._seen: dict[str, int] = {}
        for stored in draft.answers:
            leaf = fold_id(stored.answer.criterion_id)
            self._kept[leaf] = Kept(stored.answer, stored.is_flagged)
        self._base = draft.evaluation.revision
        self._waiting: dict[str, None] = {}
        self._undo: list[Change] = []
        self._redo: list[Change] = []
        self._cursor = self._stored_cursor = draft.cursor

    # -- what is known

    @property
    def evaluation_id(self) -> str:
        return self.draft.evaluation.id

    @property
    def version(self) -> VersionSnapshot:
        return self.draft.version

    @property
    def answers(self) -> dict[str, Answer]:
        """Every answer, also those without a level yet, by folded criterion id."""
        return {leaf: kept.answer for leaf, kept in self._kept.items()}

    @property
    def flagged(self) -> frozenset[str]:
        """Folded ids of the criteria to return to."""
        return frozenset(leaf for leaf, kept in self._kept.items() if kept.is_flagged)

    def kept(self, criterion_id: str) -> Kept:
        """What is known of one criterion; an empty answer when nothing is."""
        leaf = fold_id(criterion_id)
        return self._kept.get(leaf) or Kept(Answer(criterion_id=self._names.get(leaf, criterion_id)))

    def answer(self, criterion_id: str) -> Answer:
        """The answer to one criterion; an empty one when there is none."""
        return self.kept(criterion_id).answer

    @property
    def safety(self) -> Safety:
        return Safety.NOT_SAVED if self._waiting or self.problem else Safety.SAVED

    @property
    def waiting(self) -> tuple[str, ...]:
        """Folded ids of the criteria whose change is not stored, oldest first."""
        return tuple(self._waiting)

    def result(self) -> ScoreResult | None:
        """What the answers so far score; None while one of them is illegal."""
        try:
            return compute(self.version, self.answers.values())
        except RubrictuiError:
            return None

    # -- changing

    def change(self, answer: Answer, *, is_flagged: bool | None = None, group: str = "") -> bool:
        """Take a new answer (and flag) to one criterion and store it.

        Returns:
            Whether it is stored. When not, ``refused`` says that the version does not allow it and the old
            answer stands; else it stands here and ``problem`` or ``conflict`` says why it is not stored.
        """
        before = self.kept(answer.criterion_id)
        after = Kept(
            replace(answer, rationale=clean_text(answer.rationale)),
            before.is_flagged if is_flagged is None else is_flagged,
        )
        self.refused = ""
        if after == before:
            return fold_id(answer.criterion_id) not in self._waiting
        stored = self._take(after)
        if not self.refused:
            self._remember(Change(fold_id(answer.criterion_id), before, after, group))
        return stored

    def flag(self, criterion_id: str) -> bool:
        """Set or clear "return to this"; returns whether that is stored."""
        kept = self.kept(criterion_id)
        return self.change(kept.answer, is_flagged=not kept.is_flagged)

    def _remember(self, change: Change) -> None:
        self._redo.clear()
        last = self._undo[-1] if self._undo else None
        if change.group and last and last.group == change.group and last.criterion_id == change.criterion_id:
            self._undo[-1] = Change(change.criterion_id, last.before, change.after, change.group)
        else:
            self._undo.append(change)
            del self._undo[:-_HISTORY_LIMIT]

    def undo(self) -> Change | None:
        """Take the last change back and store that; None when there is none."""
        if not self._undo:
            return None
        change = self._undo.pop()
        self._redo.append(change)
        self._take(change.before)
        return change

    def redo(self) -> Change | None:
        """Make the change that was last taken back once more; None when there is none."""
        if not self._redo:
            return None
        change = self._redo.pop()
        self._undo.append(change)
        self._take(change.after)
        return change

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    # -- storing

    def _take(self, kept: Kept) -> bool:
        leaf = fold_id(kept.answer.criterion_id)
        before = self._kept.get(leaf)
        self._kept[leaf] = kept
        self._waiting[leaf] = None
        self.refused = ""
        try:
            self._store_one(leaf)
        except ScoringError as error:
            # The version does not allow it, and never will: the old answer stands.
            self.refused = str(error)
            self._waiting.pop(leaf)
            if before is None:
                self._kept.pop(leaf)
            else:
                self._kept[leaf] = before
            return False
        if not self.problem and len(self._waiting) > 0:
            self.retry()
        return leaf not in self._waiting

    def _store_one(self, leaf: str) -> None:
        """Store one waiting change; what goes wrong is kept in ``problem`` or ``conflict``."""
        kept = self._kept[leaf]
        try:
            receipt = self._store.save_answer(
                self.evaluation_id,
                kept.answer,
                base_revision=self._seen.get(leaf, self._base),
                flagged=kept.is_flagged,
                cursor=self._cursor,
            )
        except ScoringError:
            raise
        except DraftConflictError as error:
            self.conflict = Conflict(leaf, kept, error.stored, error.revision)
            self.problem = str(error)
        except _FINAL as error:
            self.is_closed = True
            self.problem = str(error)
        except RubrictuiError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = f"The store did not take it: {error or type(error).__name__}"
        else:
            self._seen[leaf] = receipt.revision
            self._stored_cursor = self._cursor
            self._waiting.pop(leaf, None)
            self.problem = ""

    def retry(self) -> bool:
        """Offer the store everything that it has not taken; returns whether all is stored now."""
        for leaf in tuple(self._waiting):
            if self.conflict is not None or self.is_closed:
                break
            try:
                self._store_one(leaf)
            except ScoringError as error:
                self.problem = str(error)
            if self.problem:
                break
        return not self._waiting

    def settle_conflict(self, *, keep_mine: bool) -> str:
        """End a conflict with the answer of this form, or with the stored one; returns the criterion's id."""
        conflict = self.conflict
        assert conflict is not None
        leaf = conflict.criterion_id
        self.conflict = None
        self.problem = ""
        self._seen[leaf] = conflict.revision
        if keep_mine:
            self._waiting[leaf] = None
        else:
            self._kept[leaf] = Kept(conflict.stored.answer, conflict.stored.is_flagged)
            self._waiting.pop(leaf, None)
            self._forget(leaf)
        self.retry()
        return leaf

    def catch_up(self, stored: Draft) -> tuple[str, ...]:
        """Take over what another session stored since this one read the draft; the folded ids of those criteria.

        A change that waits here stays as it is: storing it finds the conflict.

        Args:
            stored: the same draft as the store has it now.
        """
        found: list[str] = []
        for one in stored.answers:
            leaf = fold_id(one.answer.criterion_id)
            if leaf in self._waiting or one.revision <= self._seen.get(leaf, self._base):
                continue
            self._seen[leaf] = one.revision
            now = Kept(one.answer, one.is_flagged)
            if now == self.kept(leaf):
                continue
            self._kept[leaf] = now
            self._forget(leaf)
            found.append(leaf)
        return tuple(found)

    def _forget(self, leaf: str) -> None:
        """Leave steps on a criterion out of undo: the answer that they lead back from is not there any more."""
        self._undo = [change for change in self._undo if change.criterion_id != leaf]
        self._redo = [change for change in self._redo if change.criterion_id != leaf]

    def move_cursor(self, key: str) -> None:
        """Remember where the reviewer is; stored with the next answer, or by ``store_cursor``."""
        self._cursor = key

    def store_cursor(self) -> None:
        """Store where the reviewer is. Failing at that is no reason to disturb her."""
        if self._cursor == self._stored_cursor or self.is_closed:
            return
        try:
            self._store.save_cursor(self.evaluation_id, self._cursor)
        except Exception:
            # The place goes with the next answer as well.
            return
        self._stored_cursor = self._cursor


def clean_text(text: str | None) -> str | None:
    """Text that any store can hold: without NUL, and with lone surrogates replaced. Blank is none."""
    if text is None or not text.strip():
        return None
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text.encode("utf-8", "replace").decode("utf-8")
