"""Probe sets: texts that must fire a gate and texts that must not, kept in a file and run as tests.

A file names the gates of a matter (``gate``, by name, pattern or issue) or gives an ``entry`` of its own::

    matter: .                # the matter's folder, seen from this file; its own folder when left out
    probes:
      - gate: data_training/critical/1
        must_fire: [The law prohibits all model training.]
        must_not_fire: [No law prohibits all model training.]

Texts are judged as scoring sees them, normalised.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rubrictui.ground.errors import InvalidInputError, RubrictuiError
from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import MappingNode, Position, decode, read_nodes
from rubrictui.matters.gate_lab import find_gates, gates_of, reason
from rubrictui.matters.gates import check_gate, gate_entry, gate_entry_problems
from rubrictui.matters.lint_view import View
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import GateEntry, Value
from rubrictui.matters.source import plain_value
from rubrictui.matters.text import norm

FILE_NAME = "probes.yaml"
"""The file looked for in a folder."""

_KEYS = ("gate", "entry", "must_fire", "must_not_fire")


class ProbeText(Value, frozen=True):
    """A text of a probe, and where it stands."""

    text: str
    must_fire: bool
    line: int
    column: int


class Probe(Value, frozen=True):
    """Texts for one gate: ``gate`` names it within a matter, or ``entry`` is one of its own."""

    gate: str | None
    entry: GateEntry | None
    texts: tuple[ProbeText, ...]
    line: int
    column: int


class ProbeSet(Value, frozen=True):
    """A probe file. ``matter_path`` is the folder of its matter, None when no probe needs one."""

    file: str
    matter_path: str | None
    probes: tuple[Probe, ...]


class ProbeOutcome(Value, frozen=True):
    """A text tried on a gate. ``fires`` is None when that is not known: no such gate, or out of time."""

    gate: str
    pattern: str
    text: str
    must_fire: bool
    fires: bool | None
    passed: bool
    why: str
    file: str
    line: int
    column: int


class ProbeReport(Value, frozen=True):
    """All outcomes, in the order of the file; ``unprobed`` are the gates of the matter that no probe names."""

    outcomes: tuple[ProbeOutcome, ...]
    unprobed: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[ProbeOutcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


def read_probes(path: str | os.PathLike[str]) -> ProbeSet:
    """Read a probe file, or ``probes.yaml`` of a folder.

    Raises:
        InvalidInputError: it cannot be read, or is no probe file; the message has file, line and column.
    """
    file = Path(path)
    if file.is_dir():
        file = file / FILE_NAME
    findings = Findings(str(file))
    root = _root(file, findings)
    _require_none(findings)
    probes = [_probe(entry) for entry in _probe_entries(root)]
    _require_none(findings)
    named = root["matter"]
    folder: Path | None = None
    if named.text:
        folder = file.parent / named.text
    elif any(probe.gate is not None for probe in probes):
        folder = file.parent
    return ProbeSet(
        file=str(file), matter_path=str(folder) if folder is not None else None, probes=tuple(probes)
    )


def run_probes(probes: ProbeSet, matter: Matter | None = None) -> ProbeReport:
    """Try every text on its gate.

    Args:
        matter: where gates are looked up; the set's own when left out.

    Raises:
        InvalidInputError: the set's matter cannot be loaded.
    """
    if matter is None and probes.matter_path is not None:
        matter = Matter.from_directory(probes.matter_path)
    outcomes: list[ProbeOutcome] = []
    probed: set[str] = set()
    for probe in probes.probes:
        try:
            gates = _gates(probe, matter)
        except InvalidInputError as error:
            outcomes += [_outcome(probes, probe.gate or "", None, text, str(error)) for text in probe.texts]
            continue
        for name, gate in gates:
            probed.add(name)
            outcomes += [_outcome(probes, name, gate, text) for text in probe.texts]
    unprobed = [gate.name for gate in gates_of(matter) if gate.name not in probed] if matter else []
    return ProbeReport(outcomes=tuple(outcomes), unprobed=tuple(unprobed))


def _gates(probe: Probe, matter: Matter | None) -> list[tuple[str, GateEntry]]:
    if probe.entry is not None:
        return [(probe.entry.pattern, probe.entry)]
    if matter is None:
        raise InvalidInputError("there is no matter to find the gate in.")
    return [(gate.name, gate.entry) for gate in find_gates(matter, probe.gate or "")]


def _outcome(
    probes: ProbeSet, name: str, gate: GateEntry | None, probe: ProbeText, fault: str = ""
) -> ProbeOutcome:
    fires: bool | None = None
    why = fault
    if gate is not None:
        try:
            verdict = check_gate(gate, norm(probe.text))
        except RubrictuiError as error:
            why = str(error)
        else:
            fires = verdict.fires
            decisive = next((match for match in verdict.matches if match.fires is fires), None)
            why = f'"{decisive.text}" {reason(decisive)}' if decisive else "the pattern matches nowhere"
    return ProbeOutcome(
        gate=name,
        pattern=gate.pattern if gate is not None else "",
        text=probe.text,
        must_fire=probe.must_fire,
        fires=fires,
        passed=fires is probe.must_fire,
        why=why,
        file=probes.file,
        line=probe.line,
        column=probe.column,
    )


def _require_none(findings: Findings) -> None:
    if findings.all:
        more = len(findings.all) - 1
        raise InvalidInputError(str(findings.all[0]), remedy=f"({more} more in this file.)" if more else "")


def _root(file: Path, findings: Findings) -> View:
    try:
        text = decode(file.read_bytes(), findings)
    except OSError as error:
        raise InvalidInputError(
            f"{file} cannot be read: {error.strerror or error}.",
            remedy=f"Name a probe file, or a folder with {FILE_NAME}.",
        ) from None
    nodes = read_nodes(text, findings) if text is not None else []
    if not findings.all and (len(nodes) != 1 or not isinstance(nodes[0], MappingNode)):
        findings.add("wrong_type", "a probe file must be one mapping with the key probes.")
    if findings.all:
        return View({}, None, findings)
    return View(plain_value(nodes[0]), nodes[0], findings)


def _probe_entries(root: View) -> list[View]:
    for key, _ in root.pairs():
        if key not in ("matter", "probes"):
            root.error("unknown_field", f'a probe file has no key "{key}".', root.key_place(key))
    if not root["matter"].is_missing and not root["matter"].text:
        root["matter"].error("wrong_type", "matter must be the path of a folder.")
    probes = root["probes"]
    if not probes.items():
        probes.error("missing_field", "probes must be a list of probes; there is none.")
    return probes.items()


def _probe(entry: View) -> Probe:
    for key, _ in entry.pairs():
        if key not in _KEYS:
            entry.error("unknown_field", f'a probe has no key "{key}".', entry.key_place(key))
    gate, own = entry["gate"], entry["entry"]
    if bool(gate.text) == (not own.is_missing):
        entry.error("wrong_type", f"{entry.name} needs either gate, a name or pattern, or entry, a gate.")
    texts = [*_texts(entry["must_fire"], True), *_texts(entry["must_not_fire"], False)]
    if not texts:
        entry.error("missing_field", f"{entry.name} has no text under must_fire or must_not_fire.")
    return Probe(
        gate=gate.text or None,
        entry=None if own.is_missing else _entry(own),
        texts=tuple(texts),
        line=entry.at[0],
        column=entry.at[1],
    )


def _entry(own: View) -> GateEntry | None:
    problems = gate_entry_problems(own.value)
    for problem in problems:
        at: Position = own[problem.key].at if problem.key else own.at
        own.error(problem.code, f"{own.name}: {problem.message}", at)
    return None if problems else gate_entry(own.value)


def _texts(texts: View, must_fire: bool) -> list[ProbeText]:
    value: Any = texts.value
    if not texts.is_missing and value is not None and not texts.is_list:
        texts.error("wrong_type", f"{texts.name} must be a list of texts.")
    found = []
    for text in texts.items():
        if isinstance(text.value, str):
            found.append(ProbeText(text=text.value, must_fire=must_fire, line=text.at[0], column=text.at[1]))
        else:
            text.error("wrong_type", f"{text.name} must be a text. Put it in quotes.")
    return found
