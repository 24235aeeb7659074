"""Records in the metadata JSON shape are the documents that YAML would hold, and every mistake has its place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrictui.core.model import (
    Anchor,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.records import Category
from rubrictui.interchange.documents import CategoryFile, Document, Publication, RubricFile, ScaleFile
from rubrictui.interchange.folders import document_files, holds_metadata
from rubrictui.interchange.yaml_reader import Reading, read_files, read_text


def id(number: int) -> str:
    return f"0b0f4a39-4a52-4a83-9a52-{number:012x}"


def key(number: int) -> dict[str, str]:
    return {"ID": id(number).upper()}


SCALES: list[dict[str, Any]] = [
    {
        "fields": {"Name": "Meets / R&D", "ScaleType": "Levels"},
        "primaryKey": key(1),
        "relatedEntities": {
            "MJ: Rubric Scale Levels": [
                {"fields": {"ScaleID": "@parent:ID", "Label": "Meets", "NormalizedValue": 1, "Sequence": 1}, "primaryKey": key(3)},
                {"fields": {"ScaleID": "@parent:ID", "Label": "Miss", "NormalizedValue": 0, "Sequence": 0}, "primaryKey": key(2)},
            ]
        },
    },
    {"fields": {"Name": "Weeks", "ScaleType": "Numeric", "MinValue": 0, "MaxValue": 10}, "primaryKey": key(4)},
]  # fmt: skip
LEAF: dict[str, Any] = {
    "fields": {
        "RubricVersionID": "@parent:RubricVersionID",
        "ParentID": "@parent:ID",
        "Key": "sources",
        "ScaleID": "@lookup:MJ: Rubric Scales.Name=Meets / R&D",
        "IsGate": True,
        "GateMinimumScore": 0.6,
        "EvaluatorConfig": '{"Extensions": {"A": 1}}',
    },
    "primaryKey": key(13),
    "relatedEntities": {
        "MJ: Rubric Criterion Levels": [
            {"fields": {"CriterionID": "@parent:ID", "ScaleLevelID": "@lookup:MJ: Rubric Scale Levels.Label=Meets", "Descriptor": "All."}},
            {"fields": {"CriterionID": id(13), "ScaleLevelID": id(2).upper(), "Descriptor": "@file:texts/none.md", "Sequence": -1}},
        ]
    },
}  # fmt: skip
RUBRIC: dict[str, Any] = {
    "fields": {"Name": "Answer", "CategoryID": "@lookup:MJ: Rubric Categories.Name=Agents"},
    "primaryKey": key(10),
    "relatedEntities": {
        "MJ: Rubric Versions": [
            {
                "fields": {"RubricID": "@parent:ID", "Status": "Draft", "PassThreshold": 0.7},
                "primaryKey": key(11),
                "relatedEntities": {
                    "MJ: Rubric Criteria": [
                        {
                            "fields": {"RubricVersionID": "@parent:ID", "Key": "quality", "NodeType": "Group", "Sequence": 2},
                            "primaryKey": key(12),
                            "relatedEntities": {"MJ: Rubric Criteria": [LEAF]},
                        },
                        {"fields": {"ParentID": None, "Key": "late", "ScaleID": id(4), "Sequence": 1}, "primaryKey": key(14)},
                        {"fields": {"ParentID": id(12), "Key": "flat", "ScaleID": id(4), "Sequence": 9}, "primaryKey": key(15)},
                    ],
                    "MJ: Rubric Bands": [{"fields": {"Label": "All", "MinScore": 0, "MaxScore": 1}, "primaryKey": key(16)}],
                },
            }
        ]
    },
}  # fmt: skip
CATEGORY = {"fields": {"Name": "Agents", "Sequence": 3}, "primaryKey": key(20)}
PUBLICATION = {"fields": {"Status": "Published"}, "primaryKey": key(11)}


def written(folder: Path, **changed: Any) -> list[Path]:
    """The records as that platform lays them out."""
    files = {
        "rubric-categories/.agents.json": CATEGORY,
        "rubric-scales/.scales.json": SCALES,
        "rubrics/.answer.json": RUBRIC,
        "rubric-publications/.published.json": PUBLICATION,
        **changed,
    }
    (folder / "rubrics" / "texts").mkdir(parents=True)
    (folder / "rubrics" / "texts" / "none.md").write_text("Not a thing.\n")
    (folder / ".mj-sync.json").write_text('{"directoryOrder": ["rubric-scales"], "fields": 1}')
    for name, record in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(record if isinstance(record, str) else json.dumps(record, indent=2))
    return document_files(folder)


def test_a_shipped_rubric_is_read_as_it_is(tmp_path: Path) -> None:
    reading = read_files(written(tmp_path))
    assert [str(finding) for finding in reading.findings] == []
    category, publication, meets, weeks, rubric = reading.documents
    assert category == CategoryFile(category=Category(id=id(20), name="Agents", sequence=3))
    assert publication == Publication(rubric="Answer", version_id=id(11))
    assert isinstance(meets, ScaleFile)
    assert isinstance(weeks, ScaleFile)
    assert [level.label for level in meets.scale.levels] == ["Miss", "Meets"]
    assert isinstance(rubric, RubricFile)
    assert (rubric.id, rubric.name, rubric.category) == (id(10), "Answer", "Agents")
    assert rubric.snapshot.nodes == (
        Node(id=id(14), key="late", scale_id=id(4), sequence=1),
        Node(id=id(12), key="quality", node_type=NodeType.GROUP, sequence=2),
        Node(
            id=id(13),
            key="sources",
            parent_id=id(12),
            scale_id=id(1),
            is_gate=True,
            gate_minimum_score=0.6,
            evaluator_config={"Extensions": {"A": 1}},
            anchors=(
                Anchor(scale_level_id=id(2), descriptor="Not a thing.\n"),
                Anchor(scale_level_id=id(3), descriptor="All."),
            ),
        ),
        Node(id=id(15), key="flat", parent_id=id(12), scale_id=id(4), sequence=9),
    )
    assert rubric.snapshot.bands == (Band(id=id(16), label="All"),)


def test_the_settings_of_a_folder_say_what_its_records_are(tmp_path: Path) -> None:
    (tmp_path / ".mj-sync.json").write_text('{"entity": "MJ: Rubric Categories"}')
    path = tmp_path / "x.json"
    path.write_text(json.dumps(CATEGORY))
    assert read_files([path]).documents == (
        CategoryFile(category=Category(id=id(20), name="Agents", sequence=3)),
    )
    (tmp_path / ".mj-sync.json").write_text('{"entity": "MJ: Users"}')
    assert [one.code for one in read_files([path]).findings] == ["unknown_entity"]
    (tmp_path / ".mj-sync.json").write_text("{")
    assert "bad_settings" in [one.code for one in read_files([path]).findings]


def leaf(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """A change of the gate's fields; None takes one away."""

    def change(rubric: dict[str, Any]) -> None:
        target = criteria(rubric)[0]["relatedEntities"]["MJ: Rubric Criteria"][0]["fields"]
        target.update({name: value for name, value in fields.items() if value is not None})
        for name in [name for name, value in fields.items() if value is None]:
            del target[name]

    return change


