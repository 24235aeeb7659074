"""The conformance cases of matters, and a small matter to break."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from rubrictui.matters import Matter

VECTORS = Path(__file__).parent.parent / "vectors" / "matters"


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def case_id(case: dict[str, Any]) -> str:
    return str(case["id"])


MSA = """\
Opening words.

## 1.1 Liability
Liability of either side is limited to the fees of the last year.

## 1.2. Notice
Incidents are reported within thirty days of first awareness.
"""

_SMALL: dict[str, Any] = {
    "matter": {
        "matter_id": "small",
        "title": "Small",
        "role": "Counsel",
        "assignment": "Review.",
        "public_facts": {"client": "Marl", "sites": ["north", "south"]},
        "constraints": {
            "maximum_steps": 20,
            "maximum_client_questions": 2,
            "maximum_escalations": 2,
            "maximum_negotiation_rounds": 3,
        },
        "documents": [{"id": "msa", "title": "Agreement", "path": "documents/msa.md"}],
    },
    "rubric": {
        "questions": [{"id": "q_date", "concepts": ["launch date"], "aliases": [["go live"]]}],
        "escalations": [
            {"id": "e_cap", "concepts": ["ceiling"], "required": True},
            {"id": "e_sole", "concepts": ["sole supply"], "critical_if_missed": True},
        ],
        "issues": [
            {
                "id": "cap",
                "anchor": "msa §1.1",
                "severity": "high",
                "required_citations": ["msa §1.1"],
                "required_concepts": ["two years", "Data Loss"],
                "redline_concepts": ["two years"],
                "critical_failure_patterns": [
                    {"pattern": "cap is void", "negation_guard": True},
                    "law forbids caps",
                ],
                "redline_critical_failure_patterns": ["no liability"],
            },
            {
                "id": "notice",
                "anchor": "msa §1.2",
                "severity": "medium",
                "required_citations": ["msa §1.2"],
                "required_concepts": ["24 hours"],
                "redline_concepts": [],
                "settlement_concepts": ["24 hours", "discovery"],
                "settlement_critical_failure_patterns": ["thirty days"],
                "non_negotiable": True,
            },
        ],
        "final_submission": {"required_issue_ids": ["cap"], "minimum_characters": 10},
    },
    "hidden_facts": {
        "client_answers": {"q_date": "In May."},
        "escalation_answers": {"e_cap": "Two years at most."},
    },
    "counterparty": {
        "positions": {
            "notice": {
                "resist_rounds": 1,
                "accept_concepts": [["24 hours"]],
                "counters": [{"message": "We offer this.", "text": "Within thirty days.", "trap": True}],
                "reject_message": "That is all.",
            }
        }
    },
    "documents": {"msa": MSA},
}


def small() -> dict[str, Any]:
    """A copy of the small matter, to be changed."""
    return copy.deepcopy(_SMALL)


def small_matter() -> Matter:
    return Matter.from_dict(_SMALL)


READ: dict[str, Any] = {"type": "read_document", "document_id": "msa"}
ISSUE: dict[str, Any] = {
    "type": "submit_issue",
    "issue_id": "mine",
    "title": "Liability",
    "severity": "high",
    "citations": ["msa §1.1"],
    "analysis": "A cap of  TWO\nyears is needed.",
    "recommendation": "Carve out data loss.",
    "quotes": [{"citation": "msa §1.1", "text": "limited to the fees of the last year"}],
}
REDLINE: dict[str, Any] = {
    "type": "propose_redline",
    "issue_id": "mine",
    "document_id": "msa",
    "section": "1.1",
    "replacement_text": "Liability is limited to two years of fees.",
    "rationale": "Our policy.",
}
MARKUP: dict[str, Any] = {
    "type": "send_markup",
    "issue_id": "n",
    "document_id": "msa",
    "section": "1.2",
    "proposed_text": "Within 24 hours of discovery.",
}
