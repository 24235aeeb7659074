"""Work on a matter as a person does it: the episode, what has been read, half-written forms, all of it kept. Pure.

The trace of an episode follows from its actions, so the actions are what is kept: one JSON file that
``rubrictui matter score`` reads too. Opening it again carries them out once more.
Nothing here tells what the observation does not: no rubric, no hidden facts, and rewards only as numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from rubrictui.matters.episode import Episode
from rubrictui.matters.errors import GateTimeoutError
from rubrictui.matters.loading import Matter
from rubrictui.matters.sections import FULL, citation_of, heading_token, parse_sections, split_citation
from rubrictui.matters.text import norm
from rubrictui.widgets.matter_forms import Values, fresh_label, is_blank, sound_values

Action = dict[str, Any]


class StepRecord(NamedTuple):
    """One action and what came of it. ``raw`` is the raw score after it."""

    number: int
    action: Action
    result: dict[str, Any]
    reward: float
    raw: float


class SectionMark(NamedTuple):
    """Where a section begins on a page: a line of its text, from 0."""

    line: int
    token: str


class DocumentPage(NamedTuple):
    """A document as far as it has been read. Sections not read stand there as one line that says so."""

    document_id: str
    title: str
    text: str
    marks: tuple[SectionMark, ...]


@dataclass
class MatterSession:
    """An episode worked by a person.

    Attributes:
        matter: what is worked on.
        folder: where it lies, as it is written into the file.
        seed: kept with the trajectory.
        keep: called with the file's content after every change; does nothing until it is set.
        practice: whether the rewards are shown.
    """

    matter: Matter
    folder: str = ""
    seed: int = 0
    practice: bool = False
    keep: Callable[[bytes], None] | None = None
    steps: list[StepRecord] = field(default_factory=list)
    drafts: dict[str, Values] = field(default_factory=dict)
    aborted: GateTimeoutError | None = None

    def __post_init__(self) -> None:
        self.episode = Episode(self.matter, seed=self.seed)
        self._texts: dict[tuple[str, str | None], str] = {}
        self._parsed: dict[str, dict[str, str]] = {}
        self._asked: Action | None = None

    # -- acting

    @property
    def observation(self) -> dict[str, Any]:
        return self.episode.observation

    @property
    def budgets(self) -> dict[str, int | None]:
        return self.episode.budgets

    @property
    def ended(self) -> bool:
        """Whether nothing more can be done."""
        return self.episode.ended or self.aborted is not None

    @property
    def actions(self) -> list[Action]:
        """All actions so far, the one that ended the episode unscored included."""
        return [step.action for step in self.steps] + ([self._asked] if self._asked is not None else [])

    def act(self, action: Action) -> StepRecord | None:
        """Carry out an action and keep it; None when a pattern ran out of time, which ends the episode unscored.

        Raises:
            EpisodeEnded: the episode had ended before.
        """
        record = self._carry_out(action)
        self.save()
        return record

    def _carry_out(self, action: Action) -> StepRecord | None:
        try:
            observation, reward, _, _, info = self.episode.step(action)
        except GateTimeoutError as error:
            self.aborted = error
            self._asked = action
            return None
        result = observation["last_result"]
        if result["kind"] == "read":
            self._texts[result["document_id"], result["section"]] = result["text"]
        record = StepRecord(len(self.steps) + 1, action, result, reward, info["raw_score"])
        self.steps.append(record)
        return record

    def replay(self, actions: Iterable[Action]) -> None:
        """Carry out kept actions, up to the end of the episode; nothing is written."""
        for action in actions:
            if self.ended:
                return
            self._carry_out(action)

    # -- reading

    def tokens(self, document_id: str) -> tuple[str, ...]:
        """The sections of a document that the observation lists; none of an unknown one."""
        for document in self.observation["documents"]:
            if document["id"] == document_id:
                return tuple(document["sections"])
        return ()

    def is_read(self, document_id: str, token: str | None = None) -> bool:
        """Whether a section was read; without a section, whether the whole document was."""
        if (document_id, None) in self._texts:
            return True
        if token is not None:
            return (document_id, token) in self._texts
        sections = self.tokens(document_id)
        return bool(sections) and all((document_id, one) in self._texts for one in sections)

    def section_text(self, document_id: str, token: str) -> str | None:
        """The text of a section that was read; None for one that was not."""
        known = self._texts.get((document_id, token))
        if known is not None or (document_id, None) not in self._texts:
            return known
        if document_id not in self._parsed:
            self._parsed[document_id] = parse_sections(self._texts[document_id, None])
        return self._parsed[document_id].get(token)

    def heading(self, document_id: str, token: str) -> str:
        """The words of a section's heading behind its number, once it was read."""
        text = self.section_text(document_id, token)
        first = text.split("\n", 1)[0] if text else ""
        if heading_token(first) != token:
            return ""
        words = first[3:].split(None, 1)
        return words[1].strip() if len(words) > 1 else ""

    def resolves(self, citation: str) -> bool:
        """Whether a citation names a section that the observation lists, or the opening of a document."""
        parts = split_citation(citation)
        return parts is not None and (
            parts[1] in self.tokens(parts[0])
            or (parts[1] == FULL and any(parts[0] == one["id"] for one in self.observation["documents"]))
        )

    def holds(self, citation: str, quote: str) -> bool:
        """Whether a quote stands in a section that was read, compared as quotes are."""
        parts = split_citation(citation)
        text = self.section_text(*parts) if parts is not None else None
        return text is not None and norm(quote) in norm(text)

    def pages(self) -> tuple[DocumentPage, ...]:
        """The documents, as far as they were read."""
        return tuple(self._page(document) for document in self.observation["documents"])

    def _page(self, document: Mapping[str, Any]) -> DocumentPage:
        document_id, title = document["id"], document["title"] or document["id"]
        whole = self._texts.get((document_id, None))
        lines: list[str] = []
        marks: list[SectionMark] = []
        if whole is not None:
            # As the reader counts lines; sections are found line by line as scoring finds them.
            lines = whole.replace("\r\n", "\n").split("\n")
            if lines and heading_token(lines[0]) is None and self.section_text(document_id, FULL):
                marks.append(SectionMark(0, FULL))
            for number, line in enumerate(lines):
                token = heading_token(line)
                if token is not None:
                    marks.append(SectionMark(number, token))
            return DocumentPage(document_id, title, "\n".join(lines), tuple(marks))
        if not document["sections"]:
            lines = ["Nothing of this document has been read. Enter in the list reads it."]
        for token in document["sections"]:
            marks.append(SectionMark(len(lines), token))
            text = self._texts.get((document_id, token))
            lines += (
                text.split("\n")
                if text is not None
                else [f"{citation_of(document_id, token)}: not read yet."]
            )
            lines.append("")
        return DocumentPage(document_id, title, "\n".join(lines), tuple(marks))

    # -- drafts

    def put_draft(self, key: str, values: Values) -> None:
        """Keep what is written in a form."""
        self.drafts[key] = values
        self.save()

    def drop_draft(self, key: str) -> None:
        """Forget a form that was sent or is empty."""
        if self.drafts.pop(key, None) is not None:
            self.save()

    def open_drafts(self) -> dict[str, Values]:
        """The forms in which something is written, by key."""
        return {key: values for key, values in self.drafts.items() if not is_blank(key, values)}

    def labels(self) -> tuple[str, ...]:
        """The labels in use, in the order they were first used."""
        seen = dict.fromkeys(issue["issue_id"] for issue in self.observation["submitted_issues"])
        seen.update(dict.fromkeys(line["issue_id"] for line in self.observation["submitted_redlines"]))
        seen.update(dict.fromkeys(self.observation["negotiation"] or ()))
        return tuple(seen)

    def new_label(self) -> str:
        """A label that nobody used yet."""
        return fresh_label(self.labels())

    def offers(self) -> dict[str, str]:
        """What can be accepted: the other side's last text by label."""
        return {
            label: table["last_counter_text"]
            for label, table in (self.observation["negotiation"] or {}).items()
            if table["status"] == "open" and table["last_counter_text"]
        }

    # -- keeping

    def save(self) -> None:
        """Keep everything as it is now."""
        if self.keep is not None:
            self.keep(self.content())

    def content(self) -> bytes:
        """The file: actions, half-written forms, and what the list of matters says of it."""
        score: float | None = None
        if self.episode.ended and self.aborted is None:
            score = self.episode.result()["normalized_score"]
        return msgspec.json.format(
            msgspec.json.encode(
                {
                    "matter": self.folder,
                    "matter_id": self.matter.matter_id,
                    "digest": digest(self.matter),
                    "seed": self.seed,
                    "practice": self.practice,
                    "steps": len(self.actions),
                    "maximum_steps": self.matter.constraints.maximum_steps,
                    "ended": self.ended,
                    "score": score,
                    "drafts": self.drafts,
                    "actions": self.actions,
                }
            ),
            indent=1,
        )


def resumed(matter: Matter, kept: Mapping[str, Any], *, folder: str) -> tuple[MatterSession, str]:
    """The work of a kept file, and one line for people when the matter is not what it was ("" when it is)."""
    seed = kept.get("seed")
    session = MatterSession(
        matter,
        folder=folder,
        seed=seed if isinstance(seed, int) and not isinstance(seed, bool) else 0,
        practice=kept.get("practice") is True,
    )
    actions = kept.get("actions")
    session.replay(
        action for action in (actions if isinstance(actions, list) else []) if isinstance(action, dict)
    )
    drafts = kept.get("drafts")
    for key, values in drafts.items() if isinstance(drafts, dict) else ():
        try:
            read = sound_values(key, values)
        except KeyError:
            continue
        if read is not None:
            session.drafts[key] = read
    changed = kept.get("digest") != digest(matter)
    return session, (
        "The matter's files changed since: your actions were carried out again on what they are now."
        if changed
        else ""
    )


def digest(matter: Matter) -> str:
    """Twelve hexadecimal digits that change with anything that scoring looks at."""
    texts = {document.id: document.text for document in matter.documents.values()}
    parts = (matter.facts, matter.rubric, matter.hidden_facts, matter.positions, texts)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:12]
