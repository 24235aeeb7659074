"""The views as SQLAlchemy knows them; ``migrations/views_0001.py``, ``security_0006.py``, ``security_0007.py``
and ``security_0008.py`` say what they hold.

They have their own metadata: they are no tables, and nothing must ever create or compare them as such.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, Text

from rubrictui.store.types import UtcDateTime, json_column_type

_VIEWS = MetaData()


def _key() -> tuple[Column[str], Column[str], Column[str], Column[int]]:
    return (
        Column("subject_id", String),
        Column("context_id", String),
        Column("rubric_id", String),
        Column("major_version", Integer),
    )


COHORT = Table(
    "cohort",
    _VIEWS,
    *_key(),
    Column("mean_score", Float),
    Column("min_score", Float),
    Column("max_score", Float),
    Column("score_std_dev", Float),
    Column("evaluation_count", Integer),
    Column("passed_count", Integer),
    Column("human_mean_score", Float),
    Column("ai_mean_score", Float),
    Column("self_assessment_score", Float),
)

EVALUATION_COHORT = Table(
    "evaluation_cohort",
    _VIEWS,
    Column("evaluation_id", String),
    *_key(),
    Column("normalized_score", Float),
    Column("cohort_mean_score", Float),
    Column("cohort_min_score", Float),
    Column("cohort_max_score", Float),
    Column("cohort_score_std_dev", Float),
    Column("cohort_evaluation_count", Integer),
    Column("cohort_passed_count", Integer),
    Column("cohort_human_mean_score", Float),
    Column("cohort_ai_mean_score", Float),
    Column("self_assessment_score", Float),
    Column("deviation_from_cohort_mean", Float),
)

COHORT_EVALUATION = Table(
    "cohort_evaluation",
    _VIEWS,
    Column("evaluation_id", String),
    *_key(),
    Column("normalized_score", Float),
)

COHORT_SCORE = Table(
    "cohort_score",
    _VIEWS,
    Column("evaluation_id", String),
    *_key(),
    Column("criterion_key", String),
    Column("normalized_score", Float),
    Column("is_not_applicable", Boolean),
    Column("sequence", Integer),
)

ROUND_COMMENT = Table(
    "round_comment",
    _VIEWS,
    Column("place", String),
    *_key(),
    Column("criterion_key", String),
    Column("rationale", Text),
    Column("evidence", json_column_type()),
    Column("sequence", Integer),
    Column("author", String),
    Column("evaluator_type", String),
)

CRITERION_COHORT = Table(
    "criterion_cohort",
    _VIEWS,
    *_key(),
    Column("criterion_key", String),
    Column("mean_score", Float),
    Column("human_mean_score", Float),
    Column("ai_mean_score", Float),
    Column("sequence", Integer),
)

PACKET_SENT = Table(
    "packet_sent",
    _VIEWS,
    Column("id", String),
    Column("context_id", String),
    Column("user_id", String),
    Column("exported_at", UtcDateTime()),
    Column("exported_by", String),
    Column("is_signed", Boolean),
    Column("sent", json_column_type()),
    Column("taken_at", UtcDateTime()),
    Column("taken_by", String),
    Column("is_veiled", Boolean),
)

PACKET_BROUGHT = Table(
    "packet_brought",
    _VIEWS,
    Column("id", String),
    Column("export_id", String),
    Column("subject_id", String),
    Column("item_id", String),
    Column("digest", String),
    Column("reasons", json_column_type()),
    Column("found_at", UtcDateTime()),
    Column("found_by", String),
    Column("settled_at", UtcDateTime()),
    Column("settled_by", String),
    Column("taken", String),
    Column("returned", json_column_type()),
    Column("context_id", String),
    Column("user_id", String),
)

SETTLED_SCORE = Table(
    "settled_score",
    _VIEWS,
    Column("id", String),
    *_key(),
    Column("version_id", String),
    Column("evaluation_id", String),
    Column("adjudicator_id", String),
    Column("status", String),
    Column("reason", String),
    Column("note", Text),
    Column("settled_at", UtcDateTime),
    Column("superseded_at", UtcDateTime),
    Column("supersedes_id", String),
    Column("normalized_score", Float),
    Column("outcome", String),
    Column("passed", Boolean),
    Column("basis", json_column_type()),
)
