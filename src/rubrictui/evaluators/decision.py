"""The Decision evaluator: a model that tells a probability for each level answers each criterion (guide section 8)."""

from __future__ import annotations

from typing import ClassVar

from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.plan import Leaf
from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators import models
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.llm import call_fields, call_metadata, image_metadata, run_ids
from rubrictui.evaluators.prompting_compose import criterion_ref, judge_ref
from rubrictui.evaluators.prompting_data import leaves, levels_upwards
from rubrictui.evaluators.prompting_service import CODES
from rubrictui.evaluators.prompting_subject import images_of, subject_text
from rubrictui.evaluators.services import Choice, need
from rubrictui.evaluators.settings import EvaluatorSettings


class DecisionEvaluator(RubricEvaluator):
    """Asks one question for each criterion, levels from low to high, and takes the likeliest level.

    Its probability is the answer's confidence, and with the label its rationale. It can cite nothing, so a rubric
    with a criterion that needs evidence is refused before any call; a criterion on a numeric scale is not asked.
    """

    name: ClassVar[str] = "Decision"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.AI_PROMPT

    @classmethod
    def why_not_runnable(cls) -> str:
        return "" if models.installed() else models.INSTALL

    def check(self, version: VersionSnapshot, settings: EvaluatorSettings) -> None:
        """Refuse a rubric with a criterion that needs evidence."""
        del settings
        needing = [leaf.node.key for leaf in leaves(version) if leaf.node.evidence_required]
        if needing:
            named = ", ".join(f'"{key}"' for key in needing[:5]) + (", ..." if len(needing) > 5 else "")
            raise EvaluatorError(
                f"A decision model cites no evidence, and {named} "
                f"{'needs' if len(needing) == 1 else 'need'} some.",
                remedy="Use the LLM evaluator for this rubric.",
            )

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        self.check(context.version, context.settings)
        prompts = need(context.services.prompts, "models")
        decisions = need(context.services.decisions, "decision models")
        asked, unasked = _sorted(context.version)
        if not asked:
            raise EvaluatorError(
                "No criterion of this version is on a scale with levels.", remedy="Use the LLM evaluator."
            )
        texts = await prompts.render_criteria(context.version, criterion_ref(context.settings))
        pictures = images_of(context.content)
        decided = await decisions.ask(
            [
                Choice(
                    key=leaf.node.key,
                    question=texts[leaf.node.key],
                    options=tuple(level.label for level in levels_upwards(leaf.scale)),
                )
                for leaf in asked
            ],
            subject=subject_text(context.content),
            prompt=judge_ref(context.settings),
            model_id=context.settings.model_id,
            images=pictures.images,
        )
        answers = []
        chances = {}
        for leaf, found in zip(asked, decided, strict=True):
            levels = levels_upwards(leaf.scale)
            level, share = levels[found.chosen], found.probabilities[found.chosen]
            answers.append(
                Answer(
                    criterion_id=leaf.node.id,
                    scale_level_id=level.id,
                    confidence=min(share, 1.0),
                    rationale=f"{level.label} ({share:.2f})",
                )
            )
            chances[leaf.node.key] = {
                "Probabilities": {
                    one.label: round(chance, 6)
                    for one, chance in zip(levels, found.probabilities, strict=True)
                },
                "OnLevels": round(found.mass, 6),
            }
        replies = [found.reply for found in decided if found.reply is not None]
        metadata = call_metadata(replies) | image_metadata(pictures)
        metadata["CriterionPrompt"] = prompts.criterion_prompt(criterion_ref(context.settings))
        metadata["Decisions"] = chances
        metadata["UnaskedCriteria"] = list(unasked)
        return self.scored(
            context,
            answers,
            metadata=metadata,
            prompt_run_ids=run_ids(replies),
            unanswered=unasked,
            **call_fields(metadata),
        )


def _sorted(version: VersionSnapshot) -> tuple[list[Leaf], dict[str, str]]:
    """The criteria that can be asked, and why the others cannot, by key."""
    asked: list[Leaf] = []
    unasked: dict[str, str] = {}
    for leaf in leaves(version):
        count = len(leaf.levels)
        if leaf.scale is None or leaf.is_numeric:
            unasked[leaf.node.key] = (
                "not asked: it is on a numeric scale" if leaf.scale else "it has no scale"
            )
        elif not 1 <= count <= len(CODES):
            unasked[leaf.node.key] = (
                f"not asked: it has {count} levels, and at most {len(CODES)} can be told apart"
            )
        else:
            asked.append(leaf)
    return asked, unasked
