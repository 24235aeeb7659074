"""The cohort columns as views (guide section 9).

A cohort is every Submitted evaluation of one subject and context (no context is a context of its own) on one
rubric and major. Self takes no part but in its own column. Human averages Human; AI averages AIPrompt and
Agent; Deterministic and External count in the overall columns only. Counts are of evaluations, scored or not;
the deviation is the population's.

Always ask with a subject: the condition reaches the cohort index through the grouping, and one cohort among
a million evaluations takes a fraction of a millisecond, where the whole view takes seconds.
"""

from __future__ import annotations

_PEER = "e.evaluator_type <> 'Self'"
_HUMAN = "e.evaluator_type = 'Human'"
_AI = "e.evaluator_type IN ('AIPrompt', 'Agent')"
_SELF = "e.evaluator_type = 'Self'"
_KEY = "e.subject_id, e.context_id, e.rubric_id, e.major_version"

VIEWS = ("cohort", "evaluation_cohort", "criterion_cohort")


def _only(condition: str, value: str = "e.normalized_score") -> str:
    return f"CASE WHEN {condition} THEN {value} END"


def _std_dev(dialect: str) -> str:
    """Population standard deviation, from sums where SQLite has none. Of equal scores it is 0 and is said to
    be: both databases come out a hair off zero, and the root of a hair is far more."""
    score = _only(_PEER)
    squares = _only(_PEER, "e.normalized_score * e.normalized_score")
    variance = f"(sum({squares}) - sum({score}) * sum({score}) / count({score})) / count({score})"
    found = f"stddev_pop({score})" if dialect == "postgresql" else f"sqrt(max(0.0, {variance}))"
    return f"CASE WHEN min({score}) = max({score}) THEN 0.0 ELSE {found} END"


def statements(dialect: str) -> list[str]:
    """``CREATE VIEW`` for each of ``VIEWS``, in the order they need."""
    same_context = (
        "c.context_id IS NOT DISTINCT FROM e.context_id"
        if dialect == "postgresql"
        else "c.context_id IS e.context_id"
    )
    return [
        f"CREATE VIEW cohort AS SELECT {_KEY},"
        f" avg({_only(_PEER)}) AS mean_score,"
        f" min({_only(_PEER)}) AS min_score,"
        f" max({_only(_PEER)}) AS max_score,"
        f" {_std_dev(dialect)} AS score_std_dev,"
        f" count({_only(_PEER, '1')}) AS evaluation_count,"
        f" count({_only(f'{_PEER} AND e.passed', '1')}) AS passed_count,"
        f" avg({_only(_HUMAN)}) AS human_mean_score,"
        f" avg({_only(_AI)}) AS ai_mean_score,"
        f" avg({_only(_SELF)}) AS self_assessment_score"
        f" FROM evaluation e WHERE e.status = 'Submitted' GROUP BY {_KEY}",
        f"CREATE VIEW evaluation_cohort AS SELECT e.id AS evaluation_id, {_KEY}, e.normalized_score,"
        " c.mean_score AS cohort_mean_score,"
        " c.min_score AS cohort_min_score,"
        " c.max_score AS cohort_max_score,"
        " c.score_std_dev AS cohort_score_std_dev,"
        " c.evaluation_count AS cohort_evaluation_count,"
        " c.passed_count AS cohort_passed_count,"
        " c.human_mean_score AS cohort_human_mean_score,"
        " c.ai_mean_score AS cohort_ai_mean_score,"
        " c.self_assessment_score AS self_assessment_score,"
        " e.normalized_score - c.mean_score AS deviation_from_cohort_mean"
        " FROM evaluation e JOIN cohort c ON c.subject_id = e.subject_id AND c.rubric_id = e.rubric_id"
        f" AND c.major_version = e.major_version AND {same_context}",
        f"CREATE VIEW criterion_cohort AS SELECT {_KEY}, t.key AS criterion_key,"
        f" avg({_only(_PEER, 's.normalized_score')}) AS mean_score,"
        f" avg({_only(_HUMAN, 's.normalized_score')}) AS human_mean_score,"
        f" avg({_only(_AI, 's.normalized_score')}) AS ai_mean_score,"
        " min(s.sequence) AS sequence"
        " FROM evaluation e JOIN evaluation_score s ON s.evaluation_id = e.id"
        " JOIN criterion t ON t.id = s.criterion_id"
        f" WHERE e.status = 'Submitted' GROUP BY {_KEY}, t.key",
    ]
