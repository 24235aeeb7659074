"""Running a model-based evaluator against the local server, without a store."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from judging_world import CONTENT, version
from openai_server import Server, serving

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.prompt_records import Prompt, PromptRun
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator, SubjectContent
from rubrictui.evaluators.config import AIConfig, ModelConfig, ProviderConfig, Secret
from rubrictui.evaluators.models import ModelAccess
from rubrictui.evaluators.prompting import PromptBook
from rubrictui.evaluators.prompting_rendered import Rendered
from rubrictui.evaluators.prompting_service import Surroundings, build_services
from rubrictui.evaluators.settings import settings_from

KEY = "sk-not-to-be-seen-42"


class Kept:
    """A keeper in memory."""

    def __init__(self, *, use_earlier: bool = False) -> None:
        self.records: list[PromptRun] = []
        self.use_earlier = use_earlier

    async def keep(self, record: PromptRun) -> None:
        self.records.append(record)

    async def earlier(self, cache_key: str) -> PromptRun | None:
        if not self.use_earlier:
            return None
        good = [one for one in self.records if one.cache_key == cache_key and one.error_message is None]
        return good[-1] if good else None


@asynccontextmanager
async def judging(
    evaluator: RubricEvaluator,
    url: str,
    *,
    rubric: VersionSnapshot | None = None,
    content: SubjectContent = CONTENT,
    settings: dict[str, Any] | None = None,
    stored: tuple[Prompt, ...] = (),
    kept: Kept | None = None,
    models: dict[str, ModelConfig] | None = None,
    retries: int = 0,
    concurrency: int = 32,
) -> AsyncIterator[Callable[[], Awaitable[EvaluatorRun]]]:
    """What runs the evaluator once, over connections that all its runs share."""
    numbers = itertools.count(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    provider = ProviderConfig(
        base_url=url, api_key=Secret(KEY), timeout=5, retries=retries, concurrency=concurrency
    )
    config = AIConfig(default_model="judge", providers={"openai": provider}, models=models or {})
    by_name = {one.name.casefold(): one for one in stored}
    access = ModelAccess(lambda: config)
    around = Surroundings(
        book=PromptBook(lambda ref: by_name.get((ref.name or "").casefold())),
        access=access,
        evaluator_name=evaluator.name,
        clock=lambda: start + timedelta(seconds=next(numbers)),
        new_id=lambda: f"run-{next(numbers)}",
        texts=Rendered(),
        keeper=kept or Kept(),
    )
    context = EvaluatorContext(
        version=rubric or version(),
        content=content,
        settings=settings_from(settings),
        services=build_services(around),
    )
    try:
        yield lambda: evaluator.evaluate(context)
    finally:
        await access.aclose()


async def judged(evaluator: RubricEvaluator, url: str, **more: Any) -> EvaluatorRun:
    async with judging(evaluator, url, **more) as once:
        return await once()


def judge(evaluator: RubricEvaluator, script: Any, **more: Any) -> tuple[EvaluatorRun, Server]:
    with serving(script) as server:
        return asyncio.run(judged(evaluator, server.url, **more)), server


def labels(run: EvaluatorRun, rubric: VersionSnapshot | None = None) -> dict[str, str | float | None]:
    """Each answer by key, as people say it."""
    nodes = {node.id: node.key for node in (rubric or version()).nodes}
    return {
        nodes[answer.criterion_id]: "N/A"
        if answer.is_not_applicable
        else answer.scale_level_id.removeprefix("l-").title()
        if answer.scale_level_id
        else answer.raw_value
        for answer in run.answers
    }
