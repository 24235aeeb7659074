"""The Agent evaluator: it reads with two tools, within its limits, and its last message is checked like any reply."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest
from judging_services import KEY, Kept, judge, judging, labels
from judging_world import CONTENT, decisions, evidence_version
from openai_server import Say, in_turn, serving

from rubrictui.evaluators.agent import AgentEvaluator
from rubrictui.evaluators.agent_tools import Pages, Tools
from rubrictui.evaluators.config import ModelConfig
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.model_faults import ModelCallError

GUIDE = decisions(accuracy="Partial", sourcing="Meets", completeness="Meets")
READ = (Say(calls=[("get_rubric", {})]), Say(calls=[("get_subject", {})]))


def run(script: Any, **more: Any) -> Any:
    return judge(AgentEvaluator(), script, **more)


def results(server: Any, number: int = -1) -> list[str]:
    return [
        message["content"] for message in server.requests[number]["messages"] if message["role"] == "tool"
    ]


def test_the_agent_reads_rubric_and_subject_and_answers() -> None:
    kept = Kept()
    found, server = run(in_turn(*READ, GUIDE), kept=kept)
    assert found.result.normalized_score == 0.833333
    assert found.agent_run_id == kept.records[0].id
    assert found.prompt_run_ids == ()
    rubric, subject = results(server)
    assert "Key: `accuracy`" in rubric
    assert CONTENT.text in subject
    assert subject.splitlines()[-1].startswith("</rubric-subject ")
    assert found.metadata["InputTokens"] == 300
    assert found.metadata["SystemPrompt"]["Name"] == "Rubric Evaluation Agent"


def test_it_has_no_other_tools() -> None:
    _, server = run(in_turn(*READ, GUIDE))
    assert {tool["function"]["name"] for tool in server.requests[0]["tools"]} == {"get_rubric", "get_subject"}


def test_a_subject_of_two_megabytes_is_searched_and_read_by_page() -> None:
    text = "\n".join(f"line {number} of the long report" for number in range(70_000)) + "\nthe needle is here"
    content = msgspec.structs.replace(CONTENT, text=text)
    script = in_turn(
        Say(calls=[("get_subject", {"search": "NEEDLE"})]),
        Say(calls=[("get_subject", {"page": 2})]),
        Say(calls=[("get_subject", {"page": 9999})]),
        decisions(accuracy={"chosen": "Meets", "evidence": ["the needle is here"]}, sourcing="Miss"),
    )
    found, server = run(script, content=content, rubric=evidence_version())
    hits, page, nothing = results(server)
    assert hits.startswith("1 found.")
    assert "the needle is here" in hits
    assert page.startswith("Page 2 of ")
    assert "There is no page 9999" in nothing
    assert max(len(message) for message in results(server)) < 20_000
    assert labels(found, evidence_version()) == {"accuracy": "Meets", "sourcing": "Miss"}


def test_a_last_message_that_cannot_be_used_is_sent_back_once() -> None:
    found, server = run(in_turn(*READ, "I am done.", GUIDE))
    assert found.result.normalized_score == 0.833333
    assert "JSON" in json.dumps(server.requests[-1]["messages"][-1])
    with pytest.raises(EvaluatorError, match="holds no answer"):
        run(in_turn(*READ, "I am done."))


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"Steps": 3}, "3 steps"), ({"Tokens": 250}, "250 tokens"), ({"Steps": 0}, "whole numbers")],
)
def test_limits_end_the_loop(limits: dict[str, int], words: str) -> None:
    kept = Kept()
    with pytest.raises(EvaluatorError, match=words):
        run(Say(calls=[("get_subject", {})]), settings={"Extensions": {"Agent": limits}}, kept=kept)
    if kept.records:
        assert words in (kept.records[0].error_message or "")
        assert any(message["role"] == "tool" for message in kept.records[0].messages)


def test_a_server_that_refuses_is_told_and_kept_without_the_key() -> None:
    kept = Kept()
    with pytest.raises(ModelCallError, match="refused the key"):
        run(Say(status=401, body={"error": {"message": KEY}}), kept=kept)
    assert KEY not in repr(kept.records)


def test_pages_cover_the_text_and_end_at_lines() -> None:
    text = "".join(f"{number:05d}\n" for number in range(5000))
    pages = Pages(text, 1000)
    assert "".join(pages.page(number) for number in range(1, len(pages) + 1)) == text
    assert all(pages.page(number).endswith("\n") for number in range(1, len(pages) + 1))
    count, hits = pages.find("04999")
    assert (count, hits[0][0]) == (1, len(pages))
    assert len(Pages("")) == 1


def test_many_hits_are_counted_and_the_first_are_shown() -> None:
    found = Tools("r", "ab " * 1000).get_subject(search="AB")
    assert found.startswith("1000 found; the first 20 are shown.")
    assert Tools("r", "x").get_subject(search="zebra") == "0 found."


def test_another_model_takes_over_when_the_first_fails_and_both_runs_are_kept() -> None:
    def script(body: dict[str, Any], number: int) -> Say:
        if body["model"] == "first":
            return Say(status=401, body={"error": {"message": "no"}})
        return READ[0] if body["messages"][-1]["role"] == "user" else Say(GUIDE)

    kept = Kept()
    models = {"judge": ModelConfig(name="first", fallback=("second",))}
    found, _ = run(script, kept=kept, models=models)
    assert (found.result.normalized_score, found.model) == (0.833333, "second")
    assert [(one.model, one.error_message is None) for one in kept.records] == [
        ("first", False),
        ("second", True),
    ]
    assert found.agent_run_id == kept.records[1].id


def test_limits_of_its_own_are_no_reason_to_ask_another_model() -> None:
    models = {"judge": ModelConfig(name="first", fallback=("second",))}
    kept = Kept()
    with pytest.raises(EvaluatorError, match="used up its 2 steps"):
        run(READ[1], kept=kept, models=models, settings={"Extensions": {"Agent": {"Steps": 2}}})
    assert [one.model for one in kept.records] == ["first"]


def test_a_call_of_the_loop_is_tried_again_within_the_loop() -> None:
    found, server = run(in_turn(READ[0], Say(status=503), READ[1], GUIDE), retries=1)
    assert found.result.normalized_score == 0.833333
    assert len(server.requests) == 4


def test_agents_side_by_side_keep_to_the_limit_of_calls() -> None:
    def script(body: dict[str, Any], number: int) -> Say:
        is_first = body["messages"][-1]["role"] == "user"
        return Say(calls=[("get_subject", {})], delay=0.03) if is_first else Say(GUIDE, delay=0.03)

    async def all_of(url: str) -> None:
        async with judging(AgentEvaluator(), url, concurrency=2) as one:
            await asyncio.gather(*(one() for _ in range(6)))

    with serving(script) as server:
        asyncio.run(all_of(server.url))
    assert (len(server.requests), server.most_running) == (12, 2)
