"""Subjects without the fields that a round keeps from its reviewers. Pure functions.

A path is dotted, as in rules: names of keys, whole numbers for places in lists. A name that meets a list goes
into each of its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from rubrictui.core.canonical import subject_hash
from rubrictui.core.model import Value
from rubrictui.core.records import Subject, SubjectFile


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


# -- for readers outside -------------------------------------------------------------------------------------

#: What stands where a value was taken out of a text.
MARK: Final = "[hidden]"
_LEAST_LETTERS: Final = 3
_LEAST_DIGITS: Final = 5


class Anonymised(Value, frozen=True, kw_only=True):
    """A subject for readers outside: without the hidden fields, and without what stood in them wherever it is repeated.

    ``replaced`` counts the places in title, text, data and files where a value gave way to ``MARK``. ``in_record_id``: the
    record id, which names the subject and stays, holds one. ``dropped`` names files that are no text: nobody can tell
    what is in them, so they are left out.
    """

    subject: Subject
    replaced: int = 0
    in_record_id: bool = False
    dropped: tuple[str, ...] = ()


def anonymised(subject: Subject, paths: Iterable[str]) -> Anonymised:
    """The subject without the fields, and with ``MARK`` where another part of it says what they held.

    A value counts as a whole word, in any case. Texts of fewer than three characters, texts without a letter and numbers
    of fewer than five digits are too common to be taken for it: they go from their field alone. Paths of files, which
    are of the machine they came from, go always.
    """
    hidden = tuple(paths)
    bare = without_fields(subject, hidden)
    pattern = _pattern(_hidden_values(subject.data, hidden))
    texts = _Texts(pattern)
    kept = [file for file in bare.files if file.text is not None] if hidden else list(bare.files)
    shown = msgspec.structs.replace(
        bare,
        title=texts.clear(bare.title),
        text=texts.clear(bare.text),
        data=texts.clear_all(bare.data),
        files=tuple(texts.file(file) for file in kept),
    )
    return Anonymised(
        subject=msgspec.structs.replace(shown, content_hash=subject_hash(shown)),
        replaced=texts.replaced,
        in_record_id=pattern is not None and pattern.search(subject.record_id) is not None,
        dropped=tuple(file.name for file in bare.files if file not in kept),
    )


class _Texts:
    """Texts with the hidden values taken out, and how often that was done."""

    def __init__(self, pattern: re.Pattern[str] | None) -> None:
        self._pattern = pattern
        self.replaced = 0

    def clear(self, text: str) -> str:
        if self._pattern is None:
            return text
        found, count = self._pattern.subn(MARK, text)
        self.replaced += count
        return found

    def file(self, file: SubjectFile) -> SubjectFile:
        """A file, without where it lies; its size and hash go when its text is another."""
        text = None if file.text is None else self.clear(file.text)
        shown = msgspec.structs.replace(file, name=self.clear(file.name), path=None, text=text)
        return shown if text == file.text else msgspec.structs.replace(shown, size=None, sha256=None)

    def clear_all(self, value: Any) -> Any:
        """The same for every text in data, keys included; numbers that are hidden values become the mark."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.clear(value)
        if isinstance(value, dict):
            return {self.clear(key): self.clear_all(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.clear_all(item) for item in value]
        if _is_number(value) and self._pattern.fullmatch(str(value)):
            self.replaced += 1
            return MARK
        return value


def _pattern(values: Iterable[str]) -> re.Pattern[str] | None:
    # The longest first, so that a whole name goes before a part of it.
    words = sorted(set(values), key=lambda value: (-len(value), value))
    if not words:
        return None
    return re.compile("|".join(rf"(?<!\w){_loosely(word)}(?!\w)" for word in words), re.IGNORECASE)


def _loosely(word: str) -> str:
    """Blanks and line breaks between the words of a value are all the same."""
    return r"\s+".join(re.escape(part) for part in word.split())


def _hidden_values(data: dict[str, Any] | None, paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        for found in _found(data, [step for step in path.split(".") if step]):
            yield from _said(found)


def _found(value: Any, steps: list[str]) -> Iterator[Any]:
    """What stands at a path, by the same reading of it as ``_without``."""
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        if step in value:
            yield from _found(value[step], rest)
    elif isinstance(value, list):
        if step.isascii() and step.isdigit():
            yield from (one for item in value[int(step) : int(step) + 1] for one in _found(item, rest))
        else:
            yield from (one for item in value for one in _found(item, steps))


def _said(value: Any) -> Iterator[str]:
    """The texts and numbers in a value that are rare enough to be told from chance."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _said(item)
    elif isinstance(value, str):
        text = value.strip()
        if len(text) >= _LEAST_LETTERS and (
            any(map(str.isalpha, text)) or sum(map(str.isdigit, text)) >= _LEAST_DIGITS
        ):
            yield text
    elif _is_number(value) and sum(map(str.isdigit, str(value))) >= _LEAST_DIGITS:
        yield str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
