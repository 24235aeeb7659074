"""How an evaluator is chosen, and what it is told to do: the guide's selection and settings (section 8).

Written as JSON or YAML under the guide's names (``PromptName``) or in snake_case; letter case does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value
from rubrictui.core.records import EvaluatorType

MODES: Final = ("SinglePass", "PerCriterion")
MOST_SAMPLES: Final = 9

#: The evaluator of a call that names none.
DEFAULT_EVALUATOR: Final = "LLM"

#: Which built-in evaluator a type alone means.
_OF_TYPE: Final = {
    EvaluatorType.AI_PROMPT: "LLM",
    EvaluatorType.AGENT: "Agent",
    EvaluatorType.DETERMINISTIC: "Deterministic",
    EvaluatorType.HUMAN: "Human",
}


class EvaluatorSettings(Value, frozen=True, kw_only=True):
    """What an evaluator is told. Each reads what concerns it, and leaves the rest.

    Attributes:
        prompt_id, prompt_name: the judge, or the prompt of the Decision evaluator.
        system_prompt_id, system_prompt_name: the frame that the judge stands in.
        criterion_prompt_id, criterion_prompt_name: what renders one criterion.
        model_id: pins one model; None leaves the choice to the bindings of the prompts.
        model_selection: ``Judge`` lets the judge's bindings choose instead of the frame's.
        agent_id: which agent judges.
        mode: ``SinglePass`` asks once for the whole rubric, ``PerCriterion`` once for each leaf.
        samples: how often the whole is asked, 1..9.
        extensions: settings of plugins, by evaluator name; nothing here reads them.
    """

    prompt_id: str | None = None
    prompt_name: str | None = None
    system_prompt_id: str | None = None
    system_prompt_name: str | None = None
    criterion_prompt_id: str | None = None
    criterion_prompt_name: str | None = None
    model_id: str | None = None
    model_selection: str | None = None
    agent_id: str | None = None
    mode: str = MODES[0]
    samples: int = 1
    extensions: dict[str, Any] = msgspec.field(default_factory=dict)

    def extension(self, name: str, default: Any = None) -> Any:
        """The settings of the plugin of this name, ignoring case."""
        wanted = name.strip().casefold()
        return next((value for key, value in self.extensions.items() if key.casefold() == wanted), default)

    def as_written(self) -> dict[str, Any]:
        """Under the guide's names, without what is not set: what an evaluation keeps of its settings."""
        return {
            _GUIDE_NAMES[field]: value
            for field in self.__struct_fields__
            if (value := getattr(self, field)) != _DEFAULTS[field]
        }


_DEFAULTS: Final = {
    field: getattr(EvaluatorSettings(), field) for field in EvaluatorSettings.__struct_fields__
}


def _guide_name(field: str) -> str:
    return "".join(part.upper() if part == "id" else part.title() for part in field.split("_"))


_GUIDE_NAMES: Final = {field: _guide_name(field) for field in EvaluatorSettings.__struct_fields__}
_FIELDS: Final = {field.replace("_", ""): field for field in EvaluatorSettings.__struct_fields__}


class EvaluatorSelection(Value, frozen=True, kw_only=True):
    """A stored choice: an evaluator, its settings, and a threshold in place of the version's, or None."""

    evaluator: str = DEFAULT_EVALUATOR
    settings: EvaluatorSettings = EvaluatorSettings()
    pass_threshold: float | None = None


def settings_from(given: Mapping[str, Any] | EvaluatorSettings | None) -> EvaluatorSettings:
    """Settings from JSON values.

    Raises:
        InvalidInputError: an unknown or doubled name, a value of the wrong type, a mode that does not exist, or
            a number of samples outside 1..9.
    """
    if isinstance(given, EvaluatorSettings):
        return given
    return _settings(given or {}, ignoring=())


