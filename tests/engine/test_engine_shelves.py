"""Names, descriptions, categories and scales: what authors tidy up around their rubrics."""

from __future__ import annotations

import msgspec
import pytest
from engine_world import MEETS, WEEKS, World

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import Anchor, Node, VersionSnapshot, VersionStatus
from rubrictui.engine import NameTakenError, NotFoundError, NotPermittedError, StateError
from rubrictui.store.errors import ScaleFrozenError, ScaleLevelFrozenError

change = msgspec.structs.replace


# -- categories and rubrics --------------------------------------------------------------------------


def test_a_category_is_made_renamed_used_emptied_and_deleted(world: World) -> None:
    world.chief.create_rubric("Paper review")
    made = world.chief.save_category("Research", description="For journals.")
    assert world.chief.set_category("Paper review", "research").category == "Research"
    renamed = world.chief.rename_category("RESEARCH", "Science")
    assert (renamed.id, renamed.name, renamed.description) == (made.id, "Science", "For journals.")
    assert world.chief.rubric("Paper review").category == "Science"
    with pytest.raises(StateError, match=r'"Paper review" is in the category "Science"'):
        world.chief.delete_category("Science")
    assert world.chief.set_category("Paper review", None).category is None
    world.chief.delete_category(made.id)
    assert world.chief.categories() == ()


def test_a_category_that_a_rubric_is_put_in_is_made_when_it_does_not_exist(world: World) -> None:
    world.chief.create_rubric("Paper review")
    assert world.chief.set_category("Paper review", "Grants").category == "Grants"
    assert [category.name for category in world.chief.categories()] == ["Grants"]


def test_a_renamed_rubric_keeps_everything_and_is_found_by_its_new_name(
    world: World, paper: VersionSnapshot
) -> None:
    renamed = world.chief.rename_rubric("paper review", "  Article review ")
    assert (renamed.name, renamed.versions[0].number) == ("Article review", "1.0.0")
    assert world.chief.version(paper.id).rubric_name == "Article review"
    with pytest.raises(NotFoundError):
        world.chief.rubric("Paper review")
    # Only its case: that is no other rubric's name.
    assert world.chief.rename_rubric("Article review", "ARTICLE REVIEW").name == "ARTICLE REVIEW"


def test_a_rubric_is_described_in_a_line(world: World, paper: VersionSnapshot) -> None:
    assert world.chief.describe_rubric("Paper review", " For the journal. ").description == "For the journal."
    assert world.chief.describe_rubric("Paper review", " ").description is None


