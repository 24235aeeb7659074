"""Any name at all becomes a file name that is safe on every system, and no two are the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrictui.interchange.sync_names import file_stem, slug


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Vendor Proposal (2027)", "vendor-proposal-2027"),
        ("1–5 Likert", "1-5-likert"),
        ("Öffentliche Vergabe: Straße", "offentliche-vergabe-strasse"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\con", "c-con"),
        ("...", ""),
        ("名前", ""),
        ("a" * 100, "a" * 60),
    ],
)
def test_a_name_is_told_in_plain_words(name: str, plain: str) -> None:
    assert slug(name) == plain


@pytest.mark.parametrize("name", ["CON", "nul", "Com1", "lpt9", "名前", "", "Taken", "TAKEN"])
def test_a_name_that_cannot_stand_gets_something_of_its_id(name: str) -> None:
    stem = file_stem("rubric", "r-1", name, {"taken"})
    assert re.fullmatch(r"[a-z0-9]+-[0-9a-f]{8}", stem)
    assert stem == file_stem("rubric", "r-1", name, {"taken"})
    assert stem != file_stem("rubric", "r-2", name, {"taken"})


@given(names=st.lists(st.tuples(st.text(max_size=8), st.text(max_size=20)), max_size=12))
def test_no_two_items_share_a_file(names: list[tuple[str, str]]) -> None:
    taken: set[str] = set()
    for id, name in names:
        stem = file_stem("scale", id, name, taken)
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", stem)
        assert stem not in taken
        taken.add(stem)
