"""Work on a matter without its screen: what is shown, what is kept, and how it goes on after an end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from matter_world import ISSUE, READ_LEASE, SHIPPED, matter_at, reference_of, write_matter

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters import EpisodeEnded, read_actions
from rubrictui.matters.replay import replay
from rubrictui.screens.matter_outline import outline_rows
from rubrictui.screens.matter_session import MatterSession, resumed
from rubrictui.screens.matter_words import brief_lines, told_in_short
from rubrictui.screens.matter_work import open_work, read_work, work_folder, works


@pytest.fixture
def depot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return write_matter(tmp_path / "depot")


def session_of(folder: Path, *actions: dict[str, Any]) -> MatterSession:
    session = MatterSession(matter_at(folder))
    session.replay(actions)
    return session


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_matter_is_worked_to_the_whole_score(name: str) -> None:
    session = session_of(SHIPPED[name], *reference_of(name))
    assert session.ended
    assert session.episode.result()["normalized_score"] == 1.0


def test_a_session_scores_as_its_actions_do(depot: Path) -> None:
    actions: list[dict[str, Any]] = [
        READ_LEASE,
        ISSUE,
        {"type": "submit_final", "summary": "That is all of it."},
    ]
    result, expected = session_of(depot, *actions).episode.result(), replay(matter_at(depot), actions)
    assert result["events"] == expected["events"]
    assert result["rewards"] == expected["rewards"]
    assert result["normalized_score"] == expected["normalized_score"]


def test_nothing_of_a_document_is_shown_before_it_is_read(depot: Path) -> None:
    pages = {page.document_id: page for page in session_of(depot).pages()}
    assert "not read yet" in pages["lease"].text
    assert "rent" not in pages["lease"].text
    assert [mark.token for mark in pages["lease"].marks] == ["1", "2.1"]


def test_a_section_that_was_read_stands_between_those_that_were_not(depot: Path) -> None:
    session = session_of(depot, {**READ_LEASE, "section": "2.1"})
    page = session.pages()[0]
    assert "lease §1: not read yet." in page.text
    assert "The tenant repairs the roof." in page.text
    assert session.is_read("lease", "2.1")
    assert not session.is_read("lease", "1")
    assert not session.is_read("lease")
    assert session.heading("lease", "2.1") == "Repairs"
    assert session.heading("lease", "1") == ""


def test_a_document_read_whole_opens_with_what_stands_before_its_sections(depot: Path) -> None:
    page = session_of(depot, READ_LEASE).pages()[0]
    assert [mark.token for mark in page.marks] == ["full", "1", "2.1"]
    lines = page.text.split("\n")
    assert lines[page.marks[2].line] == "## 2.1 Repairs"


@pytest.mark.parametrize(
    ("citation", "quote", "holds"),
    [
        ("lease §2.1", "The tenant  repairs\nthe ROOF", True),
        ("lease §1", "The tenant repairs the roof", False),
        ("policy §P.1", "We do not repair roofs", False),  # not read
        ("nothing", "The tenant", False),
    ],
)
def test_a_quote_is_looked_for_in_the_section_it_cites(
    depot: Path, citation: str, quote: str, holds: bool
) -> None:
    assert session_of(depot, READ_LEASE).holds(citation, quote) is holds


@pytest.mark.parametrize(
    ("citation", "resolves"),
    [("lease §2.1", True), ("lease§1", True), ("lease §full", True), ("lease §9", False), ("lease", False)],
)
def test_citations_resolve_by_what_the_observation_lists(depot: Path, citation: str, resolves: bool) -> None:
    assert session_of(depot).resolves(citation) is resolves


def test_what_is_shown_while_playing_tells_nothing_hidden(depot: Path) -> None:
    session = session_of(depot, READ_LEASE, ISSUE, {"type": "ask_client", "question": "What of it?"})
    lines = [*brief_lines(session.observation)]
    shown = "\n".join(
        [
            *("".join(piece for piece, _ in line) for line in lines),
            *(" ".join(row.cells) for row in outline_rows(session)),
            *(told_in_short(step, practice=True) for step in session.steps),
            *(page.text for page in session.pages()),
        ]
    )
    for secret in ("zinc", "Hold the line", "Each party bears half", "q_roof", "e_board", "repairs ·"):
        assert secret not in shown


# --- keeping


def test_work_goes_on_where_it_was_left(depot: Path) -> None:
    first = open_work(depot, matter_at(depot))
    first.session.act(READ_LEASE)
    first.session.put_draft("ask", {"question": "How old is"})
    first.close()  # as when the process is killed: nothing else was done
    again = open_work(depot, matter_at(depot))
    assert again.file == first.file
    assert again.session.observation == first.session.observation
    assert again.session.drafts["ask"] == {"question": "How old is"}
    assert again.notice == ""


def test_the_kept_file_is_one_that_scores(depot: Path) -> None:
    work = open_work(depot, matter_at(depot))
    for action in (READ_LEASE, ISSUE, {"type": "submit_final", "summary": "All of it is said."}):
        work.session.act(action)
    assert read_actions(work.file) == [
        READ_LEASE,
        ISSUE,
        {"type": "submit_final", "summary": "All of it is said."},
    ]
    (kept,) = works(depot)
    assert kept.words == f"score {work.session.episode.result()['normalized_score']:.4f}"


def test_two_terminals_never_write_the_same_work(depot: Path) -> None:
    first = open_work(depot, matter_at(depot))
    second = open_work(depot, matter_at(depot))
    assert second.file != first.file
    assert "another terminal" in second.notice
    with pytest.raises(InvalidInputError, match="another terminal"):
        open_work(depot, matter_at(depot), file=first.file)


def test_finished_work_is_left_and_new_work_begins(depot: Path) -> None:
    first = open_work(depot, matter_at(depot))
    first.session.act({"type": "submit_final"})
    first.close()
    second = open_work(depot, matter_at(depot))
    assert second.session.actions == []
    assert [one.number for one in works(depot)] == [2, 1]


def test_a_broken_file_is_listed_and_left_as_it_is(depot: Path) -> None:
    folder = work_folder(depot)
    folder.mkdir(parents=True)
    (folder / "0003.json").write_text("{ not json")
    work = open_work(depot, matter_at(depot))
    assert work.file.name == "0004.json"
    assert "cannot be read" in work.notice
    assert (folder / "0003.json").read_text() == "{ not json"
    assert [one.words for one in works(depot)] == ["step 0 of 8", "cannot be read"]


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"actions": "none", "drafts": 3, "seed": True},
        {"actions": [1, None], "drafts": {"ask": 4, "what": {}, "issue": {"citations": [1]}}},
    ],
)
def test_kept_work_of_the_wrong_shape_begins_with_nothing(depot: Path, kept: dict[str, Any]) -> None:
    session, notice = resumed(matter_at(depot), kept, folder="")
    assert session.actions == []
    assert session.drafts == {}
    assert "changed" in notice


def test_a_matter_that_changed_since_is_told(depot: Path) -> None:
    work = open_work(depot, matter_at(depot))
    work.session.act(READ_LEASE)
    work.close()
    (depot / "documents/lease.md").write_text("## 1 Rent\nNone.\n", encoding="utf-8")
    again = open_work(depot, matter_at(depot))
    assert "changed since" in again.notice
    assert again.session.section_text("lease", "1") == "## 1 Rent\nNone."


def test_a_folder_that_cannot_be_written_is_one_line(depot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(depot / "matter.yaml"))
    with pytest.raises(InvalidInputError, match="cannot be made"):
        open_work(depot, matter_at(depot))


def test_nothing_can_be_done_after_the_end(depot: Path) -> None:
    session = session_of(depot, {"type": "submit_final"})
    with pytest.raises(EpisodeEnded):
        session.act(READ_LEASE)


def test_a_pattern_that_runs_out_of_time_ends_the_work_unscored_and_is_kept_so(
    depot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.matters.gates.TIME_LIMIT", 0.01)
    rubric = (depot / "rubric.yaml").read_text().replace("pattern: void", "pattern: '(a|a|aa)+$'")
    (depot / "rubric.yaml").write_text(rubric)
    slow = {**ISSUE, "analysis": "a" * 5_000 + "b"}
    work = open_work(depot, matter_at(depot))
    work.session.act(READ_LEASE)
    assert work.session.act(slow) is None
    assert work.session.ended
    kept = msgspec.json.decode(work.file.read_bytes())
    assert (kept["ended"], kept["score"]) == (True, None)
    assert read_work(work.file)[0] == [READ_LEASE, slow]
