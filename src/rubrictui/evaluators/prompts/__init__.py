"""The prompts that ship with the program: the evaluator's frame, the criterion, the judges, as template files.

A stored prompt of the same name takes a shipped one's place. The names are those of guide section 8.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent

EVALUATOR: Final = "Rubric Evaluator"
DEFAULT_JUDGE: Final = "Rubric Evaluator - Default Judge"
CRITERION: Final = "Rubric Criterion"
DECISION: Final = "Default Decision"
AGENT: Final = "Rubric Evaluation Agent"
JUDGE_PREFIX: Final = "Rubric Judge - "


class ShippedPrompt(NamedTuple):
    """One template file. ``id`` is fixed, so that a selection may name it by id too."""

    id: str
    name: str
    kind: str
    file: str
    description: str

    @property
    def template(self) -> str:
        return _read(self.file)


@cache
def _read(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def _judge(number: int, agent: str, what: str) -> ShippedPrompt:
    file = f"judges/{agent.lower().replace(' ', '-')}.j2"
    return ShippedPrompt(
        f"5b0e2a60-6c1d-4d6f-9a37-0000000001{number:02d}", JUDGE_PREFIX + agent, "judge", file, what
    )


SHIPPED: Final[tuple[ShippedPrompt, ...]] = (
    ShippedPrompt(
        "5b0e2a60-6c1d-4d6f-9a37-000000000001",
        EVALUATOR,
        "evaluator",
        "evaluator.j2",
        "The frame: the subject is not to be trusted, the criteria, the rules, the reply.",
    ),
    ShippedPrompt(
        "5b0e2a60-6c1d-4d6f-9a37-000000000002",
        CRITERION,
        "criterion",
        "criterion.j2",
        "One criterion as text, for models of every kind.",
    ),
    ShippedPrompt(
        "5b0e2a60-6c1d-4d6f-9a37-000000000003",
        DECISION,
        "decision",
        "decision.j2",
        "One question with a letter for each level, for models that tell probabilities.",
    ),
    ShippedPrompt(
        "5b0e2a60-6c1d-4d6f-9a37-000000000004",
        AGENT,
        "agent",
        "agent.j2",
        "What the agent is told that reads rubric and subject by itself.",
    ),
    ShippedPrompt(
        "5b0e2a60-6c1d-4d6f-9a37-000000000100",
        DEFAULT_JUDGE,
        "judge",
        "judges/default.j2",
        "For any kind of work; used when no judge is named.",
    ),
    _judge(1, "Research Agent", "Reports of an agent that used several kinds of sources."),
    _judge(2, "Database Research Agent", "Answers drawn from a database."),
    _judge(3, "Web Research Agent", "Answers gathered on the web."),
    _judge(4, "File Research Agent", "Answers taken from files."),
    _judge(5, "Knowledge Base Research Agent", "Answers from an organisation's own articles."),
    _judge(6, "Research Report Writer", "Reports written up from the findings of others."),
    _judge(7, "Sage", "One turn of the assistant at hand in every conversation."),
    _judge(8, "Query Builder", "Queries written for a question."),
    _judge(9, "Query Strategist", "Plans for getting data."),
    _judge(10, "ActionSmith", "Actions made for a catalog."),
    _judge(11, "SkillSmith", "Skills written for other agents."),
    _judge(12, "Codesmith Agent", "Code written for a stated need."),
    _judge(13, "Database Designer", "Proposed database schemas."),
    _judge(14, "Duplicate Resolution Agent", "Decisions whether records are the same."),
    _judge(15, "Infographic Agent", "Pictures made from data."),
)
