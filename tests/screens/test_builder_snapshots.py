"""How the builder, its dialogs and its panes look, at 80x24 and 120x40."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builder_host import RUBRIC, BuilderHost, fill, opened, ready
from form_host import keys
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.core.editing import set_node
from rubrictui.core.model import Outcome
from rubrictui.core.whatif import LostAnswers, Mover, OutcomeShift, WhatIf
from rubrictui.engine import Engine
from rubrictui.screens.builder_clash import ClashScreen
from rubrictui.screens.builder_session import Clash
from rubrictui.screens.builder_what_if import WhatIfScreen, what_if_lines

SMALL, LARGE = (80, 24), (120, 40)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")
    with opened(tmp_path / "store.db") as engine:
        fill(engine)
    return tmp_path / "store.db"


ANSWERED = "j 3 j 1 j j 8 enter j 8 0 j 2"
VIEWS = {
    "begun": "",
    "answered": f"{ANSWERED} k k k k",
    "folded": "h j h j",
    "fields": "j tab j j",
    "version": "v",
    "problems": 'a "A_criterion_with_a_name_that_is_longer_than_its_column" enter w ctrl+u "-1" enter o',
    "preview": f"{ANSWERED} e",
    "naming": "j a",
    "number": "j j j j 8 5",
    "samples": f"{ANSWERED} u s b w",
}


@SIZES
@pytest.mark.parametrize("view", VIEWS)
def test_the_builder(view: str, size: tuple[int, int], store: Path, snap_compare: Any) -> None:
    engine = opened(store)

    async def drive(pilot: Pilot[None]) -> None:
        await ready(pilot)
        await keys(pilot, VIEWS[view])
        await pilot.pause(0.2)

    assert snap_compare(BuilderHost(engine), terminal_size=size, run_before=drive)
    engine.close()


def test_a_draft_of_nothing(store: Path, snap_compare: Any) -> None:
    engine = opened(store)
    engine.create_rubric("Empty")

    async def drive(pilot: Pilot[None]) -> None:
        await ready(pilot)

    assert snap_compare(BuilderHost(engine, "Empty"), terminal_size=SMALL, run_before=drive)
    engine.close()


def test_text_that_means_harm(store: Path, snap_compare: Any) -> None:
    engine = opened(store)
    draft = engine.open_rubric_draft(RUBRIC)
    hostile = "\x1b]0;owned\x07[red]Name[/red] \u202eover\u202c 日本語"
    first = draft.version.nodes[0]
    engine.save_draft(set_node(draft.version, first.id, name=hostile, description=hostile * 3).version)

    async def drive(pilot: Pilot[None]) -> None:
        await ready(pilot)

    assert snap_compare(BuilderHost(engine), terminal_size=LARGE, run_before=drive)
    engine.close()


def clash(engine: Engine) -> Screen[Any]:
    base = engine.open_rubric_draft(RUBRIC).version
    first, last = base.nodes[0].id, base.nodes[-1].id
    mine = set_node(base, first, weight=3.0, description="What we hand over is safe with them.").version
    mine = set_node(mine, base.nodes[4].id, name="Dates").version
    theirs = set_node(base, first, weight=2.0).version
    theirs = set_node(theirs, last, is_advisory=False).version
    return ClashScreen(Clash(base, mine, theirs, 7, saved_by="m.okafor"))


def what_if(engine: Engine) -> Screen[Any]:
    opened_draft = engine.open_rubric_draft(RUBRIC)
    assert opened_draft.published is not None
    passed, below, failed = Outcome.PASSED, Outcome.BELOW_THRESHOLD, Outcome.GATE_FAILED
    found = WhatIf(
        total=240,
        compared=238,
        outcome_changes=31,
        band_changes=40,
        mean_change=-0.0312,
        shifts=(
            OutcomeShift(before=passed, after=passed, count=160),
            OutcomeShift(before=failed, after=failed, count=49),
            OutcomeShift(before=passed, after=below, count=31),
        ),
        movers=(
            Mover(
                evaluation_id="1",
                title="Fennimore Label Works",
                before=0.71,
                after=0.48,
                outcome_before=passed,
                outcome_after=below,
            ),
        ),
        lost=(LostAnswers(key="price", criterion_gone=True, count=240),),
        new_keys=("way-out",),
        left_out=True,
    )

    class Shown(WhatIfScreen):
        def _ask(self) -> Any:
            self._show(what_if_lines(found, self._published, self._draft))

    return Shown(opened_draft.version, opened_draft.published)


SCREENS: dict[str, Callable[[Engine], Screen[Any]]] = {"clash": clash, "what_if": what_if}


@SIZES
@pytest.mark.parametrize("name", SCREENS)
def test_its_screens(name: str, size: tuple[int, int], store: Path, snap_compare: Any) -> None:
    engine = opened(store)

    async def drive(pilot: Pilot[None]) -> None:
        await ready(pilot)
        await pilot.app.push_screen(SCREENS[name](engine))
        await pilot.pause(0.2)

    assert snap_compare(BuilderHost(engine), terminal_size=size, run_before=drive)
    engine.close()
