"""Searching the documents: sections that hold a text, in the order of the documents (contract, "Steps")."""

from __future__ import annotations

from typing import Any

from rubrictui.matters.plan import Plan, SectionPlan

LISTED_HITS = 20
AROUND = 100
"""Characters of a snippet on either side of the words found."""


def search(plan: Plan, query: str) -> dict[str, Any]:
    """``query`` is trimmed and lower-cased already. ``hits`` are ``[document id, section]`` of the first
    ``LISTED_HITS``, ``snippets`` the words around each, ``hit_count`` the number of all."""
    found = [section for section in plan.sections.values() if query in section.lowered]
    listed = found[:LISTED_HITS]
    snippets = [_snippet(section, query) for section in listed]
    return {
        "kind": "search",
        "query": query,
        "hit_count": len(found),
        "hits": [[section.document_id, section.token] for section in listed],
        "first_snippet": snippets[0] if snippets else None,
        "snippets": snippets,
    }


def _snippet(section: SectionPlan, query: str) -> str:
    at = section.lowered.find(query)
    return section.text[max(0, at - AROUND) : at + len(query) + AROUND].replace("\n", " ")
