"""The files of a matter as they were written: plain values that know their file, line and column.

``MatterSource`` is read from a directory or made from one dict; both look the same to what builds and lints
a matter. Reading keeps the limits of ``ground/yaml_nodes.py`` (size, depth, aliases, tags, duplicate keys).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubrictui.ground.errors import InvalidInputError
from rubrictui.ground.findings import Finding, Findings, has_errors
from rubrictui.ground.yaml_nodes import (
    MAX_BYTES,
    MappingNode,
    Position,
    ScalarNode,
    SequenceNode,
    YamlNode,
    decode,
    read_nodes,
)

MATTER, RUBRIC, HIDDEN_FACTS, COUNTERPARTY = "matter", "rubric", "hidden_facts", "counterparty"
FILES = (MATTER, RUBRIC, HIDDEN_FACTS, COUNTERPARTY)

Step = str | int
"""One step of a path into a file's value: a key of a mapping or an index of a list."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", "+.inf", ".Inf", "+.Inf", ".INF", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
# Python refuses to read longer integers; nothing here needs them.
_LONGEST_INTEGER = 4_000


class SourceFile:
    """One of the four YAML files.

    Attributes:
        name: ``matter``, ``rubric``, ``hidden_facts`` or ``counterparty``.
        label: how findings call it: the path for a directory, ``rubric.yaml`` for a dict.
        is_there: whether the file (or the dict's key) exists; None counts as absent.
        value: its mapping as plain values; None when it is absent or cannot be loaded.
        findings: why it cannot be loaded, with line and column; empty when it can.
    """

    def __init__(
        self,
        name: str,
        label: str,
        *,
        is_there: bool,
        value: dict[str, Any] | None = None,
        root: YamlNode | None = None,
        findings: tuple[Finding, ...] = (),
    ) -> None:
        self.name = name
        self.label = label
        self.is_there = is_there
        self.value = value
        self.findings = findings
        self._root = root

    def node(self, *path: Step) -> YamlNode | None:
        """The YAML node at ``path``, or the deepest one on the way to it; None for a matter from a dict."""
        node = self._root
        for step in path:
            below: YamlNode | None = None
            if isinstance(node, MappingNode) and isinstance(step, str):
                below = node.get(step)
            elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.items):
                below = node.items[step]
            if below is None:
                break
            node = below
        return node

    def place(self, *path: Step) -> Position:
        """(line, column) of the value at ``path``; of what holds it when there is none. (1, 1) for a dict."""
        node = self.node(*path)
        return node.at if node is not None else (1, 1)

    def key_place(self, *path: Step) -> Position:
        """(line, column) of the key that ``path`` ends in; of what holds it when there is none."""
        holder = self.node(*path[:-1])
        if isinstance(holder, MappingNode) and path and path[-1] in holder.pairs:
            return holder.pairs[str(path[-1])][0]
        return self.place(*path)

    def written(self, *path: Step) -> str | None:
        """The scalar at ``path`` as it stands in the file (``1.10``, not 1.1); None when that is not known."""
        holder, step = self.node(*path[:-1]), path[-1]
        node: YamlNode | None = None
        if isinstance(holder, MappingNode) and isinstance(step, str):
            node = holder.get(step)
        elif isinstance(holder, SequenceNode) and isinstance(step, int) and step < len(holder.items):
            node = holder.items[step]
        return node.text if isinstance(node, ScalarNode) else None

    def finding(self, code: str, message: str, *path: Step) -> Finding:
        """An error at ``path``."""
        line, column = self.place(*path)
        return Finding(code=code, message=message, file=self.label, line=line, column=column)


class MatterSource:
    """A matter as written.

    Attributes:
        label: the directory, or "matter" for a dict.
        matter, rubric, hidden_facts, counterparty: the four files.
    """

    def __init__(
        self, label: str, files: Mapping[str, SourceFile], directory: Path | None, texts: Mapping[str, Any]
    ) -> None:
        self.label = label
        self.matter = files[MATTER]
        self.rubric = files[RUBRIC]
        self.hidden_facts = files[HIDDEN_FACTS]
        self.counterparty = files[COUNTERPARTY]
        self.directory = directory
        self._texts = texts

    @property
    def files(self) -> tuple[SourceFile, ...]:
        return (self.matter, self.rubric, self.hidden_facts, self.counterparty)

    def document_label(self, path: str) -> str:
        """How findings call a document."""
        return str(self.directory / path) if self.directory is not None else path

    def document_text(self, path: str, findings: Findings | None = None) -> str | None:
        """The text of a document, without a byte order mark; None when it is no file inside the matter,
        cannot be read or is not UTF-8 (then why is added to ``findings``)."""
        if self.directory is None:
            text = self._texts.get(path)
            return text.removeprefix("\ufeff") if isinstance(text, str) else None
        file = self._inside(path)
        if file is None:
            return None
        findings = findings if findings is not None else Findings(str(file))
        data = _read_bytes(file, findings)
        return decode(data, findings) if data is not None else None

    def _inside(self, path: str) -> Path | None:
        """The file at ``path``; None when there is none, or when it lies outside the directory."""
        assert self.directory is not None
        try:
            file = (self.directory / path).resolve()
            is_inside = file.is_relative_to(self.directory.resolve())
            return file if is_inside and file.is_file() else None
        except (OSError, ValueError, RuntimeError):
            return None


