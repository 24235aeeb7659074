"""The gate lab without its screen: entries, what a verdict says in words and marks, probes kept in a file."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.gate_lab import LabVerdict, reason
from rubrictui.matters.gates import GateMatch
from rubrictui.matters.model import GateEntry
from rubrictui.matters.probes import FILE_NAME, read_probes
from rubrictui.sample_data import matter_folders
from rubrictui.screens.matter_work import data_folder
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.text import counted

SHOWN_MATCHES = 30
"""Matches that are explained on the screen; the verdict looks at all of them."""

_AROUND = 300
_LEGEND = "[match]  {negator or context}  | where the guard stops looking"


def entry_mapping(entry: GateEntry) -> dict[str, Any]:
    """An entry as a rubric writes it: only what is set."""
    written: dict[str, Any] = {"pattern": entry.pattern}
    if entry.negation_guard:
        written["negation_guard"] = True
        if entry.negation_scope != "span":
            written["negation_scope"] = entry.negation_scope
    for key in ("require_context", "exclude_context"):
        if getattr(entry, key) is not None:
            written[key] = getattr(entry, key)
    return written


def entry_lines(name: str, entry: GateEntry) -> list[str]:
    """An entry in two lines: its name and pattern, and its guards."""
    guard = "no negation guard"
    if entry.negation_guard:
        window = "to the match's start" if entry.negation_scope == "before" else "to the match's end"
        guard = f"negation guard {window}"
    contexts = [
        f"{word} {context}"
        for word, context in (("needs", entry.require_context), ("spared by", entry.exclude_context))
        if context is not None
    ]
    return [
        f"{name or 'A pattern of your own'}: {entry.pattern or '(empty)'}",
        " · ".join((guard, *contexts)),
    ]


def verdict_word(verdict: LabVerdict) -> str:
    """The verdict in a word, as scoring would have it."""
    return "FIRES" if verdict.fires_normalized else "does not fire"


def verdict_lines(verdict: LabVerdict) -> list[Line]:
    """The verdict, then each match in its sentence with what became of it."""
    found = verdict.normalized
    fires = verdict.fires_normalized
    lines: list[Line] = [
        [
            (verdict_word(verdict), "error" if fires else "success"),
            (f"  {counted(found.match_count, 'match', 'matches')}", "muted"),
        ]
    ]
    if verdict.fires != verdict.fires_normalized:
        word = "would fire" if verdict.fires else "would not fire"
        lines.append(
            [(f"As typed, with its lines, it {word}; scoring reads it in lower case on one line.", "warning")]
        )
    if not found.matches:
        return [*lines, [("The pattern matches nowhere.", "muted")]]
    lines.append([(_LEGEND, "muted")])
    for number, match in enumerate(found.matches[:SHOWN_MATCHES], 1):
        lines += [
            [],
            [(f"{number}. ", "label"), (reason(match), "error" if match.fires else "success")],
            [("   ", ""), *sentence_pieces(verdict.normalized_text, match)],
        ]
    if found.match_count > SHOWN_MATCHES:
        lines.append([(f"and {found.match_count - SHOWN_MATCHES} more", "muted")])
    return lines


def sentence_pieces(text: str, match: GateMatch) -> Line:
    """The sentence of a match with its marks: the match, the end of the guard's window, what saved it."""
    low = max(match.sentence_start, match.start - _AROUND)
    high = min(match.sentence_end, match.end + _AROUND)
    if (match.sentence_start, match.sentence_end) == (
        match.start,
        match.end,
    ):  # a plain pattern has no sentence
        low, high = max(match.start - 60, 0), min(match.end + 60, len(text))
    while low < match.start and text[low].isspace():
        low += 1
    # A place, the order of signs that share it, and the sign.
    marks: list[tuple[int, int, str]] = [(match.start, 2, "["), (match.end, 0, "]")]
    tone_of: list[tuple[int, int, str]] = [(match.start, match.end, "error" if match.fires else "warning")]
    for start, word in ((match.negator_start, match.negator), (match.context_start, match.context)):
        if start is not None and word is not None:
            marks += [(start, 3, "{"), (start + len(word), -1, "}")]
            tone_of.append((start, start + len(word), "success" if not match.fires else "accent"))
    if match.window_end is not None:
        marks.append((match.window_end, 1 if match.window_end == match.start else 4, "|"))
    cuts = sorted({low, high, *(at for at, _, _ in marks if low <= at <= high)})
    pieces: list[tuple[str, str]] = [("…", "muted")] if text[match.sentence_start : low].strip() else []
    for place, start in enumerate(cuts):
        pieces += [(sign, "label") for at, _, sign in sorted(marks) if at == start]
        end = cuts[place + 1] if place + 1 < len(cuts) else start
        tone = next((tone for a, b, tone in reversed(tone_of) if a <= start < b), "")
        if end > start:
            pieces.append((text[start:end], tone))
    if high < match.sentence_end:
        pieces.append(("…", "muted"))
    return pieces


