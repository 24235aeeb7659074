"""``submit``: the action Submit Human Rubric, and evaluations of other evaluators, as JSON."""

from __future__ import annotations

import argparse
from typing import Any

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands
from rubrictui.core.errors import InvalidInputError

# Our names of the fields; the guide's (RubricVersionID, ...) are the same but for case and underscores.
FIELDS = {
    "rubricversionid": "rubric_version_id",
    "rubricversion": "rubric_version_id",
    "subjectentity": "subject_entity",
    "subjectentityid": "subject_entity",
    "subjectrecordid": "subject_record_id",
    "contextentity": "context_entity",
    "contextentityid": "context_entity",
    "contextrecordid": "context_record_id",
    "supersedesevaluationid": "supersedes_evaluation_id",
    "evaluatortype": "evaluator_type",
    "evaluatorname": "evaluator_name",
    "passthreshold": "pass_threshold",
    "metadata": "metadata",
    "answers": "answers",
}
ANSWER_FIELDS = {
    "criterionid": "criterion_id",
    "criterion": "criterion",
    "scalelevelid": "scale_level_id",
    "level": "level",
    "rawvalue": "raw_value",
    "value": "raw_value",
    "isnotapplicable": "is_not_applicable",
    "notapplicable": "is_not_applicable",
    "confidence": "confidence",
    "rationale": "rationale",
    "evidence": "evidence",
}
EVIDENCE_FIELDS = {"kind": "kind", "text": "text", "source": "source", "start": "start", "end": "end"}
MACHINES = ("AIPrompt", "Agent", "Deterministic", "External")


def register(commands: Commands) -> None:
    parser = commands.add(
        "submit",
        "submit an evaluation given as JSON",
        run,
        description="Submit an evaluation in one transaction: the evaluation, its answers and its submission, "
        "or nothing. The fields are RubricVersionID (an id, or Name@1.2.0), SubjectEntity, SubjectRecordID, "
        "ContextEntity, ContextRecordID, SupersedesEvaluationID and Answers, in this spelling or in "
        "snake_case; docs/formats.md has them all. Prints the stored evaluation. A refusal lists everything "
        "that is missing.",
        examples=["rubrictui submit evaluation.json", "generate | rubrictui submit - --json"],
    )
    parser.add_argument("file", metavar="FILE", help="JSON; - is standard input")


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_json, shown
    from rubrictui.cli._store import open_engine

    where = shown(options.file)
    given = _named(read_json(options.file), FIELDS, where)
    for field in ("rubric_version_id", "subject_entity", "subject_record_id", "answers"):
        if given.get(field) is None:
            raise InvalidInputError(f'{where} has no "{field}".', remedy="docs/formats.md has the fields.")
    subject = _reference(given, "subject", where)
    context = _reference(given, "context", where)
    kind = _text(given, "evaluator_type", where) or "Human"
    common: dict[str, Any] = {
        "subject": subject,
        "context": context,
        "supersedes": _text(given, "supersedes_evaluation_id", where),
        "metadata": given.get("metadata"),
        "pass_threshold": _number(given, "pass_threshold", where),
    }
    reference = _text(given, "rubric_version_id", where) or ""
    with open_engine(options) as engine:
        answers = _answers(given["answers"], lambda: engine.version(reference), where)
        if kind in MACHINES:
            detail = engine.record_evaluation(
                version=reference,
                answers=answers,
                evaluator_type=_evaluator_type(kind),
                evaluator_name=_text(given, "evaluator_name", where),
                **common,
            )
        else:
            detail = engine.submit_human_rubric(
                version_id=reference, answers=answers, evaluator_type=_evaluator_type(kind), **common
            )
    for warning in detail.warnings:
        output.say(f"warning: {warning}")
    if output.json:
        output.data(detail)
    else:
        from rubrictui.cli._results import evaluation_lines

        output.text(f"Submitted {detail.evaluation.id}.", "", *evaluation_lines(detail))
    return 0


def _evaluator_type(word: str) -> Any:
    from rubrictui.core.records import EvaluatorType

    try:
        return EvaluatorType(word)
    except ValueError:
        raise InvalidInputError(
            f'There is no evaluator type "{word}".', remedy=f"Write one of {', '.join(EvaluatorType)}."
        ) from None


def _named(value: Any, fields: dict[str, str], where: str) -> dict[str, Any]:
    """An object with our field names, whatever their case and underscores."""
    if not isinstance(value, dict):
        raise InvalidInputError(f"{where} is no object.", remedy="docs/formats.md has the shape.")
    found: dict[str, Any] = {}
    for name, one in value.items():
        field = fields.get(name.replace("_", "").casefold())
        if field is None:
            known = ", ".join(dict.fromkeys(fields.values()))
            raise InvalidInputError(
                f'{where}: there is no field "{name}".', remedy=f"The fields are {known}."
            )
        if field in found:
            raise InvalidInputError(f'{where}: "{name}" is given twice.', remedy="Give it once.")
        found[field] = one
    return found


def _text(given: dict[str, Any], field: str, where: str) -> str | None:
    value = given.get(field)
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f'{where}: "{field}" must be text.', remedy="Put it in quotes.")
    return value or None


def _number(given: dict[str, Any], field: str, where: str) -> float | None:
    value = given.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInputError(f'{where}: "{field}" must be a number.', remedy="Correct it.")
    return float(value)


def _reference(given: dict[str, Any], what: str, where: str) -> str | None:
    entity = _text(given, f"{what}_entity", where)
    record = _text(given, f"{what}_record_id", where)
    if (entity is None) != (record is None):
        raise InvalidInputError(
            f'{where}: "{what}_entity" and "{what}_record_id" go together.', remedy="Give both or none."
        )
    return f"{entity}/{record}" if entity is not None else None


def _answers(value: Any, version: Any, where: str) -> Any:
    """Answers by criterion id and level id, or by criterion key and level label."""
    from rubrictui.cli._input import convert
    from rubrictui.core.model import Answer
    from rubrictui.interchange.documents import AnswerEntry, answers_for

    if not isinstance(value, list):
        raise InvalidInputError(f'{where}: "answers" is no list.', remedy="docs/formats.md has the shape.")
    answers: list[Any] = []
    snapshot = None
    for index, row in enumerate(value):
        place = f"{where}: answers[{index}]"
        fields = _named(row, ANSWER_FIELDS, place)
        if fields.get("is_not_applicable") is None:
            fields.pop("is_not_applicable", None)
        evidence = fields.get("evidence")
        if isinstance(evidence, list):
            fields["evidence"] = [
                _named(item, EVIDENCE_FIELDS, f"{place}: evidence[{number}]")
                for number, item in enumerate(evidence)
            ]
        elif evidence is None:
            fields.pop("evidence", None)
        if "criterion" not in fields and "level" not in fields:
            answers.append(convert(fields, Answer, place))
            continue
        if "criterion_id" in fields or "scale_level_id" in fields:
            raise InvalidInputError(
                f"{place} mixes ids and names.", remedy="Write criterion and level, or their ids."
            )
        snapshot = snapshot or version()
        entry = {
            {"raw_value": "value", "is_not_applicable": "not_applicable"}.get(name, name): one
            for name, one in fields.items()
        }
        answers += answers_for((convert(entry, AnswerEntry, place),), snapshot)
    return answers
