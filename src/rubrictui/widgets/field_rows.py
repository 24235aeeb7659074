"""The fields of a node or of a version, as the pane lists them: what each is, holds, and means. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rubrictui.core.model import Node, RollupMethod, Scale, ScaleType, VersionSnapshot, fold_id
from rubrictui.core.problems import Problem
from rubrictui.widgets.field_choices import (
    POLICIES,
    ROLLUPS,
    TYPES,
    config_words,
    policy_label,
    scale_name,
    scale_words,
)
from rubrictui.widgets.field_model import NONE, Choice, Field, FieldKind, with_problems
from rubrictui.widgets.field_numbers import number_text
from rubrictui.widgets.rubric_tree import percent

MAJOR_KEY = "It was published: changing it is Major, and old answers no longer find it."
MAJOR_SCALE = "It was published on this scale: changing it is Major."


def node_fields(
    version: VersionSnapshot,
    node: Node,
    *,
    shares: Mapping[str, float | None],
    problems: Iterable[Problem] = (),
    frozen_keys: Collection[str] = (),
) -> tuple[Field, ...]:
    """The rows of one node.

    Args:
        version: the draft.
        node: one of its nodes.
        shares: each node's share (0..1) of its group, by id.
        problems: of the draft; those of other nodes are left out.
        frozen_keys: keys of the published version that the draft is based on.
    """
    scale = next((s for s in version.scales if fold_id(s.id) == fold_id(node.scale_id)), None)
    is_published = node.key in frozen_keys
    rows = [
        Field(
            "title",
            f"{node.node_type.value} · {node.name or node.key}",
            FieldKind.HEADING,
        ),
        _text("name", "Name", FieldKind.LINE, node.name, "What people call it; it may change at any time."),
        Field(
            "key",
            "Key",
            FieldKind.KEY,
            node.key,
            node.key,
            "Its permanent name: answers of other versions are matched by it.",
            frozen=MAJOR_KEY if is_published else "",
        ),
        _choice(
            "node_type", "Type", node.node_type, TYPES, "A criterion is answered; a group is worked out."
        ),
        Field(
            "weight",
            "Weight",
            FieldKind.NUMBER,
            node.weight,
            number_text(node.weight) + _share_words(node, shares),
            "How much it counts beside its siblings: 2 counts twice as much as 1.",
        ),
    ]
    if node.is_criterion:
        rows.append(_scale_row(node, scale, is_published))
    rows += [
        _flag(
            "is_advisory",
            "Advisory",
            node.is_advisory,
            "It is answered and shown, and never moves the score.",
        ),
        _flag("is_gate", "Gate", node.is_gate, "Below its minimum the whole evaluation fails."),
        _number(
            "gate_minimum_score",
            "Gate minimum",
            node.gate_minimum_score,
            "The lowest score that passes the gate, 0 to 1, such as 0.6 or 60%."
            + (
                ""
                if node.is_gate or node.gate_minimum_score is None
                else " It is no gate, so this is not used."
            ),
            unset=NONE if node.is_gate else "none: it is not a gate",
        ),
    ]
    if node.is_criterion or node.not_applicable_policy is not None:
        rows.append(_policy_row(version, node))
    if not node.is_criterion:
        rows.append(
            _choice(
                "rollup_method",
                "Rollup",
                node.rollup_method or RollupMethod.WEIGHTED_MEAN,
                ROLLUPS,
                "How the score of the group follows from its children.",
            )
        )
    if node.is_criterion or node.evidence_required:
        rows.append(
            _flag(
                "evidence_required",
                "Evidence",
                node.evidence_required,
                "An answer must cite evidence.",
                "required",
            )
        )
    if node.is_criterion or node.rationale_required:
        rows.append(
            _flag(
                "rationale_required",
                "Rationale",
                node.rationale_required,
                "An answer must say why.",
                "required",
            )
        )
    rows += [
        _text(
            "description",
            "Description",
            FieldKind.TEXT,
            node.description,
            "What is asked, as reviewers read it.",
        ),
        _text(
            "guidance",
            "Guidance",
            FieldKind.TEXT,
            node.guidance,
            "How to judge it: what counts and what does not.",
        ),
    ]
    rows += _anchor_rows(node, scale)
    if node.is_criterion or node.evaluator_config:
        rows.append(_config_row(node))
    own = [p for p in problems if fold_id(p.node_id) == fold_id(node.id) and fold_id(node.id)]
    return with_problems(rows, own)


def version_fields(version: VersionSnapshot, *, problems: Iterable[Problem] = ()) -> tuple[Field, ...]:
    """The rows of what holds for the whole version; of the problems those that are about no node."""
    rows = [
        Field("title", f"Whole version · {version.rubric_name}", FieldKind.HEADING),
        _text(
            "instructions",
            "Instructions",
            FieldKind.TEXT,
            version.instructions,
            "What reviewers read before the first answer.",
        ),
        _number(
            "pass_threshold",
            "Pass threshold",
            version.pass_threshold,
            "The lowest score that passes, 0 to 1; empty: nothing passes or fails by its score.",
        ),
        _number(
            "minimum_completeness",
            "Completeness",
            version.minimum_completeness,
            "The least share of answered criteria, 0 to 1, below which the outcome is Incomplete.",
        ),
        _choice(
            "not_applicable_policy",
            "N/A policy",
            version.not_applicable_policy,
            POLICIES,
            "What N/A does where a criterion says nothing else.",
        ),
        _number(
            "score_display_min",
            "Shown from",
            version.score_display_min,
            "How a score of 0 is shown.",
            optional=False,
            share=False,
        ),
        _number(
            "score_display_max",
            "Shown to",
            version.score_display_max,
            "How a score of 1 is shown.",
            optional=False,
            share=False,
        ),
        Field(
            "bands",
            "Bands",
            FieldKind.BANDS,
            version.bands,
            ", ".join(band.label or "(no label)" for band in version.bands) or NONE,
            "Words for ranges of the score; they never decide what passes.",
            is_unset=not version.bands,
        ),
    ]
    return with_problems(rows, [p for p in problems if not fold_id(p.node_id)])


# -- rows


def _text(name: str, label: str, kind: FieldKind, value: str | None, help: str) -> Field:
    return Field(
        name,
        label,
        kind,
        value or "",
        value or NONE,
        help,
        is_unset=not value,
        optional=kind is FieldKind.TEXT,
    )


def _flag(name: str, label: str, value: bool, help: str, word: str = "yes") -> Field:
    return Field(name, label, FieldKind.BOOLEAN, value, word if value else "no", help, is_unset=not value)


def _number(
    name: str,
    label: str,
    value: float | None,
    help: str,
    *,
    unset: str = NONE,
    optional: bool = True,
    share: bool = True,
) -> Field:
    shown = unset if value is None else number_text(value)
    return Field(
        name,
        label,
        FieldKind.NUMBER,
        value,
        shown,
        help,
        is_unset=value is None,
        optional=optional,
        share=share,
    )


def _choice(name: str, label: str, value: Any, choices: Sequence[Choice], help: str) -> Field:
    chosen = next((choice for choice in choices if choice.value == value), None)
    shown = f"{chosen.label}: {chosen.about}" if chosen else NONE
    return Field(name, label, FieldKind.CHOICE, value, shown, help, choices=tuple(choices))


def _share_words(node: Node, shares: Mapping[str, float | None]) -> str:
    if node.is_advisory:
        return "  (advisory: it never counts)"
    share = shares.get(node.id)
    return f"  ({percent(share)} of its group)" if share is not None else ""


def _policy_row(version: VersionSnapshot, node: Node) -> Field:
    inherited = policy_label(version.not_applicable_policy).lower()
    choices = (Choice(None, "As the version says", inherited), *POLICIES)
    return replace(
        _choice(
            "not_applicable_policy",
            "N/A policy",
            node.not_applicable_policy,
            choices,
            "What a not-applicable answer does.",
        ),
        is_unset=node.not_applicable_policy is None,
        optional=True,
    )


def _scale_row(
    node: Node,
    scale: Scale | None,
    is_published: bool,
) -> Field:
    if scale is not None:
        shown = f"{scale_name(scale)}: {scale_words(scale)}"
    else:
        shown = f"a scale that is not there ({node.scale_id})" if fold_id(node.scale_id) else NONE
    return Field(
        "scale",
        "Scale",
        FieldKind.CHOICE,
        scale,
        shown,
        "What it is answered on. Texts of levels with the same label come along.",
        is_unset=scale is None,
        optional=True,
        frozen=MAJOR_SCALE if is_published else "",
    )


def _anchor_rows(node: Node, scale: Scale | None) -> list[Field]:
    texts = {fold_id(anchor.scale_level_id): anchor for anchor in node.anchors}
    levels = scale.levels if scale is not None and scale.scale_type is ScaleType.LEVELS else ()
    own = {fold_id(level.id) for level in levels}
    written = sum(1 for level in own if level in texts and texts[level].descriptor.strip())
    rows: list[Field] = []
    for level in levels:
        anchor = texts.get(fold_id(level.id))
        text = anchor.descriptor if anchor else ""
        rows.append(
            Field(
                "anchor",
                level.label,
                FieldKind.TEXT,
                text,
                text or (f"(scale: {level.description})" if level.description else NONE),
                "What this level means for this criterion.",
                is_unset=not text,
                optional=True,
                level_id=level.id,
                tail=f" ({level.normalized_value:.3g})",
                indent=1,
            )
        )
    for anchor in node.anchors:
        if fold_id(anchor.scale_level_id) in own:
            continue
        if anchor.scale_level_id:
            rows.append(
                Field(
                    "anchor",
                    "Other scale",
                    FieldKind.TEXT,
                    anchor.descriptor,
                    anchor.descriptor or NONE,
                    "Kept from a level that this scale does not have; Delete removes it.",
                    optional=True,
                    level_id=anchor.scale_level_id,
                    indent=1,
                )
            )
        else:
            rows.append(
                Field(
                    f"anchor at {number_text(anchor.anchor_value)}",
                    f"At {number_text(anchor.anchor_value) or '?'}",
                    FieldKind.FIXED,
                    anchor.descriptor,
                    anchor.descriptor or NONE,
                    "A text for a number of the scale; it is edited in the rubric's file.",
                    indent=1,
                )
            )
    if rows:
        count = f" · {written} of {len(levels)} written" if levels else ""
        rows.insert(0, Field("anchors", f"What each level means{count}", FieldKind.HEADING))
    return rows


def _config_row(node: Node) -> Field:
    config = node.evaluator_config
    return Field(
        "evaluator_config",
        "Evaluator",
        FieldKind.YAML,
        config,
        config_words(config),
        "Settings of the evaluators, as YAML: a rule that answers from data, a model's name.",
        is_unset=not config,
        optional=True,
    )
