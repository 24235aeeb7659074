"""A matter as a rubric: what its points are given for, as a version that people, judges and rules can score with.

There is a criterion for each question, escalation, issue, redline, settlement and the final submission that earns
points, weighted by them, so that a full mark everywhere is the matter's greatest score. Being no critical failure is a
gate of weight 0. What costs points has no criterion: the matter's own score tells of it (``matter_answers``).

Reviewers read a rubric, and it is stored. So names and texts come from what the matter shows anyway (titles,
provisions with their headings, ids, points); concepts, aliases, the right severity, required citations, patterns, hidden
facts and positions stay in the matter.

Ids are derived (UUID version 5): the same matter gives the same rubric, a changed one the next version of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final
from uuid import UUID, uuid5

from rubrictui.core.canonical import canonical_json
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.explain import number
from rubrictui.core.model import (
    Anchor,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    Value,
    VersionSnapshot,
)
from rubrictui.core.problems import MAXIMUM_KEY_LENGTH
from rubrictui.core.records import MAXIMUM_NAME
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import Issue
from rubrictui.matters.points import issue_points
from rubrictui.matters.sections import split_citation

#: Under which name a criterion's evaluator config, and an evaluation's metadata, tell of a matter.
EXTENSION: Final = "Matter"
CATEGORY: Final = "Matters"

QUESTION, ESCALATION, ISSUE = "question", "escalation", "issue"
REDLINE, SETTLEMENT, FINAL, CRITICAL = "redline", "settlement", "final_submission", "critical_failure"

_SPACE: Final = UUID("5f4d9a52-6f0c-4d7f-9a0b-2f2f5a6f6a01")

_QUESTION_SCALE: Final = ("Matter: question", ("Not asked", "Asked"))
_ESCALATION_SCALE: Final = ("Matter: escalation", ("Not raised", "Raised"))
_CRITICAL_SCALE: Final = ("Matter: critical failures", ("Found", "None"))


class MatterRubric(Value, frozen=True, kw_only=True):
    """A matter's rubric. ``version`` is whole, with its scales; ``content_hash`` is ``matter_hash``."""

    id: str
    name: str
    description: str
    version: VersionSnapshot
    content_hash: str


class MatterPart(Value, frozen=True, kw_only=True):
    """What a criterion stands for: the component, and the rubric entry's id ("" where there is but one)."""

    component: str
    id: str = ""


def matter_hash(matter: Matter) -> str:
    """SHA-256, in hex, of everything that plays a part: the four files as values, and the documents' texts.

    Raises:
        InvalidInputError: a file holds a value that JSON does not have.
    """
    files = {file.name: file.value for file in matter.source.files}
    texts = {name: document.text for name, document in matter.documents.items()}
    return hashlib.sha256(canonical_json({"files": files, "documents": texts}).encode()).hexdigest()


def matter_rubric(matter: Matter) -> MatterRubric:
    """The rubric of a matter.

    Raises:
        InvalidInputError: the matter has problems, or neither an id nor a title to be known by.
    """
    matter.require_playable()
    own = matter.matter_id.strip()
    if not own:
        raise InvalidInputError(
            f"{matter.source.label} has no matter_id, so its rubric cannot be known again.",
            remedy="Write one into matter.yaml.",
        )
    digest = matter_hash(matter)
    rubric_id, version_id = str(uuid5(_SPACE, f"rubric {own}")), uuid5(_SPACE, f"version {own} {digest}")
    name = (" ".join(matter.title.split()) or own)[:MAXIMUM_NAME]
    nodes = tuple(_nodes(matter, version_id, digest))
    version = VersionSnapshot(
        id=str(version_id),
        rubric_id=rubric_id,
        rubric_name=name,
        instructions=_instructions(matter),
        not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
        nodes=nodes,
        scales=tuple(_scales(matter, {node.scale_id for node in nodes})),
    )
    about = f"The work on the matter {own}, criterion by criterion. Points that are lost there have no criterion here."
    return MatterRubric(id=rubric_id, name=name, description=about, version=version, content_hash=digest)


