"""A reviewer's work on the form, driven by keys alone on a real store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from form_host import RUBRIC, FormHost, Template, keys, opened, screen_text, until
from rich.cells import cell_len
from textual import events

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, Evidence, EvidenceKind, Outcome
from rubrictui.core.records import EvaluationStatus
from rubrictui.engine import Engine
from rubrictui.screens import scoring
from rubrictui.screens.result import ResultScreen
from rubrictui.screens.scoring_base import READING_TIME
from rubrictui.screens.scoring_submit import SubmitScreen
from rubrictui.screens.scoring_words import ConflictScreen
from rubrictui.store.errors import StoreDroppedError
from rubrictui.widgets.form_header import FormHeader
from rubrictui.widgets.rationale_editor import RationaleArea

NARROW = (80, 24)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("form"))


@pytest.fixture
def store(template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    return template.copy(tmp_path)


def answers(engine: Engine, evaluation_id: str) -> dict[str, Answer]:
    """The stored answers by criterion key, as another reader of the store sees them."""
    draft = engine.draft(evaluation_id)
    by_id = {node.id: node.key for node in draft.version.nodes}
    return {by_id[found.answer.criterion_id]: found.answer for found in draft.answers}


def header(app: FormHost) -> FormHeader:
    return app.form.header


def words(app: FormHost) -> str:
    """What stands on the screen, however it is folded."""
    return " ".join(screen_text(app).split())


async def test_a_submission_is_read_scored_and_submitted_by_keys(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        # Who begins reads first; Tab goes to the criteria.
        assert "Tarn Valley has" not in screen_text(app)
        assert "three wells for 2,100 people" in words(app)
        await keys(pilot, "tab 2")
        assert "●2 Partial" in screen_text(app)
        assert header(app).mark == "saved ✓"
        assert header(app).progress == "1/5 answered"

        # Submitting lists exactly what is missing and goes there.
        await keys(pilot, "S")
        assert "needs a rationale" in screen_text(app)
        assert "Submit now" not in screen_text(app)
        await keys(pilot, "enter")
        assert app.form.criteria.current is not None
        assert app.form.criteria.current.key == "problem"

        # Keys are letters while a text field has the focus.
        await keys(pilot, 'r "nSdq12_words" escape')
        assert answers(engine, draft.evaluation.id)["problem"].rationale == "nSdq12 words"

        # N/A is refused where the policy says so, with the reason.
        await keys(pilot, "n")
        assert "This criterion does not allow N/A" in screen_text(app)

        # A quote is picked in the subject, by sentence.
        await keys(pilot, "j 3 e q")
        assert "Quote: space selects" in screen_text(app)
        await keys(pilot, "j j s enter escape")
        (quote,) = answers(engine, draft.evaluation.id)["people"].evidence
        assert quote.kind is EvidenceKind.QUOTE
        assert quote.text == "The valley has **three wells** for 2,100 people."
        assert draft.subject.text[quote.start : quote.end] == quote.text

        # Two digits, settled by the second or by Enter; a number, checked as typed.
        await keys(pilot, "> 7 enter")
        assert answers(engine, draft.evaluation.id)["steps"].scale_level_id == _level(draft.version, "7")
        await keys(pilot, "1 0")
        assert answers(engine, draft.evaluation.id)["steps"].scale_level_id == _level(draft.version, "10")
        await keys(pilot, "> 8 3")
        assert "83 is off the step of 5" in screen_text(app)
        await keys(pilot, "backspace 0 enter")
        assert answers(engine, draft.evaluation.id)["budget"].raw_value == 80

        # Not applicable, and back to what it was.
        await keys(pilot, "> 2 n")
        assert answers(engine, draft.evaluation.id)["style"].is_not_applicable
        await keys(pilot, "n")
        assert answers(engine, draft.evaluation.id)["style"].scale_level_id == _level(
            draft.version, "Partial"
        )

        # The running score is off until it is wanted.
        assert "score" not in header(app).progress
        await keys(pilot, "v")
        assert header(app).progress.startswith("score 80 (would pass)")

        await keys(pilot, "S")
        shown = screen_text(app)
        assert "Score 80 on 0 to 100" in shown
        assert "Passed: the score of 80 reaches the threshold of 60." in shown
        assert "all that counts is answered" in shown
        await pilot.pause(READING_TIME)
        await keys(pilot, "enter")
        assert isinstance(app.screen, ResultScreen)
        shown = screen_text(app)
        assert "80 of 0 to 100" in shown
        assert "The problem gate" in shown
    found = engine.evaluation(draft.evaluation.id)
    assert found.evaluation.status is EvaluationStatus.SUBMITTED
    assert found.evaluation.outcome is Outcome.PASSED
    assert found.evaluation.normalized_score == 0.8
    engine.close()


def _level(version: object, label: str) -> str:
    return next(
        level.id
        for scale in version.scales  # type: ignore[attr-defined]
        for level in scale.levels
        if level.label == label
    )


async def test_after_a_crash_everything_is_there_cursor_included(store: Path, tmp_path: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    image = tmp_path / "image"
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab 3 j 1 f j")
        await keys(pilot, 'r "half_a_thought"')
        await until(pilot, lambda: answers(engine, draft.evaluation.id).get("steps") is not None)
        # What is on disk at this moment is what a killed process leaves behind.
        image.mkdir()
        for file in store.parent.glob("store.db*"):
            shutil.copy(file, image / file.name)
    engine.close()

    again, draft = opened(image / "store.db")
    assert draft.cursor == "steps"
    app = FormHost(again, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        shown = screen_text(app)
        assert app.form.criteria.current is not None
        assert app.form.criteria.current.key == "steps"
        assert "●3 Meets" in shown
        assert "⚑" in shown
        assert "✎ half a thought" in shown
        assert header(app).progress == "2/5 answered · 1 ⚑"
    again.close()


async def test_what_is_typed_is_stored_when_the_application_is_ended(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, 'tab j r "last_word"')
        app.form.flush()
        assert answers(engine, draft.evaluation.id)["people"].rationale == "last word"
        await keys(pilot, '"s"')
    assert answers(engine, draft.evaluation.id)["people"].rationale == "last words"
    engine.close()


async def test_a_store_that_refuses_is_told_and_nothing_is_lost(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    monkeypatch.setattr("rubrictui.screens.scoring_base.RETRY_PAUSE", 0.05)
    save = engine.save_answer

    def refuse(*_: object, **__: object) -> None:
        raise RubrictuiError("The disk is full.", remedy="Make room.")

    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        monkeypatch.setattr(engine, "save_answer", refuse)
        await keys(pilot, "tab 2")
        assert "NOT SAVED" in screen_text(app)
        assert "●2 Partial" in screen_text(app)
        assert app.notices == ["NOT SAVED. The disk is full. Make room."]
        await keys(pilot, "S")
        assert app.screen is app.form
        await keys(pilot, "escape")
        assert app.screen is app.form
        assert "Esc once more leaves without it" in app.notices[-1]
        monkeypatch.setattr(engine, "save_answer", save)
        await until(pilot, lambda: header(app).mark == "saved ✓")
        assert answers(engine, draft.evaluation.id)["problem"].scale_level_id == _level(
            draft.version, "Partial"
        )
        await keys(pilot, "escape")
        assert app.screen is not app.form
    engine.close()


async def test_an_answer_given_elsewhere_meanwhile_is_shown_beside_ones_own(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    node = next(node for node in draft.version.nodes if node.key == "problem")
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        with Engine(store, user="tester") as other:
            theirs = Answer(
                criterion_id=node.id, scale_level_id=_level(draft.version, "Miss"), rationale="from afar"
            )
            other.save_answer(draft.evaluation.id, theirs)
        await keys(pilot, "tab 3")
        assert isinstance(app.screen, ConflictScreen)
        shown = screen_text(app)
        assert "What you typed here" in shown
        assert "Meets" in shown
        assert "Miss" in shown
        assert answers(engine, draft.evaluation.id)["problem"] == theirs
        await keys(pilot, "enter")
        assert answers(engine, draft.evaluation.id)["problem"].scale_level_id == _level(
            draft.version, "Meets"
        )
        assert header(app).mark == "saved ✓"
    engine.close()


async def test_undo_goes_back_to_where_the_change_was(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab 1 j 2 x j u")
        assert app.form.criteria.current is not None
        assert app.form.criteria.current.key == "people"
        assert answers(engine, draft.evaluation.id)["people"].scale_level_id == _level(
            draft.version, "Partial"
        )
        await keys(pilot, "u u")
        assert not any(a.is_answered for a in answers(engine, draft.evaluation.id).values())
        await keys(pilot, "U ctrl+y")
        assert answers(engine, draft.evaluation.id)["people"].is_answered
        await keys(pilot, '/ "budg" enter')
        assert app.form.criteria.current.key == "budget"
        await keys(pilot, "f home F")
        assert app.form.criteria.current.key == "budget"
    engine.close()


async def test_own_words_come_back_by_key_and_work_is_declined_with_a_reason(store: Path) -> None:
    engine, other = opened(store, "school")
    node = next(node for node in other.version.nodes if node.key == "problem")
    engine.save_answer(
        other.evaluation.id,
        Answer(
            criterion_id=node.id, scale_level_id=_level(other.version, "Meets"), rationale="As every winter."
        ),
    )
    engine.submit(other.evaluation.id)
    engine.add_phrase("Well shown, with figures.")
    draft = engine.open_draft(subject="Subject/wells", rubric=RUBRIC, context="Round/spring")
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab p")
        assert "A roof for the school" in screen_text(app)
        assert "As every winter." in screen_text(app)
        await keys(pilot, "enter r ctrl+g")
        assert "Well shown, with figures." in screen_text(app)
        await keys(pilot, "a enter")
        assert isinstance(app.focused, RationaleArea)
        await keys(pilot, "escape")
        assert "As every winter." in (answers(engine, draft.evaluation.id)["problem"].rationale or "")
        assert {p.text for p in engine.phrases()} == {"Well shown, with figures.", "As every winter."}
        await keys(pilot, "d enter")
        await keys(pilot, '"my_brother" enter')
        assert app.screen is not app.form
    ended = engine.evaluation(draft.evaluation.id).evaluation
    assert ended.status is EvaluationStatus.WITHDRAWN
    assert ended.end_reason == "Conflict of interest: my brother"
    engine.close()


async def test_nothing_is_frozen_unseen_and_a_store_that_drops_says_that_nothing_was_submitted(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, draft = opened(store)
    node = next(node for node in draft.version.nodes if node.key == "problem")
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        engine.save_answer(
            draft.evaluation.id,
            Answer(criterion_id=node.id, scale_level_id=_level(draft.version, "Meets"), rationale="why"),
        )
        await keys(pilot, "S")
        assert app.screen is app.form
        assert "Answered in another session since you opened this: 1 The problem" in app.notices[-1]
        await keys(pilot, "S")
        assert app.screen is not app.form
        await pilot.pause(READING_TIME)

        def dropped(evaluation_id: str) -> None:
            raise StoreDroppedError("The connection was lost.")

        monkeypatch.setattr(engine, "submit", dropped)
        await keys(pilot, "home enter")
        assert app.screen is app.form
        assert app.notices[-1].startswith("NOT SAVED: it is not submitted")
    assert engine.evaluation(draft.evaluation.id).evaluation.status is EvaluationStatus.DRAFT
    engine.close()


async def test_a_result_is_corrected_or_withdrawn_from_where_it_is_read(store: Path) -> None:
    engine, draft = opened(store)
    node = next(node for node in draft.version.nodes if node.key == "problem")
    engine.save_answer(
        draft.evaluation.id,
        Answer(criterion_id=node.id, scale_level_id=_level(draft.version, "Meets"), rationale="why"),
    )
    detail = engine.submit(draft.evaluation.id)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        app.push_screen(ResultScreen(engine, detail))
        await pilot.pause()
        await keys(pilot, "s")
        form = app.screen
        assert "correction" in screen_text(app)
        assert "●3 Meets" in screen_text(app)
        await keys(pilot, "1 S")
        await pilot.pause(READING_TIME)
        await keys(pilot, "S home enter")
        assert form is not app.screen
        assert "Incomplete: 25% of the applicable criteria are answered" in words(app)
        assert "✗ " in screen_text(app)
        await keys(pilot, "w enter enter")
        assert "Withdrawn (Scored the wrong subject)" in words(app)
        await keys(pilot, "s w")
        assert isinstance(app.screen, ResultScreen)
    states = {e.id: e.status for e in engine.evaluations(subject="Subject/wells")}
    assert states[detail.evaluation.id] is EvaluationStatus.SUPERSEDED
    assert EvaluationStatus.WITHDRAWN in states.values()
    engine.close()


@pytest.mark.parametrize("size", [(120, 40), (34, 9), (12, 4)])
async def test_hostile_text_is_inert_and_aligned_at_any_size(store: Path, size: tuple[int, int]) -> None:
    engine, draft = opened(store, "hostile")
    app = FormHost(engine, draft)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await keys(pilot, "tab" if size[0] >= 110 else "")
        await keys(pilot, "m q s escape tab 2 j q s escape r escape e escape tab")
        shown = screen_text(app)
        assert shown.replace("\n", "").isprintable()
        if size[0] >= 80:
            assert "␛]0;owned␇" in shown
            assert "[bold]not bold[/bold]" in shown
            assert "[@click=app.quit]" in shown
        for strip in app.screen._compositor.render_strips():
            assert strip.cell_length == size[0]
            assert cell_len(strip.text) == size[0]
    engine.close()


async def test_keys_that_arrive_together_act_in_the_order_they_were_typed(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab")
        # As one packet over a slow line: nothing waits for the key before it.
        for key in ("2", "j", "3", "j", "8", "enter", "j", "7", "5", "enter", "k", "k", "r", *"n2S"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.focused is not None and getattr(app.focused, "text", "") == "n2S")
        await keys(pilot, "escape")
        given = answers(engine, draft.evaluation.id)
        assert given["problem"].scale_level_id == _level(draft.version, "Partial")
        assert given["people"].scale_level_id == _level(draft.version, "Meets")
        assert given["people"].rationale == "n2S"
        assert given["steps"].scale_level_id == _level(draft.version, "8")
        assert given["budget"].raw_value == 75
        for key in ("1", "u", "S"):
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: app.screen is not app.form)
        await pilot.pause()
        assert answers(engine, draft.evaluation.id)["people"].scale_level_id == _level(draft.version, "Meets")
    engine.close()


def burst(app: FormHost, typed: str) -> None:
    """Keys as one packet over a slow line: nothing waits for the key before it."""
    for key in typed.split():
        app.post_message(events.Key(key, key if len(key) == 1 else None))


def status(engine: Engine, evaluation_id: str) -> EvaluationStatus:
    return engine.evaluation(evaluation_id).evaluation.status


@pytest.mark.parametrize("typed", ["S S", "S y", "S enter", "S home enter", "S S enter enter"])
async def test_nothing_typed_in_one_go_with_the_key_confirms_submitting(store: Path, typed: str) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        for key, label in (("steps", "7"), ("style", "Meets")):
            node = next(node for node in draft.version.nodes if node.key == key)
            app.form._change(Answer(criterion_id=node.id, scale_level_id=_level(draft.version, label)))
        burst(app, typed)
        await pilot.pause(READING_TIME)
        assert status(engine, draft.evaluation.id) is EvaluationStatus.DRAFT
    engine.close()


async def test_with_criteria_left_open_the_cursor_begins_there_and_submitting_is_another_row(
    store: Path,
) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab j j 7 enter S")
        await pilot.pause(READING_TIME)
        assert "Submit now, with 4 unanswered" in screen_text(app)
        await keys(pilot, "S y")
        assert isinstance(app.screen, SubmitScreen)
        assert app.screen.current is not None
        assert app.screen.current.id == "u:problem"
        await keys(pilot, "enter")
        assert app.screen is app.form
        assert app.form.criteria.current is not None
        assert app.form.criteria.current.key == "problem"
        await keys(pilot, "S")
        await pilot.pause(READING_TIME)
        await keys(pilot, "k enter")
        assert isinstance(app.screen, ResultScreen)
        assert status(engine, draft.evaluation.id) is EvaluationStatus.SUBMITTED
    engine.close()


def stored_rationale(engine: Engine, evaluation_id: str, key: str) -> str:
    found = answers(engine, evaluation_id).get(key)
    return (found.rationale if found else "") or ""


async def test_who_types_without_a_pause_loses_at_most_the_last_key(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab r")
        for count, letter in enumerate("neverpausing", 1):
            await pilot.press(letter)
            assert len(stored_rationale(engine, draft.evaluation.id, "problem")) >= count - 1
        await keys(pilot, "escape u")
        assert stored_rationale(engine, draft.evaluation.id, "problem") == ""
    engine.close()


async def test_a_store_across_a_network_has_it_soon_after_the_first_key(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.screens.scoring_writing.SLOW_STORE_WAIT", 0.2)
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        app.form._is_local = False
        await keys(pilot, "tab r a")
        assert stored_rationale(engine, draft.evaluation.id, "problem") == ""
        assert header(app).mark == "saving"
        for _ in range(8):
            await pilot.press("a")
            await pilot.pause(0.05)
        assert stored_rationale(engine, draft.evaluation.id, "problem")
    engine.close()


def resumed(store: Path) -> tuple[Engine, FormHost]:
    """A form that opens on the criteria, because one of them is answered."""
    engine, draft = opened(store)
    node = next(node for node in draft.version.nodes if node.key == "people")
    text = draft.subject.text
    quote = "We ask for 40,000 and bring 12,000 ourselves."
    item = Evidence(
        kind=EvidenceKind.QUOTE,
        text=quote,
        source="text",
        start=text.index(quote),
        end=text.index(quote) + len(quote),
    )
    given = Answer(criterion_id=node.id, scale_level_id=_level(draft.version, "Meets"), evidence=(item,))
    engine.save_answer(draft.evaluation.id, given, cursor="people")
    return engine, FormHost(engine, engine.draft(draft.evaluation.id))


@pytest.mark.parametrize("together", [False, True])
async def test_the_first_key_quotes_in_a_subject_that_was_not_shown_yet(store: Path, together: bool) -> None:
    engine, app = resumed(store)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        if together:
            burst(app, "q s enter")
        else:
            await keys(pilot, "q")
            assert "Quote: space selects" in screen_text(app)
            await keys(pilot, "s enter")
        await until(
            pilot, lambda: len(answers(engine, app.form.session.evaluation_id)["people"].evidence) == 2
        )
    engine.close()


async def test_a_quote_is_shown_in_a_subject_that_was_not_shown_yet(store: Path) -> None:
    engine, app = resumed(store)
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.pause()
        await keys(pilot, "e enter")
        assert app.notices == []
        assert "We ask for 40,000" in words(app)
    engine.close()


async def test_esc_in_a_text_field_of_the_evidence_goes_back_to_the_evidence(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, 'tab e l "not_yet"')
        assert "⏎DoneEscCancel" in words(app)
        await keys(pilot, "escape")
        assert "Evidence · 1 The problem" in screen_text(app)
        assert "not yet" not in screen_text(app)
        await keys(pilot, 't "seen" enter')
        assert [item.text for item in answers(engine, draft.evaluation.id)["problem"].evidence] == ["seen"]
        await keys(pilot, "escape")
        assert "Evidence · 1 The problem" not in screen_text(app)
    engine.close()


async def test_a_phrase_is_set_apart_and_enter_is_offered_only_when_there_is_one(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, 'tab r "Clear." ctrl+g')
        assert "⏎" not in screen_text(app)
        await keys(pilot, "a")
        assert "⏎Insert" in words(app)
        await keys(pilot, "enter escape")
        assert answers(engine, draft.evaluation.id)["problem"].rationale == "Clear. Clear."
        await keys(pilot, "j e")
        assert "⏎" not in screen_text(app)
    engine.close()


@pytest.mark.parametrize("typed", ["2", "n", "3 2 1"])
async def test_on_a_narrow_terminal_an_answer_key_on_the_subject_only_shows_the_criteria(
    store: Path, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "READING_TIME", 3600)
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        burst(app, typed)
        await until(pilot, lambda: app.focused is app.form.criteria)
        await pilot.pause()
        assert "1 Miss" in words(app)
        assert app.notices == ["Pick with the key beside a level."]
        await keys(pilot, typed)
        assert answers(engine, draft.evaluation.id) == {}
    engine.close()


async def test_criteria_that_a_key_has_shown_are_answered_once_they_could_be_read(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "READING_TIME", 0.01)
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await keys(pilot, "2")
        assert answers(engine, draft.evaluation.id) == {}
        await pilot.pause(0.05)
        await keys(pilot, "2")
        assert answers(engine, draft.evaluation.id)["problem"].is_answered
    engine.close()


async def test_beside_the_criteria_an_answer_key_on_the_subject_answers(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "tab 2")
        assert app.focused is app.form.criteria
        assert answers(engine, draft.evaluation.id)["problem"].scale_level_id == _level(
            draft.version, "Partial"
        )
        await keys(pilot, "j tab n")
        assert app.focused is app.form.criteria
        assert answers(engine, draft.evaluation.id)["people"].is_not_applicable
        # After a search n is the next match, and while quoting no key answers.
        await keys(pilot, 'tab / "wells" enter n')
        assert app.focused is app.form.subject
        await keys(pilot, "q 1 escape")
        assert answers(engine, draft.evaluation.id)["people"].is_not_applicable
    engine.close()


async def test_the_way_from_the_subject_to_the_criteria_is_in_the_footer_of_a_small_terminal(
    store: Path,
) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert "TabCriteria" in words(app)
    engine.close()


async def test_a_number_that_is_not_settled_is_not_called_saved(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab j j j 8")
        assert header(app).mark == "typing"
        await keys(pilot, "escape")
        assert header(app).mark == "saved ✓"
        await keys(pilot, "8 0")
        assert header(app).mark == "typing"
        await keys(pilot, "enter")
        assert header(app).mark == "saved ✓"
        assert answers(engine, draft.evaluation.id)["budget"].raw_value == 80
        await keys(pilot, "k 1")
        assert header(app).mark == "typing"
        await keys(pilot, "enter")
        assert header(app).mark == "saved ✓"
    engine.close()


async def test_a_digit_that_waits_for_a_second_is_taken_when_she_moves_on(store: Path) -> None:
    engine, draft = opened(store)
    app = FormHost(engine, draft)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.pause()
        await keys(pilot, "tab j j 1 j")
        await pilot.pause()
        stored = answers(engine, draft.evaluation.id)
        level = next(level for scale in draft.version.scales for level in scale.levels if level.label == "1")
        assert stored["steps"].scale_level_id == level.id
