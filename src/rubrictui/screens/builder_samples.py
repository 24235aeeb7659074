"""The sample sets of a draft: what each scores now and under the published version; fill-ins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rubrictui.core.answer_fill import fill_best, fill_random, fill_worst, sample_answers
from rubrictui.core.display import name_fault
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.explain import number
from rubrictui.core.model import ScoreResult, VersionSnapshot
from rubrictui.core.records import MAXIMUM_NAME, SampleAnswer, SampleSet
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.builder_session import BuilderSession
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.preview_lines import OUTCOMES
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.result_lines import shown_score
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted, one_line
from rubrictui.widgets.title_bar import TitleBar

BEST, WORST, RANDOM = "All best", "All worst", "Random"

COLUMNS = (
    Column("Sample", share=2, minimum=16),
    Column("Answered", width=8, right=True, drop=2),
    Column("Published", width=9, right=True),
    Column("Draft", width=7, right=True),
    Column("Change", width=7, right=True, drop=1),
    Column("Outcome", share=2, minimum=19),
)
SUBJECT_COLUMNS = (Column("Subject", share=3, minimum=24), Column("Record", share=2, minimum=14, drop=1))


@dataclass(frozen=True, slots=True)
class SampleScore:
    """What one sample set scores under a version, None under none (or when it cannot be computed)."""

    version: VersionSnapshot
    result: ScoreResult | None

    @property
    def shown(self) -> str:
        """The score on the version's own display range."""
        return shown_score(self.version, self.result.normalized_score) if self.result is not None else "–"

    @property
    def score(self) -> float | None:
        return self.result.normalized_score if self.result is not None else None

    @property
    def outcome(self) -> str:
        return OUTCOMES[self.result.outcome][0] if self.result is not None else "no score"


def sample_rows(session: BuilderSession) -> list[Row]:
    """A row a sample set: its score under the published version and under the draft, and how its outcome goes."""
    rows = []
    used, published = session.sample_set, session.published
    for each in session.sets:
        after = SampleScore(session.version, session.score_of(session.version, each))
        before = SampleScore(published, session.score_of(published, each)) if published is not None else None
        change, outcome, tone = "", after.outcome, ""
        if before is not None:
            if before.score is not None and after.score is not None:
                moved = after.score - before.score
                change = percent_change(moved) if moved else "same"
            if before.outcome != after.outcome:
                outcome, tone = f"{before.outcome} → {after.outcome}", "warning"
        keys = {node.key for node in session.version.nodes if node.is_criterion}
        answered = sum(1 for key in each.answers if key in keys)
        rows.append(
            Row(
                id=each.id,
                cells=(
                    each.name,
                    str(answered),
                    before.shown if before is not None else "",
                    after.shown,
                    change,
                    outcome,
                ),
                mark="●" if each is used else " ",
                tones=("strong" if each is used else "", "", "", "", "", tone),
            )
        )
    return rows


async def choose_subject(screen: ShellScreen[Any], title: str) -> str | None:
    """Let the author choose a subject; its reference, or None."""
    subjects = await screen.shell.ask(lambda engine: engine.subjects(content=False))
    rows = [
        Row(
            id=f"{each.entity}/{each.record_id}",
            cells=(each.title or each.record_id, f"{each.entity}/{each.record_id}"),
        )
        for each in subjects
    ]
    choice = ChooseScreen(title, SUBJECT_COLUMNS, rows, empty="There is no subject in this store.")
    return await screen.app.push_screen_wait(choice)


