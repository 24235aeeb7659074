"""Rubrics of other programs in a store: once however often, on the scales there are, and never over someone's work."""

from __future__ import annotations

import msgspec
import pytest
from engine_world import MEETS, World

from rubrictui.core.model import Bump, VersionStatus
from rubrictui.engine import NotPermittedError, StateError
from rubrictui.engine.importing import ImportedRubric
from rubrictui.interchange.documents import RubricFile
from rubrictui.interchange.importers import ImportOptions, import_rubrics

TABLE = "Criterion,Weight,Miss (0),Partial (1),Meets (2)\nArgument,2,None,Some,Whole\nSources,1,,,\n"
TREE = """{"id": "r", "requirements": "All is done.", "weight": 1, "sub_tasks": [
  {"id": "a", "requirements": "The data is ready.", "weight": 1, "sub_tasks": []},
  {"id": "b", "requirements": "The code runs.", "weight": 2, "sub_tasks": []}]}"""


def files(text: str = TABLE, title: str = "Essay") -> tuple[RubricFile, ...]:
    imported = import_rubrics(text.encode(), options=ImportOptions(title=title, category="Courses"))
    assert imported.is_valid
    return imported.rubrics


def status(done: tuple[ImportedRubric, ...]) -> list[str]:
    return [one.status for one in done]


def test_a_rubric_becomes_a_draft_with_its_category_and_scales(world: World) -> None:
    (done,) = world.chief.import_rubrics(files())
    assert (done.status, done.new_scales) == ("new", ("Miss / Partial / Meets",))
    rubric = world.chief.rubric("Essay")
    assert (rubric.category, [one.status for one in rubric.versions]) == ("Courses", [VersionStatus.DRAFT])
    stored = world.chief.version("Essay@draft")
    assert [(one.key, one.weight) for one in stored.nodes] == [("argument", 2), ("sources", 1)]
    assert world.chief.publish("Essay").number == "1.0.0"


def test_the_same_file_again_changes_nothing_before_and_after_publishing(world: World) -> None:
    world.chief.import_rubrics(files())
    revision = world.chief.draft_revision("Essay")
    assert status(world.chief.import_rubrics(files())) == ["unchanged"]
    assert world.chief.draft_revision("Essay") == revision
    world.chief.publish("Essay")
    assert status(world.chief.import_rubrics(files())) == ["unchanged"]
    assert len(world.chief.rubric("Essay").versions) == 1
    assert len(world.chief.scales()) == 1


def test_a_scale_of_the_store_with_the_same_levels_is_used(world: World) -> None:
    world.chief.save_scale(MEETS)
    (done,) = world.chief.import_rubrics(files())
    stored = world.chief.version("Essay@draft")
    assert done.new_scales == ()
    assert {one.scale_id for one in stored.nodes} == {MEETS.id}
    assert [anchor.scale_level_id for anchor in stored.nodes[0].anchors] == ["miss", "partial", "meets"]


def test_a_scale_that_differs_from_the_stored_one_of_its_name_and_id_gets_others(world: World) -> None:
    world.chief.import_rubrics(files())
    (scale,) = world.chief.scales()
    changed = tuple(msgspec.structs.replace(level, normalized_value=0.9) for level in scale.levels[1:])
    world.chief.save_scale(msgspec.structs.replace(scale, levels=(scale.levels[0], *changed)))
    (done,) = world.chief.import_rubrics(files(title="Second essay"))
    assert done.new_scales == ("Miss / Partial / Meets (2)",)
    stored = world.chief.version("Second essay@draft")
    assert [level.normalized_value for level in stored.scales[0].levels] == [0, 0.5, 1]


def test_a_draft_that_differs_is_kept_unless_it_is_to_be_replaced(world: World) -> None:
    world.chief.import_rubrics(files())
    draft = world.chief.version("Essay@draft")
    first = msgspec.structs.replace(draft.nodes[0], weight=7)
    world.chief.save_draft(msgspec.structs.replace(draft, nodes=(first, *draft.nodes[1:])))
    with pytest.raises(StateError, match=r"has a draft that is not what the file holds \(1 difference\)"):
        world.chief.import_rubrics((*files(title="Other"), *files()))
    assert [one.name for one in world.chief.rubrics()] == ["Essay"]  # all or nothing
    assert world.chief.version("Essay@draft").nodes[0].weight == 7
    assert status(world.chief.import_rubrics(files(), replace=True)) == ["replaced"]
    assert world.chief.version("Essay@draft").nodes == draft.nodes


def test_a_file_that_changed_after_publishing_becomes_a_new_draft(world: World) -> None:
    world.chief.import_rubrics(files())
    world.chief.publish("Essay")
    (done,) = world.chief.import_rubrics(files(TABLE.replace("Argument,2", "Argument,3")))
    assert (done.status, done.changes) == ("draft", 1)
    assert world.chief.publish_preview("Essay").applied_bump is Bump.MAJOR
    assert world.chief.publish("Essay").number == "2.0.0"
    assert status(world.chief.import_rubrics(files(TABLE.replace("Argument,2", "Argument,3")))) == [
        "unchanged"
    ]


def test_rewording_at_the_source_keeps_the_key_for_as_long_as_the_source_keeps_its_id(world: World) -> None:
    for round, text in enumerate(("The data is ready.", "The data is complete.", "All data is there."), 1):
        world.chief.import_rubrics(files(TREE.replace("The data is ready.", text)))
        assert world.chief.publish("All is done.").number == f"1.0.{round - 1}"
        (first, _) = world.chief.version("All is done.").nodes
        assert (first.key, first.name) == ("the-data-is-ready", text)


def test_a_rubric_from_elsewhere_with_the_name_is_left_alone(world: World) -> None:
    mine = world.chief.create_rubric("Essay")
    with pytest.raises(StateError, match="not from this kind of file"):
        world.chief.import_rubrics(files())
    assert world.chief.version("Essay@draft").nodes == ()
    (done,) = world.chief.import_rubrics(files(), replace=True)
    assert (done.status, done.id) == ("replaced", mine.id)
    assert len(world.chief.version("Essay@draft").nodes) == 2


def test_a_dry_run_tells_and_changes_nothing(world: World) -> None:
    assert status(world.chief.import_rubrics(files(), dry_run=True)) == ["new"]
    assert world.chief.rubrics() == ()
    world.chief.create_rubric("Essay")
    assert status(world.chief.import_rubrics(files(), dry_run=True)) == ["name_taken"]
    assert status(world.chief.import_rubrics(files(), dry_run=True, replace=True)) == ["replaced"]
    assert world.chief.version("Essay@draft").nodes == ()
    assert world.chief.scales() == ()


def test_importing_takes_an_author(world: World) -> None:
    world.chief.add_user("rita")
    rita = world.engine("rita")
    with pytest.raises(NotPermittedError, match="author"):
        rita.import_rubrics(files())
    assert status(rita.import_rubrics(files(), dry_run=True)) == ["new"]
