"""A matter as it is worked on: documents, rubric, hidden facts and counterparty, with everything compiled.

A matter loads when its files can be read, also while its author is still writing it; what cannot be used
is in ``problems``, with file, line and column, and an ``Episode`` refuses to begin until that is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rubrictui.ground.errors import InvalidInputError
from rubrictui.ground.findings import Finding, Findings
from rubrictui.matters.building import (
    HALF_CHARACTER,
    Fields,
    build_facts,
    build_hidden_facts,
    build_positions,
    build_rubric,
    document_path,
    source_fields,
)
from rubrictui.matters.model import (
    Constraints,
    Document,
    HiddenFacts,
    MatterFacts,
    Position,
    Rubric,
    derived_max_score,
)
from rubrictui.matters.observation import FixedPart
from rubrictui.matters.plan import Plan
from rubrictui.matters.sections import parse_sections, split_citation
from rubrictui.matters.source import MatterSource, SourceFile, read_directory, source_from_dict


class Matter:
    """A legal matter: load it once, then play any number of episodes on it. Treat it as frozen.

    Attributes:
        source: the files as written, which lint reads.
        facts: ``matter.yaml`` without its documents.
        documents: by id, in the order of ``matter.yaml``.
        rubric, hidden_facts: what earns credit, and what is learned by asking.
        positions: the counterparty's, by issue id; None when there is no ``counterparty.yaml`` or no
            position in it, and so nothing to negotiate.
        problems: what cannot be used; empty when an episode can begin.
    """

    source: MatterSource
    facts: MatterFacts
    documents: dict[str, Document]
    rubric: Rubric
    hidden_facts: HiddenFacts
    positions: dict[str, Position] | None
    problems: tuple[Finding, ...]

    def __init__(self, source: MatterSource) -> None:
        """Use ``from_directory`` or ``from_dict``.

        Raises:
            InvalidInputError: a file is missing or is not YAML that can be read.
        """
        _require_files(source)
        self.source = source
        problems: list[Finding] = []
        fields = source_fields(source, problems)
        self.facts = build_facts(fields["matter"])
        self.documents = _documents(source, fields["matter"])
        self.rubric = build_rubric(fields["rubric"])
        self.hidden_facts = build_hidden_facts(fields["hidden_facts"])
        self.positions = build_positions(fields["counterparty"]) or None
        self.problems = tuple(problems)
        if not problems:
            _ = self.plan

    @classmethod
    def from_directory(cls, path: str | Path) -> Matter:
        """Load ``matter.yaml``, ``rubric.yaml``, ``hidden_facts.yaml``, ``counterparty.yaml`` (optional) and
        the documents.

        Raises:
            InvalidInputError: no such directory, a file missing or unreadable; the message names the file,
                line and column.
        """
        return cls(read_directory(path))

    @classmethod
    def from_dict(cls, obj: Mapping[str, Any]) -> Matter:
        """Load ``{matter, rubric, hidden_facts, counterparty | None, documents: {id: markdown}}``.

        Raises:
            InvalidInputError: a part is missing or no mapping.
        """
        return cls(source_from_dict(obj))

    @property
    def matter_id(self) -> str:
        return self.facts.matter_id

    @property
    def title(self) -> str:
        return self.facts.title

    @property
    def constraints(self) -> Constraints:
        return self.facts.constraints

    @cached_property
    def max_score(self) -> float:
        """The declared maximum, else the derived one."""
        declared = self.rubric.max_score
        return self.derived_max_score if declared is None else declared

    @cached_property
    def derived_max_score(self) -> float:
        """The sum of all points there are to earn (contract, "Score")."""
        return derived_max_score(self.rubric, self.positions or {})

    @cached_property
    def plan(self) -> Plan:
        """Everything an episode looks up, prepared once: anchors, normalised concepts, compiled gates."""
        return Plan(self.documents, self.rubric, self.hidden_facts, self.positions)

    @cached_property
    def fixed_observation(self) -> FixedPart:
        """What every observation of this matter shows alike, prepared once."""
        return FixedPart(self.facts, self.documents.values(), has_negotiation=self.positions is not None)

    def section(self, citation: str) -> str | None:
        """The text of the section a citation names; None when it names none."""
        parts = split_citation(citation)
        if parts is None:
            return None
        document = self.documents.get(parts[0])
        return document.sections.get(parts[1]) if document is not None else None

    def resolves(self, citation: str) -> bool:
        """Whether a citation names a section of a document of this matter."""
        return self.section(citation) is not None

    def require_playable(self) -> None:
        """
        Raises:
            InvalidInputError: there are problems; the message is the first, with its place.
        """
        if self.problems:
            more = len(self.problems) - 1
            remedy = f"({more} more: rubrictui matter lint lists them all.)" if more else ""
            raise InvalidInputError(str(self.problems[0]), remedy=remedy)


def _require_files(source: MatterSource) -> None:
    for file in source.files:
        if not file.is_there and file.name != "counterparty":
            raise InvalidInputError(
                f"{file.label} is missing.",
                remedy="A matter needs matter.yaml, rubric.yaml and hidden_facts.yaml.",
            )
        _require_loadable(file)


def _require_loadable(file: SourceFile) -> None:
    if file.findings:
        more = len(file.findings) - 1
        raise InvalidInputError(str(file.findings[0]), remedy=f"({more} more in this file.)" if more else "")


def _documents(source: MatterSource, fields: Fields) -> dict[str, Document]:
    """The documents by id. One without an id, without a file, or with an id given before is a problem."""
    documents: dict[str, Document] = {}

    def build(entry: Fields) -> None:
        document_id = entry.identity()
        path = document_path(entry.value)
        if document_id in documents:
            entry.refuse(f"the document id {document_id} was given before.", "id", code="duplicate")
            return
        findings = Findings(source.document_label(path))
        text = source.document_text(path, findings)
        if text is None and source.directory is None:
            text = source.document_text(f"documents/{document_id}.md")
        if text is not None and HALF_CHARACTER.search(text):
            entry.refuse(f"{path} holds half a character (a lone surrogate).", "path", code="encoding")
            return
        if text is None:
            entry.problems.extend(findings.all)
            if not findings.all:
                entry.refuse(f"{path} is no file of this matter.", "path", code="missing")
            return
        documents[document_id] = Document(
            id=document_id,
            title=entry.text("title"),
            path=path,
            text=text,
            sections=parse_sections(text),
        )

    fields.each("documents", build)
    return documents