def matter_of_version(version: VersionSnapshot) -> tuple[str, str] | None:
    """The id and content hash of the matter that a version was made from; None when it was made from none."""
    for node in version.nodes:
        about = _extension(node)
        own, digest = about.get("MatterID"), about.get("ContentHash")
        if isinstance(own, str) and isinstance(digest, str):
            return own, digest
    return None


def part_of(node: Node) -> MatterPart | None:
    """What a criterion of a matter's rubric stands for; None for a group, or a criterion that an author added."""
    about = _extension(node)
    component, own = about.get("Component"), about.get("ID", "")
    if not node.is_criterion or not isinstance(component, str) or not isinstance(own, str):
        return None
    return MatterPart(component=component, id=own)


def part_points(matter: Matter) -> dict[MatterPart, float]:
    """The greatest points of every part that can earn any, in the rubric's order."""
    rubric, positions = matter.rubric, matter.positions or {}
    found = [(QUESTION, one.id, one.points) for one in rubric.questions]
    found += [(ESCALATION, one.id, one.points) for one in rubric.escalations]
    found += [(ISSUE, one.id, _finding_points(matter, one)) for one in rubric.issues]
    found += [(REDLINE, one.id, one.redline_points) for one in rubric.issues]
    found += [(SETTLEMENT, one.id, one.settlement_points) for one in rubric.issues if one.id in positions]
    found.append((FINAL, "", rubric.final_submission.points + rubric.final_submission.concept_points))
    return {MatterPart(component=kind, id=own): points for kind, own, points in found if points > 0}


# -- nodes ---------------------------------------------------------------------------------------------------

_GROUPS: Final = {
    QUESTION: ("questions", "Questions", "What the client was asked."),
    ESCALATION: ("escalations", "Escalations", "What was taken to whoever decides."),
    ISSUE: ("issues", "Issues", "What was found in the papers, and how well it was shown."),
    REDLINE: ("redlines", "Redlines", "Replacement text for what was found."),
    SETTLEMENT: ("settlements", "Settlements", "The text on which a point was closed with the other side."),
}


def _nodes(matter: Matter, version_id: UUID, digest: str) -> Iterator[Node]:
    def node_id(key: str) -> str:
        return str(uuid5(version_id, key))

    issues = {issue.id: issue for issue in matter.rubric.issues}
    by_component: dict[str, list[tuple[MatterPart, float]]] = {}
    for part, points in part_points(matter).items():
        by_component.setdefault(part.component, []).append((part, points))
    sequence = 0
    for component, (key, title, about) in _GROUPS.items():
        parts = by_component.get(component, ())
        if not parts:
            continue
        yield Node(
            id=node_id(key),
            key=key,
            name=title,
            description=about,
            node_type=NodeType.GROUP,
            weight=_plain(sum(points for _, points in parts)),
            sequence=sequence,
        )
        for place, (part, points) in enumerate(parts):
            own = _key(f"{component}.{part.id}")
            more = _texts(matter, component, part.id, issues.get(part.id), points)
            yield Node(
                id=node_id(own),
                key=own,
                parent_id=node_id(key),
                weight=_plain(points),
                sequence=place,
                evaluator_config=_config(Component=component, ID=part.id),
                **more,
            )
        sequence += 1
    for part, points in by_component.get(FINAL, ()):
        yield Node(
            id=node_id(FINAL),
            key=FINAL,
            weight=_plain(points),
            sequence=sequence,
            evaluator_config=_config(Component=part.component),
            **_texts(matter, FINAL, "", None, points),
        )
        sequence += 1
    yield Node(
        id=node_id(CRITICAL),
        key=CRITICAL,
        name="Critical failures",
        description="Nothing in the work is so wrong that the rest of it cannot be relied on.",
        guidance=(
            "A wrong statement of law or fact on which the client would act, an invented quote, a text that gives "
            "away what was to be protected, or something left unsaid that had to be raised."
        ),
        scale_id=_scale_id(_CRITICAL_SCALE[0]),
        weight=0.0,
        is_gate=True,
        gate_minimum_score=1.0,
        sequence=sequence,
        evaluator_config=_config(
            Component=CRITICAL,
            MatterID=matter.matter_id,
            ContentHash=digest,
            MaximumScore=_plain(matter.max_score),
        ),
        anchors=_level_anchors(
            _CRITICAL_SCALE, "The work holds one, whatever else it does well.", "The work can be relied on."
        ),
    )


