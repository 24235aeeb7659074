"""The evaluator of rules: each criterion's ``EvaluatorConfig.Deterministic`` over the subject's data, no model.

Rules: guide section 8; contract, "Deterministic rules". What a rule means is ``core.deterministic``'s; here the
rules of a version are made ready once, and their answers put together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import msgspec

from rubrictui.core.batch import AnswerCodes, BatchScores, score_codes
from rubrictui.core.deterministic import (
    MISSING,
    CompiledRule,
    RuleAnswer,
    RuleError,
    compile_rule,
    parse_rule,
    read_path,
    rule_of,
)
from rubrictui.core.model import Answer, Evidence, EvidenceKind, Node, VersionSnapshot, fold_id
from rubrictui.core.plan import plan_of
from rubrictui.core.records import EvaluatorType
from rubrictui.core.scoring import read_answer
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError

_NO_RULE = "no rule"
_NO_LABEL = "the rule names no level for this result"
_NOT_ON_SCALE = "the rule's level is not on the scale"


class _Ready(NamedTuple):
    """One criterion with its rule, and the answers it can give by the identity of what the rule says."""

    node: Node
    path: str
    rule: CompiledRule
    answers: dict[int, Answer]
    shows_evidence: bool


class RuleSet:
    """The rules of one version, ready for any number of subjects.

    Args:
        version: its criteria without a rule stay unanswered.

    Raises:
        EvaluatorError: a rule that cannot run; the message names its criterion.
    """

    def __init__(self, version: VersionSnapshot) -> None:
        self._version = version
        scales = {fold_id(scale.id): scale for scale in reversed(version.scales)}
        self._ready: list[_Ready] = []
        self._without: dict[str, str] = {}
        for node in version.nodes:
            if not node.is_criterion:
                continue
            written = rule_of(node.evaluator_config)
            try:
                parsed = None if written is None else parse_rule(written)
                rule = None if parsed is None else compile_rule(parsed, scales.get(fold_id(node.scale_id)))
            except RuleError as error:
                raise _failed(node, error) from error
            if parsed is None or rule is None:
                self._without[node.key] = _NO_RULE
                continue
            said = (rule.when_true, rule.when_false, rule.when_missing)
            answers = {id(one): _answer(node, one) for one in said if one is not None and one.is_answered}
            self._ready.append(_Ready(node, parsed.path or "", rule, answers, node.evidence_required))

    def answers(self, data: Any) -> tuple[list[Answer], dict[str, str]]:
        """The answers to one subject's data, and why the other criteria have none, by key.

        Raises:
            EvaluatorError: a pattern took too long on this data.
        """
        given: list[Answer] = []
        unanswered = dict(self._without)
        for ready in self._ready:
            said = self._said(ready, data)
            answer = ready.answers.get(id(said))
            if answer is None:
                unanswered[ready.node.key] = _NO_LABEL if said is None else _NOT_ON_SCALE
            elif ready.shows_evidence and not answer.is_not_applicable:
                given.append(msgspec.structs.replace(answer, evidence=(_evidence(ready.path, data),)))
            else:
                given.append(answer)
        return given, unanswered

    def scores(self, many: Iterable[Any], *, pass_threshold: float | None = None) -> BatchScores:
        """The scores of many subjects' data at once, equal to those of ``answers`` one by one.

        Args:
            many: the data of each subject; the results come in this order.
            pass_threshold: in place of the version's.

        Raises:
            EvaluatorError: a pattern took too long.
            ScoringError: a rule answers what the version does not allow.
        """
        import numpy as np

        plan = plan_of(self._version)
        books = [[read_answer(leaf, None)] for leaf in plan.leaves]
        columns: list[tuple[int, _Ready, dict[int, int]]] = []
        for ready in self._ready:
            leaf = plan.leaf_of.get(ready.node.id)
            if leaf is None:
                continue
            number = plan.number_of[leaf.node.id]
            book = books[number]
            codes: dict[int, int] = {}
            for said, answer in ready.answers.items():
                codes[said] = len(book)
                book.append(read_answer(leaf, answer))
            columns.append((number, ready, codes))
        listed = list(many)
        coded = np.zeros((len(books), len(listed)), dtype=np.uint8)
        for number, ready, codes in columns:
            said_of, code_of = ready.rule.answer, codes.get
            try:
                coded[number] = [code_of(id(said_of(data)), 0) for data in listed]
            except RuleError as error:
                raise _failed(ready.node, error) from error
        answers = AnswerCodes(coded, tuple(tuple(book) for book in books))
        return score_codes(self._version, answers, pass_threshold=pass_threshold)

    @staticmethod
    def _said(ready: _Ready, data: Any) -> RuleAnswer | None:
        try:
            return ready.rule.answer(data)
        except RuleError as error:
            raise _failed(ready.node, error) from error


class DeterministicEvaluator(RubricEvaluator):
    """Answers by rule. A criterion without one stays unanswered, and is listed."""

    name: ClassVar[str] = "Deterministic"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.DETERMINISTIC

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        answers, unanswered = RuleSet(context.version).answers(context.content.data)
        return self.scored(context, answers, unanswered=unanswered)


def _answer(node: Node, said: RuleAnswer) -> Answer:
    return Answer(
        criterion_id=node.id,
        scale_level_id=said.scale_level_id,
        raw_value=said.raw_value,
        is_not_applicable=said.is_not_applicable,
        rationale=said.rationale,
    )


def _evidence(path: str, data: Any) -> Evidence:
    """What the rule has looked at, for a criterion that wants to see it."""
    found = read_path(data, path)
    shown = "is missing" if found is MISSING else f"= {msgspec.json.encode(found).decode()}"
    return Evidence(kind=EvidenceKind.NOTE, text=f"{path} {shown}"[:2000])


def _failed(node: Node, error: RuleError) -> EvaluatorError:
    return EvaluatorError(
        f'The rule of "{node.name or node.key}" cannot run: {error.message}', remedy=error.remedy
    )
