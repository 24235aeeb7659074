"""How the form and its questions look, at 80x24 and 120x40."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from form_host import START, FormHost, Template, keys, opened
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.core.model import Answer, Evidence, EvidenceKind
from rubrictui.core.records import Draft, EvaluationStatus, EvaluatorType, PastAnswer
from rubrictui.engine import Engine
from rubrictui.screens.result import ResultScreen
from rubrictui.screens.scoring_reason import DECLINE_REASONS, ReasonScreen
from rubrictui.screens.scoring_submit import SubmitScreen
from rubrictui.screens.scoring_words import ConflictScreen, PastAnswersScreen, PhrasesScreen

SMALL, LARGE = (80, 24), (120, 40)
Question = Callable[[Engine, Draft], Screen[Any]]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return Template(tmp_path_factory.mktemp("snapshots"))


@pytest.fixture
def store(template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")
    return template.copy(tmp_path)


def answer(draft: Draft, key: str, label: str = "", **values: Any) -> Answer:
    node = next(node for node in draft.version.nodes if node.key == key)
    levels = {level.label: level.id for scale in draft.version.scales for level in scale.levels}
    return Answer(criterion_id=node.id, scale_level_id=levels.get(label), **values)


def score(engine: Engine, draft: Draft, *, whole: bool) -> None:
    """Some answers, or all that submitting takes."""
    quote = "In the dry months two of them fail."
    start = draft.subject.text.index(quote)
    given = [
        answer(
            draft, "problem", "Partial", rationale="Two of three wells fail, which is shown; for whom is not."
        ),
        answer(draft, "people", "Meets"),
        answer(draft, "steps", "7"),
    ]
    if whole:
        evidence = Evidence(
            kind=EvidenceKind.QUOTE, text=quote, source="text", start=start, end=start + len(quote)
        )
        given[1] = answer(draft, "people", "Meets", evidence=(evidence,))
        given += [answer(draft, "budget", raw_value=85.0)]
    for each in given:
        engine.save_answer(draft.evaluation.id, each)


FORM = {
    "criteria": (SMALL, 'tab 2 r "Shown_for_some" escape f j 3 k'),
    "criteria_wide": (LARGE, "2 j 3 g"),
    "rationale": (SMALL, 'tab 2 r "The_wells_fail_in_June.'),
    "evidence_wide": (LARGE, 'j 3 e q j s enter t "seen_on_site" enter'),
    "quote": (SMALL, "q j j s"),
    "number": (SMALL, "tab end k 8 3"),
    "not_allowed": (SMALL, "tab n"),
    "search": (SMALL, '/ "wells" enter n'),
}


@pytest.mark.parametrize("name", FORM)
def test_the_form(name: str, store: Path, snap_compare: Any) -> None:
    size, typed = FORM[name]
    engine, draft = opened(store)

    async def drive(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await keys(pilot, typed)
        await pilot.pause(0.4)

    assert snap_compare(FormHost(engine, draft), terminal_size=size, run_before=drive)
    engine.close()


def test_hostile_text(store: Path, snap_compare: Any) -> None:
    engine, draft = opened(store, "hostile")
    assert snap_compare(FormHost(engine, draft), terminal_size=SMALL)
    engine.close()


def submit_missing(engine: Engine, draft: Draft) -> Screen[Any]:
    score(engine, draft, whole=False)
    return SubmitScreen("Submit · Wells for Tarn Valley", engine.preview(draft.evaluation.id), draft.version)


def submit_ready(engine: Engine, draft: Draft) -> Screen[Any]:
    score(engine, draft, whole=True)
    return SubmitScreen("Submit · Wells for Tarn Valley", engine.preview(draft.evaluation.id), draft.version)


def result(engine: Engine, draft: Draft) -> Screen[Any]:
    score(engine, draft, whole=True)
    return ResultScreen(engine, engine.submit(draft.evaluation.id))


def result_with_record(engine: Engine, draft: Draft) -> Screen[Any]:
    """A result by the rules of a matter, whose own score stands beside that of the criteria."""
    score(engine, draft, whole=True)
    detail = engine.submit(draft.evaluation.id)
    own = {"NormalizedScore": 0.25, "RawScore": 23.6667, "MaximumScore": 28.5, "PenaltyPoints": -0.6}
    record = {"Evaluator": {"Matter": {**own, "CriticalFailure": True, "Cap": 0.25}}}
    by_rules = replace(
        detail.evaluation,
        evaluator_type=EvaluatorType.DETERMINISTIC,
        evaluator_name="Matter",
        metadata=record,
    )
    return ResultScreen(engine, replace(detail, evaluation=by_rules))


def reason(_: Engine, __: Draft) -> Screen[Any]:
    return ReasonScreen(
        "Decline · Wells", "Declining gives this submission back.", DECLINE_REASONS, "declines"
    )


def phrases(engine: Engine, _: Draft) -> Screen[Any]:
    engine.add_phrase("Well shown, with figures and their source.")
    engine.add_phrase("The steps are there; who takes them is not. " * 4, "problem")
    return PhrasesScreen(engine, "problem", "what I am writing")


def past(_: Engine, draft: Draft) -> Screen[Any]:
    found = [
        PastAnswer(
            evaluation_id=str(n),
            subject_title=title,
            status=EvaluationStatus.SUBMITTED,
            at=START,
            answer=answer(draft, "problem", label, rationale=f"Why {label.lower()}: " + "words " * 30),
        )
        for n, (title, label) in enumerate((("A roof for the school", "Meets"), ("Books", "Miss")))
    ]
    return PastAnswersScreen(
        "Your earlier answers · 1 The problem", found, draft.version, lambda _: "2027-03-01"
    )


def conflict(_: Engine, draft: Draft) -> Screen[Any]:
    mine = answer(draft, "problem", "Meets", rationale="Typed here.")
    return ConflictScreen(
        "Answered twice: 1 The problem", mine, answer(draft, "problem", "Miss"), draft.version
    )


QUESTIONS: dict[str, Question] = {
    "submit_missing": submit_missing,
    "submit_ready": submit_ready,
    "result": result,
    "result_with_record": result_with_record,
    "reason": reason,
    "phrases": phrases,
    "past": past,
    "conflict": conflict,
}


SIZES = {"80x24": SMALL, "120x40": LARGE}
ONE_SIZE = {"result_with_record": "80x24"}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(name, SIZES[size], id=f"{name}-{size}")
        for size in SIZES
        for name in QUESTIONS
        if ONE_SIZE.get(name, size) == size
    ],
)
def test_questions_and_results(name: str, size: tuple[int, int], store: Path, snap_compare: Any) -> None:
    engine, draft = opened(store)
    screen = QUESTIONS[name](engine, draft)

    async def drive(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await pilot.app.push_screen(screen)
        await pilot.pause(0.1)

    assert snap_compare(FormHost(engine, draft), terminal_size=size, run_before=drive)
    engine.close()
