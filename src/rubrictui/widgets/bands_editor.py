"""The bands of a version, edited on a ruler drawn to scale: edges moved by keys or typed, bands added and split.

Bands come in, new tuples of bands go out as messages; ids of new bands come from the owner. What it did can
be taken back here, step by step, as long as it is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from rubrictui.core.band_edits import (
    Bands,
    Edge,
    add_band,
    delete_band,
    edge_of,
    even_bands,
    in_order,
    move_edge,
    set_band,
    split_band,
)
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Band
from rubrictui.core.rounding import round6
from rubrictui.widgets.band_ruler import Piece
from rubrictui.widgets.bands_lines import next_tone, problem_lines, ruler_lines
from rubrictui.widgets.bands_view import BandsList, BandsRuler
from rubrictui.widgets.detail_pane import folded
from rubrictui.widgets.field_numbers import begins_number, number_text, read_number
from rubrictui.widgets.prompt_line import PromptLine

_MOST_STEPS = 500
_LABEL, _ABOUT, _EDGE = "label", "description", "edge"


class BandsEditor(Vertical):
    """The ruler, the bands under it, and a line to type into while something is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "h,left",
            "shift(-0.01)",
            "Edge",
            key_display="h l",
            id="bands.lower",
            tooltip="Move the edge down by 0.01",
        ),
        Binding(
            "l,right",
            "shift(0.01)",
            "Edge up",
            show=False,
            id="bands.higher",
            tooltip="Move the edge up by 0.01",
        ),
        Binding(
            "H,shift+left",
            "shift(-0.05)",
            "Edge down 0.05",
            show=False,
            id="bands.much_lower",
            tooltip="Move the edge down by 0.05",
        ),
        Binding(
            "L,shift+right",
            "shift(0.05)",
            "Edge up 0.05",
            show=False,
            id="bands.much_higher",
            tooltip="Move the edge up by 0.05",
        ),
        Binding(
            "e",
            "other_edge",
            "Other edge",
            id="bands.edge",
            tooltip="Between its lower and its upper edge; a digit types the number",
        ),
        Binding("enter", "label", "Label", id="bands.label", tooltip="Write the label"),
        Binding("d", "describe", "Description", id="bands.describe", tooltip="Write the description"),
        Binding("t", "tone(1)", "Tone", id="bands.tone", tooltip="The next tone"),
        Binding("T", "tone(-1)", "Tone before", show=False, id="bands.tone_back", tooltip="The tone before"),
        Binding(
            "a",
            "add",
            "Add",
            id="bands.add",
            tooltip="Add a band in the widest gap, else in half of the widest band",
        ),
        Binding("s", "split", "Split", id="bands.split", tooltip="Cut this band in two"),
        Binding("x,delete", "delete", "Delete", id="bands.delete", tooltip="Delete this band"),
        Binding(
            "v",
            "even",
            "Even out",
            id="bands.even",
            tooltip="Make all bands equally wide, without gap or overlap",
        ),
        Binding(
            "b",
            "join",
            "Part edges",
            show=False,
            id="bands.join",
            tooltip="Whether edges that touch move together",
        ),
        Binding("u", "undo", "Undo", id="bands.undo", tooltip="Take the last step back"),
        Binding("U", "redo", "Redo", show=False, id="bands.redo", tooltip="Do it again"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | h, left / l, right | Move the edge by 0.01 down / up; with Shift by 0.05. |
    | a digit | Type where the edge is. |
    | e | Between the lower and the upper edge. |
    | b | Whether edges that touch move together. |
    | enter, d, t | Label, description, tone. |
    | a, s, x | Add, split, delete. |
    | v | Even out. |
    | u / U | Undo / redo. |
    """

    DEFAULT_CSS = """
    BandsEditor { height: 1fr; background: $background; }
    """

    class Changed(Message):
        """The bands are to be ``bands``. All changes of one ``edit`` are one step; ``label`` says what was done."""

        def __init__(self, editor: BandsEditor, bands: Bands, *, edit: int, label: str) -> None:
            super().__init__()
            self.editor = editor
            self.bands = bands
            self.edit = edit
            self.label = label

        @property
        def control(self) -> BandsEditor:
            return self.editor

    def __init__(
        self,
        bands: Sequence[Band],
        threshold: float | None,
        new_id: Callable[[], str],
        *,
        id: str | None = None,
    ) -> None:
        """
        Args:
            bands: of the draft, in any order.
            threshold: the pass threshold, 0..1, drawn on the ruler.
            new_id: gives an id for a new band.
        """
        super().__init__(id=id)
        self._bands = in_order(bands)
        self._threshold = threshold
        self._new_id = new_id
        self._ruler = BandsRuler()
        self._list = BandsList(self._moved)
        self._prompt: PromptLine | None = None
        self._past: list[Bands] = []
        self._future: list[Bands] = []
        self._edit = 0
        self._last: tuple[str, ...] = ()
        self._held: list[BandsEditor.Changed] | None = None

    def compose(self) -> ComposeResult:
        yield self._ruler
        yield self._list

    def on_mount(self) -> None:
        self._show(self._bands[0].id if self._bands else None)
        self.take_focus()

    # -- values in

    @property
    def bands(self) -> Bands:
        """The bands as they are now."""
        return self._bands

    @property
    def current(self) -> Band | None:
        """The band under the cursor."""
        return self._list.current

    @property
    def edge(self) -> Edge:
        """The edge that the keys move."""
        return self._list.edge

    @property
    def told(self) -> tuple[Piece, ...]:
        """What was said to the last key, with its tone."""
        return self._list.told

    def show(self, bands: Sequence[Band], threshold: float | None) -> None:
        """Show bands that were changed elsewhere; what was done here can no longer be taken back."""
        self._threshold = threshold
        if in_order(bands) != self._bands:
            self._bands = in_order(bands)
            self._past.clear()
            self._future.clear()
        self._show(self.current.id if self.current is not None else None)

    def take_focus(self) -> None:
        """Put the focus where keys go: into the line that is typed, else onto the bands."""
        if self._prompt is not None:
            self._prompt.take_focus()
        else:
            self.screen.set_focus(self._list)

    def _show(self, cursor: str | None) -> None:
        self._list.show(self._bands, cursor)
        self._draw_ruler()
        self.refresh_bindings()

    def _draw_ruler(self) -> None:
        bands, band, edge = self._bands, self.current, self.edge
        at = (band, edge) if band is not None else None

        def lines(width: int) -> list[list[Piece]]:
            found = ruler_lines(bands, self._threshold, width, at)
            for piece in problem_lines(bands)[:6]:
                found += [list(row) for row in folded([piece], max(width, 1))]
            return found

        self._ruler.show(lines)

    def _moved(self) -> None:
        self._draw_ruler()

    def _tell(self, text: str, tone: str = "error") -> None:
        self._list.told = ((text, tone),) if text else ()
        self._list.paint_changes()

    # -- changes

    def _put(
        self, bands: Bands, label: str, *, cursor: str | None = None, group: tuple[str, ...] = ()
    ) -> None:
        """Show new bands and send them. Changes of the same ``group`` in a row are one step."""
        if bands == self._bands:
            return
        if not group or group != self._last:
            self._past = [*self._past[-_MOST_STEPS:], self._bands]
            self._edit += 1
        self._last = group
        self._future.clear()
        self._send(bands, label, cursor)

    def _send(self, bands: Bands, label: str, cursor: str | None = None) -> None:
        self._bands = bands
        self._list.told = ()
        self._show(cursor or (self.current.id if self.current is not None else None))
        changed = self.Changed(self, bands, edit=self._edit, label=label)
        if self._held is not None:
            self._held.append(changed)
        else:
            self.screen.post_message(changed)

    def action_undo(self) -> None:
        """Take the last step back."""
        if self._past:
            self._future.append(self._bands)
            self._edit += 1
            self._last = ()
            self._send(self._past.pop(), "undo bands")

    def action_redo(self) -> None:
        """Do it again."""
        if self._future:
            self._past.append(self._bands)
            self._edit += 1
            self._last = ()
            self._send(self._future.pop(), "redo bands")

    def action_shift(self, by: float) -> None:
        """Move the edge under the cursor."""
        band = self.current
        if band is None:
            return
        to = round6(edge_of(band, self.edge) + by)
        moved = move_edge(self._bands, band.id, self.edge, to, joined=self._list.joined)
        if moved == self._bands:
            self._tell("The edge can go no further.", "muted")
        self._put(moved, f"edge of {band.label}", group=("edge", band.id, self.edge))

    def action_other_edge(self) -> None:
        """Between the lower and the upper edge."""
        self._list.edge = "max" if self.edge == "min" else "min"
        self._tell("")
        self._draw_ruler()

    def action_join(self) -> None:
        """Let edges that touch move together, or each alone."""
        self._list.joined = not self._list.joined
        words = "move together" if self._list.joined else "move alone: gaps and overlaps may open"
        self._tell(f"Edges that touch {words}.", "muted")

    def action_tone(self, step: int) -> None:
        """The next tone."""
        band = self.current
        if band is not None:
            tone = next_tone(band.display_tone, step)
            self._put(
                set_band(self._bands, band.id, display_tone=tone),
                f"tone of {band.label}",
                group=("tone", band.id),
            )

    async def action_add(self) -> None:
        """Add a band, and write its label."""
        new = self._new_id()
        if self._try(lambda: add_band(self._bands, new), "add band", new):
            await self.action_label()

    async def action_split(self) -> None:
        """Cut the band under the cursor in two, and write the new label."""
        band, new = self.current, self._new_id()
        if band is not None and self._try(
            lambda: split_band(self._bands, band.id, new), f"split {band.label}", new
        ):
            await self.action_label()

    def _try(self, change: Callable[[], Bands], label: str, cursor: str) -> bool:
        try:
            bands = change()
        except RubrictuiError as error:
            self._tell(str(error))
            return False
        self._put(bands, label, cursor=cursor)
        return True

    def action_delete(self) -> None:
        """Delete the band under the cursor; undo brings it back."""
        band = self.current
        if band is not None:
            place = self._list.row_cursor
            rest = delete_band(self._bands, band.id)
            beside = rest[min(place, len(rest) - 1)].id if rest else None
            self._put(rest, f"delete {band.label}", cursor=beside)

    def action_even(self) -> None:
        """Make all bands equally wide."""
        self._put(even_bands(self._bands), "even out bands")

    # -- typing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is typed only the text field has keys; without a band there is little to do."""
        own = (
            "shift", "other_edge", "label", "describe", "tone", "add", "split", "delete", "even", "join", "undo", "redo",
        )  # fmt: skip
        if action not in own:
            return True
        if self._prompt is not None:
            return False
        if action in ("undo", "redo"):
            return bool(self._past if action == "undo" else self._future)
        return action in ("add", "join") or bool(self._bands)

    async def on_key(self, event: events.Key) -> None:
        """A digit begins to type where the edge is."""
        if self._prompt is None and self.current is not None and begins_number(event.character):
            event.stop()
            event.prevent_default()
            await self._ask(_EDGE, event.character or "")

    async def action_label(self) -> None:
        """Write the label."""
        if (band := self.current) is not None:
            await self._ask(_LABEL, band.label)

    async def action_describe(self) -> None:
        """Write the description."""
        if (band := self.current) is not None:
            await self._ask(_ABOUT, band.description or "")

    async def _ask(self, purpose: str, value: str) -> None:
        name = (
            {"min": "Lower edge", "max": "Upper edge"}[self.edge]
            if purpose == _EDGE
            else purpose.capitalize()
        )
        hint = {_EDGE: "0 to 1, such as 0.7 or 70%", _LABEL: "a word or two"}.get(purpose, "what it means")
        self._prompt = PromptLine(name, value=" ".join(value.split("\n")), placeholder=hint, purpose=purpose)
        await self.mount(self._prompt)
        self._prompt.take_focus()
        self.refresh_bindings()

    def on_prompt_line_typed(self, message: PromptLine.Typed) -> None:
        message.stop()
        if message.prompt.purpose == _EDGE:
            self._tell(_fault(message.value))

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        message.stop()
        purpose, value = message.prompt.purpose, message.value
        if self.current is not None and purpose == _EDGE and (fault := _fault(value)):
            self._tell(fault)
            return
        await self._end_asking()
        self._settle(purpose, value)

    def _settle(self, purpose: str, value: str) -> None:
        """Make of what was typed what it was typed for."""
        band = self.current
        if band is None:
            return
        if purpose != _EDGE:
            changes: dict[str, str | None] = (
                {"label": value} if purpose == _LABEL else {"description": value or None}
            )
            self._put(set_band(self._bands, band.id, **changes), f"{purpose} of {value or band.label}")
            return
        to = read_number(value, optional=False, share=True).value or 0.0
        moved = move_edge(self._bands, band.id, self.edge, to, joined=self._list.joined)
        self._put(moved, f"edge of {band.label}")
        now = next((edge_of(b, self.edge) for b in moved if b.id == band.id), to)
        if now != round6(to):
            text = f"It went as far as {number_text(now)}: a band does not pass its own end."
            self._tell(text, "warning")

    def take(self) -> list[BandsEditor.Changed]:
        """What is being typed, as the change it would be; for a screen that is leaving."""
        self._held = []
        if self._prompt is not None:
            purpose, value = self._prompt.purpose, self._prompt.value.strip()
            if purpose != _EDGE or not _fault(value):
                self._settle(purpose, value)
        held, self._held = self._held, None
        return held

    async def on_prompt_line_left(self, message: PromptLine.Left) -> None:
        message.stop()
        self._tell("")
        await self._end_asking()

    async def _end_asking(self) -> None:
        prompt, self._prompt = self._prompt, None
        if prompt is not None:
            self.screen.set_focus(self._list)
            await prompt.remove()
        self.refresh_bindings()


def _fault(text: str) -> str:
    """What is wrong with a typed edge; "" for nothing."""
    typed = read_number(text, optional=False, share=True)
    return typed.problem or typed.note
