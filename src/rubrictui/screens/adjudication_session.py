"""A settlement that is being made: its answers, reason and note, and what of it the store has. No widget."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Protocol

from msgspec.structs import replace

from rubrictui.core.adjudication import (
    Adjudication,
    SettlementDesk,
    SettlementStart,
    answers_of,
    panel_answers,
    with_answer,
    with_choices,
)
from rubrictui.core.adjudication_matrix import settlement_matrix
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.matrix import Matrix
from rubrictui.core.matrix_building import subject_matrix
from rubrictui.core.model import Answer, ScoreResult, fold_id
from rubrictui.core.panel_tables import PanelEvaluation
from rubrictui.screens.adjudication_words import refusal_words

PANEL = "panel"


class SettlementStore(Protocol):
    """What of the engine a settlement takes."""

    @property
    def is_local(self) -> bool: ...

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
    ) -> datetime: ...

    def settle(self, context: str, subject: str, *, supersedes: str | None = None) -> Adjudication: ...

    def discard_settlement(self, context: str, subject: str) -> None: ...


class SettlementSession:
    """Every change is in ``answers``, ``reason`` or ``note`` at once, and waits in ``waiting`` until ``store`` has
    written it. What could not be written stays there and is tried again with the next change. ``evaluators`` is the
    matrix of those who scored."""

    def __init__(self, engine: SettlementStore, desk: SettlementDesk) -> None:
        self._engine = engine
        self.evaluators = subject_matrix(desk.table)
        self.desk = desk
        self.answers = desk.answers
        self.reason = desk.reason
        self.note = desk.note
        self.is_begun = desk.start is SettlementStart.DRAFT
        self.waiting: list[dict[str, Any]] = []
        self.failure: RubrictuiError | None = None

    # -- what it is now

    @property
    def refused(self) -> str:
        """Why it cannot be settled now; "" when it can."""
        return refusal_words(self.desk)

    def matrix(self) -> tuple[Matrix, ScoreResult]:
        """The evaluators with the settlement beside them, and what it scores."""
        return settlement_matrix(self.desk_now, self.answers, self.evaluators)

    @property
    def desk_now(self) -> SettlementDesk:
        """What was read, begun where an answer was given since."""
        return replace(self.desk, start=SettlementStart.DRAFT) if self.is_begun else self.desk

    def answer(self, criterion_id: str) -> Answer:
        """The answer to a criterion; an empty one when there is none."""
        wanted = fold_id(criterion_id)
        found = (one for one in self.answers if fold_id(one.criterion_id) == wanted)
        return next(found, Answer(criterion_id=criterion_id))

    @property
    def state(self) -> str:
        """Whether the store has all of it, in a word or two."""
        if self.failure is not None:
            return "NOT SAVED"
        if self.waiting:
            return "saving"
        return "saved" if self.is_begun else ""

    # -- changes

    def change(self, answer: Answer) -> bool:
        """Answer a criterion; False when nothing is different."""
        if answer == self.answer(answer.criterion_id):
            return False
        self.answers = with_answer(self.answers, answer)
        self._wait(answers=(answer,))
        return True

    def take(self, one: PanelEvaluation | None) -> None:
        """Choose throughout as this evaluator did; None: as the panel's middle. What was written stays."""
        chosen = panel_answers(self.desk.table) if one is None else answers_of(self.desk.version, one)
        self.answers = with_choices(self.answers, chosen)
        self._wait(take=PANEL if one is None else one.id)

    def set_reason(self, label: str) -> None:
        self.reason = label
        self._wait(reason=label)

    def set_note(self, text: str) -> None:
        self.note = text
        self._wait(note=text)

    def _wait(self, **values: Any) -> None:
        self.is_begun = True
        self.waiting.append(values)

    # -- the store

    def store(self, *, cursor: str | None = None) -> bool:
        """Write what waits, in order; ``cursor`` with the last of it. True when all is stored.

        A store on a server takes a while: call it in a thread then.
        """
        context, subject = self.desk.context.id, self.desk.subject.id
        try:
            while self.waiting:
                self._engine.save_settlement(context, subject, **self.waiting[0])
                del self.waiting[0]
            if cursor is not None and self.is_begun:
                self._engine.save_settlement(context, subject, cursor=cursor)
        except RubrictuiError as error:
            self.failure = error
            return False
        self.failure = None
        return True

    def settle(self) -> Adjudication:
        """Make it stand, in the place of what stood when it was opened.

        Raises:
            RubrictuiError: it cannot be settled as it is, or not now.
        """
        standing = self.desk.settlement
        return self._engine.settle(
            self.desk.context.id, self.desk.subject.id, supersedes=standing.id if standing else None
        )

    def discard(self) -> None:
        """Throw away what was begun.

        Raises:
            RubrictuiError: the store cannot.
        """
        self.waiting.clear()
        self._engine.discard_settlement(self.desk.context.id, self.desk.subject.id)
