"""An evaluator of one's own: does a text read easily enough?

It answers every criterion on a levels scale with the best level when the average sentence is short enough, and with
the worst when it is not. What is short enough is a setting: ``Extensions: {"Acme Readability": 18}``.
"""

from __future__ import annotations

import re

from rubrictui.core.model import Answer, ScaleType, fold_id
from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError

WORDS_A_SENTENCE = 20


class ReadabilityEvaluator(RubricEvaluator):
    name = "Acme Readability"
    evaluator_type = EvaluatorType.EXTERNAL

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        sentences = [part for part in re.split(r"[.!?]+\s", context.content.text) if part.strip()]
        if not sentences:
            raise EvaluatorError("There is no text to read.", remedy="Add one to the subject.")
        average = sum(len(sentence.split()) for sentence in sentences) / len(sentences)
        limit = float(context.settings.extension(self.name, WORDS_A_SENTENCE))
        answers, unanswered = [], {}
        for node in context.version.nodes:
            if not node.is_criterion:
                continue
            scale = next((s for s in context.version.scales if fold_id(s.id) == fold_id(node.scale_id)), None)
            if scale is None or scale.scale_type is not ScaleType.LEVELS:
                unanswered[node.key] = "readability has levels, and this scale has none"
                continue
            pick = max if average <= limit else min
            level = pick(scale.levels, key=lambda one: one.normalized_value)
            why = f"{average:.1f} words a sentence, of at most {limit:g}."
            answers.append(Answer(criterion_id=node.id, scale_level_id=level.id, rationale=why))
        return self.scored(
            context, answers, unanswered=unanswered, metadata={"WordsASentence": round(average, 1)}
        )
