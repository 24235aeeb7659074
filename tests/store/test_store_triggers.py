"""Frozen means frozen in the database: every refusal by its number, and every move that stays allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, Table, insert
from sqlalchemy.dialects import postgresql, sqlite
from store_rows import RESULT, START, Rows, published

from rubrictui.store.database import Database
from rubrictui.store.errors import FROZEN_ERRORS, FrozenError
from rubrictui.store.tables import (
    BAND,
    CRITERION,
    CRITERION_LEVEL,
    EVALUATION,
    EVALUATION_SCORE,
    SCALE,
    SCALE_LEVEL,
    VERSION,
)
from rubrictui.store.types import UtcDateTime


@dataclass
class World:
    """A frozen version with all its parts, an open draft of another rubric with the same, and evaluations."""

    rows: Rows
    scale: str
    level: str
    free_scale: str
    free_level: str
    version: str
    criterion: str
    anchor: str
    band: str
    draft: str
    draft_criterion: str
    draft_anchor: str
    draft_band: str
    open: str
    open_score: str
    submitted: str
    submitted_score: str


def build(rows: Rows, status: str) -> World:
    with rows.together():
        return _build(rows, status)


def _build(rows: Rows, status: str) -> World:
    scale, free_scale = rows.scale("Used"), rows.scale("Free")
    level, free_level = rows.level(scale), rows.level(free_scale)
    version, draft = rows.draft(), rows.draft()
    parts = []
    for of_version, of_scale, of_level in ((version, scale, level), (draft, free_scale, free_level)):
        criterion = rows.criterion(of_version, scale_id=of_scale)
        parts.append((criterion, rows.anchor(criterion, of_level), rows.band(of_version)))
    rows.publish(version)
    user, subject, other = rows.user("reviewer"), rows.subject("north"), rows.subject("south")
    open_one, done = rows.evaluation(user, subject, version), rows.evaluation(user, other, version)
    open_score = rows.score(open_one, parts[0][0], scale_level_id=level)
    done_score = rows.score(done, parts[0][0], scale_level_id=level)
    rows.submit(done)
    if status == "Retired":
        rows.retire(version)
    return World(
        rows, scale, level, free_scale, free_level, version, *parts[0], draft, *parts[1],
        open_one, open_score, done, done_score,
    )  # fmt: skip


@pytest.fixture(params=["Published", "Retired"])
def world(rows: Rows, request: pytest.FixtureRequest) -> World:
    return build(rows, request.param)


@pytest.fixture
def published_world(rows: Rows) -> World:
    return build(rows, "Published")


Act = Callable[[World], Any]

REFUSED: list[tuple[int, str, Act]] = [
    (51101, "wording changed", lambda w: w.rows.change(VERSION, w.version, instructions="Other words")),
    (51101, "threshold changed", lambda w: w.rows.change(VERSION, w.version, pass_threshold=0.1)),
    (51101, "details changed", lambda w: w.rows.change(VERSION, w.version, change_details={"a": 1})),
    (51101, "number changed", lambda w: w.rows.change(VERSION, w.version, major_version=2)),
    (51101, "hash changed", lambda w: w.rows.change(VERSION, w.version, content_hash="d" * 64)),
    (51101, "publisher changed", lambda w: w.rows.change(VERSION, w.version, published_by="somebody")),
    (51101, "back to draft", lambda w: w.rows.sql(
        "UPDATE rubric_version SET status = 'Draft', major_version = NULL, minor_version = NULL,"
        f" patch_version = NULL WHERE id = '{w.version}'")),
    (51101, "stamp without a move", lambda w: w.rows.change(VERSION, w.version, retired_at=w.rows.now())),
    (51101, "inserted as published", lambda w: w.rows.draft(w.rows.rubric(), **published(w.rows.now()))),
    (51101, "inserted as retired", lambda w: w.rows.draft(
        w.rows.rubric(), **{**published(w.rows.now()), "status": "Retired", "retired_at": w.rows.now()})),
    (51101, "draft retired unpublished", lambda w: w.rows.change(
        VERSION, w.draft,
        **{**published(w.rows.now()), "status": "Retired", "retired_at": w.rows.now()})),
    (51101, "draft put in its place", lambda w: w.rows.change(VERSION, w.draft, id=w.version)),
    (51102, "version deleted", lambda w: w.rows.delete(VERSION, w.version)),
    (51103, "criterion changed", lambda w: w.rows.change(CRITERION, w.criterion, guidance="Other")),
    (51103, "criterion added", lambda w: w.rows.criterion(w.version, "another")),
    (51103, "criterion deleted", lambda w: w.rows.delete(CRITERION, w.criterion)),
    (51103, "criterion moved in", lambda w: w.rows.change(
        CRITERION, w.draft_criterion, version_id=w.version, key="moved")),
    (51103, "criterion moved out", lambda w: w.rows.change(
        CRITERION, w.criterion, version_id=w.draft, key="moved")),
    (51103, "criterion put in its place", lambda w: w.rows.change(
        CRITERION, w.draft_criterion, id=w.criterion)),
    (51104, "anchor changed", lambda w: w.rows.change(CRITERION_LEVEL, w.anchor, descriptor="Other")),
    (51104, "anchor added", lambda w: w.rows.anchor(w.criterion, w.level)),
    (51104, "anchor deleted", lambda w: w.rows.delete(CRITERION_LEVEL, w.anchor)),
    (51104, "anchor moved in", lambda w: w.rows.change(
        CRITERION_LEVEL, w.draft_anchor, criterion_id=w.criterion)),
    (51104, "anchor moved out", lambda w: w.rows.change(
        CRITERION_LEVEL, w.anchor, criterion_id=w.draft_criterion)),
    (51105, "band changed", lambda w: w.rows.change(BAND, w.band, label="Weak")),
    (51105, "band added", lambda w: w.rows.band(w.version, "Weak")),
    (51105, "band deleted", lambda w: w.rows.delete(BAND, w.band)),
    (51105, "band moved in", lambda w: w.rows.change(BAND, w.draft_band, version_id=w.version)),
    (51105, "band moved out", lambda w: w.rows.change(BAND, w.band, version_id=w.draft)),
    (51106, "scale renamed", lambda w: w.rows.change(SCALE, w.scale, name="Other")),
    (51106, "scale described", lambda w: w.rows.change(SCALE, w.scale, description="Other")),
    (51106, "scale turned round", lambda w: w.rows.change(SCALE, w.scale, higher_is_better=False)),
    (51106, "scale deleted", lambda w: w.rows.delete(SCALE, w.scale)),
    (51106, "scale put in its place", lambda w: w.rows.change(SCALE, w.free_scale, id=w.scale)),
    (51107, "level relabelled", lambda w: w.rows.change(SCALE_LEVEL, w.level, label="Other")),
    (51107, "level revalued", lambda w: w.rows.change(SCALE_LEVEL, w.level, normalized_value=0.9)),
    (51107, "level added", lambda w: w.rows.level(w.scale, "Exceeds")),
    (51107, "level deleted", lambda w: w.rows.delete(SCALE_LEVEL, w.level)),
    (51107, "level moved in", lambda w: w.rows.change(SCALE_LEVEL, w.free_level, scale_id=w.scale)),
    (51107, "level moved out", lambda w: w.rows.change(SCALE_LEVEL, w.level, scale_id=w.free_scale)),
    (51108, "score changed", lambda w: w.rows.change(EVALUATION, w.submitted, normalized_score=1.0)),
    (51108, "evaluator changed", lambda w: w.rows.change(EVALUATION, w.submitted, evaluator_name="x")),
    (51108, "metadata changed", lambda w: w.rows.change(EVALUATION, w.submitted, metadata={"a": 1})),
    (51108, "reopened", lambda w: w.rows.change(EVALUATION, w.submitted, status="Draft")),
    (51108, "submitted then failed", lambda w: w.rows.change(EVALUATION, w.submitted, status="Failed")),
    (51108, "reason without a move", lambda w: w.rows.change(EVALUATION, w.submitted, end_reason="Why")),
    (51108, "changed while withdrawn", lambda w: w.rows.change(
        EVALUATION, w.submitted, status="Withdrawn", ended_at=w.rows.now(), normalized_score=0.0)),
    (51108, "draft superseded", lambda w: w.rows.change(
        EVALUATION, w.open, status="Superseded", submitted_at=w.rows.now(), **RESULT)),
    (51108, "draft put in its place", lambda w: w.rows.change(EVALUATION, w.open, id=w.submitted)),
    (51108, "inserted as submitted", lambda w: w.rows.evaluation(
        w.rows.user("hasty"), w.rows.subject("west"), w.version,
        status="Submitted", submitted_at=w.rows.now(), **RESULT)),
    (51109, "evaluation deleted", lambda w: w.rows.delete(EVALUATION, w.submitted)),
    (51110, "score row changed", lambda w: w.rows.change(
        EVALUATION_SCORE, w.submitted_score, rationale="Other")),
    (51110, "score row added", lambda w: w.rows.score(w.submitted, w.draft_criterion)),
    (51110, "score row deleted", lambda w: w.rows.delete(EVALUATION_SCORE, w.submitted_score)),
    (51110, "score row moved in", lambda w: w.rows.change(
        EVALUATION_SCORE, w.open_score, evaluation_id=w.submitted, criterion_id=w.draft_criterion)),
    (51110, "score row moved out", lambda w: w.rows.change(
        EVALUATION_SCORE, w.submitted_score, evaluation_id=w.open, criterion_id=w.draft_criterion)),
]  # fmt: skip


def test_every_change_to_what_is_frozen_is_refused_by_its_number_and_leaves_the_row(world: World) -> None:
    frozen = {
        VERSION: world.version,
        CRITERION: world.criterion,
        CRITERION_LEVEL: world.anchor,
        BAND: world.band,
        SCALE: world.scale,
        SCALE_LEVEL: world.level,
        EVALUATION: world.submitted,
        EVALUATION_SCORE: world.submitted_score,
    }
    before = {table: world.rows.get(table, id) for table, id in frozen.items()}
    not_refused = []
    for number, what, act in REFUSED:
        try:
            act(world)
        except FrozenError as error:
            if error.number != number:
                not_refused.append(f"{what}: {error.number} instead of {number}")
        else:
            not_refused.append(f"{what}: accepted")
    assert not_refused == []
    assert {table: world.rows.get(table, id) for table, id in frozen.items()} == before


def test_no_column_of_a_frozen_row_is_forgotten(published_world: World) -> None:
    """Whatever columns the tables get one day: only the moves' own may change."""
    world = published_world
    free = {
        VERSION: {"status", "retired_at"},  # retired_by moves with them, never alone
        SCALE_LEVEL: {"description"},
        EVALUATION: {"status", "ended_at", "end_reason"},
    }
    accepted = []
    for table, id in (
        (VERSION, world.version),
        (CRITERION, world.criterion),
        (CRITERION_LEVEL, world.anchor),
        (BAND, world.band),
        (SCALE, world.scale),
        (SCALE_LEVEL, world.level),
        (EVALUATION, world.submitted),
        (EVALUATION_SCORE, world.submitted_score),
    ):
        for column in table.columns:
            if column.name in free.get(table, ()):
                continue
            try:
                world.rows.change(table, id, **{column.name: other_value(world.rows.get(table, id), column)})
            except FrozenError:
                continue
            accepted.append(str(column))
    assert accepted == []


