"""A panel for the tests of settling: the one of comparing, with a store of settlements in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from matrix_world import SPRING, PanelStandIn
from matrix_world import subject as panel_subject
from shell_world import NOW, version

from rubrictui.core.adjudication import (
    DEFAULT_REASONS,
    Adjudication,
    AdjudicationQueue,
    AdjudicationReason,
    SettlementDesk,
    SettlementStart,
    answers_of,
    panel_answers,
    queue_items,
    with_answer,
    with_choices,
)
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer
from rubrictui.core.records import Subject
from rubrictui.core.scoring import compute


@dataclass
class SettlingStandIn(PanelStandIn):
    """What settling asks of the engine. ``kept`` is what was saved of the draft, ``broken`` refuses all saving."""

    is_local: bool = True
    open_reviews: tuple[str, ...] = ()
    broken: str = ""
    reasons: tuple[AdjudicationReason, ...] = DEFAULT_REASONS
    answers: tuple[Answer, ...] | None = None
    kept: dict[str, Any] = field(default_factory=dict)
    settled: list[Adjudication] = field(default_factory=list)

    def adjudication_queue(self, context: str, *, everything: bool = False) -> AdjudicationQueue:
        overview = self.round_overview(context)
        return AdjudicationQueue(
            context_id=SPRING.id,
            round_name=SPRING.name,
            threshold=self.threshold,
            items=queue_items(
                overview.subjects,
                threshold=self.threshold,
                open_reviews={"sub-1": len(self.open_reviews)},
                settled={one.subject_id: one for one in self.settled},
                basis={},
                drafts={"sub-1"} if self.answers is not None else (),
                everything=everything,
            ),
            hidden=overview.hidden,
        )

    def adjudications(self, context: str, *, subject: str | None = None) -> tuple[Adjudication, ...]:
        return tuple(self.settled)

    def settlement_desk(self, context: str, subject: str) -> SettlementDesk:
        table = self.matrix_table(subject=subject, context=context, with_texts=True)
        one = panel_subject(1)
        return SettlementDesk(
            context=SPRING,
            subject=Subject(id=one.id, entity=one.entity, record_id=one.record_id, title=one.title),
            table=table,
            version=version(),
            reasons=self.reasons,
            answers=panel_answers(table) if self.answers is None else self.answers,
            start=SettlementStart.PANEL if self.answers is None else SettlementStart.DRAFT,
            reason=self.kept.get("reason"),
            note=self.kept.get("note", ""),
            cursor=self.kept.get("cursor"),
            open_reviews=self.open_reviews,
        )

    def save_settlement(
        self,
        context: str,
        subject: str,
        *,
        answers: Iterable[Answer] = (),
        take: str | None = None,
        **values: Any,
    ) -> datetime:
        if self.broken:
            raise RubrictuiError(self.broken, remedy="Try again.")
        table = self.matrix_table(subject=subject, context=context)
        stored = panel_answers(table) if self.answers is None else self.answers
        if take is not None:
            one = next((one for one in table.evaluations if one.id == take), None)
            stored = with_choices(
                stored, panel_answers(table) if one is None else answers_of(table.version, one)
            )
        for answer in answers:
            stored = with_answer(stored, answer)
        self.answers = stored
        self.kept.update({key: value for key, value in values.items() if value is not None})
        return NOW

    def settle(self, context: str, subject: str, *, supersedes: str | None = None) -> Adjudication:
        result = compute(version(), self.answers or ())
        assert result.normalized_score is not None
        done = Adjudication(
            id=f"a-{len(self.settled)}",
            context_id=SPRING.id,
            subject_id="sub-1",
            version_id=version().id,
            adjudicator_id=self.user.id,
            adjudicator_name=self.user.name,
            reason=self.kept["reason"],
            note=self.kept.get("note", ""),
            settled_at=NOW,
            score=result.normalized_score,
            display_score=f"{result.normalized_score * 100:.0f}",
            outcome=result.outcome,
            supersedes_id=supersedes,
            subject_title=panel_subject(1).title,
        )
        self.settled.append(done)
        self.answers = None
        return done

    def discard_settlement(self, context: str, subject: str) -> None:
        self.answers = None
        self.kept.clear()

    def adjudication_reasons(self) -> tuple[AdjudicationReason, ...]:
        return self.reasons

    def set_adjudication_reasons(self, given: Iterable[AdjudicationReason]) -> tuple[AdjudicationReason, ...]:
        self.reasons = tuple(given)
        return self.reasons
