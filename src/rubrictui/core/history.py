"""Undo and redo over snapshots. Unchanged nodes are shared between them, so a step costs a list of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rubrictui.core.model import VersionSnapshot

#: So many steps are kept; the oldest go first.
STEPS_KEPT: Final = 500


@dataclass(slots=True)
class _Step:
    """What a draft was before an edit and after it."""

    before: VersionSnapshot
    after: VersionSnapshot
    label: str
    focus: str | None
    run: str | None


class History:
    """The edits of one draft, in order, with the state each one began from and led to."""

    def __init__(self, version: VersionSnapshot, *, limit: int = STEPS_KEPT) -> None:
        self._now = version
        self._limit = max(1, limit)
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    @property
    def version(self) -> VersionSnapshot:
        """The draft as it is now."""
        return self._now

    @property
    def labels(self) -> tuple[str, ...]:
        """What can be undone, the latest last."""
        return tuple(step.label for step in self._done)

    @property
    def undo_label(self) -> str | None:
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        return self._undone[-1].label if self._undone else None

    def push(
        self, version: VersionSnapshot, label: str, *, focus: str | None = None, run: str | None = None
    ) -> None:
        """Record an edit; what had been undone is forgotten. The same version again is no edit.

        Args:
            label: what was done, for people: "rename 'Price'".
            focus: the node the edit was made at, where an undo puts the cursor.
            run: edits that follow one another with the same word here (one text being typed) undo as one.
        """
        if version is self._now:
            return
        self._undone.clear()
        last = self._done[-1] if self._done else None
        if last is not None and run is not None and last.run == run:
            last.after = version
        else:
            self._done.append(_Step(self._now, version, label, focus, run))
            del self._done[: -self._limit]
        self._now = version

    def end_run(self) -> None:
        """Let the next edit be a step of its own, whatever its ``run`` says."""
        if self._done:
            self._done[-1].run = None

    def undo(self) -> tuple[VersionSnapshot, str, str | None] | None:
        """Go one step back: the draft before it, the step's label and focus. None when there is none."""
        if not self._done:
            return None
        step = self._done.pop()
        step.run = None
        self._undone.append(step)
        self._now = step.before
        return step.before, step.label, step.focus

    def redo(self) -> tuple[VersionSnapshot, str, str | None] | None:
        """Do again what was undone last: the draft after it, the step's label and focus."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        self._now = step.after
        return step.after, step.label, step.focus

    def rebase(self, version: VersionSnapshot) -> None:
        """Go on from another state (a merge with someone else's edits); earlier steps can no longer be undone."""
        self._now = version
        self._done.clear()
        self._undone.clear()
