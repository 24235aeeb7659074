"""Lint of a matter: what is wrong with its files, each with its place (contract, "Metrics and lint").

Three stages: files and YAML; keys, constraints and documents; the rest. A stage with an error is the last.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubrictui.ground.findings import Finding, Findings, has_errors
from rubrictui.matters.lint_files import lint_frame
from rubrictui.matters.lint_rubric import lint_rubric
from rubrictui.matters.lint_view import DocumentView, View, Views
from rubrictui.matters.loading import Matter
from rubrictui.matters.sections import parse_document
from rubrictui.matters.source import COUNTERPARTY, MatterSource, SourceFile, read_directory, source_from_dict


def lint(
    path_or_matter: str | os.PathLike[str] | Matter | Mapping[str, Any], *, pedantic: bool = False
) -> list[Finding]:
    """Everything that is wrong with a matter.

    Args:
        path_or_matter: its directory, or the matter, or the mapping that ``Matter.from_dict`` takes.
        pedantic: add warnings about what is scored as written and may be meant otherwise.

    Returns:
        Findings by file (matter, rubric, hidden facts, counterparty, documents), line and column. The codes
        are those of docs/matters-checking.md; those that are only warnings do not keep a matter from being
        played.

    Raises:
        InvalidInputError: there is no such directory, or the mapping has no parts.
    """
    source = _source(path_or_matter)
    found = [finding for file in source.files for finding in _file_findings(file)]
    if found:
        return found
    collected = {file.name: Findings(file.label) for file in source.files}

    def view(file: SourceFile) -> View:
        return View(file.value or {}, file.node(), collected[file.name])

    views = Views(
        matter=view(source.matter),
        rubric=view(source.rubric),
        hidden_facts=view(source.hidden_facts),
        counterparty=view(source.counterparty),
    )
    documents = lint_frame(views, lambda entry: _document(source, entry))
    if not has_errors(_ordered(collected["matter"], *documents)):
        matter = path_or_matter if isinstance(path_or_matter, Matter) else Matter(source)
        lint_rubric(views, matter.derived_max_score)
        if pedantic:
            from rubrictui.matters.lint_pedantic import lint_pedantic

            lint_pedantic(views)
        found = _ordered(*collected.values(), *documents)
        # Whatever keeps it from being played is an error, also what has no code of its own.
        return found if has_errors(found) else [*matter.problems, *found]
    return _ordered(*collected.values(), *documents)


def _ordered(*collected: Findings) -> list[Finding]:
    return [
        finding
        for findings in collected
        for finding in sorted(findings.all, key=lambda one: (one.line, one.column))
    ]


def _source(path_or_matter: str | os.PathLike[str] | Matter | Mapping[str, Any]) -> MatterSource:
    if isinstance(path_or_matter, Matter):
        return path_or_matter.source
    if isinstance(path_or_matter, Mapping):
        return source_from_dict(path_or_matter)
    return read_directory(Path(path_or_matter))


def _file_findings(file: SourceFile) -> list[Finding]:
    """The first stage for one file: one finding, however much is wrong with its YAML."""
    if file.findings:
        first = file.findings[0]
        more = f" ({len(file.findings) - 1} more in this file.)" if len(file.findings) > 1 else ""
        return [
            Finding(
                code="yaml_unloadable",
                message=first.message + more,
                file=file.label,
                line=first.line,
                column=first.column,
            )
        ]
    if not file.is_there and file.name != COUNTERPARTY:
        message = "the file is missing. A matter needs matter.yaml, rubric.yaml and hidden_facts.yaml."
        return [Finding(code="file_missing", message=message, file=file.label)]
    return []


def _document(source: MatterSource, path: str) -> DocumentView | str:
    """The document at a path within the matter; why there is none otherwise."""
    reading = Findings(source.document_label(path))
    text = source.document_text(path, reading) if path else None
    if text is None:
        return reading.all[0].message if reading.all else ""
    return DocumentView(path=path, text=text, parsed=parse_document(text), findings=reading)
