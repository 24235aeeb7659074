"""The data that rubric templates render from: the variables of guide section 8, under the guide's names.

The content of a subject is never part of it: only which record is scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubrictui.core.model import Level, Node, Scale, VersionSnapshot, fold_id
from rubrictui.core.plan import Leaf, plan_of
from rubrictui.core.prompt_records import Prompt
from rubrictui.evaluators.prompting import CriterionTextsError, render

CriterionData = dict[str, Any]


def leaves(version: VersionSnapshot) -> tuple[Leaf, ...]:
    """The criteria that are asked, in the order of the tree, advisory ones included."""
    return tuple(plan_of(version).leaves)


def levels_upwards(scale: Scale | None) -> tuple[Level, ...]:
    """The levels of a scale, the lowest first; none for a numeric scale."""
    if scale is None:
        return ()
    return tuple(sorted(scale.levels, key=lambda level: (level.normalized_value, -level.sequence)))


def rubric_data(version: VersionSnapshot) -> dict[str, Any]:
    """``Rubric``: instructions, the default policy, the threshold."""
    return {
        "Instructions": version.instructions or None,
        "NotApplicablePolicy": version.not_applicable_policy.value,
        "PassThreshold": version.pass_threshold,
    }


def criterion_data(leaf: Leaf) -> CriterionData:
    """One criterion, without its ``Text``."""
    node, scale = leaf.node, leaf.scale
    ai = _ai_config(node)
    return {
        "Key": node.key,
        "Name": node.name or node.key,
        "Description": node.description or None,
        "Guidance": node.guidance or None,
        "Hints": ai.get("Hints") or None,
        "RequireQuote": requires_quote(node),
        "EvidenceRequired": node.evidence_required,
        "RationaleRequired": node.rationale_required,
        "IsGate": node.is_gate,
        "NotApplicablePolicy": leaf.policy.value,
        "Scale": None if scale is None else _scale_data(scale),
        "Levels": [] if leaf.is_numeric else _levels_data(node, scale),
        "Text": "",
    }


def requires_quote(node: Node) -> bool:
    """Whether a model has to quote: the criterion needs evidence, or its ``AI.RequireQuote`` asks for it."""
    return node.evidence_required or _ai_config(node).get("RequireQuote") is True


def criteria_texts(version: VersionSnapshot, prompt: Prompt) -> dict[str, str]:
    """Each criterion as the criterion prompt renders it, by key, in the order of the tree.

    Raises:
        PromptTemplateError: the template fails.
        CriterionTextsError: some criteria get no text.
    """
    rubric = rubric_data(version)
    asked = leaves(version)
    texts = {
        leaf.node.key: render(prompt, {"Rubric": rubric, "Criterion": criterion_data(leaf)}) for leaf in asked
    }
    texts = {key: text for key, text in texts.items() if text}
    if len(texts) != len(asked):
        raise CriterionTextsError(
            f"The criterion prompt rendered {len(texts)} texts for {len(asked)} criteria.",
            remedy=f'Preview "{prompt.name}" and check its template.',
        )
    return texts


def prompt_data(
    version: VersionSnapshot,
    mode: str,
    texts: Mapping[str, str],
    *,
    entity: str,
    record_id: str,
    keys: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What the evaluator and the judge render from.

    Args:
        mode: SinglePass or PerCriterion.
        texts: as ``criteria_texts`` gives them.
        entity, record_id: which record is scored.
        keys: ask only these criteria.
    """
    criteria = [
        {**criterion_data(leaf), "Text": texts[leaf.node.key]}
        for leaf in leaves(version)
        if keys is None or leaf.node.key in keys
    ]
    return {
        "Rubric": rubric_data(version),
        "Mode": mode,
        "Criteria": criteria,
        "Subject": {"EntityName": entity, "RecordID": record_id},
    }


def _ai_config(node: Node) -> Mapping[str, Any]:
    config = node.evaluator_config or {}
    ai = config.get("AI", config.get("ai"))
    return ai if isinstance(ai, Mapping) else {}


def _scale_data(scale: Scale) -> dict[str, Any]:
    return {
        "Type": scale.scale_type.value,
        "Min": _plain(scale.min_value),
        "Max": _plain(scale.max_value),
        "Step": _plain(scale.step),
        "HigherIsBetter": scale.higher_is_better,
    }


def _levels_data(node: Node, scale: Scale | None) -> list[dict[str, Any]]:
    anchors = {
        fold_id(anchor.scale_level_id): anchor.descriptor for anchor in node.anchors if anchor.scale_level_id
    }
    return [
        {
            "Label": level.label,
            "NormalizedValue": _plain(level.normalized_value),
            "Anchor": anchors.get(fold_id(level.id)) or level.description or None,
        }
        for level in levels_upwards(scale)
    ]


def _plain(value: float | None) -> float | int | None:
    """10 and not 10.0, as people and models write it."""
    return int(value) if value is not None and value == int(value) and abs(value) < 2**53 else value
