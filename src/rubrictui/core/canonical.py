"""Two fingerprints of a version, and one of a subject: SHA-256 over canonical JSON (contract, "Hashes").

*Canonical JSON* writes equal values as equal text: keys sorted by code point, UTF-8, no spaces, and each
number as the shortest plain decimal that reads back equal. So 1, 1.0 and 1e0 are ``1``, -0.0 is ``0``,
1e21 is ``1000000000000000000000`` and 1e-7 is ``0.0000001``; there is never an exponent.

*Content hash*: everything an author wrote, no ids. *Scoring hash*: only what changes a score; wording,
order, thresholds, bands and advisory nodes are not in it. Nodes are known by their key, parents by the
parent's key, and everything that has no order of its own is sorted, so ids, the database and the order of
loading never matter: order that was authored stands in ``sequence``, which the content hash covers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from math import isfinite
from typing import Any

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Anchor, Band, Level, Node, Scale, VersionSnapshot, fold_id
from rubrictui.core.records import Subject, SubjectFile

#: Deepest nesting of lists and objects; nothing that people write comes near it.
MAX_DEPTH = 200


def canonical_json(value: Any) -> str:
    """The canonical JSON of ``value``: None, booleans, numbers, text, lists, tuples and mappings of these.

    Raises:
        InvalidInputError: NaN or an infinity, text that UTF-8 cannot hold, a key that is no text, nesting
            deeper than ``MAX_DEPTH``, or a type that JSON does not have.
    """
    parts: list[str] = []
    _write(value, parts.append, 0)
    return "".join(parts)


def content_hash(version: VersionSnapshot) -> str:
    """SHA-256 (64 hex digits) of everything an author wrote in ``version``.

    Covers texts, numbers, sequences, anchors, bands and the scales its nodes use; not ids, not the rubric's
    name, not what publishing computes (number, status).

    Raises:
        InvalidInputError: a value that canonical JSON cannot hold (see ``canonical_json``).
    """
    return _sha256(content_projection(version))


def scoring_hash(version: VersionSnapshot) -> str:
    """SHA-256 (64 hex digits) of what changes a score in ``version``, and of nothing else.

    Versions with equal scoring hashes give equal answers equal scores. Answers are equal when they give
    the criteria of the same keys the same raw value, or a level of the same value and normalized value.
    The converse is not promised.

    Raises:
        InvalidInputError: a value that canonical JSON cannot hold (see ``canonical_json``).
    """
    return _sha256(scoring_projection(version))


def subject_hash(subject: Subject) -> str:
    """SHA-256 (64 hex digits) of what a reviewer sees of ``subject``: title, text, data and files.

    A file counts by its name, media type and text, or the hash of its bytes where it has no text; the order
    of files, where they lie on disk, and the subject's ids do not count.

    Raises:
        InvalidInputError: data that canonical JSON cannot hold (see ``canonical_json``).
    """
    return _sha256(
        {
            "title": subject.title,
            "text": subject.text,
            "data": subject.data,
            "files": _sorted(_file(each) for each in subject.files),
        }
    )


def scoring_projection(version: VersionSnapshot) -> dict[str, Any]:
    """What ``scoring_hash`` is taken of, as plain JSON values."""
    parent_key, scale_of = _parent_keys(version), _scale_lookup(version)
    return {
        "not_applicable_policy": version.not_applicable_policy,
        "nodes": _sorted(
            {
                "key": node.key,
                "parent": parent_key(node),
                "node_type": node.node_type,
                "weight": node.weight,
                "is_gate": node.is_gate,
                "gate_minimum_score": node.gate_minimum_score,
                "not_applicable_policy": node.not_applicable_policy,
                "rollup_method": node.rollup_method,
                "evaluator_config": node.evaluator_config,
                "scale": scale_of(node, _scoring_scale),
            }
            for node in version.nodes
            if not node.is_advisory
        ),
    }


def content_projection(version: VersionSnapshot) -> dict[str, Any]:
    """What ``content_hash`` is taken of, as plain JSON values."""
    parent_key, scale_of = _parent_keys(version), _scale_lookup(version)
    return {
        "instructions": version.instructions,
        "pass_threshold": version.pass_threshold,
        "minimum_completeness": version.minimum_completeness,
        "not_applicable_policy": version.not_applicable_policy,
        "score_display_min": version.score_display_min,
        "score_display_max": version.score_display_max,
        "nodes": _sorted(
            {
                "key": node.key,
                "parent": parent_key(node),
                "name": node.name,
                "description": node.description,
                "guidance": node.guidance,
                "node_type": node.node_type,
                "weight": node.weight,
                "is_advisory": node.is_advisory,
                "is_gate": node.is_gate,
                "gate_minimum_score": node.gate_minimum_score,
                "not_applicable_policy": node.not_applicable_policy,
                "rollup_method": node.rollup_method,
                "evidence_required": node.evidence_required,
                "rationale_required": node.rationale_required,
                "sequence": node.sequence,
                "evaluator_config": node.evaluator_config,
                "anchors": _content_anchors(node, scale_of(node, _levels_by_id)),
                "scale": scale_of(node, _content_scale),
            }
            for node in version.nodes
        ),
        "bands": _sorted(_content_band(band) for band in version.bands),
    }


def _scoring_scale(scale: Scale) -> dict[str, Any]:
    # Answers name a level, and here only its values can: so levels stand in the order of their values.
    # Where values are absent or equal they cannot tell levels apart, and the authored sequence does;
    # otherwise two such levels that trade their scores would go unseen.
    levels = sorted(
        scale.levels,
        key=lambda level: (
            level.value is not None,
            level.value or 0.0,
            level.sequence,
            level.normalized_value,
        ),
    )
    return {
        "scale_type": scale.scale_type,
        "min_value": scale.min_value,
        "max_value": scale.max_value,
        "step": scale.step,
        "higher_is_better": scale.higher_is_better,
        "levels": [[level.value, level.normalized_value] for level in levels],
    }


def _content_scale(scale: Scale) -> dict[str, Any]:
    return {
        "name": scale.name,
        "description": scale.description,
        "scale_type": scale.scale_type,
        "min_value": scale.min_value,
        "max_value": scale.max_value,
        "step": scale.step,
        "higher_is_better": scale.higher_is_better,
        "levels": _sorted(
            {**_content_level(level), "description": level.description} for level in scale.levels
        ),
    }


def _content_level(level: Level) -> dict[str, Any]:
    return {
        "label": level.label,
        "value": level.value,
        "normalized_value": level.normalized_value,
        "sequence": level.sequence,
    }


def _content_anchors(node: Node, levels: Any) -> list[Any]:
    def project(anchor: Anchor) -> dict[str, Any]:
        level = levels.get(fold_id(anchor.scale_level_id)) if levels else None
        return {
            "level": None if level is None else _content_level(level),
            "anchor_value": anchor.anchor_value,
            "descriptor": anchor.descriptor,
        }

    # Anchors have no sequence of their own: the order in which they stand is the authored one.
    return [project(anchor) for anchor in node.anchors]


def _content_band(band: Band) -> dict[str, Any]:
    return {
        "label": band.label,
        "description": band.description,
        "min_score": band.min_score,
        "max_score": band.max_score,
        "display_tone": band.display_tone,
        "sequence": band.sequence,
    }


def _file(file: SubjectFile) -> dict[str, Any]:
    return {
        "name": file.name,
        "media_type": file.media_type,
        "text": file.text,
        "sha256": _file_hash(file) if file.text is None else None,
    }


def _file_hash(file: SubjectFile) -> str | None:
    if file.sha256 is None and file.content is not None:
        return hashlib.sha256(file.content).hexdigest()
    return file.sha256


def _levels_by_id(scale: Scale) -> dict[str, Level]:
    return {fold_id(level.id): level for level in reversed(scale.levels)}


def _parent_keys(version: VersionSnapshot) -> Callable[[Node], str | bool | None]:
    """How a node names its parent: by key; None at the root, False when the parent does not exist."""
    keys = {fold_id(node.id): node.key for node in reversed(version.nodes)}

    def parent_key(node: Node) -> str | bool | None:
        parent = fold_id(node.parent_id)
        return keys.get(parent, False) if parent else None

    return parent_key


def _scale_lookup(version: VersionSnapshot) -> Callable[[Node, Callable[[Scale], Any]], Any]:
    """A node's scale, projected once however many nodes use it; None for none, False when it is missing."""
    scales = {fold_id(scale.id): scale for scale in reversed(version.scales)}
    projected: dict[tuple[str, Callable[[Scale], Any]], Any] = {}

    def scale_of(node: Node, project: Callable[[Scale], Any]) -> Any:
        scale_id = fold_id(node.scale_id)
        if not scale_id:
            return None
        if (scale_id, project) not in projected:
            scale = scales.get(scale_id)
            projected[scale_id, project] = False if scale is None else project(scale)
        return projected[scale_id, project]

    return scale_of


