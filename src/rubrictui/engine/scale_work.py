"""Answer scales: stored, changed while nothing frozen uses them, copied when something does."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.model import Scale
from rubrictui.core.records import Role
from rubrictui.core.scale_edits import check_level_count
from rubrictui.engine.base import named
from rubrictui.engine.catalog import Catalog
from rubrictui.engine.errors import NameTakenError, NotFoundError, StateError
from rubrictui.engine.trees import prepared_scale
from rubrictui.store import scales


class ScaleWork(Catalog):
    """Writing scales."""

    def save_scale(self, scale: Scale) -> Scale:
        """Store a scale, or change the one with its id; missing ids are given.

        Returns:
            the scale as it is stored.

        Raises:
            NotPermittedError: the user is no author.
            InvalidInputError: levels or a range that make no scale, or more than 50 levels.
            NameTakenError: another scale has its name, ignoring case.
            ScaleFrozenError, ScaleLevelFrozenError: a published version uses it, and more than the
                description of a level changes.
        """
        self._require(Role.AUTHOR, doing="change scales")
        ready = prepared_scale(scale, new_id=self._new_id)
        with self._write() as connection:
            self._put_scale(connection, ready)
        self._versions.forget()
        return ready

    def _put_scale(self, connection: Connection, scale: Scale) -> None:
        check_level_count(scale)
        if scale.name is not None:
            same = scales.find_scale(connection, scale.name)
            if same is not None and same.id != scale.id and same.name:
                raise NameTakenError(
                    f'There is a scale "{same.name}" already.', remedy="Use it, or choose another name."
                )
        scales.put_scale(connection, scale)

    def _save_scales(
        self, connection: Connection, given: tuple[Scale, ...], *, but_stored: bool = False
    ) -> bool:
        """Store scales that are new or differ, or with ``but_stored`` the new ones alone; whether any were."""
        if not given:
            return False
        stored = {scale.id: scale for scale in scales.load_scales(connection, {s.id for s in given})}
        changed = False
        for scale in given:
            ready = prepared_scale(scale, new_id=self._new_id)
            if ready != stored.get(scale.id) and not (but_stored and scale.id in stored):
                self._put_scale(connection, ready)
                changed = True
        return changed

    def scale_uses(self, scale: str) -> tuple[ScaleUse, ...]:
        """Where a scale is used: a row for each version, by rubric, the draft first, then the highest number.

        Args:
            scale: an id or a name.

        Raises:
            NotFoundError: there is no such scale.
        """
        with self._read() as connection:
            found = self._find_scale(connection, scale)
            return scales.uses(connection, found.id).get(found.id, ())

    def all_scale_uses(self) -> dict[str, tuple[ScaleUse, ...]]:
        """``scale_uses`` of every scale, by id; one that nothing uses has none."""
        with self._read() as connection:
            found = scales.uses(connection)
            return {scale.id: found.get(scale.id, ()) for scale in scales.load_scales(connection)}

    def duplicate_scale(self, scale: str, name: str) -> Scale:
        """A new scale with everything of another one but its name and its ids.

        Raises:
            NameTakenError: a scale has this name, ignoring case.
        """
        self._require(Role.AUTHOR, doing="change scales")
        title = named(name, "scale")
        with self._write() as connection:
            source = self._find_scale(connection, scale)
            levels = tuple(msgspec.structs.replace(level, id=self._new_id()) for level in source.levels)
            copy = msgspec.structs.replace(source, id=self._new_id(), name=title, levels=levels)
            self._put_scale(connection, copy)
            return copy

    def delete_scale(self, scale: str) -> None:
        """Delete a scale that no criterion of any version uses.

        Raises:
            StateError: something uses it; the message names the first.
        """
        self._require(Role.AUTHOR, doing="change scales")
        with self._write() as connection:
            found = self._find_scale(connection, scale)
            for use in scales.uses(connection, found.id).get(found.id, ()):
                raise StateError(
                    f'"{use.rubric_name}" {use.version_number or "(draft)"} uses the scale '
                    f'"{found.name or found.id}".',
                    remedy="Take it out of the drafts; what is published keeps its scale.",
                )
            scales.delete_scale(connection, found)

    def _find_scale(self, connection: Connection, id_or_name: str) -> Scale:
        found = scales.find_scale(connection, id_or_name)
        if found is None:
            raise NotFoundError(
                f'There is no scale "{id_or_name}".', remedy="The list of scales shows those there are."
            )
        return found
