"""The comparison matrix while a subject is settled: keys answer the criterion under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from rubrictui.widgets.matrix_view import MatrixView

_PARTED = ("matrix.next", "matrix.previous")
_ASIDE = ("matrix.sort", "matrix.select")
"""What the footer has no room for beside the keys that settle."""


def _shared() -> Iterator[Binding]:
    for one in MatrixView.BINDINGS:
        if isinstance(one, Binding) and one.id not in _PARTED:
            yield replace(one, show=False) if one.id in _ASIDE else one


class SettleView(MatrixView, inherit_bindings=False):
    """A matrix whose cursor also says which criterion a digit answers, and whose answer is taken."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *_shared(),
        Binding("d", "disagreement(1)", "Next", id="settle.next", tooltip="The next row that disagrees"),
        Binding("D", "disagreement(-1)", "Previous disagreement", show=False, id="settle.previous"),
        Binding("1", "digit('1')", "Level", key_display="1-9", id="settle.level", tooltip="Settle on this level"),
        *(
            Binding(digit, f"digit('{digit}')", "", show=False, id=f"settle.level_{digit}")
            for digit in "234567890"
        ),
        Binding("minus", "digit('-')", "", show=False, id="settle.minus"),
        Binding("n", "not_applicable", "N/A", show=False, id="settle.not_applicable", tooltip="It does not apply"),
        Binding(
            "c", "take", "Take", id="settle.take", tooltip="Take the answer under the cursor for this criterion"
        ),
        Binding(
            "C", "take_all", "Take all", show=False, id="settle.take_all",
            tooltip="Take the whole column under the cursor",
        ),
        Binding("backspace,delete", "clear", "Clear", show=False, id="settle.clear", tooltip="No answer here"),
    ]  # fmt: skip
    """
    | Key(s) | What it does |
    | :- | :- |
    | d / D | The next / previous row that disagrees. |
    | 1 to 9, 0, - | Pick a level; begin a number. |
    | n | Not applicable. |
    | c / C | Take the answer under the cursor; the whole column. |
    | backspace, delete | No answer. |
    """

    class Typed(Message):
        """A digit, or a minus sign, for the criterion under the cursor."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    class Asked(Message):
        """Something else for the criterion, or the column, under the cursor: ``not_applicable``, ``clear``, ``take``
        or ``take_all``."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    is_open = True
    """Whether answers can be given. Set it before the bindings are read anew."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What answers takes a row, and a subject that can be settled."""
        if action in ("digit", "not_applicable", "take", "take_all", "clear"):
            return self.is_open and self.row is not None
        return super().check_action(action, parameters)

    def action_digit(self, character: str) -> None:
        """A character of a level or a number."""
        self.post_message(self.Typed(character))

    def action_not_applicable(self) -> None:
        """The criterion does not apply."""
        self.post_message(self.Asked("not_applicable"))

    def action_clear(self) -> None:
        """No answer to the criterion."""
        self.post_message(self.Asked("clear"))

    def action_take(self) -> None:
        """The answer under the cursor."""
        self.post_message(self.Asked("take"))

    def action_take_all(self) -> None:
        """The whole column under the cursor."""
        self.post_message(self.Asked("take_all"))