def other_value(row: dict[str, Any], column: Column[Any]) -> Any:
    """A value of the column's type that is not there now. The rules answer before any other check does."""
    old = row[column.name]
    if isinstance(column.type, JSON):
        return {"other": True}
    if isinstance(column.type, UtcDateTime):
        return datetime(1999, 1, 1, tzinfo=UTC)
    if isinstance(column.type, Boolean):
        return not old
    return 77 if isinstance(column.type, (Integer, Float)) else "77"


def test_the_table_above_has_every_number() -> None:
    assert {number for number, _, _ in REFUSED} == set(FROZEN_ERRORS) == set(range(51101, 51111))


ALLOWED: list[tuple[str, Act]] = [
    ("retire and restore", lambda w: (
        w.rows.retire(w.version),
        w.rows.change(
            VERSION, w.version, status="Published", retired_at=None, retired_by="someone else"))),
    ("a level's description", lambda w: w.rows.change(SCALE_LEVEL, w.level, description="Clearer")),
    ("a level of a scale in drafts only", lambda w: w.rows.change(
        SCALE_LEVEL, w.free_level, label="Other", normalized_value=0.2)),
    ("a scale in drafts only", lambda w: w.rows.change(SCALE, w.free_scale, name="Renamed")),
    ("the parts of a draft", lambda w: (
        w.rows.change(VERSION, w.draft, pass_threshold=0.4, change_details={"a": [1]}),
        w.rows.change(CRITERION, w.draft_criterion, key="renamed"),
        w.rows.change(CRITERION_LEVEL, w.draft_anchor, descriptor="Other"),
        w.rows.change(BAND, w.draft_band, label="Other"))),
    ("deleting a draft with all its parts", lambda w: w.rows.delete(VERSION, w.draft)),
    ("publishing a draft", lambda w: w.rows.publish(w.draft)),
    ("answers of a draft evaluation", lambda w: (
        w.rows.change(EVALUATION_SCORE, w.open_score, rationale="Because"),
        w.rows.delete(EVALUATION_SCORE, w.open_score),
        w.rows.score(w.open, w.criterion))),
    ("submitting", lambda w: w.rows.submit(w.open)),
    ("failing", lambda w: w.rows.change(
        EVALUATION, w.open, status="Failed", error_message="It broke", ended_at=w.rows.now())),
    ("declining a draft", lambda w: w.rows.change(
        EVALUATION, w.open, status="Withdrawn", end_reason="Conflict", ended_at=w.rows.now())),
    ("withdrawing", lambda w: w.rows.change(
        EVALUATION, w.submitted, status="Withdrawn", end_reason="Mistake", ended_at=w.rows.now())),
    ("superseding", lambda w: w.rows.change(
        EVALUATION, w.submitted, status="Superseded", ended_at=w.rows.now())),
    ("setting what is there already", lambda w: (
        w.rows.change(VERSION, w.version, status="Published"),
        w.rows.change(EVALUATION, w.submitted, status="Submitted"))),
    ("deleting a draft evaluation with its answers", lambda w: w.rows.delete(EVALUATION, w.open)),
]  # fmt: skip


