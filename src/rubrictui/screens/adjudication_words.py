"""What settling says in words: the queue, what a settlement would be, how a criterion is answered. Pure."""

from __future__ import annotations

from rubrictui.core.adjudication import (
    AdjudicationQueue,
    QueueItem,
    QueueState,
    SettlementDesk,
    SettlementStart,
)
from rubrictui.core.adjudication_matrix import standing_words
from rubrictui.core.matrix import Matrix, MatrixRow
from rubrictui.core.model import Answer, NotApplicablePolicy, ScoreResult
from rubrictui.core.plan import Leaf
from rubrictui.core.ranges import DisplayRange
from rubrictui.widgets.criteria_lines import number_hint
from rubrictui.widgets.level_keys import level_keys
from rubrictui.widgets.matrix_lines import FLIP, SPREAD
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted

COLUMNS: tuple[Column, ...] = (
    Column("", share=3, minimum=22),
    Column("", share=3, minimum=20),
    Column("n", width=3, right=True),
    Column("Mean", width=6, right=True, drop=1),
    Column("Spread", width=6, right=True),
)

SECTIONS = {
    QueueState.TO_SETTLE: "To settle",
    QueueState.WAITING: "Waiting for reviews",
    QueueState.CHANGED: "Settled, and evaluations came or went since",
    QueueState.SETTLED: "Settled",
    QueueState.AGREES: "No disagreement",
}


def queue_rows(queue: AdjudicationQueue) -> list[Row]:
    """A row for each subject, by state."""
    return [_queue_row(one, queue.display) for one in queue.items]


def _queue_row(one: QueueItem, display: DisplayRange) -> Row:
    is_open = one.state in (QueueState.TO_SETTLE, QueueState.WAITING)
    mark = " "
    if one.settlement is not None:
        mark = "!" if one.state is QueueState.CHANGED else "✓"
    elif is_open:
        mark = FLIP if one.flips else SPREAD
    tone = "error" if is_open and one.flips else "warning" if is_open else ""
    if one.state is QueueState.CHANGED:
        tone = "warning"
    elif one.state is QueueState.SETTLED:
        tone = "success"
    return Row(
        id=one.subject_id,
        cells=(
            one.title,
            _queue_words(one),
            str(one.count),
            display.score(one.mean),
            display.spread(one.spread) if one.count > 1 else "",
        ),
        section=SECTIONS[one.state],
        mark=mark,
        tones=("", tone, "", "", tone if is_open else ""),
        search=f"{one.entity}/{one.record_id} {one.state.value.replace('_', ' ')}",
    )


def _queue_words(one: QueueItem) -> str:
    parts = []
    if one.settlement is not None:
        parts.append(f"{one.settlement.display_score} · {one.settlement.reason}")
    elif one.flips:
        parts.append("verdicts differ")
    elif one.state is not QueueState.AGREES:
        parts.append("scores lie apart")
    if one.open_reviews:
        parts.append(f"{counted(one.open_reviews, 'review')} open")
    if one.has_draft:
        parts.append("begun")
    return ", ".join(parts)


def queue_summary(queue: AdjudicationQueue) -> str:
    """One line above the queue."""
    parts = [
        f"{queue.count(QueueState.TO_SETTLE)} to settle",
        f"{queue.count(QueueState.WAITING)} waiting for reviews",
        f"{queue.count(QueueState.SETTLED, QueueState.CHANGED)} settled",
        f"{SPREAD} from {queue.display.spread(queue.threshold, 2)} points",
    ]
    if queue.hidden:
        parts.append(f"{counted(queue.hidden, 'subject')} hidden from you")
    return " · ".join(parts)


# -- one subject -------------------------------------------------------------------------------------


def refusal_words(desk: SettlementDesk) -> str:
    """Why it cannot be settled now; "" when it can."""
    if desk.open_reviews:
        waiting = counted(len(desk.open_reviews), "review")
        return f"Cannot be settled yet: {waiting} open ({', '.join(desk.open_reviews)})"
    if desk.conflict:
        return f"Not yours to settle, for a conflict of interest: {desk.conflict}"
    if not any(one.counts for one in desk.table.evaluations):
        return "Nobody has reviewed it: there is nothing to settle"
    return ""


def desk_summary(desk: SettlementDesk, matrix: Matrix, disagreements: int) -> str:
    """One line above the matrix: whether it can be settled, else what stands or where the proposal is from."""
    apart = f"{counted(disagreements, 'criterion', 'criteria')} apart ({SPREAD} from {matrix.display.spread(matrix.threshold, 2)})"
    if refused := refusal_words(desk):
        return f"{refused} · {apart}"
    if desk.settlement is not None:
        return f"{standing_words(desk.settlement)} · {apart}"
    begins = "you have begun" if desk.start is SettlementStart.DRAFT else "begins from the panel's middle"
    return f"Not settled: {begins} · {apart} · {matrix.about}"


def score_words(matrix: Matrix, result: ScoreResult) -> str:
    """The settled score as it would be now."""
    outcome = matrix.rows[0].cells[0].answer if matrix.rows and matrix.rows[0].cells[0] is not None else ""
    return f"{matrix.display.score(result.normalized_score, 2)} {outcome}".strip()


def settled_words(row: MatrixRow, display: DisplayRange) -> str:
    """What is settled on in a row so far, in front of how to answer it; the column may be out of view."""
    cell = row.cells[0] if row.cells else None
    if row.is_group or row.is_overall:
        return ""
    if cell is None:
        return "No answer yet · "
    return f"{cell.answer} {display.score(cell.score, 2)} · "


def scale_words(leaf: Leaf | None) -> str:
    """How the criterion under the cursor is answered: the keys of its levels, or the range of its numbers."""
    if leaf is None or leaf.scale is None:
        return ""
    none = "" if leaf.policy is NotApplicablePolicy.NOT_ALLOWED else " · n N/A"
    if leaf.is_numeric:
        return f"Type a number: {number_hint(leaf.scale)}{none}"
    return " · ".join(f"{one.keys} {one.level.label}" for one in level_keys(leaf.scale.levels)) + none


def reason_words(desk: SettlementDesk, reason: str | None, note: str, answer: Answer | None) -> str:
    """What is said to the settlement and to the criterion under the cursor."""
    parts = [f"Reason: {reason}" if reason else "Reason: none yet (w)"]
    parts.append(f"note: {note}" if note else "no note (o)")
    if answer is not None and answer.rationale:
        parts.insert(0, f"Rationale: {answer.rationale}")
    return " · ".join(parts)
