"""What a user may read: evaluations, cohorts, consensus; her own past answers and phrases."""

from __future__ import annotations

import msgspec
import pytest
from engine_world import SUBJECT, World, answers

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.records import Context, EvaluatorType, Role
from rubrictui.engine import Engine, NoPublishedVersionError, NotFoundError, NotPermittedError

change = msgspec.structs.replace
WORK = {"subject": "Paper/tides", "rubric": "Paper review"}


@pytest.fixture
def rita(world: World, paper: VersionSnapshot) -> Engine:
    return world.user("rita")


def score(engine: Engine, level: str, **options: object) -> str:
    detail = engine.submit_human_rubric(
        version_id="Paper review", subject="Paper/tides", answers=answers(clarity=level), **options
    )
    return detail.evaluation.id


# -- cohort and consensus ----------------------------------------------------------------------------


def test_the_cohort_is_everyone_submitted_but_self_and_the_splits_are_by_kind(
    world: World, rita: Engine
) -> None:
    first = score(rita, "meets")
    score(world.user("paul"), "partial")
    score(world.user("sam"), "miss", evaluator_type=EvaluatorType.SELF)
    for kind, level in (("AIPrompt", "miss"), ("Deterministic", "meets")):
        world.chief.record_evaluation(
            **WORK, evaluator_type=EvaluatorType(kind), evaluator_name="m", answers=answers(clarity=level)
        )
    cohort = world.chief.cohort(**WORK)
    assert cohort is not None
    assert (cohort.count, cohort.mean, cohort.human_mean, cohort.ai_mean) == (4, 0.625, 0.75, 0.0)
    assert cohort.self_score == 0.0
    assert world.chief.evaluation(first).deviation_from_cohort_mean == 0.375
    found = world.chief.consensus_for_subject(**WORK)
    assert (found.sample_size, found.overall, found.range) == (4, 0.625, 1.0)
    assert {c.key: c.mean for c in found.criteria or ()}["clarity"] == 0.625
    assert world.chief.consensus_for_subject(**WORK, method="Median").overall == 0.75


@pytest.mark.parametrize("how", ["withdrawn", "superseded", "draft", "failed"])
def test_what_is_not_submitted_any_more_is_out_of_the_cohort(world: World, rita: Engine, how: str) -> None:
    score(world.user("paul"), "meets")
    if how == "failed":
        rita.record_evaluation(
            **WORK, evaluator_type=EvaluatorType.AGENT, evaluator_name="m", failed="No reply."
        )
    elif how == "draft":
        rita.open_draft(**WORK)
    else:
        id = score(rita, "miss")
        if how == "withdrawn":
            rita.withdraw(id, "Wrong paper.")
        else:
            new = rita.start_superseding(id).evaluation.id
            rita.save_answer(new, answers(clarity="meets")[0])
            rita.submit(new)
    found = world.chief.consensus_for_subject(**WORK)
    assert (found.overall, found.sample_size) == (1.0, 2 if how == "superseded" else 1)


def test_no_context_means_no_context(world: World, rita: Engine) -> None:
    world.chief.add_context(Context(record_id="spring"))
    score(rita, "meets")
    score(rita, "miss", context="Round/spring")
    assert world.chief.consensus_for_subject(**WORK).overall == 1.0
    assert world.chief.consensus_for_subject(**WORK, context="Round/spring").overall == 0.0


def test_consensus_is_of_the_latest_published_major_unless_one_is_passed(world: World, rita: Engine) -> None:
    score(rita, "meets")
    clone = world.chief.start_draft("Paper review")
    nodes = tuple(change(n, weight=2.0) if n.key == "clarity" else n for n in clone.nodes)
    version = world.republish_from(change(clone, nodes=nodes))
    clarity = next(n.id for n in version.nodes if n.key == "clarity")
    rita.submit_human_rubric(
        version_id=version.id,
        subject="Paper/tides",
        answers=[Answer(criterion_id=clarity, scale_level_id="miss")],
    )
    assert world.chief.consensus_for_subject(**WORK).overall == 0.0
    assert world.chief.consensus_for_subject(**WORK, major=1).overall == 1.0
    world.chief.retire(version.id)
    assert world.chief.consensus_for_subject(**WORK).overall == 1.0


def test_consensus_without_a_published_version_says_so(world: World, paper: VersionSnapshot) -> None:
    world.chief.retire(paper.id)
    with pytest.raises(NoPublishedVersionError, match="No published version of that rubric"):
        world.chief.consensus_for_subject(**WORK)
    assert world.chief.consensus_for_subject(**WORK, major=1).sample_size == 0


