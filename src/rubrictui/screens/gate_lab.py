"""The gate lab: a critical-failure pattern and a text; whether it fires, and why, as the text is typed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar, Literal

from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static, TextArea

from rubrictui.ground.errors import RubrictuiError
from rubrictui.matters.gate_lab import NamedGate, gates_of, judge
from rubrictui.matters.gates import gate_entry_problems
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import GateEntry
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matter_lab import (
    add_probe,
    entry_lines,
    entry_mapping,
    keep_text,
    kept_text,
    probe_file,
    verdict_lines,
    verdict_word,
)
from rubrictui.widgets.detail_pane import DetailPane, Line
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar

GATE_COLUMNS = (Column("Gate", width=28), Column("Pattern", minimum=20))

SLOW_SECONDS = 0.05
"""After a verdict that took longer, the next one waits until typing pauses."""
_PAUSE = 0.4

_OWN = "own"
_PARTS = {
    "pattern": "Pattern (regex)",
    "require_context": "The sentence must match (regex; empty for none)",
    "exclude_context": "The sentence must not match (regex; empty for none)",
}


class LabArea(TextArea):
    """The text that is tried. Esc leaves it for the keys of the lab."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape",
            "screen.leave_text",
            "Keys",
            key_display="Esc",
            priority=True,
            id="lab_text.leave",
            tooltip="To the keys of the lab; the text stays",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | To the keys of the lab; the text stays. |
    """


class GateLabScreen(ShellScreen[None]):
    """Try patterns on texts.

    Args:
        folder: the matter whose gates can be picked; None for patterns of your own only.
    """

    TITLE = "Gate lab"
    AUTO_FOCUS = "LabArea"
    HELP = (
        "Type a text: the verdict follows. It is judged as scoring sees it, in lower case and on one line. Each "
        "match stands in its sentence: [match], the {negator} or {context} that decided, and | where the negation guard "
        "stops looking. Esc leaves the text for the keys: pick a gate of the matter (o) or change the pattern and its "
        "guards, then keep the text as a probe that must fire (+) or must not (-); rubrictui matter probe runs "
        "probes as tests. The text is kept until the next time."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,i", "type", "Type", key_display="⏎", id="lab.type", tooltip="Back to the text"),
        Binding("o", "gate", "Gate", id="lab.gate", tooltip="Pick a gate of the matter"),
        Binding("p", "edit('pattern')", "Pattern", id="lab.pattern", tooltip="Change the pattern"),
        Binding(
            "n",
            "guard",
            "Guard",
            id="lab.guard",
            tooltip="The negation guard: none, to the end, to the start",
        ),
        Binding(
            "r", "edit('require_context')", "Require", id="lab.require", tooltip="What its sentence must hold"
        ),
        Binding(
            "x", "edit('exclude_context')", "Exclude", id="lab.exclude", tooltip="What spares its sentence"
        ),
        Binding(
            "plus", "probe(True)", "Must fire", key_display="+", id="lab.must", tooltip="Keep as a probe"
        ),
        Binding(
            "minus", "probe(False)", "Must not", key_display="-", id="lab.must_not", tooltip="Keep as a probe"
        ),
        Binding("escape", "back", "Back", key_display="Esc", id="lab.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter, i | Back to the text. |
    | o | Pick a gate of the matter. |
    | p / r / x | Change the pattern, what its sentence must match, what spares it. |
    | n | The negation guard: none, up to the match's end, up to its start. |
    | + / - | Keep the text as a probe that must fire / must not. |
    | escape | Back. |
    """

    DEFAULT_CSS = """
    GateLabScreen {
        & > #entry { height: 2; padding: 0 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
        & > LabArea {
            height: 35%; border: none; padding: 0 1; background: $surface; color: $foreground;
            scrollbar-size-vertical: 1;
            &:focus { border: none; }
            & .text-area--cursor-line { background: $surface; }
        }
        & > DetailPane { height: 1fr; background: $background; border-top: solid $border; }
    }
    """

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._gates: tuple[NamedGate, ...] = ()
        self._gate_name = ""
        self._entry = GateEntry(pattern="")
        self._lasted = 0.0
        self._pause = False
        if folder is not None:
            self._gates = gates_of(Matter.from_directory(folder))
            if self._gates:
                self._gate_name, self._entry = self._gates[0].name, self._gates[0].entry

    def compose(self) -> ComposeResult:
        area = LabArea(kept_text(), soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        area.cursor_blink = False
        area.highlight_cursor_line = False
        yield TitleBar("Gate lab" + (f" · {self._folder.name}" if self._folder is not None else ""))
        yield Static("", id="entry", markup=False)
        yield area
        yield DetailPane()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.call_after_refresh(self._show_entry)  # once the lines below have their width
        if not self._entry.pattern:
            self.set_focus(self.query_one(DetailPane))

    @property
    def text(self) -> str:
        """The text that is tried."""
        return self.query_one(LabArea).text

    def flush(self) -> None:
        """Keep the text, on the way out."""
        if self.text != kept_text():
            keep_text(self.text)

    # -- the verdict

    def on_text_area_changed(self) -> None:
        try:
            keep_text(self.text)
        except RubrictuiError as error:
            self.shell.report(error)
        self._judge_soon()

    def _judge_soon(self) -> None:
        if self._lasted < SLOW_SECONDS:
            self._judge()
        elif not self._pause:
            self._pause = True
            self.set_timer(_PAUSE, self._after_pause)

    def _after_pause(self) -> None:
        self._pause = False
        self._judge()

    def _judge(self) -> None:
        if not self._entry.pattern:
            lines: list[Line] = [
                [("Type a pattern with p" + (", or pick a gate with o." if self._gates else "."), "muted")]
            ]
            self._tell("", lines)
            return
        began = time.perf_counter()
        try:
            verdict = judge(self._entry, self.text)
        except RubrictuiError as error:
            self._tell("not known", [[(str(error), "error")]])
        else:
            self._tell(verdict_word(verdict), verdict_lines(verdict))
        self._lasted = time.perf_counter() - began

    def _tell(self, word: str, lines: list[Line]) -> None:
        self.query_one(TitleBar).right = word
        self.query_one(DetailPane).update_lines(lines)

    def _show_entry(self) -> None:
        self.query_one("#entry", Static).update(plain("\n".join(entry_lines(self._gate_name, self._entry))))
        self._judge()
        self.refresh_bindings()

    # -- the entry

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def action_gate(self) -> None:
        """Pick a gate of the matter, or begin one of your own."""
        rows = [Row(gate.name, (gate.name, gate.entry.pattern)) for gate in self._gates]
        rows.append(Row(_OWN, ("A pattern of your own", "")))
        choice = ChooseScreen("Which gate?", GATE_COLUMNS, rows, cursor=self._gate_name or None)
        chosen = await self.app.push_screen_wait(choice)
        found = next((gate for gate in self._gates if gate.name == chosen), None)
        if found is not None:
            self._gate_name, self._entry = found.name, found.entry
        elif chosen == _OWN:
            self._gate_name, self._entry = "", GateEntry(pattern="")
        self._show_entry()
        if chosen == _OWN:
            await self.action_edit("pattern")
        else:
            self.action_type()

    def action_guard(self) -> None:
        """None, up to the match's end, up to its start."""
        entry = self._entry
        scope: Literal["span", "before"] = "span"
        guarded = True
        if entry.negation_guard:
            guarded = entry.negation_scope == "span"
            scope = "before" if guarded else "span"
        self._change(replace(entry, negation_guard=guarded, negation_scope=scope, is_plain=False))

    async def action_edit(self, part: str) -> None:
        """Change a part of the entry."""
        await self.ask_line(_PARTS[part], part, value=getattr(self._entry, part) or "")

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        part, value = message.prompt.purpose, message.value
        changed = replace(self._entry, **{part: value or (None if part != "pattern" else "")}, is_plain=False)
        problems = gate_entry_problems(entry_mapping(changed)) if changed.pattern else ()
        if problems:
            self.say(problems[0].message, error=True)
            return  # what was typed stays, to be corrected
        await self.end_line()
        self._change(changed)
        if part == "pattern":
            self.action_type()

    def line_ended(self, purpose: str) -> None:
        self.set_focus(self.query_one(DetailPane))

    def _change(self, entry: GateEntry) -> None:
        """Another entry; one that differs from the matter's is your own until you write it into the rubric."""
        if self._gate_name and entry != self._entry:
            self._gate_name = ""
        self._entry = entry
        self._show_entry()

    # -- probes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A probe needs a pattern and a text."""
        if action == "probe":
            return (
                bool(self._entry.pattern)
                and self.is_mounted
                and bool(self.query(LabArea))
                and bool(self.text.strip())
            )
        return True

    def action_probe(self, must_fire: bool) -> None:
        """Keep the text as a probe."""
        file = probe_file(self._folder)
        try:
            fires = judge(self._entry, self.text).fires_normalized
            gate = self._gate_name or entry_mapping(self._entry)
            add_probe(file, self._folder, gate, self.text.strip(), must_fire=must_fire)
        except RubrictuiError as error:
            self.say(str(error), error=True)
            return
        outcome = "It passes." if fires is must_fire else "It fails as the gate stands."
        self.say(f"Kept in {file.parent.name}/{file.name}. {outcome}")

    # -- moving

    def action_type(self) -> None:
        """Back to the text."""
        self.set_focus(self.query_one(LabArea))

    def action_leave_text(self) -> None:
        """From the text to the keys."""
        self.set_focus(self.query_one(DetailPane))

    def action_back(self) -> None:
        """Back; the text is kept."""
        self.flush()
        self.dismiss(None)


SCREEN = ScreenSpec(
    name="gate_lab",
    title="Gate lab",
    opener=GateLabScreen,
    entries=(
        Entry("Gate lab", "Try a critical-failure pattern on a text as you type", "app.open('gate_lab')"),
    ),
)
