"""Writes documents as the YAML that ``yaml_reader`` reads: the same values give the same text.

What has its default is left out, long text stands in block form, numbers are the shortest that read back
equal, and every text that YAML would take for something else is quoted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import yaml

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Anchor, Band, Evidence, Level, Node, Scale, VersionSnapshot
from rubrictui.core.records import Subject, SubjectFile
from rubrictui.interchange.building import is_plain_text
from rubrictui.interchange.documents import (
    AnswerEntry,
    AssignmentEntry,
    CategoryFile,
    ContextEntry,
    Document,
    EvaluationEntry,
    Publication,
    RubricFile,
    ScaleFile,
    SubjectsFile,
)

FORMAT = 1
WIDTH = 100


def write_documents(documents: Iterable[Document]) -> str:
    """One YAML text of all documents, in order.

    A rubric's scales are not written with it; give them as ``ScaleFile`` before it. Files of a subject
    that have a ``path`` are named by it; the others are written in place.

    Raises:
        InvalidInputError: a value has no YAML form (a tree without its parents, a file without text and
            path, a lone surrogate, a number that is not finite).
    """
    return "---\n".join(write_document(document) for document in documents)


def write_document(document: Document) -> str:
    """The YAML text of one document; ends with a newline. Raises like ``write_documents``."""
    match document:
        case CategoryFile():
            category = document.category
            tree = {
                "kind": "category",
                "format": FORMAT,
                "id": category.id,
                "name": category.name,
                **_given(description=category.description, sequence=category.sequence or None),
            }
        case ScaleFile():
            tree = {"kind": "scale", "format": FORMAT, **_scale(document.scale)}
        case RubricFile():
            tree = _rubric(document)
        case SubjectsFile():
            tree = _subjects(document)
        case Publication():
            tree = {
                "kind": "publication",
                "format": FORMAT,
                "rubric": document.rubric,
                "version_id": document.version_id,
                **_given(bump=document.bump, summary=document.summary),
            }
    return write_value(tree)


def write_value(value: Any) -> str:
    """The YAML text of a value as JSON holds it; ends with a newline. Raises like ``write_documents``."""
    try:
        text = yaml.dump(
            value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False
        )
    except (UnicodeEncodeError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"The document cannot be written as YAML: {error}.") from None
    return str(text)


class _Dumper(yaml.SafeDumper):
    """The pure Python dumper, so that the text does not depend on a C library being there."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists stand deeper than their key: easier to read, and to fold in an editor."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    text.encode("utf-8")  # a lone surrogate has no YAML form
    style = None
    if "\n" in text and _stands_in_a_block(text):
        style = "|"
    elif not text.isprintable():
        style = '"'
    elif not is_plain_text(text):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _stands_in_a_block(text: str) -> bool:
    """Block form keeps a text exactly unless blanks at line ends or odd beginnings come into play."""
    return not text.startswith((" ", "\n")) and all(
        line == line.rstrip(" ") and (line.isprintable() or not line) for line in text.split("\n")
    )


def _represent_float(dumper: _Dumper, number: float) -> yaml.Node:
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    text = repr(number)
    # YAML 1.1 readers take 1e-05 for text; with a point it is a number to every reader.
    if "." not in text:
        text = text.replace("e", ".0e")
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(float, _represent_float)


