"""``sync`` as people run it: real processes on real folders."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.core.model import VersionStatus
from rubrictui.engine import Engine
from rubrictui.interchange.documents import Publication, RubricFile
from rubrictui.interchange.yaml_reader import read_files
from rubrictui.sample_data import ROOT

Cli = Callable[..., Any]
KEPT = ("Procurement", "Hiring")


@pytest.fixture
def store(made_once: Callable[..., Path], tmp_path: Path) -> Path:
    """Two of the sample rubrics, published, and all scales: every command here reads the whole store."""

    def fill(path: Path) -> None:
        documents = read_files(
            [ROOT / "scales.yaml", *ROOT.glob("examples/*/rubric.yaml"), ROOT / "publications.yaml"]
        ).require()
        with Engine(path) as engine:
            engine.load_documents(
                one
                for one in documents
                if not isinstance(one, RubricFile | Publication)
                or (one.name if isinstance(one, RubricFile) else one.rubric) in KEPT
            )

    return Path(shutil.copy(made_once("sync.db", fill), tmp_path / "store.db"))


def run(store: Path, *arguments: object, code: int = 0) -> str:
    """A process of its own; what it printed to both streams."""
    done = subprocess.run(
        [sys.executable, "-m", "rubrictui", "sync", *map(str, arguments), "--db", str(store)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_pull_edit_push_publish_and_push_again(cli: Cli, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    assert 'rubric "Procurement": written (rubrics/procurement.yaml)' in run(store, "pull", folder)
    assert cli("sync", "pull", folder, "--db", store).err == "Nothing to do.\n"
    assert "all the same" in cli("sync", "status", folder, "--strict", "--db", store).err

    rubric, record = folder / "rubrics/procurement.yaml", folder / "publications/procurement.yaml"
    rubric.write_text("# ours\n" + rubric.read_text().replace("weight: 1", "weight: 3  # heavier", 1))
    status = cli("sync", "status", folder, "--strict", "--db", store)
    assert status.code == 1
    assert "files <  rubric  Procurement  changed in the files" in status.out
    shown = cli("sync", "diff", folder, "--db", store).out
    assert "criterion · security · weight: 1 -> 3" in shown
    assert "-      weight: 1\n+      weight: 3\n" in shown
    before = rubric.read_bytes()
    planned = cli("sync", "push", folder, "--dry-run", "--db", store)
    assert "would be started as a draft from 1.0.0" in planned.out
    assert rubric.read_bytes() == before
    assert "started as a draft from 1.0.0" in run(store, "push", folder)
    assert cli("sync", "push", folder, "--db", store).err == "Nothing to do.\n"

    (version,) = re.findall(r"^version:\n  id: (\S+)$", rubric.read_text(), re.MULTILINE)
    record.write_text(re.sub(r"version_id: \S+", f"version_id: {version}", record.read_text()))
    published = cli("sync", "push", folder, "--db", store)
    assert published.code == 0
    assert "published as 2.0.0" in published.out + published.err
    again = cli("sync", "push", folder, "--db", store)
    assert (again.code, again.out + again.err) == (0, "Nothing to do.\n")
    assert cli("sync", "pull", folder, "--db", store).err == "Nothing to do.\n"
    assert rubric.read_text().startswith("# ours\n")
    assert "# heavier" in rubric.read_text()


def test_a_push_that_is_killed_leaves_all_or_nothing_and_can_be_run_again(
    store: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    with Engine(store) as engine:
        engine.sync_pull(folder)
    rubrics = sorted((folder / "rubrics").glob("*.yaml"))
    for path in rubrics:
        path.write_text(path.read_text().replace("weight: 1", "weight: 3", 1))
    before = len(_drafts(store))
    for wait in (0.9, 0.3):
        process = subprocess.Popen(
            [sys.executable, "-m", "rubrictui", "sync", "push", str(folder), "--db", str(store)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(_drafts(store)) in (before, len(rubrics))
    with Engine(store) as engine:
        engine.sync_push(folder)
        assert len(_drafts(store)) == len(rubrics)
        assert not engine.sync_push(folder).changed
        assert engine.sync_status(folder).in_step
    assert not list(folder.rglob("*.tmp"))


def _drafts(store: Path) -> list[str]:
    with Engine(store) as engine:
        return [
            rubric.name
            for rubric in engine.rubrics()
            if any(version.status is VersionStatus.DRAFT for version in rubric.versions)
        ]


def test_a_conflict_is_told_and_the_choice_is_named(cli: Cli, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    cli("sync", "pull", folder, "--db", store)
    path = folder / "scales" / "compliance.yaml"
    path.write_text(path.read_text().replace("format: 1\n", "format: 1\ndescription: Ours.\n").replace(
        re.findall(r"(?m)^description: (?!Ours)[\s\S]*?\n(?=\w)", path.read_text())[0], ""
    ))  # fmt: skip
    (folder / ".rubrictui-sync.json").unlink()
    for direction in ("push", "pull"):
        done = cli("sync", direction, folder, "--db", store)
        assert done.code == 1
        assert (
            'scale "Compliance" (scales/compliance.yaml): changed in both (they never agreed here)'
            in done.err
        )
        assert "Nothing was written." in done.err
        assert "--files-win" in done.err
        assert "--store-wins" in done.err
    error = cli("sync", "push", folder, "--db", store, "--json").data["error"]
    assert error["kind"] == "sync_conflict"
    assert error["items"][0]["changes"][0]["files"] == "Ours."
    assert cli("sync", "push", folder, "--db", store, "--dry-run").code == 1
    assert cli("sync", "pull", folder, "--db", store, "--store-wins").code == 0
    assert "Ours." not in path.read_text()


def test_every_error_of_every_file_is_a_line_with_its_place(cli: Cli, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    cli("sync", "pull", folder, "--db", store)
    one, two = folder / "rubrics/hiring.yaml", folder / "scales/binary.yaml"
    one.write_text(one.read_text().replace("version:\n", "version:\n  major_version: 2\n"))
    two.write_text(two.read_text().replace("format: 1", "format: 1\n\tkind: scale"))
    for command in (
        ("sync", "push", folder),
        ("sync", "pull", folder),
        ("sync", "status", folder),
        ("validate", folder),
    ):
        done = cli(*command, "--db", store)
        assert done.code == 1
        text = done.out + done.err
        assert re.search(rf"{re.escape(str(one))}:\d+:3: error: \"major_version\" is computed", text)
        assert re.search(rf"{re.escape(str(two))}:3:1: error: a tab is used", text)
        assert "all the same" not in text
    assert cli("sync", "push", folder, "--db", store, "--json").data["error"]["problems"]


RECORDS = {
    "rubric-scales/.yes.json": [
        {
            "fields": {"Name": "Yes or no"},
            "primaryKey": {"ID": "0B0F4A39-4A52-4A83-9A52-3A0A3D1A0001"},
            "relatedEntities": {
                "MJ: Rubric Scale Levels": [
                    {
                        "fields": {"Label": label, "NormalizedValue": value},
                        "primaryKey": {"ID": f"level-{label}"},
                    }
                    for value, label in enumerate(("No", "Yes"))
                ]
            },
        }
    ],
    "rubrics/.small.json": {
        "fields": {"Name": "Small", "CategoryID": "@lookup:MJ: Rubric Categories.Name=New?create"},
        "primaryKey": {"ID": "0B0F4A39-4A52-4A83-9A52-3A0A3D1A0002"},
        "relatedEntities": {
            "MJ: Rubric Versions": [
                {
                    "fields": {"RubricID": "@parent:ID", "Instructions": "@file:how.md"},
                    "primaryKey": {"ID": "0B0F4A39-4A52-4A83-9A52-3A0A3D1A0003"},
                    "relatedEntities": {
                        "MJ: Rubric Criteria": [
                            {
                                "fields": {
                                    "RubricVersionID": "@parent:ID",
                                    "Key": "good",
                                    "Weight": 1,
                                    "ScaleID": "@lookup:MJ: Rubric Scales.Name=Yes or no",
                                },
                                "primaryKey": {"ID": "0B0F4A39-4A52-4A83-9A52-3A0A3D1A0004"},
                            }
                        ]
                    },
                }
            ]
        },
    },
    "rubric-publications/.small.json": {
        "fields": {"Status": "Published"},
        "primaryKey": {"ID": "0B0F4A39-4A52-4A83-9A52-3A0A3D1A0003"},
    },
}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder of records in the metadata shape."""
    folder = tmp_path / "metadata"
    for name, record in RECORDS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(record, indent=1))
    (folder / "rubrics" / "how.md").write_text("Read.\n")
    return folder


