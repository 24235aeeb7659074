"""What the form says when work is given up."""

from __future__ import annotations

from pathlib import Path

from form_host import RUBRIC, FormHost, Template, keys

from rubrictui.core.records import Subject
from rubrictui.engine import Engine


async def test_a_title_that_ends_as_a_question_gets_no_second_stop(tmp_path: Path) -> None:
    with Engine(Template(tmp_path).copy(tmp_path), user="tester") as engine:
        engine.add_subjects([Subject(record_id="heat", title="Out of hospital in a heatwave?", text="Yes.")])
        draft = engine.open_draft(subject="Subject/heat", rubric=RUBRIC, context="Round/spring")
        app = FormHost(engine, draft)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await keys(pilot, "d enter")
            await keys(pilot, '"my_brother" enter')
            assert "Declined: Out of hospital in a heatwave?" in app.notices
