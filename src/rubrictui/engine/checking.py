"""What stands between answers and a submission. Pure functions over the version, the subject, the answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.evidence import check_evidence
from rubrictui.core.model import Answer, Node, VersionSnapshot, fold_id
from rubrictui.core.plan import Leaf, plan_of
from rubrictui.core.records import Subject, SubmitProblem
from rubrictui.core.scoring import check_answer, compute, unknown_answers

MAXIMUM_TEXT = 200_000
MAXIMUM_EVIDENCE = 200


def settled(version: VersionSnapshot, answer: Answer) -> Answer:
    """The answer as it is stored: ids as the version writes them, and nothing that plays no part.

    N/A carries no level and no value; a numeric criterion carries no level.

    Raises:
        InvalidInputError: the version has no such criterion, or a part of the answer cannot be stored.
        ScoringError: the version does not allow the answer.
    """
    check_answer(version, answer)
    return _ready(plan_of(version).leaf_of[fold_id(answer.criterion_id)], answer)


def storable(version: VersionSnapshot, answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The answers that take part, the last one to each criterion, in the form of ``settled``.

    Illegal ones stay as given: ``submit_problems`` names them all.
    """
    leaf_of = plan_of(version).leaf_of
    last: dict[str, Answer] = {}
    for answer in answers:
        leaf = leaf_of.get(fold_id(answer.criterion_id))
        if leaf is not None:
            last[leaf.node.id] = _ready(leaf, answer)
    return tuple(last.values())


def _ready(leaf: Leaf, answer: Answer) -> Answer:
    _check_parts(leaf.node, answer)
    level_id, value = answer.scale_level_id or None, answer.raw_value
    if answer.is_not_applicable:
        level_id, value = None, None
    elif level_id is not None:
        level = leaf.levels.get(fold_id(level_id))
        level_id = None if leaf.is_numeric else level.id if level else level_id
    return msgspec.structs.replace(
        answer, criterion_id=leaf.node.id, scale_level_id=level_id, raw_value=value
    )


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
    leaf_of = plan_of(version).leaf_of
    given = Counter(fold_id(answer.criterion_id) for answer in answers)
    repeated = (leaf_of[id].node.key for id, count in given.items() if count > 1 and id in leaf_of)
    return (
        *unknown_answers(version, answers),
        *(f'"{key}" is answered more than once. The last answer counts.' for key in repeated),
    )


def _title(node: Node) -> str:
    return f'"{node.name or node.key}"'