def test_records_in_the_metadata_shape_are_pushed_as_they_are(
    cli: Cli, records: Path, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    assert cli("validate", records).code == 0
    done = cli("sync", "push", records, "--db", store)
    assert 'publication "Small": published as 1.0.0' in done.out
    assert cli("sync", "push", records, "--db", store).err == "Nothing to do.\n"
    version = cli("show", "Small@1", "--json", "--db", store).data
    assert (version["id"], version["instructions"]) == ("0b0f4a39-4a52-4a83-9a52-3a0a3d1a0003", "Read.\n")


def test_records_are_loaded_as_they_are(cli: Cli, records: Path, tmp_path: Path) -> None:
    done = cli("load", records, "--db", tmp_path / "s.db")
    assert done.out == "Loaded 1 scale, 1 rubric, 1 published.\n"
    assert cli("load", records, "--db", tmp_path / "s.db").out == "Everything was there already.\n"


def test_a_changed_record_goes_on_under_a_new_id_and_is_never_rewritten(
    cli: Cli, records: Path, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    cli("sync", "push", records, "--db", store)
    path = records / "rubrics/.small.json"
    path.write_text(path.read_text().replace('"Weight": 1', '"Weight": 2'))
    assert "started as a draft" in cli("sync", "push", records, "--db", store).out
    draft = cli("show", "Small@draft", "--json", "--db", store).data
    assert f'"ID": "{draft["id"]}"' in path.read_text()
    assert "0B0F4A39-4A52-4A83-9A52-3A0A3D1A0003" not in path.read_text()
    assert cli("sync", "push", records, "--db", store).err == "Nothing to do.\n"

    with Engine(store) as engine:
        engine.describe_rubric("Small", "From elsewhere.")
    before = path.read_bytes()
    done = cli("sync", "pull", records, "--db", store)
    assert done.code == 1
    assert "records in JSON are not written" in done.err
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_one_line(cli: Cli, store: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    done = cli("sync", "pull", tmp_path / "a", "--db", store)
    assert (done.code, done.err.count("\n")) == (2, 1)
    done = cli("sync", "pull", tmp_path / "a" / "b", "--db", store)
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_hostile_names_reach_neither_the_disk_nor_the_terminal(cli: Cli, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with Engine(store) as engine:
        engine.create_rubric("../\u202eevil", id="../../../evil")
    done = cli("sync", "pull", tmp_path / "in" / "side", "--db", store)
    assert done.code == 0
    assert "\u202e" not in done.out
    assert [path.name for path in (tmp_path / "in" / "side" / "rubrics").iterdir()] == ["evil.yaml"]
    assert sorted(
        path.name for path in tmp_path.iterdir() if path.suffix != ".db" and "s.db" not in path.name
    ) == ["in"]
    assert os.listdir(tmp_path / "in") == ["side"]