def test_a_reviewer_sees_the_cohort_once_she_has_submitted_and_never_a_peers_row(
    world: World, rita: Engine
) -> None:
    peer = score(world.user("paul"), "miss")
    for blind in ("before", "during"):
        if blind == "during":
            rita.open_draft(**WORK)
        assert rita.cohort(**WORK) is None
        with pytest.raises(NotPermittedError, match="hidden"):
            rita.consensus_for_subject(**WORK)
    detail = rita.submit(rita.open_draft(**WORK).evaluation.id)
    assert detail.cohort is not None
    assert (detail.cohort.count, rita.cohort(**WORK)) == (2, detail.cohort)
    assert rita.consensus_for_subject(**WORK).sample_size == 1  # her own has no score: nothing was answered
    with pytest.raises(NotFoundError):
        rita.evaluation(peer)
    assert [e.id for e in rita.evaluations()] == [detail.evaluation.id]


def test_an_open_draft_blinds_even_who_administers(world: World, rita: Engine) -> None:
    peer = score(rita, "miss")
    assert world.chief.evaluation(peer).cohort is not None
    own = world.chief.open_draft(**WORK).evaluation.id
    with pytest.raises(NotFoundError):
        world.chief.evaluation(peer)
    assert world.chief.cohort(**WORK) is None
    world.chief.decline_draft(own, "Not needed.")
    assert world.chief.evaluation(peer).evaluation.normalized_score == 0.0


@pytest.mark.parametrize("work", ["draft", "assignment"])
def test_who_is_blind_reads_why_in_words_that_a_peers_work_does_not_change(
    world: World, rita: Engine, work: str
) -> None:
    if work == "draft":
        world.chief.open_draft(**WORK)
    else:
        world.chief.assign(**WORK, user=world.chief.user.name)
    told = []
    for peer in (None, rita):
        if peer is not None:
            score(peer, "miss")
        with pytest.raises(NotPermittedError) as refused:
            world.chief.consensus_for_subject(**WORK)
        told.append(str(refused.value))
    assert (
        told
        == [
            "You have open work on this subject, so what others said is hidden: "
            "submit it or decline it with a reason."
        ]
        * 2
    )


def test_evaluations_narrow_by_every_argument(world: World, rita: Engine) -> None:
    world.chief.add_context(Context(record_id="spring"))
    plain, placed = score(rita, "meets"), score(rita, "miss", context="Round/spring")
    rita.withdraw(plain, "Test.")
    from rubrictui.core.records import EvaluationStatus

    assert [e.id for e in rita.evaluations(context="Round/spring")] == [placed]
    assert [e.id for e in rita.evaluations(status=EvaluationStatus.WITHDRAWN)] == [plain]
    assert {e.id for e in rita.evaluations(subject="s-tides", rubric="paper review")} == {plain, placed}
    with pytest.raises(NotFoundError, match="not found or not readable"):
        rita.evaluations(subject="Paper/none")


# -- her own past words ------------------------------------------------------------------------------


def test_past_answers_are_her_own_for_other_subjects_the_latest_first(world: World, rita: Engine) -> None:
    for name in ("waves", "winds"):
        world.chief.add_subjects([change(SUBJECT, id="", record_id=name, title=name.title())])
    for engine, name, level in (
        (rita, "waves", "miss"),
        (rita, "winds", "meets"),
        (world.user("paul"), "winds", "miss"),
    ):
        engine.submit_human_rubric(
            version_id="Paper review", subject=f"Paper/{name}", answers=answers(clarity=level)
        )
    here = rita.open_draft(**WORK)
    rita.save_answer(here.evaluation.id, answers(clarity="partial")[0])
    past = rita.past_answers("clarity", "Paper review", excluding=here.evaluation.id)
    assert [(p.subject_title, p.answer.scale_level_id) for p in past] == [
        ("Winds", "meets"),
        ("Waves", "miss"),
    ]
    assert len(rita.past_answers("clarity", "Paper review", limit=1)) == 1
    assert rita.past_answers("argument", "Paper review") == ()


def test_phrases_are_ordered_by_use_and_nobody_elses(world: World, rita: Engine) -> None:
    rare, often = rita.add_phrase("Cites its data."), rita.add_phrase("Overclaims.", "argument")
    assert rita.add_phrase(" Cites its data. ") == rare
    for phrase in (often, often, rare):
        rita.use_phrase(phrase.id)
    assert [(p.text, p.uses) for p in rita.phrases("argument")] == [
        ("Overclaims.", 2),
        ("Cites its data.", 1),
    ]
    assert [p.text for p in rita.phrases("clarity")] == ["Cites its data."]
    paul = world.user("paul")
    assert paul.phrases() == ()
    for attempt in (lambda: paul.use_phrase(often.id), lambda: paul.delete_phrase(often.id)):
        with pytest.raises(NotFoundError):
            attempt()
    rita.delete_phrase(often.id)
    assert [p.text for p in rita.phrases()] == ["Cites its data."]
    with pytest.raises(InvalidInputError):
        rita.add_phrase("  ")


def test_a_developer_reads_all_and_a_chair_alone_only_her_own(world: World, rita: Engine) -> None:
    score(rita, "meets")
    assert len(world.user("dev", Role.DEVELOPER).evaluations()) == 1
    assert world.user("cho", Role.CHAIR).evaluations() == ()
