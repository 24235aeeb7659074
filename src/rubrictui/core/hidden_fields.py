"""Subjects without the fields that a round keeps from its reviewers. Pure functions.

A path is dotted, as in rules: names of keys, whole numbers for places in lists. A name that meets a list goes
into each of its items.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rubrictui.core.canonical import subject_hash
from rubrictui.core.records import Subject


def without_fields(subject: Subject, paths: Iterable[str]) -> Subject:
    """The subject without these parts of its ``data``, and with the content hash of what is left.

    A key is taken out; an item of a list becomes null, so that the others keep their places. A path that leads
    nowhere hides nothing. The given subject is not changed.
    """
    if subject.data is None:
        return subject
    data: Any = subject.data
    for path in paths:
        data = _without(data, [step for step in path.split(".") if step])
    if data == subject.data:
        return subject
    shown = msgspec.structs.replace(subject, data=data)
    return msgspec.structs.replace(shown, content_hash=subject_hash(shown))


def _without(value: Any, steps: list[str]) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        if step not in value:
            return value
        if not rest:
            return {key: item for key, item in value.items() if key != step}
        return {key: _without(item, rest) if key == step else item for key, item in value.items()}
    if isinstance(value, list):
        if step.isascii() and step.isdigit():
            place = int(step)
            return [
                item if index != place else (_without(item, rest) if rest else None)
                for index, item in enumerate(value)
            ]
        return [_without(item, steps) for item in value]
    return value