def _number(value: float | None) -> int | float | None:
    """A whole number without its point."""
    return int(value) if value is not None and abs(value) < 1e15 and value == int(value) else value


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that say something: not null, not false, no empty list. Enumerations become their words.

    An empty text says something where the default is null; pass ``text or None`` where it does not.
    """
    return {
        name: str(value) if hasattr(value, "value") else value
        for name, value in fields.items()
        if value is not None and value is not False and value not in ([], ())
    }


def _scale(scale: Scale) -> dict[str, Any]:
    if not scale.name:
        raise InvalidInputError(f"The scale {scale.id} has no name.", remedy="Name it, then write it.")
    return {
        "id": scale.id,
        "name": scale.name,
        **_given(description=scale.description),
        "scale_type": str(scale.scale_type),
        **_given(
            min_value=_number(scale.min_value),
            max_value=_number(scale.max_value),
            step=_number(scale.step),
        ),
        **({} if scale.higher_is_better else {"higher_is_better": False}),
        **_given(levels=[_level(level, index) for index, level in enumerate(scale.levels)]),
    }


def _level(level: Level, index: int) -> dict[str, Any]:
    return {
        "id": level.id,
        "label": level.label,
        **_given(value=_number(level.value)),
        "normalized_value": _number(level.normalized_value),
        **_given(description=level.description),
        **_sequence(level.sequence, index),
    }


def _sequence(sequence: int, index: int) -> dict[str, Any]:
    """Only where it is not the place in the list."""
    return {} if sequence == index else {"sequence": sequence}


def _rubric(document: RubricFile) -> dict[str, Any]:
    version = document.snapshot
    return {
        "kind": "rubric",
        "format": FORMAT,
        "id": document.id,
        "name": document.name,
        **_given(category=document.category, description=document.description),
        "version": {
            "id": version.id,
            **_given(
                instructions=version.instructions,
                pass_threshold=_number(version.pass_threshold),
                minimum_completeness=_number(version.minimum_completeness),
            ),
            "not_applicable_policy": str(version.not_applicable_policy),
            "score_display_min": _number(version.score_display_min),
            "score_display_max": _number(version.score_display_max),
            **_given(
                criteria=_criteria(version),
                bands=[_band(band, index) for index, band in enumerate(version.bands)],
            ),
        },
    }


def _criteria(version: VersionSnapshot) -> list[dict[str, Any]]:
    scales = {scale.id: scale for scale in version.scales}
    children: dict[str, list[Node]] = {}
    for node in version.nodes:
        children.setdefault(node.parent_id or "", []).append(node)
    written = 0

    def branch(parent_id: str) -> list[dict[str, Any]]:
        nonlocal written
        rows = []
        for index, node in enumerate(children.get(parent_id, ())):
            written += 1
            row = _node(node, index, scales.get(node.scale_id or ""))
            below = branch(node.id)
            rows.append({**row, "children": below} if below else row)
        return rows

    rows = branch("")
    if written != len(version.nodes):
        raise InvalidInputError(
            f"{len(version.nodes) - written} criteria of {version.rubric_name} hang below no root.",
            remedy="Give every parent_id a node of the same version.",
        )
    return rows


def _node(node: Node, index: int, scale: Scale | None) -> dict[str, Any]:
    return {
        "id": node.id,
        "key": node.key,
        **_given(name=node.name or None, description=node.description, guidance=node.guidance),
        **({} if node.is_criterion else {"node_type": str(node.node_type)}),
        **({"scale": scale.name} if scale and scale.name else _given(scale_id=node.scale_id)),
        "weight": _number(node.weight),
        **_given(
            is_advisory=node.is_advisory,
            is_gate=node.is_gate,
            gate_minimum_score=_number(node.gate_minimum_score),
            not_applicable_policy=node.not_applicable_policy,
            rollup_method=node.rollup_method,
            evidence_required=node.evidence_required,
            rationale_required=node.rationale_required,
        ),
        **_sequence(node.sequence, index),
        **({} if node.evaluator_config is None else {"evaluator_config": node.evaluator_config}),
        **_given(anchors=_anchors(node.anchors, scale)),
    }


def _anchors(anchors: tuple[Anchor, ...], scale: Scale | None) -> Mapping[str, Any] | list[dict[str, Any]]:
    """By label when every anchor is one level's; else a list."""
    if not anchors:
        return []
    labels = {level.id: level.label for level in scale.levels} if scale else {}
    named = [labels.get(anchor.scale_level_id or "") for anchor in anchors]
    if None not in named and len(set(named)) == len(named):
        return {
            str(label): anchor.descriptor
            if anchor.anchor_value is None
            else {"descriptor": anchor.descriptor, "anchor_value": _number(anchor.anchor_value)}
            for label, anchor in zip(named, anchors, strict=True)
        }
    return [
        {
            **_given(level=label, descriptor=anchor.descriptor or None),
            **({} if anchor.anchor_value is None else {"anchor_value": _number(anchor.anchor_value)}),
        }
        for label, anchor in zip(named, anchors, strict=True)
    ]


