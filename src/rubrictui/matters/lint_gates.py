"""Lint of gates: the three lists of critical-failure patterns of an issue."""

from __future__ import annotations

from rubrictui.matters.building import GATE_LISTS
from rubrictui.matters.gates import gate_entry_problems
from rubrictui.matters.lint_view import View


def lint_gates(issue: View) -> None:
    """Check every gate of an issue; what makes an entry useless is told by what loads it."""
    for name in GATE_LISTS:
        gates = issue[name]
        if not (gates.is_missing or gates.value is None or gates.is_list):
            gates.error("gate_wrong_type", f"{gates.name} must be a list of patterns.")
        for gate in gates.items():
            for problem in gate_entry_problems(gate.value):
                place = gate[problem.key] if problem.key else gate
                at = gate.key_place(problem.key) if problem.code == "gate_unknown_key" else place.at
                gate.error(problem.code, f"{gate.name}: {problem.message}", at)
