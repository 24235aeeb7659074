"""From answers to a stored score: refusals, results, superseding, machines, withdrawing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from engine_world import NODES, SUBJECT, TEXT, World, answers

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import (
    Answer,
    Band,
    Evidence,
    EvidenceKind,
    NotApplicablePolicy,
    Outcome,
    VersionSnapshot,
)
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType, Role
from rubrictui.core.scoring import SCORING_ENGINE_VERSION
from rubrictui.engine import (
    Engine,
    NotFoundError,
    NotPermittedError,
    StateError,
    SubmitRefusedError,
    SupersedeRefusedError,
)
from rubrictui.store.errors import EvaluationFrozenError, ScoreFrozenError

change = msgspec.structs.replace
QUOTE = Evidence(kind=EvidenceKind.QUOTE, text="measured hourly", source="text")
INVENTED = Evidence(kind=EvidenceKind.QUOTE, text="measured daily", source="text")
ARGUED = Answer(criterion_id="n-argument", scale_level_id="meets", rationale="Every step is stated.")
SOURCED = Answer(criterion_id="n-sources", scale_level_id="partial", evidence=(QUOTE,))
CLEAR = Answer(criterion_id="n-clarity", scale_level_id="meets")


@pytest.fixture
def rita(world: World, paper: VersionSnapshot) -> Engine:
    return world.user("rita")


def draft_of(engine: Engine, *given: Answer) -> str:
    id = engine.open_draft(subject="Paper/tides", rubric="Paper review").evaluation.id
    for answer in given:
        engine.save_answer(id, answer)
    return id


# -- the result --------------------------------------------------------------------------------------


def test_submitting_stores_the_result_and_a_row_for_every_node(rita: Engine) -> None:
    weeks = Answer(criterion_id="n-weeks", raw_value=10)
    detail = rita.submit(draft_of(rita, ARGUED, SOURCED, CLEAR, weeks))
    header = detail.evaluation
    assert (header.status, header.outcome, header.normalized_score) == (
        EvaluationStatus.SUBMITTED,
        Outcome.SCORED,
        0.875,
    )
    assert (header.completeness, header.passed, header.gate_failed) == (1.0, None, False)
    assert header.engine_version == SCORING_ENGINE_VERSION
    assert header.submitted_at is not None
    rows = {score.key: score for score in detail.scores}
    assert list(rows) == ["argument", "quality", "sources", "clarity", "weeks"]
    assert rows["quality"].normalized_score == 0.75
    assert rows["quality"].overall_contribution == 0.375
    assert rows["argument"].rationale == ARGUED.rationale
    assert rows["sources"].evidence == (QUOTE,)
    assert (rows["weeks"].is_advisory, rows["weeks"].normalized_score) == (True, 0.0)
    assert rita.evaluation(header.id).scores == detail.scores


def test_the_preview_foretells_exactly_what_submitting_stores(rita: Engine) -> None:
    id = draft_of(rita, ARGUED)
    preview = rita.preview(id)
    assert preview.problems == ()
    assert preview.unanswered == ("sources", "clarity", "weeks")
    assert preview.result is not None
    header = rita.submit(id).evaluation
    assert preview.result.normalized_score == header.normalized_score
    assert preview.result.completeness == header.completeness == 0.333333
    assert preview.result.outcome is header.outcome


def test_an_unanswered_criterion_never_blocks(rita: Engine) -> None:
    detail = rita.submit(draft_of(rita))
    assert (detail.evaluation.outcome, detail.evaluation.completeness) == (Outcome.INCOMPLETE, 0.0)
    assert len(detail.scores) == 5


def test_gate_band_threshold_and_an_override_are_stored(world: World, paper: VersionSnapshot) -> None:
    clone = world.chief.start_draft("Paper review")
    bands = (Band(id="", label="Weak", max_score=0.5), Band(id="", label="Strong", min_score=0.5))
    nodes = tuple(
        change(n, is_gate=True, gate_minimum_score=0.6) if n.key == "clarity" else n for n in clone.nodes
    )
    version = world.republish_from(change(clone, nodes=nodes, bands=bands, pass_threshold=0.6))
    ids = {n.key: n.id for n in version.nodes}

    def score(who: str, level: str, **options: Any) -> Any:
        answer = Answer(criterion_id=ids["clarity"], scale_level_id=level)
        return (
            world.user(who)
            .submit_human_rubric(version_id=version.id, subject="s-tides", answers=[answer], **options)
            .evaluation
        )

    failed = score("rita", "partial")
    assert (failed.outcome, failed.gate_failed, failed.passed) == (Outcome.GATE_FAILED, True, False)
    assert failed.pass_threshold_applied == 0.6
    assert failed.band_id == next(band.id for band in version.bands if band.label == "Strong")
    assert score("paul", "meets").outcome is Outcome.PASSED
    stricter = score("chief", "meets", pass_threshold=1.0)
    assert (stricter.outcome, stricter.pass_threshold_applied) == (Outcome.PASSED, 1.0)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_score(rita: Engine, threshold: float) -> None:
    id = draft_of(rita)
    with pytest.raises(InvalidInputError, match="threshold"):
        rita.submit(id, pass_threshold=threshold)


# -- refusals ----------------------------------------------------------------------------------------


def test_a_refusal_lists_everything_in_the_order_of_the_criteria(rita: Engine) -> None:
    id = draft_of(
        rita,
        Answer(criterion_id="n-clarity", scale_level_id="miss", evidence=(INVENTED,)),
        Answer(criterion_id="n-sources", scale_level_id="meets"),
        Answer(criterion_id="n-argument", scale_level_id="meets", rationale="  "),
    )
    with pytest.raises(SubmitRefusedError, match="and 2 more") as refused:
        rita.submit(id)
    assert [(p.kind, p.key) for p in refused.value.problems] == [
        ("rationale_missing", "argument"),
        ("evidence_missing", "sources"),
        ("quote_not_found", "clarity"),
    ]
    assert rita.preview(id).problems == refused.value.problems
    assert rita.draft(id).evaluation.status is EvaluationStatus.DRAFT


REQUIREMENTS: dict[str, tuple[Answer, tuple[str, ...]]] = {
    "n/a needs its rationale too": (
        Answer(criterion_id="n-argument", is_not_applicable=True),
        ("rationale_missing",),
    ),
    "n/a with a rationale passes": (
        Answer(criterion_id="n-argument", is_not_applicable=True, rationale="A letter."),
        (),
    ),
    "n/a needs no evidence": (Answer(criterion_id="n-sources", is_not_applicable=True), ()),
    "an answer needs its evidence": (
        Answer(criterion_id="n-sources", scale_level_id="miss"),
        ("evidence_missing",),
    ),
    "a link is evidence": (
        Answer(
            criterion_id="n-sources",
            scale_level_id="meets",
            evidence=(Evidence(kind=EvidenceKind.LINK, text="https://example.org/data"),),
        ),
        (),
    ),
    "a quote must be there word for word": (
        Answer(criterion_id="n-sources", scale_level_id="meets", evidence=(INVENTED,)),
        ("quote_not_found",),
    ),
    "a rationale without an answer is unanswered": (
        Answer(criterion_id="n-sources", rationale="Thinking."),
        (),
    ),
}


@pytest.mark.parametrize("rule", REQUIREMENTS)
def test_what_an_answer_needs(rita: Engine, rule: str) -> None:
    answer, kinds = REQUIREMENTS[rule]
    id = draft_of(rita, answer)
    assert tuple(problem.kind for problem in rita.preview(id).problems) == kinds
    if kinds:
        with pytest.raises(SubmitRefusedError):
            rita.submit(id)
    else:
        rita.submit(id)


def test_a_quote_that_the_subject_lost_is_found_at_submit(world: World, rita: Engine) -> None:
    id = draft_of(rita, SOURCED)
    world.chief.add_subjects([change(SUBJECT, text=TEXT.replace("hourly", "daily"))])
    with pytest.raises(SubmitRefusedError) as refused:
        rita.submit(id)
    assert [p.kind for p in refused.value.problems] == ["quote_not_found"]


def test_every_illegal_answer_of_an_action_is_listed_and_nothing_is_stored(
    rita: Engine, paper: VersionSnapshot
) -> None:
    with pytest.raises(SubmitRefusedError) as refused:
        rita.submit_human_rubric(
            version_id=paper.id,
            subject="Paper/tides",
            answers=[
                *answers(clarity=None, weeks=2.5),
                Answer(criterion_id="n-argument", scale_level_id="no"),
            ],
        )
    assert [(p.kind, p.key) for p in refused.value.problems] == [
        ("not_on_level", "argument"),
        ("rationale_missing", "argument"),
        ("not_applicable_not_allowed", "clarity"),
        ("off_step", "weeks"),
    ]
    assert rita.evaluations() == ()


# -- the whole action in one call --------------------------------------------------------------------


def test_submit_human_rubric_writes_everything_at_once_and_reports_what_it_ignored(
    rita: Engine, paper: VersionSnapshot
) -> None:
    given = [
        ARGUED,
        Answer(criterion_id="n-clarity", scale_level_id="miss"),
        CLEAR,
        Answer(criterion_id="n-quality", scale_level_id="meets"),
        Answer(criterion_id="unknown", scale_level_id="meets"),
    ]
    detail = rita.submit_human_rubric(version_id=paper.id, subject="Paper/tides", answers=given)
    assert detail.evaluation.normalized_score == 1.0
    assert [w for w in detail.warnings if "unknown" in w or "quality" in w or "clarity" in w] == list(
        detail.warnings
    )
    assert len(detail.warnings) == 3
    assert rita.evaluation(detail.evaluation.id).warnings == ()


def test_an_open_draft_stands_in_the_way_of_the_action(rita: Engine, paper: VersionSnapshot) -> None:
    draft_of(rita, CLEAR)
    with pytest.raises(StateError, match="open draft"):
        rita.submit_human_rubric(version_id=paper.id, subject="Paper/tides", answers=[CLEAR])


def test_nobody_counts_twice_in_a_cohort(rita: Engine, paper: VersionSnapshot) -> None:
    first = rita.submit_human_rubric(version_id=paper.id, subject="Paper/tides", answers=[CLEAR])
    with pytest.raises(StateError, match=r"submitted .* already"):
        rita.submit_human_rubric(version_id=paper.id, subject="Paper/tides", answers=[ARGUED])
    second = rita.submit_human_rubric(
        version_id=paper.id, subject="Paper/tides", answers=[ARGUED], supersedes=first.evaluation.id
    )
    statuses = {e.id: e.status for e in rita.evaluations()}
    assert statuses == {
        first.evaluation.id: EvaluationStatus.SUPERSEDED,
        second.evaluation.id: EvaluationStatus.SUBMITTED,
    }


def test_a_machine_does_not_submit_as_a_person(rita: Engine, paper: VersionSnapshot) -> None:
    with pytest.raises(InvalidInputError, match="not a person's"):
        rita.submit_human_rubric(
            version_id=paper.id,
            subject="Paper/tides",
            answers=[CLEAR],
            evaluator_type=EvaluatorType.EXTERNAL,
        )


# -- superseding -------------------------------------------------------------------------------------

BASE: dict[str, Any] = {
    "subject": "Paper/tides",
    "rubric": "Paper review",
    "context": "Round/spring",
    "evaluator_type": EvaluatorType.AI_PROMPT,
    "evaluator_name": "judge",
}
MISMATCHES: dict[str, tuple[dict[str, Any], str]] = {
    "another type": ({"evaluator_type": EvaluatorType.AGENT}, "of type AIPrompt, not Agent"),
    "another evaluator name": ({"evaluator_name": "second judge"}, '"judge", not "second judge"'),
    "another subject": ({"subject": "Paper/waves"}, "another subject"),
    "no context": ({"context": None}, "another context"),
    "another context": ({"context": "Round/autumn"}, "another context"),
    "another rubric": ({"rubric": "Other review"}, "another rubric"),
}


@pytest.fixture
def spring(world: World, paper: VersionSnapshot) -> World:
    world.chief.add_subjects([change(SUBJECT, id="", record_id="waves", title="Waves")])
    for name in ("spring", "autumn"):
        world.chief.add_context(Context(record_id=name, self_allowed=True))
    draft_id = world.chief.create_rubric("Other review").versions[0].id
    world.chief.save_draft(change(paper, id=draft_id))
    world.chief.publish("Other review")
    return world


@pytest.mark.parametrize("what", MISMATCHES)
def test_an_evaluation_is_superseded_only_by_the_same_evaluator_for_the_same_work(
    spring: World, what: str
) -> None:
    rita = spring.user("rita")
    first = rita.record_evaluation(**BASE, answers=[])
    differing, reason = MISMATCHES[what]
    with pytest.raises(SupersedeRefusedError, match=reason):
        rita.record_evaluation(**{**BASE, **differing}, answers=[], supersedes=first.evaluation.id)
    assert rita.evaluation(first.evaluation.id).evaluation.status is EvaluationStatus.SUBMITTED
    assert len(rita.evaluations()) == 1


def test_another_users_judge_does_not_supersede_mine(spring: World) -> None:
    first = spring.user("rita").record_evaluation(**BASE, answers=[])
    with pytest.raises(SupersedeRefusedError, match="another user's"):
        spring.chief.record_evaluation(**BASE, answers=[], supersedes=first.evaluation.id)


@pytest.mark.parametrize("gone", ["Superseded", "Withdrawn"])
def test_only_a_submitted_evaluation_is_superseded(spring: World, gone: str) -> None:
    rita = spring.user("rita")
    first = rita.record_evaluation(**BASE, answers=[]).evaluation
    if gone == "Superseded":
        rita.record_evaluation(**BASE, answers=[])
    else:
        rita.withdraw(first.id, "Wrong prompt.")
    with pytest.raises(SupersedeRefusedError, match=gone):
        rita.record_evaluation(**BASE, answers=[], supersedes=first.id)


def test_a_correction_may_be_of_a_newer_version(world: World, rita: Engine, paper: VersionSnapshot) -> None:
    first = rita.submit_human_rubric(version_id=paper.id, subject="s-tides", answers=[CLEAR]).evaluation
    world.chief.save_draft(change(world.chief.start_draft("Paper review"), pass_threshold=0.5))
    new = world.chief.publish("Paper review")
    second = rita.submit_human_rubric(
        version_id=new.id, subject="s-tides", answers=[], supersedes=first.id
    ).evaluation
    assert (second.version_number, second.supersedes_id) == ("1.1.0", first.id)


# -- machines ----------------------------------------------------------------------------------------


def test_a_rerun_of_a_judge_supersedes_its_own_last_one(spring: World) -> None:
    rita = spring.user("rita")
    runs = [rita.record_evaluation(**BASE, answers=[CLEAR]).evaluation for _ in range(3)]
    other = rita.record_evaluation(**{**BASE, "evaluator_name": "second judge"}, answers=[]).evaluation
    statuses = {e.id: e.status for e in rita.evaluations(status=None)}
    assert [statuses[run.id].value for run in runs] == ["Superseded", "Superseded", "Submitted"]
    assert statuses[other.id] is EvaluationStatus.SUBMITTED
    assert [run.supersedes_id for run in runs] == [None, runs[0].id, runs[1].id]
    with pytest.raises(StateError, match="already"):
        rita.record_evaluation(**BASE, answers=[], supersede_last=False)


def test_a_judge_runs_while_its_runner_scores_herself_and_tells_her_nothing(spring: World) -> None:
    rita = spring.user("rita")
    draft = rita.open_draft(subject=BASE["subject"], rubric=BASE["rubric"], context=BASE["context"])
    runs = [rita.record_evaluation(**BASE, answers=[CLEAR]) for _ in range(2)]
    assert [(run.evaluation.normalized_score, run.evaluation.outcome, run.scores) for run in runs] == [
        (None, None, ())
    ] * 2
    assert "hidden" in runs[0].warnings[-1]
    assert [found.id for found in rita.evaluations()] == [draft.evaluation.id]
    with pytest.raises(NotFoundError):
        rita.evaluation(runs[1].evaluation.id)
    rita.submit(draft.evaluation.id)
    statuses = {found.id: found.status.value for found in rita.evaluations()}
    assert [statuses[run.evaluation.id] for run in runs] == ["Superseded", "Submitted"]
    assert rita.evaluation(runs[1].evaluation.id).evaluation.normalized_score is not None


def test_a_failed_run_is_kept_with_its_message_and_supersedes_nothing(spring: World) -> None:
    rita = spring.user("rita")
    good = rita.record_evaluation(**BASE, answers=[CLEAR]).evaluation
    failed = rita.record_evaluation(**BASE, failed="model timed out", metadata={"tries": 3}).evaluation
    assert (failed.status, failed.error_message, failed.metadata) == (
        EvaluationStatus.FAILED,
        "model timed out",
        {"tries": 3},
    )
    assert rita.evaluation(good.id).evaluation.status is EvaluationStatus.SUBMITTED


def test_a_self_assessment_replaces_the_last_one_and_stands_beside_a_review(spring: World) -> None:
    rita = spring.user("rita")
    work = {"subject": "Paper/tides", "rubric": "Paper review", "evaluator_type": EvaluatorType.SELF}
    rita.record_evaluation(**work, answers=[CLEAR])
    rita.record_evaluation(**work, answers=[ARGUED])
    rita.submit_human_rubric(version_id="Paper review@1", subject="Paper/tides", answers=[CLEAR])
    assert sorted(e.status.value for e in rita.evaluations()) == ["Submitted", "Submitted", "Superseded"]


@pytest.mark.parametrize(
    ("kind", "name", "what"),
    [
        (EvaluatorType.AI_PROMPT, None, "needs the evaluator's name"),
        (EvaluatorType.EXTERNAL, "  ", "needs the evaluator's name"),
        (EvaluatorType.HUMAN, "rita", "carries no evaluator name"),
        ("Oracle", "x", "no evaluator type"),
    ],
)
def test_an_evaluator_is_named_as_its_type_asks(
    rita: Engine, kind: EvaluatorType, name: str | None, what: str
) -> None:
    with pytest.raises(InvalidInputError, match=what):
        rita.record_evaluation(
            subject="s-tides", rubric="Paper review", evaluator_type=kind, evaluator_name=name
        )


# -- frozen ------------------------------------------------------------------------------------------


def test_what_was_submitted_is_frozen_in_the_database_itself(world: World, rita: Engine) -> None:
    id = rita.submit(draft_of(rita, CLEAR)).evaluation.id
    for statement, error in (
        ("UPDATE evaluation SET normalized_score = 0.5 WHERE id = :id", EvaluationFrozenError),
        ("UPDATE evaluation_score SET rationale = 'x' WHERE evaluation_id = :id", ScoreFrozenError),
    ):
        with pytest.raises(error), rita._write() as connection:
            connection.exec_driver_sql(statement, {"id": id})


def test_withdrawing_takes_a_reason_and_keeps_the_row(world: World, rita: Engine) -> None:
    submitted = rita.submit(draft_of(rita, CLEAR)).evaluation
    with pytest.raises(NotFoundError):
        world.user("paul").withdraw(submitted.id, "Not mine.")
    with pytest.raises(InvalidInputError, match="reason"):
        rita.withdraw(submitted.id, "")
    withdrawn = rita.withdraw(submitted.id, "Conflict of interest.")
    assert (withdrawn.status, withdrawn.end_reason) == (EvaluationStatus.WITHDRAWN, "Conflict of interest.")
    assert withdrawn.normalized_score == submitted.normalized_score
    with pytest.raises(StateError, match="Withdrawn"):
        rita.withdraw(submitted.id, "Again.")
    assert rita.open_draft(subject="Paper/tides", rubric="Paper review").evaluation.id != submitted.id


def test_a_draft_is_declined_and_not_withdrawn(rita: Engine) -> None:
    id = draft_of(rita)
    with pytest.raises(StateError, match="Decline a draft"):
        rita.withdraw(id, "Reason.")


def test_an_administrator_withdraws_anyones_and_a_developer_does_not(world: World, rita: Engine) -> None:
    submitted = rita.submit(draft_of(rita, CLEAR)).evaluation
    with pytest.raises(NotPermittedError, match="rita's"):
        world.user("dev", Role.DEVELOPER).withdraw(submitted.id, "No.")
    assert world.chief.withdraw(submitted.id, "Misconduct.").status is EvaluationStatus.WITHDRAWN


def test_not_applicable_follows_the_policy_of_its_criterion(world: World, paper: VersionSnapshot) -> None:
    nodes = tuple(
        change(n, not_applicable_policy=NotApplicablePolicy.COUNT_AS_ZERO) if n.key == "sources" else n
        for n in NODES
    )
    version = world.publish(
        "Zero review",
        nodes=tuple(change(n, id=f"z-{n.id}", parent_id=n.parent_id and f"z-{n.parent_id}") for n in nodes),
    )
    given = [
        Answer(criterion_id="z-n-sources", is_not_applicable=True),
        Answer(criterion_id="z-n-clarity", scale_level_id="meets"),
    ]
    detail = world.chief.submit_human_rubric(version_id=version.id, subject="s-tides", answers=given)
    assert detail.evaluation.normalized_score == 0.5
    assert {s.key: s.is_not_applicable for s in detail.scores}["sources"] is True