@pytest.mark.parametrize(("what", "act"), ALLOWED, ids=[what for what, _ in ALLOWED])
def test_the_allowed_moves_go_through(published_world: World, what: str, act: Act) -> None:
    act(published_world)


@pytest.mark.parametrize("end", ["Withdrawn", "Superseded"])
def test_nothing_moves_on_from_the_end(published_world: World, end: str) -> None:
    rows, evaluation = published_world.rows, published_world.submitted
    rows.change(EVALUATION, evaluation, status=end, ended_at=rows.now())
    for status in ("Draft", "Submitted", "Failed", "Withdrawn", "Superseded"):
        if status != end:
            with pytest.raises(FrozenError, match="51108"):
                rows.change(EVALUATION, evaluation, status=status)


def test_a_refusal_undoes_the_whole_transaction(published_world: World) -> None:
    rows = published_world.rows

    def change_one_and_delete_another() -> None:
        with rows.together():
            rows.change(BAND, published_world.draft_band, label="Changed")
            rows.delete(BAND, published_world.band)

    with pytest.raises(FrozenError):
        change_one_and_delete_another()
    assert rows.get(BAND, published_world.draft_band)["label"] == "Strong"


@pytest.mark.parametrize("recursive", ["ON", "OFF"])
def test_replace_does_not_go_round_the_rules(sqlite_rows: Rows, recursive: str) -> None:
    """``INSERT OR REPLACE`` deletes the old row; without recursive triggers no DELETE trigger sees it."""
    world = build(sqlite_rows, "Published")
    rows = world.rows
    replaced = {
        51101: (VERSION, world.version, {"rubric_id": rows.rubric(), "status": "Draft"}),
        51103: (CRITERION, world.criterion, {"version_id": world.draft, "key": "taken"}),
        51104: (CRITERION_LEVEL, world.anchor, {"criterion_id": world.draft_criterion}),
        51105: (BAND, world.band, {"version_id": world.draft}),
        51106: (SCALE, world.scale, {"name": "Other"}),
        51107: (SCALE_LEVEL, world.level, {"scale_id": world.free_scale}),
        51108: (EVALUATION, world.submitted, {"status": "Draft"}),
        51110: (EVALUATION_SCORE, world.submitted_score, {"evaluation_id": world.open}),
    }
    for number, (table, id, values) in replaced.items():
        row = {**rows.get(table, id), **values}
        if table is VERSION:
            row |= {"major_version": None, "minor_version": None, "patch_version": None}
        with pytest.raises(FrozenError, match=str(number)):
            replace(rows, table, row, recursive)
        assert rows.get(table, id)


