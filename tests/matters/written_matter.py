"""A small matter as an author writes it, so that tests know every line of it."""

from __future__ import annotations

from pathlib import Path

MATTER = """\
matter_id: depot_001
title: Depot lease
role: Adviser to Marl Depot
assignment: Read the lease and say what matters.
constraints: {maximum_steps: 30, maximum_client_questions: 3}
documents:
  - {id: lease, title: The lease, path: documents/lease.md}
  - {id: policy, title: House policy, path: documents/policy.md}
provenance: {synthetic: true}
"""
RUBRIC = """\
questions:
  - id: q_opening
    concepts: [opening date]
  - id: q_staff
    concepts: [staff, night]
escalations:
  - id: e_guarantee
    concepts: [parent guarantee]
    required: true
issues:
  - id: repairs
    anchor: lease §2.1
    severity: high
    required_citations: [lease §2.1, policy §P.1]
    required_concepts: [roof, landlord pays]
    redline_concepts: [fair wear]
    critical_failure_patterns:
      - pattern: the law forbids repair clauses
        negation_guard: true
      - pattern: repairs are free
        exclude_context: for instance
    redline_critical_failure_patterns:
      - tenant shall rebuild
  - id: notice
    anchor: lease §2.2
    severity: low
    required_citations: [lease §2.2]
    required_concepts: [two months]
    redline_concepts: [two months]
    settlement_concepts: [two months]
    settlement_critical_failure_patterns: ['six months']
final_submission:
  required_issue_ids: [repairs]
"""
HIDDEN_FACTS = """\
client_answers:
  q_opening: In May.
  q_staff: Four at night.
escalation_answers:
  e_guarantee: Refuse it.
"""
COUNTERPARTY = """\
positions:
  notice:
    accept_concepts: [[two months]]
    counters:
      - {message: Our last word., text: Six months of notice., trap: true}
    reject_message: No.
"""
LEASE = """\
# Lease

## 2.1 Repairs
The tenant repairs everything, the roof included.

## 2.2 Notice
Twelve months of notice, in writing.
"""
POLICY = """\
## P.1 Repairs
The landlord pays for roof and walls; fair wear is nobody's fault.
"""


def write_matter(folder: Path, **changes: str | None) -> Path:
    """The matter in a folder. A change gives a file's text (``rubric=...``, ``lease=...``); None leaves it out."""
    (folder / "documents").mkdir(parents=True)
    texts = {
        "matter": MATTER,
        "rubric": RUBRIC,
        "hidden_facts": HIDDEN_FACTS,
        "counterparty": COUNTERPARTY,
        "lease": LEASE,
        "policy": POLICY,
    }
    for name, text in {**texts, **changes}.items():
        file = f"documents/{name}.md" if name in ("lease", "policy") else f"{name}.yaml"
        if text is not None:
            (folder / file).write_text(text, encoding="utf-8")
    return folder
