"""Matters for the tests of their screens: the shipped ones, a small one that is written to a folder, and the app on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

from shell_world import NOW, SlowOpening, StandIn
from textual.screen import Screen

from rubrictui.app import RubrictuiApp
from rubrictui.matters import Matter, read_actions
from rubrictui.sample_data import matter_folders
from rubrictui.shell.settings import Settings

SHIPPED = {folder.name: folder for folder in matter_folders()}

LEASE = """# Lease

Between Marl Depot and Osier Land.

## 1 Rent
The rent is payable monthly. It follows Section 2.1 of this lease.

## 2.1 Repairs
The tenant repairs the roof. See policy §P.1 for what we accept.
"""
POLICY = """## P.1 Repairs
We do not repair roofs.
"""


def write_matter(folder: Path, **more: Any) -> Path:
    """A matter of two documents and one issue with a counterparty, in ``folder``; ``more`` replaces files (as text)."""
    files: dict[str, str] = {
        "matter.yaml": json.dumps(
            {
                "matter_id": "depot",
                "title": "Depot lease",
                "role": "Adviser",
                "assignment": "Say what matters.",
                "public_facts": {"client": "Marl Depot"},
                "constraints": {
                    "maximum_steps": 8,
                    "maximum_client_questions": 1,
                    "maximum_escalations": 1,
                    "maximum_negotiation_rounds": 3,
                },
                "documents": [
                    {"id": "lease", "title": "The lease", "path": "documents/lease.md"},
                    {"id": "policy", "title": "Policy", "path": "documents/policy.md"},
                ],
                "provenance": {"synthetic": True},
            },
            indent=1,
        ),
        "rubric.yaml": """questions:
  - id: q_roof
    concepts: [how old]
escalations:
  - id: e_board
    concepts: [board]
issues:
  - id: repairs
    anchor: lease §2.1
    severity: high
    required_citations: [lease §2.1]
    required_concepts: [roof, landlord]
    redline_concepts: [landlord]
    settlement_concepts: [landlord]
    critical_failure_patterns:
      - pattern: void
        negation_guard: true
final_submission:
  minimum_characters: 10
""",
        "hidden_facts.yaml": "client_answers: {q_roof: It is zinc of 1931.}\nescalation_answers: {e_board: Hold the line.}\n",
        "counterparty.yaml": """positions:
  repairs:
    resist_rounds: 1
    accept_concepts: [[landlord]]
    counters:
      - {message: We share., text: Each party bears half of the roof., trap: true}
    reject_message: No.
""",
        "documents/lease.md": LEASE,
        "documents/policy.md": POLICY,
    }
    files.update(more)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def matter_at(folder: Path) -> Matter:
    return Matter.from_directory(folder)


def reference_of(name: str, trajectory: str = "reference") -> list[dict[str, Any]]:
    """A trajectory of a shipped matter."""
    for ending in ("json", "jsonl"):
        file = SHIPPED[name] / "trajectories" / f"{trajectory}.{ending}"
        if file.exists():
            return read_actions(file)
    raise AssertionError(f"{name} keeps no trajectory {trajectory}")


ISSUE = {
    "type": "submit_issue",
    "issue_id": "roof",
    "title": "The roof is ours",
    "severity": "high",
    "citations": ["lease §2.1"],
    "analysis": "The tenant repairs the roof; the landlord should.",
    "recommendation": "Strike it.",
    "quotes": [{"citation": "lease §2.1", "text": "The tenant repairs the roof"}],
}
READ_LEASE = {"type": "read_document", "document_id": "lease"}


def app_on_screen(first: Callable[[], Screen[Any]], state: Path, **settings: Any) -> RubrictuiApp:
    """The app with another first screen; what it keeps goes under ``state``."""
    return RubrictuiApp(
        SlowOpening(StandIn()),
        settings=Settings(**settings),
        settings_file=state / "config.json",
        now=lambda: NOW,
        zone=UTC,
        first=first,
    )
