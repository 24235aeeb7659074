"""What stands between answers and a submission. Pure functions over the version, the subject, the answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.evidence import check_evidence
from rubrictui.core.model import Answer, Node, ScaleType, VersionSnapshot, fold_id
from rubrictui.core.records import Subject, SubmitProblem
from rubrictui.core.scoring import compute

MAXIMUM_TEXT = 200_000
MAXIMUM_EVIDENCE = 200


def settled(version: VersionSnapshot, answer: Answer) -> Answer:
    """The answer as it is stored: ids as the version writes them, and nothing that plays no part.

    N/A carries no level and no value; a numeric criterion carries no level.

    Raises:
        InvalidInputError: the version has no such criterion, or a part of the answer cannot be stored.
        ScoringError: the version does not allow the answer.
    """
    ready = _ready(version, _leaf(version, answer.criterion_id), answer)
    if ready.is_answered:
        compute(version, (ready,))
    return ready


def storable(version: VersionSnapshot, answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The answers that take part, the last one to each criterion, in the form of ``settled``.

    Illegal ones stay as given: ``submit_problems`` names them all.
    """
    leaves = {fold_id(node.id): node for node in version.nodes if node.is_criterion}
    last: dict[str, Answer] = {}
    for answer in answers:
        node = leaves.get(fold_id(answer.criterion_id))
        if node is not None:
            last[node.id] = _ready(version, node, answer)
    return tuple(last.values())


def _ready(version: VersionSnapshot, node: Node, answer: Answer) -> Answer:
    _check_parts(node, answer)
    level_id, value = answer.scale_level_id or None, answer.raw_value
    if answer.is_not_applicable:
        level_id, value = None, None
    elif level_id is not None:
        level_id = _stored_level(version, node, level_id)
    return msgspec.structs.replace(answer, criterion_id=node.id, scale_level_id=level_id, raw_value=value)


def _leaf(version: VersionSnapshot, criterion_id: str) -> Node:
    wanted = fold_id(criterion_id)
    for node in version.nodes:
        if fold_id(node.id) == wanted:
            if not node.is_criterion:
                raise InvalidInputError(
                    f'"{node.key}" is a group, and groups are not answered.',
                    remedy="Answer the criteria under it.",
                )
            return node
    raise InvalidInputError(
        f'"{version.rubric_name}" {version.number or "draft"} has no criterion {criterion_id}.',
        remedy="Use the ids of this version's criteria.",
    )


def _stored_level(version: VersionSnapshot, node: Node, level_id: str) -> str | None:
    """The level's id as its scale writes it; as given when the scale has none such (scoring refuses it)."""
    wanted, scale_id = fold_id(level_id), fold_id(node.scale_id)
    for scale in version.scales:
        if fold_id(scale.id) == scale_id:
            if scale.scale_type is ScaleType.NUMERIC:
                return None
            return next((level.id for level in scale.levels if fold_id(level.id) == wanted), level_id)
    return level_id


def _check_parts(node: Node, answer: Answer) -> None:
    if answer.raw_value is not None and not math.isfinite(answer.raw_value):
        raise InvalidInputError(f'The value of "{node.key}" is {answer.raw_value}.', remedy="Give a number.")
    if answer.confidence is not None and not 0 <= answer.confidence <= 1:
        raise InvalidInputError(
            f'The confidence of "{node.key}" is {answer.confidence:g}.', remedy="It lies in 0..1."
        )
    texts = [answer.rationale or "", *(item.text for item in answer.evidence)]
    if any(len(text) > MAXIMUM_TEXT for text in texts) or len(answer.evidence) > MAXIMUM_EVIDENCE:
        raise InvalidInputError(
            f'The answer to "{node.key}" is too long.',
            remedy=f"Use at most {MAXIMUM_TEXT} characters a text and {MAXIMUM_EVIDENCE} pieces of evidence.",
        )


def submit_problems(
    version: VersionSnapshot, subject: Subject, answers: Iterable[Answer]
) -> tuple[SubmitProblem, ...]:
    """Everything that keeps these answers from being submitted, in the order of the version's nodes.

    An unanswered criterion is none. Every answer, N/A included, needs its rationale where one is required;
    every answer but N/A its evidence. Quotes must stand in the subject word for word.
    """
    last = {fold_id(answer.criterion_id): answer for answer in answers}
    illegal = _illegal(version, list(last.values()))
    problems: list[SubmitProblem] = []
    for node in version.nodes:
        answer = last.get(fold_id(node.id))
        if answer is None or not node.is_criterion:
            continue
        found: list[tuple[str, str]] = []
        error = illegal.get(fold_id(node.id))
        if error is not None:
            found.append((error.kind, str(error)))
        if answer.is_answered:
            if node.rationale_required and not (answer.rationale or "").strip():
                found.append(("rationale_missing", f"{_title(node)} needs a rationale."))
            if node.evidence_required and not answer.is_not_applicable and not answer.evidence:
                found.append(("evidence_missing", f"{_title(node)} needs evidence."))
        for item in answer.evidence:
            problem = check_evidence(subject, item)
            if problem is not None:
                message = f"{_title(node)}: {problem.message} {problem.remedy}".rstrip()
                found.append((problem.kind, message))
        problems.extend(
            SubmitProblem(kind=kind, criterion_id=node.id, key=node.key, message=message)
            for kind, message in found
        )
    return tuple(problems)


def _illegal(version: VersionSnapshot, answers: list[Answer]) -> dict[str, ScoringError]:
    """Folded criterion id -> why its answer is not allowed. The scorer names one at a time."""
    found: dict[str, ScoringError] = {}
    ids = {node.key: fold_id(node.id) for node in version.nodes}
    while True:
        try:
            compute(version, answers)
        except ScoringError as error:
            culprit = ids[error.key]
            found[culprit] = error
            rest = [answer for answer in answers if fold_id(answer.criterion_id) != culprit]
            if len(rest) == len(answers):
                raise
            answers = rest
        else:
            return found


def unanswered_keys(version: VersionSnapshot, answers: Iterable[Answer]) -> tuple[str, ...]:
    """The keys of the criteria without an answer, in order, advisory ones included."""
    answered = {fold_id(answer.criterion_id) for answer in answers if answer.is_answered}
    return tuple(n.key for n in version.nodes if n.is_criterion and fold_id(n.id) not in answered)


def answer_warnings(version: VersionSnapshot, answers: Sequence[Answer]) -> tuple[str, ...]:
    """Answers that take no part: to criteria the version does not have, to groups, and repeated ones."""
    nodes = {fold_id(node.id): node for node in version.nodes}
    warnings: list[str] = []
    seen: set[str] = set()
    for answer in answers:
        id = fold_id(answer.criterion_id)
        node = nodes.get(id)
        if node is None:
            warnings.append(f"An answer to {answer.criterion_id} was ignored: there is no such criterion.")
        elif not node.is_criterion:
            warnings.append(f'An answer to "{node.key}" was ignored: it is a group.')
        elif id in seen:
            warnings.append(f'"{node.key}" was answered twice: the last answer counts.')
        seen.add(id)
    return tuple(warnings)


def _title(node: Node) -> str:
    return f'"{node.name or node.key}"'
