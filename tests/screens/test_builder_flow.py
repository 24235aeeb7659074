"""An author's work in the builder, driven by keys alone on a real store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builder_host import COMPLIANCE, RUBRIC, SCALES, BuilderHost, fill, opened, ready
from form_host import keys, screen_text, until
from msgspec.structs import replace
from textual.screen import Screen

from rubrictui.core.editing import set_anchor, set_node, use_scale
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, Level, Node, RollupMethod, Scale
from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.screens.builder_clash import ClashScreen
from rubrictui.screens.builder_samples import SamplesScreen
from rubrictui.screens.builder_session import Safety
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import ConfirmScreen
from rubrictui.screens.scale_editor import ScaleEditorScreen

NARROW, WIDE = (80, 24), (120, 40)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    with opened(tmp_path / "store.db") as engine:
        yield engine


@pytest.fixture
def buying(engine: Engine) -> Engine:
    fill(engine)
    return engine


def stored(engine: Engine, rubric: str = RUBRIC) -> dict[str, Node]:
    return {node.key: node for node in engine.open_rubric_draft(rubric).version.nodes}


def order(engine: Engine) -> list[str]:
    return [node.key for node in engine.open_rubric_draft(RUBRIC).version.nodes]


def note(app: BuilderHost) -> str:
    """What stands on the screen, however it is folded."""
    return " ".join(screen_text(app).split())


def bare(app: BuilderHost) -> str:
    """The same without blanks, which a screenshot leaves out between pieces."""
    return "".join(screen_text(app).split())


async def test_whatever_a_key_changes_is_painted_in_one_frame(
    buying: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await keys(pilot, "j j 1 2")  # answers make the preview longer, and its pane gets a scrollbar
        await pilot.pause(0.1)
        frames: list[list[str]] = []
        paint = Screen._compositor_refresh

        def paint_and_count(screen: Screen[Any]) -> None:
            frames.append(sorted(type(w).__name__ for w in screen._dirty_widgets))
            paint(screen)

        monkeypatch.setattr(Screen, "_compositor_refresh", paint_and_count)
        for key in ("1", "j", "k", "D", "u", "A", "less_than_sign"):
            frames.clear()
            await pilot.press(key)
            await pilot.pause(0.05)
            assert len(frames) == 1, (key, frames)


async def test_the_procurement_example_is_built_from_nothing_and_scores_as_the_guide_says(
    engine: Engine,
) -> None:
    for scale in SCALES:
        engine.save_scale(scale)
    engine.create_rubric("Procurement")
    app = BuilderHost(engine, "Procurement")
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        assert "blocks publishing" in note(app)
        # A group with two criteria, one of them a gate; the group takes its lowest.
        await keys(pilot, 'g "Security" enter r')
        await keys(pilot, 'a "Encryption" enter')
        assert "c chooses the scale" in note(app)
        await keys(pilot, 'c slash "compliance" enter enter')
        await keys(pilot, 'a "Access_control" enter')  # answered on the scale of its neighbour
        await keys(pilot, 'exclamation_mark "0.5" enter')
        # A second group beside it, and what is only shown.
        await keys(pilot, 'g "Delivery" enter a "Schedule" enter')
        await keys(pilot, 'c slash "miss" enter enter')
        await keys(pilot, 'g "Notes" enter d a "Notes_quality" enter A')

        nodes = stored(engine, "Procurement")
        assert list(nodes) == [
            "security",
            "encryption",
            "access-control",
            "delivery",
            "schedule",
            "notes-quality",
        ]
        assert nodes["security"].rollup_method is RollupMethod.MINIMUM
        assert nodes["encryption"].parent_id == nodes["security"].id
        assert nodes["access-control"].gate_minimum_score == 0.5
        assert nodes["notes-quality"].is_advisory
        assert "no problems" not in note(app)  # no anchors yet: a warning each
        assert "blocks publishing" not in note(app)

        # The vendor's own evaluation, and a buyer's, as two samples.
        builder = app.builder
        await keys(pilot, "s a enter")
        builder.tree_pane.go_to(nodes["encryption"].id)
        await keys(pilot, "3 j 3 j j 3")
        assert builder.session.preview.result is not None
        assert builder.session.preview.result.normalized_score == 1
        assert "100of100(1)Scored" in bare(app)
        await keys(pilot, "s c escape")
        builder.tree_pane.go_to(nodes["access-control"].id)
        await keys(pilot, "2")
        assert builder.session.preview.result.normalized_score == 0.75
        assert "75of100(0.75)Scored" in bare(app)
        await keys(pilot, "e")
        assert "✓gateAccesscontrol:50,atleast50" in bare(app)

        # Both are kept with the rubric.
        await keys(pilot, "s")
        shown = note(app)
        assert "Sample 1 3 100 Scored" in shown
        assert "Sample 1 2 3 75 Scored" in shown


async def test_a_scale_is_made_where_it_is_chosen_and_the_criterion_is_answered_on_it(engine: Engine) -> None:
    engine.create_rubric("Procurement")
    app = BuilderHost(engine, "Procurement")
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, 'a "Encryption" enter c')
        await until(pilot, lambda: "A new scale ..." in note(app))
        await keys(pilot, "a")
        await keys(pilot, '"Compliance" enter')
        await until(pilot, lambda: isinstance(app.screen, ScaleEditorScreen) and "Miss" in note(app))
        await keys(pilot, 'down down down enter "Against" enter')
        await until(pilot, lambda: "Against" in note(app))
        await keys(pilot, "escape")
        await until(pilot, lambda: app.screen is app.builder and "1Against" in bare(app))
        (scale,) = engine.scales()
        assert stored(engine, "Procurement")["encryption"].scale_id == scale.id

        # Edited from the chooser, it is scored as it is now, and an edit does not bring the old one back.
        await keys(pilot, "2 c e")
        await until(pilot, lambda: isinstance(app.screen, ScaleEditorScreen) and "Against" in note(app))
        await keys(pilot, 'down down down down s "0.75" enter')
        await until(pilot, lambda: "0.75" in note(app))
        await keys(pilot, "escape escape")
        await until(pilot, lambda: app.screen is app.builder and "75of100" in bare(app))
        await keys(pilot, 'w "2" enter')
        assert [level.normalized_value for level in engine.scales()[0].levels] == [0, 0.75, 1]
        assert app.builder.session.safety is Safety.SAVED


async def test_publish_is_refused_while_a_text_cannot_be_read_and_a_problem_leads_to_its_field(
    buying: Engine,
) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        builder = app.builder
        await keys(pilot, "down enter")
        builder.fields.go_to("evaluator_config")
        await keys(pilot, 'enter "no_settings" escape escape P')
        assert any("this text cannot be read" in told for told in app.notices)
        assert builder.pane == "fields"
        await keys(pilot, "delete escape")
        price = next(n for n in builder.session.version.nodes if n.key == "price")
        builder.edit(lambda version: set_node(version, price.id, weight=-1), "weigh")
        await keys(pilot, "P")
        await until(pilot, lambda: "Not yet: 1 problem blocks publishing." in note(app))
        await keys(pilot, "enter")
        await until(pilot, lambda: app.screen is builder)
        assert builder.fields.target == price.id
        assert builder.fields.current is not None
        assert builder.fields.current.id == "weight"


async def test_a_node_is_changed_by_one_key_each_and_undone(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        tree = app.builder.tree_pane
        tree.go_to(next(n.id for n in app.builder.session.version.nodes if n.key == "schedule"))

        async def after(typed: str) -> Node:
            await keys(pilot, typed)
            node = tree.current
            assert node is not None
            return stored(buying)[node.key]

        assert (await after('w backspace "3.5" enter')).weight == 3.5
        assert (await after("A")).is_advisory
        assert not (await after("A")).is_advisory
        assert (await after('exclamation_mark "0.4" enter')).gate_minimum_score == 0.4
        assert not (await after("exclamation_mark ctrl+u enter")).is_gate
        assert (await after('i ctrl+u "Dates" enter')).name == "Dates"
        assert tree.current is not None
        assert tree.current.key == "schedule"  # it was published, so it stays
        await keys(pilot, "K")
        assert "changing it is Major" in note(app)
        assert (await after('ctrl+u "dates" enter')).key == "dates"
        for _ in range(7):
            await keys(pilot, "u")
        assert "Undone: weigh Schedule." in note(app)
        assert stored(buying)["schedule"].weight == 1
        await keys(pilot, "u")
        assert app.notices[-1] == "There is nothing to undo."
        await keys(pilot, "U")
        assert stored(buying)["schedule"].weight == 3.5


async def test_nodes_are_moved_with_the_cursor_on_them(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        tree = app.builder.tree_pane
        tree.go_to(stored(buying)["price"].id)
        await keys(pilot, "left_square_bracket")
        assert order(buying) == ["security", "encryption", "access", "delivery", "price", "schedule", "notes"]
        await keys(pilot, "less_than_sign")
        assert order(buying)[-2:] == ["price", "notes"]
        assert stored(buying)["price"].parent_id is None
        await keys(pilot, "greater_than_sign")
        assert stored(buying)["price"].parent_id == stored(buying)["delivery"].id
        await keys(pilot, 'm slash "security" enter enter')
        assert stored(buying)["price"].parent_id == stored(buying)["security"].id
        assert tree.current is not None
        assert tree.current.key == "price"
        await keys(pilot, "left_square_bracket left_square_bracket left_square_bracket")
        assert "is the first of its group" in note(app)


async def test_a_subtree_is_copied_cut_and_pasted_also_into_another_rubric(buying: Engine) -> None:
    buying.create_rubric("Renting")
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "D")
        assert "security-2" in stored(buying)
        assert "encryption-2" in stored(buying)
        await keys(pilot, "x")
        assert "security-2" not in stored(buying)
        await keys(pilot, "escape")
    other = BuilderHost(buying, "Renting")
    async with other.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "p")
        assert "Nothing was copied yet" in note(other)  # another application, another clipboard
    both = BuilderHost(buying)
    async with both.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "y escape")
        from rubrictui.screens.builder import BuilderScreen

        both.builder = BuilderScreen("Renting")
        both.push_screen(both.builder)
        await ready(pilot)
        await keys(pilot, "p")
        pasted = stored(buying, "Renting")
        assert list(pasted) == ["security", "encryption", "access"]
        assert len(pasted["encryption"].anchors) == 3
        assert pasted["security"].id != stored(buying)["security"].id


async def test_deleting_what_has_children_takes_the_key_twice(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "d")
        assert "d once more deletes it with 2 nodes inside" in note(app)
        assert "security" in stored(buying)
        await keys(pilot, "j d")
        assert "encryption" not in stored(buying)
        await keys(pilot, "u k d j k d")  # what was asked before the cursor moved is asked again
        assert "security" in stored(buying)
        await keys(pilot, "d")
        assert "security" not in stored(buying)


async def test_the_keys_of_a_text_field_are_letters(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, 'i ctrl+u "adgPuxs1n" enter')
        assert stored(buying)["security"].name == "adgPuxs1n"
        assert len(stored(buying)) == 7
        # And so in the fields, where each letter is stored as it is typed.
        await keys(pilot, 'enter enter ctrl+u "duPas"')
        assert stored(buying)["security"].name == "duPas"
        assert len(stored(buying)) == 7
        await keys(pilot, "escape escape u")
        assert stored(buying)["security"].name == "adgPuxs1n"


async def test_a_number_that_is_none_is_refused_where_it_is_typed(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, 'w ctrl+u "much" enter')
        assert "much is no number" in app.notices[-1]
        await keys(pilot, "escape")
        assert stored(buying)["security"].weight == 1
        await keys(pilot, 'w ctrl+u "inf" enter')
        assert "The weight is inf" in note(app)
        assert stored(buying)["security"].weight == 1
        # A weight below zero is stored, and listed as what blocks.
        await keys(pilot, 'w ctrl+u "-2" enter')
        assert stored(buying)["security"].weight == -2
        assert "1 blocks publishing" in note(app)
        await keys(pilot, "o enter")
        assert app.builder.fields.current is not None
        assert app.builder.fields.current.name == "weight"


async def test_samples_are_given_by_digits_two_digits_numbers_and_n(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        builder = app.builder

        def answer(key: str) -> Any:
            node = next(node for node in builder.session.version.nodes if node.key == key)
            return builder.session.answers.get(node.id)

        await keys(pilot, "j 3 j n")
        assert "N/A is not allowed here" in note(app)
        await keys(pilot, "2 j j 1")
        assert "Second digit, or Enter." in note(app)
        await keys(pilot, "0 j 8 5 j")  # going on settles a number
        assert answer("schedule").scale_level_id is not None
        assert answer("price").raw_value == 85
        await keys(pilot, "k 1 2 3 k")
        assert "123 is out of range" in note(app)  # a number that is none keeps the cursor
        assert builder.tree_pane.current is not None
        assert builder.tree_pane.current.key == "price"
        await keys(pilot, "backspace enter")
        assert answer("price").raw_value == 12
        await keys(pilot, "j n")
        assert answer("notes").is_not_applicable
        await keys(pilot, "backspace")
        assert answer("notes") is None


async def test_the_store_refusing_is_said_and_mended(buying: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        save: Callable[..., int] = buying.save_draft

        def refuse(*_: Any, **__: Any) -> int:
            raise RubrictuiError("The disk is full.", remedy="Make room.")

        monkeypatch.setattr(buying, "save_draft", refuse)
        await keys(pilot, "A")
        assert app.builder.header.mark == "NOT SAVED"
        assert app.notices[-1] == "NOT SAVED. The disk is full. Make room."
        await keys(pilot, "escape")
        assert "Esc once more leaves without it." in app.notices[-1]
        assert app.builder.is_current

        monkeypatch.setattr(buying, "save_draft", save)
        await keys(pilot, "ctrl+s")
        assert app.builder.session.safety is Safety.SAVED
        assert stored(buying)["security"].is_advisory


def save_elsewhere(engine: Engine, key: str, **changes: Any) -> None:
    draft = engine.open_rubric_draft(RUBRIC)
    own = next(node.id for node in draft.version.nodes if node.key == key)
    engine.save_draft(set_node(draft.version, own, **changes).version, revision=draft.revision)


async def test_two_authors_meet_choose_and_lose_nothing(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        save_elsewhere(buying, "security", weight=5.0, description="Theirs.")
        save_elsewhere(buying, "notes", name="Their notes")
        await keys(pilot, 'w ctrl+u "7" enter')
        await until(pilot, lambda: isinstance(app.screen, ClashScreen))
        shown = note(app)
        assert "saved this draft while you were changing it" in shown
        assert "Security: weight 7 5" in shown
        assert "Their notes" in shown

        await keys(pilot, "escape")  # later: both sides stay where they are
        assert app.builder.header.mark == "NOT SAVED"
        assert stored(buying)["security"].weight == 5
        await keys(pilot, "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, ClashScreen))
        await keys(pilot, "enter s")
        nodes = stored(buying)
        assert nodes["security"].weight == 5
        assert nodes["security"].description == "Theirs."
        assert nodes["notes"].name == "Their notes"
        assert app.builder.header.mark == "saved ✓"


async def test_a_clash_waits_until_typing_has_ended(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await keys(pilot, "enter")
        app.builder.fields.go_to("name")
        await keys(pilot, "enter ctrl+u")
        save_elsewhere(buying, "security", name="Their name")
        await keys(pilot, '"Mmys"')  # M takes all of mine, and s saves, where the question has the keys
        await pilot.pause(0.1)
        assert app.builder.is_current
        assert app.builder.header.mark == "NOT SAVED"
        assert any("end typing to settle it" in each for each in app.notices)
        assert stored(buying)["security"].name == "Their name"
        await keys(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, ClashScreen))
        assert "Mmys" in note(app)
        await keys(pilot, "escape")
        await pilot.pause(0.1)
        assert app.builder.is_current  # it is asked once, and again when it is to be saved
        await keys(pilot, "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, ClashScreen))
        await keys(pilot, "s")
        assert "Mmys" in [node.name for node in stored(buying).values()]


def on_a_scale_of_its_own(engine: Engine, key: str) -> Scale:
    """Answer a criterion on a scale that no published version uses, with an anchor for each level."""
    made = engine.save_scale(replace(COMPLIANCE, id="", name="Free", levels=fresh(COMPLIANCE.levels)))
    draft = engine.open_rubric_draft(RUBRIC)
    own = next(node.id for node in draft.version.nodes if node.key == key)
    version = use_scale(draft.version, own, made).version
    for level in made.levels:
        version = set_anchor(version, own, level.id, f"What {level.label} means.").version
    engine.save_draft(version, revision=draft.revision)
    return made


def fresh(levels: Iterable[Level]) -> tuple[Level, ...]:
    return tuple(replace(level, id="") for level in levels)


async def test_what_was_copied_is_pasted_on_its_scale_as_it_is_now(buying: Engine) -> None:
    buying.create_rubric("Renting")
    before = on_a_scale_of_its_own(buying, "encryption")
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "j y")
        now = buying.save_scale(
            replace(before, levels=(replace(before.levels[1], label="Renamed"), *before.levels[2:]))
        )
        await keys(pilot, "escape")
        from rubrictui.screens.builder import BuilderScreen

        app.builder = BuilderScreen("Renting")
        app.push_screen(app.builder)
        await ready(pilot)
        await keys(pilot, "p")
        assert app.builder.session.safety is Safety.SAVED
        assert next(scale for scale in buying.scales() if scale.id == before.id) == now
        (pasted,) = stored(buying, "Renting").values()
        assert [each.scale_level_id for each in pasted.anchors] == [level.id for level in now.levels]
        assert app.builder.session.version.scales == (now,)


async def test_a_scale_that_changes_elsewhere_is_shown_when_the_author_rests(
    buying: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.screens.builder_base.COLLECTING_PAUSE", 0.05)
    scale = on_a_scale_of_its_own(buying, "encryption")
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "j")
        buying.save_scale(
            replace(scale, levels=(replace(scale.levels[0], label="Absent"), *scale.levels[1:]))
        )
        await keys(pilot, "A")
        await until(pilot, lambda: "Absent" in note(app))
        assert app.builder.session.safety is Safety.SAVED


async def test_panes_fold_into_one_another_on_a_small_terminal(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "tab")
        assert "Group · Security" in note(app)
        assert not app.builder.tree_pane.display or app.builder.pane == "fields"
        await keys(pilot, "tab")
        assert app.builder.pane == "problems"
        await keys(pilot, "tab")
        assert app.builder.pane == "preview"
        await keys(pilot, "tab")
        assert app.builder.pane == "tree"
        await keys(pilot, "shift+tab escape v")
        await until(pilot, lambda: "Whole version" in note(app))
        await keys(pilot, "escape escape")
        assert not app.builder.is_current


async def test_search_goes_to_what_is_folded_away(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, 'H slash "control" enter')
        tree = app.builder.tree_pane
        assert tree.current is not None
        assert tree.current.key == "access"
        await keys(pilot, 'slash ctrl+u "quality" enter')
        assert tree.current.key == "notes"
        await keys(pilot, 'slash ctrl+u "e" enter')
        count = int(app.notices[-1].split()[0])
        first = tree.current
        for _ in range(count):
            await keys(pilot, "N")
        assert tree.current == first


async def test_samples_are_filled_and_compared_with_what_is_published(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await keys(pilot, "s")
        assert isinstance(app.screen, SamplesScreen)
        await keys(pilot, "b w x")
        assert [each.name for each in app.builder.session.sets] == ["All best", "All worst", "Random"]
        await keys(pilot, "b b")
        assert len(app.builder.session.sets) == 3
        await keys(pilot, 'i ctrl+u "Ideal" enter escape')
        await keys(pilot, 'w ctrl+u "0" enter')
        await keys(pilot, "s")
        assert "Ideal 5 100 100 same Passed" in note(app)
        # Undo does not reach a set, so d asks; the cursor begins on keeping it.
        await keys(pilot, "d")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert "Delete Ideal?" in note(app)
        await keys(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen))
        assert len(buying.sample_sets(RUBRIC)) == 3
        await keys(pilot, "d")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await keys(pilot, "down enter")
        await until(pilot, lambda: len(buying.sample_sets(RUBRIC)) == 2)
        assert [each.name for each in buying.sample_sets(RUBRIC)] == ["All worst", "Random"]


def evaluate(engine: Engine, record: str, schedule: str) -> None:
    """A submitted evaluation of the published version."""
    version = engine.version(RUBRIC)
    engine.add_subjects([Subject(record_id=record, title=f"The offer of {record}", text="Words.")])
    draft = engine.open_draft(subject=f"Subject/{record}", rubric=RUBRIC)
    keyed = {node.key: node.id for node in version.nodes}
    levels = {level.label: level.id for scale in version.scales for level in scale.levels}
    for key, answer in (
        ("encryption", {"scale_level_id": levels["Compliant"]}),
        ("access", {"scale_level_id": levels["Compliant"]}),
        ("schedule", {"scale_level_id": levels[schedule]}),
        ("price", {"raw_value": 20.0}),
    ):
        engine.save_answer(draft.evaluation.id, Answer(criterion_id=keyed[key], **answer))
    engine.submit(draft.evaluation.id)


async def test_real_evaluations_are_tried_on_the_draft(buying: Engine) -> None:
    for record, schedule in (("north", "10"), ("south", "2")):
        evaluate(buying, record, schedule)
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        # The last evaluation of a subject becomes a sample of its name.
        await keys(pilot, "s l")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
        await keys(pilot, 'slash "south" enter enter')
        await until(pilot, lambda: isinstance(app.screen, SamplesScreen))
        assert "The offer of south" in note(app)
        await keys(pilot, "escape")
        assert app.builder.session.preview.answered == 4

        # What the draft would change for those that are stored: nothing is, before anything changed.
        await keys(pilot, "t")
        await until(pilot, lambda: "0 of 2 evaluations" in note(app))
        await keys(pilot, "escape")
        app.builder.tree_pane.go_to(stored(buying)["delivery"].id)
        await keys(pilot, 'w ctrl+u "9" enter t')
        await until(pilot, lambda: "2 of 2 evaluations" in note(app))
        assert "Passed → Below the threshold" in note(app)


async def test_a_problem_leads_to_its_field(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await keys(pilot, "o j enter")
        assert app.builder.tree_pane.current is not None
        assert app.builder.tree_pane.current.key == "notes"
        assert app.builder.fields.current is not None
        assert app.builder.fields.current.name == "anchor"
        await keys(pilot, 'enter "Clear" escape')
        assert stored(buying)["notes"].anchors[0].descriptor == "Clear"


async def test_bands_are_changed_and_undone_in_the_builder(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, "b")
        await until(pilot, lambda: "Bands" in note(app))
        await keys(pilot, "l l escape")
        bands = buying.open_rubric_draft(RUBRIC).version.bands
        assert [band.max_score for band in bands] == [0.62, 1]
        await keys(pilot, "u")
        assert [band.max_score for band in buying.open_rubric_draft(RUBRIC).version.bands] == [0.6, 1]


async def test_publishing_is_asked_for_and_leaves_the_builder(buying: Engine) -> None:
    app = BuilderHost(buying)
    async with app.run_test(size=NARROW) as pilot:
        await ready(pilot)
        await keys(pilot, 'w ctrl+u "3" enter P')
        await until(pilot, lambda: "Major" in note(app))
        assert "2.0.0" in note(app)
        await pilot.pause(0.4)
        await keys(pilot, "P")
        await until(pilot, lambda: not app.builder.is_attached)
        assert buying.version(RUBRIC).number == "2.0.0"
