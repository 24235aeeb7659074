"""A whole day of the engine, on both dialects: the samples, a review, its correction, the cohort."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rubrictui.core.model import Answer
from rubrictui.core.records import EvaluationStatus, EvaluatorType, Role
from rubrictui.engine import DraftConflictError, Engine, NotFoundError


@pytest.fixture(params=("sqlite", "postgresql"))
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a fresh store is, once per dialect."""
    if request.param == "sqlite":
        yield str(request.getfixturevalue("store_path"))
        return
    server = request.getfixturevalue("postgres")
    yield server.store
    server.empty_the_store()


def test_the_engines_whole_day_is_the_same_on_both_dialects(target: str) -> None:
    with Engine(target, user="chief") as chief:
        assert chief.user.roles == tuple(Role)
        assert chief.load_samples().changed
        assert not chief.load_samples().changed
        chief.add_user("rita")
        work = {"subject": chief.subjects(content=False)[0].id, "rubric": "Peer review"}
        chief.assign(**work, user="rita")
        version = chief.version("Peer review")
        leaf = next(node for node in version.nodes if node.is_criterion)
        best = max(version.scales[0].levels, key=lambda level: level.normalized_value)
        answer = Answer(criterion_id=leaf.id, scale_level_id=best.id, rationale="Stated.")

        with Engine(target, user="rita") as rita:
            (row,) = rita.inbox()
            assert (row.state, row.rubric_name) == ("New", "Peer review")
            draft = rita.open_draft(assignment=row.assignment_id).evaluation.id
            assert rita.save_answer(draft, answer, base_revision=0, cursor=leaf.key).revision == 1
            with pytest.raises(DraftConflictError):
                rita.save_answer(draft, Answer(criterion_id=leaf.id), base_revision=0)
            assert rita.draft(draft).cursor == leaf.key
            first = rita.submit(draft)
            assert first.evaluation.normalized_score == 1.0
            again = rita.start_superseding(draft).evaluation.id
            rita.submit(again)
            assert rita.evaluation(draft).evaluation.status is EvaluationStatus.SUPERSEDED
            assert [past.answer.rationale for past in rita.past_answers(leaf.key, "Peer review")] == [
                "Stated."
            ]
            assert [r.state for r in rita.inbox()] == ["Submitted"]

        for _ in range(2):
            chief.record_evaluation(
                **work, evaluator_type=EvaluatorType.AGENT, evaluator_name="judge", answers=[answer]
            )
        consensus = chief.consensus_for_subject(**work)
        assert (consensus.sample_size, consensus.overall, consensus.std_dev) == (2, 1.0, 0.0)
        own = chief.open_draft(**work).evaluation.id
        with pytest.raises(NotFoundError):
            chief.evaluation(again)
        chief.decline_draft(own, "Only looking.")
        cohort = chief.evaluation(again).cohort
        assert cohort is not None
        assert (cohort.count, cohort.human_mean, cohort.ai_mean) == (2, 1.0, 1.0)
