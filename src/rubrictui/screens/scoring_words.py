"""The reviewer's own words: her phrases, and what she answered to a criterion before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from rubrictui.core.explain import number
from rubrictui.core.model import Answer, VersionSnapshot, fold_id
from rubrictui.core.records import PastAnswer, Phrase
from rubrictui.screens.rows_screen import RowsScreen
from rubrictui.widgets.criteria_lines import evidence_line
from rubrictui.widgets.rows_list import Column, Row, RowsList

if TYPE_CHECKING:
    from rubrictui.engine import Engine


class PhrasesScreen(RowsScreen[str | None]):
    """The comment bank. Dismissed with the text of the phrase to insert, or with None."""

    TITLE = "Your phrases"
    COLUMNS = (
        Column("Phrase", share=1, minimum=20),
        Column("Here only", width=9, drop=1),
        Column("Used", width=4, right=True),
    )
    EMPTY = "You have no phrases yet: a keeps what you are writing as one."
    HELP = (
        "Your own phrases; nobody else sees them. Enter inserts one where you are writing. What you have "
        "selected, or all that you have written, can be kept as a new one."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Insert", priority=True, id="phrases.insert"),
        Binding(
            "a",
            "add(False)",
            "Keep as phrase",
            id="phrases.add",
            tooltip="Keep what you are writing as a phrase",
        ),
        Binding(
            "A",
            "add(True)",
            "Keep for this criterion",
            id="phrases.add_here",
            tooltip="Keep it for this criterion only",
        ),
        Binding(
            "x,delete", "delete", "Delete", id="phrases.delete", tooltip="Delete the phrase under the cursor"
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Insert the phrase. |
    | a / A | Keep what is being written as a phrase, everywhere / for this criterion only. |
    | x, delete | Delete the phrase. |
    | escape | Back. |
    """

    def __init__(self, engine: Engine, criterion_key: str, written: str) -> None:
        """
        Args:
            engine: where phrases are kept.
            criterion_key: where they are wanted.
            written: what can be kept as a new one.
        """
        super().__init__("Your phrases")
        self._engine = engine
        self._key = criterion_key
        self._written = written.strip()
        self._phrases: tuple[Phrase, ...] = ()

    def rows(self) -> Sequence[Row]:
        self._phrases = self._engine.phrases(self._key)
        return [
            Row(phrase.id, (phrase.text, "yes" if phrase.criterion_key else "", str(phrase.uses or "")))
            for phrase in self._phrases
        ]

    def whole(self, row: Row) -> str:
        return row.cells[0]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keeping needs something written, deleting a phrase."""
        if action == "add":
            return bool(self._written)
        if action == "delete":
            return bool(self._phrases)
        return super().check_action(action, parameters)

    def action_add(self, here_only: bool) -> None:
        """Keep what is being written."""
        phrase = self._engine.add_phrase(self._written, self._key if here_only else None)
        self.show_rows(cursor=phrase.id)
        self.refresh_bindings()

    def action_delete(self) -> None:
        """Delete the phrase under the cursor."""
        if (row := self.current) is not None:
            self._engine.delete_phrase(row.id)
            self.show_rows()
            self.refresh_bindings()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self._engine.use_phrase(message.row.id)
        self.dismiss(message.row.cells[0])


def answer_words(answer: Answer, version: VersionSnapshot) -> str:
    """An answer in a word or two: the level's label, the number, N/A."""
    if answer.is_not_applicable:
        return "N/A"
    if answer.scale_level_id:
        wanted = fold_id(answer.scale_level_id)
        labels = (
            level.label for scale in version.scales for level in scale.levels if fold_id(level.id) == wanted
        )
        return next(labels, "a level of another version")
    return number(answer.raw_value) if answer.raw_value is not None else "unanswered"


class PastAnswersScreen(RowsScreen[str | None]):
    """Her earlier answers to one criterion. Dismissed with a rationale to copy, or with None."""

    TITLE = "Your earlier answers"
    COLUMNS = (
        Column("Subject", share=2, minimum=16),
        Column("Answer", share=1, minimum=10),
        Column("When", width=10, drop=1),
    )
    EMPTY = "You have not answered this criterion for any other subject."
    HELP = (
        "What you yourself answered to this criterion for other subjects, the latest first. "
        "Enter copies the rationale into the present one, behind what stands there."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Copy rationale", priority=True, id="past.copy"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Copy the rationale. |
    | escape | Back. |
    """

    def __init__(
        self,
        title: str,
        answers: Sequence[PastAnswer],
        version: VersionSnapshot,
        day: Callable[[PastAnswer], str],
    ) -> None:
        """
        Args:
            title: the criterion.
            answers: the latest first.
            version: the version being scored, for the labels of levels.
            day: how the day of an answer is written.
        """
        super().__init__(title)
        self._answers = tuple(answers)
        self._version = version
        self._day = day

    def rows(self) -> Sequence[Row]:
        return [
            Row(str(index), (past.subject_title, answer_words(past.answer, self._version), self._day(past)))
            for index, past in enumerate(self._answers)
        ]

    def whole(self, row: Row) -> str:
        past = self._answers[int(row.id)]
        lines = [past.answer.rationale or "No rationale."]
        lines.extend(evidence_line(item, 200) for item in past.answer.evidence[:5])
        return "\n".join(lines)

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self.dismiss(self._answers[int(message.row.id)].answer.rationale or None)


class ConflictScreen(RowsScreen[str | None]):
    """The same criterion answered in two places. Dismissed with ``mine``, ``stored`` or None for later."""

    TITLE = "Answered twice"
    COLUMNS = (Column("Answer", share=1, minimum=20), Column("Value", share=1, minimum=10))
    HELP = "Enter keeps the answer under the cursor. Until you choose, the stored one counts and yours waits here."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Keep this one", priority=True, id="conflict.keep"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Keep the answer under the cursor. |
    | escape | Decide later. |
    """

    def __init__(self, title: str, mine: Answer, stored: Answer, version: VersionSnapshot) -> None:
        super().__init__(title)
        self._both = {"mine": mine, "stored": stored}
        self._version = version

    def about(self) -> str:
        return (
            "This criterion was answered elsewhere after this form was opened. Choose which answer to keep."
        )

    def rows(self) -> Sequence[Row]:
        names = {"mine": "What you typed here", "stored": "What is stored"}
        return [
            Row(key, (names[key], answer_words(answer, self._version))) for key, answer in self._both.items()
        ]

    def whole(self, row: Row) -> str:
        answer = self._both[row.id]
        lines = [answer.rationale or "No rationale."]
        lines.extend(evidence_line(item, 200) for item in answer.evidence)
        return "\n".join(lines)

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self.dismiss(message.row.id)
