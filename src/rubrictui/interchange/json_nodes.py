"""JSON text as the same nodes that YAML is read into, each with its line and column.

JSON is nearly YAML, but not to every YAML reader: ``\\ud83d\\ude00`` (an emoji, as many programs write it), ``\\/``
and tabs between values are refused by them. Here JSON is read strictly as JSON (RFC 8259): a comment, a
comma too many, NaN and a key given twice are findings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]

from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import (
    MAX_DEPTH,
    MAX_NODES,
    MappingNode,
    Position,
    ScalarNode,
    SequenceNode,
    YamlNode,
)

_BLANK = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")
# What is taken for one wrong word in a message.
_WORD = re.compile(r"[^\s,\]}:]{1,30}|.")


def read_json_node(text: str, findings: Findings) -> YamlNode | None:
    """The one value of a JSON text; None (and a finding) when it is no JSON or passes a limit."""
    try:
        return _Reader(text, findings).read()
    except _Refused as refused:
        findings.add(refused.code, refused.message, refused.at)
        return None


class _Refused(Exception):
    def __init__(self, code: str, message: str, at: Position) -> None:
        super().__init__(message)
        self.code, self.message, self.at = code, message, at


class _Reader:
    """Reads without recursion: the open lists and objects are ``stack``, each object with the key that waits."""

    def __init__(self, text: str, findings: Findings) -> None:
        self._text = text
        self._findings = findings
        self._lines = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
        self._count = 0

    def _at(self, place: int) -> Position:
        line = bisect_right(self._lines, place)
        return line, place - self._lines[line - 1] + 1

    def _refuse(self, place: int, message: str, code: str = "syntax") -> _Refused:
        return _Refused(code, message, self._at(place))

    def _skip(self, place: int) -> int:
        match = _BLANK.match(self._text, place)
        assert match is not None
        return match.end()

    def read(self) -> YamlNode:
        stack: list[MappingNode | SequenceNode] = []
        keys: list[tuple[Position, str] | None] = []
        place = self._skip(0)
        while True:
            node, place = self._value(place, len(stack))
            is_open = isinstance(node, MappingNode | SequenceNode)
            self._place(stack, keys, node)
            if isinstance(node, MappingNode | SequenceNode):
                stack.append(node)
                keys.append(None)
            root = stack[0] if stack else node
            # After a value: close what ends here, then go to the next value, or to the end of the text.
            while stack:
                place = self._skip(place)
                sign = self._text[place : place + 1]
                top = stack[-1]
                if sign == ("}" if isinstance(top, MappingNode) else "]"):
                    stack.pop()
                    keys.pop()
                    place, is_open = place + 1, False
                    continue
                if not is_open:
                    if sign != ",":
                        raise self._refuse(place, f"{self._word(place)} where a comma or an end belongs.")
                    place = self._skip(place + 1)
                if isinstance(top, MappingNode):
                    keys[-1], place = self._key(place)
                break
            else:
                place = self._skip(place)
                if place < len(self._text):
                    raise self._refuse(place, f"{self._word(place)} after the end of the JSON value.")
                return root

    def _word(self, place: int) -> str:
        match = _WORD.match(self._text, place)
        return f'this is not JSON: "{match.group()}" stands' if match else "this is not JSON: it ends"

    def _value(self, place: int, depth: int) -> tuple[YamlNode, int]:
        at = self._at(place)
        self._count += 1
        if self._count > MAX_NODES:
            raise self._refuse(place, f"the file holds more than {MAX_NODES:,} values.", "too_large")
        sign = self._text[place : place + 1]
        if sign in ("{", "["):
            if depth >= MAX_DEPTH:
                raise self._refuse(place, f"values are nested more than {MAX_DEPTH} deep.", "too_deep")
            return (MappingNode(at) if sign == "{" else SequenceNode(at)), place + 1
        if sign == '"':
            text, end = self._string(place)
            return ScalarNode(at, text, False), end
        match = _PLAIN.match(self._text, place)
        if match is None or not match.group():
            raise self._refuse(place, f"{self._word(place)} where a value belongs.")
        return ScalarNode(at, match.group(), True), match.end()

    def _string(self, place: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self._text, place + 1, True)
        except JSONDecodeError as error:
            what = (
                "a text has no end"
                if "Unterminated" in error.msg
                else "a text holds a bad character or escape"
            )
            raise self._refuse(min(error.pos, len(self._text)), f"this is not JSON: {what}.") from None
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise self._refuse(place, "this is not JSON text: half of a surrogate pair.") from None
        return text, end

    def _key(self, place: int) -> tuple[tuple[Position, str], int]:
        if self._text[place : place + 1] != '"':
            raise self._refuse(place, f"{self._word(place)} where a name in double quotes belongs.")
        at = self._at(place)
        text, place = self._string(place)
        place = self._skip(place)
        if self._text[place : place + 1] != ":":
            raise self._refuse(place, f"{self._word(place)} where a colon belongs.")
        return (at, text), self._skip(place + 1)

    def _place(
        self,
        stack: list[MappingNode | SequenceNode],
        keys: list[tuple[Position, str] | None],
        node: YamlNode,
    ) -> None:
        if not stack:
            return
        top, key = stack[-1], keys[-1]
        if isinstance(top, SequenceNode):
            top.items.append(node)
            return
        assert key is not None
        at, name = key
        earlier = top.pairs.get(name)
        if earlier is not None:
            self._findings.add(
                "duplicate_key", f'the key "{name[:60]}" was given before, on line {earlier[0][0]}.', at
            )
            return
        top.pairs[name] = (at, node)