def read_directory(path: str | Path) -> MatterSource:
    """Read the YAML files of a matter's directory. What is wrong with a file is on the file.

    Raises:
        InvalidInputError: there is no such directory.
    """
    directory = Path(path)
    if not directory.is_dir():
        raise InvalidInputError(
            f"{directory} is not a directory.", remedy="Name the directory that holds matter.yaml."
        )
    return MatterSource(
        str(directory), {name: _read_file(directory, name) for name in FILES}, directory, texts={}
    )


def source_from_dict(obj: Mapping[str, Any]) -> MatterSource:
    """A matter in one mapping: ``matter``, ``rubric``, ``hidden_facts``, ``counterparty`` (or None) and
    ``documents`` (id to Markdown, standing for ``documents/<id>.md``).

    Raises:
        InvalidInputError: ``obj`` is no mapping, or ``documents`` is none.
    """
    if not isinstance(obj, Mapping):
        raise InvalidInputError(
            "a matter must be a mapping.",
            remedy="Give matter, rubric, hidden_facts, counterparty and documents.",
        )
    documents = obj.get("documents")
    if documents is not None and not isinstance(documents, Mapping):
        raise InvalidInputError("documents must be a mapping of document ids to Markdown text.")
    files = {}
    for name in FILES:
        value = obj.get(name)
        label = f"{name}.yaml"
        findings: tuple[Finding, ...] = ()
        if value is not None and not isinstance(value, Mapping):
            findings = (Finding(code="yaml_unloadable", message=f"{name} must be a mapping.", file=label),)
        files[name] = SourceFile(
            name,
            label,
            is_there=value is not None,
            value=dict(value) if isinstance(value, Mapping) else None,
            findings=findings,
        )
    texts = {f"documents/{key}.md": text for key, text in (documents or {}).items()}
    return MatterSource("matter", files, None, texts)


def _read_bytes(file: Path, findings: Findings) -> bytes | None:
    try:
        with file.open("rb") as stream:
            # One byte more than allowed, so that ``decode`` refuses it: the rest need not be read.
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        findings.add("unreadable", f"the file cannot be read: {error.strerror or error}.")
        return None


def _read_file(directory: Path, name: str) -> SourceFile:
    file = directory / f"{name}.yaml"
    label = str(file)
    if not file.is_file():
        return SourceFile(name, label, is_there=False)
    findings = Findings(label)
    data = _read_bytes(file, findings)
    text = decode(data, findings) if data is not None else None
    nodes = read_nodes(text, findings) if text is not None else []
    if has_errors(findings.all):
        return SourceFile(name, label, is_there=True, findings=tuple(findings.all))
    if len(nodes) != 1 or not isinstance(nodes[0], MappingNode):
        found = "more than one document" if len(nodes) > 1 else "no mapping"
        at = nodes[1].at if len(nodes) > 1 else (1, 1)
        findings.add("not_a_mapping", f"the file holds {found}; it must be one mapping of keys.", at)
        return SourceFile(name, label, is_there=True, findings=tuple(findings.all))
    return SourceFile(name, label, is_there=True, value=plain_value(nodes[0]), root=nodes[0])


def plain_value(node: YamlNode) -> Any:
    """A node as Python values. A plain scalar is a number, a truth or null when YAML 1.2 says so (dates and
    ``yes`` stay text). Depth is bounded by what the reader lets through."""
    if isinstance(node, MappingNode):
        return {key: plain_value(value) for key, (_, value) in node.pairs.items()}
    if isinstance(node, SequenceNode):
        return [plain_value(item) for item in node.items]
    if isinstance(node, ScalarNode):
        return _scalar(node.text) if node.plain else node.text
    return None


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text) and len(text) < _LONGEST_INTEGER:
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
