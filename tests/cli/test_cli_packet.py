"""``rubrictui packet``: out of one store, through a file, onto another machine and back."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.core.model import Answer, Evidence, EvidenceKind
from rubrictui.core.records import Context
from rubrictui.engine import Engine
from rubrictui.engine.packets_work import work_engine

Cli = Callable[..., Any]
SECRET = "correct horse battery"


@pytest.fixture(scope="session")
def round_store(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples with a round in which rita has two subjects to score."""
    import shutil

    path = Path(shutil.copy(sample_store, tmp_path_factory.mktemp("round") / "chair.db"))
    with Engine(path) as engine:
        engine.add_user("rita", display_name="Rita R.")
        engine.add_context(Context(record_id="spring", name="Spring"))
        rubric = next(one.name for one in engine.rubrics() if one.latest_published is not None)
        for subject in engine.subjects()[:2]:
            engine.assign(subject=subject.id, rubric=rubric, user="rita", context="Round/spring")
    return path


@pytest.fixture
def chair(round_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in the folder where the test works."""
    import shutil

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUBRICTUI_PASSPHRASE", raising=False)
    return Path(shutil.copy(round_store, tmp_path / "chair.db"))


def score_first(work: Path, *, submit: bool = True) -> str:
    """Answer every criterion of the first subject in the packet; the evaluation's id."""
    with work_engine(work) as engine:
        row = engine.inbox()[0]
        draft = engine.open_draft(
            subject=row.subject_id, rubric=row.rubric_id, context=row.context_id, assignment=row.assignment_id
        )
        scales = {scale.id: scale for scale in draft.version.scales}
        for node in draft.version.nodes:
            if node.is_criterion:
                scale = scales[node.scale_id or ""]
                level = scale.levels[-1].id if scale.levels else None
                raw = None if level else scale.min_value
                answer = Answer(
                    criterion_id=node.id,
                    scale_level_id=level,
                    raw_value=raw,
                    rationale="Seen.",
                    evidence=(Evidence(kind=EvidenceKind.NOTE, text="On the first page."),),
                )
                engine.save_answer(draft.evaluation.id, answer)
        if submit:
            engine.submit(draft.evaluation.id)
        return draft.evaluation.id


# -- the whole way, in processes of their own --------------------------------------------------------

SCORE = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_cli_packet import score_first
print(score_first(Path(sys.argv[1])))
"""


def test_a_reviewer_scores_on_a_machine_that_has_never_seen_the_store(
    cli: Cli, chair: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(SECRET + "\n")
    plane = tmp_path / "plane"
    plane.mkdir()

    def process(*words: object, at: Path, code: int = 0) -> Any:
        """A command in a process of its own, with a home of its own."""
        home = {"HOME": str(at), "XDG_DATA_HOME": str(at / "data"), "XDG_CONFIG_HOME": str(at / "config")}
        environment = {key: value for key, value in os.environ.items() if not key.startswith("RUBRICTUI_")}
        done = subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=at,
            env={**environment, **home},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert SECRET not in done.stdout + done.stderr
        return done.stdout

    def rubrictui(*words: object, at: Path, code: int = 0) -> Any:
        return json.loads(process("-m", "rubrictui", "--json", *words, at=at, code=code))

    def of_the_chair(*words: object) -> Any:
        """A command of the chair, who is at the store."""
        done = cli("--json", "--db", chair, *words)
        assert done.code == 0, done.err
        assert SECRET not in done.out + done.err
        return done.data

    sealed = ("--passphrase-file", tmp_path / "secret")
    words = ("packet", "export", "--round", "spring", "--to", "rita", "--encrypt")
    sent = of_the_chair(*words, *sealed)
    assert (sent["file"], sent["subjects"], sent["signed"]) == ("spring-rita.packet", 2, True)
    (tmp_path / sent["file"]).rename(plane / "rita.packet")
    opened = rubrictui("packet", "open", "rita.packet", "--prepare-only", *sealed, at=plane)
    assert opened == {"path": "rita.work.db", "made": True}
    id = process("-c", SCORE, plane / "rita.work.db", Path(__file__).parent, at=plane).strip()
    assert rubrictui("packet", "open", "rita.packet", "--prepare-only", at=plane)["made"] is False
    returned = rubrictui("packet", "return", "rita.packet", *sealed, at=plane)
    assert (returned["file"], returned["submitted"]) == ("rita.return.packet", 1)
    back = plane / returned["file"]
    for took in ("submitted", "unchanged"):
        report = of_the_chair("packet", "import", back, *sealed)
        assert [item["took"] for item in report["items"]] == [took]
    with Engine(chair) as engine:
        found = engine.evaluation(id).evaluation
    assert (found.status, found.evaluator_user_name) == ("Submitted", "rita")
    assert found.normalized_score is not None
    assert {path.name for path in tmp_path.iterdir()} >= {"chair.db", "plane"}
    assert not list(tmp_path.rglob("*.tmp"))


# -- the commands, one by one ------------------------------------------------------------------------


def test_a_packet_is_written_for_its_owner_only_and_over_nothing(cli: Cli, chair: Path) -> None:
    words = ("--db", chair, "packet", "export", "--round", "Round/spring", "--to", "rita")
    made = cli(*words)
    assert (made.code, made.out) == (0, "spring-rita.packet: 2 subjects and 0 drafts for rita.\n")
    assert stat.S_IMODE(Path("spring-rita.packet").stat().st_mode) == 0o600
    again = cli(*words)
    assert (again.code, again.err) == (
        2,
        "rubrictui: spring-rita.packet exists already. Name another file with -o, or add --replace.\n",
    )
    assert cli(*words, "--replace").code == 0
    assert cli(*words, "-o", "nowhere/x.packet").err.startswith("rubrictui: The folder of nowhere/x.packet")
    assert cli(*words, "-o", ".").err.startswith("rubrictui: . is a folder.")


def test_a_packet_tells_what_it_holds(cli: Cli, chair: Path) -> None:
    cli("--db", chair, "packet", "export", "--round", "spring", "--to", "rita", "-o", "r.packet")
    shown = cli("packet", "show", "r.packet")
    assert shown.out.startswith("Work for Rita R.: Spring\n")
    assert "2 subjects, 0 evaluations, 0 declined" in shown.out
    data = cli("--json", "packet", "show", "r.packet").data
    assert data["manifest"]["kind"] == "work"
    assert len(data["subjects"]) == 2


def test_the_app_opens_on_the_work_as_the_reviewer(
    cli: Cli, chair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("--db", chair, "packet", "export", "--round", "spring", "--to", "rita", "-o", "r.packet")
    opened: list[Any] = []

    def run(*, opening: Any, no_mouse: bool | None) -> int:
        opened.append(opening)
        return 0

    monkeypatch.setattr("rubrictui.app.run", run)
    assert cli("packet", "open", "r.packet").code == 0
    assert cli("packet", "open", "r.work.db").code == 0
    for opening in opened:
        assert (str(opening.target), opening.user) == ("r.work.db", "rita")
        with opening._make_engine(opening.target, opening.user) as engine:
            assert (engine.user.name, len(engine.inbox())) == ("rita", 2)


PASSPHRASES: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    ((), {}, "A passphrase is needed. Name a file with --passphrase-file, or set RUBRICTUI_PASSPHRASE."),
    (
        ("--passphrase-file", "none"),
        {},
        "The passphrase file none cannot be read: No such file or directory.",
    ),
    (("--passphrase-file", "empty"), {}, "The first line of the passphrase file empty is empty."),
    (("--passphrase-file", "latin"), {}, "The passphrase file latin is not UTF-8."),
    ((), {"RUBRICTUI_PASSPHRASE": "short"}, "The passphrase has fewer than 8 characters."),
]


@pytest.mark.parametrize("case", PASSPHRASES, ids=[row[2][:30] for row in PASSPHRASES])
def test_a_passphrase_that_cannot_be_had_is_told_in_a_line(
    cli: Cli, chair: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[tuple[str, ...], dict[str, str], str]
) -> None:
    words, environment, told = case
    Path("empty").write_text("\nsecret\n")
    Path("latin").write_bytes(b"caf\xe9 caf\xe9 caf\xe9\n")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ran = cli("--db", chair, "packet", "export", "--round", "spring", "--to", "rita", "--sign", *words)
    assert (ran.code, ran.err.startswith(f"rubrictui: {told}")) == (2, True)
    assert not list(Path().glob("*.packet"))


def test_a_signed_packet_goes_its_way_with_the_environments_passphrase(
    cli: Cli, chair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUBRICTUI_PASSPHRASE", SECRET)
    cli("--db", chair, "packet", "export", "--round", "spring", "--to", "rita", "--sign", "-o", "r.packet")
    assert cli("packet", "open", "r.packet", "--prepare-only").out == "r.work.db: made.\n"
    score_first(Path("r.work.db"))
    monkeypatch.setenv("RUBRICTUI_PASSPHRASE", "another passphrase")
    wrong = cli("packet", "return", "r.packet")
    assert (wrong.code, "the passphrase is wrong, or the packet was altered" in wrong.err) == (2, True)
    assert not Path("r.return.packet").exists()
    monkeypatch.setenv("RUBRICTUI_PASSPHRASE", SECRET)
    assert cli("packet", "return", "r.packet").out == "r.return.packet: 1 submitted, 0 drafts.\n"
    monkeypatch.setenv("RUBRICTUI_PASSPHRASE", "another passphrase")
    refused = cli("--db", chair, "packet", "import", "r.return.packet")
    assert (refused.code, "the signature does not fit" in refused.err) == (2, True)
    monkeypatch.setenv("RUBRICTUI_PASSPHRASE", SECRET)
    dry = cli("--db", chair, "packet", "import", "r.return.packet", "--dry-run")
    assert dry.out.endswith("rita, Spring: 1 would be taken, 0 unchanged, 0 conflicts.\n")
    assert cli("--db", chair, "packet", "import", "r.return.packet").code == 0


def test_conflicts_are_listed_and_settled(cli: Cli, chair: Path) -> None:
    cli("--db", chair, "packet", "export", "--round", "spring", "--to", "rita", "-o", "r.packet")
    cli("packet", "open", "r.packet", "--prepare-only")
    id = score_first(Path("r.work.db"))
    cli("packet", "return", "r.packet")
    with Engine(chair) as engine:
        subject = engine.subject(engine.assignments(context="Round/spring")[0].subject_id)
        for one in engine.subjects(context="Round/spring"):
            engine.add_subjects([type(one)(**{**_fields(one), "text": f"{one.text} And more."})])
    assert subject.id
    ran = cli("--db", chair, "packet", "import", "r.return.packet")
    assert ran.code == 1
    assert "conflict  The subject has changed since the packet was made." in ran.out
    assert "Settle them: rubrictui packet conflicts." in ran.err
    (conflict,) = cli("--db", chair, "--json", "packet", "conflicts", "--round", "spring").data
    assert (conflict["reviewer"], conflict["returned"]) == ("rita", "Submitted")
    listed = cli("--db", chair, "packet", "conflicts")
    assert listed.out.startswith(f"{conflict['id']}  open\n")
    for words, told in (
        (("settle",), "write settle ID, or nothing to list them"),
        (("settle", "x"), "settle needs --take packet or --take store"),
        (("--take", "store"), "--take goes with settle ID"),
    ):
        ran = cli("--db", chair, "packet", "conflicts", *words)
        assert (ran.code, told in ran.err) == (2, True)
    missing = cli("--db", chair, "packet", "conflicts", "settle", "nothing", "--take", "store")
    assert (missing.code, "Conflict nothing is not found" in missing.err) == (1, True)
    settled = cli("--db", chair, "packet", "conflicts", "settle", conflict["id"][:8], "--take", "packet")
    assert (settled.code, settled.out.endswith(": packet counts.\n")) == (0, True)
    with Engine(chair) as engine:
        assert engine.evaluation(id).evaluation.status == "Submitted"
    assert cli("--db", chair, "packet", "conflicts").err == "There is nothing to settle.\n"
    assert "settled by" in cli("--db", chair, "packet", "conflicts", "--all").out
    assert cli("--db", chair, "packet", "import", "r.return.packet").code == 0


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def test_what_cannot_be_returned_is_told_in_a_line(cli: Cli, chair: Path) -> None:
    cli("--db", chair, "packet", "export", "--round", "spring", "--to", "rita", "-o", "r.packet")
    unopened = cli("packet", "return", "r.packet")
    assert (unopened.code, "has not been opened here" in unopened.err) == (2, True)
    other = cli("packet", "return", chair)
    assert (other.code, "but none of a packet" in other.err) == (1, True)
    Path("note.txt").write_text("hello")
    assert "it is no zip file" in cli("packet", "open", "note.txt").err
    assert "does not exist" in cli("packet", "show", "none.packet").err
