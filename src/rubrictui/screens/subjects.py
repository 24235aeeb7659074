"""The subjects of the store: find one, score it, or read what you may see of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from rubrictui.core.namesakes import told_apart
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import Evaluation, EvaluationStatus, Subject
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import ListScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.inbox_rows import OUTCOME_WORDS
from rubrictui.screens.opening_work import open_form, open_result, score_any
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

COLUMNS: tuple[Column, ...] = (
    Column("Subject", share=3, minimum=24),
    Column("Id", share=1, minimum=12, drop=1),
    Column("Content", width=20, drop=2),
)

EVALUATION_COLUMNS: tuple[Column, ...] = (
    Column("Rubric", share=2, minimum=16),
    Column("For", share=1, minimum=10, drop=3),
    Column("By", share=1, minimum=10, drop=1),
    Column("Status", width=10),
    Column("Result", width=16),
    Column("When", width=10, drop=2),
)

NEW = "new"
COMPARE = "compare:"


def subject_rows(subjects: Sequence[Subject]) -> list[Row]:
    """The subjects as rows, by kind, then title."""
    ordered = sorted(subjects, key=lambda s: (s.entity.casefold(), (s.title or s.record_id).casefold()))
    return [
        Row(
            id=subject.id,
            cells=(subject.title or subject.record_id, subject.record_id, content_words(subject)),
            section=subject.entity,
        )
        for subject in ordered
    ]


def content_words(subject: Subject) -> str:
    """What a subject holds, in at most 20 cells."""
    parts = []
    if subject.text:
        words = len(subject.text.split())
        parts.append(f"{words:,} word{'' if words == 1 else 's'}")
    if subject.data:
        parts.append("data")
    if subject.files:
        parts.append(f"{len(subject.files)} file{'s' if len(subject.files) > 1 else ''}")
    return ", ".join(parts)


def evaluation_rows(evaluations: Sequence[Evaluation], zone: tzinfo | None) -> list[Row]:
    """What the viewer may see of one subject's evaluations, after the choice of a new one."""
    rows = [Row(id=NEW, cells=("Score it now ...", "", "", "", "", ""), tone="strong")]
    for found in cohorts(evaluations):
        words = f"Compare: {found.rubric_name} {found.major_version}"
        rows.append(
            Row(
                id=COMPARE + found.id,
                cells=(words, found.context_name or "", "", "", "", ""),
                tone="strong",
            )
        )
    names = told_apart((found.person, found.evaluator_user_name) for found in evaluations)
    for found in evaluations:
        when = found.submitted_at or found.updated_at
        word = OUTCOME_WORDS.get(found.outcome, "") if found.outcome else ""
        display = DisplayRange.of(found)
        score = f"{display.score(found.normalized_score)} " if found.normalized_score is not None else ""
        by = found.evaluator_name or names[found.evaluator_user_name]
        rows.append(
            Row(
                id=found.id,
                cells=(
                    f"{found.rubric_name} {found.version_number}",
                    found.context_name or "",
                    by if found.evaluator_type.value == "Human" else f"{by} ({found.evaluator_type.value})",
                    found.status.value,
                    score + word,
                    f"{when.astimezone(zone):%Y-%m-%d}" if when else "",
                ),
                tone="" if found.status in {EvaluationStatus.DRAFT, EvaluationStatus.SUBMITTED} else "muted",
            )
        )
    return rows


def cohorts(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """One evaluation of each cohort that there is something to compare in: rubric, major and context."""
    found: dict[tuple[str, int, str | None], Evaluation] = {}
    for one in evaluations:
        if one.submitted_at is not None:
            found.setdefault((one.rubric_id, one.major_version, one.context_id), one)
    return list(found.values())


class SubjectsScreen(ListScreen[None]):
    """What there is to score."""

    TITLE = "Subjects"
    COLUMNS = COLUMNS
    READING = "Reading the subjects ..."
    HELP = (
        "Everything that can be scored, by kind. Enter lists the evaluations of a subject that you may see, and lets "
        "you score it. While you have one of your own open, what others gave it stays out of sight."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="subjects.filter",
            tooltip="Show rows with these words",
        ),
        Binding(
            "o", "score", "Score it", id="subjects.score", tooltip="Pick a rubric and score this subject"
        ),
        Binding(
            "E",
            "evaluate",
            "Evaluate",
            id="subjects.evaluate",
            tooltip="Have this subject scored by a rule, a model or an agent",
        ),
        Binding("R", "reload", "Reload", show=False, id="subjects.reload", tooltip="Read the subjects again"),
        Binding("escape", "back", "Back", key_display="Esc", id="subjects.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | The evaluations of the subject. |
    | o | Score it. |
    | E | Have it scored by an evaluator. |
    | / | Filter. |
    | R | Read the subjects again. |
    | escape | Clear the filter; back. |
    """

    def __init__(self) -> None:
        super().__init__()
        self._subjects: tuple[Subject, ...] = ()

    def on_mount(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the subjects again."""
        self._subjects = await self.shell.ask(lambda engine: engine.subjects())
        listed = self.query_one(RowsList)
        listed.empty = "There is no subject yet: rubrictui subjects add FILE."
        listed.set_rows(subject_rows(self._subjects))
        self.query_one(TitleBar).right = counted(len(self._subjects), "subject")
        self.query_one(FilterLine).count()

    @work(exit_on_error=False, exclusive=True, group="open")
    async def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        subject_id = message.row.id
        found = await self.shell.ask(lambda engine: engine.evaluations(subject=subject_id))
        choice = ChooseScreen(
            message.row.cells[0], EVALUATION_COLUMNS, evaluation_rows(found, self.shell.zone)
        )
        chosen = await self.app.push_screen_wait(choice)
        if chosen is None:
            return
        if chosen == NEW:
            await score_any(self, subject_id=subject_id)
            return
        evaluation = next(e for e in found if e.id == chosen.removeprefix(COMPARE))
        if chosen.startswith(COMPARE):
            from rubrictui.screens.matrix import MatrixScreen

            self.app.push_screen(
                MatrixScreen(
                    subject_id, evaluation.rubric_id, evaluation.context_id, evaluation.major_version
                )
            )
            return
        if evaluation.status is not EvaluationStatus.DRAFT:
            await open_result(self, chosen)
        elif evaluation.evaluator_user_id == (await self.shell.engine()).user.id:
            await open_form(self, lambda engine: engine.draft(chosen))
        else:
            self.say("This is somebody's draft; it can be read once it is submitted.")

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_score(self) -> None:
        """Pick a rubric and score the subject under the cursor."""
        if (current := self.query_one(RowsList).current) is not None:
            await score_any(self, subject_id=current.id)

    def action_evaluate(self) -> None:
        """Have the subject under the cursor scored by an evaluator."""
        from rubrictui.screens.evaluate import EvaluateScreen
        from rubrictui.screens.evaluate_run import Choices

        if (current := self.query_one(RowsList).current) is not None:
            choices = Choices(subject_id=current.id, subject_title=current.cells[0])
            self.app.push_screen(EvaluateScreen(choices))


SCREEN = ScreenSpec(
    name="subjects",
    title="Subjects",
    opener=SubjectsScreen,
    entries=(Entry("Subjects", "What there is to score, and what was scored", "app.open('subjects')"),),
)
