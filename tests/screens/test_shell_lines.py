"""The pure parts of the shell's widgets: columns, filter, footer, ruler, themes, help."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.binding import ActiveBinding, Binding
from textual.widget import Widget

from rubrictui.core.model import Band, Node, NotApplicablePolicy
from rubrictui.screens.help import key_help
from rubrictui.styles.themes import CONTRAST, DARK, LIGHT, PLAIN, SIXTEEN, THEMES, pick
from rubrictui.widgets.band_ruler import ruler
from rubrictui.widgets.detail_pane import folded
from rubrictui.widgets.key_footer import fit_keys, shown_keys
from rubrictui.widgets.rows_list import Column, Row, cell_text, column_widths, matching
from rubrictui.widgets.rubric_tree import rules

COLUMNS = (Column("a", share=2, minimum=10), Column("b", width=8, drop=1), Column("c", minimum=6, drop=2))


@pytest.mark.parametrize(
    ("width", "widths"),
    [(60, (33, 8, 17)), (26, (10, 8, 6)), (25, (16, 8, 0)), (18, (18, 0, 0)), (5, (5, 0, 0))],
)
def test_columns_share_the_width_and_the_least_important_go_first(
    width: int, widths: tuple[int, ...]
) -> None:
    assert column_widths(COLUMNS, width) == widths


def test_a_flexible_column_never_gets_less_than_its_minimum_while_there_is_room() -> None:
    columns = (Column("a", share=9, minimum=10), Column("b", share=1, minimum=10))
    assert column_widths(columns, 31) == (20, 10)


@pytest.mark.parametrize(
    ("text", "right", "cell"),
    [
        ("short", False, "short   "),
        ("short", True, "   short"),
        ("much too long", False, "much to…"),
        ("日本語日本語", False, "日本語… "),
        ("a\x1b[2Jb", False, "a␛[2Jb  "),
        ("two\nlines", False, "two lin…"),
    ],
)
def test_a_cell_is_exactly_as_wide_as_its_column_and_inert(text: str, right: bool, cell: str) -> None:
    assert cell_text(text, 8, right) == cell
    assert cell_len(cell_text(text, 8, right)) == 8


ROWS = [
    Row(id="1", cells=("Northwind", "Vendor"), section="Open"),
    Row(id="2", cells=("Harbour", "Vendor"), section="Done", search="overdue"),
]


@pytest.mark.parametrize(
    ("words", "found"),
    [("", [0, 1]), ("VENDOR", [0, 1]), ("vendor north", [0]), ("overdue", [1]), ("open", [0]), ("x", [])],
)
def test_the_filter_wants_every_word_in_any_column(words: str, found: list[int]) -> None:
    assert matching(ROWS, words) == found


def active(*bindings: Binding) -> dict[str, ActiveBinding]:
    node = Widget()
    return {b.key: ActiveBinding(node, b, True, b.tooltip) for b in bindings}


def test_the_footer_offers_one_key_an_action_and_help_last() -> None:
    bindings = active(
        Binding("enter", "select", "Open"),
        Binding("question_mark", "help", "Help"),
        Binding("j", "move(1)", "Down", show=False),
        Binding("q", "app.quit", "Quit"),
        Binding("x", "app.quit", "Quit"),
    )
    display = {key: key for key in bindings}
    assert shown_keys(bindings, display) == [("enter", "Open"), ("q", "Quit"), ("question_mark", "Help")]


def test_keys_that_give_way_come_after_all_others_in_their_own_order() -> None:
    bindings = active(
        Binding("tab", "pane", "Pane", id="x.pane"),
        Binding("u", "undo", "Undo", id="x.undo"),
        Binding("question_mark", "help", "Help", id="x.help"),
        Binding("P", "publish", "Publish", id="x.publish"),
    )
    shown = shown_keys(bindings, {key: key for key in bindings}, ("x.undo", "x.gone", "x.pane"))
    assert [word for _, word in shown] == ["Publish", "Undo", "Pane", "Help"]


def test_a_narrow_footer_keeps_the_first_keys_and_help() -> None:
    keys = [("o", "Open"), ("c", "Catalog"), ("q", "Quit"), ("?", "Help")]
    assert fit_keys(keys, 80) == keys
    assert fit_keys(keys, 27) == [keys[0], keys[3]] or fit_keys(keys, 27) == [keys[0], keys[1], keys[3]]
    assert fit_keys(keys, 3) == [keys[3]]
    assert fit_keys([], 80) == []
    for width in range(8, 60):
        drawn = sum(cell_len(k) + cell_len(w) + 3 for k, w in fit_keys(keys, width))
        assert drawn - 1 <= width  # the last blank needs no room
    assert fit_keys(keys[:1] + keys[3:], 15) == [keys[0], keys[3]]
    assert fit_keys(keys[:1] + keys[3:], 14) == [keys[3]]


def test_help_joins_the_keys_of_one_action_and_leaves_out_what_is_not_ours() -> None:
    bindings = active(
        Binding("up", "move(-1)", "Up", id="rows.up"),
        Binding("k", "move(-1)", "Up", id="rows.up"),
        Binding("ctrl+c", "screen.copy_text", "Copy"),
        Binding("o", "score", "Score", tooltip="Pick a subject", id="x.score"),
        Binding("escape", "back", "Back", id="x.back"),
        Binding("q", "back", "Back", id="x.back"),
    )
    names = ["↑", "k", "^c", "o", "Esc", "Esc"]  # two keys of one binding are written as one
    assert key_help(bindings.values(), names) == [("↑ k", "Up"), ("o", "Pick a subject"), ("Esc", "Back")]


BANDS = (
    Band(id="3", label="Strong", min_score=0.8, max_score=1, display_tone="Success"),
    Band(id="1", label="Weak", min_score=0, max_score=0.5, display_tone="Danger"),
)


def drawn(bands: tuple[Band, ...], threshold: float | None, width: int) -> list[str]:
    return ["".join(text for text, _ in line) for line in ruler(bands, threshold, width)]


def test_bands_are_drawn_to_scale_with_what_they_leave_open() -> None:
    numbers, bar, pointer = drawn(BANDS, 0.6, 40)
    assert numbers == "0       .2      .4     .6      .8      1"
    assert bar == "├───────Weak───────┤············├Strong┤"
    assert pointer == " " * 23 + "▲ passes at 0.6"
    assert [tone for _, tone in ruler(BANDS, None, 40)[1]] == ["error", "muted", "success"]


@pytest.mark.parametrize("width", [3, 20, 41, 55, 118])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.97, 1.0])
def test_the_ruler_keeps_within_its_width(width: int, threshold: float) -> None:
    for line in drawn(BANDS, threshold, width):
        assert cell_len(line) <= max(20, width)


def test_a_label_without_room_is_left_to_the_list_under_the_ruler() -> None:
    narrow = (Band(id="1", label="Excellent", min_score=0.9, max_score=1),)
    assert drawn(narrow, None, 40)[1] == "·" * 36 + "├──┤"


def test_a_line_of_a_pane_folds_at_blanks_and_every_piece_keeps_its_tone() -> None:
    line = (("Gate  ", "label"), ("below 0.6 all fails\x1b[2J\nnext", ""))
    assert [list(row) for row in folded(line, 14)] == [
        [("Gate  ", "label"), ("below", "")],
        [("0.6 all", "")],
        [("fails␛[2J", "")],
        [("next", "")],
    ]
    assert [list(row) for row in folded((), 10)] == [[]]


def test_the_rules_of_a_criterion_are_said_in_words_the_gravest_first() -> None:
    node = Node(
        id="n", key="n", is_gate=True, gate_minimum_score=0.6, evidence_required=True, rationale_required=True,
        not_applicable_policy=NotApplicablePolicy.FAIL_EVALUATION,
    )  # fmt: skip
    assert rules(node) == "gate 0.6, evidence, rationale, N/A fails all"
    assert rules(Node(id="n", key="n", is_advisory=True)) == "advisory"


@pytest.mark.parametrize(
    ("chosen", "no_color", "system", "theme"),
    [
        ("auto", False, "truecolor", DARK),
        ("auto", False, "256", DARK),
        ("auto", False, "standard", SIXTEEN),
        (LIGHT, False, "standard", SIXTEEN),
        (CONTRAST, False, "windows", SIXTEEN),
        (PLAIN, False, "standard", PLAIN),
        (CONTRAST, False, "truecolor", CONTRAST),
        ("a theme that is gone", False, "256", DARK),
        (LIGHT, True, "truecolor", PLAIN),
        (LIGHT, False, None, PLAIN),
    ],
)
def test_the_theme_is_what_was_chosen_as_far_as_the_terminal_can_show_it(
    chosen: str, no_color: bool, system: str | None, theme: str
) -> None:
    assert pick(chosen, no_color=no_color, color_system=system) == theme


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("name", "least"), [(DARK, 4.5), (LIGHT, 4.5), (CONTRAST, 7.0)])
def test_every_colour_of_a_theme_can_be_read_on_its_background(name: str, least: float) -> None:
    theme = next(theme for theme in THEMES if theme.name == name)
    words = [theme.foreground, theme.primary, theme.accent, theme.success, theme.warning, theme.error]
    words.append(theme.variables["text-muted"])
    for color in words:
        for ground in (theme.background, theme.surface):
            assert color is not None
            assert ground is not None
            assert contrast(color, ground) >= least, (color, ground)
    cursor = theme.variables
    assert contrast(cursor["block-cursor-foreground"], cursor["block-cursor-background"]) >= least


TERMINALS = {
    "xterm": {"bright_blue": "#5c5cff", "magenta": "#cd00cd", "bright_red": "#ff0000"},
    "vga": {"bright_blue": "#5555ff", "magenta": "#aa00aa", "bright_red": "#ff5555"},
}


@pytest.mark.parametrize("terminal", TERMINALS)
def test_the_sixteen_colours_can_be_read_on_black_and_on_white(terminal: str) -> None:
    theme = next(theme for theme in THEMES if theme.name == SIXTEEN)
    assert (theme.foreground, theme.background) == ("ansi_default", "ansi_default")
    words = [theme.primary, theme.secondary, theme.accent, theme.success, theme.warning, theme.error]
    for word in {str(word) for word in words} - {"ansi_default"}:
        color = TERMINALS[terminal][word.removeprefix("ansi_")]
        assert min(contrast(color, "#000000"), contrast(color, "#ffffff")) >= 3, word