class SamplesScreen(ShellScreen[None]):
    """The sample sets of one draft."""

    TITLE = "Samples"
    HELP = (
        "Sample answers to try the draft on. ● is the one the builder shows; Enter uses another. Every set is kept "
        "with the rubric, so the next draft is tried on it as well. Published is what a set scores under the version "
        "that is published now, Draft what it scores under the draft; Change is in hundredths of the whole score."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "New set", id="samples.add", tooltip="A new set, to be answered in the tree"),
        Binding(
            "b",
            "fill('best')",
            "All best",
            id="samples.best",
            tooltip="A set with every criterion at its best",
        ),
        Binding(
            "w",
            "fill('worst')",
            "All worst",
            id="samples.worst",
            tooltip="A set with every criterion at its worst",
        ),
        Binding("x", "fill('random')", "Random", id="samples.random", tooltip="A set with random answers"),
        Binding(
            "l",
            "last",
            "Subject's last",
            id="samples.last",
            tooltip="The last submitted evaluation of a subject",
        ),
        Binding(
            "c", "copy", "Copy", show=False, id="samples.copy", tooltip="A copy of the set under the cursor"
        ),
        Binding(
            "i",
            "rename",
            "Rename",
            show=False,
            id="samples.rename",
            tooltip="Rename the set under the cursor",
        ),
        Binding(
            "d,delete",
            "delete",
            "Delete",
            show=False,
            id="samples.delete",
            tooltip="Delete the set under the cursor, after a question",
        ),
        Binding("escape", "back", "Back", key_display="Esc", id="samples.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Use the set in the builder. |
    | a | A new set. |
    | b / w / x | A set with all best / all worst / random answers. |
    | l | A set from the last submitted evaluation of a subject. |
    | c / i | Copy, rename the set under the cursor. |
    | d | Delete the set under the cursor, after a question. |
    | escape | Back to the builder. |
    """

    def __init__(self, session: BuilderSession) -> None:
        super().__init__()
        self._session = session
        self._seed = 0

    def compose(self) -> ComposeResult:
        published = self._session.published
        about = f"compared with {published.number}" if published is not None else "nothing published yet"
        yield TitleBar(f"Samples · {self._session.version.rubric_name}", about)
        yield RowsList(COLUMNS, empty="No sample yet: b fills all best, a begins one to answer in the tree.")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        used = self._session.sample_set
        self.query_one(RowsList).set_rows(
            sample_rows(self._session), cursor=used.id if used is not None else None
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a name is typed, its keys are letters; and nothing can be done to no set."""
        if self.is_asking:
            return False
        if action in ("copy", "rename", "delete"):
            return bool(self._session.sets)
        return True

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self._session.use_set(message.row.id)
        self.dismiss(None)

    # -- making sets

    def _keep(self, name: str, answers: dict[str, SampleAnswer], *, replace: bool = False) -> None:
        """Keep answers as a set and use it; ``replace`` gives them to the set of that name where there is one."""
        same = next((each for each in self._session.sets if each.name == name), None) if replace else None
        if same is not None:
            self._session.use_set(same.id)
            self._session.fill(answers)
        else:
            self._session.add_set(name, answers)
        self._show()
        self.refresh_bindings()
        if self._session.problem:
            self.say(f"NOT SAVED. {self._session.problem}", error=True)

    def action_fill(self, how: str) -> None:
        """A set with best, worst or random answers."""
        version = self._session.version
        if how == "random":
            self._seed += 1
            seed = self._seed + 100 * len(self._session.sets)
            self._keep(RANDOM, sample_answers(version, fill_random(version, seed)))
        elif how == "best":
            self._keep(BEST, sample_answers(version, fill_best(version)), replace=True)
        else:
            self._keep(WORST, sample_answers(version, fill_worst(version)), replace=True)

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def action_last(self) -> None:
        """A set from the last submitted evaluation of a subject."""
        chosen = await choose_subject(self, "The last evaluation of which subject?")
        if chosen is None:
            return
        rubric = self._session.version.rubric_id
        answers = await self.shell.ask(lambda engine: engine.last_answers(rubric, chosen))
        subject = await self.shell.ask(lambda engine: engine.subject(chosen))
        if not answers:
            self.say("There is no submitted evaluation of it with this rubric that you may read.")
            return
        self._keep(one_line(subject.title or subject.record_id, 60), answers, replace=True)

    def action_copy(self) -> None:
        """A copy of the set under the cursor."""
        if (each := self._current) is not None:
            self._session.add_set(each.name, dict(each.answers))
            self._show()

    @work(exit_on_error=False, exclusive=True, group="delete")
    async def action_delete(self) -> None:
        """Delete the set under the cursor, after a question: undo does not reach the samples."""
        each = self._current
        if each is None:
            return
        name = one_line(each.name, 40)
        about = f"Its {counted(len(each.answers), 'answer')} would be gone. This cannot be undone."
        if not await confirmed(self, f"Delete {name}?", about, yes="Delete it", no="Keep it"):
            return
        try:
            self._session.delete_set(each.id)
        except RubrictuiError as error:
            self.say(str(error), error=True)
            return
        self._show()
        self.refresh_bindings()
        self.say(f"Deleted: {name}.")

    @property
    def _current(self) -> SampleSet | None:
        row = self.query_one(RowsList).current
        return next((each for each in self._session.sets if row is not None and each.id == row.id), None)

    # -- names

    async def action_add(self) -> None:
        """Ask for the name of a new set."""
        await self.ask_line(
            "Name of the new set", "add", value=f"Sample {len(self._session.sets) + 1}", selected=True
        )

    async def action_rename(self) -> None:
        """Ask for another name."""
        if (each := self._current) is not None:
            await self.ask_line("Name", "rename", value=each.name)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        await self.end_line()
        name = message.value
        if not name:
            return
        if fault := name_fault(name, MAXIMUM_NAME):
            self.say(f"The name {fault}.")
            return
        if message.prompt.purpose == "add":
            self._session.add_set(name)
            self.say("Answer it in the tree with digits and n.")
            self.dismiss(None)
        elif (each := self._current) is not None:
            if any(
                other.name.casefold() == name.casefold() and other.id != each.id
                for other in self._session.sets
            ):
                self.say(f"Another set has the name {one_line(name, 40)}.")
                return
            self._session.rename_set(each.id, name)
            self._show()

    def action_back(self) -> None:
        """Back to the builder."""
        self.dismiss(None)


def percent_change(change: float | None) -> str:
    """A change of a 0..1 score in hundredths, with its sign."""
    return "" if change is None else f"{'+' if change > 0 else ''}{number(round(change * 100, 2))}"
