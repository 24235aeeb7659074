"""Where the parts of a rubric document stand, so that what the core says about a version gets a line."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
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


# Problems of a node that come from others as well, or from a scale that may be damaged.
_OF_SEVERAL = frozenset(
    {
        "anchor_missing",
        "anchor_same",
        "anchor_unknown",
        "counts_in_advisory",
        "cycle",
        "gate_unreachable",
        "group_empty",
        "id_duplicate",
        "key_duplicate",
        "parent_criterion",
        "parent_missing",
        "weights_zero",
    }
)


# Mistakes that take nothing away from what stands beside them.
_BESIDE = frozenset({"unknown_field", "computed_field", "duplicate_key"})


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


def publish_findings_beside(
    version: VersionSnapshot, places: Places, told: Iterable[Finding]
) -> list[Finding]:
    """What stands against publishing of a version whose document has errors, as far as that can be said.

    Those are the problems of nodes by themselves, where nothing was told of the node yet: what is about several of
    them, or the whole, may only seem so for what the errors left out.
    """
    wrong = sorted(one.line for one in told if one.file == places.file and one.code not in _BESIDE)
    starts = sorted({line for line, _ in places.parts.values()})

    def is_told(part: str) -> bool:
        begin = places.find(part)[0]
        after = bisect_right(starts, begin)
        end = starts[after] if after < len(starts) else sys.maxsize
        return bisect_left(wrong, begin) < bisect_left(wrong, end)

    return [
        places.finding(problem)
        for problem in publish_problems(version)
        if problem.node_id and problem.code not in _OF_SEVERAL and not is_told(problem.node_id)
    ]
