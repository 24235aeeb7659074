"""What a YAML file of ours holds once it is read (docs/formats.md): one value a document.

Records of the core stand as core values. Where a document names something that lives elsewhere (a rubric
by name, a criterion by key, a level by label), the entry keeps the words as written, because only the
one who loads the file knows the store they point into; ``answers_for`` settles them against a version.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, Bump, Evidence, Scale, Value, VersionSnapshot
from rubrictui.core.records import Category, Context, EvaluationStatus, EvaluatorType, Subject, User

# The user name that stands for whoever loads the file.
ME = "@me"


class CategoryFile(Value, frozen=True, kw_only=True):
    """``kind: category``."""

    category: Category


class ScaleFile(Value, frozen=True, kw_only=True):
    """``kind: scale``."""

    scale: Scale


class RubricFile(Value, frozen=True, kw_only=True):
    """``kind: rubric``: the identity and one Draft version.

    ``snapshot`` is whole: its ``rubric_id`` and ``rubric_name`` are set, ``nodes`` stand in walk order,
    ``scales`` holds every scale a node uses.
    """

    id: str
    name: str
    category: str | None = None
    description: str | None = None
    snapshot: VersionSnapshot


class ContextEntry(Value, frozen=True, kw_only=True):
    """A context and the rubric (by name) its subjects are scored with. ``context.rubric_id`` is unset."""

    context: Context
    rubric: str | None = None


class AssignmentEntry(Value, frozen=True, kw_only=True):
    """``subject`` and ``context`` are ``Entity/record``; ``rubric`` and ``user`` are names (or ``@me``)."""

    id: str
    subject: str
    rubric: str
    user: str
    context: str | None = None
    due_at: datetime | None = None


class AnswerEntry(Value, frozen=True, kw_only=True):
    """One answer: ``criterion`` is a key, ``level`` a label of its scale, ``value`` a raw number."""

    criterion: str
    level: str | None = None
    value: float | None = None
    not_applicable: bool = False
    confidence: float | None = None
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()


class EvaluationEntry(Value, frozen=True, kw_only=True):
    """One evaluation of one subject. ``status`` is Draft, Submitted or Withdrawn (with its ``reason``)."""

    id: str
    subject: str
    rubric: str
    user: str
    context: str | None = None
    evaluator_type: EvaluatorType = EvaluatorType.HUMAN
    evaluator_name: str | None = None
    status: EvaluationStatus = EvaluationStatus.SUBMITTED
    reason: str | None = None
    supersedes: str | None = None
    metadata: dict[str, Any] | None = None
    answers: tuple[AnswerEntry, ...] = ()


class SubjectsFile(Value, frozen=True, kw_only=True):
    """``kind: subjects``: the people, what they score, for what, and what they have answered."""

    users: tuple[User, ...] = ()
    contexts: tuple[ContextEntry, ...] = ()
    subjects: tuple[Subject, ...] = ()
    assignments: tuple[AssignmentEntry, ...] = ()
    evaluations: tuple[EvaluationEntry, ...] = ()


class Publication(Value, frozen=True, kw_only=True):
    """``kind: publication``: publish this version; nothing to do when it is published already.

    ``rubric`` is its name, or the version's id again where no file and no store told the name.
    """

    rubric: str
    version_id: str
    bump: Bump | None = None
    summary: str | None = None


Document = CategoryFile | ScaleFile | RubricFile | SubjectsFile | Publication


def split_reference(reference: str) -> tuple[str, str]:
    """``"Entity/record"`` as ``(entity, record_id)``; the record may itself hold slashes.

    Raises:
        InvalidInputError: there is no slash, or one side of it is empty.
    """
    entity, slash, record = reference.partition("/")
    if not slash or not entity.strip() or not record.strip():
        raise InvalidInputError(
            f'"{reference}" does not name a record.', remedy="Write Entity/record, as in Proposal/north."
        )
    return entity.strip(), record.strip()


def answers_for(entries: tuple[AnswerEntry, ...], version: VersionSnapshot) -> tuple[Answer, ...]:
    """The answers of an evaluation entry as core values, keys and labels looked up in ``version``.

    Keys compare exactly. A label must be one of the criterion's scale.

    Raises:
        InvalidInputError: a key the version does not have, or a label its scale does not have; the message
            names the key and lists the labels.
    """
    nodes = {node.key: node for node in version.nodes if node.is_criterion}
    scales = {scale.id: scale for scale in version.scales}
    found: list[Answer] = []
    for entry in entries:
        node = nodes.get(entry.criterion)
        if node is None:
            raise InvalidInputError(
                f'{version.rubric_name or "The version"} has no criterion "{_short(entry.criterion)}".',
                remedy=f"Its criteria are {_listed(nodes)}." if nodes else "",
            )
        level_id: str | None = None
        if entry.level is not None:
            scale = scales.get(node.scale_id or "")
            levels = {level.label: level.id for level in scale.levels} if scale else {}
            level_id = levels.get(entry.level)
            if level_id is None:
                raise InvalidInputError(
                    f'Criterion "{node.key}" has no level "{_short(entry.level)}".',
                    remedy=f"Its levels are {_listed(levels)}." if levels else "Its scale has no levels.",
                )
        found.append(
            Answer(
                criterion_id=node.id,
                scale_level_id=level_id,
                raw_value=entry.value,
                is_not_applicable=entry.not_applicable,
                confidence=entry.confidence,
                rationale=entry.rationale,
                evidence=entry.evidence,
            )
        )
    return tuple(found)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def _listed(words: Iterable[str]) -> str:
    """The first dozen words, each cut to fit a line."""
    known = list(words)
    return ", ".join(map(_short, known[:12])) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
