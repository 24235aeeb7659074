"""The result of one evaluation: the score, the outcome and why, the band, and every node's part in it.

Opened with ``push_screen(ResultScreen(engine, detail))``.
"""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.adjudication_matrix import standing_words
from rubrictui.core.display import visible
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.explain import explain_outcome, number, overall_score
from rubrictui.core.model import Band, Outcome, fold_id
from rubrictui.core.records import EvaluationDetail, EvaluationStatus
from rubrictui.core.score_of_record import score_of_record
from rubrictui.screens.base import ShellScreen
from rubrictui.widgets.band_ruler import tone_of
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.result_lines import bar, cohort_words, percentage
from rubrictui.widgets.result_list import ResultList
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

_GOOD = frozenset({Outcome.PASSED})
_BAD = frozenset({Outcome.BELOW_THRESHOLD, Outcome.GATE_FAILED, Outcome.NOT_APPLICABLE_FAILURE})
_SCALE_BAR = 20


def stored_band(detail: EvaluationDetail) -> Band | None:
    """The band the evaluation was given."""
    wanted = fold_id(detail.evaluation.band_id)
    return next((band for band in detail.version.bands if wanted and fold_id(band.id) == wanted), None)


def state_words(detail: EvaluationDetail, zone: tzinfo | None) -> str:
    """Who scored when (in ``zone``; None is the system's), and what became of the evaluation since."""
    evaluation = detail.evaluation
    who = evaluation.label
    parts = [f"{evaluation.evaluator_type.value}: {who}" if who else evaluation.evaluator_type.value]
    if evaluation.submitted_at is not None:
        parts.append(f"submitted {evaluation.submitted_at.astimezone(zone):%Y-%m-%d %H:%M}")
    if evaluation.status is not EvaluationStatus.SUBMITTED:
        reason = f" ({evaluation.end_reason})" if evaluation.end_reason else ""
        parts.append(f"{evaluation.status.value}{reason}")
    if evaluation.supersedes_id:
        parts.append("supersedes an earlier one")
    return " · ".join(parts)


