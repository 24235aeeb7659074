"""Versions and answers from JSON, and results to JSON (the shapes are in ``docs/formats.md``).

What comes from outside is checked whole before anything is made of it, and a refusal is one line that says
where (``$.nodes[3].weight (criterion "budget")``) and what to write instead. An absent optional key has its
default, and so has one that is null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from math import isfinite, isnan
from typing import Any, Final, TypeVar, get_args

import msgspec

from rubrictui.core.display import visible
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, VersionSnapshot

#: A document may have this many bytes, and lists and objects nested this deep.
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_DEPTH: Final = 100

_Path = tuple[Any, ...]
_T = TypeVar("_T")


def version_from_json(data: str | bytes | dict[str, Any], *, where: str = "") -> VersionSnapshot:
    """One version from JSON text, or from what JSON text decodes to.

    Args:
        where: the file or line it comes from; refusals begin with it.

    Raises:
        InvalidInputError: it is not JSON, too large or too deep, holds a duplicate key, NaN or an infinity, a
            key or a word that is not known, a value of the wrong type, a weight below zero, or a level that
            scores outside 0..1.
    """
    value = json_value(data, where)
    version = _convert(value, VersionSnapshot, where)
    for path, what, remedy in _version_faults(version):
        raise _fault(where, value, path, what, remedy)
    return version


def answers_from_json(data: str | bytes | list[Any], *, where: str = "") -> tuple[Answer, ...]:
    """A list of answers from JSON text, or from what JSON text decodes to.

    Args:
        where: the file or line it comes from; refusals begin with it.

    Raises:
        InvalidInputError: as ``version_from_json``; or a confidence outside 0..1.
    """
    value = json_value(data, where)
    answers = _convert(value, tuple[Answer, ...], where)
    for index, answer in enumerate(answers):
        if answer.confidence is not None and not 0 <= answer.confidence <= 1:
            what, remedy = f"a confidence of {answer.confidence:g} is out of range", "Write one from 0 to 1."
            raise _fault(where, value, (index, "confidence"), what, remedy)
    return answers


def json_value(data: Any, where: str = "") -> Any:
    """What JSON text says, as plain values; a value that is decoded already is only checked.

    Raises:
        InvalidInputError: it is not JSON, larger than ``MAX_BYTES`` or deeper than ``MAX_DEPTH``, or it holds a
            duplicate key, NaN, an infinity or half a character.
    """
    value = _decode(data, where) if isinstance(data, str | bytes | bytearray) else data
    for path, what, remedy in _value_faults(value):
        raise _fault(where, value, path, what, remedy)
    return value


def to_json(value: Any) -> bytes:
    """A result (any value of ``model`` or ``records``, or lists and dicts of them) as JSON, field by field."""
    return msgspec.json.encode(value)


# --- Text to values --------------------------------------------------------------------------------------


class _Duplicated(dict[str, Any]):
    """An object in which ``key`` stood twice; found again, and placed, when the whole value is checked."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    duplicated, met = _Duplicated(made), set()
    for key, _ in pairs:
        if key in met:
            duplicated.key = key
            break
        met.add(key)
    return duplicated


