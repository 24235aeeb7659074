"""Where the parts of a rubric document stand, so that what the core says about a version gets a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rubrictui.core.authoring import Problem, publish_problems
from rubrictui.core.model import Value, VersionSnapshot
from rubrictui.ground.findings import Finding

Position = tuple[int, int]

# The field that a problem is about, by the beginning of its code; the first that fits.
_FIELDS = (
    ("threshold", "pass_threshold"),
    ("completeness", "minimum_completeness"),
    ("display", "score_display_max"),
    ("no_criterion", "criteria"),
    ("key", "key"),
    ("id", "id"),
    ("weight", "weight"),
    ("gate_minimum_missing", "is_gate"),
    ("gate_unreachable", "gate_minimum_score"),
    ("gate_minimum", "gate_minimum_score"),
    ("gate", "is_gate"),
    ("config", "evaluator_config"),
    ("rule", "evaluator_config"),
    ("decision", "evaluator_config"),
    ("anchor", "anchors"),
    ("band_range", "max_score"),
    ("band_overlap", "min_score"),
    ("band_gap", "bands"),
    ("scale", "scale"),
    ("level", "scale"),
)


class Places(Value, frozen=True, kw_only=True):
    """Positions (line, column) in ``file``: of the version (""), of nodes and bands by their id, and of
    the fields of each."""

    file: str
    parts: Mapping[str, Position] = {}
    fields: Mapping[tuple[str, str], Position] = {}

    def find(self, part: str, field: str | None = None) -> Position:
        """The position of a field, else of its part, else of the version, else the top of the file."""
        if field is not None and (part, field) in self.fields:
            return self.fields[part, field]
        return self.parts.get(part) or self.parts.get("") or (1, 1)

    def finding(self, problem: Problem) -> Finding:
        """A problem of the version as a finding at its line; its remedy ends the message."""
        field = next((name for code, name in _FIELDS if problem.code.startswith(code)), None)
        line, column = self.find(problem.node_id or problem.band_id or "", field)
        return Finding(
            code=problem.code,
            severity=problem.severity,
            message=f"{problem.message} {problem.remedy}".rstrip(),
            file=self.file,
            line=line,
            column=column,
        )


def publish_findings(version: VersionSnapshot, places: Places) -> Iterable[Finding]:
    """What stands against publishing a version that was read from a file, each at its line."""
    return [places.finding(problem) for problem in publish_problems(version)]
