"""One answer of a file against its criterion: a label, a number, N/A; a rationale, a confidence, evidence."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import json_value
from rubrictui.core.model import (
    Answer,
    Evidence,
    EvidenceKind,
    Level,
    Node,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.ground.findings import Findings
from rubrictui.interchange.scores_in_values import Place, ScoreOptions

NOT_APPLICABLE: Final = ("n/a", "na", "not applicable")
#: What an answer may be told by, under the names it may have in a file.
PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "answer": ("answer", "level", "value", "rating", "score"),
    "not_applicable": ("not_applicable", "is_not_applicable"),
    "rationale": ("rationale", "reason", "comment", "explanation"),
    "confidence": ("confidence",),
    "evidence": ("evidence", "quote"),
}
PART_OF: Final = {name: part for part, names in PARTS.items() for name in names}
#: What Inspect's own words are worth; "no answer" is worth none.
INSPECT_WORDS: Final = {"c": 1.0, "p": 0.5, "i": 0.0}
_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_CLOSE: Final = 1e-9
_LOOKS_LIKE_JSON: Final = re.compile(r'\s*(\[\s*[{"\]]|\{\s*")')


class Cell(NamedTuple):
    """A value of the file: text in a table, any value in JSON; where it stands, and under what name."""

    value: Any
    at: Place
    name: str


class Row(NamedTuple):
    """What a row says: of which subject, and by criterion key what parts of which answers. ``is_whole``: it is an
    evaluation of its own, not one answer of one."""

    subject: str
    entity: str | None
    at: Place
    answers: dict[str, dict[str, Cell]]
    is_whole: bool


class AnswerReader:
    """Reads answers to the criteria of one version; what is wrong with them goes to ``findings``.

    Raises:
        InvalidInputError: an option names a criterion that the version does not have.
    """

    def __init__(self, version: VersionSnapshot, findings: Findings, options: ScoreOptions) -> None:
        self.findings = findings
        self.nodes: dict[str, Node] = {node.key: node for node in version.nodes if node.is_criterion}
        self._scales = {scale.id: scale for scale in version.scales}
        self._declared = {name.casefold(): target for name, target in options.levels.items()}
        self._columns = dict(options.columns)
        self._ignored = {name.casefold() for name in options.ignored}
        for name, key in options.columns.items():
            if key not in self.nodes:
                close = difflib.get_close_matches(key, self.nodes, n=1)
                raise InvalidInputError(
                    f'"{_short(name)}" is to answer "{_short(key)}", and the version has no such criterion.',
                    remedy=f'Did you mean "{close[0]}"?'
                    if close
                    else f"Its criteria are {listed(self.nodes)}.",
                )

    # -- names ---------------------------------------------------------------------------------------

    def key_of(self, name: str) -> str | None:
        """The criterion that a column or score of this name answers."""
        mapped = self._columns.get(name)
        return mapped if mapped is not None else name if name in self.nodes else None

    def is_ignored(self, name: str) -> bool:
        return name.casefold() in self._ignored

    def unknown(self, name: str, at: Place, what: str) -> None:
        close = difflib.get_close_matches(name, [*self.nodes, *PART_OF], n=1)
        hint = f'Did you mean "{close[0]}"?' if close else "Map it with --map, or leave it out with --ignore."
        self.findings.add("unknown_criterion", f'{what} "{_short(name)}" is no criterion. {hint}', at)

    # -- values --------------------------------------------------------------------------------------

    def read(self, key: str, parts: Mapping[str, Cell]) -> Answer | None:
        """The answer that these parts make; None where they say nothing, or something wrong, which is told."""
        node = self.nodes[key]
        before = len(self.findings.all)
        given: dict[str, Any] = {}
        if not_applicable := parts.get("not_applicable"):
            given["is_not_applicable"] = self._truth(not_applicable)
        cell = parts.get("answer")
        if cell is not None and not is_blank(cell.value):
            given |= self._choice(node, cell) or {}
        if rationale := parts.get("rationale"):
            given["rationale"] = self._words(rationale)
        if confidence := parts.get("confidence"):
            given["confidence"] = self._share(confidence)
        if evidence := parts.get("evidence"):
            given["evidence"] = self._evidence(evidence)
        if given.get("is_not_applicable") and given.keys() & {"scale_level_id", "raw_value"}:
            assert cell is not None
            self.findings.add("conflict", f'"{key}" is answered and not applicable at once.', cell.at)
        if len(self.findings.all) > before:
            return None
        given = {name: value for name, value in given.items() if value not in (None, (), False)}
        return Answer(criterion_id=node.id, **given) if given else None

    def inspect_value(self, key: str, value: Any, at: Place, name: str) -> dict[str, Any] | None:
        """What a score of an Inspect log says: a declared value, a label, or a share of the scale (C, P and I, true
        and false, numbers from 0 to 1). None, and a finding, where it says nothing of these."""
        node = self.nodes[key]
        scale = self._scales.get(node.scale_id or "")
        cell = Cell(value, at, name)
        written = words_of(value)
        if scale is None or scale.scale_type is ScaleType.NUMERIC or written.casefold() in self._declared:
            return self._choice(node, cell)
        level = _labelled(scale, written)
        if level is None and written.casefold() not in NOT_APPLICABLE:
            share = INSPECT_WORDS.get(written.casefold(), number_of(value))
            fitting = [] if share is None else [
                one for one in scale.levels if abs(one.normalized_value - share) < _CLOSE
            ]  # fmt: skip
            if len(fitting) != 1:
                shares = ", ".join(f"{one.label} ({one.normalized_value:g})" for one in scale.levels[:12])
                self.findings.add(
                    "unknown_level",
                    f'{name}: "{_short(written)}" is no level of "{key}" ({shares}). '
                    f'Say which it means with --levels "{_short(written)}=LABEL".',
                    at,
                )
                return None
            level = fitting[0]
        return {"scale_level_id": level.id} if level is not None else {"is_not_applicable": True}

    def is_declared(self, value: Any) -> bool:
        """Whether ``--levels`` says what this value means."""
        return words_of(value).casefold() in self._declared

    def _choice(self, node: Node, cell: Cell) -> dict[str, Any] | None:
        """A level, a number or N/A."""
        if not isinstance(cell.value, str | int | float | bool):
            self._wrong(cell, "is neither text nor a number")
            return None
        written = words_of(cell.value)
        written = self._declared.get(written.casefold(), written)
        scale = self._scales.get(node.scale_id or "")
        if scale is not None and scale.scale_type is ScaleType.LEVELS:
            level = _labelled(scale, written)
            if level is None and written.casefold() not in NOT_APPLICABLE:
                level = _valued(scale, written)
                if level is None:
                    labels = listed([one.label for one in scale.levels])
                    self._wrong(cell, f'is no level of "{node.key}": {labels}', "unknown_level")
                    return None
            return {"is_not_applicable": True} if level is None else {"scale_level_id": level.id}
        if written.casefold() in NOT_APPLICABLE:
            return {"is_not_applicable": True}
        number = number_of(written)
        if number is None:
            low, high = (scale.min_value, scale.max_value) if scale else (None, None)
            span = f" from {low:g} to {high:g}" if low is not None and high is not None else ""
            self._wrong(cell, f"is no number{span}", "number")
            return None
        return {"raw_value": number}

    def _truth(self, cell: Cell) -> bool:
        if is_blank(cell.value):
            return False
        found = (
            _TRUTH.get(words_of(cell.value).casefold()) if not isinstance(cell.value, list | dict) else None
        )
        if found is None:
            self._wrong(cell, "is neither true nor false")
        return bool(found)

    def _words(self, cell: Cell) -> str | None:
        if is_blank(cell.value):
            return None
        if not isinstance(cell.value, str):
            self._wrong(cell, "is no text")
            return None
        return cell.value.strip()

    def _share(self, cell: Cell) -> float | None:
        if is_blank(cell.value):
            return None
        number = number_of(cell.value) if not isinstance(cell.value, bool) else None
        if number is None or not 0 <= number <= 1:
            self._wrong(cell, "is no confidence from 0 to 1", "out_of_range")
            return None
        return number

    def _evidence(self, cell: Cell) -> tuple[Evidence, ...]:
        """A text is a quote from the subject; a list or an object says what it is."""
        value = cell.value
        if is_blank(value):
            return ()
        if isinstance(value, str) and _LOOKS_LIKE_JSON.match(value):
            try:
                value = json_value(value)
            except InvalidInputError as error:
                self.findings.add("wrong_type", f"{cell.name}: {error}", cell.at)
                return ()
        items = value if isinstance(value, list) else [value]
        shaped = [{"kind": EvidenceKind.QUOTE, "text": one} if isinstance(one, str) else one for one in items]
        try:
            return msgspec.convert(shaped, tuple[Evidence, ...])
        except msgspec.ValidationError as error:
            what = str(error).split(" - at `", maxsplit=1)[0]
            self.findings.add("wrong_type", f"{cell.name}: this is no evidence: {what}.", cell.at)
            return ()

    def _wrong(self, cell: Cell, what: str, code: str = "wrong_type") -> None:
        self.findings.add(code, f'{cell.name}: "{_short(words_of(cell.value))}" {what}.', cell.at)


def is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def words_of(value: Any) -> str:
    """A value as it is written: 3 and 3.0 are the same."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def number_of(value: Any) -> float | None:
    """A finite number, also from text or a truth; None for anything else."""
    if not isinstance(value, str | int | float) or (isinstance(value, str) and "_" in value):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def listed(names: Any) -> str:
    """The first dozen names."""
    known = list(names)
    return ", ".join(map(_short, known[:12])) + (f" and {len(known) - 12} more" if len(known) > 12 else "")


def _labelled(scale: Scale, written: str) -> Level | None:
    exact = [level for level in scale.levels if level.label == written]
    folded = exact or [one for one in scale.levels if one.label.strip().casefold() == written.casefold()]
    return folded[0] if len(folded) == 1 else None


def _valued(scale: Scale, written: str) -> Level | None:
    """The level whose value is this number, where it is one's alone."""
    number = number_of(written)
    found = [] if number is None else [level for level in scale.levels if level.value == number]
    return found[0] if len(found) == 1 else None


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
