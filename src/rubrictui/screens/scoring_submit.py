"""Before a draft is submitted: exactly what is missing, or what will be frozen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from time import monotonic
from typing import ClassVar

from textual.binding import Binding, BindingType

from rubrictui.core.explain import explain_outcome, number, overall_score
from rubrictui.core.model import Node, VersionSnapshot, fold_id
from rubrictui.core.records import SubmitPreview
from rubrictui.core.scoring import band_of
from rubrictui.screens.rows_screen import RowsScreen
from rubrictui.screens.scoring_base import READING_TIME
from rubrictui.widgets.result_lines import percentage
from rubrictui.widgets.rows_list import Column, Row, RowsList

SUBMIT = "submit"
_NOW = "now"


def counted(count: int, one: str, many: str) -> str:
    """``1 criterion``, ``3 criteria``."""
    return f"{count} {one if count == 1 else many}"


def submit_text(preview: SubmitPreview, version: VersionSnapshot) -> str:
    """What submitting would do, or why it cannot be done, in a few lines."""
    lines: list[str] = []
    if preview.problems:
        lines.append(
            f"Not yet: {counted(len(preview.problems), 'thing is', 'things are')} missing or wrong. "
            "Enter goes to the one under the cursor."
        )
    elif preview.result is not None:
        result = preview.result
        score = overall_score(version, result)
        if score is not None:
            low, high = number(version.score_display_min), number(version.score_display_max)
            band = band_of(version, result.normalized_score)
            lines.append(f"Score {score} on {low} to {high}" + (f" · {band.label}" if band else ""))
        lines.append(explain_outcome(version, result))
        counting = {node.key for node in version.nodes if node.is_criterion and not node.is_advisory}
        open_ones = len(counting.intersection(preview.unanswered))
        total = counted(len(counting), "criterion that counts", "criteria that count")
        lines.append(
            f"Completeness {percentage(result.completeness)}: "
            + (f"{open_ones} of {total} unanswered." if open_ones else "all that counts is answered.")
        )
        lines.append(
            "Submitting freezes the answers and this score. A correction is a new evaluation that supersedes it."
        )
    lines.extend(preview.warnings)
    return "\n".join(lines)


def submit_rows(preview: SubmitPreview, version: VersionSnapshot, flagged: Collection[str] = ()) -> list[Row]:
    """Submit now where that is possible; then what is missing, what is unanswered, what is marked.

    Submitting names what is left open, so that nobody does it by oversight.

    Args:
        flagged: folded ids of the criteria to return to.
    """
    nodes = {node.key: node for node in version.nodes}
    numbers = {node.key: index for index, node in enumerate((n for n in version.nodes if n.is_criterion), 1)}

    def name(key: str) -> str:
        node: Node | None = nodes.get(key)
        return (node.name if node else "") or key

    rows: list[Row] = []
    if not preview.problems and preview.result is not None:
        left = [f"{len(preview.unanswered)} unanswered"] if preview.unanswered else []
        left += [f"{len(flagged)} marked to return to"] if flagged else []
        words = f"Submit now, with {' and '.join(left)}" if left else "Submit now"
        rows.append(Row(_NOW, ("", words), tone="strong"))
    rows.extend(
        Row(
            f"{index}:{problem.key}",
            (str(numbers.get(problem.key, "")), problem.message),
            "Missing or wrong",
            mark="!",
        )
        for index, problem in enumerate(preview.problems)
    )
    rows.extend(
        Row(f"u:{key}", (str(numbers.get(key, "")), name(key)), "Unanswered (this does not block)", mark="·")
        for key in preview.unanswered
    )
    rows.extend(
        Row(
            f"f:{node.key}",
            (str(numbers[node.key]), name(node.key)),
            "Marked to return to (this does not block)",
            mark="⚑",
        )
        for node in version.nodes
        if node.is_criterion and fold_id(node.id) in flagged
    )
    return rows


class SubmitScreen(RowsScreen[str | None]):
    """Dismissed with ``submit``, with the key of the criterion to go to, or with None."""

    TITLE = "Submit"
    COLUMNS = (Column("No.", width=4, right=True), Column("Criterion", share=1, minimum=20))
    HELP = (
        "What submitting would do now. While something is missing it lists all of it, and Enter goes there. "
        "Unanswered criteria never block; they count against completeness. While one is left open, or is marked "
        "to return to, the cursor begins there: to submit all the same, move it to Submit now and press Enter."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose", priority=True, id="submit.choose"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Go to the criterion under the cursor; on "Submit now", submit. |
    | escape | Back to the form. |
    """

    def __init__(
        self, title: str, preview: SubmitPreview, version: VersionSnapshot, flagged: Collection[str] = ()
    ) -> None:
        super().__init__(title)
        self._preview = preview
        self._version = version
        self._flagged = frozenset(flagged)
        self._drawn_at: float | None = None

    def about(self) -> str:
        return submit_text(self._preview, self._version)

    def rows(self) -> Sequence[Row]:
        return submit_rows(self._preview, self._version, self._flagged)

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._begin_reading)

    def _begin_reading(self) -> None:
        self._drawn_at = monotonic()

    def first(self) -> str | None:
        """The first criterion that is open or marked; submitting only when there is none."""
        return next((row.id for row in self.rows() if row.id != _NOW), None)

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        if message.row.id != _NOW:
            self.dismiss("go:" + message.row.id.partition(":")[2])
        elif self._drawn_at is not None and monotonic() - self._drawn_at >= READING_TIME:
            self.dismiss(SUBMIT)
        else:
            self.notify("Read what will be frozen, then press Enter once more.")
