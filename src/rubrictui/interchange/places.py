"""Where the parts of a rubric document stand, so that what the core says about a version gets a line."""

from __future__ import annotations

from collections.abc import Mapping

from rubrictui.core.model import Value

Position = tuple[int, int]


class Places(Value, frozen=True, kw_only=True):
    """Positions (line, column) in ``file`` by part: ``""`` is the version, a criterion's key its node, and
    ``band:LABEL`` a band; ``scale:ID`` a scale. ``fields`` holds those of a part's own fields."""

    file: str
    parts: Mapping[str, Position] = {}
    fields: Mapping[tuple[str, str], Position] = {}

    def find(self, part: str, field: str | None = None) -> Position:
        """The position of a field, else of its part, else of the version, else the top of the file."""
        if field is not None and (part, field) in self.fields:
            return self.fields[part, field]
        return self.parts.get(part) or self.parts.get("") or (1, 1)
