"""The Decision evaluator: one token for each criterion, and the probabilities of the levels."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from judging_services import Kept, judge, judged, labels
from judging_world import PERCENT, evidence_version, node, version
from openai_server import Say, serving

from rubrictui.core.model import Level, Scale
from rubrictui.core.prompt_records import Prompt, PromptKind
from rubrictui.evaluators.decision import DecisionEvaluator
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.models import TokenChance
from rubrictui.evaluators.prompting_service import option_shares


def run(script: Any, **more: Any) -> Any:
    return judge(DecisionEvaluator(), script, **more)


def by_key(**chances: dict[str, float]) -> Any:
    def script(body: dict[str, Any], number: int) -> Say:
        system = body["messages"][0]["content"]
        key = next(key for key in chances if f"`{key}`" in system)
        return Say(max(chances[key], key=chances[key].__getitem__), chances=chances[key], delay=0.1)

    return script


MIXED = by_key(
    accuracy={"B": 0.45, "A": 0.05, " C": 0.1, "Well": 0.4},
    sourcing={"C": 0.9, "c": 0.05, "A": 0.05},
    completeness={"A": 0.5, "C": 0.5},
)


def test_the_likeliest_level_counts_with_its_renormalised_probability() -> None:
    found, server = run(MIXED)
    assert labels(found) == {"accuracy": "Partial", "sourcing": "Meets", "completeness": "Miss"}
    first = found.answers[0]
    assert first.confidence == pytest.approx(0.75)
    assert first.rationale == "Partial (0.75)"
    told = found.metadata["Decisions"]["accuracy"]
    assert list(told["Probabilities"]) == ["Miss", "Partial", "Meets"]
    assert sum(told["Probabilities"].values()) == pytest.approx(1)
    assert told["OnLevels"] == pytest.approx(0.6)
    assert len(server.requests) == server.most_running == 3


def test_levels_are_put_from_low_to_high_under_letters() -> None:
    _, server = run(MIXED)
    system = next(server.system(n) for n in range(3) if "`accuracy`" in server.system(n))
    assert system.index("A = Miss") < system.index("B = Partial") < system.index("C = Meets")
    assert "right" in system  # an anchor: the criterion is worded as for the LLM evaluator
    assert all(request["logprobs"] and request["top_logprobs"] >= 5 for request in server.requests)


def test_a_rubric_that_needs_evidence_is_refused_before_any_call() -> None:
    with pytest.raises(EvaluatorError, match='"accuracy" needs some'):
        DecisionEvaluator().check(evidence_version(), None)  # type: ignore[arg-type]
    kept = Kept()
    with pytest.raises(EvaluatorError, match="evidence"):
        run(MIXED, rubric=evidence_version(), kept=kept)
    assert kept.records == []


def test_a_criterion_on_a_numeric_scale_is_not_asked_and_listed() -> None:
    rubric = version(nodes=(node("accuracy"), node("share", scale_id=PERCENT.id)))
    found, server = run(MIXED, rubric=rubric)
    assert found.metadata["UnaskedCriteria"] == ["share"]
    assert "numeric" in found.unanswered["share"]
    assert len(server.requests) == 1


def test_more_levels_than_letters_are_not_asked() -> None:
    many = Scale(
        id="s21", levels=tuple(Level(id=f"x{n}", label=f"{n}", normalized_value=n / 20) for n in range(21))
    )
    rubric = version(nodes=(node("accuracy"), node("fine", scale_id="s21")), scales=(*version().scales, many))
    found, _ = run(MIXED, rubric=rubric)
    assert "21 levels" in found.unanswered["fine"]


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (Say("A"), "tells no probabilities"),
        (Say("Hello", chances={"Hello": 0.9, "a": 0.1}), "answered 'Hello'"),
    ],
)
def test_a_model_that_tells_nothing_of_the_levels_fails_the_run(say: Say, words: str) -> None:
    with pytest.raises(EvaluatorError, match=words):
        run(say)


def test_the_decision_prompt_can_be_swapped_and_names_the_model() -> None:
    mine = Prompt(
        name="Brief",
        kind=PromptKind.DECISION,
        template="Q: {{ Question }} {% for o in Options %}{{ o.Code }}/{{ o.Label }} {% endfor %}",
        models=("small",),
    )
    _, server = run(MIXED, settings={"PromptName": "Brief"}, stored=(mine,))
    assert server.system().startswith("Q: ##")
    assert server.requests[0]["model"] == "small"


def test_earlier_probabilities_are_used_again() -> None:
    kept = Kept(use_earlier=True)
    with serving(MIXED) as server:
        first, again = (asyncio.run(judged(DecisionEvaluator(), server.url, kept=kept)) for _ in range(2))
    assert len(server.requests) == 3
    assert [answer.confidence for answer in again.answers] == pytest.approx(
        [answer.confidence for answer in first.answers]
    )


def test_blanks_and_word_marks_around_a_letter_are_set_aside() -> None:
    given = [TokenChance(token=token, logprob=-1.0) for token in ("A", " A", "\u0120A", "\u2581B", "AB", "a")]
    shares = option_shares(given, "AB")
    assert shares is not None
    assert shares[0] == pytest.approx(3 * shares[1])
    assert option_shares((), "AB") is None
