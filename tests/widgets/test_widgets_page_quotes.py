"""Evidence that names a page of a text leads to the quote on that page."""

from __future__ import annotations

from textual.app import App, ComposeResult

from rubrictui.core.pages import paged_text
from rubrictui.core.records import Subject
from rubrictui.widgets.subject_pages import subject_pages
from rubrictui.widgets.subject_view import SubjectView

TEXT = paged_text(["The tide rises.", "Nothing.", "The tide rises."])


class _Host(App[None]):
    def compose(self) -> ComposeResult:
        yield SubjectView(subject_pages(Subject(record_id="x", text=TEXT)))


async def test_the_same_words_on_two_pages_are_told_apart() -> None:
    app = _Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.query_one(SubjectView)
        assert view.show_quote("page 3", "tide")
        assert view._found == (TEXT.rindex("tide"), TEXT.rindex("tide") + 4)
        assert view.show_quote("page 1", "tide", 4)
        assert view._found is not None
        assert view._found[0] == TEXT.index("tide")
        assert not view.show_quote("page 2", "tide")
        assert not view.show_quote("page 9", "tide")