def _band(band: Band, index: int) -> dict[str, Any]:
    return {
        "id": band.id,
        "label": band.label,
        **_given(description=band.description),
        "min_score": _number(band.min_score),
        "max_score": _number(band.max_score),
        **_given(display_tone=band.display_tone),
        **_sequence(band.sequence, index),
    }


def _subjects(document: SubjectsFile) -> dict[str, Any]:
    return {
        "kind": "subjects",
        "format": FORMAT,
        **_given(
            users=[
                {
                    "id": user.id,
                    "name": user.name,
                    **_given(
                        display_name=user.display_name or None, roles=[str(role) for role in user.roles]
                    ),
                }
                for user in document.users
            ],
            contexts=[_context(entry) for entry in document.contexts],
            subjects=[_subject(subject) for subject in document.subjects],
            assignments=[_assignment(entry) for entry in document.assignments],
            evaluations=[_evaluation(entry) for entry in document.evaluations],
        ),
    }


def _instant(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def _context(entry: ContextEntry) -> dict[str, Any]:
    context = entry.context
    return {
        "id": context.id,
        "entity": context.entity,
        "record_id": context.record_id,
        **_given(
            name=context.name or None,
            description=context.description,
            rubric=entry.rubric,
            due_at=_instant(context.due_at),
            due_zone=context.due_zone,
            self_allowed=context.self_allowed,
        ),
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {
        "id": subject.id,
        "entity": subject.entity,
        "record_id": subject.record_id,
        **_given(title=subject.title or None, text=subject.text or None),
        **({} if subject.data is None else {"data": subject.data}),
        **_given(files=[_file(file) for file in subject.files]),
    }


def _file(file: SubjectFile) -> dict[str, Any]:
    if file.path is None and file.text is None:
        raise InvalidInputError(
            f"The file {file.name} has neither text nor a path.", remedy="Leave it out, or give it a path."
        )
    where = {"path": file.path} if file.path is not None else {"text": file.text}
    return {"name": file.name, **where, "media_type": file.media_type}


def _assignment(entry: AssignmentEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "subject": entry.subject,
        **_given(context=entry.context),
        "rubric": entry.rubric,
        "user": entry.user,
        **_given(due_at=_instant(entry.due_at)),
    }


def _evaluation(entry: EvaluationEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "subject": entry.subject,
        **_given(context=entry.context),
        "rubric": entry.rubric,
        "user": entry.user,
        "evaluator_type": str(entry.evaluator_type),
        **_given(evaluator_name=entry.evaluator_name),
        "status": str(entry.status),
        **_given(reason=entry.reason, supersedes=entry.supersedes),
        **({} if entry.metadata is None else {"metadata": entry.metadata}),
        **_given(answers=[_answer(answer) for answer in entry.answers]),
    }


def _answer(answer: AnswerEntry) -> dict[str, Any]:
    return {
        "criterion": answer.criterion,
        **_given(level=answer.level),
        **({} if answer.value is None else {"value": _number(answer.value)}),
        **_given(not_applicable=answer.not_applicable),
        **({} if answer.confidence is None else {"confidence": _number(answer.confidence)}),
        **_given(rationale=answer.rationale, evidence=[_evidence(item) for item in answer.evidence]),
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    return {
        "kind": str(item.kind),
        **_given(text=item.text or None, source=item.source),
        **({} if item.start is None else {"start": item.start}),
        **({} if item.end is None else {"end": item.end}),
    }
