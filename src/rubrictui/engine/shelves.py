"""What rubrics are called and where they stand: names, descriptions, categories. None of it is a version's."""

from __future__ import annotations

from sqlalchemy import Connection

from rubrictui.core.records import Category, Role, RubricSummary
from rubrictui.engine.base import named
from rubrictui.engine.errors import NameTakenError, NotFoundError, StateError
from rubrictui.engine.scale_work import ScaleWork
from rubrictui.store import rubrics


class Shelves(ScaleWork):
    """Writing categories, and the rows of rubrics."""

    def save_category(self, name: str, *, description: str | None = None, sequence: int = 0) -> Category:
        """Store a category, or change the one with this name (ignoring case)."""
        self._require(Role.AUTHOR, doing="change categories")
        with self._write() as connection:
            return self._put_category(connection, name, description=description, sequence=sequence)

    def _put_category(
        self, connection: Connection, name: str, *, description: str | None = None, sequence: int = 0
    ) -> Category:
        title = named(name, "category")
        known = {category.name.casefold(): category for category in rubrics.categories(connection)}
        stored = known.get(title.casefold())
        category = Category(
            id=stored.id if stored else self._new_id(),
            name=title,
            description=description,
            sequence=sequence,
        )
        rubrics.put_category(connection, category)
        return category

    def rename_category(self, category: str, name: str) -> Category:
        """Give a category another name.

        Args:
            category: its name, ignoring case, or its id.

        Raises:
            NotFoundError: there is no such category.
            NameTakenError: another one has the new name, ignoring case.
        """
        self._require(Role.AUTHOR, doing="change categories")
        title = named(name, "category")
        with self._write() as connection:
            stored = self._find_category(connection, category)
            for other in rubrics.categories(connection):
                if other.id != stored.id and other.name.casefold() == title.casefold():
                    raise NameTakenError(
                        f'There is a category "{other.name}" already.', remedy="Choose another name."
                    )
            renamed = Category(
                id=stored.id, name=title, description=stored.description, sequence=stored.sequence
            )
            rubrics.put_category(connection, renamed)
            return renamed

    def delete_category(self, category: str) -> None:
        """Delete a category that holds no rubric.

        Raises:
            NotFoundError: there is no such category.
            StateError: rubrics are in it.
        """
        self._require(Role.AUTHOR, doing="change categories")
        with self._write() as connection:
            stored = self._find_category(connection, category)
            held = [head.name for head in rubrics.rubric_heads(connection) if head.category == stored.name]
            if held:
                more = f" and {len(held) - 1} more" if len(held) > 1 else ""
                raise StateError(
                    f'"{held[0]}"{more} is in the category "{stored.name}".',
                    remedy="Put them in another category first.",
                )
            rubrics.delete_category(connection, stored.id)

    def set_category(self, rubric: str, category: str | None) -> RubricSummary:
        """Put a rubric in a category, which is made when it does not exist; None or "" takes it out."""
        self._require(Role.AUTHOR, doing="change rubrics")
        with self._write() as connection:
            head = self._find_rubric(connection, rubric)
            rubrics.set_category(connection, head.id, self._category_id(connection, category))
            return self._rubric_summary(connection, head.id)

    def rename_rubric(self, rubric: str, name: str) -> RubricSummary:
        """Give a rubric another name. Its versions, their numbers and their evaluations stay.

        Raises:
            NameTakenError: another rubric has it, ignoring case.
        """
        self._require(Role.AUTHOR, doing="change rubrics")
        title = named(name, "rubric")
        with self._write() as connection:
            head = self._find_rubric(connection, rubric)
            other = rubrics.find_rubric(connection, title)
            if other is not None and other.id != head.id:
                raise NameTakenError(
                    f'There is a rubric "{other.name}" already.', remedy="Choose another name."
                )
            rubrics.rename_rubric(connection, head.id, title)
            renamed = self._rubric_summary(connection, head.id)
        self._versions.forget()  # snapshots carry the name
        return renamed

    def describe_rubric(self, rubric: str, description: str | None) -> RubricSummary:
        """Say in a line what a rubric is for; None or "" says nothing."""
        self._require(Role.AUTHOR, doing="change rubrics")
        with self._write() as connection:
            head = self._find_rubric(connection, rubric)
            rubrics.describe_rubric(connection, head.id, (description or "").strip() or None)
            return self._rubric_summary(connection, head.id)

    def _category_id(self, connection: Connection, name: str | None) -> str | None:
        """The id of the category with this name, made when there is none; None for no category."""
        title = (name or "").strip()
        if not title:
            return None
        for category in rubrics.categories(connection):
            if category.name.casefold() == title.casefold():
                return category.id
        return self._put_category(connection, title).id

    def _find_category(self, connection: Connection, name_or_id: str) -> Category:
        wanted = name_or_id.strip()
        for category in rubrics.categories(connection):
            if category.id == wanted or category.name.casefold() == wanted.casefold():
                return category
        raise NotFoundError(
            f'There is no category "{wanted}".', remedy="The catalog lists the categories there are."
        )
