"""Lint of a matter's frame: compulsory keys, limits and documents (the second stage)."""

from __future__ import annotations

from collections.abc import Callable

from rubrictui.ground.findings import Findings
from rubrictui.matters.lint_view import DocumentView, View, Views

MATTER_KEYS = ("matter_id", "title", "role", "assignment", "documents")
POSITIVE_CONSTRAINTS = ("maximum_steps", "maximum_client_questions")

DocumentReader = Callable[[str], DocumentView | str]
"""Gives the document at a path within the matter; or why there is none, nothing when there is no such file."""


def lint_frame(views: Views, read: DocumentReader) -> list[Findings]:
    """Check keys, constraints, documents and provenance; fills ``views.documents``.

    Returns:
        The collectors of the documents' files, in the order of the documents.
    """
    matter = views.matter
    for key in MATTER_KEYS:
        if matter[key].is_blank or (key == "documents" and not matter[key].is_list):
            matter[key].error("matter_key_missing", f'"{key}" is missing. Write it: {_MEANING[key]}.')
    for key in POSITIVE_CONSTRAINTS:
        limit = matter["constraints"][key]
        if isinstance(limit.value, bool) or not isinstance(limit.value, int) or limit.value <= 0:
            limit.error(
                "constraint_not_positive_int", f"{limit.name} must be a whole number above 0, without quotes."
            )
    collected = _documents(views, read)
    synthetic = matter["provenance"]["synthetic"]
    if synthetic.value is not True:
        synthetic.warn(
            "not_marked_synthetic",
            "provenance.synthetic is not true: say so when people, firms and texts are invented.",
        )
    return collected


_MEANING = {
    "matter_id": "a short permanent name",
    "title": "what the matter is called",
    "role": "whom the reviewer acts for",
    "assignment": "what is to be done",
    "documents": "a list with an id, a title and a path each",
}


def _documents(views: Views, read: DocumentReader) -> list[Findings]:
    collected = []
    seen: set[str] = set()
    for entry in views.matter["documents"].items():
        document_id, path = entry["id"], entry["path"]
        if document_id.is_blank:
            document_id.error(
                "document_id_missing", f"{entry.name} has no id. Citations name documents by id."
            )
        elif str(document_id.value) in seen:
            document_id.error(
                "document_id_duplicate", f'the document id "{document_id.value}" is used before.'
            )
        seen.add(str(document_id.value))
        document = read(path.text)
        if isinstance(document, str):
            path.error("document_file_missing", _why_missing(entry, path.text, document))
            continue
        collected.append(document.findings)
        if not document.parsed.headings:
            document.findings.add(
                "document_without_sections",
                f'{path.text} has no section. Begin each with "## ", its number and its title.',
            )
        if not document_id.is_blank:
            views.documents.setdefault(str(document_id.value), document)
    return collected


def _why_missing(entry: View, path: str, reason: str) -> str:
    if not path:
        return f"{entry.name} has no path. Write the document's file, as seen from the folder of the matter."
    return f'{entry.name}: "{path}" cannot be read: {reason or "the matter has no such file."}'
