"""The fields pane edits every kind of field in its place, sends what is typed, and loses nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from fields_host import FIFTY, HOSTILE, PERCENT, VERSION, FieldsHost, Host
from msgspec.structs import replace
from textual import events
from textual.pilot import Pilot

from rubrictui.core.model import NodeType, NotApplicablePolicy, RollupMethod, VersionSnapshot
from rubrictui.widgets import field_editing
from rubrictui.widgets.field_editing import LONG_TEXT_WAIT
from rubrictui.widgets.fields_pane import FieldsPane


class Desk:
    """A pane being tried: keys in, what was sent out."""

    def __init__(self, app: FieldsHost, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.host: Host = app.host
        self.pane = app.host.pane

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*("space" if c == " " else "enter" if c == "\n" else c for c in text))

    async def at(self, field: str, level_id: str = "") -> None:
        assert self.pane.go_to(field, level_id), field
        await self.pilot.pause()

    @property
    def told(self) -> str:
        rows = self.pane.fields_list
        return "\n".join(
            "".join(text for text, _ in line).strip("▌ ") for line in rows.open_lines(rows.row_cursor)
        )


@asynccontextmanager
async def desk(node_id: str | None = "problem", version: VersionSnapshot = VERSION) -> AsyncIterator[Desk]:
    app = FieldsHost(node_id, version)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield Desk(app, pilot)


async def test_a_name_is_sent_at_every_key_as_one_step_and_esc_keeps_it() -> None:
    async with desk() as at:
        await at.at("name")
        await at.press("enter", "ctrl+u")
        await at.type("ax")
        await at.press("escape")
        assert at.host.sent == [("problem", "name", ""), ("problem", "name", "a"), ("problem", "name", "ax")]
        assert len(set(at.host.edits)) == 1
        assert at.host.letters == []
        await at.press("enter", "x", "enter")
        assert at.host.sent[-1] == ("problem", "name", "axx")
        assert len(set(at.host.edits)) == 2
        await at.press("a")
        assert at.host.letters == ["a"]


async def test_a_digit_begins_a_number_and_each_key_of_it_is_checked() -> None:
    async with desk() as at:
        await at.at("weight")
        await at.press("2", "comma")
        assert [value for _, _, value in at.host.sent] == [2.0]
        await at.press("5")
        assert at.host.sent[-1] == ("problem", "weight", 2.5)
        await at.press("x")
        assert "not a number" in at.told
        await at.press("enter")
        assert at.pane.is_editing
        await at.press("escape")
        assert not at.pane.is_editing
        assert "stays as it is" in at.told
        assert [value for _, _, value in at.host.sent] == [2.0, 2.5]


async def test_an_emptied_number_is_none_where_that_is_allowed_and_refused_where_not() -> None:
    async with desk() as at:
        await at.at("gate_minimum_score")
        await at.type("60%")
        await at.press("enter")
        assert at.host.sent[-1][2] == 0.6
        await at.press("enter", "backspace", "enter")
        assert at.host.sent[-1][1:] == ("gate_minimum_score", None)
        await at.at("weight")
        await at.press("enter", "backspace")
        assert "A number is needed" in at.told
        assert at.host.sent[-1][1] == "gate_minimum_score"


async def test_a_share_outside_its_range_is_sent_and_said() -> None:
    async with desk(None) as at:
        await at.at("pass_threshold")
        await at.type("70")
        assert at.host.sent[-1] == (None, "pass_threshold", 70.0)
        assert "write 70% or 0.7" in at.told


async def test_the_arrows_go_on_to_the_next_field() -> None:
    async with desk() as at:
        await at.at("weight")
        await at.press("3", "down")
        assert at.pane.current is not None
        assert at.pane.current.name == "scale"
        assert not at.pane.is_editing
        assert at.host.sent == [("problem", "weight", 3.0)]


@pytest.mark.parametrize(
    ("node_id", "field", "keys", "value"),
    [
        ("problem", "not_applicable_policy", ("n", "enter"), NotApplicablePolicy.NOT_ALLOWED),
        ("problem", "not_applicable_policy", ("down", "space"), NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE),
        ("problem", "node_type", ("g", "enter"), NodeType.GROUP),
        ("need", "rollup_method", ("l", "enter"), RollupMethod.MINIMUM),
        ("problem", "scale", ("p", "enter"), PERCENT),
        ("problem", "scale", ("f", "f", "enter"), FIFTY),
        (None, "not_applicable_policy", ("f", "enter"), NotApplicablePolicy.FAIL_EVALUATION),
    ],
)
async def test_a_choice_is_made_by_letter_or_arrow(
    node_id: str | None, field: str, keys: tuple[str, ...], value: object
) -> None:
    async with desk(node_id) as at:
        await at.at(field)
        await at.press("enter", *keys)
        assert at.host.sent == [(node_id, field, value)]
        assert not at.pane.is_editing


async def test_a_choice_that_is_left_or_taken_again_sends_nothing() -> None:
    async with desk() as at:
        await at.at("scale")
        await at.press("enter", "f", "a", "x", "escape", "enter", "enter")
        await at.at("not_applicable_policy")
        await at.press("enter", "enter")
        assert at.host.sent == []
        assert at.host.letters == []
        await at.at("scale")
        await at.press("enter", "n", "enter")
        assert at.host.asked == ["scale"]


async def test_space_and_enter_switch_a_flag() -> None:
    async with desk() as at:
        await at.at("is_gate")
        await at.press("space", "enter")
        await at.at("evidence_required")
        await at.press("enter")
        assert [(field, value) for _, field, value in at.host.sent] == [
            ("is_gate", False),
            ("is_gate", True),
            ("evidence_required", True),
        ]
        assert len(set(at.host.edits)) == 3


async def test_a_key_is_asked_for_only_when_it_may_be_one() -> None:
    async with desk() as at:
        await at.at("key")
        await at.press("enter", "ctrl+u")
        await at.type("need")
        assert "Another node has the key" in at.told
        await at.press("enter")
        assert at.pane.is_editing
        await at.type("ed")
        await at.press("enter")
        assert at.host.sent == [("problem", "key", "needed")]
        await at.press("enter", "x", "escape")
        assert at.host.sent == [("problem", "key", "needed")]


async def test_a_long_text_is_sent_after_a_moment_and_at_once_on_leaving() -> None:
    async with desk() as at:
        await at.at("guidance")
        await at.press("enter")
        await at.type("ab")
        assert at.host.sent == []
        await at.pilot.pause(LONG_TEXT_WAIT + 0.2)
        assert at.host.sent == [("problem", "guidance", "ab")]
        await at.type("\nc")
        await at.press("ctrl+s")
        assert at.host.sent[-1] == ("problem", "guidance", "ab\nc")
        assert "Saved" in at.told
        await at.type("d")
        await at.press("escape")
        assert at.host.sent[-1] == ("problem", "guidance", "ab\ncd")


async def test_an_anchor_is_written_for_its_level_and_emptied_by_delete() -> None:
    async with desk() as at:
        await at.at("anchor", "meets-1")
        await at.press("enter")
        await at.type("Some")
        await at.press("escape")
        assert at.host.sent == [("problem", "anchor", ("meets-1", "Some"))]
        await at.press("delete")
        assert at.host.sent[-1] == ("problem", "anchor", ("meets-1", ""))
        await at.press("delete")
        assert len(at.host.sent) == 2


async def test_what_is_being_typed_goes_to_its_node_when_another_is_shown() -> None:
    async with desk() as at:
        await at.at("guidance")
        await at.press("enter")
        await at.type("typed")
        at.host.show("people")
        await at.pilot.pause()
        # A slow machine may have sent the first letters on their way already.
        assert at.host.sent[-1] == ("problem", "guidance", "typed")
        assert {target for target, _, _ in at.host.sent} == {"problem"}
        assert not at.pane.is_editing
        assert at.pane.current is not None
        assert at.pane.current.name == "guidance"
        assert at.pane.current.value == ""


async def test_a_change_from_elsewhere_is_shown_and_what_is_typed_stays() -> None:
    async with desk() as at:
        await at.at("name")
        await at.press("enter")
        await at.type(" mine")
        sent = list(at.host.sent)
        at.host.change("problem", name="Theirs", weight=9)
        await at.pilot.pause()
        assert at.pane.is_editing
        assert "changed elsewhere, to Theirs" in at.told
        assert at.host.sent == sent
        await at.press("x", "enter")
        assert at.host.sent[-1] == ("problem", "name", "The problem is real minex")
        await at.at("weight")
        assert " 9 " in at.told


async def test_tab_is_done_and_goes_on_to_the_next_field() -> None:
    async with desk() as at:
        await at.at("name")
        await at.press("enter", "tab")
        assert at.pane.current is not None
        assert at.pane.current.name == "key"
        await at.at("guidance")
        await at.press("enter", "x", "shift+tab")
        assert at.pane.current.name == "description"
        assert at.host.sent == [("problem", "guidance", "x")]


async def test_another_node_without_that_field_is_begun_at_its_first() -> None:
    async with desk() as at:
        await at.at("evaluator_config")
        at.host.show("need")
        assert at.pane.current is not None
        assert at.pane.current.name == "name"


async def test_the_cursor_stays_on_its_field_when_rows_come_and_go() -> None:
    async with desk() as at:
        await at.at("guidance")
        at.host.change("problem", gate_minimum_score=0.5, node_type=NodeType.GROUP)
        await at.pilot.pause()
        assert at.pane.current is not None
        assert at.pane.current.name == "guidance"


async def test_settings_that_cannot_be_read_are_kept_to_go_on_with() -> None:
    async with desk("people") as at:
        await at.at("evaluator_config")
        await at.press("enter")
        await at.type("Model [")
        await at.press("escape")
        assert at.host.sent == []
        assert "Not stored: ✗ Line 1, column 1" in at.told
        at.host.show("problem")
        at.host.show("people")
        await at.at("name")
        await at.at("evaluator_config")
        assert "Not stored" in at.told
        await at.press("enter")
        assert "Line 1, column 1" in at.told
        await at.press("end", "backspace", "backspace")
        await at.type(": m")
        await at.press("escape")
        assert at.host.sent[-1] == ("people", "evaluator_config", {"Model": "m"})
        assert "Not stored" not in at.told


async def test_a_rule_is_begun_from_a_template_and_tried() -> None:
    async with desk("people") as at:
        await at.at("evaluator_config")
        await at.press("enter", "ctrl+t")
        await at.press("ctrl+r")
        assert at.host.asked == ["rule"]
        assert "The rule answers: Poor" in at.told
        await at.press("escape")
        config = at.host.sent[-1][2]
        assert config["Deterministic"]["LevelWhenTrue"] == "Excellent"
        await at.press("t")
        assert at.host.asked == ["rule", "rule"]
        await at.at("name")
        await at.press("t")
        assert at.host.asked == ["rule", "rule"]


async def test_bands_are_asked_for_and_a_refusal_is_said_at_the_field() -> None:
    async with desk(None) as at:
        await at.at("bands")
        await at.press("enter")
        assert at.host.asked == ["bands"]
        at.pane.refuse("The store is gone [b]now[/b].")
        assert "The store is gone [b]now[/b]." in at.told
        await at.press("k")
        assert "gone" not in at.told


async def test_the_editor_closes_when_the_focus_goes_elsewhere_and_nothing_is_lost() -> None:
    async with desk() as at:
        await at.at("description")
        await at.press("enter")
        await at.type("!")
        at.host.set_focus(None)
        await at.pilot.pause()
        assert not at.pane.is_editing
        assert at.host.sent[-1][2].endswith("for whom.!")


async def test_the_editor_stays_open_while_the_terminal_has_not_the_focus() -> None:
    async with desk() as at:
        await at.at("name")
        await at.press("enter")
        at.app.post_message(events.AppBlur())
        await at.pilot.pause()
        at.app.post_message(events.AppFocus())
        await at.pilot.pause()
        assert at.pane.is_editing
        await at.press("x", "enter")
        assert at.host.sent == [("problem", "name", "The problem is realx")]


async def test_text_from_outside_is_shown_as_it_is() -> None:
    version = replace(VERSION, rubric_name=HOSTILE)
    async with desk("strange", version) as at:
        picture = at.app.export_screenshot()
        assert "\x1b" not in picture
        assert "\u202e" not in picture
        assert "[@click=app.quit]q[/]" in picture.replace("&#160;", " ")
        await at.at("description")
        await at.press("enter")
        assert at.app.is_running
        await at.press("escape")
        assert at.host.sent == []


async def test_a_heading_leads_to_what_is_missing_under_it() -> None:
    async with desk() as at:
        assert at.pane.go_to("anchors")
        assert at.pane.current is not None
        assert at.pane.current.level_id == "meets-1"
        assert not at.pane.go_to("no such field")


async def test_a_screen_that_leaves_can_take_what_was_typed_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        field_editing, "LONG_TEXT_WAIT", 60
    )  # nothing is stored by itself, however slow it is here
    async with desk() as at:
        await at.at("guidance")
        await at.press("enter")
        await at.type("last")
        taken = at.pane.take()
        assert [(m.field, m.value) for m in taken if isinstance(m, FieldsPane.Changed)] == [
            ("guidance", "last")
        ]
        assert at.pane.take() == []
        assert at.host.sent == []


async def count_lines(at: Desk, act: Callable[[], object]) -> int:
    """How many lines of the list are drawn anew."""
    rows = at.pane.fields_list
    drawn: list[int] = []
    draw = rows.render_line

    def render_line(y: int) -> object:
        drawn.append(y)
        return draw(y)

    rows.render_line = render_line  # type: ignore[method-assign, assignment]
    act()
    await at.pilot.pause()
    del rows.render_line
    return len(set(drawn))


async def test_only_the_lines_that_differ_are_painted() -> None:
    async with desk() as at:
        await at.at("name")
        assert await count_lines(at, lambda: at.host.change("problem", weight=4)) == 1
        assert await count_lines(at, at.host.show) == 0