def replace(rows: Rows, table: Table, row: dict[str, Any], recursive: str) -> None:
    with rows.database.write() as connection:
        connection.exec_driver_sql(f"PRAGMA recursive_triggers = {recursive}")
        connection.execute(insert(table).prefix_with("OR REPLACE").values(**row))


def test_an_upsert_does_not_go_round_the_rules(published_world: World) -> None:
    world = published_world
    level = {"id": world.level, "scale_id": world.scale, "label": "x"}
    band = {"id": world.band, "version_id": world.version, "label": "x"}
    score = {"id": "new", "evaluation_id": world.submitted, "criterion_id": world.criterion}
    score_key = ["evaluation_id", "criterion_id"]
    for number, table, row, key, change in (
        (51105, BAND, band, ["id"], {"label": "Other"}),
        (51107, SCALE_LEVEL, level, ["id"], {"label": "Other"}),
        (51110, EVALUATION_SCORE, score | {"updated_at": START}, score_key, {"rationale": "Other"}),
    ):
        with pytest.raises(FrozenError, match=str(number)):
            upsert(world.rows, table, row, key, change)


def upsert(rows: Rows, table: Table, row: dict[str, Any], key: list[str], change: dict[str, Any]) -> None:
    dialect = sqlite if rows.database.dialect == "sqlite" else postgresql
    statement = dialect.insert(table).values(**row).on_conflict_do_update(index_elements=key, set_=change)
    with rows.database.write() as connection:
        connection.execute(statement)


