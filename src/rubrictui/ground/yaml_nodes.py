"""YAML text as plain nodes that know their line and column, with every limit kept.

PyYAML's parser (libyaml's when it is there) gives events; the tree is built here, because its own
composer recurses without a limit, drops duplicate keys silently and resolves words such as ``Yes`` before
anyone knows which type the field has. A scalar keeps the text as written; its type is decided by the
field that reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from rubrictui.ground.findings import Findings

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 100
MAX_NODES = 2_000_000
MAX_ALIASES = 1_000
# What all aliases of a document may stand for together, in nodes and characters of text.
MAX_EXPANSION = 2_000_000

_TAB = "a tab is used for indentation. Use blanks."
_MOST_TRIES = 30
_READ_AGAIN = 1_000_000

Position = tuple[int, int]

# What YAML refuses in a stream (YAML 1.2, "c-printable"), tabs and line breaks apart.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class YamlNode:
    """A node: ``at`` is its (line, column) from 1, ``size`` what it weighs when an alias repeats it."""

    __slots__ = ("at", "size")

    def __init__(self, at: Position) -> None:
        self.at = at
        self.size = 1


class ScalarNode(YamlNode):
    """Text. ``plain`` when it stands without quotes, so that it may mean a number, a truth or null."""

    __slots__ = ("plain", "text")

    def __init__(self, at: Position, text: str, plain: bool) -> None:
        super().__init__(at)
        self.text = text
        self.plain = plain
        self.size = 1 + len(text)


class SequenceNode(YamlNode):
    __slots__ = ("items",)

    def __init__(self, at: Position) -> None:
        super().__init__(at)
        self.items: list[YamlNode] = []


class MappingNode(YamlNode):
    """``pairs`` in the order written, keys unique."""

    __slots__ = ("pairs",)

    def __init__(self, at: Position) -> None:
        super().__init__(at)
        self.pairs: dict[str, tuple[Position, YamlNode]] = {}

    def get(self, key: str) -> YamlNode | None:
        pair = self.pairs.get(key)
        return pair[1] if pair else None

    def place(self, key: str) -> Position:
        """Where the value of ``key`` stands; where the mapping begins when the key is absent."""
        pair = self.pairs.get(key)
        return pair[1].at if pair else self.at


class BrokenNode(YamlNode):
    """Stands where something was refused already, so that nothing is said about it twice."""

    __slots__ = ()


class _Stop(Exception):
    """A limit is passed: nothing after it is read."""


def decode(data: bytes, findings: Findings) -> str | None:
    """The text of a UTF-8 file, with or without a byte order mark; None (and a finding) otherwise."""
    if len(data) > MAX_BYTES:
        size = len(data) / (1024 * 1024)
        findings.add("too_large", f"the file is {size:.0f} MB; at most {MAX_BYTES >> 20} MB are read.")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        findings.add(
            "encoding",
            f"byte 0x{error.object[error.start]:02x} is not UTF-8 text. Save the file as UTF-8.",
            (line, column),
        )
        return None
    return text


def read_nodes(text: str, findings: Findings) -> list[YamlNode]:
    """The documents of a YAML text. What is refused is in ``findings``.

    One mistake hides no other, in files of up to a million characters: a tab in the indentation is told and read as
    blanks, and after a syntax error reading goes on at the next document. At a passed limit it ends; the documents
    before it are still given.
    """
    if _refuse_unprintable(text, findings):
        return []
    written = text
    documents: list[YamlNode] = []
    tabs: list[Position] = []
    left, begun = _MOST_TRIES if len(text) <= _READ_AGAIN else 0, 0
    while True:
        kept, told = len(documents), len(findings.all)
        error = _read_until_error(text, documents, findings)
        mark = None if error is None else error.problem_mark or error.context_mark
        if error is None:
            break
        at, left = _mark(mark), left - 1
        mended = _without_tab(text, at, written) if left >= 0 else text
        if mended != text:
            tabs.append(at)
            text = mended
            del documents[kept:], findings.all[told:]
            continue
        if not any(_is_one_document(text, tab, at) for tab in tabs):  # what was made of a tab may be no YAML
            findings.add("syntax", _syntax_message(error, text), at)
        following = _next_document(text, max(at[0] - 1, begun + 1)) if left >= 0 else None
        if following is None:
            break
        begun = following
        text = "\n" * begun + text.split("\n", begun)[begun]  # lines keep their numbers
    for at in tabs:
        findings.add("syntax", _TAB, at)
    return documents


def _read_until_error(
    text: str, documents: list[YamlNode], findings: Findings
) -> yaml.MarkedYAMLError | None:
    """Read documents up to the first syntax error, which is given."""
    builder = _Builder(findings)
    try:
        for event in _events(text):
            root = builder.take(event)
            if root is not None:
                documents.append(root)
    except _Stop:
        pass
    except yaml.MarkedYAMLError as error:
        return error
    except yaml.YAMLError as error:
        findings.add("syntax", " ".join(str(error).split()))
    return None


def _begins_document(line: str) -> bool:
    return line.rstrip() == "---" or line.startswith("--- ")


def _is_one_document(text: str, one: Position, other: Position) -> bool:
    lines = text.split("\n")[min(one, other)[0] : max(one, other)[0]]
    return not any(map(_begins_document, lines))


def _next_document(text: str, least: int) -> int | None:
    """The line on which a document begins, from the line ``least`` on, counted from 0; None when there is none."""
    lines = text.split("\n")
    return next((number for number in range(least, len(lines)) if _begins_document(lines[number])), None)


def _is_tab(text: str, at: Position) -> bool:
    """Whether a syntax error comes from a tab before it on its line."""
    line = text.split("\n", at[0])[at[0] - 1 : at[0]]
    return bool(line) and "\t" in line[0][: at[1]]


def _without_tab(text: str, at: Position, written: str) -> str:
    """The text with blanks for the tabs before a line.

    A line stands as far in as the one above it, or two further below what that opens; between two lines with tabs, two
    for each tab.

    Args:
        written: the text before any tab of it was replaced.
    """
    if not _is_tab(text, at):
        return text
    lines, originals = text.split("\n"), written.split("\n")
    own = at[0] - 1
    words = lines[own].lstrip()
    place = next((n for n in range(own - 1, -1, -1) if lines[n].strip()), own)
    above, before = lines[place], _indent(originals[place])
    depth = len(_indent(above))
    if "\t" in before:
        depth += len(_indent(originals[own]).expandtabs(2)) - len(before.expandtabs(2))
    elif above.rstrip().endswith(":") or (above.lstrip().startswith("- ") and not words.startswith("-")):
        depth += 2
    lines[own] = " " * max(depth, 0) + words
    return "\n".join(lines)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _events(text: str) -> Iterator[Any]:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.parse(text, Loader=loader)


def _mark(mark: Any) -> Position:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _syntax_message(error: yaml.MarkedYAMLError, text: str) -> str:
    problem = error.problem or "this is not YAML"
    mark = error.problem_mark
    if "nesting depth" in problem:  # the limit of the C library, reached before MAX_DEPTH is checked
        return "lists and mappings are nested too deep. Flatten them."
    if mark is not None and _is_tab(text, _mark(mark)):
        return _TAB
    context = f" {error.context}" if error.context else ""
    return f"this is not YAML: {problem}{context}."


def _refuse_unprintable(text: str, findings: Findings) -> bool:
    found = False
    for match in _UNPRINTABLE.finditer(text):
        found = True
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start())
        code = ord(match.group())
        findings.add(
            "control_character",
            f'control character U+{code:04X} stands in the file. Write it as "\\u{code:04x}" in double quotes.',
            (line, column),
        )
        if len(findings.all) >= 20:
            break
    return found


class _Builder:
    """Builds nodes from events without recursion."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._stack: list[YamlNode] = []
        self._keys: list[ScalarNode | BrokenNode | None] = []
        self._anchors: dict[str, YamlNode] = {}
        self._open: set[str] = set()
        self._anchor_of: list[str | None] = []
        self._nodes = 0
        self._aliases = 0
        self._expansion = 0
        self._is_bomb = False

    def take(self, event: Any) -> YamlNode | None:
        """Give one event; the root of a document when it is complete."""
        at = _mark(event.start_mark)
        if isinstance(event, yaml.ScalarEvent):
            return self._leaf(self._scalar(event, at), event.anchor)
        if isinstance(event, yaml.AliasEvent):
            return self._place(self._alias(str(event.anchor), at))
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._begin(event, at)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            return self._end()
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
            self._aliases = self._expansion = 0
            self._is_bomb = False
        return None

    def _count(self, at: Position) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._stop("too_large", f"the file holds more than {MAX_NODES:,} values.", at)

    def _stop(self, code: str, message: str, at: Position) -> None:
        self._findings.add(code, message, at)
        raise _Stop

    def _scalar(self, event: Any, at: Position) -> YamlNode:
        self._count(at)
        if event.tag is not None:
            self._refuse_tag(event.tag, at)
            return BrokenNode(at)
        return ScalarNode(at, event.value, bool(event.implicit[0]))

    def _refuse_tag(self, tag: str, at: Position) -> None:
        short = tag.replace("tag:yaml.org,2002:", "!!")
        self._findings.add("tag", f'the tag "{short}" is not allowed. Write the value without a tag.', at)

    def _alias(self, name: str, at: Position) -> YamlNode:
        if self._is_bomb:
            return BrokenNode(at)
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            return self._bomb(f"more than {MAX_ALIASES:,} aliases in one document.", at)
        if name in self._open:
            self._findings.add("cycle", f"*{name} stands inside the value it repeats: a cycle.", at)
            return BrokenNode(at)
        target = self._anchors.get(name)
        if target is None:
            self._findings.add("syntax", f"there is no anchor &{name} before this alias.", at)
            return BrokenNode(at)
        self._expansion += target.size
        if self._expansion > MAX_EXPANSION:
            return self._bomb(
                "the aliases of this document grow it beyond all measure. Write the values out.", at
            )
        return target

    def _bomb(self, message: str, at: Position) -> YamlNode:
        """Follow no more aliases of this document; what stands beside them is read."""
        self._is_bomb = True
        self._findings.add("too_many_aliases", message, at)
        return BrokenNode(at)

    def _begin(self, event: Any, at: Position) -> None:
        self._count(at)
        if len(self._stack) >= MAX_DEPTH:
            self._stop("too_deep", f"values are nested more than {MAX_DEPTH} deep. Flatten them.", at)
        if event.tag is not None:
            self._refuse_tag(event.tag, at)
        node = MappingNode(at) if isinstance(event, yaml.MappingStartEvent) else SequenceNode(at)
        if event.anchor:
            self._open.add(event.anchor)
        self._anchor_of.append(event.anchor)
        self._stack.append(node)
        self._keys.append(None)

    def _end(self) -> YamlNode | None:
        node = self._stack.pop()
        self._keys.pop()
        anchor = self._anchor_of.pop()
        if anchor:
            self._open.discard(anchor)
            self._anchors[anchor] = node
        return self._place(node)

    def _leaf(self, node: YamlNode, anchor: str | None) -> YamlNode | None:
        if anchor:
            self._anchors[anchor] = node
        return self._place(node)

    def _place(self, node: YamlNode) -> YamlNode | None:
        """Put a finished node where it belongs; the node itself when it is a whole document."""
        if not self._stack:
            return node
        parent = self._stack[-1]
        if isinstance(parent, SequenceNode):
            parent.items.append(node)
            parent.size += node.size
            return None
        assert isinstance(parent, MappingNode)
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = self._key(node)
            return None
        self._keys[-1] = None
        parent.size += node.size + key.size
        if isinstance(key, ScalarNode):
            self._pair(parent, key, node)
        return None

    def _key(self, node: YamlNode) -> ScalarNode | BrokenNode:
        if isinstance(node, ScalarNode):
            return node
        if not isinstance(node, BrokenNode):
            self._findings.add("wrong_type", "a key must be text.", node.at)
        return BrokenNode(node.at)

    def _pair(self, parent: MappingNode, key: ScalarNode, node: YamlNode) -> None:
        if key.plain and key.text == "<<":
            self._findings.add("merge_key", "merge keys (<<) are not read. Write the fields out.", key.at)
            return
        earlier = parent.pairs.get(key.text)
        if earlier is not None:
            self._findings.add(
                "duplicate_key", f'the key "{key.text}" was given before, on line {earlier[0][0]}.', key.at
            )
            return
        parent.pairs[key.text] = (key.at, node)