def _texts(matter: Matter, component: str, own: str, issue: Issue | None, points: float) -> dict[str, Any]:
    """Name, description, guidance, scale and anchors of a criterion."""
    most = number(_plain(points))
    if component == QUESTION:
        return {
            "name": _title(own),
            "description": "The client was asked about this, and the papers do not answer it.",
            "scale_id": _scale_id(_QUESTION_SCALE[0]),
            "anchors": _level_anchors(_QUESTION_SCALE, "No question is about it.", "A question asks for it."),
        }
    if component == ESCALATION:
        return {
            "name": _title(own),
            "description": "This was taken to whoever decides, with a reason, before the end.",
            "scale_id": _scale_id(_ESCALATION_SCALE[0]),
            "anchors": _level_anchors(_ESCALATION_SCALE, "Nobody was told.", "It was raised, and why."),
        }
    if component == FINAL:
        final = matter.rubric.final_submission
        parts = (
            [f"{number(_plain(final.points))} for a memo that can stand alone"] if final.points > 0 else []
        )
        if final.concept_points > 0:
            parts.append(f"up to {number(_plain(final.concept_points))} for saying what the reader must know")
        return {
            "name": "Final submission",
            "description": "The memo that closes the work.",
            "guidance": f"{most} in all: {', '.join(parts)}.",
            "scale_id": _points_scale_id(points),
            "anchors": _point_anchors(
                points, "No memo, or an empty one.", "It says all its reader must know."
            ),
        }
    assert issue is not None
    where = _provision(matter, issue.anchor)
    if component == ISSUE:
        return {
            "name": f"{_title(own)} ({issue.anchor})",
            "description": f"What the work finds in {where}: raised on that provision, rated, cited and explained.",
            "guidance": _issue_guidance(matter, issue, most),
            "scale_id": _points_scale_id(points),
            "anchors": _point_anchors(
                points,
                "Not raised, or not on this provision.",
                "Raised, rated, cited, explained and quoted.",
            ),
        }
    if component == REDLINE:
        return {
            "name": f"{_title(own)}: redline",
            "description": f"The text proposed in place of {where}.",
            "guidance": f"Up to {most}, by how much of what the client needs the new text holds.",
            "scale_id": _points_scale_id(points),
            "anchors": _point_anchors(
                points, "No text, or one that changes nothing.", "It could be signed as it is."
            ),
        }
    return {
        "name": f"{_title(own)}: settlement",
        "description": f"The text on which {where} was closed with the other side, whoever wrote it.",
        "guidance": f"Up to {most}, by how much of what the client needs the closing text holds.",
        "scale_id": _points_scale_id(points),
        "anchors": _point_anchors(
            points, "Not closed, or on a text that gives it all away.", "All the client needs."
        ),
    }


_EARNED: Final = {
    "base": "{} for raising it on the provision",
    "severity": "{} for the right severity",
    "citation": "{} for all the provisions it rests on",
    "concept": "up to {} for how much of what matters it says",
    "quote": "{} for a verbatim quote",
}


def _issue_guidance(matter: Matter, issue: Issue, most: str) -> str:
    points = issue_points(matter, issue)
    parts = [
        words.format(number(_plain(points[name]))) for name, words in _EARNED.items() if points[name] > 0
    ]
    return f"{most} in all: {', '.join(parts)}."


def _finding_points(matter: Matter, issue: Issue) -> float:
    points = issue_points(matter, issue)
    return sum(points[name] for name in _EARNED)


def _provision(matter: Matter, citation: str) -> str:
    """A citation with the heading of its section, where that has one."""
    text = (matter.section(citation) or "").split("\n", 1)[0]
    parts = split_citation(citation)
    heading = text.lstrip("#").strip() if text.startswith("#") and parts else ""
    if parts and heading.startswith(parts[1]):
        heading = heading[len(parts[1]) :].strip()
    return f"{citation}, {heading}" if heading else citation


