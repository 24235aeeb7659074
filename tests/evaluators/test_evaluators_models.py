"""Calling models over a real socket: retries, models that stand in, limits, costs, and keys that never show."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Say, Server, in_turn, serving

from rubrictui.core.errors import InvalidInputError
from rubrictui.evaluators.config import (
    AIConfig,
    ModelConfig,
    NoModelError,
    ProviderConfig,
    Secret,
    load_config,
    redacted,
    resolve,
)
from rubrictui.evaluators.model_faults import ModelCallError
from rubrictui.evaluators.models import CallReply, CallRequest, ModelAccess, Turn

KEY = "sk-very-secret-0123456789"
REQUEST = CallRequest("You judge.", (Turn("user", "The work."),))


def config(url: str, *, model: ModelConfig | None = None, **provider: Any) -> AIConfig:
    made = ProviderConfig(base_url=url, api_key=Secret(KEY), **({"timeout": 5.0, "retries": 2} | provider))
    return AIConfig(providers={"openai": made}, models={"judge": model or ModelConfig()})


def run(
    given: AIConfig,
    request: CallRequest = REQUEST,
    *,
    then: Callable[[ModelAccess], Awaitable[Any]] | None = None,
) -> tuple[Any, list[float]]:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    async def work() -> Any:
        access = ModelAccess(lambda: given, sleep=wait)
        try:
            if then is not None:
                return await then(access)
            return await access.call(access.resolve("judge"), request)
        finally:
            await access.aclose()

    return asyncio.run(work()), waits


def reply_of(script: Any, **more: Any) -> tuple[CallReply, list[float], Server]:
    with serving(script) as server:
        found, waits = run(config(server.url, **more))
    return found, waits, server


def failure(script: Any, **more: Any) -> tuple[str, Server]:
    with serving(script) as server, pytest.raises(ModelCallError) as caught:
        run(config(server.url, **more))
    shown = str(caught.value) + "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert "\n" not in str(caught.value)
    return str(caught.value), server


def test_the_system_message_and_the_subject_are_two_messages_and_the_reply_comes_with_its_usage() -> None:
    found, waits, server = reply_of("Fine.")
    assert (found.text, found.input_tokens, found.output_tokens) == ("Fine.", 100, 20)
    sent = server.requests[0]
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (server.system(), server.user()) == ("You judge.", "The work.")
    assert sent["model"] == "judge"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert waits == []


def test_a_reply_can_be_streamed() -> None:
    found, _, server = reply_of("A longer reply, in pieces.", stream=True)
    assert found.text == "A longer reply, in pieces."
    assert server.requests[0]["stream"] is True
    assert found.output_tokens == 20


def test_an_earlier_reply_is_sent_back_as_what_the_model_said() -> None:
    turns = (Turn("user", "w"), Turn("assistant", "hm"), Turn("user", "again"))
    with serving("ok") as server:
        run(config(server.url), CallRequest("s", turns))
    roles = [message["role"] for message in server.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_server_that_is_busy_is_asked_again_after_the_time_it_names() -> None:
    busy = Say(status=429, headers={"retry-after": "7"})
    found, waits, server = reply_of(in_turn(busy, Say(status=500), "Fine."))
    assert (found.text, found.attempts, len(server.requests)) == ("Fine.", 3, 3)
    assert waits[0] == 7
    assert 0.7 <= waits[1] <= 1.0


def test_a_connection_that_breaks_off_is_tried_again() -> None:
    found, _, _ = reply_of(in_turn(Say("lost", cut=20), "Fine."))
    assert found.attempts == 2


@pytest.mark.parametrize(
    ("script", "says", "asked"),
    [
        (Say(status=401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}}), "refused the key", 1),
        (Say(status=400, body={"error": {"message": f"bad {KEY}\nrequest"}}), "(400): bad *** request", 1),
        (Say(status=404, body={"error": {"message": "no such model"}}), "is not there (404)", 1),
        (Say(status=429), "limit of calls (429) (tried 3 times)", 3),
        (Say(status=429, headers={"retry-after": "3600"}), "limit of calls", 1),
        (Say(status=503), "failed on its side (503)", 3),
        (Say(raw=b"<html><body>Welcome</body></html>", headers={"content-type": "text/html"}), "no chat completion", 1),
        (Say(raw=b'{"choices": [{"mess'), "cut off or no JSON", 3),
        (Say(raw=b'{"hello": 1}'), "", 1),
        (Say(raw=b"[]"), "", 1),
        (Say("x", size=40_000_000), "longer than 8 MB", 1),
    ],
    ids=["key", "bad", "model", "busy", "busy-long", "down", "html", "half-json", "other-json", "list", "40MB"],
)  # fmt: skip
def test_what_a_server_does_wrong_is_told_in_one_line_without_the_key(
    script: Say, says: str, asked: int
) -> None:
    message, server = failure(script)
    assert says in message
    assert len(server.requests) == asked


def test_a_server_that_never_answers_is_given_up_in_time() -> None:
    began = time.monotonic()
    message, _ = failure(Say("late", delay=30), timeout=0.3, retries=0)
    assert "did not answer within 0.3 seconds" in message
    assert time.monotonic() - began < 10


def test_a_name_that_does_not_resolve_and_a_port_where_nobody_listens_are_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/v1", "http://judge.invalid/v1"):
        with pytest.raises(ModelCallError, match="cannot be reached") as caught:
            run(config(url, retries=0))
        assert url in str(caught.value)
        assert "[Errno " in str(caught.value)


def test_a_password_in_the_address_is_not_shown() -> None:
    with pytest.raises(ModelCallError) as caught:
        run(config("http://me:hunter2@judge.invalid/v1?token=abc", retries=0))
    assert "hunter2" not in str(caught.value)
    assert "abc" not in str(caught.value)


def test_a_key_that_comes_back_in_a_reply_is_taken_out() -> None:
    found, _, _ = reply_of(f"Your key is {KEY}!")
    assert found.text == "Your key is ***!"


def test_no_more_calls_run_at_one_time_than_the_limit_says() -> None:
    async def many(access: ModelAccess) -> list[CallReply]:
        model = access.resolve("judge")
        return list(await asyncio.gather(*(access.call(model, REQUEST) for _ in range(12))))

    with serving(Say("ok", delay=0.05)) as server:
        found, _ = run(config(server.url, concurrency=3), then=many)
    assert len(found) == 12
    assert server.most_running == 3


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        (ModelConfig(), None),
        (ModelConfig(input_price=2.0, output_price=10.0), 0.0004),
        (ModelConfig(name="gpt-4o"), None),
    ],
    ids=["unknown", "configured", "a-name-on-another-server"],
)
def test_a_cost_is_told_only_where_the_price_is_known(model: ModelConfig, cost: float | None) -> None:
    found, _, _ = reply_of("ok", model=model)
    assert found.cost == (None if cost is None else pytest.approx(cost))


def test_a_reply_without_usage_has_none() -> None:
    found, _, _ = reply_of(Say("ok", usage=None))
    assert (found.input_tokens, found.output_tokens, found.cost) == (None, None, None)


def test_probabilities_of_the_first_token_are_asked_for_and_read() -> None:
    with serving(Say("B", chances={"A": 0.25, "B": 0.5})) as server:
        found, _ = run(config(server.url), REQUEST._replace(chances=5))
    assert {one.token: round(2.718281828**one.logprob, 3) for one in found.chances} == {"A": 0.25, "B": 0.5}
    sent = server.requests[0]
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 5)
    assert 1 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))


# -- the configuration -----------------------------------------------------------------------------------


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "ai.toml"
    file.write_text(text)
    return file


FILE = """
default_model = "judge"
[providers.local]
base_url = "http://localhost:1/v1"
api_key_env = "LOCAL_KEY"
[models.judge]
provider = "local"
name = "big"
fallback = ["openai:small"]
context_characters = 5000
"""


def test_a_model_is_found_by_its_own_name_by_its_provider_and_by_a_bare_name(tmp_path: Path) -> None:
    environment = {"LOCAL_KEY": "k1", "RUBRICTUI_AI_KEY": "k2", "RUBRICTUI_AI_BASE_URL": "http://x/v1"}
    loaded = load_config(written(tmp_path, FILE), environment)
    named = resolve(loaded, None, environment)
    assert (named.name, named.provider.base_url, named.key, named.budget) == (
        "big",
        "http://localhost:1/v1",
        Secret("k1"),
        5000,
    )
    by_provider = resolve(loaded, "local:other", environment)
    assert (by_provider.name, by_provider.key) == ("other", Secret("k1"))
    for model_id, name in (("openai:small", "small"), ("small", "small"), ("llama3:8b", "llama3:8b")):
        bare = resolve(loaded, model_id, environment)
        assert (bare.name, bare.provider.base_url, bare.key) == (name, "http://x/v1", Secret("k2"))


def test_the_environment_is_enough_and_goes_before_the_file(tmp_path: Path) -> None:
    environment = {"RUBRICTUI_AI_MODEL": "m", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://o/v1"}
    found = resolve(load_config(tmp_path / "none.toml", environment), None, environment)
    assert (found.id, found.provider.base_url, found.key) == ("m", "http://o/v1", Secret("k"))
    over = load_config(written(tmp_path, FILE), {"RUBRICTUI_AI_MODEL": "m"})
    assert over.default_model == "m"


def test_no_model_and_no_key_are_told_with_what_to_set() -> None:
    with pytest.raises(NoModelError, match="RUBRICTUI_AI_MODEL"):
        resolve(AIConfig(), None, {})
    with pytest.raises(NoModelError, match="RUBRICTUI_AI_KEY"):
        resolve(AIConfig(), "gpt-x", {})
    with pytest.raises(NoModelError, match="ANTHROPIC_API_KEY"):
        resolve(AIConfig(), "anthropic:claude-x", {"RUBRICTUI_AI_KEY": "k"})


@pytest.mark.parametrize(
    "text",
    [
        f'api_key = "{KEY}"',
        f'[providers.x]\napi_key = "{KEY}"\ntimeout = "long"',
        f'[providers.x]\napi_key = "{KEY}\n',
        f'[providers.x]\napi_key = "{KEY}"\nretries = -1',
        f'[providers.x]\napi_key = ["{KEY}"]',
    ],
)
def test_a_configuration_that_is_wrong_is_told_without_its_content(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"ai\.toml") as caught:
        load_config(written(tmp_path, text), {})
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_keys_do_not_show_themselves() -> None:
    assert KEY not in repr(config("http://x"))
    assert KEY not in f"{Secret(KEY)!s} {Secret(KEY)!r}"
    assert redacted(f"a {KEY} b", [Secret(KEY), None, Secret("b")]) == "a *** b"


def test_importing_the_program_and_its_judges_imports_no_client_of_models() -> None:
    code = (
        "import sys, rubrictui, rubrictui.engine, rubrictui.evaluators.models, rubrictui.evaluators.config\n"
        "from rubrictui.cli._frame import build_parser\n"
        "build_parser()\n"
        "heavy = [name for name in ('pydantic_ai', 'openai', 'anthropic', 'jinja2', 'httpx2') if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