def _sorted(projections: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order that says nothing is made the same everywhere: by each element's own canonical text."""
    return sorted(projections, key=canonical_json)


def _sha256(projection: Any) -> str:
    return hashlib.sha256(canonical_json(projection).encode()).hexdigest()


def _write(value: Any, out: Callable[[str], None], depth: int) -> None:
    if value is None:
        out("null")
    elif value is True or value is False:
        out("true" if value else "false")
    elif isinstance(value, str):
        out(_text(value))
    elif isinstance(value, int | float):
        out(_number(value))
    elif depth >= MAX_DEPTH:
        raise InvalidInputError(
            f"A value is nested more than {MAX_DEPTH} levels deep.",
            remedy="Flatten it, or keep it elsewhere.",
        )
    elif isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInputError(f"The key {key!r} is not text.", remedy="Write it in quotes.")
        separator = "{"
        for key in sorted(value):
            out(f"{separator}{_text(key)}:")
            _write(value[key], out, depth + 1)
            separator = ","
        out("{}" if separator == "{" else "}")
    elif isinstance(value, list | tuple):
        separator = "["
        for item in value:
            out(separator)
            _write(item, out, depth + 1)
            separator = ","
        out("[]" if separator == "[" else "]")
    else:
        raise InvalidInputError(
            f"A value of type {type(value).__name__} has no place in JSON.",
            remedy="Use text, numbers, true, false, null, lists and objects.",
        )


def _text(value: str) -> str:
    text = json.dumps(value.value if isinstance(value, Enum) else value, ensure_ascii=False)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidInputError(
                f"The text {value[:40]!a} holds half a character (a lone surrogate).",
                remedy="Remove or replace it.",
            ) from None
    return text


def _number(value: float) -> str:
    if isinstance(value, int):
        if value.bit_length() > 1024:
            raise InvalidInputError("An integer has more than 308 digits.", remedy="Write it as text.")
        return int.__repr__(value)
    if not isfinite(value):
        raise InvalidInputError(
            f"{value} is not a number that JSON has.", remedy="Use a finite number or null."
        )
    # ``repr`` gives the fewest digits that read back equal; only its exponent has to be spelt out.
    mantissa, _, exponent = float.__repr__(value).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    fraction = fraction.rstrip("0")
    shift = int(exponent or 0)
    if shift > 0:
        fraction = fraction.ljust(shift, "0")
        whole, fraction = whole + fraction[:shift], fraction[shift:]
    elif shift < 0:
        whole, fraction = "0", whole.rjust(-shift, "0") + fraction
    if whole.strip("0") == "" and fraction == "":
        return "0"
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"