def version(rubric: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = rubric["relatedEntities"]["MJ: Rubric Versions"][0]
    return found


def criteria(rubric: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = version(rubric)["relatedEntities"]["MJ: Rubric Criteria"]
    return found


def in_version(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda rubric: version(rubric)["fields"].update(fields)


def anchor(**fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(rubric: dict[str, Any]) -> None:
        row = criteria(rubric)[0]["relatedEntities"]["MJ: Rubric Criteria"][0]
        row["relatedEntities"]["MJ: Rubric Criterion Levels"][0]["fields"].update(fields)

    return change


# What is changed in the rubric, the code that is found, and the text its place begins with.
MISTAKES: list[tuple[str, Callable[[dict[str, Any]], Any], str, str]] = [
    ("an unknown field", leaf(Wieght=2), "unknown_field", '"Wieght"'),
    ("a field of YAML", leaf(weight=2), "unknown_field", '"weight"'),
    ("an unknown part", lambda r: r.update(record=1), "unknown_field", '"record"'),
    ("the platform's own notes", lambda r: r.update(sync={}), "computed_field", '"sync"'),
    ("a number of a version", in_version(MajorVersion=1), "computed_field", '"MajorVersion"'),
    ("a hash", in_version(ContentHash="x"), "computed_field", '"ContentHash"'),
    ("a published status", in_version(Status="Published"), "computed_field", '"Published"'),
    ("a wrong type", leaf(Weight="2"), "wrong_type", '"2"'),
    ("a truth in quotes", leaf(IsGate="true"), "wrong_type", '"true"'),
    ("a share above 1", in_version(PassThreshold=70), "out_of_range", "70"),
    ("an unknown word", leaf(RollupMethod="Average"), "unknown_word", '"Average"'),
    ("an unknown entity", lambda r: r["relatedEntities"].update({"MJ: Users": []}), "unknown_entity", '"MJ: Users"'),
    ("a scale by a name that does not exist", leaf(ScaleID="@lookup:MJ: Rubric Scales.Name=Mets"), "unknown_scale", '"@lookup:MJ: Rubric Scales.Name=Mets"'),
    ("a scale by an id that does not exist", leaf(ScaleID=id(99)), "unknown_scale", f'"{id(99)}"'),
    ("a lookup in another entity", leaf(ScaleID="@lookup:MJ: Rubrics.Name=x"), "unknown_entity", '"@lookup:MJ: Rubrics'),
    ("a lookup by another field", leaf(ScaleID="@lookup:MJ: Rubric Scales.Kind=x"), "bad_reference", '"@lookup:MJ: Rubric Scales.Kind'),
    ("a lookup that is none", leaf(ScaleID="@lookup:Scales"), "bad_reference", '"@lookup:Scales"'),
    ("a category that does not exist", lambda r: r["fields"].update(CategoryID="@lookup:MJ: Rubric Categories.Name=No"), "unknown_category", '"@lookup:MJ: Rubric Categories.Name=No"'),
    ("a category id that does not exist", lambda r: r["fields"].update(CategoryID=id(98)), "unknown_category", f'"{id(98)}"'),
    ("a level that the scale lacks", anchor(ScaleLevelID="@lookup:MJ: Rubric Scale Levels.Label=Half"), "unknown_level", '"@lookup:MJ: Rubric Scale Levels.Label=Half"'),
    ("a level id that the scale lacks", anchor(ScaleLevelID=id(97)), "unknown_level", f'"{id(97)}"'),
    ("an owner that is another", leaf(RubricVersionID=id(96)), "unknown_reference", f'"{id(96)}"'),
    ("a parent that is another", leaf(ParentID=id(95)), "unknown_reference", f'"{id(95)}"'),
    ("a parent that is not there", lambda r: criteria(r)[2]["fields"].update(ParentID=id(94)), "unknown_reference", f'"{id(94)}"'),
    ("parents in a circle", lambda r: criteria(r)[1]["fields"].update(ParentID=id(14)), "cycle", f'"{id(14)}"'),
    ("a criterion under a criterion", lambda r: criteria(r)[0]["fields"].update(NodeType="Criterion", ScaleID=id(4)), "criterion_with_children", "["),
    ("two versions", lambda r: r["relatedEntities"]["MJ: Rubric Versions"].append(copy.deepcopy(version(r))), "too_many_versions", "{"),
    ("no version", lambda r: r.pop("relatedEntities"), "missing_field", "{"),
    ("no id", lambda r: version(r).pop("primaryKey"), "missing_field", "{"),
    ("an id of another shape", lambda r: version(r).update(primaryKey=id(1)), "wrong_type", f'"{id(1)}"'),
    ("no fields", lambda r: criteria(r)[1].pop("fields"), "missing_field", "{"),
    ("an environment variable", in_version(Instructions="@env:HOME"), "bad_reference", '"@env:HOME"'),
    ("a lookup for a text", in_version(Instructions="@lookup:A.B=C"), "bad_reference", '"@lookup:A.B=C"'),
    ("a file outside", in_version(Instructions="@file:../../secret.md"), "outside", '"@file:../../secret.md"'),
    ("a file at the root", in_version(Instructions="@file:/etc/passwd"), "outside", '"@file:/etc/passwd"'),
    ("a file that is not there", in_version(Instructions="@file:gone.md"), "missing_file", '"@file:gone.md"'),
    ("settings that are no JSON", leaf(EvaluatorConfig="{a: 1}"), "syntax", '"{a: 1}"'),
    ("settings that are a number", leaf(EvaluatorConfig=1), "wrong_type", "1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "code", "begins"), [case[1:] for case in MISTAKES], ids=[c[0] for c in MISTAKES]
)
def test_a_mistake_in_a_record_is_told_where_it_stands(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], code: str, begins: str
) -> None:
    rubric = copy.deepcopy(RUBRIC)
    change(rubric)
    reading = read_files(written(tmp_path, **{"rubrics/.answer.json": rubric}))
    mine = [one for one in reading.findings if one.file.endswith(".answer.json")]
    assert code in [one.code for one in mine]
    found = next(one for one in mine if one.code == code)
    line = (tmp_path / "rubrics" / ".answer.json").read_text().splitlines()[found.line - 1]
    assert line[found.column - 1 :].startswith(begins)
    assert not reading.is_valid


def test_every_mistake_of_every_file_is_told_in_one_run(tmp_path: Path) -> None:
    rubric = copy.deepcopy(RUBRIC)
    leaf(Wieght=2, ScaleID="@lookup:MJ: Rubric Scales.Name=Mets")(rubric)
    scales = copy.deepcopy(SCALES)
    scales[1]["fields"]["MinValue"] = 20
    files = written(
        tmp_path,
        **{
            "rubrics/.answer.json": rubric,
            "rubric-scales/.scales.json": scales,
            "rubric-categories/.agents.json": '{"fields": {"Name": "Agents",}}',
            "rubric-publications/.published.json": {**PUBLICATION, "fields": {"Status": "Draft"}},
        },
    )
    found = {(Path(one.file).name, one.code) for one in read_files(files).findings}
    assert found >= {
        (".agents.json", "syntax"),
        (".published.json", "unknown_word"),
        (".scales.json", "out_of_range"),
        (".answer.json", "unknown_field"),
        (".answer.json", "unknown_scale"),
    }


def test_a_category_may_be_made_by_the_lookup(tmp_path: Path) -> None:
    rubric = copy.deepcopy(RUBRIC)
    rubric["fields"]["CategoryID"] = "@lookup:MJ: Rubric Categories.Name=Fresh?create"
    reading = read_files(written(tmp_path, **{"rubrics/.answer.json": rubric}))
    assert reading.is_valid
    assert [d.category for d in reading.documents if isinstance(d, RubricFile)] == ["Fresh"]


def test_a_folder_gives_records_and_leaves_other_json_alone(tmp_path: Path) -> None:
    files = written(tmp_path)
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.yaml").write_text("kind: scale")
    assert document_files(tmp_path) == files
    assert len(files) == 4
    (tmp_path / "deal" / "texts").mkdir(parents=True)
    for name in ("matter.yaml", "rubric.yaml", "texts/facts.yaml"):
        (tmp_path / "deal" / name).write_text("id: deal")
    assert document_files(tmp_path) == files
    assert holds_metadata(b'[{"fields": {"Name": "x",}}]')
    assert not holds_metadata(b'{"nodes": [{"id": "fields"}]}')


# What YAML can say of a rubric, records can say too.

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12).filter(
    lambda text: not text.startswith("@") and text.strip() == text
)
shares = st.floats(0, 1).map(lambda value: value + 0.0)
optional = st.one_of(st.none(), texts)


@st.composite
def rubrics(draw: st.DrawFn) -> tuple[Scale, RubricFile]:
    labels = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    levels = tuple(
        Level(
            id=id(100 + i), label=label, normalized_value=draw(shares), sequence=i, description=draw(optional)
        )
        for i, label in enumerate(labels)
    )
    scale = Scale(id=id(99), name=draw(texts), levels=levels, scale_type=ScaleType.LEVELS)
    nodes: list[Node] = []
    groups: list[str | None] = [None]
    counts: dict[str | None, int] = {}
    for i in range(draw(st.integers(0, 7))):
        parent = draw(st.sampled_from(groups))
        is_group = draw(st.booleans())
        anchored = draw(st.sets(st.sampled_from(levels).map(lambda level: level.id)))
        node = Node(
            id=id(200 + i),
            key=f"k{i}",
            parent_id=parent,
            name=draw(st.one_of(st.just(""), texts)),
            description=draw(optional),
            guidance=draw(optional),
            node_type=NodeType.GROUP if is_group else NodeType.CRITERION,
            scale_id=None if is_group else scale.id,
            weight=draw(st.floats(0, 1e6)),
            is_advisory=draw(st.booleans()),
            is_gate=draw(st.booleans()),
            gate_minimum_score=draw(st.one_of(st.none(), shares)),
            not_applicable_policy=draw(st.one_of(st.none(), st.sampled_from(NotApplicablePolicy))),
            rollup_method=draw(st.one_of(st.none(), st.sampled_from(RollupMethod))),
            evidence_required=draw(st.booleans()),
            rationale_required=draw(st.booleans()),
            sequence=counts.get(parent, 0),
            evaluator_config=draw(
                st.one_of(st.none(), st.dictionaries(texts, st.lists(texts, max_size=2), max_size=2))
            ),
            anchors=()
            if is_group
            else tuple(Anchor(scale_level_id=a, descriptor=draw(texts)) for a in sorted(anchored)),
        )
        counts[parent] = counts.get(parent, 0) + 1
        nodes.append(node)
        if is_group:
            groups.append(node.id)
    by_parent: dict[str | None, list[Node]] = {}
    for node in nodes:
        by_parent.setdefault(node.parent_id, []).append(node)

    def walk(parent: str | None) -> list[Node]:
        return [one for node in by_parent.get(parent, ()) for one in (node, *walk(node.id))]

    used = (scale,) if any(node.scale_id for node in nodes) else ()
    name = draw(texts)
    snapshot = VersionSnapshot(
        id=id(98),
        rubric_id=id(97),
        rubric_name=name,
        instructions=draw(optional),
        pass_threshold=draw(st.one_of(st.none(), shares)),
        nodes=tuple(walk(None)),
        scales=used,
    )
    return scale, RubricFile(id=id(97), name=name, description=draw(optional), snapshot=snapshot)


def pascal(fields: dict[str, Any]) -> dict[str, Any]:
    return {"".join(w.capitalize() for w in name.split("_")): value for name, value in fields.items()}


def records(scale: Scale, rubric: RubricFile, *, flat: bool) -> list[Any]:
    """The scale and the rubric as records, criteria nested or in one list."""
    level_rows = [
        {"fields": pascal({"label": level.label, "normalized_value": level.normalized_value, "description": level.description, "sequence": level.sequence}), "primaryKey": {"ID": level.id}}
        for level in scale.levels
    ]  # fmt: skip
    scale_record = {
        "fields": {"Name": scale.name, "ScaleType": "Levels"},
        "primaryKey": {"ID": scale.id},
        "relatedEntities": {"MJ: Rubric Scale Levels": level_rows},
    }
    plain = ("key", "name", "description", "guidance", "node_type", "weight", "is_advisory", "is_gate", "gate_minimum_score", "not_applicable_policy", "rollup_method", "evidence_required", "rationale_required", "sequence", "evaluator_config")  # fmt: skip

    def criterion(node: Node) -> dict[str, Any]:
        fields = pascal({name: getattr(node, name) for name in plain})
        if node.scale_id:
            fields["ScaleID"] = f"@lookup:MJ: Rubric Scales.Name={scale.name}"
        if flat and node.parent_id:
            fields["ParentID"] = node.parent_id
        rows = [
            {"fields": {"ScaleLevelID": anchor.scale_level_id, "Descriptor": anchor.descriptor}}
            for anchor in node.anchors
        ]
        related: dict[str, Any] = {"MJ: Rubric Criterion Levels": rows}
        if not flat:
            related["MJ: Rubric Criteria"] = [
                criterion(child) for child in rubric.snapshot.nodes if child.parent_id == node.id
            ]
        return {"fields": fields, "primaryKey": {"ID": node.id}, "relatedEntities": related}

    listed = [criterion(node) for node in rubric.snapshot.nodes if flat or node.parent_id is None]
    snapshot = rubric.snapshot
    version_record = {
        "fields": {"PassThreshold": snapshot.pass_threshold, "Instructions": snapshot.instructions},
        "primaryKey": {"ID": snapshot.id},
        "relatedEntities": {"MJ: Rubric Criteria": listed},
    }
    rubric_record = {
        "fields": {"Name": rubric.name, "Description": rubric.description},
        "primaryKey": {"ID": rubric.id},
        "relatedEntities": {"MJ: Rubric Versions": [version_record]},
    }
    return [scale_record, rubric_record]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=rubrics(), flat=st.booleans())
def test_any_rubric_survives_as_records(made: tuple[Scale, RubricFile], flat: bool) -> None:
    text = json.dumps(records(*made, flat=flat))
    reading: Reading = read_text(text, file="x.json")
    assert [str(finding) for finding in reading.findings] == []
    expected: tuple[Document, ...] = (ScaleFile(scale=made[0]), made[1])
    assert reading.documents == expected
