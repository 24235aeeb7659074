"""``validate`` reports everything about a set of files, a line each, and says yes or no."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]

SCALE = """\
kind: scale
id: s1
name: Meets
levels:
  - {id: l0, label: Miss, normalized_value: 0}
  - {id: l1, label: Meets, normalized_value: 1}
"""
RUBRIC = """\
kind: rubric
id: r1
name: Vendor
version:
  id: v1
  criteria:
    - {id: n1, key: price, scale: Meets, anchors: {Miss: Too dear., Meets: Fair.}}
"""


def test_files_that_are_right_are_valid(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    (tmp_path / "scale.yml").write_text(SCALE)
    done = cli("validate", tmp_path)
    assert (done.code, done.out) == (0, "")
    assert done.err == "2 documents are well formed. 0 errors, 0 warnings.\n"
    assert cli("validate", tmp_path, "--json").data == {
        "valid": True,
        "errors": 0,
        "warnings": 0,
        "findings": [],
    }


def test_every_error_of_every_file_is_a_line_with_its_place(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SCALE.replace("normalized_value: 1", "normalized_value: 2"))
    (tmp_path / "b.yaml").write_text(RUBRIC.replace("scale: Meets", "scale: Mets, weight: -1"))
    done = cli("validate", tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "gone.yaml")
    assert done.code == 1
    assert [line.removeprefix(str(tmp_path))[1:].split(": ")[:2] for line in done.out.splitlines()] == [
        ["a.yaml:6:46", "error"],
        ["b.yaml:7:35", "error"],
        ["b.yaml:7:49", "error"],
        ["gone.yaml:1:1", "error"],
    ]


def test_what_stands_against_publishing_is_told_at_its_line(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text(
        SCALE + "---\n" + RUBRIC.replace("scale: Meets, anchors: {Miss: Too dear., Meets: Fair.}", "name: x")
    )
    done = cli("validate", path, "--json")
    assert done.code == 1
    (finding,) = done.data["findings"]
    assert (finding["code"], finding["line"], finding["severity"]) == ("scale_missing", 14, "error")


def test_snapshots_in_json_are_checked_too(cli: Cli, tmp_path: Path) -> None:
    good, bare, broken = (tmp_path / name for name in ("good.json", "bare.json", "broken.json"))
    good.write_text(
        '{"nodes": [{"id": "n", "key": "a", "scale_id": "s"}],'
        ' "scales": [{"id": "s", "scale_type": "Numeric", "min_value": 0, "max_value": 1}]}'
    )
    bare.write_text('{"nodes": [{"id": "n", "key": "a"}]}')
    broken.write_text('{"nodes": 1}')
    assert cli("validate", good).code == 0
    codes = [finding["code"] for finding in cli("validate", good, bare, broken, "--json").data["findings"]]
    assert codes == ["scale_missing", "invalid_input"]


def test_warnings_are_errors_only_when_strict(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text(SCALE + "---\n" + RUBRIC.replace("Miss: Too dear., ", ""))
    assert cli("validate", path).code == 0
    assert "warning:" in cli("validate", path).out
    assert cli("validate", path, "--strict").code == 1


def test_with_a_store_its_names_are_known(cli: Cli, tmp_path: Path) -> None:
    scale, rubric = tmp_path / "scale.yaml", tmp_path / "rubric.yaml"
    scale.write_text(SCALE)
    rubric.write_text(RUBRIC)
    assert cli("load", scale, "--db", tmp_path / "x.db").code == 0
    assert cli("validate", rubric).code == 1
    assert cli("validate", rubric, "--db", tmp_path / "x.db").code == 0


def test_a_store_that_is_not_there_yet_is_said_and_not_made(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(f"{SCALE}---\n{RUBRIC}")
    done = cli("validate", tmp_path / "all.yaml", "--db", tmp_path / "none.db")
    assert done.code == 0
    assert "There is no store at" in done.err
    planned = cli("sync", "push", tmp_path, "--dry-run", "--db", tmp_path / "none.db")
    assert 'rubric "Vendor": would be' in planned.out
    assert not (tmp_path / "none.db").exists()


def test_a_folder_without_yaml_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    done = cli("validate", tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_the_samples_that_ship_are_valid(cli: Cli) -> None:
    import rubrictui.sample_data

    done = cli("validate", Path(rubrictui.sample_data.__file__).parent)
    assert done.code == 0, done.out


def test_a_load_that_is_refused_is_an_answer_in_json_too(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "scale.yaml").write_text(SCALE.replace("normalized_value: 1", "normalized_value: 7"))
    done = cli("load", tmp_path, "--db", tmp_path / "s.db", "--json")
    assert done.code == 1
    error = done.data["error"]
    assert error["kind"] == "out_of_range"
    assert error["problems"][0]["line"] == 6
    assert done.err.endswith("Nothing was loaded.\n")


def test_one_is_not_counted_in_the_plural(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "scale.yaml").write_text(SCALE)
    assert cli("validate", tmp_path).err == "1 document is well formed. 0 errors, 0 warnings.\n"
    assert cli("load", tmp_path, "--db", tmp_path / "s.db").out == "Loaded 1 scale.\n"
