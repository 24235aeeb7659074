"""PaperBench rubric trees in JSON: requirements with weights, down to leaves that are met or not."""

from __future__ import annotations

import math
from typing import Any

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._json import JsonFile, Path, text_at
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import MET, Item, Sheet
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._words import KEY_TEXT, SHORT, cut, one_line, plain

_KNOWN = frozenset(
    {"id", "requirements", "weight", "sub_tasks", "task_category", "finegrained_task_category"}
)


def _recognises(source: Source) -> bool:
    if source.begins != "{":
        return False
    value = source.json.value
    return isinstance(value, dict) and "sub_tasks" in value and "requirements" in value


def _read(source: Source, report: Report) -> list[Sheet]:
    file = source.json
    if not isinstance(file.value, dict):
        report.error("wrong_type", "a tree must be an object with requirements and sub_tasks.", file.at())
        return []
    root = _Reader(file, report).node(file.value, ())
    if root is None:
        return []
    report.note(
        "root",
        "The topmost requirement is the rubric itself; what stands below it is its first level.",
        file.at(),
    )
    return [
        Sheet(
            name=cut(one_line(root.name or root.text), SHORT),
            description=root.text or root.name,
            items=root.children or (root,),
            place=root.place,
        )
    ]


class _Reader:
    def __init__(self, file: JsonFile, report: Report) -> None:
        self._file = file
        self._report = report

    def node(self, value: dict[str, Any], path: Path) -> Item | None:
        """A node with everything below it; JSON is never deeper than the interpreter recurses."""
        children = value.get("sub_tasks")
        if children is None:
            children = []
        if not isinstance(children, list):
            self._report.error("wrong_type", "sub_tasks must be a list.", self._file.at(*path, "sub_tasks"))
            return None
        below = [self._child(child, (*path, "sub_tasks", index)) for index, child in enumerate(children)]
        items = tuple(item for item in below if item is not None)
        for field in value:
            if field not in _KNOWN:
                what = f'The field "{one_line(field)[:60]}" is not carried over.'
                self._report.note("field", what, self._file.at(*path, field))
        if items and len(items) > 1 and not any(item.weight for item in items):
            what = "A group whose parts all weigh 0 shares its score equally between them."
            self._report.note("zero_weights", what, self._file.at(*path))
        elif items and not items[0].weight and len(items) == 1:
            self._report.note(
                "zero_weights", "The only part of a group weighs 0 and counts whole.", self._file.at(*path)
            )
        text = plain(text_at(value.get("requirements")))
        if not text:
            what = "requirements is missing or empty. Write what must be there."
            self._report.error("no_text", what, self._file.at(*path))
        name = one_line(text)
        return Item(
            name=cut(name, SHORT),
            key=cut(name, KEY_TEXT),
            text=text if len(name) > SHORT or "\n" in text else "",
            guidance=self._category(value),
            source_id=text_at(value.get("id")).strip(),
            weight=self._weight(value, path),
            choices=() if items else MET,
            children=items,
        )

    def _child(self, value: Any, path: Path) -> Item | None:
        if isinstance(value, dict):
            return self.node(value, path)
        self._report.error("wrong_type", "a part must be an object.", self._file.at(*path))
        return None

    def _weight(self, value: dict[str, Any], path: Path) -> float:
        weight = value.get("weight")
        if weight is None:
            self._report.note("weight", "A part without a weight weighs 1.", self._file.at(*path))
            return 1.0
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not _is_weight(weight):
            what = "the weight must be a number from 0 up."
            self._report.error("weight", what, self._file.at(*path, "weight"))
            return 0.0
        return float(weight)

    @staticmethod
    def _category(value: dict[str, Any]) -> str:
        words = (
            one_line(text_at(value.get(field))) for field in ("task_category", "finegrained_task_category")
        )
        return " · ".join(filter(None, words))


def _is_weight(weight: int | float) -> bool:
    return 0 <= weight < 1e12 and math.isfinite(weight)


FORMAT = Format("paperbench", "PaperBench rubric tree", _recognises, _read)