def selection_from(given: Mapping[str, Any] | None) -> EvaluatorSelection:
    """A stored selection from JSON values: ``{"EvaluatorType": "AIPrompt", "PromptName": "..."}``.

    ``EvaluatorName`` names any registered evaluator; without it ``EvaluatorType`` means a built-in one; an
    empty selection is the default one.

    Raises:
        InvalidInputError: as ``settings_from``, and for a type without an evaluator of its own.
    """
    given = given or {}
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            "The evaluator selection is no object.", remedy='Write {"EvaluatorName": "LLM"} and settings.'
        )
    own = {_folded(key): value for key, value in given.items() if _folded(key) in _SELECTION}
    name, kind = _text(own, "evaluatorname"), _text(own, "evaluatortype")
    threshold = own.get("passthreshold")
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
        raise InvalidInputError("PassThreshold is no number.", remedy="Write a share such as 0.7.")
    return EvaluatorSelection(
        evaluator=name or _evaluator_of_type(kind),
        settings=_settings(given, ignoring=_SELECTION),
        pass_threshold=None if threshold is None else float(threshold),
    )


_SELECTION: Final = ("evaluatorname", "evaluatortype", "passthreshold")


def _evaluator_of_type(kind: str | None) -> str:
    if kind is None:
        return DEFAULT_EVALUATOR
    known = {one.value.casefold(): name for one, name in _OF_TYPE.items()}
    if kind.strip().casefold() not in known:
        raise InvalidInputError(
            f'No evaluator runs for the type "{kind}" alone.', remedy="Name one with EvaluatorName."
        )
    return known[kind.strip().casefold()]


def _settings(given: Mapping[str, Any], *, ignoring: tuple[str, ...]) -> EvaluatorSettings:
    if not isinstance(given, Mapping):
        raise InvalidInputError("The evaluator's settings are no object.", remedy="Write names and values.")
    fields: dict[str, Any] = {}
    for key, value in given.items():
        folded = _folded(key)
        if folded in ignoring:
            continue
        field = _FIELDS.get(folded)
        if field is None:
            raise InvalidInputError(
                f'There is no evaluator setting "{key}".',
                remedy=f"The settings are {', '.join(_GUIDE_NAMES.values())}; a plugin's own go under Extensions.",
            )
        if field in fields:
            raise InvalidInputError(f'The setting "{key}" is given twice.', remedy="Give it once.")
        if value is not None:
            fields[field] = value
    fields = {field: _case(field, value) for field, value in fields.items()}
    try:
        made = msgspec.convert(fields, EvaluatorSettings)
    except msgspec.ValidationError as error:
        text = str(error)
        for field, name in _GUIDE_NAMES.items():
            text = text.replace(f"$.{field}", name)
        raise InvalidInputError(
            f"An evaluator setting is not what it should be: {text}.", remedy="Correct it."
        ) from None
    if made.mode not in MODES:
        raise InvalidInputError(f'There is no mode "{made.mode}".', remedy=f"Use {' or '.join(MODES)}.")
    if not 1 <= made.samples <= MOST_SAMPLES:
        raise InvalidInputError(
            f"The number of samples is {made.samples}.", remedy=f"Use 1 to {MOST_SAMPLES}."
        )
    if made.model_selection not in (None, "Judge"):
        raise InvalidInputError(
            f'There is no model selection "{made.model_selection}".', remedy="Use Judge, or leave it out."
        )
    return made


def _case(field: str, value: Any) -> Any:
    """Words that are one of a few, as they are written here."""
    words = {"mode": MODES, "model_selection": ("Judge",)}.get(field, ())
    if not isinstance(value, str):
        return value
    return next((word for word in words if word.casefold() == value.strip().casefold()), value)


def _folded(key: object) -> str:
    return str(key).replace("_", "").strip().casefold()


def _text(own: Mapping[str, Any], key: str) -> str | None:
    value = own.get(key)
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"The {key} of a selection is no text.", remedy="Write its name in quotes.")
    return (value or "").strip() or None