def _title(own: str) -> str:
    """An id in words: ``q_go_live`` is "Go live"."""
    words = own.replace("_", " ").replace("-", " ").split()
    if len(words) > 1 and len(words[0]) == 1:
        words = words[1:]
    text = " ".join(words) or own
    return (text[:1].upper() + text[1:])[: MAXIMUM_NAME // 2]


def _instructions(matter: Matter) -> str:
    facts = matter.facts
    parts = [" ".join(text.split()) for text in (facts.role, facts.assignment) if text.strip()]
    parts.append(
        "Every criterion takes the points that the matter has for it. What costs points there (an issue where there is "
        "none, a question in vain, an invented quote) has no criterion: the score of record is the matter's own, and "
        "the evaluation of the rules tells it beside this one."
    )
    parts.append(
        "The criteria say where the faults are. Whoever is still to work the matter must not read them."
    )
    return "\n\n".join(parts) + "\n"


def _config(**about: Any) -> dict[str, Any]:
    return {"Extensions": {EXTENSION: about}}


def _extension(node: Node) -> dict[str, Any]:
    extensions = (node.evaluator_config or {}).get("Extensions")
    about = extensions.get(EXTENSION) if isinstance(extensions, dict) else None
    return about if isinstance(about, dict) else {}


def _key(wanted: str) -> str:
    """A key that is short enough and still its own."""
    key = wanted.strip()
    if len(key) <= MAXIMUM_KEY_LENGTH:
        return key
    mark = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{key[: MAXIMUM_KEY_LENGTH - 13]}-{mark}"


def _plain(points: float) -> float:
    """Points without what binary fractions add to a sum."""
    return round(points, 6)


# -- scales --------------------------------------------------------------------------------------------------


def _scale_id(name: str) -> str:
    return str(uuid5(_SPACE, f"scale {name}"))


def _points_name(points: float) -> str:
    return f"Matter: points to {number(_plain(points))}"


def _points_scale_id(points: float) -> str:
    return _scale_id(_points_name(points))


def _level_id(scale: str, label: str) -> str:
    return str(uuid5(_SPACE, f"level {scale} {label}"))


def _level_anchors(scale: tuple[str, tuple[str, str]], low: str, high: str) -> tuple[Anchor, ...]:
    name, labels = scale
    return tuple(
        Anchor(scale_level_id=_level_id(name, label), descriptor=text)
        for label, text in zip(labels, (low, high), strict=True)
    )


def _point_anchors(points: float, low: str, high: str) -> tuple[Anchor, ...]:
    return (Anchor(anchor_value=0.0, descriptor=low), Anchor(anchor_value=_plain(points), descriptor=high))


def _scales(matter: Matter, used: Iterable[str | None]) -> Iterator[Scale]:
    """The scales that criteria use. What was done or not has two levels, what is earned by shares a number."""
    wanted = set(used)
    for name, labels in (_QUESTION_SCALE, _ESCALATION_SCALE, _CRITICAL_SCALE):
        if _scale_id(name) in wanted:
            yield Scale(
                id=_scale_id(name),
                name=name,
                levels=tuple(
                    Level(id=_level_id(name, label), label=label, value=at, normalized_value=at, sequence=at)
                    for at, label in enumerate(labels)
                ),
            )
    numeric = {
        _plain(points) for part, points in part_points(matter).items() if part.component not in _BY_LEVEL
    }
    for most in sorted(numeric):
        yield Scale(
            id=_points_scale_id(most),
            name=_points_name(most),
            scale_type=ScaleType.NUMERIC,
            min_value=0.0,
            max_value=most,
        )


_BY_LEVEL: Final = frozenset({QUESTION, ESCALATION})


def level_of(part: MatterPart, *, is_high: bool) -> str | None:
    """The id of the level that says whether it was done; None for a part that takes points."""
    scales = {QUESTION: _QUESTION_SCALE, ESCALATION: _ESCALATION_SCALE, CRITICAL: _CRITICAL_SCALE}
    scale = scales.get(part.component)
    return None if scale is None else _level_id(scale[0], scale[1][is_high])
