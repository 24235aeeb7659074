"""The evaluator settings of a criterion as YAML to edit, outside of any file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rubrictui.core.deterministic import OPERATORS
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Scale, ScaleType
from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import MappingNode, YamlNode, read_nodes
from rubrictui.interchange.building import BROKEN, Builder
from rubrictui.interchange.yaml_writer import write_value

_RULE = re.compile(r"^(Deterministic|deterministic)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings as read. With a ``problem`` there are none; it stands at ``line`` and ``column``, from 1."""

    value: dict[str, Any] | None = None
    problem: str = ""
    line: int = 0
    column: int = 0

    @property
    def told(self) -> str:
        """The problem with its place, for people; "" without one."""
        if not self.problem:
            return ""
        return f"Line {self.line}, column {self.column}: {self.problem}"


def read_settings(text: str) -> Settings:
    """Read what stands in an editor. Nothing but blanks and comments is no settings."""
    findings = Findings("")
    documents: list[YamlNode] = read_nodes(text, findings)
    if not findings.all and len(documents) > 1:
        findings.add("documents", "the settings are one document.", documents[1].at)
    if not findings.all and documents and not isinstance(documents[0], MappingNode):
        if not _is_nothing(text):
            findings.add("wrong_type", "settings are names with values: write Name: value.", documents[0].at)
        documents = []
    value = Builder(findings).anything(documents[0]) if documents and not findings.all else None
    if findings.all or value is BROKEN:
        first = findings.all[0]
        return Settings(problem=first.message, line=first.line, column=first.column)
    return Settings(value or None)


def _is_nothing(text: str) -> bool:
    return all(line.strip() in ("", "---") or line.lstrip().startswith("#") for line in text.split("\n"))


def write_settings(config: Mapping[str, Any] | None) -> str:
    """The YAML of settings; "" for none, and for what has no YAML form (a number that is not finite)."""
    if not config:
        return ""
    try:
        return write_value(dict(config))
    except InvalidInputError:
        return ""


def with_rule_template(text: str, scale: Scale | None) -> str | None:
    """The text with a deterministic rule to fill in, its levels those of the scale; None when it has one."""
    if _RULE.search(text):
        return None
    best, worst = _ends(scale)
    lines = (
        "Deterministic:",
        "  Path: section.field        # where it stands in the subject's data",
        f"  Operator: exists           # {', '.join(OPERATORS[:5])},",
        f"                             # {', '.join(OPERATORS[5:])}",
        "  Values: []                 # what it is compared with",
        f"  LevelWhenTrue: {best}",
        f"  LevelWhenFalse: {worst}",
        "  NotApplicableWhenMissing: false",
    )
    before = text if not text.strip() or text.endswith("\n") else f"{text}\n"
    return before + "\n".join(lines) + "\n"


def _ends(scale: Scale | None) -> tuple[str, str]:
    """The labels of the best and the worst answer, as YAML."""
    if scale is None or (scale.scale_type is ScaleType.LEVELS and not scale.levels):
        return "Yes", "No"
    if scale.scale_type is ScaleType.NUMERIC:
        ends = [f"{scale.max_value or 0:g}", f"{scale.min_value or 0:g}"]
        ends = ends if scale.higher_is_better else ends[::-1]
    else:
        by_score = sorted(scale.levels, key=lambda level: level.normalized_value)
        ends = [by_score[-1].label, by_score[0].label]
    best, worst = (_scalar(label) for label in ends)
    return best, worst


def _scalar(label: str) -> str:
    return write_value({"x": label}).removeprefix("x:").strip()