def _decode(data: str | bytes | bytearray, where: str) -> Any:
    if len(data) > MAX_BYTES:
        size = f"{len(data) / 1024 / 1024:.0f} MB"
        raise _refuse(where, f"the JSON is {size} long", f"Split it: at most {MAX_BYTES >> 20} MB are read.")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        if not text.strip():
            raise _refuse(where, "there is nothing in it", "Write JSON.")
        return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise _refuse(where, f"byte {error.start} is not UTF-8", "Save the file as UTF-8.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        what = error.msg[:1].lower() + error.msg[1:]
        raise _refuse(where, f"this is not JSON: {place}: {what}", "Correct it there.") from None
    except RecursionError:
        raise _refuse(where, *_TOO_DEEP) from None
    except ValueError:  # an integer with more digits than Python reads
        raise _refuse(where, "a number has too many digits", "Write it as text.") from None


_TOO_DEEP: Final = (f"lists and objects are nested more than {MAX_DEPTH} deep", "Flatten them.")


def _value_faults(value: Any) -> Iterator[tuple[_Path, str, str]]:
    """What no JSON document may hold, place by place in reading order."""
    stack: list[tuple[Any, Any]] = [(value, ())]
    while stack:
        item, path = stack.pop()
        if item is None or item is True or item is False:
            continue
        if isinstance(item, int):
            if item.bit_length() > 1024:
                yield _steps(path), "a number has more than 308 digits", "Write it as text."
            continue
        if isinstance(item, float):
            if not isfinite(item):
                word = "NaN" if isnan(item) else "an infinity"
                yield _steps(path), f"{word} is not a number of JSON", "Write a finite number, or null."
        elif isinstance(item, str):
            if not _is_text(item):
                yield _steps(path), "the text holds half a character (a lone surrogate)", "Remove it."
        elif isinstance(item, dict | list | tuple):
            if _depth(path) >= MAX_DEPTH:
                yield (), *_TOO_DEEP
            elif isinstance(item, dict):
                if isinstance(item, _Duplicated):
                    yield _steps(path), f'the key "{_short(item.key)}" stands twice', "Keep one of the two."
                for key in item:
                    if not isinstance(key, str) or not _is_text(key):
                        yield _steps(path), f"the key {key!a} is not text", "Write keys as text."
                stack.extend([(item[key], (path, key)) for key in reversed(item)])
            elif not _only_plain_numbers(item):
                stack.extend([(item[index], (path, index)) for index in range(len(item) - 1, -1, -1)])
        else:
            what = f"a value of type {type(item).__name__} has no place in JSON"
            yield _steps(path), what, "Use text, numbers, true, false, null, lists and objects."


_PLAIN_NUMBERS: Final = frozenset({int, float, bool, type(None)})


def _only_plain_numbers(items: Any) -> bool:
    """Whether a list is nothing but finite numbers and nulls, seen without a step for each: millions come."""
    if not _PLAIN_NUMBERS.issuperset(map(type, items)):
        return False
    try:
        return all(map(isfinite, filter(None, items)))
    except OverflowError:  # an integer beyond every float
        return False


def _is_text(text: str) -> bool:
    return text.isascii() or not _SURROGATE.search(text)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _depth(path: Any) -> int:
    depth = 0
    while path:
        path, depth = path[0], depth + 1
    return depth


def _steps(path: Any) -> _Path:
    """The steps of a path that is kept as (path before, last step): cheap to extend while walking."""
    steps = []
    while path:
        path, step = path
        steps.append(step)
    return tuple(reversed(steps))


# --- Values to structs -----------------------------------------------------------------------------------


def _convert(value: Any, kind: type[_T], where: str) -> _T:
    try:
        return msgspec.convert(_without_nulls(value, kind), kind)
    except msgspec.ValidationError as error:
        raise unfit(error, value, where) from None


def unfit(error: msgspec.ValidationError, value: Any, where: str) -> InvalidInputError:
    """What the decoder says against ``value``, with its place, for people."""
    message, _, place = str(error).partition(" - at `")
    path = _parse_path(place.rstrip("`"))
    what, remedy = _in_plain_words(message, value, path)
    return _fault(where, value, path, what, remedy)


@cache
def _optional_fields(kind: Any) -> dict[str, tuple[bool, Any]]:
    """Per field of a struct: whether null stands for its default, and the struct that it holds, if any."""
    found = {}
    for field in msgspec.structs.fields(kind):
        inner = next((arg for arg in get_args(field.type) if _is_struct(arg)), None)
        found[field.name] = (not field.required and type(None) not in get_args(field.type), inner)
    return found


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _without_nulls(value: Any, kind: Any) -> Any:
    """The same value without the keys that are null and have another default."""
    if not _is_struct(kind):
        kind = get_args(kind)[0]
        return [_without_nulls(item, kind) for item in value] if isinstance(value, list | tuple) else value
    if not isinstance(value, dict):
        return value
    kept = {}
    fields = _optional_fields(kind)
    for key, item in value.items():
        null_is_default, inner = fields.get(key, (False, None))
        if item is None and null_is_default:
            continue
        nested = inner is not None and isinstance(item, list | tuple)
        kept[key] = [_without_nulls(each, inner) for each in item] if nested else item
    return kept


def _version_faults(version: VersionSnapshot) -> Iterator[tuple[_Path, str, str]]:
    for index, node in enumerate(version.nodes):
        if node.weight < 0:
            yield ("nodes", index, "weight"), f"a weight of {node.weight:g} is below zero", "Write 0 or more."
        if not -(2**31) <= node.sequence < 2**31:
            yield ("nodes", index, "sequence"), "the sequence is out of range", "Number siblings from 0."
    for index, scale in enumerate(version.scales):
        for place, level in enumerate(scale.levels):
            if not 0 <= level.normalized_value <= 1:
                path = ("scales", index, "levels", place, "normalized_value")
                yield path, f"a score of {level.normalized_value:g} is out of range", "Write one from 0 to 1."


# --- Refusals --------------------------------------------------------------------------------------------


def _refuse(where: str, what: str, remedy: str) -> InvalidInputError:
    prefix = f"{where}: " if where else ""
    return InvalidInputError(f"{prefix}{what if where else what[:1].upper() + what[1:]}.", remedy=remedy)


def _fault(where: str, value: Any, path: _Path, what: str, remedy: str) -> InvalidInputError:
    place = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{_short(step)}" for step in path)
    name = _name_of(value, path)
    prefix = f"{where}: " if where else ""
    return InvalidInputError(f"{prefix}{place}{name}: {what}.", remedy=remedy)


def _name_of(value: Any, path: _Path) -> str:
    """What people call the innermost thing on the path that has a name of its own."""
    name = ""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
        if isinstance(value, dict):
            for field, kind in (("key", "criterion"), ("criterion_id", "criterion"), ("label", "label")):
                if isinstance(value.get(field), str):
                    name = f' ({kind} "{_short(value[field])}")'
                    break
    return name


def _short(text: str) -> str:
    """Text from the document, fit for one line of a message."""
    return visible(text if len(text) <= 60 else f"{text[:59]}…", newlines=False)


def _parse_path(text: str) -> _Path:
    return tuple(int(index) if index else key for key, index in re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", text))


_TYPES: Final = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}

_ENUM_FIELDS: Final = {
    "node_type": "Group, Criterion",
    "scale_type": "Levels, Numeric",
    "rollup_method": "WeightedMean, Minimum, Maximum",
    "not_applicable_policy": "ExcludeAndRedistribute, CountAsZero, FailEvaluation, NotAllowed",
    "status": "Draft, Published, Retired",
    "kind": "quote, file, link, note",
}


def _in_plain_words(message: str, value: Any, path: _Path) -> tuple[str, str]:
    """What the decoder says, for people: what is wrong, and what to write."""
    if match := re.fullmatch(r"Expected `(.+)`, got `(.+)`", message):
        wanted = " or ".join(_TYPES.get(word, word) for word in match[1].split(" | "))
        return f"{wanted} is needed, this is {_TYPES.get(match[2], match[2])}", f"Write {wanted}."
    if match := re.fullmatch(r"Object missing required field `(.+)`", message):
        return f'"{match[1]}" is missing', "Add it."
    if match := re.fullmatch(r"Object contains unknown field `(.+)`", message):
        return f'"{_short(match[1])}" is not a known key', "Correct its spelling, or remove it."
    if match := re.fullmatch(r"Invalid enum value (.+)", message, re.DOTALL):
        words = _ENUM_FIELDS.get(str(path[-1]), "") if path else ""
        return f"{_short(match[1])} is not a known word", f"Write one of {words}." if words else "Correct it."
    return message[:1].lower() + message[1:], "Correct it."
