"""A folder and a store in step: who changed is told, what both changed is refused, and twice is once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from engine_world import MEETS, NODES, WEEKS, World

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Anchor, Band, Node, VersionSnapshot
from rubrictui.core.records import Role
from rubrictui.engine import NotPermittedError
from rubrictui.engine.sync_plan import SyncConflictError, SyncRefusedError, SyncReport, SyncState

change = msgspec.structs.replace
RUBRIC = "rubrics/paper-review.yaml"


@pytest.fixture
def folder(world: World, paper: VersionSnapshot, tmp_path: Path) -> Path:
    """The published paper rubric, pulled: both sides agree."""
    world.chief.sync_pull(tmp_path)
    return tmp_path


def states(report: SyncReport) -> dict[str, str]:
    """What is not the same, by kind and name."""
    return {
        f"{item.kind} {item.name}": item.state.value
        for item in report.items
        if item.state is not SyncState.SAME
    }


def actions(report: SyncReport) -> dict[str, str]:
    return {f"{item.kind} {item.name}": item.action for item in report.items if item.action}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert text.count(old) >= 1, f"{old!r} is not in {path}"
    path.write_bytes(text.replace(old, new, 1).encode())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def in_store(world: World, name: str = "Paper review@draft", **changes: object) -> None:
    """Change the draft in the store, starting one if need be."""
    if not any(version.number is None for version in world.chief.rubric("Paper review").versions):
        world.chief.start_draft("Paper review")
    draft = world.chief.version(name)
    world.chief.save_draft(change(draft, **changes))


def test_a_pull_writes_one_file_for_each_scale_rubric_and_publication(world: World, folder: Path) -> None:
    assert sorted(contents(folder)) == [
        ".rubrictui-sync.json",
        "publications/paper-review.yaml",
        RUBRIC,
        "scales/meets-partial-miss.yaml",
        "scales/weeks.yaml",
    ]
    assert world.chief.sync_status(folder).in_step


def test_pulling_and_pushing_again_change_nothing(world: World, folder: Path) -> None:
    before, counts = contents(folder), world.chief.info().counts
    assert actions(world.chief.sync_pull(folder)) == {}
    assert actions(world.chief.sync_push(folder)) == {}
    assert contents(folder) == before
    assert world.chief.info().counts == counts


def test_an_edit_pushed_and_published_by_record_is_version_two_and_then_nothing(
    world: World, folder: Path
) -> None:
    edit(folder / RUBRIC, "kind: rubric", "# ours\nkind: rubric")
    edit(folder / RUBRIC, "weight: 1", "weight: 3  # heavier")
    assert states(world.chief.sync_status(folder)) == {"rubric Paper review": "changed in the files"}
    assert actions(world.chief.sync_push(folder)) == {"rubric Paper review": "started as a draft from 1.0.0"}
    draft = world.chief.version("Paper review@draft")
    assert draft.nodes[0].weight == 3
    text = (folder / RUBRIC).read_text()
    assert text.startswith("# ours\n")
    assert "weight: 3  # heavier" in text
    assert f"  id: {draft.id}\n" in text
    assert world.chief.sync_status(folder).in_step
    assert actions(world.chief.sync_push(folder)) == {}

    edit(folder / "publications/paper-review.yaml", "version_id: ", f"version_id: {draft.id} # was ")
    edit(folder / "publications/paper-review.yaml", "kind:", "summary: Heavier.\nkind:")
    assert states(world.chief.sync_status(folder)) == {"publication Paper review": "changed in the files"}
    assert actions(world.chief.sync_push(folder)) == {"publication Paper review": "published as 2.0.0"}
    assert world.chief.rubric("Paper review").versions[0].change_summary == "Heavier."
    before = contents(folder)
    assert actions(world.chief.sync_push(folder)) == {}
    assert actions(world.chief.sync_pull(folder)) == {}
    assert contents(folder) == before


def test_a_new_version_id_in_the_file_becomes_the_drafts(world: World, folder: Path) -> None:
    edit(folder / RUBRIC, "version:\n  id: ", "version:\n  id: v-two # ")
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    edit(folder / "publications/paper-review.yaml", "version_id: ", "version_id: v-two # ")
    report = world.chief.sync_push(folder)
    assert actions(report) == {
        "rubric Paper review": "started as a draft from 1.0.0",
        "publication Paper review": "published as 2.0.0",
    }
    assert world.chief.version("Paper review").id == "v-two"
    assert actions(world.chief.sync_push(folder)) == {}


def test_a_folder_makes_an_empty_store_the_same(world: World, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other" / "other.db")
    try:
        report = other.chief.sync_push(folder)
        assert actions(report)["publication Paper review"] == "published as 1.0.0"
        ours, theirs = world.chief.version("Paper review"), other.chief.version("Paper review")
        assert ours == theirs
        assert other.chief.sync_status(folder).in_step
        # The memory is kept for each store.
        assert world.chief.sync_status(folder).in_step
    finally:
        other.close()


def test_what_changed_in_the_store_is_pulled_and_not_pushed(world: World, folder: Path) -> None:
    in_store(world, pass_threshold=0.5)
    assert states(world.chief.sync_status(folder)) == {"rubric Paper review": "changed in the store"}
    assert actions(world.chief.sync_push(folder)) == {}
    assert actions(world.chief.sync_pull(folder)) == {"rubric Paper review": "rewritten"}
    assert "pass_threshold: 0.5" in (folder / RUBRIC).read_text()
    world.chief.publish("Paper review")
    assert states(world.chief.sync_status(folder)) == {"publication Paper review": "changed in the store"}
    assert actions(world.chief.sync_pull(folder)) == {"publication Paper review": "rewritten"}
    assert world.chief.sync_status(folder).in_step


def both(world: World, folder: Path) -> None:
    in_store(world, pass_threshold=0.5)
    edit(folder / RUBRIC, "weight: 1", "weight: 3")


def test_what_changed_on_both_sides_is_refused_by_either(world: World, folder: Path) -> None:
    both(world, folder)
    assert states(world.chief.sync_status(folder)) == {"rubric Paper review": "changed in both"}
    before = contents(folder)
    for direction in (world.chief.sync_push, world.chief.sync_pull):
        with pytest.raises(SyncConflictError) as caught:
            direction(folder)
        assert {one.path[-1] for one in caught.value.items[0].changes} == {"pass_threshold", "weight"}
    assert contents(folder) == before
    assert world.chief.version("Paper review@draft").nodes[0].weight == 1


def test_the_files_win_when_that_is_said(world: World, folder: Path) -> None:
    both(world, folder)
    assert actions(world.chief.sync_push(folder, files_win=True)) == {
        "rubric Paper review": "changed in its draft"
    }
    draft = world.chief.version("Paper review@draft")
    assert (draft.pass_threshold, draft.nodes[0].weight) == (None, 3)
    assert world.chief.sync_status(folder).in_step


def test_the_store_wins_when_that_is_said(world: World, folder: Path) -> None:
    both(world, folder)
    world.chief.sync_pull(folder, store_wins=True)
    assert "weight: 3" not in (folder / RUBRIC).read_text()
    assert world.chief.sync_status(folder).in_step


def test_without_a_memory_a_difference_is_nobodys(world: World, folder: Path) -> None:
    (folder / ".rubrictui-sync.json").unlink()
    assert world.chief.sync_status(folder).in_step
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    assert states(world.chief.sync_status(folder)) == {"rubric Paper review": "changed in both"}


def test_a_memory_that_is_not_readable_is_told(world: World, folder: Path) -> None:
    (folder / ".rubrictui-sync.json").write_text("{")
    with pytest.raises(InvalidInputError, match="delete it"):
        world.chief.sync_status(folder)


def test_a_publish_is_refused_while_the_store_has_newer_changes(world: World, folder: Path) -> None:
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    world.chief.sync_push(folder)
    draft = world.chief.version("Paper review@draft")
    in_store(world, pass_threshold=0.5)
    edit(folder / "publications/paper-review.yaml", "version_id: ", f"version_id: {draft.id} # ")
    with pytest.raises(SyncRefusedError, match="Pull them"):
        world.chief.sync_push(folder)


def test_a_rubric_whose_only_draft_was_discarded_gets_it_again(world: World, tmp_path: Path) -> None:
    world.chief.create_rubric("Another")
    world.chief.sync_pull(tmp_path)
    world.chief.discard_draft("Another")
    assert states(world.chief.sync_status(tmp_path)) == {"rubric Another": "changed in the files"}
    assert actions(world.chief.sync_pull(tmp_path)) == {}
    assert actions(world.chief.sync_push(tmp_path)) == {"rubric Another": "started as a draft"}
    assert world.chief.sync_status(tmp_path).in_step


def test_a_dry_run_tells_what_would_be_done_and_does_nothing(world: World, folder: Path) -> None:
    edit(folder / RUBRIC, "version:\n  id: ", "version:\n  id: v-two # ")
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    edit(folder / "publications/paper-review.yaml", "version_id: ", "version_id: v-two # ")
    before = contents(folder)
    report = world.chief.sync_push(folder, dry_run=True)
    assert actions(report)["publication Paper review"] == "published as 2.0.0"
    assert [version.number for version in world.chief.rubric("Paper review").versions] == ["1.0.0"]
    assert contents(folder) == before
    world.chief.create_rubric("Another")
    assert actions(world.chief.sync_pull(folder, dry_run=True)) == {"rubric Another": "written"}
    assert contents(folder) == before


def test_one_error_in_one_file_keeps_everything_out(world: World, folder: Path) -> None:
    edit(folder / "scales/weeks.yaml", "name: Weeks", "name: Weeks late")
    edit(folder / RUBRIC, "weight: 1", "wieght: 1\n      content_hash: abc")
    with pytest.raises(SyncRefusedError) as caught:
        world.chief.sync_push(folder)
    assert [one.line for one in caught.value.problems] == [15, 16]
    assert {scale.name for scale in world.chief.scales()} == {"Meets / Partial / Miss", "Weeks"}


def test_what_the_store_refuses_keeps_everything_out_and_has_its_line(world: World, folder: Path) -> None:
    edit(folder / "scales/weeks.yaml", "max_value: 10", "max_value: 20")
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    with pytest.raises(SyncRefusedError) as caught:
        world.chief.sync_push(folder)
    (problem,) = caught.value.problems
    assert problem.file.endswith("scales/weeks.yaml")
    assert "published" in problem.message
    assert [version.number for version in world.chief.rubric("Paper review").versions] == ["1.0.0"]


def test_what_stands_against_publishing_is_told_at_its_line(world: World, folder: Path) -> None:
    edit(folder / RUBRIC, "version:\n  id: ", "version:\n  id: v-two # ")
    edit(folder / RUBRIC, "      scale: Meets / Partial / Miss\n", "")
    edit(folder / "publications/paper-review.yaml", "version_id: ", "version_id: v-two # ")
    with pytest.raises(SyncRefusedError) as caught:
        world.chief.sync_push(folder)
    (problem,) = caught.value.problems
    assert (problem.code, problem.file) == ("scale_missing", str(folder / RUBRIC))
    assert problem.line > 5


def test_a_name_that_another_rubric_has_is_refused(world: World, folder: Path) -> None:
    text = (folder / RUBRIC).read_text().replace("id: ", "id: x-")
    (folder / "rubrics" / "copy.yaml").write_text(text.replace("Paper review", "PAPER review"))
    (folder / RUBRIC).unlink()
    with pytest.raises(SyncRefusedError, match="Write that id"):
        world.chief.sync_push(folder)


def test_a_renamed_rubric_keeps_its_file(world: World, folder: Path) -> None:
    world.chief.rename_rubric("Paper review", "Article review")
    assert actions(world.chief.sync_pull(folder)) == {
        "rubric Article review": "rewritten",
        "publication Paper review": "rewritten",
    }
    assert "rubric: Article review" in (folder / "publications/paper-review.yaml").read_text()
    report = world.chief.sync_status(folder)
    assert (report.in_step, report.findings) == (True, ())
    assert "name: Article review" in (folder / RUBRIC).read_text()
    edit(folder / RUBRIC, "name: Article review", "name: Essay review\ncategory: Essays\ndescription: Short.")
    told = {"rubric Essay review": 'renamed, with a new category "Essays"'}
    assert actions(world.chief.sync_push(folder, dry_run=True)) == told
    assert actions(world.chief.sync_push(folder)) == told
    found = world.chief.rubric("Essay review")
    assert (found.category, found.description) == ("Essays", "Short.")
    assert world.chief.version("Essay review").number == "1.0.0"


def test_a_file_that_moved_is_still_the_same_item(world: World, folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / RUBRIC).rename(folder / "elsewhere" / "x.yml")
    assert world.chief.sync_status(folder).in_step


def test_a_file_that_is_gone_is_told_and_comes_back_with_a_pull(world: World, folder: Path) -> None:
    (folder / RUBRIC).unlink()
    report = world.chief.sync_status(folder)
    (item,) = (item for item in report.items if item.kind == "rubric")
    assert (item.state, item.note) == (SyncState.ONLY_STORE, "its file is gone")
    assert actions(world.chief.sync_pull(folder)) == {"rubric Paper review": "written"}


HOSTILE = [
    "../../evil",
    "CON",
    "nul",
    "a/b",
    "A B",
    "a b!",
    ".hidden",
    "…",
    "名前",
    "x" * 200,
    "COM1",
    "..",
    "-",
]


def test_any_name_becomes_a_file_below_the_folder(world: World, tmp_path: Path) -> None:
    for name in HOSTILE:
        world.chief.create_rubric(name, id=f"../{name}"[:90])
    world.chief.sync_pull(tmp_path / "deep" / "er")
    files = [file for file in tmp_path.rglob("*.yaml") if file.is_file()]
    assert all(file.parent == tmp_path / "deep" / "er" / "rubrics" for file in files)
    stems = [file.stem.casefold() for file in files]
    assert len(set(stems)) == len(stems) == len(HOSTILE)
    assert not {"con", "nul", "com1", ""} & set(stems)
    assert world.chief.sync_status(tmp_path / "deep" / "er").in_step


def test_line_ends_and_marks_of_windows_stay(world: World, folder: Path) -> None:
    path = folder / RUBRIC
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert world.chief.sync_status(folder).in_step
    edit(path, "weight: 1", "weight: 3")
    world.chief.sync_push(folder)
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\n") == data.count(b"\r\n")
    in_store(world, pass_threshold=0.25)
    world.chief.sync_pull(folder)
    data = path.read_bytes()
    assert b"pass_threshold: 0.25\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_one_file_may_hold_everything(world: World, folder: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    parts = [folder / name for name in ("scales/weeks.yaml", RUBRIC, "publications/paper-review.yaml")]
    parts.append(folder / "scales/meets-partial-miss.yaml")
    text = "# all of it\n" + "--- # next\n".join(part.read_text() for part in parts)
    (whole / "all.yaml").write_text(text)
    world.chief.sync_push(whole)
    in_store(world, pass_threshold=0.5)
    world.chief.publish("Paper review")
    world.chief.save_scale(
        change(MEETS, levels=(change(MEETS.levels[0], description="No."), *MEETS.levels[1:]))
    )
    assert actions(world.chief.sync_pull(whole)) == {
        "scale Meets / Partial / Miss": "rewritten",
        "rubric Paper review": "rewritten",
        "publication Paper review": "rewritten",
    }
    assert world.chief.sync_status(whole).in_step
    assert (whole / "all.yaml").read_text().count("--- # next\n") == 3
    assert (whole / "all.yaml").read_text().startswith("# all of it\n")


def test_only_the_named_items_are_taken(world: World, folder: Path) -> None:
    edit(folder / "scales/weeks.yaml", "name: Weeks", "name: Weeks\ndescription: Late.")
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    assert actions(world.chief.sync_push(folder, only=["paper REVIEW"])) == {
        "rubric Paper review": "started as a draft from 1.0.0"
    }
    with pytest.raises(InvalidInputError, match="nothing"):
        world.chief.sync_push(folder, only=["nothing"])


def test_a_link_that_leads_out_of_the_folder_is_refused(world: World, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    inner = tmp_path / "inner"
    inner.mkdir()
    (outside / "x.yaml").write_bytes((folder / RUBRIC).read_bytes())
    os.symlink(outside / "x.yaml", inner / "x.yaml")
    with pytest.raises(SyncRefusedError, match="leads out"):
        world.chief.sync_push(inner)
    (inner / "x.yaml").unlink()
    os.symlink(outside, inner / "rubrics")
    with pytest.raises(InvalidInputError, match="leads out"):
        world.chief.sync_pull(inner)
    assert sorted(file.name for file in outside.iterdir()) == ["x.yaml"]


def test_a_folder_that_is_not_there_is_told_by_all_but_a_pull(world: World, tmp_path: Path) -> None:
    for command in (world.chief.sync_push, world.chief.sync_status, world.chief.sync_diff):
        with pytest.raises(InvalidInputError, match="There is no folder"):
            command(tmp_path / "nowhere")


def test_a_push_takes_an_author(world: World, folder: Path) -> None:
    with pytest.raises(NotPermittedError):
        world.user("rita", Role.REVIEWER).sync_push(folder)


def test_a_draft_of_another_id_is_not_written_over(world: World, folder: Path) -> None:
    world.chief.start_draft("Paper review")
    edit(folder / RUBRIC, "version:\n  id: ", "version:\n  id: v-two # ")
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    with pytest.raises(SyncRefusedError, match="discard the draft"):
        world.chief.sync_push(folder)


def test_a_draft_that_was_begun_in_the_store_is_gone_on_with(world: World, folder: Path) -> None:
    draft = world.chief.start_draft("Paper review")
    assert world.chief.sync_status(folder).in_step
    edit(folder / RUBRIC, "weight: 1", "weight: 3")
    assert actions(world.chief.sync_push(folder)) == {"rubric Paper review": "changed in its draft"}
    assert f"id: {draft.id}" in (folder / RUBRIC).read_text()


@pytest.mark.parametrize("broken", ["memory", "file"])
def test_a_push_that_was_cut_short_after_the_store_goes_on_where_it_stopped(
    world: World, folder: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    edit(folder / RUBRIC, "weight: 1", "weight: 3")

    def killed(path: Path, data: bytes) -> None:
        raise KeyboardInterrupt

    where = "sync_memory" if broken == "memory" else "sync_writing"
    with monkeypatch.context() as patch:
        patch.setattr(f"rubrictui.interchange.{where}.write_atomically", killed)
        with pytest.raises(KeyboardInterrupt):
            world.chief.sync_push(folder)
    draft = world.chief.version("Paper review@draft")
    assert draft.nodes[0].weight == 3
    world.chief.sync_push(folder)
    assert [v.number for v in world.chief.rubric("Paper review").versions] == [None, "1.0.0"]
    assert f"id: {draft.id}" in (folder / RUBRIC).read_text()
    edit(folder / RUBRIC, "weight: 3", "weight: 4")
    assert states(world.chief.sync_status(folder)) == {"rubric Paper review": "changed in the files"}


def test_a_file_that_changes_during_a_pull_is_not_written_over(
    world: World, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rubrictui.engine import sync_files, syncing

    in_store(world, pass_threshold=0.5)
    pulled_items: Callable[..., object] = sync_files.pulled_items

    def slow(*args: object, **rest: object) -> object:
        edit(folder / RUBRIC, "kind:", "# typed just now\nkind:")
        return pulled_items(*args, **rest)

    monkeypatch.setattr(syncing, "pulled_items", slow)
    with pytest.raises(InvalidInputError, match="run the command again"):
        world.chief.sync_pull(folder)
    assert "# typed just now" in (folder / RUBRIC).read_text()


EDITS: list[tuple[str, Callable[[VersionSnapshot], VersionSnapshot]]] = [
    ("a text", lambda v: change(v, instructions="Read.\n\n  Twice.\n")),
    ("no pass threshold", lambda v: change(v, pass_threshold=0.0)),
    ("the order of criteria", lambda v: change(v, nodes=(v.nodes[-1], *v.nodes[:-1]))),
    ("sequences with gaps", lambda v: change(v, nodes=tuple(change(n, sequence=i * 10) for i, n in enumerate(v.nodes)))),
    ("settings", lambda v: change(v, nodes=(change(v.nodes[0], evaluator_config={"a": [1, 1.5, None]}), *v.nodes[1:]))),
    ("no settings left", lambda v: change(v, nodes=(change(v.nodes[0], evaluator_config={}), *v.nodes[1:]))),
    ("a weight of nothing", lambda v: change(v, nodes=(change(v.nodes[0], weight=0), *v.nodes[1:]))),
    ("an anchor", lambda v: change(v, nodes=(change(v.nodes[0], anchors=(Anchor(scale_level_id="miss", descriptor="No."),)), *v.nodes[1:]))),
    ("two bands of one label", lambda v: change(v, bands=(Band(id="", label="A", max_score=0.5), Band(id="", label="A", min_score=0.5)))),
    ("a new criterion", lambda v: change(v, nodes=(*v.nodes, Node(id="", key="new", scale_id="scale-weeks")))),
    ("no criterion", lambda v: change(v, nodes=())),
]  # fmt: skip


@pytest.mark.parametrize("change_", [case[1] for case in EDITS], ids=[case[0] for case in EDITS])
def test_every_kind_of_change_is_seen_and_is_the_same_after_a_pull(
    world: World, folder: Path, change_: Callable[[VersionSnapshot], VersionSnapshot]
) -> None:
    world.chief.start_draft("Paper review")
    world.chief.save_draft(change_(world.chief.version("Paper review@draft")))
    report = world.chief.sync_status(folder)
    assert states(report) == {"rubric Paper review": "changed in the store"}
    assert any(item.changes for item in report.items)
    world.chief.sync_pull(folder)
    assert world.chief.sync_status(folder).in_step
    assert actions(world.chief.sync_push(folder)) == {}


def test_the_diff_shows_what_differs_and_not_the_ids_that_always_do(world: World, folder: Path) -> None:
    world.chief.start_draft("Paper review")
    draft = world.chief.version("Paper review@draft")
    world.chief.save_draft(change(draft, nodes=(change(draft.nodes[0], weight=2.5), *draft.nodes[1:])))
    ((item, text),) = world.chief.sync_diff(folder)
    assert [(one.where, one.store, one.files) for one in item.changes] == [
        ("criterion · argument · weight", 2.5, 1)
    ]
    changed = [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-      weight: 2.5", "+      weight: 1"]
    assert WEEKS.name not in changed
    assert NODES[0].key not in changed
