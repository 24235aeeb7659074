"""Sketches to rubrics: keys, ids, the tree in walk order, shared scales. Everything follows from the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID, uuid5

from msgspec.structs import replace

from rubrictui.core.editing_base import key_stem
from rubrictui.core.model import Anchor, Band, Node, NodeType, VersionSnapshot
from rubrictui.core.problems import MAXIMUM_KEY_LENGTH
from rubrictui.core.records import MAXIMUM_NAME
from rubrictui.interchange.documents import RubricFile
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._scales import NAMESPACE, Scales, free_name
from rubrictui.interchange.importers._sketch import Choice, Item, Sheet
from rubrictui.interchange.importers._source import ImportOptions
from rubrictui.interchange.importers._words import cut, one_line


class Keys:
    """The keys of one version: what ``core.editing.propose_key`` proposes, in time that does not grow with them."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._last: dict[str, int] = {}

    def propose(self, name: str, fallback: str) -> str:
        """A key for ``name`` that none of the earlier ones is, ignoring case."""
        stem = key_stem(name) or fallback
        key = stem
        number = self._last.get(stem, 1)
        while key.casefold() in self._used:
            number += 1
            tail = f"-{number}"
            key = stem[: MAXIMUM_KEY_LENGTH - len(tail)].rstrip("-") + tail
        self._last[stem] = number
        self._used.add(key.casefold())
        return key


def assemble(
    format: str, sheets: Sequence[Sheet], options: ImportOptions, report: Report, scales: Scales
) -> tuple[RubricFile, ...]:
    """The rubrics that the sheets describe, each a Draft.

    Ids are made from ``format``, the rubric's name, and the source's ids where it has them, else the keys.
    """
    names: set[str] = set()
    rubrics: list[RubricFile] = []
    for sheet in sheets:
        title = cut(one_line(options.name or sheet.name or options.title) or "Imported rubric")
        name = free_name(title, names)
        if name != title:
            report.note("name", f'A second rubric named "{title}" is called "{name}".', sheet.place)
        names.add(name.casefold())
        rubric_id = uuid5(NAMESPACE, f"{format}\n{name.casefold()}")
        rubrics.append(
            RubricFile(
                id=str(rubric_id),
                name=name,
                category=options.category,
                description=sheet.description or None,
                snapshot=VersionSnapshot(
                    id=str(uuid5(rubric_id, "version")),
                    rubric_id=str(rubric_id),
                    rubric_name=name,
                    instructions=sheet.instructions or None,
                    score_display_max=round(sheet.total, 6) if sheet.total and sheet.total > 0 else 100.0,
                    nodes=tuple(_nodes(sheet, rubric_id, report, scales)),
                    scales=(),
                    bands=_bands(sheet, rubric_id),
                ),
            )
        )
    return tuple(_with_scales(rubric, scales) for rubric in rubrics)


def _with_scales(rubric: RubricFile, scales: Scales) -> RubricFile:
    used = {node.scale_id for node in rubric.snapshot.nodes}
    own = tuple(scale for scale in scales.all if scale.id in used)
    return replace(rubric, snapshot=replace(rubric.snapshot, scales=own))


def _nodes(sheet: Sheet, rubric_id: UUID, report: Report, scales: Scales) -> Iterator[Node]:
    keys = Keys()
    ids: set[str] = set()
    # The stack is ours: a tree may be deeper than the interpreter recurses.
    stack: list[tuple[Item, str | None, int]] = [
        (item, None, index) for index, item in reversed(list(enumerate(sheet.items)))
    ]
    while stack:
        item, parent, sequence = stack.pop()
        is_group = bool(item.children)
        name, text = _named(item, is_group, report)
        key = keys.propose(item.key or name, "group" if is_group else "criterion")
        id = str(uuid5(rubric_id, f"node {item.source_id or key}"))
        if id in ids:
            report.note("id", "Two parts have one id, so the second has one of its own.", item.place)
            id = str(uuid5(rubric_id, f"node {item.source_id}\n{key}"))
        ids.add(id)
        scale_id, anchors = (None, ()) if is_group else _answered_on(item, report, scales)
        yield Node(
            id=id,
            key=key,
            parent_id=parent,
            name=name,
            description=text or None,
            guidance=item.guidance or None,
            node_type=NodeType.GROUP if is_group else NodeType.CRITERION,
            scale_id=scale_id,
            weight=item.weight,
            is_advisory=item.is_advisory,
            rationale_required=item.rationale_required and not is_group,
            sequence=sequence,
            anchors=anchors,
        )
        stack.extend((child, id, index) for index, child in reversed(list(enumerate(item.children))))


def _named(item: Item, is_group: bool, report: Report) -> tuple[str, str]:
    """The name of a node, and its text: a name that is too long is cut and stands whole in the text."""
    name = one_line(item.name) or cut(one_line(item.text), MAXIMUM_NAME // 2)
    if not name:
        name = "Group" if is_group else "Criterion"
        report.note("name", f'A {name.lower()} without a name is called "{name}".', item.place)
    if len(name) <= MAXIMUM_NAME:
        return name, "" if item.text == name else item.text
    report.note(
        "name", f"A name longer than {MAXIMUM_NAME} characters stands whole in the description.", item.place
    )
    return cut(name), "\n\n".join(filter(None, (name, item.text)))


def _answered_on(item: Item, report: Report, scales: Scales) -> tuple[str | None, tuple[Anchor, ...]]:
    if item.span is not None:
        anchors = tuple(Anchor(anchor_value=value, descriptor=text) for value, text in item.span.anchors)
        return scales.span(item.span).id, anchors
    if not item.choices:
        return None, ()
    choices, texts = _told_apart(item, report)
    scale = scales.levels(choices)
    return scale.id, tuple(
        Anchor(scale_level_id=level.id, descriptor=text)
        for level, text in zip(scale.levels, texts, strict=True)
        if text
    )


def _told_apart(item: Item, report: Report) -> tuple[tuple[Choice, ...], list[str]]:
    """The choices with labels that differ and fit, and the anchors."""
    labels: set[str] = set()
    choices: list[Choice] = []
    texts: list[str] = []
    for choice in item.choices:
        label, text = one_line(choice.label), choice.text
        if len(label) > MAXIMUM_NAME:
            label, text = cut(label), "\n\n".join(filter(None, (label, text)))
            report.note(
                "label",
                f"A label longer than {MAXIMUM_NAME} characters stands whole in the anchor.",
                item.place,
            )
        free = free_name(label or "–", labels)
        if free != label:
            report.note("label", "Two levels with one label are told apart by a number.", item.place)
        labels.add(free.casefold())
        choices.append(replace(choice, label=free, text=""))
        texts.append(text)
    return tuple(choices), texts


def _bands(sheet: Sheet, rubric_id: UUID) -> tuple[Band, ...]:
    stripes = sorted(sheet.stripes, key=lambda stripe: stripe.low)
    ends = [*(stripe.low for stripe in stripes[1:]), 1.0][: len(stripes)]
    return tuple(
        Band(
            id=str(uuid5(rubric_id, f"band {index}\n{stripe.label}")),
            label=cut(one_line(stripe.label)) or f"Band {index + 1}",
            description=stripe.text or None,
            min_score=round(stripe.low, 6),
            max_score=round(end, 6),
            sequence=index,
        )
        for index, (stripe, end) in enumerate(zip(stripes, ends, strict=True))
    )
