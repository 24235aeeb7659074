"""Every mistake in a file is one line that names the place, the mistake and the remedy, all in one run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Level, Node, Scale, VersionSnapshot
from rubrictui.ground import yaml_nodes
from rubrictui.ground.findings import Findings
from rubrictui.interchange.documents import (
    AnswerEntry,
    RubricFile,
    ScaleFile,
    SubjectsFile,
    answers_for,
    split_reference,
)
from rubrictui.interchange.yaml_reader import read_files, read_text

SCALE = """\
kind: scale
format: 1
id: s1
name: Meets
levels:
  - {id: l0, label: Miss, normalized_value: 0}
  - {id: l1, label: Meets, normalized_value: 1}
"""

RUBRIC = (
    SCALE
    + """\
---
kind: rubric
format: 1
id: r1
name: Vendor
version:
  id: v1
  criteria:
    - id: c1
      key: price
      scale: Meets
      weight: 2
"""
)


def found(text: str) -> list[tuple[int, int, str]]:
    """(line, column, code) of every error and warning."""
    return [(one.line, one.column, one.code) for one in read_text(text, file="f.yaml").findings]


# Each case: what is replaced in the rubric, by what, and the code that must be reported at the ^.
REFUSED = [
    ("a key given twice", "weight: 2", "weight: 2\n      ^weight: 3", "duplicate_key"),
    ("an unknown field", "weight: 2", "^wieght: 2", "unknown_field"),
    ("a computed field", "  id: v1", "  id: v1\n  ^content_hash: abc", "computed_field"),
    ("a computed number", "  id: v1", "  id: v1\n  ^major_version: 1", "computed_field"),
    ("a published status", "  id: v1", "  id: v1\n  status: ^Published", "computed_field"),
    ("a missing field", "id: c1\n      key: price\n", "^id: c1\n", "missing_field"),
    ("a weight below zero", "weight: 2", "weight: ^-1", "out_of_range"),
    ("a weight that is no number", "weight: 2", "weight: ^heavy", "wrong_type"),
    ("a weight in quotes", "weight: 2", 'weight: ^"2"', "wrong_type"),
    ("an octal-looking weight", "weight: 2", "weight: ^010", "wrong_type"),
    ("a list for a number", "weight: 2", "weight: ^[2]", "wrong_type"),
    ("NaN", "weight: 2", "weight: ^.nan", "not_finite"),
    ("Infinity", "weight: 2", "weight: ^-.inf", "not_finite"),
    ("a number beyond all numbers", "weight: 2", "weight: ^1e999", "not_finite"),
    ("NaN where no type is declared", "weight: 2", "evaluator_config: {a: [^.NaN]}", "not_finite"),
    ("a truth that is a word", "weight: 2", "is_gate: ^yes", "wrong_type"),
    ("a mapping where text belongs", "weight: 2", "name: ^{a: b}", "wrong_type"),
    ("an unknown enum word", "weight: 2", "not_applicable_policy: ^Ignore", "unknown_word"),
    ("an enum word in the wrong case", "weight: 2", "rollup_method: ^minimum", "unknown_word"),
    ("an unknown scale", "scale: Meets", "scale: ^Mets", "unknown_scale"),
    ("an unknown scale id", "scale: Meets", "scale_id: ^s9", "unknown_scale"),
    ("two names for a scale", "weight: 2", "scale_id: ^s1", "conflict"),
    ("an unknown level in an anchor", "weight: 2", "anchors: {^Half: x}", "unknown_level"),
    ("an unknown level in a list", "weight: 2", "anchors: [{level: ^Half}]", "unknown_level"),
    ("two anchors of one level", "weight: 2", "anchors: [{level: Miss}, {level: ^Miss}]", "duplicate_label"),
    ("anchors without a scale", "scale: Meets", "anchors: ^{Meets: x}", "no_scale"),
    (
        "a Criterion with children",
        "weight: 2",
        "node_type: Criterion\n      children: ^[{id: c2, key: b}]",
        "criterion_with_children",
    ),
    (
        "a key used twice",
        "weight: 2",
        "weight: 2\n    - {id: c2, key: ^price, scale: Meets}",
        "duplicate_criterion",
    ),
    ("an id used twice", "weight: 2", "weight: 2\n    - {id: ^c1, key: b, scale: Meets}", "duplicate_id"),
    ("a gate minimum above 1", "weight: 2", "gate_minimum_score: ^60", "out_of_range"),
    ("a normalized value above 1", "normalized_value: 1", "normalized_value: ^1.5", "out_of_range"),
    ("a label given twice", "label: Meets", "label: ^Miss", "duplicate_label"),
    ("a scale without levels", "kind: scale", "^kind: scale\nid: x\nname: x\n---\nkind: scale", "no_levels"),
    (
        "a numeric scale without an end",
        "kind: scale",
        "^kind: scale\nid: x\nname: x\nscale_type: Numeric\nmin_value: 1\n---\nkind: scale",
        "missing_field",
    ),
    (
        "a numeric scale upside down",
        "kind: scale",
        "kind: scale\nid: x\nname: x\nscale_type: Numeric\nmin_value: 1\nmax_value: ^1\n---\nkind: scale",
        "out_of_range",
    ),
    (
        "a step of nothing",
        "kind: scale",
        "kind: scale\nid: x\nname: x\nscale_type: Numeric\nstep: ^0\n---\nkind: scale",
        "out_of_range",
    ),
    ("an empty name", "name: Vendor", 'name: ^""', "out_of_range"),
    ("a key that is too long", "key: price", "key: ^" + "k" * 101, "out_of_range"),
    ("no name at all", "name: Vendor", "name:^", "wrong_type"),
    ("a newer format", "format: 1\nid: r1", "format: ^2\nid: r1", "format"),
    ("an unknown kind", "kind: rubric", "kind: ^rubrik", "unknown_kind"),
    ("no kind", "kind: rubric\nformat", "^format", "missing_field"),
    ("a document that is a list", "kind: rubric", "^- x\n---\nkind: rubric", "wrong_type"),
    ("a tag", "weight: 2", "weight: ^!!float 2", "tag"),
    ("a Python tag", "weight: 2", "name: ^!!python/object/apply:os.system [id]", "tag"),
    ("a merge key", "weight: 2", "^<<: {weight: 2}", "merge_key"),
    ("a cycle", "weight: 2", "evaluator_config: &a {b: ^*a}", "cycle"),
    ("an alias to nothing", "weight: 2", "name: ^*gone", "syntax"),
    ("a tab", "      weight: 2", "^\tweight: 2", "syntax"),
    ("a colon too many", "name: Vendor", "name: Vendor^: x", "syntax"),
    ("a control character", "name: Vendor", "name: Ven^\x1bdor", "control_character"),
    ("a key that is a list", "weight: 2", "? ^[a]\n      : b", "wrong_type"),
    (
        "a band upside down",
        "  criteria:",
        "  bands: [{id: b1, label: A, min_score: 0.8, max_score: ^0.2}]\n  criteria:",
        "out_of_range",
    ),
]


@pytest.mark.parametrize(("old", "new", "code"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_mistake_is_reported_where_it_stands(old: str, new: str, code: str) -> None:
    assert RUBRIC.count(old) == 1
    marked = RUBRIC.replace(old, new)
    before = marked[: marked.index("^")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (line, column, code) in found(marked.replace("^", ""))
    assert not read_text(marked.replace("^", "")).is_valid


def test_the_files_these_cases_are_made_from_are_right() -> None:
    reading = read_text(RUBRIC)
    assert reading.findings == ()
    assert [type(document) for document in reading.documents] == [ScaleFile, RubricFile]


def test_every_mistake_of_a_file_is_reported_in_one_run_in_the_order_of_its_lines() -> None:
    text = (
        RUBRIC.replace("weight: 2", "weight: -2\n      is_gate: 1\n      extra: x")
        .replace("label: Miss", "lable: Miss")
        .replace("name: Vendor", "name: Vendor\ncategory: [a]")
    )
    lines = [str(finding) for finding in read_text(text, file="f.yaml").findings]
    assert [line.split(": ")[0] for line in lines] == [
        "f.yaml:6:5",
        "f.yaml:6:14",
        "f.yaml:13:11",
        "f.yaml:20:15",
        "f.yaml:21:16",
        "f.yaml:22:7",
    ]
    assert lines[1] == 'f.yaml:6:14: error: there is no field "lable". Did you mean "label"?'
    assert all("\n" not in line for line in lines)


def test_one_mistake_does_not_hide_another_and_is_not_told_twice() -> None:
    text = RUBRIC.replace("weight: 2", "weight: -2\n      anchors: {Half: x}\n      rollup_method: x")
    assert [code for _, _, code in found(text)] == ["out_of_range", "unknown_level", "unknown_word"]
    # A level that cannot be read is no reason to call its anchors unknown, nor a broken scale unknown.
    text = RUBRIC.replace("normalized_value: 1", "normalized_value: 3").replace(
        "weight: 2", "anchors: {Meets: x}"
    )
    assert [code for _, _, code in found(text)] == ["out_of_range"]
    assert [code for _, _, code in found(RUBRIC.replace("id: s1", "id: []"))] == ["wrong_type"]


def test_a_document_with_an_error_is_not_given() -> None:
    reading = read_text(RUBRIC.replace("weight: 2", "weight: 2\n      weight: 3"))
    assert [type(document) for document in reading.documents] == [ScaleFile]


def test_an_unknown_word_is_answered_with_the_words_there_are() -> None:
    text = RUBRIC.replace("weight: 2", "rollup_method: Average")
    assert "it must be WeightedMean, Minimum or Maximum." in str(read_text(text).findings[0])


def test_documents_before_a_syntax_error_are_still_read_and_checked() -> None:
    reading = read_text(SCALE.replace("value: 1}", "value: 7}") + "---\nkind: rubric\nid: [\n")
    assert [finding.code for finding in reading.findings] == ["out_of_range", "syntax"]


def test_text_fields_keep_the_text_as_written() -> None:
    text = SCALE.replace("label: Miss", "label: No").replace("label: Meets", "label: 1.0")
    scale = read_text(text.replace("name: Meets", "name: 2027-01-01")).documents[0]
    assert isinstance(scale, ScaleFile)
    assert [level.label for level in scale.scale.levels] == ["No", "1.0"]
    assert scale.scale.name == "2027-01-01"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e3", 1000.0),
        ("1.5E-2", 0.015),
        ("+.5", 0.5),
        ("-0", 0),
        ("yes", "yes"),
        ("on", "on"),
        ("2027-01-01", "2027-01-01"),
        ("12:30:45", "12:30:45"),
        ("0o17", "0o17"),
        ("010", "010"),
        ("1_000", "1_000"),
        ("'1'", "1"),
        ("True", True),
        ("~", None),
        ("", None),
        ("[a, 1]", ["a", 1]),
    ],
)
def test_where_no_type_is_declared_plain_words_follow_yaml_1_2(written: str, value: object) -> None:
    text = f"kind: subjects\nsubjects:\n  - id: s\n    record_id: 1\n    data: {{v: {written}}}\n"
    document = read_text(text).documents[0]
    assert isinstance(document, SubjectsFile)
    assert document.subjects[0].data == {"v": value}
    assert document.subjects[0].record_id == "1"


# Limits.


def test_nesting_beyond_the_limit_is_refused_at_its_place() -> None:
    text = (
        "kind: subjects\nsubjects:\n  - id: s\n    record_id: r\n    data: {v: "
        + "[" * 200
        + "]" * 200
        + "}\n"
    )
    assert found(text) == [(5, 111, "too_deep")]


def test_nesting_as_deep_as_the_limit_allows_is_read() -> None:
    depth = yaml_nodes.MAX_DEPTH - 4
    text = f"kind: subjects\nsubjects:\n  - id: s\n    record_id: r\n    data: {{v: {'[' * depth}{']' * depth}}}\n"
    assert found(text) == []


def test_a_billion_laughs_is_refused_before_it_is_built() -> None:
    lines = ["a0: &a0 lollollollollollol"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert [code for _, _, code in found("\n".join(lines))] == ["missing_field", "too_many_aliases"]


def test_refusals_for_size_say_what_to_do() -> None:
    bomb = ["a0: &a0 lol"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert read_text("\n".join(bomb)).findings[1].message.endswith("Write the values out.")
    deep = "name: " + "[" * 5000 + "]" * 5000
    assert "nested" in read_text(deep).findings[0].message
    assert "flow level" not in read_text(deep).findings[0].message


def test_more_aliases_than_the_limit_are_refused() -> None:
    text = "a: &a x\nb: [" + ", ".join(["*a"] * (yaml_nodes.MAX_ALIASES + 1)) + "]\n"
    assert [code for _, _, code in found(text)] == ["missing_field", "too_many_aliases"]


def test_an_alias_stands_for_what_it_repeats() -> None:
    text = RUBRIC.replace("weight: 2", "name: &n Price\n      description: *n")
    document = read_text(text).documents[1]
    assert isinstance(document, RubricFile)
    assert document.snapshot.nodes[0].description == "Price"


def test_more_values_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_nodes, "MAX_NODES", 10)
    assert found(RUBRIC)[0][2] == "too_large"


def test_a_file_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(yaml_nodes.MAX_BYTES + 1)
    (finding,) = read_files([path]).findings
    assert "at most 64 MB are read" in finding.message


def test_a_thousand_findings_are_enough() -> None:
    findings = read_text("kind: subjects\nsubjects: [" + "{a: 1}, " * 2000 + "]\n").findings
    assert len(findings) == 1001
    assert [one.code for one in findings].count("too_many") == 1


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"kind: scale\nname: caf\xe9\n", (2, 10, "encoding")),
        ("kind: scale\n".encode("utf-16"), (1, 1, "encoding")),
        (b"", (1, 1, "empty")),
        (b"---\n---\n", (1, 1, "empty")),
    ],
)
def test_bytes_that_are_no_document_are_refused(
    tmp_path: Path, data: bytes, place: tuple[int, int, str]
) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    assert [(one.line, one.column, one.code) for one in read_files([path]).findings] == [place]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SCALE.encode())
    assert read_files([path]).is_valid


@pytest.mark.parametrize("name", ["gone.yaml", "."])
def test_a_file_that_is_not_there_is_a_finding_too(tmp_path: Path, name: str) -> None:
    (finding,) = read_files([tmp_path / name]).findings
    assert finding.code == "missing_file"


def test_the_parser_written_in_python_reports_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = RUBRIC.replace("weight: 2", "weight: -2\n      extra: &x {a: *x}")
    fast = found(broken)
    monkeypatch.setattr(yaml, "CSafeLoader", yaml.SafeLoader)
    assert found(broken) == fast
    assert found(RUBRIC) == []


# Several files at once.


def test_files_name_what_other_files_define_in_any_order(tmp_path: Path) -> None:
    rubric = tmp_path / "rubric.yaml"
    scale = tmp_path / "scale.yaml"
    rubric.write_text(RUBRIC.split("---\n")[1])
    scale.write_text(SCALE)
    reading = read_files([rubric, scale])
    assert reading.findings == ()
    assert [Path(entry.file).name for entry in reading.entries] == ["rubric.yaml", "scale.yaml"]
    assert [finding.code for finding in read_files([rubric]).findings] == ["unknown_scale"]


def test_a_scale_of_the_store_is_found_by_the_lookup_given() -> None:
    scale = read_text(SCALE).documents[0]
    assert isinstance(scale, ScaleFile)
    reading = read_text(RUBRIC.split("---\n")[1], scales={"Meets": scale.scale}.get)
    assert reading.findings == ()
    assert isinstance(reading.documents[0], RubricFile)
    assert reading.documents[0].snapshot.scales == (scale.scale,)


@pytest.mark.parametrize(
    ("kind", "copy"), [("scale", SCALE.replace("id: s1", "id: s2").replace("id: l", "id: m")), ("rubric", "")]
)
def test_two_things_of_one_name_are_refused(kind: str, copy: str) -> None:
    if not copy:
        copy = RUBRIC.split("---\n")[1].replace("name: Vendor", "name: VENDOR")
        copy = copy.replace("id: r1", "id: r2").replace("id: v1", "id: v2").replace("id: c1", "id: c2")
    (finding,) = read_text(RUBRIC + "---\n" + copy).findings
    assert finding.code == "duplicate_name"
    assert kind in finding.message


SUBJECTS = """\
kind: subjects
users: [{id: u1, name: ann, roles: [reviewer]}]
contexts: [{id: x1, record_id: spring, rubric: Vendor}]
subjects: [{id: s1, entity: Bid, record_id: north, text: Hello}]
assignments: [{id: a1, subject: Bid/north, context: Round/spring, rubric: Vendor, user: "@me"}]
evaluations:
  - id: e1
    subject: Bid/north
    context: Round/spring
    rubric: Vendor
    user: ann
    answers: [{criterion: price, level: Meets}]
