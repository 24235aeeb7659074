"""Rows to choose from, beside or below something else: Enter is offered only while there is a row for it."""

from __future__ import annotations

from collections.abc import Sequence

from rubrictui.widgets.rows_list import Row, RowsList


class ChoiceList(RowsList):
    """A list of rows that may be empty."""

    def set_rows(self, rows: Sequence[Row], *, cursor: str | None = None) -> None:
        was_empty = self.current is None
        super().set_rows(rows, cursor=cursor)
        if (self.current is None) != was_empty:
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be selected where there is nothing."""
        return action != "select" or self.current is not None