def test_postgresql_cannot_be_emptied_behind_the_rules(postgres: Any) -> None:
    with Database.open(postgres.store) as database:
        rows = Rows(database)
        build(rows, "Published")
        for number, table in (
            (51102, VERSION),
            (51103, CRITERION),
            (51104, CRITERION_LEVEL),
            (51105, BAND),
            (51106, SCALE),
            (51107, SCALE_LEVEL),
            (51109, EVALUATION),
            (51110, EVALUATION_SCORE),
        ):
            # CASCADE reaches other frozen tables too; whichever is reached first refuses.
            with pytest.raises(FrozenError):
                rows.sql(f"TRUNCATE {table.name} CASCADE")
            if table in (CRITERION_LEVEL, EVALUATION_SCORE):
                with pytest.raises(FrozenError, match=str(number)):
                    rows.sql(f"TRUNCATE {table.name}")
    postgres.empty_the_store()


def test_every_error_says_what_to_do_instead() -> None:
    remedies = {
        range(51101, 51106): "new draft",
        range(51106, 51108): "new scale",
        range(51108, 51111): "supersedes this one, or withdraw it",
    }
    for numbers, words in remedies.items():
        for number in numbers:
            error = FROZEN_ERRORS[number]()
            assert str(number) in error.message
            assert words in error.remedy
            assert "\n" not in str(error)
    assert len({error.code for error in FROZEN_ERRORS.values()}) == 10
