"""Nodes to shapes: one walk, driven by the shape's own types, that reports everything that does not fit.

Text fields take the text as written, so a level labelled ``Yes`` or ``1`` stays what its author wrote;
numbers are decimal and finite; words of an enumeration must match exactly and are listed when they do
not. Where no type is declared (``data``, ``evaluator_config``) plain scalars follow YAML 1.2: null, true,
false and numbers; everything else, dates too, is text.
"""

from __future__ import annotations

import difflib
import math
import re
from datetime import datetime
from functools import cache
from typing import Any

import msgspec.inspect as mi

from rubrictui.core.display import name_fault
from rubrictui.core.records import MAXIMUM_NAME
from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import (
    BrokenNode,
    MappingNode,
    Position,
    ScalarNode,
    SequenceNode,
    YamlNode,
)
from rubrictui.interchange.shapes import Shape

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:Infinity|NaN)")


class _BrokenType:
    """The value of a field that was refused."""


BROKEN: Any = _BrokenType()


@cache
def _type(cls: type) -> Any:
    return mi.type_info(cls)


class Builder:
    """Builds shapes of one file and remembers where each of them stands."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._nodes: dict[int, MappingNode] = {}
        # Shapes are kept alive so that their identity stays theirs.
        self._kept: list[object] = []

    def build(self, node: YamlNode, shape: type[Shape]) -> Any:
        """The shape a node holds, or BROKEN when it lacks what it cannot be without.

        A refused field has its default and a refused item of a list is left out, so that the rest is
        checked in the same run; the findings say that the shape is not what was written.
        """
        return self._struct(node, _type(shape), "")

    def node_of(self, shape: object) -> MappingNode:
        return self._nodes[id(shape)]

    def gives(self, shape: object, field: str) -> bool:
        """Whether a field was written with a value, even one that was refused."""
        node = self._nodes[id(shape)].get(field)
        return node is not None and not _is_null(node)

    def place(self, shape: object, field: str | None = None) -> Position:
        """Where a shape, or the value of one of its fields, stands."""
        node = self._nodes[id(shape)]
        return node.place(field) if field else node.at

    # One method a kind of type; `name` is the field, for the message.

    def _value(self, node: YamlNode, kind: Any, name: str) -> Any:
        if isinstance(node, BrokenNode):
            return BROKEN
        match kind:
            case mi.Metadata():
                value = self._value(node, kind.type, name)
                if kind.extra and value is not BROKEN and (fault := name_fault(value, MAXIMUM_NAME)):
                    return self._refuse("bad_name", f'"{name}" {fault}.', node)
                return value
            case mi.UnionType():
                return self._union(node, kind, name)
            case mi.StrType():
                return self._text(node, kind, name)
            case mi.FloatType() | mi.IntType():
                return self._number(node, kind, name)
            case mi.BoolType():
                return self._truth(node, name)
            case mi.EnumType():
                return self._word(node, [member.value for member in kind.cls], name, kind.cls)
            case mi.LiteralType():
                return self._word(node, list(kind.values), name, None)
            case mi.DateTimeType():
                return self._instant(node, name)
            case mi.VarTupleType():
                return self._list(node, kind, name)
            case mi.DictType():
                return self._dict(node, kind, name)
            case mi.StructType():
                return self._struct(node, kind, name)
            case _:
                return self.anything(node)

    def _refuse(self, code: str, message: str, node: YamlNode) -> Any:
        self.findings.add(code, message, node.at)
        return BROKEN

    def _wrong(self, node: YamlNode, name: str, expected: str) -> Any:
        return self._refuse("wrong_type", f'"{name}" must be {expected}, not {_describe(node)}.', node)

    def _union(self, node: YamlNode, kind: Any, name: str) -> Any:
        types = [one.type if isinstance(one, mi.Metadata) else one for one in kind.types]
        if any(isinstance(t, mi.NoneType) for t in types):
            if _is_null(node):
                return None
            types = [t for t in types if not isinstance(t, mi.NoneType)]
        if len(types) == 1:
            return self._value(node, types[0], name)
        wanted: dict[type, tuple[type, ...]] = {
            ScalarNode: (mi.StrType, mi.FloatType, mi.IntType, mi.BoolType),
            MappingNode: (mi.StructType, mi.DictType),
            SequenceNode: (mi.VarTupleType,),
        }
        for one in types:
            if isinstance(one, wanted[type(node)]):
                return self._value(node, one, name)
        return self._wrong(node, name, " or ".join(_expected(one) for one in types))

    def _text(self, node: YamlNode, kind: Any, name: str) -> Any:
        if not isinstance(node, ScalarNode):
            return self._wrong(node, name, "text")
        if _is_null(node):
            return self._refuse(
                "wrong_type", f'"{name}" is empty. Give it a text, in quotes if need be.', node
            )
        length = len(node.text)
        if kind.min_length and length < kind.min_length:
            least = "be empty" if kind.min_length == 1 else f"be shorter than {kind.min_length} characters"
            return self._refuse("out_of_range", f'"{name}" must not {least}.', node)
        if kind.max_length and length > kind.max_length:
            return self._refuse(
                "out_of_range", f'"{name}" has {length} characters; at most {kind.max_length} fit.', node
            )
        return node.text

    def _number(self, node: YamlNode, kind: Any, name: str) -> Any:
        whole = isinstance(kind, mi.IntType)
        expected = "a whole number" if whole else "a number"
        if not isinstance(node, ScalarNode):
            return self._wrong(node, name, expected)
        if not node.plain:
            return self._refuse(
                "wrong_type", f'"{name}" must be {expected}; take the quotes off {_quote(node.text)}.', node
            )
        if _NOT_FINITE.fullmatch(node.text):
            return self._refuse("not_finite", f'"{name}" must be a finite number, not {node.text}.', node)
        if not (_INTEGER if whole else _NUMBER).fullmatch(node.text):
            return self._wrong(node, name, expected)
        number = _to_number(node.text)
        if number is None:
            return self._refuse("not_finite", f'"{name}" is too large a number.', node)
        value = int(number) if whole else float(number)
        limits = (
            (kind.ge, value.__ge__, "at least"),
            (kind.gt, value.__gt__, "more than"),
            (kind.le, value.__le__, "at most"),
            (kind.lt, value.__lt__, "less than"),
        )
        for limit, holds, words in limits:
            if limit is not None and not holds(limit):
                return self._refuse(
                    "out_of_range", f'"{name}" must be {words} {limit}, not {node.text}.', node
                )
        return value

    def _truth(self, node: YamlNode, name: str) -> Any:
        if isinstance(node, ScalarNode) and node.plain:
            if node.text in _TRUE:
                return True
            if node.text in _FALSE:
                return False
        return self._wrong(node, name, "true or false")

    def _word(self, node: YamlNode, words: list[Any], name: str, cls: Any) -> Any:
        if not isinstance(node, ScalarNode):
            return self._wrong(node, name, "one word")
        if node.text in words:
            return cls(node.text) if cls else node.text
        return self._refuse(
            "unknown_word", f'"{name}" is {_quote(node.text)}; it must be {_alternatives(words)}.', node
        )

    def _instant(self, node: YamlNode, name: str) -> Any:
        if not isinstance(node, ScalarNode):
            return self._wrong(node, name, "a date and time")
        try:
            return datetime.fromisoformat(node.text)
        except ValueError:
            return self._refuse(
                "wrong_type",
                f'"{name}" is {_quote(node.text)}; write a date and time as 2027-03-01T17:00:00+00:00.',
                node,
            )

    def _list(self, node: YamlNode, kind: Any, name: str) -> Any:
        if _is_null(node):
            return ()
        if not isinstance(node, SequenceNode):
            return self._wrong(node, name, "a list")
        values = [self._value(item, kind.item_type, name) for item in node.items]
        return tuple(value for value in values if value is not BROKEN)

    def _dict(self, node: YamlNode, kind: Any, name: str) -> Any:
        if not isinstance(node, MappingNode):
            return self._wrong(node, name, "a mapping of names to values")
        values = {
            key: self._value(value, kind.value_type, f"{name}.{key}")
            for key, (_, value) in node.pairs.items()
        }
        return {key: value for key, value in values.items() if value is not BROKEN}

    def _struct(self, node: YamlNode, kind: Any, name: str) -> Any:
        if isinstance(node, BrokenNode):
            return BROKEN
        if not isinstance(node, MappingNode):
            return self._wrong(node, name or "the document", "a mapping of fields")
        fields = {field.encode_name: field for field in kind.fields}
        values: dict[str, Any] = {}
        for key, (at, value) in node.pairs.items():
            field = fields.get(key)
            if field is None:
                self._unknown(kind.cls, key, at, list(fields))
            elif _is_null(value) and not field.required:
                continue  # an empty field has its default
            else:
                values[key] = self._value(value, field.type, key)
        for field in kind.fields:
            if field.required and field.encode_name not in node.pairs:
                where = f'"{name}"' if name else "the document"
                values[field.encode_name] = self._refuse(
                    "missing_field", f'"{field.encode_name}" is missing in {where}.', node
                )
        for name_, value in list(values.items()):
            if value is BROKEN:
                if fields[name_].required:
                    return BROKEN
                del values[name_]
        built = kind.cls(**values)
        self._nodes[id(built)] = node
        self._kept.append(built)
        return built

    def _unknown(self, cls: Any, key: str, at: Position, known: list[str]) -> None:
        if key in getattr(cls, "COMPUTED", ()):
            self.findings.add("computed_field", f'"{key}" is computed; it cannot be given. Remove it.', at)
            return
        if self.findings.is_full:
            return
        close = difflib.get_close_matches(key, known, n=1)
        hint = f'Did you mean "{close[0]}"?' if close else f"The fields here are {', '.join(known)}."
        self.findings.add("unknown_field", f'there is no field "{_short(key)}". {hint}', at)

    def anything(self, node: YamlNode) -> Any:
        """A value of no declared type as JSON would hold it."""
        if isinstance(node, ScalarNode):
            return self._plain(node)
        if isinstance(node, SequenceNode):
            items = [self.anything(item) for item in node.items]
            return BROKEN if any(item is BROKEN for item in items) else items
        if isinstance(node, MappingNode):
            pairs = {key: self.anything(value) for key, (_, value) in node.pairs.items()}
            return BROKEN if any(value is BROKEN for value in pairs.values()) else pairs
        return BROKEN

    def _plain(self, node: ScalarNode) -> Any:
        text = node.text
        if not node.plain:
            return text
        if text in _NULL:
            return None
        if text in _TRUE:
            return True
        if text in _FALSE:
            return False
        if _NOT_FINITE.fullmatch(text):
            return self._refuse("not_finite", f"a number must be finite, not {text}.", node)
        if _NUMBER.fullmatch(text):
            number = _to_number(text)
            if number is None:
                return self._refuse("not_finite", "the number is too large.", node)
            return number
        return text


def is_plain_text(text: str) -> bool:
    """Whether ``text`` written without quotes is read back as text where no type is declared."""
    return not (
        text in _NULL
        or text in _TRUE
        or text in _FALSE
        or _NOT_FINITE.fullmatch(text)
        or _NUMBER.fullmatch(text)
    )


def _to_number(text: str) -> int | float | None:
    """The number, whole when written so; None when it has no finite value here."""
    if _INTEGER.fullmatch(text):
        # Beyond 300 digits nothing but a mistake or an attack is meant, and float() overflows.
        return int(text) if len(text) <= 300 else None
    number = float(text)
    return number if math.isfinite(number) else None


def _is_null(node: YamlNode) -> bool:
    return isinstance(node, ScalarNode) and node.plain and node.text in _NULL


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _quote(text: str) -> str:
    return '"' + _short(" ".join(text.split())) + '"'


def _describe(node: YamlNode) -> str:
    if isinstance(node, SequenceNode):
        return "a list"
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, ScalarNode):
        return "nothing" if _is_null(node) else _quote(node.text)
    return "that"


def _expected(kind: Any) -> str:
    if isinstance(kind, mi.StrType):
        return "text"
    if isinstance(kind, mi.VarTupleType):
        return "a list"
    return "a mapping"


def _alternatives(words: list[Any]) -> str:
    return " or ".join(filter(None, (", ".join(str(w) for w in words[:-1]), str(words[-1]))))