"""


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("level: Meets", "level: Meet", "unknown_level"),
        ("criterion: price", "criterion: prize", "unknown_criterion"),
        ("level: Meets", "level: Meets, value: 1", "conflict"),
        (
            "[{criterion: price, level: Meets}]",
            "[{criterion: price}, {criterion: price}]",
            "duplicate_record",
        ),
        ("    user: ann", "    user: ann\n    status: Withdrawn", "missing_field"),
        ("    user: ann", "    user: ann\n    outcome: Passed", "computed_field"),
        ("    user: ann", "    user: ann\n    status: Superseded", "unknown_word"),
        ("subject: Bid/north\n", "subject: north\n", "wrong_type"),
        ("roles: [reviewer]", "roles: [boss]", "unknown_word"),
        ("rubric: Vendor}]\nsub", "rubric: Vendor, due_at: 2027-03-01T17:00:00}]\nsub", "wrong_type"),
        ("rubric: Vendor}]\nsub", "rubric: Vendor, due_zone: Moon/Base}]\nsub", "unknown_word"),
        ("rubric: Vendor}]\nsub", "rubric: Vendor, due_at: soon}]\nsub", "wrong_type"),
        ("text: Hello", "text: Hello, text_file: a.md", "conflict"),
        ("text: Hello", "text_file: gone.md", "missing_file"),
        ("text: Hello", "text_file: ../secret.md", "missing_file"),
        ("text: Hello", "text_file: /etc/hostname", "missing_file"),
        ("text: Hello", "files: [{name: a}]", "conflict"),
        ("text: Hello", "text_file: binary.md", "encoding"),
    ],
)
def test_a_subjects_file_is_checked_against_the_rubrics_beside_it(
    tmp_path: Path, old: str, new: str, code: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("no")
    (folder / "binary.md").write_bytes(b"\xff\xfe")
    assert SUBJECTS.count(old) >= 1
    both = RUBRIC + "---\n" + SUBJECTS
    assert read_text(both, folder=folder).findings == ()
    codes = [one.code for one in read_text(both.replace(old, new), folder=folder).findings]
    assert code in codes


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("no")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    text = SUBJECTS.replace("text: Hello", "text_file: link.md")
    assert "missing_file" in [one.code for one in read_text(text, folder=folder).findings]


def test_a_due_time_in_a_zone_is_kept_in_utc() -> None:
    text = SUBJECTS.replace(
        "rubric: Vendor}]\nsub", "rubric: Vendor, due_at: 2027-03-01T17:00:00, due_zone: Europe/Zurich}]\nsub"
    )
    document = read_text(RUBRIC + "---\n" + text).documents[-1]
    assert isinstance(document, SubjectsFile)
    assert str(document.contexts[0].context.due_at) == "2027-03-01 16:00:00+00:00"


def test_what_only_the_store_can_know_is_a_warning_until_the_store_is_asked() -> None:
    findings = read_text(SUBJECTS.replace("user: ann", "user: bob")).findings
    assert {one.severity for one in findings} == {"warning"}
    assert {one.code for one in findings} == {"unknown_rubric", "unknown_user"}
    asked = read_text(SUBJECTS, versions=lambda name: None)
    assert not asked.is_valid


def test_a_publication_of_another_version_than_the_one_beside_it_is_refused() -> None:
    text = RUBRIC + "---\nkind: publication\nrubric: Vendor\nversion_id: v2\n"
    assert found(text) == [(23, 13, "unknown_version")]


# The helpers that loaders use.


def test_answers_are_settled_by_key_and_label_against_a_version() -> None:
    *_, rubric, subjects = read_text(RUBRIC + "---\n" + SUBJECTS).documents
    assert isinstance(rubric, RubricFile)
    assert isinstance(subjects, SubjectsFile)
    (answer,) = answers_for(subjects.evaluations[0].answers, rubric.snapshot)
    assert (answer.criterion_id, answer.scale_level_id) == ("c1", "l1")


def test_a_key_or_label_the_version_does_not_have_is_named() -> None:
    rubric = read_text(RUBRIC).documents[1]
    assert isinstance(rubric, RubricFile)
    other = read_text(SUBJECTS.replace("level: Meets", "level: Half")).documents[0]
    assert isinstance(other, SubjectsFile)
    with pytest.raises(InvalidInputError, match=r'no level "Half"\. Its levels are Miss, Meets'):
        answers_for(other.evaluations[0].answers, rubric.snapshot)
    other = read_text(SUBJECTS.replace("criterion: price", "criterion: cost")).documents[0]
    assert isinstance(other, SubjectsFile)
    with pytest.raises(InvalidInputError, match=r'no criterion "cost"\. Its criteria are price'):
        answers_for(other.evaluations[0].answers, rubric.snapshot)


def test_a_reference_is_an_entity_and_a_record() -> None:
    assert split_reference("Bid/north/2") == ("Bid", "north/2")
    for wrong in ("north", "/north", "Bid/", " / "):
        with pytest.raises(InvalidInputError):
            split_reference(wrong)


@pytest.mark.parametrize("name", ['"a\\nb"', '"a\\e[31mb"', '"a\\0b"', '"  "'])
def test_a_name_that_no_store_takes_is_found_where_it_stands(name: str) -> None:
    assert (12, 7, "bad_name") in found(RUBRIC.replace("name: Vendor", f"name: {name}"))


def test_a_path_that_no_system_takes_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in ("a\\0b", "loop/x", "x" * 5000):
        (tmp_path / "s.yaml").write_text(
            f'kind: subjects\nsubjects:\n  - {{id: s, record_id: r, text_file: "{path}"}}\n'
        )
        (finding,) = read_files([tmp_path / "s.yaml"]).findings
        assert (finding.line, finding.code) == (3, "missing_file")


def test_a_wrong_key_or_label_is_told_in_one_line_of_bounded_length() -> None:
    nodes = tuple(Node(id=f"n{i}", key=f"k{i}", scale_id="s") for i in range(1000))
    levels = tuple(Level(id=f"l{i}", label=f"L{i}" * 50, normalized_value=0) for i in range(1000))
    version = VersionSnapshot(rubric_name="R", nodes=nodes, scales=(Scale(id="s", levels=levels),))
    for entry in (AnswerEntry(criterion="x" * 10_000), AnswerEntry(criterion="k1", level="y" * 10_000)):
        with pytest.raises(InvalidInputError, match="and 988 more") as refused:
            answers_for((entry,), version)
        assert len(str(refused.value)) < 1500


def test_the_name_of_a_scale_holds_no_control_character_either() -> None:
    assert (4, 7, "bad_name") in found(SCALE.replace("name: Meets", r'name: "Me\e[31mets"'))


def test_a_tab_hides_no_other_mistake() -> None:
    text = SCALE.replace("name: Meets", "name: Meets\nfoo: 1").replace("  - {id: l1", "\t- {id: l1, bar: 2")
    text += RUBRIC[len(SCALE) :].replace("name: Vendor", "name: Vendor\nbaz: 3")
    told = [str(finding) for finding in read_text(text, file="f.yaml").findings]
    assert len(told) == 4, told
    for line in (
        'f.yaml:5:1: error: there is no field "foo"',
        "f.yaml:8:1: error: a tab is used for indentation",
        'f.yaml:8:14: error: there is no field "bar"',
        'error: there is no field "baz"',
    ):
        assert any(line in each for each in told), (line, told)


def test_a_tab_that_cannot_be_read_as_blanks_is_told_once() -> None:
    for text in ("kind: scale\n\t\t}\n", "kind:\t- a\n", "\tkind: scale\n"):
        findings = read_text(text, file="f.yaml").findings
        assert sum("a tab is used" in finding.message for finding in findings) <= 1
        assert findings


def test_an_alias_bomb_and_a_syntax_error_hide_nothing_either() -> None:
    bomb = ["foo: &a0 [lol]"] + [f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    text = "\n".join(
        [SCALE.rstrip(), *bomb, "bar: 1", "---", "kind: scale", "name: [", "---", "kind: scale", "baz: 1"]
    )
    told = [str(finding) for finding in read_text(text, file="f.yaml").findings]
    for words in (
        'no field "foo"',
        'no field "bar"',
        "beyond all measure",
        "this is not YAML",
        'no field "baz"',
    ):
        assert sum(words in each for each in told) == 1, (words, told)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("a:\n\t- b: 1\n\t  c: 2\n", "a:\n  - b: 1\n    c: 2\n"),
        ("a:\n\tb:\n\t\tc: 1\n\td: 2\n", "a:\n  b:\n    c: 1\n  d: 2\n"),
        ("a:\n      b: 1\n\tc: 2\n", "a:\n      b: 1\n      c: 2\n"),
    ],
)
def test_what_a_tab_is_read_as(text: str, mended: str) -> None:
    def shape(node: object) -> object:
        if isinstance(node, yaml_nodes.MappingNode):
            return {key: shape(value) for key, (_, value) in node.pairs.items()}
        if isinstance(node, yaml_nodes.SequenceNode):
            return [shape(value) for value in node.items]
        return getattr(node, "text", None)

    findings = Findings("f.yaml")
    (read,), (meant,) = (
        yaml_nodes.read_nodes(text, findings),
        yaml_nodes.read_nodes(mended, Findings("g.yaml")),
    )
    assert shape(read) == shape(meant)
    assert {finding.message for finding in findings.all} == {"a tab is used for indentation. Use blanks."}
