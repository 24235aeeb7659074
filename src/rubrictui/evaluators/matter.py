"""The evaluator of a legal matter: the actions in a subject's data, replayed and scored by the matter's own rules.

The answers follow the trace and are scored like everyone's. The matter's own score, with its penalties and its cap, stays
the score of record and goes with them into the evaluation's metadata, as ``Evaluator.Matter``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.matter_answers import matter_answers, matter_record
from rubrictui.evaluators.matter_rubric import EXTENSION, matter_hash, matter_of_version
from rubrictui.evaluators.matter_work import ACTIONS
from rubrictui.evaluators.settings import EvaluatorSettings
from rubrictui.matters.loading import Matter
from rubrictui.matters.replay import replay

DIRECTORY = "Directory"


class MatterEvaluator(RubricEvaluator):
    """Scores work on a matter by the matter's rules.

    The matter is the one whose folder the settings name (``Extensions: {"Matter": {"Directory": ...}}``), else the
    shipped one that the rubric was made from. A subject never names it: it comes from outside.
    """

    name: ClassVar[str] = "Matter"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.DETERMINISTIC

    def __init__(self) -> None:
        self._found: tuple[str, Matter] | None = None

    def check(self, version: VersionSnapshot, settings: EvaluatorSettings) -> None:
        self._matter(version, settings)

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        matter = self._matter(context.version, context.settings)
        result = replay(matter, actions_in(context.content.data))
        answers, unanswered = matter_answers(matter, result, context.version, context.content.text)
        about = {EXTENSION: matter_record(matter, result)}
        return self.scored(context, answers, metadata=about, unanswered=unanswered)

    def _matter(self, version: VersionSnapshot, settings: EvaluatorSettings) -> Matter:
        made_from = matter_of_version(version)
        if made_from is None:
            raise EvaluatorError(
                f'"{version.rubric_name}" was not made from a matter.',
                remedy="Make one with: rubrictui matter rubric DIR --load",
            )
        own, digest = made_from
        if self._found is not None and self._found[0] == digest:
            return self._found[1]
        matter = _named(settings) or _shipped(own, digest)
        matter.require_playable()
        if matter_hash(matter) != digest:
            raise EvaluatorError(
                f'The matter "{own}" is not as it was when "{version.rubric_name}" was made from it.',
                remedy="Load its rubric anew and publish that, or name the folder of the matter as it was.",
            )
        self._found = (digest, matter)
        return matter


def actions_in(data: Any) -> list[dict[str, Any]]:
    """The actions in a subject's data.

    Raises:
        EvaluatorError: there are none, or one is no object.
    """
    actions = data.get(ACTIONS) if isinstance(data, dict) else None
    if not isinstance(actions, list) or not actions:
        raise EvaluatorError(
            f'The subject\'s data holds no list "{ACTIONS}".',
            remedy="Store the work with: rubrictui matter evaluate DIR --actions FILE --record ID",
        )
    for place, action in enumerate(actions, 1):
        if not isinstance(action, dict):
            raise EvaluatorError(
                f"Action {place} of the subject is no object.", remedy='Write each as {"type": ...}.'
            )
    return actions


def _named(settings: EvaluatorSettings) -> Matter | None:
    given = settings.extension(EXTENSION)
    folder = given.get(DIRECTORY) if isinstance(given, dict) else None
    if folder is None:
        return None
    if not isinstance(folder, str) or not folder:
        raise EvaluatorError(
            f"The setting {DIRECTORY} of {EXTENSION} is no folder.", remedy="Write the folder of matter.yaml."
        )
    return Matter.from_directory(Path(folder))


def _shipped(own: str, digest: str) -> Matter:
    from rubrictui.sample_data import matter_folders

    found = [Matter.from_directory(folder) for folder in matter_folders()]
    of_id = [matter for matter in found if matter.matter_id == own]
    if not of_id:
        raise EvaluatorError(
            f'The matter "{own}" ({digest[:12]}) is not among the shipped ones.',
            remedy=f'Name its folder: {{"Extensions": {{"{EXTENSION}": {{"{DIRECTORY}": "..."}}}}}}.',
        )
    return of_id[0]
