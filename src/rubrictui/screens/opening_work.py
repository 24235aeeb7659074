"""From a choice to a form or a result: what the inbox, the subjects and the catalog have in common.

The functions here run in a worker of the screen they are given, because they wait for the user's choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rubrictui.core.records import Context, ContextStatus, RubricSummary, Subject
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.widgets.rows_list import Column, Row

if TYPE_CHECKING:
    from rubrictui.core.records import Draft
    from rubrictui.engine import Engine

SUBJECT_COLUMNS = (
    Column("Subject", share=3, minimum=20),
    Column("Kind", share=1, drop=2),
    Column("Id", share=1, drop=1),
)
RUBRIC_COLUMNS = (
    Column("Rubric", share=2, minimum=18),
    Column("Category", share=1, drop=1),
    Column("Version", width=8),
)
CONTEXT_COLUMNS = (
    Column("For", share=2, minimum=18),
    Column("Kind", share=1, drop=1),
    Column("Due", width=16),
)
NO_CONTEXT = "-"


async def open_form(screen: ShellScreen[None], begin: Callable[[Engine], Draft]) -> str:
    """Begin or resume what ``begin`` says, and show the form; the evaluation's id."""
    from rubrictui.screens.scoring import ScoringScreen

    draft = await screen.shell.ask(begin)
    screen.app.push_screen(ScoringScreen(await screen.shell.engine(), draft))
    return draft.evaluation.id


async def open_result(screen: ShellScreen[None], evaluation_id: str) -> None:
    """Show the result of a submitted evaluation."""
    from rubrictui.screens.result import ResultScreen

    found = await screen.shell.ask(lambda engine: engine.evaluation(evaluation_id))
    screen.app.push_screen(ResultScreen(await screen.shell.engine(), found))


async def score_any(
    screen: ShellScreen[None], *, subject_id: str | None = None, rubric_id: str | None = None
) -> str | None:
    """Let the user choose what is not given: a subject, a rubric, what it is for; then show the form.

    Esc goes back to the choice before, with the cursor on what was chosen there; from the first one it ends.

    Returns:
        The evaluation's id; None when the user went back.
    """
    given_subject, given_rubric = subject_id, rubric_id
    while True:
        if given_subject is None:
            subject_id = await _choose_subject(screen, subject_id)
            if subject_id is None:
                return None
        while True:
            if given_rubric is None:
                rubric_id = await _choose_rubric(screen, rubric_id)
                if rubric_id is None:
                    break
            assert subject_id is not None
            assert rubric_id is not None
            context_id = await _choose_context(screen, rubric_id)
            if context_id is not None:
                context = None if context_id == NO_CONTEXT else context_id
                return await _begin(screen, subject_id, rubric_id, context)
            if given_rubric is not None:
                break
        if given_subject is not None:
            return None


async def _begin(screen: ShellScreen[None], subject: str, rubric: str, context: str | None) -> str:
    return await open_form(
        screen, lambda engine: engine.open_draft(subject=subject, rubric=rubric, context=context)
    )


async def _choose_subject(screen: ShellScreen[None], cursor: str | None) -> str | None:
    subjects = await screen.shell.ask(lambda engine: engine.subjects())
    choice = ChooseScreen(
        "Score · 1 of 3: which subject?",
        SUBJECT_COLUMNS,
        subject_rows(subjects),
        cursor=cursor,
        empty="There is no subject yet: rubrictui subjects add FILE.",
    )
    return await _choose(screen, choice)


async def _choose_rubric(screen: ShellScreen[None], cursor: str | None) -> str | None:
    rubrics = await screen.shell.ask(lambda engine: engine.rubrics())
    choice = ChooseScreen(
        "Score · 2 of 3: with which rubric?",
        RUBRIC_COLUMNS,
        rubric_rows(rubrics),
        cursor=cursor,
        empty="No rubric is published yet.",
    )
    return await _choose(screen, choice)


async def _choose_context(screen: ShellScreen[None], rubric_id: str) -> str | None:
    """The chosen context's id, or ``NO_CONTEXT``, also when there is none to choose; None for going back."""
    contexts = await screen.shell.ask(lambda engine: engine.contexts())
    rows = context_rows(contexts, rubric_id)
    if not rows:
        return NO_CONTEXT
    return await _choose(screen, ChooseScreen("Score · 3 of 3: for what?", CONTEXT_COLUMNS, rows))


async def _choose(screen: ShellScreen[None], choice: ChooseScreen) -> str | None:
    return await screen.app.push_screen_wait(choice)


def subject_rows(subjects: Sequence[Subject]) -> list[Row]:
    """Subjects as rows; their ids are the rows'."""
    return [Row(id=s.id, cells=(s.title or s.record_id, s.entity, s.record_id)) for s in subjects]


def rubric_rows(rubrics: Sequence[RubricSummary]) -> list[Row]:
    """The rubrics that can be scored with: those with a published version."""
    return [
        Row(id=rubric.id, cells=(rubric.name, rubric.category or "", latest.number or ""))
        for rubric in rubrics
        if (latest := rubric.latest_published) is not None
    ]


def context_rows(contexts: Sequence[Context], rubric_id: str) -> list[Row]:
    """The open contexts this rubric may be used in, after the choice of none; empty when there is only that."""
    rows = [
        Row(
            id=c.id,
            cells=(
                c.name or c.record_id,
                c.entity,
                f"{c.due_at.astimezone():%Y-%m-%d %H:%M}" if c.due_at else "",
            ),
        )
        for c in contexts
        if c.status is ContextStatus.OPEN and c.rubric_id in {None, rubric_id}
    ]
    return [Row(id=NO_CONTEXT, cells=("Nothing in particular", "", "")), *rows] if rows else []
