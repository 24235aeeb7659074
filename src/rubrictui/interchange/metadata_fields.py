"""The entities and fields of the metadata JSON shape (guide section 2, "Ship a rubric as metadata").

Each field goes to a field of the YAML documents (``shapes``), or says how the record belongs to another.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple


class Takes(Enum):
    """What the value of a field may be."""

    VALUE = "a value, or @file"
    CONFIG = "an object, the text of one, or @file"
    OWNER = "@parent, or the owner's id"
    PARENT = "@parent, or the id of a criterion of the same version"
    LOOKUP = "@lookup, or an id"


class Field(NamedTuple):
    """``to`` is the field it becomes; of a LOOKUP by name. ``entity`` is what an OWNER or LOOKUP points at."""

    to: str
    takes: Takes = Takes.VALUE
    entity: str = ""


class Entity(NamedTuple):
    """``related`` are the entities that records of this one may hold."""

    name: str
    fields: Mapping[str, Field]
    related: tuple[str, ...] = ()
    computed: frozenset[str] = frozenset()


SCALE, LEVEL, CATEGORY = "Rubric Scales", "Rubric Scale Levels", "Rubric Categories"
RUBRIC, VERSION, CRITERION = "Rubrics", "Rubric Versions", "Rubric Criteria"
ANCHOR, BAND = "Rubric Criterion Levels", "Rubric Bands"
PUBLICATION = "publication"

# Where `.mj-sync.json` does not say it, the folder's name does.
FOLDERS = {
    "rubric-scales": SCALE,
    "rubric-categories": CATEGORY,
    "rubrics": RUBRIC,
    "rubric-publications": VERSION,
}


def _plain(*names: str) -> dict[str, Field]:
    """Fields that keep their name but for its spelling: ``PassThreshold`` is ``pass_threshold``."""
    return {name: Field("".join(f"_{c.lower()}" if c.isupper() else c for c in name)[1:]) for name in names}


_STAMPS = frozenset({"__mj_CreatedAt", "__mj_UpdatedAt", "CreatedAt", "UpdatedAt"})

ENTITIES: dict[str, Entity] = {
    entity.name: entity
    for entity in (
        Entity(CATEGORY, _plain("Name", "Description", "Sequence"), (), _STAMPS),
        Entity(
            SCALE,
            _plain("Name", "Description", "ScaleType", "MinValue", "MaxValue", "Step", "HigherIsBetter"),
            (LEVEL,),
            _STAMPS,
        ),
        Entity(
            LEVEL,
            {
                **_plain("Label", "Value", "NormalizedValue", "Description", "Sequence"),
                **dict.fromkeys(("ScaleID", "RubricScaleID"), Field("", Takes.OWNER, SCALE)),
            },
            (),
            _STAMPS,
        ),
        Entity(
            RUBRIC,
            {
                **_plain("Name", "Description"),
                **dict.fromkeys(
                    ("CategoryID", "RubricCategoryID"), Field("category", Takes.LOOKUP, CATEGORY)
                ),
            },
            (VERSION,),
            _STAMPS,
        ),
        Entity(
            VERSION,
            {
                **_plain(
                    "Status", "Instructions", "PassThreshold", "MinimumCompleteness", "NotApplicablePolicy",
                    "ScoreDisplayMin", "ScoreDisplayMax",
                ),
                "RubricID": Field("", Takes.OWNER, RUBRIC),
            },
            (CRITERION, BAND),
            _STAMPS
            | {
                "MajorVersion", "MinorVersion", "PatchVersion", "VersionNumber", "AppliedBump", "ComputedBump",
                "ContentHash", "ScoringHash", "PublishedAt", "PublishedByUserID", "RetiredAt", "ChangeSummary",
                "ChangeDetails", "BasedOnID", "BasedOnVersionID",
            },
        ),
        Entity(
            CRITERION,
            {
                **_plain(
                    "Key", "Name", "Description", "Guidance", "NodeType", "Weight", "IsAdvisory", "IsGate",
                    "GateMinimumScore", "NotApplicablePolicy", "RollupMethod", "EvidenceRequired",
                    "RationaleRequired", "Sequence",
                ),
                "EvaluatorConfig": Field("evaluator_config", Takes.CONFIG),
                "ScaleID": Field("scale", Takes.LOOKUP, SCALE),
                "ParentID": Field("", Takes.PARENT, CRITERION),
                **dict.fromkeys(("RubricVersionID", "VersionID"), Field("", Takes.OWNER, VERSION)),
            },
            (CRITERION, ANCHOR),
            _STAMPS,
        ),
        Entity(
            ANCHOR,
            {
                **_plain("AnchorValue", "Descriptor", "Sequence"),
                **dict.fromkeys(("ScaleLevelID", "RubricScaleLevelID"), Field("level", Takes.LOOKUP, LEVEL)),
                **dict.fromkeys(
                    ("CriterionID", "RubricCriterionID"), Field("", Takes.OWNER, CRITERION)
                ),
            },
            (),
            _STAMPS,
        ),
        Entity(
            BAND,
            {
                **_plain("Label", "Description", "MinScore", "MaxScore", "DisplayTone", "Sequence"),
                **dict.fromkeys(("RubricVersionID", "VersionID"), Field("", Takes.OWNER, VERSION)),
            },
            (),
            _STAMPS,
        ),
        # A version that is only asked to be published.
        Entity(PUBLICATION, _plain("Status")),
    )
}  # fmt: skip


def entity_named(name: str) -> Entity | None:
    """The entity of a name, with or without the platform's prefix, whatever its case."""
    wanted = name.strip().casefold().removeprefix("mj:").strip()
    return next((entity for key, entity in ENTITIES.items() if key.casefold() == wanted), None)


def title(name: str) -> str:
    """The name of an entity as that platform writes it."""
    return f"MJ: {name}"
