"""What the screens of an author offer, below the screens themselves: rows, and where they lead."""

from __future__ import annotations

import msgspec
import pytest
from builder_host import COMPLIANCE, MEETS, PERCENT, TEN, buying
from shell_world import RUBRICS
from versions_world import new_draft, old_version

from rubrictui.core.authoring import publish_problems
from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.editing import set_node
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.records import RubricSummary
from rubrictui.core.versions import diff_versions
from rubrictui.screens.publish_words import NOW, problem_of, publish_rows
from rubrictui.screens.rubric import version_after
from rubrictui.screens.scale_choice import NEW, choice_rows

# -- choosing a scale


def test_a_store_without_scales_offers_to_make_one() -> None:
    assert [row.id for row in choice_rows(VersionSnapshot(), ())] == [NEW]
    assert choice_rows(VersionSnapshot(), (), may_write=False) == []


def test_scales_that_the_draft_uses_most_come_first_and_a_new_one_last() -> None:
    draft = VersionSnapshot(nodes=buying(), scales=(COMPLIANCE, MEETS))
    rows = choice_rows(draft, (MEETS, PERCENT, TEN, COMPLIANCE))
    assert [row.cells[0] for row in rows] == [
        "Compliance",
        "Meets / Partial / Miss",
        "Nought to ten",
        "Percentage",
        "A new scale ...",
    ]
    assert [row.cells[2] for row in rows] == ["2", "1", "1", "1", ""]


def test_a_scale_is_offered_as_the_store_has_it_and_not_as_the_draft_remembers_it() -> None:
    draft = VersionSnapshot(scales=(MEETS,))
    longer = msgspec.structs.replace(MEETS, levels=(*MEETS.levels, *COMPLIANCE.levels[:1]))
    assert choice_rows(draft, (longer,))[0].cells[1] == "Miss · Partial · Meets · Non-compliant"


# -- publishing


def test_each_problem_of_the_publish_dialog_is_found_by_its_row_and_no_other_row_is_one() -> None:
    version = set_node(new_draft(), "n-price", weight=-1).version
    problems = publish_problems(version)
    draft = RubricDraft(version=version, revision=1, published=old_version())
    rows = publish_rows(draft, diff_versions(old_version(), version), problems)
    found = [problem_of(row.id, problems) for row in rows]
    assert [problem.node_id for problem in found if problem is not None and problem.blocks] == ["n-price"]
    assert sorted(p.message for p in found if p is not None) == sorted(p.message for p in problems)
    assert any(problem is None for problem in found)
    assert problem_of(NOW, problems) is None


# -- coming back to a rubric


def _with(rubric: RubricSummary, *numbers: str) -> RubricSummary:
    published = next(v for v in rubric.versions if v.status is VersionStatus.PUBLISHED)
    return msgspec.structs.replace(
        rubric,
        versions=tuple(msgspec.structs.replace(published, id=f"v-{n}", number=n) for n in numbers),
    )


@pytest.mark.parametrize(
    ("shown", "after", "then"),
    [
        ("1.1.0", ("2.0.0", "1.1.0", "1.0.0"), "2.0.0"),
        ("1.0.0", ("2.0.0", "1.1.0", "1.0.0"), "1.0.0"),
        ("1.1.0", ("1.1.0", "1.0.0"), "1.1.0"),
        ("1.0.0", ("1.1.0",), "1.1.0"),
        ("1.1.0", (), None),
    ],
)
def test_a_rubric_that_was_published_meanwhile_shows_the_version_that_scores_now(
    shown: str, after: tuple[str, ...], then: str | None
) -> None:
    rubric = next(r for r in RUBRICS if any(v.status is VersionStatus.PUBLISHED for v in r.versions))
    before = _with(rubric, "1.1.0", "1.0.0")
    version = version_after(before, _with(rubric, *after), f"v-{shown}")
    assert (version.number if version is not None else None) == then
