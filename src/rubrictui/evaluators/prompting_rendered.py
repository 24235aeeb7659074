"""What prompts gave, kept for the runs that share it: a round asks the same of every subject.

A template that does not say which record is scored gives the same text for all of them. The shipped ones do not, so a
round renders them once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.prompt_records import Prompt
from rubrictui.evaluators.prompting import names_asked_for
from rubrictui.evaluators.prompting_compose import system_message
from rubrictui.evaluators.prompting_data import criteria_texts

#: The variable that tells the record; all others are the same for every subject of a round.
_SUBJECT: Final = "Subject"

#: So many system messages are kept: in PerCriterion each criterion has its own.
_MOST_KEPT: Final = 2_000


class Rendered:
    """Texts of criteria by version and prompt, and system messages by what went into them.

    Versions are told apart by identity, which a frozen value keeps; each is held as long as its texts are.
    """

    def __init__(self) -> None:
        self._criteria: dict[tuple[int, str], tuple[VersionSnapshot, Mapping[str, str]]] = {}
        self._systems: dict[tuple[Any, ...], str] = {}

    def criteria(self, version: VersionSnapshot, prompt: Prompt) -> Mapping[str, str]:
        """Each leaf as text. Raises as ``criteria_texts``."""
        key = (id(version), prompt.template)
        known = self._criteria.get(key)
        if known is None:
            known = self._criteria[key] = (version, criteria_texts(version, prompt))
        return known[1]

    def system(self, evaluator: Prompt, judge: Prompt | None, data: Mapping[str, Any]) -> str:
        """The judge in its frame. Raises as ``system_message``."""
        judged = judge.template if judge is not None else ""
        if tells_record(evaluator.template) or tells_record(judged):
            return system_message(evaluator, judge, data)
        key = (evaluator.template, judged, _fixed(data))
        known = self._systems.get(key)
        if known is None:
            known = system_message(evaluator, judge, data)
            if len(self._systems) < _MOST_KEPT:
                self._systems[key] = known
        return known


@lru_cache(maxsize=128)
def tells_record(template: str) -> bool:
    """Whether a template may say which record is scored; a broken one may."""
    names = names_asked_for(template)
    return names is None or _SUBJECT in names


def _fixed(data: Mapping[str, Any]) -> bytes:
    """Everything of the data but the record, as a key."""
    import msgspec

    return msgspec.json.encode([(name, value) for name, value in data.items() if name != _SUBJECT])