class ResultScreen(ShellScreen[None]):
    """One evaluation, read only; superseded or withdrawn from here."""

    TITLE = "Result"
    AUTO_FOCUS = "ResultList"
    HELP = (
        "The score as it was frozen, and why the outcome is what it is. Each line is a node of the rubric: its "
        "share among what counted beside it, the answer, its score, and the points it gives to the whole. "
        "Enter shows rationale and evidence whole. A submitted evaluation never changes: s begins a new one "
        "that supersedes it, w withdraws it with a reason. c lays all evaluations of the subject side by side."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "s",
            "supersede",
            "Supersede",
            id="result.supersede",
            tooltip="Begin a correction with these answers copied",
        ),
        Binding(
            "w",
            "withdraw",
            "Withdraw",
            id="result.withdraw",
            tooltip="Take it out of its cohort, with a reason",
        ),
        Binding(
            "c",
            "compare",
            "Compare",
            id="result.compare",
            tooltip="Everyone who scored this subject, side by side, as far as you may see",
        ),
        Binding("escape,q", "back", "Back", key_display="Esc", id="result.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | s | Begin a correction: a new draft with these answers, which supersedes this when it is submitted. |
    | w | Withdraw, with a reason. |
    | c | Compare with everyone who scored the subject. |
    | escape, q | Back. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "outcome--good",
        "outcome--bad",
        "outcome--open",
        "outcome--score",
        "outcome--muted",
        "outcome--success",
        "outcome--warning",
        "outcome--error",
        "outcome--accent",
        "outcome--text",
    }
    """
    | Class | Description |
    | :- | :- |
    | `outcome--score` | The score. |
    | `outcome--good`, `outcome--bad`, `outcome--open` | The outcome: passed, failed, neither. |
    | `outcome--success`, `--warning`, `--error`, `--accent`, `--text` | The tone of the band. |
    | `outcome--muted` | Who and when, and the cohort. |
    """

    DEFAULT_CSS = """
    ResultScreen {
        & > #outcome { height: auto; max-height: 50%; padding: 0 1; background: $surface; }
        & > .outcome--score { text-style: bold; }
        & > .outcome--good { color: $success; text-style: bold; }
        & > .outcome--bad { color: $error; text-style: bold; }
        & > .outcome--open { color: $warning; text-style: bold; }
        & > .outcome--success { color: $success; }
        & > .outcome--warning { color: $warning; }
        & > .outcome--error { color: $error; }
        & > .outcome--accent { color: $accent; }
        & > .outcome--muted { color: $text-muted; }
    }
    """

    def __init__(self, engine: Engine, detail: EvaluationDetail) -> None:
        """
        Args:
            engine: the store's engine.
            detail: the evaluation, whole.
        """
        super().__init__()
        self._engine = engine
        self._detail = detail
        self._settled: Adjudication | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(f"{self.TITLE} · {self._detail.evaluation.subject_title}")
        yield Static("", id="outcome")
        yield ResultList(self._detail)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._settled = self._settlement()
        self._show()

    def _settlement(self) -> Adjudication | None:
        """What an adjudicator settled on the subject in this round, where the viewer may see it."""
        one = self._detail.evaluation
        if one.context_id is None:
            return None
        try:
            found = self._engine.adjudications(one.context_id, subject=one.subject_id)
        except RubrictuiError:
            return None  # a result is shown without it rather than not at all
        return found[-1] if found else None

    def _show(self) -> None:
        self.query_one("#outcome", Static).update(self._outcome())
        self.refresh_bindings()

    def _outcome(self) -> Content:
        """The lines above the nodes."""
        detail, version = self._detail, self._detail.version
        evaluation = detail.evaluation

        def styled(text: str, name: str) -> Content:
            return Content.styled(
                visible(text, newlines=False), self.get_visual_style(f"outcome--{name}", partial=True)
            )

        about = [f"{evaluation.rubric_name} {evaluation.version_number}"]
        if evaluation.context_name:
            about.append(evaluation.context_name)
        lines = [styled(" · ".join(about), "muted")]
        result = detail.result
        if result is not None:
            low, high = number(version.score_display_min), number(version.score_display_max)
            score = evaluation.normalized_score
            value = overall_score(version, result)
            shown = f"{value} of {low} to {high}" if value is not None else "No score"
            head = [styled(f"{shown}  ", "score"), styled(bar(score, _SCALE_BAR) + "  ", "text")]
            if (band := stored_band(detail)) is not None:
                head.append(styled(band.label, tone_of(band) or "text"))
            lines.append(Content("").join(head))
            if band is not None and band.description:
                lines.append(styled(band.description, "muted"))
            kind = "good" if result.outcome in _GOOD else "bad" if result.outcome in _BAD else "open"
            lines.append(styled(explain_outcome(version, result), kind))
            if (record := score_of_record(evaluation)) is not None:
                lines.append(
                    styled(f"Score of record, by the {record.kind}'s own rules: {record.words}", "text")
                )
            facts = [f"Completeness {percentage(result.completeness)}"]
            if result.confidence is not None:
                facts.append(f"confidence {percentage(result.confidence)}")
            lines.append(styled(" · ".join([*facts, state_words(detail, self.shell.zone)]), "muted"))
        else:
            lines.append(styled(evaluation.error_message or f"No result: {evaluation.status.value}.", "bad"))
            lines.append(styled(state_words(detail, self.shell.zone), "muted"))
        if detail.cohort is not None and detail.cohort.count > 1:
            lines.append(
                styled(cohort_words(version, detail.cohort, detail.deviation_from_cohort_mean), "muted")
            )
        if self._settled is not None:
            lines.append(styled(f"Score of record of the subject: {standing_words(self._settled)}", "text"))
        return Content("\n").join(lines)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a Submitted evaluation is superseded or withdrawn, and only by whoever gave it."""
        if action in ("supersede", "withdraw"):
            evaluation = self._detail.evaluation
            own = evaluation.evaluator_user_id == self._engine.user.id
            return own and evaluation.status is EvaluationStatus.SUBMITTED
        return True

    def action_supersede(self) -> None:
        """Begin a correction with these answers copied."""
        from rubrictui.screens.scoring import ScoringScreen

        try:
            draft = self._engine.start_superseding(self._detail.evaluation.id)
        except RubrictuiError as error:
            self.say(str(error), error=True)
            return
        self.app.switch_screen(ScoringScreen(self._engine, draft))

    def action_withdraw(self) -> None:
        """Take the evaluation out of its cohort, with a reason."""
        from rubrictui.screens.scoring_reason import WITHDRAW_REASONS, ReasonScreen

        evaluation = self._detail.evaluation

        def withdraw(reason: str | None) -> None:
            if reason is None:
                return
            try:
                self._engine.withdraw(evaluation.id, reason)
            except RubrictuiError as error:
                self.say(str(error), error=True)
                return
            self._detail = self._engine.evaluation(evaluation.id)
            self._show()
            self.say("Withdrawn: it counts in no cohort any more.")

        about = (
            "Withdrawing takes this evaluation out of every cohort and sum. Its answers stay as they are, "
            "with the reason; it cannot be taken back."
        )
        self.app.push_screen(
            ReasonScreen(f"Withdraw · {evaluation.subject_title}", about, WITHDRAW_REASONS, "withdraws it"),
            withdraw,
        )

    def action_compare(self) -> None:
        """Everyone who scored this subject, side by side."""
        from rubrictui.screens.matrix import MatrixScreen

        one = self._detail.evaluation
        self.app.push_screen(MatrixScreen(one.subject_id, one.rubric_id, one.context_id, one.major_version))

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)