# -- what is kept


def probe_file(folder: Path | None) -> Path:
    """Where probes on a matter's gates are kept: beside its rubric, for a shipped matter (and without one) among
    the user's own."""
    if folder is None:
        return data_folder() / "probes" / "own.yaml"
    full = folder.resolve()
    if any(full == shipped.resolve() for shipped in matter_folders()):
        return data_folder() / "probes" / f"{full.name}.yaml"
    return folder / FILE_NAME


def add_probe(
    file: Path, folder: Path | None, gate: str | Mapping[str, Any], text: str, *, must_fire: bool
) -> None:
    """Add a text to a probe file, which is made when it is not there; what stands in it stays as it is.

    Args:
        file: the probe file.
        folder: the matter's folder; named in a new file that lies elsewhere.
        gate: a gate's name, or an entry of its own.
        text: what must, or must not, fire it.
        must_fire: which of the two.

    Raises:
        InvalidInputError: the file cannot be read or written, or does not end with its list of probes.
    """
    before = ""
    if file.exists():
        read_probes(file)
        before = file.read_text(encoding="utf-8")
    elif folder is not None and file.parent.resolve() != folder.resolve():
        before = f"matter: {json.dumps(str(folder.resolve()))}\n"
    if not any(line.startswith("probes:") for line in before.splitlines()):
        before += "probes:\n"
    if not before.endswith("\n"):
        before += "\n"
    list_name = "must_fire" if must_fire else "must_not_fire"
    what = f"gate: {json.dumps(gate)}" if isinstance(gate, str) else f"entry: {json.dumps(dict(gate))}"
    indent = _indent(before)
    added = f"{indent}- {what}\n{indent}  {list_name}:\n{indent}    - {json.dumps(text)}\n"
    spare = file.with_name(f".{file.stem}.{os.getpid()}.tmp.yaml")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        spare.write_text(before + added, encoding="utf-8")
        try:
            probes = read_probes(spare).probes
        except InvalidInputError:
            probes = ()
        if not probes or [one.text for one in probes[-1].texts] != [text]:
            raise InvalidInputError(
                f"{file} does not end with its list of probes.",
                remedy="Move the list to its end, or add the text by hand.",
            )
        spare.replace(file)
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be written: {error.strerror or error}.") from None
    finally:
        with contextlib.suppress(OSError):
            spare.unlink(missing_ok=True)


def _indent(text: str) -> str:
    """How far the entries of the list of probes are indented."""
    in_list = False
    for line in text.splitlines():
        if line.startswith("probes:"):
            in_list = True
        elif in_list and line.lstrip().startswith("- "):
            return line[: len(line) - len(line.lstrip())]
    return "  "


def lab_file() -> Path:
    """Where the lab keeps the text that was typed last."""
    return data_folder() / "lab.json"


def kept_text() -> str:
    """The text that was typed last; "" when there is none."""
    try:
        value = msgspec.json.decode(lab_file().read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
    text = value.get("text") if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def keep_text(text: str) -> None:
    """Keep the text that is typed.

    Raises:
        InvalidInputError: it cannot be written.
    """
    file = lab_file()
    spare = file.with_suffix(f".{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        spare.write_bytes(msgspec.json.encode({"text": text}))
        spare.replace(file)
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be written: {error.strerror or error}.") from None
