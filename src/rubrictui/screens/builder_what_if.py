"""What a draft would do to evaluations that are stored: the same answers scored under both versions."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import VersionSnapshot
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.builder_samples import percent_change
from rubrictui.widgets.detail_pane import DetailPane, Line
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.preview_lines import OUTCOMES
from rubrictui.widgets.result_lines import bar, shown_score
from rubrictui.widgets.text import counted, one_line, pad
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.whatif import WhatIf
    from rubrictui.engine import Engine

LIMIT = 10_000
"""So many evaluations are looked at, the latest first."""

_LOST_SHOWN = 8


def what_if_lines(found: WhatIf, published: VersionSnapshot, draft: VersionSnapshot) -> list[Line]:
    """The answer in lines: what changes its outcome, by how much scores move, which move most, what is lost."""
    if not found.total:
        lines: list[Line] = [
            [(f"No evaluation of {published.number} that you may read could be scored again.", "heading")]
        ]
        return lines + _left_out(found)
    count = counted(found.total, "evaluation")
    changed = found.outcome_changes
    lines = [
        [
            (f"{changed} of {count}", "heading"),
            (
                f" on {published.number} would change {'its' if changed == 1 else 'their'} outcome.",
                "" if changed else "success",
            ),
        ]
    ]
    if found.band_changes:
        lines.append([(f"{counted(found.band_changes, 'evaluation')} would change the band.", "")])
    if found.mean_change is not None:
        mean = percent_change(found.mean_change) if found.mean_change else "0"
        lines.append([("Mean change of the score: ", ""), (f"{mean} of 100", "label")])
    lines += _left_out(found)
    lines += [[], [("Outcomes", "heading")]]
    for shift in found.shifts:
        before, after = OUTCOMES[shift.before][0], OUTCOMES[shift.after][0]
        is_same = shift.before is shift.after
        text = f"{before}, as before" if is_same else f"{before} → {after}"
        lines.append(
            [
                (f"{shift.count:>7}  ", "label"),
                (bar(shift.count / found.total, 12), "muted" if is_same else "warning"),
                (f"  {text}", "muted" if is_same else "warning"),
            ]
        )
    if found.movers:
        lines += [[], [("Those that change most", "heading")]]
        for mover in found.movers:
            scores = f"{shown_score(published, mover.before):>7} → {shown_score(draft, mover.after):<7}"
            outcome = (
                OUTCOMES[mover.outcome_after][0]
                if mover.outcome_before is mover.outcome_after
                else f"{OUTCOMES[mover.outcome_before][0]} → {OUTCOMES[mover.outcome_after][0]}"
            )
            tone = "" if mover.outcome_before is mover.outcome_after else "warning"
            lines.append(
                [
                    (pad(one_line(mover.title or mover.evaluation_id, 30), 30), ""),
                    (scores, "label"),
                    (outcome, tone),
                ]
            )
    if found.lost or found.new_keys:
        lines += [[], [("Answers that have no place in the draft count as unanswered", "heading")]]
        for lost in found.lost[:_LOST_SHOWN]:
            why = "the criterion is gone" if lost.criterion_gone else "no such answer on its scale any more"
            lines.append([(f"{lost.count:>7}  ", "label"), (f"{one_line(lost.key, 40)}: {why}", "")])
        if len(found.lost) > _LOST_SHOWN:
            lines.append([(f"         and {len(found.lost) - _LOST_SHOWN} more criteria", "muted")])
        if found.new_keys:
            names = ", ".join(one_line(key, 30) for key in found.new_keys[:_LOST_SHOWN])
            more = len(found.new_keys) - _LOST_SHOWN
            lines.append(
                [
                    ("Nobody has answered yet: ", ""),
                    (names + (f" and {more} more" if more > 0 else ""), "label"),
                ]
            )
    return lines


def _left_out(found: WhatIf) -> list[Line]:
    lines: list[Line] = []
    if found.left_out:
        lines.append([("Some evaluations are left out, because you may not read them yet.", "muted")])
    if found.limited:
        lines.append([(f"Only the latest {LIMIT:,} were looked at.", "muted")])
    return lines


class WhatIfScreen(ShellScreen[None]):
    """Stored evaluations scored again under the draft."""

    TITLE = "What if"
    AUTO_FOCUS = "DetailPane"
    HELP = (
        "The stored evaluations of the published version, scored again under the draft where criterion keys still "
        "match. Nothing is changed by it. Esc stops it, and goes back when it is done."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape", "back", "Back", key_display="Esc", id="what_if.back", tooltip="Stop it, or go back"
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | Stop it; back. |
    """

    class Progressed(Message):
        """So many evaluations are scored, of so many; posted by the thread that scores."""

        def __init__(self, done: int, total: int) -> None:
            super().__init__()
            self.done = done
            self.total = total

    def __init__(self, draft: VersionSnapshot, published: VersionSnapshot) -> None:
        super().__init__()
        self._draft = draft
        self._published = published
        self._cancelled = Event()
        self._is_done = False

    def compose(self) -> ComposeResult:
        yield TitleBar(f"What if · {self._draft.rubric_name}", f"draft against {self._published.number}")
        yield DetailPane()
        yield KeyFooter()

    def on_mount(self) -> None:
        self._progress(0, 0)
        self._ask()

    def _progress(self, done: int, total: int) -> None:
        if self._is_done or not self.is_mounted:
            return
        share = done / total if total else 0.0
        self.query_one(DetailPane).update_lines(
            [
                [("Scoring stored evaluations again", "heading")],
                [
                    (bar(share, 30), "accent"),
                    (f"  {done:,} of {total:,}" if total else "  reading ...", "label"),
                ],
                [("Esc stops it. Nothing is changed by it.", "muted")],
            ]
        )

    def on_what_if_screen_progressed(self, message: WhatIfScreen.Progressed) -> None:
        self._progress(message.done, message.total)

    @work(exit_on_error=False, exclusive=True, group="what_if")
    async def _ask(self) -> None:
        def tell(done: int, total: int) -> None:
            self.post_message(self.Progressed(done, total))

        def call(engine: Engine) -> WhatIf:
            return engine.what_if(
                self._draft.rubric_id,
                self._draft,
                limit=LIMIT,
                progress=tell,
                cancelled=self._cancelled.is_set,
            )

        try:
            found = await self.shell.ask(call)
        except RubrictuiError as error:
            self._is_done = True
            self._show([[(error.message, "error")], [(error.remedy, "muted")]])
            return
        self._is_done = True
        if not self._cancelled.is_set():
            self._show(what_if_lines(found, self._published, self._draft))

    def _show(self, lines: Sequence[Line]) -> None:
        self.query_one(DetailPane).show(lines)

    def action_back(self) -> None:
        """Stop it, or go back."""
        self._cancelled.set()
        self.dismiss(None)
