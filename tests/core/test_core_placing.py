"""Siblings that stand as they stood have the numbers they had."""

from __future__ import annotations

import pytest

from rubrictui.core.model import Node, NodeType, VersionSnapshot
from rubrictui.core.placing import as_placed

Row = tuple[str, str | None, int]


def version(name: str, *rows: Row) -> VersionSnapshot:
    return VersionSnapshot(
        id=name,
        nodes=tuple(
            Node(
                id=f"{name}-{key}",
                key=key,
                parent_id=f"{name}-{parent}" if parent else None,
                sequence=sequence,
                node_type=NodeType.GROUP if key == "g" else NodeType.CRITERION,
            )
            for key, parent, sequence in rows
        ),
    )


BASE = version("base", ("g", None, 0), ("a", "g", 0), ("b", "g", 5), ("c", None, 4))


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        ([("g", None, 0), ("a", "g", 0), ("b", "g", 7), ("c", None, 9)], [0, 0, 5, 4]),
        ([("g", None, 1), ("b", "g", 0), ("a", "g", 1), ("c", None, 2)], [0, 0, 1, 4]),  # swapped
        ([("g", None, 0), ("a", "g", 3), ("c", None, 7)], [0, 3, 4]),  # one is gone
        (
            [("g", None, 0), ("a", "g", 0), ("n", "g", 1), ("b", "g", 6), ("c", None, 4)],
            [0, 0, 1, 6, 4],
        ),  # one came
        ([("g", None, 0), ("a", "g", 0), ("c", "g", 5), ("b", None, 4)], [0, 0, 5, 4]),  # two traded parents
    ],
)
def test_numbers_are_those_of_the_base_where_the_same_siblings_stand_in_the_same_order(
    rows: list[Row], numbers: list[int]
) -> None:
    assert [node.sequence for node in as_placed(BASE, version("draft", *rows)).nodes] == numbers


def test_nothing_is_made_anew_where_nothing_differs_or_there_is_no_base() -> None:
    same = version("draft", ("g", None, 0), ("a", "g", 0), ("b", "g", 5), ("c", None, 4))
    assert as_placed(BASE, same) is same
    assert as_placed(None, same) is same