@pytest.mark.parametrize(
    ("attempt", "error"),
    [
        (lambda e: e.rename_rubric("Paper review", "grant review"), NameTakenError),
        (lambda e: e.rename_rubric("Paper review", " "), RubrictuiError),
        (lambda e: e.rename_rubric("Nothing", "x"), NotFoundError),
        (lambda e: e.rename_category("A", "b"), NameTakenError),
        (lambda e: e.rename_category("Nothing", "b"), NotFoundError),
        (lambda e: e.delete_category("Nothing"), NotFoundError),
        (lambda e: e.set_category("Nothing", "A"), NotFoundError),
        (lambda e: e.delete_scale("Nothing"), NotFoundError),
        (lambda e: e.duplicate_scale(MEETS.id, "WEEKS"), NameTakenError),
        (lambda e: e.scale_uses("Nothing"), NotFoundError),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    world: World, paper: VersionSnapshot, attempt: object, error: type[RubrictuiError]
) -> None:
    world.chief.create_rubric("Grant review")
    world.chief.save_category("A")
    world.chief.save_category("B")
    with pytest.raises(error):
        attempt(world.chief)  # type: ignore[operator]


# -- scales ------------------------------------------------------------------------------------------


def test_a_scale_says_where_it_is_used_and_what_freezes_it(world: World, paper: VersionSnapshot) -> None:
    world.chief.start_draft("Paper review")
    draft = world.chief.create_rubric("Another").versions[0]
    nodes = (Node(id="a", key="a", scale_id=MEETS.id),)
    world.chief.save_draft(change(world.chief.version(draft.id), nodes=nodes))
    uses = world.chief.scale_uses("meets / partial / miss")
    assert [(use.rubric_name, use.version_number, use.status, use.criteria_count) for use in uses] == [
        ("Another", None, VersionStatus.DRAFT, 1),
        ("Paper review", None, VersionStatus.DRAFT, 3),
        ("Paper review", "1.0.0", VersionStatus.PUBLISHED, 3),
    ]
    assert [use.is_frozen for use in uses] == [False, False, True]
    world.chief.retire(paper.id)
    assert world.chief.scale_uses(MEETS.id)[-1].is_frozen
    free = world.chief.duplicate_scale(MEETS.id, "Free")
    every = world.chief.all_scale_uses()
    assert set(every) == {MEETS.id, WEEKS.id, free.id}
    assert (len(every[MEETS.id]), len(every[WEEKS.id]), every[free.id]) == (3, 2, ())


def test_a_copy_of_a_frozen_scale_is_free(world: World, paper: VersionSnapshot) -> None:
    copy = world.chief.duplicate_scale("Meets / Partial / Miss", "Meets or not")
    (source,) = (scale for scale in world.chief.scales() if scale.id == MEETS.id)
    assert [(level.label, level.normalized_value) for level in copy.levels] == [
        (level.label, level.normalized_value) for level in source.levels
    ]
    assert not {level.id for level in copy.levels} & {level.id for level in source.levels}
    with pytest.raises(ScaleLevelFrozenError):
        world.chief.save_scale(change(source, levels=source.levels[1:]))
    assert len(world.chief.save_scale(change(copy, levels=copy.levels[1:])).levels) == 2


def test_the_descriptions_of_a_frozen_scale_s_levels_stay_editable_and_nothing_else(
    world: World, paper: VersionSnapshot
) -> None:
    (source,) = (scale for scale in world.chief.scales() if scale.id == MEETS.id)
    reworded = change(
        source, levels=tuple(change(level, description=f"{level.label}.") for level in source.levels)
    )
    assert world.chief.save_scale(reworded) == reworded
    with pytest.raises(ScaleFrozenError):
        world.chief.save_scale(change(reworded, description="Other."))


def test_a_scale_is_deleted_only_when_nothing_uses_it(world: World, paper: VersionSnapshot) -> None:
    with pytest.raises(StateError, match=r'"Paper review" 1\.0\.0 uses the scale "Weeks"'):
        world.chief.delete_scale(WEEKS.id)
    free = world.chief.duplicate_scale(MEETS.id, "Free")
    draft = world.chief.start_draft("Paper review")
    using = (*draft.nodes[:-1], change(draft.nodes[-1], scale_id=free.id))
    world.chief.save_draft(change(draft, nodes=using))
    with pytest.raises(StateError, match=r'"Paper review" \(draft\)'):
        world.chief.delete_scale("Free")
    # An anchor for one of its levels that a draft has kept goes with it.
    kept = (Anchor(scale_level_id=free.levels[0].id, descriptor="x"),)
    world.chief.save_draft(change(draft, nodes=(*draft.nodes[:-1], change(draft.nodes[-1], anchors=kept))))
    world.chief.delete_scale("Free")
    assert "Free" not in {scale.name for scale in world.chief.scales()}
    assert world.chief.version("Paper review@draft").nodes[-1].anchors == ()
    assert world.chief.check() == ()


def test_an_anchor_that_is_frozen_keeps_its_scale(world: World, paper: VersionSnapshot) -> None:
    other = world.chief.duplicate_scale(MEETS.id, "Other")
    draft = world.chief.start_draft("Paper review")
    stray = change(draft.nodes[0], anchors=(Anchor(scale_level_id=other.levels[0].id, descriptor="Stray."),))
    world.chief.save_draft(change(draft, nodes=(stray, *draft.nodes[1:])))
    assert world.chief.scale_uses(other.id) == ()
    world.chief.publish("Paper review")
    (use,) = world.chief.scale_uses(other.id)
    assert isinstance(use, ScaleUse)
    assert (use.version_number, use.criteria_count) == ("1.0.1", 0)
    with pytest.raises(StateError, match=r"1\.0\.1 uses"):
        world.chief.delete_scale(other.id)


def test_all_of_it_takes_the_role_author(world: World, paper: VersionSnapshot) -> None:
    rita = world.user("rita")
    for attempt in (
        lambda: rita.rename_rubric("Paper review", "Mine"),
        lambda: rita.describe_rubric("Paper review", "Mine"),
        lambda: rita.set_category("Paper review", "Mine"),
        lambda: rita.rename_category("Mine", "Yours"),
        lambda: rita.delete_category("Mine"),
        lambda: rita.duplicate_scale(MEETS.id, "Mine"),
        lambda: rita.delete_scale(MEETS.id),
    ):
        with pytest.raises(NotPermittedError, match=r"rita may not .* author"):
            attempt()
    assert rita.scale_uses(MEETS.id)[0].rubric_name == "Paper review"


def test_a_scale_of_more_than_fifty_levels_is_refused_however_it_comes(world: World) -> None:
    levels = tuple(
        change(MEETS.levels[0], id=f"many-{n}", label=str(n), normalized_value=n / 50, sequence=n)
        for n in range(51)
    )
    many = change(MEETS, id="s-many", name="Many", levels=levels)
    with pytest.raises(InvalidInputError, match="at most 50 levels"):
        world.chief.save_scale(many)
    world.chief.create_rubric("Paper review")
    draft = world.chief.open_rubric_draft("Paper review")
    with_scale = change(draft.version, scales=(many,))
    with pytest.raises(InvalidInputError, match="at most 50 levels"):
        world.chief.save_draft(with_scale, revision=draft.revision, base=draft.version)
    assert "Many" not in {scale.name for scale in world.chief.scales()}
    assert len(world.chief.save_scale(change(many, levels=levels[:50])).levels) == 50
