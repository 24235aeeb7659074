"""The matter among the samples: one piece of work, scored by a person, an imported judge and the matter's rules."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rubrictui import Engine
from rubrictui.cli._matter_rubric import rubric_documents
from rubrictui.core.matrix_building import subject_matrix
from rubrictui.core.model import Outcome
from rubrictui.core.records import Evaluation, EvaluatorType
from rubrictui.core.score_of_record import score_of_record
from rubrictui.evaluators.matter_rubric import matter_rubric
from rubrictui.evaluators.matter_work import work_subject
from rubrictui.interchange.matrix_out import matrix_html, matrix_markdown, record_notes
from rubrictui.interchange.yaml_reader import read_files
from rubrictui.interchange.yaml_writer import write_documents
from rubrictui.matters import Matter, read_actions
from rubrictui.matters.replay import replay
from rubrictui.sample_data import ROOT
from rubrictui.screens.matrix_words import cell_words

FOLDER = ROOT / "matters" / "saas-agreement"
EXAMPLE = ROOT / "examples" / "matter-review"
RUBRIC = "Larkfield Veterinary Group, practice software from Tansel"
SUBJECT = "Work product/larkfield-associate"
CONTEXT = "Exercise/larkfield"
HUMAN, AI, RULES = EvaluatorType.HUMAN, EvaluatorType.AI_PROMPT, EvaluatorType.DETERMINISTIC


@pytest.fixture(scope="module")
def matter() -> Matter:
    return Matter.from_directory(FOLDER)


@pytest.fixture(scope="module")
def engine(
    samples_of: Callable[[str | None], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    path = Path(shutil.copy(samples_of("newcomer"), tmp_path_factory.mktemp("samples") / "store.db"))
    with Engine(path, user="newcomer") as opened:
        yield opened


def scored_by(engine: Engine) -> dict[EvaluatorType, Evaluation]:
    found = engine.evaluations(subject=SUBJECT, context=CONTEXT, rubric=RUBRIC)
    return {one.evaluator_type: one for one in found}


def test_the_shipped_rubric_is_what_the_matter_gives(matter: Matter) -> None:
    written = write_documents(rubric_documents(matter_rubric(matter), publish=False))
    assert (EXAMPLE / "rubric.yaml").read_text(encoding="utf-8").split("\n", 1)[1] == written


def test_the_shipped_work_is_what_the_trajectory_writes(engine: Engine, matter: Matter) -> None:
    actions = read_actions(FOLDER / "trajectories" / "associate.jsonl")
    work = work_subject(matter, actions, replay(matter, actions), record_id="larkfield-associate")
    stored = engine.subject(SUBJECT)
    assert (stored.text, stored.data) == (work.text, work.data)


def test_all_three_have_scored_the_work_on_one_version(engine: Engine) -> None:
    found = scored_by(engine)
    assert {kind: (one.normalized_score, one.outcome, one.version_number) for kind, one in found.items()} == {
        HUMAN: (round(12 / 26, 6), Outcome.SCORED, "1.0.0"),
        AI: (round(16.5 / 26, 6), Outcome.SCORED, "1.0.0"),
        RULES: (round(13.5 / 26, 6), Outcome.SCORED, "1.0.0"),
    }


def test_the_cohort_averages_all_three_and_tells_people_from_judges(engine: Engine) -> None:
    cohort = engine.cohort(subject=SUBJECT, rubric=RUBRIC, context=CONTEXT)
    assert cohort is not None
    assert cohort.count == 3
    assert cohort.mean == pytest.approx((12 + 16.5 + 13.5) / 3 / 26, abs=1e-6)
    assert (cohort.human_mean, cohort.ai_mean) == pytest.approx((12 / 26, 16.5 / 26), abs=1e-6)


def test_the_rules_keep_the_matters_own_score_as_the_score_of_record(engine: Engine, matter: Matter) -> None:
    found = scored_by(engine)
    record = score_of_record(found[RULES])
    assert record is not None
    assert (record.normalized_score, record.raw_score, record.max_score) == (0.4962, 12.9, 26)
    assert record.penalties == -0.6
    assert score_of_record(found[HUMAN]) is None


def test_running_the_rules_on_the_shipped_work_gives_what_ships(engine: Engine) -> None:
    stored = engine.evaluation(scored_by(engine)[RULES].id)
    run = engine.evaluate_record(subject=SUBJECT, rubric=RUBRIC, evaluator="Matter")
    assert [(s.key, s.scale_level_id, s.raw_value, s.rationale, s.evidence) for s in run.detail.scores] == [
        (s.key, s.scale_level_id, s.raw_value, s.rationale, s.evidence) for s in stored.scores
    ]
    assert run.detail.evaluation.metadata is not None
    assert stored.evaluation.metadata is not None
    shipped = stored.evaluation.metadata["Evaluator"]["Matter"]
    assert run.detail.evaluation.metadata["Evaluator"]["Matter"] == shipped


def test_the_matrix_shows_where_the_lawyer_and_the_rules_disagree(engine: Engine) -> None:
    matrix = subject_matrix(engine.matrix_table(subject=SUBJECT, rubric=RUBRIC, context=CONTEXT))
    assert [column.evaluator_type for column in matrix.columns] == [HUMAN, AI, RULES]
    overall = matrix.rows[0].cells
    assert [cell.record.normalized_score if cell and cell.record else None for cell in overall] == [
        None,
        None,
        0.4962,
    ]
    assert "score of record 0.4962 (12.9 of 26" in cell_words(matrix.columns[2], overall[2], matrix.display)
    named = "Matter (rules): score of record, by the matter's own rules: 0.4962 (12.9 of 26 points, penalties -0.6)."
    assert record_notes(matrix, range(3)) == [named]
    assert "4962" in matrix_markdown(matrix)
    assert named.replace("'", "&#39;") in matrix_html(matrix)
    apart = {}
    for row in matrix.rows:
        lawyer, _, rules = row.cells
        if not row.is_overall and not row.is_group and lawyer and rules:
            assert lawyer.score is not None
            assert rules.score is not None
            apart[row.key] = lawyer.score - rules.score
    # The rules take "machine learning" for word to the Data Protection Officer; she reads who was told.
    assert min(apart, key=lambda key: apart[key]) == "escalation.e_training"
    assert apart["issue.exit"] < -0.2
    assert apart["redline.data_use"] == 0.25


def test_the_sample_reads_without_a_finding() -> None:
    assert read_files([EXAMPLE / "rubric.yaml"]).findings == ()
