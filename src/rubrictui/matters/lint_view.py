"""The files of a matter as lint reads them: plain values, each of which knows where it stands.

A value and its YAML node are walked side by side. A matter that was never written to files has values
only; its findings stand at line 1 of the file that the value would be in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import MappingNode, Position, SequenceNode, YamlNode
from rubrictui.matters.sections import ParsedDocument, split_citation

MISSING: Any = msgspec.UNSET
"""Stands for a value that is not there; null is there."""


class View:
    """A value with its place.

    ``name`` says what it is, for messages: ``data_training.anchor``, or ``issues[2].anchor`` of an issue
    without an id.
    """

    __slots__ = ("at", "findings", "name", "node", "value")

    def __init__(
        self, value: Any, node: YamlNode | None, findings: Findings, name: str = "", at: Position = (1, 1)
    ) -> None:
        self.value = value
        self.node = node
        self.findings = findings
        self.name = name
        self.at = node.at if node is not None else at

    def __getitem__(self, key: str) -> View:
        """The value of a key. One that is not there has no value and stands where its mapping begins."""
        value = self.value.get(key, MISSING) if isinstance(self.value, dict) else MISSING
        node = self.node.get(key) if isinstance(self.node, MappingNode) else None
        return View(value, node, self.findings, f"{self.name}.{key}" if self.name else key, self.at)

    @property
    def is_missing(self) -> bool:
        return self.value is MISSING

    @property
    def is_blank(self) -> bool:
        """Missing, null, empty, or text of blanks."""
        value = self.value
        return (
            value is MISSING
            or value is None
            or (isinstance(value, str) and not value.strip())
            or (isinstance(value, list | tuple | dict) and not value)
        )

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def text(self) -> str:
        """The value when it is text, else nothing."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def number(self) -> float | None:
        """The value when it is a finite number; true and false are none."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None

    def items(self) -> list[View]:
        """The entries of a list; nothing when it is none."""
        if not isinstance(self.value, list | tuple):
            return []
        nodes: list[Any] = (
            self.node.items if isinstance(self.node, SequenceNode) else [None] * len(self.value)
        )
        return [
            View(value, node, self.findings, _entry_name(value) or f"{self.name}[{number}]", self.at)
            for number, (value, node) in enumerate(zip(self.value, nodes, strict=True), 1)
        ]

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list | tuple)

    def texts(self) -> list[View]:
        """The entries of a list that are text."""
        return [item for item in self.items() if isinstance(item.value, str)]

    def pairs(self) -> Iterator[tuple[str, View]]:
        """The keys of a mapping as text, with their values."""
        if isinstance(self.value, dict):
            for key in self.value:
                yield str(key), self[key]

    def key_place(self, key: str) -> Position:
        """Where a key itself stands."""
        if isinstance(self.node, MappingNode) and key in self.node.pairs:
            return self.node.pairs[key][0]
        return self.at

    def error(self, code: str, message: str, at: Position | None = None) -> None:
        self.findings.add(code, message, at or self.at)

    def warn(self, code: str, message: str, at: Position | None = None) -> None:
        self.findings.warn(code, message, at or self.at)


def _entry_name(value: Any) -> str:
    """The id of an entry of a list, if it has one."""
    name = value.get("id") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name.strip() else ""


class DocumentView(msgspec.Struct, frozen=True, kw_only=True):
    """A document as its author wrote it, with the findings of its file."""

    path: str
    text: str
    parsed: ParsedDocument
    findings: Findings


class Views(msgspec.Struct, kw_only=True):
    """The four files and the documents. A file that is not there is an empty mapping."""

    matter: View
    rubric: View
    hidden_facts: View
    counterparty: View
    documents: dict[str, DocumentView] = {}

    @property
    def issues(self) -> list[View]:
        return self.rubric["issues"].items()

    @property
    def positions(self) -> View:
        return self.counterparty["positions"]

    def has_position(self, issue: View) -> bool:
        """Whether the counterparty has a position on an issue."""
        positions = self.positions.value
        return (
            isinstance(positions, dict)
            and isinstance(issue["id"].value, str)
            and issue["id"].value in positions
        )

    def section(self, citation: str) -> str | None:
        """The text of the section that a citation names; None when it names none."""
        parts = split_citation(citation)
        document = self.documents.get(parts[0]) if parts else None
        return document.parsed.sections.get(parts[1]) if parts and document else None
