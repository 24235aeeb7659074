"""The subject to read beside the criteria: pages, scrolling, searching, and quotes picked by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from rubrictui.widgets.document import Page, ShownRow
from rubrictui.widgets.drawn_lines import DrawnLines
from rubrictui.widgets.quote_picker import Picker
from rubrictui.widgets.steady_scroll import SteadyScroll
from rubrictui.widgets.subject_pages import SubjectPage, build_page, cited_page, page_tokens
from rubrictui.widgets.text import one_line, truncate

if TYPE_CHECKING:
    from markdown_it.token import Token

PARSE_AT_ONCE = 20_000
"""Characters of Markdown up to which a page is formatted before it is first shown."""

_STYLES = (
    "cursor",
    "code",
    "em",
    "found",
    "heading",
    "heading-1",
    "link",
    "muted",
    "name",
    "page",
    "page-open",
    "selected",
    "strike",
    "strong",
    "text",
)


class SubjectView(DrawnLines, SteadyScroll, can_focus=True):
    """A reader for the pages of one subject. Its first line names the pages."""

    ALLOW_SELECT = False

    # With priority, so that keys that arrive together act in the order they were typed.
    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that the way to the criteria is in the footer at any width.
        Binding(
            "tab",
            "screen.answer_criteria",
            "Criteria",
            key_display="Tab",
            priority=True,
            id="subject.criteria",
            tooltip="Answer the criteria",
        ),
        Binding("up,k", "line(-1)", "Up", show=False, priority=True, id="subject.up"),
        Binding("down,j", "line(1)", "Down", show=False, priority=True, id="subject.down"),
        Binding("pageup", "screenful(-1)", "Page up", show=False, priority=True, id="subject.page_up"),
        Binding("pagedown", "screenful(1)", "Page down", show=False, priority=True, id="subject.page_down"),
        Binding("home", "edge(-1)", "Top", show=False, priority=True, id="subject.home"),
        Binding("end", "edge(1)", "End", show=False, priority=True, id="subject.end"),
        Binding("right,l", "sideways(1)", "Next page", show=False, priority=True, id="subject.right"),
        Binding("left,h", "sideways(-1)", "Previous page", show=False, priority=True, id="subject.left"),
        Binding("space", "mark", "Page down; select", show=False, priority=True, id="subject.mark"),
        Binding("w", "word(1)", "Word", priority=True, id="subject.word"),
        Binding("b", "word(-1)", "Word back", show=False, priority=True, id="subject.word_back"),
        Binding("s", "sentence", "Sentence", priority=True, id="subject.sentence"),
        Binding("enter", "take", "Take quote", priority=True, id="subject.take"),
        Binding("slash", "screen.search", "Search", key_display="/", priority=True, id="subject.search"),
        Binding("n", "again(1)", "Next match", priority=True, id="subject.next_match"),
        Binding("N", "again(-1)", "Previous match", show=False, priority=True, id="subject.previous_match"),
        Binding("m", "as_written", "As written", priority=True, id="subject.as_written"),
        Binding("q", "pick", "Quote", priority=True, id="subject.pick"),
        Binding(
            "escape",
            "leave_picking",
            "Stop quoting",
            key_display="Esc",
            priority=True,
            id="subject.leave_picking",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab | To the criteria. |
    | up, k / down, j | Scroll; while quoting, move the cursor a row. |
    | pageup / pagedown | A page. |
    | home / end | The top / the end; while quoting, of the row. |
    | left, h / right, l | The previous / next page; while quoting, a character. |
    | / | Search within the page. |
    | n / N | The next / previous match. |
    | m | Formatted, or as it was written. |
    | q | Pick a quote for the criterion under the cursor. |
    | w / b | While quoting: the next word (its end while selecting) / the word before. |
    | space | While quoting: begin the selection, or give it up. |
    | s | While quoting: select the sentence; again adds the next one. |
    | enter | While quoting: take the quote. |
    | escape | Stop quoting. |
    """

    STYLE_PREFIX = "subject"

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"subject--{name}" for name in _STYLES}
    """
    | Class | Description |
    | :- | :- |
    | `subject--page`, `subject--page-open` | The name of a page, and of the one shown. |
    | `subject--text`, `subject--muted`, `subject--name` | Text, lesser text, the names of data. |
    | `subject--heading-1`, `subject--heading` | Headings. |
    | `subject--strong`, `subject--em`, `subject--strike`, `subject--code`, `subject--link` | Formatted text. |
    | `subject--found` | What was searched for. |
    | `subject--cursor`, `subject--selected` | While quoting: the cursor and the selection. |
    """

    DEFAULT_CSS = """
    SubjectView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
        & > .subject--page { color: $text-muted; }
        & > .subject--page-open { text-style: bold underline; }
        & > .subject--muted { color: $text-muted; }
        & > .subject--name { color: $primary; }
        & > .subject--heading-1 { color: $accent; text-style: bold underline; }
        & > .subject--heading { color: $accent; text-style: bold; }
        & > .subject--strong { text-style: bold; }
        & > .subject--em { text-style: italic; }
        & > .subject--strike { text-style: strike; }
        & > .subject--code { color: $secondary; }
        & > .subject--link { color: $primary; text-style: underline; }
        & > .subject--found { text-style: bold underline reverse; }
        & > .subject--cursor { text-style: bold reverse underline; }
        & > .subject--selected { text-style: reverse; }
    }
    """

    class QuotePicked(Message):
        """A quote was taken: ``text`` stands at ``start`` to ``end`` of ``source``."""

        def __init__(self, text: str, source: str, start: int, end: int) -> None:
            super().__init__()
            self.text = text
            self.source = source
            self.start = start
            self.end = end

    class PickingEnded(Message):
        """Quoting was given up."""

    class Refused(Message):
        """Something cannot be done here; ``reason`` is for people."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(
        self,
        pages: Sequence[SubjectPage],
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._pages = tuple(pages)
        self._shown = 0
        self._as_written = False
        self._built: dict[tuple[int, bool], Page] = {}
        self._page: Page | None = None
        self._has_place = False
        self._picker: Picker | None = None
        self._words = ""
        self._found: tuple[int, int] | None = None
        self._tokens: dict[int, list[Token]] = {}
        self._tops: dict[int, int] = {}

    # -- what is shown

    @property
    def page(self) -> SubjectPage:
        """The page that is open."""
        return self._pages[self._shown]

    @property
    def pages(self) -> tuple[SubjectPage, ...]:
        return self._pages

    def set_pages(self, pages: Sequence[SubjectPage]) -> None:
        """Replace the pages. The open one, and the row it was left at, are kept by their places."""
        self._pages = tuple(pages)
        self._shown = min(self._shown, len(self._pages) - 1)
        self._tokens.clear()
        self._built.clear()
        self._found = None
        if self._page is not None:
            self._build()

    @property
    def is_picking(self) -> bool:
        """Whether a quote is being picked."""
        return self._picker is not None

    @property
    def words(self) -> str:
        """What was searched for last."""
        return self._words

    @property
    def _line_width(self) -> int:
        # From the size: the screen's map of regions is older while a resize is handled.
        return max(self.size.width - self.scrollbar_size_vertical, 1)

    @property
    def _text_width(self) -> int:
        return max(self._line_width - 2, 10)

    def _ready(self) -> Page:
        """The open page. What is asked of a view that was never shown is done at once and comes into view
        with it: the keys that follow are on their way already."""
        if self._page is None:
            self._has_place = True
            self._build()
        assert self._page is not None
        return self._page

    def _build(self) -> None:
        """Make the open page for the present width; keeps the place in the text."""
        as_written = self._as_written or not self._is_parsed()
        key = (self._shown, as_written)
        if key not in self._built:
            tokens = None if as_written else self._tokens.get(self._shown)
            self._built[key] = build_page(self.page, self._text_width, tokens)
        self._page = self._built[key]
        self.virtual_size = Size(self._line_width, self._page.row_count + 1)
        self.forget_lines()
        self.refresh()

    def _is_parsed(self) -> bool:
        """Whether the open page can be formatted now. A long one is read in a thread, and shown as written until then."""
        if not self.page.is_markdown:
            return False
        if self._shown not in self._tokens:
            if len(self.page.text) > PARSE_AT_ONCE:
                self._parse_later(self._shown)
                return False
            self._tokens[self._shown] = page_tokens(self.page)
        return True

    @work(thread=True, group="parse", exit_on_error=False)
    def _parse_later(self, index: int) -> None:
        tokens = page_tokens(self._pages[index])
        self.app.call_from_thread(self._parsed, index, tokens)

    def _parsed(self, index: int, tokens: list[Token]) -> None:
        self._tokens[index] = tokens
        if index == self._shown and not self._as_written and self._picker is None and self._page is not None:
            source = self._page.source_of_row(round(self.scroll_y))
            self._build()
            self.scroll_to(y=self._page.row_of_source(source) if source else 0, animate=False, force=True)

    def open_page(self, index: int) -> None:
        """Show another page, at the row where it was left."""
        index = min(max(index, 0), len(self._pages) - 1)
        if index == self._shown:
            return
        self._tops[self._shown] = round(self.scroll_y)
        self._shown = index
        self._found = None
        self._build()
        self.scroll_to(y=self._tops.get(index, 0), animate=False, force=True)
        self.refresh_bindings()

    def action_as_written(self) -> None:
        """Change between formatted and as written, at the same place."""
        if self._page is None or not self.page.is_markdown:
            self.post_message(self.Refused("This page is shown as it was written."))
            return
        source = self._page.source_of_row(round(self.scroll_y))
        self._as_written = not self._as_written
        self._found = None
        self._build()
        self.scroll_to(y=self._page.row_of_source(source), animate=False, force=True)

    # -- moving

    def _scroll_by(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_y + rows, animate=False, force=True)

    def scroll_rows(self, rows: int) -> None:
        """Scroll by so many rows, for a screen whose focus is elsewhere."""
        self._scroll_by(rows)

    @property
    def _height(self) -> int:
        return max(self.size.height - 1, 1)

    def action_line(self, step: int) -> None:
        """Scroll a row, or move the cursor a row."""
        if self._picker is not None:
            self._pick(self._picker.by_row(step))
        else:
            self._scroll_by(step)

    def action_screenful(self, step: int) -> None:
        """Scroll or move by a page of rows."""
        rows = max(self._height - 1, 1) * step
        if self._picker is not None:
            self._pick(self._picker.by_row(rows))
        else:
            self._scroll_by(rows)

    def action_edge(self, step: int) -> None:
        """Go to the top or the end, of the row while quoting."""
        if self._picker is not None:
            self._pick(self._picker.to_row_edge(step))
        elif self._page is not None:
            self.scroll_to(y=0 if step < 0 else self._page.row_count, animate=False, force=True)

    def action_sideways(self, step: int) -> None:
        """Open the next page, or move a character while quoting."""
        if self._picker is not None:
            self._pick(self._picker.by_character(step))
        else:
            self.open_page(self._shown + step)

    # -- searching

    def action_again(self, step: int) -> None:
        """Go to the next or previous match."""
        if self._page is None or not self._words:
            return
        start = self._found[0] if self._found else self._page.row(round(self.scroll_y))[0] - 1
        self._search_from(start + 1 if step > 0 else start, backwards=step < 0)

    def search(self, words: str) -> bool:
        """Show the first match at or below the top of the view; False when there is none."""
        self._words = words
        self._found = None
        if self._page is None or not words:
            self.paint_lines()
            return not words
        start = self._picker.cursor if self._picker else self._page.row(round(self.scroll_y))[0]
        return self._search_from(start)

    def _search_from(self, start: int, *, backwards: bool = False) -> bool:
        assert self._page is not None
        self._found = self._page.find(self._words, start, backwards=backwards)
        if self._found is not None:
            if self._picker is not None:
                self._picker = self._picker.at(self._found[0])
            self._show_row(self._page.row_of(self._found[0]))
        else:
            self.post_message(self.Refused(f"“{one_line(self._words, 40)}” is not on this page."))
        self.paint_lines()
        self.refresh_bindings()
        return self._found is not None

    def _show_row(self, row: int) -> None:
        top = round(self.scroll_y)
        if not top <= row < top + self._height:
            self.scroll_to(y=max(row - self._height // 3, 0), animate=False, force=True)

    # -- quoting

    def action_pick(self) -> None:
        """Begin to pick a quote on the open page, at the top of the view or the match."""
        if not self.page.source or not self.page.text.strip():
            self.post_message(
                self.Refused(
                    "Quotes come from the text or a text file. Cite data as a note, a file as a file."
                )
            )
            return
        source = self._ready().source_of_row(round(self.scroll_y))
        if not self._ready().is_written:
            self._as_written = True
            self._build()
            self.scroll_to(y=self._ready().row_of_source(source), animate=False, force=True)
        page = self._ready()
        start = self._found[0] if self._found and page.is_written else page.row(page.row_of_source(source))[0]
        picker = Picker(page).at(start)
        if page.text[picker.cursor : picker.cursor + 1].isspace():
            picker = picker.by_word(1)
        self._picker = picker
        self._show_row(page.row_of(picker.cursor))
        self.paint_lines()
        self.refresh_bindings()

    def pick_somewhere(self) -> None:
        """Begin to pick a quote, on the open page or on the first one that can be quoted."""
        if not (self.page.source and self.page.text.strip()):
            for index, page in enumerate(self._pages):
                if page.source and page.text.strip():
                    self.open_page(index)
                    break
        self.action_pick()

    def show_quote(self, source: str, text: str, start: int | None = None) -> bool:
        """Show where a quote stands, marked; False when it does not stand there."""
        place = cited_page(self._pages, source, text, start)
        if place is None:
            return False
        index, start = place
        self.open_page(index)
        if not self._ready().is_written:
            self._as_written = True
            self._build()
        page = self._ready()
        if start is None or page.text[start : start + len(text)] != text:
            start = page.text.find(text)
        if start < 0:
            return False
        self._words = text
        self._found = (start, start + len(text))
        self._show_row(page.row_of(start))
        self.paint_lines()
        self.refresh_bindings()
        return True

    def action_leave_picking(self) -> None:
        """Stop quoting."""
        if self._picker is None:
            return
        self._picker = None
        self.paint_lines()
        self.refresh_bindings()
        self.post_message(self.PickingEnded())

    def action_mark(self) -> None:
        """Begin the selection or give it up; scrolls a page while nothing is being quoted."""
        if self._picker is not None:
            self._pick(self._picker.toggle())
        else:
            self.action_screenful(1)

    def action_word(self, step: int) -> None:
        """Move by a word while quoting."""
        if self._picker is not None:
            self._pick(self._picker.by_word(step))

    def action_sentence(self) -> None:
        """Select the sentence while quoting."""
        if self._picker is not None:
            self._pick(self._picker.sentence())

    def action_take(self) -> None:
        """Take what is selected as a quote."""
        if self._picker is None:
            return
        span = self._picker.span
        if span is None:
            self.post_message(
                self.Refused("Nothing is selected: space begins a selection, s takes a sentence.")
            )
            return
        quote = self._picker.quote
        self._picker = None
        self.paint_lines()
        self.refresh_bindings()
        self.post_message(self.QuotePicked(quote, self.page.source, *span))

    def _pick(self, picker: Picker) -> None:
        self._picker = picker
        row = picker.page.row_of(picker.cursor)
        top = round(self.scroll_y)
        if row < top:
            self.scroll_to(y=row, animate=False, force=True)
        elif row >= top + self._height:
            self.scroll_to(y=row - self._height + 1, animate=False, force=True)
        self.paint_lines()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys for quoting act only while quoting; pages and formats only where there are any."""
        if action in ("word", "sentence", "take", "leave_picking"):
            return self.is_picking
        if action == "pick":
            return not self.is_picking and bool(self.page.source and self.page.text.strip())
        if action == "as_written":
            return not self.is_picking and self.page.is_markdown
        if action == "again":
            return bool(self._words)
        return True

    # -- drawing

    def on_resize(self) -> None:
        place = self._page.row(round(self.scroll_y))[0] if self._page is not None else 0
        was_width = self.virtual_size.width
        if self._page is not None and was_width == self._line_width:
            self._show_place()
            return
        offset = self._page.source_of_row(round(self.scroll_y)) if self._page is not None else 0
        self._built.clear()
        self._build()
        assert self._page is not None
        if self._picker is not None:
            self._picker = Picker(self._page, self._picker.cursor, self._picker.anchor).at(
                self._picker.cursor
            )
        row = self._page.row_of(place) if self._page.is_written else self._page.row_of_source(offset)
        self.scroll_to(y=row if place else 0, animate=False, force=True)
        self._show_place()

    def _show_place(self) -> None:
        """Once it has a size, show what was asked for before."""
        if not self._has_place or self._page is None or not self.size.height:
            return
        self._has_place = False
        if self._picker is not None:
            self._show_row(self._page.row_of(self._picker.cursor))
        elif self._found is not None:
            self._show_row(self._page.row_of(self._found[0]))

    def _make_style(self, name: str) -> Style:
        return self.rich_style + self.get_component_rich_style(f"subject--{name}", partial=True)

    def line_strip(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            return self._page_names(width)
        if self._page is None or (row := round(self.scroll_y) + y - 1) >= self._page.row_count:
            return Strip.blank(width, self.named_style("text"))
        shown = self._page.shown(row)
        end = self._page.row(row)[1]
        segments = [Segment(" ", self.named_style("text"))]
        base = "text"
        offset = 0
        if shown.block is not None:
            base = shown.block.style
            prefix = shown.block.first if shown.is_first else shown.block.rest
            if prefix:
                segments.append(Segment(prefix, self.named_style(shown.block.prefix_style)))
        for text, name in self._pieces(shown, end, base, offset):
            segments.append(Segment(text, self.named_style(name)))
        return Strip(segments).adjust_cell_length(width, self.named_style("text"))

    def _pieces(self, shown: ShownRow, end: int, base: str, offset: int) -> list[tuple[str, str]]:
        """The row's text cut where its style changes; later layers lie over earlier ones."""
        length = len(shown.text)
        layers: list[tuple[int, int, str]] = []
        if shown.block is not None and shown.block.spans:
            line_start = self._line_start(shown)
            layers += [
                (shown.place(line_start + a), shown.place(line_start + b), s) for a, b, s in shown.block.spans
            ]
        if self._page is not None and self._words:
            layers += [
                (shown.place(max(a, shown.start)), shown.place(min(b, end)), "found")
                for a, b in self._page.matches_in(self._words, shown.start, end)
            ]
        if self._picker is not None:
            if (span := self._picker.span) is not None:
                layers.append(
                    (shown.place(max(span[0], shown.start)), shown.place(min(span[1], end)), "selected")
                )
            cursor = self._picker.cursor
            is_here = self._picker.page.row_of(cursor) == self._picker.page.row_of(shown.start)
            if is_here and shown.start <= cursor <= end:
                at = shown.place(cursor)
                layers.append((at, max(shown.place(min(cursor + 1, end)), at + 1), "cursor"))
        if not layers:
            return [(shown.text, base)]
        names = [base] * (length + 1)
        for low, high, name in layers:
            names[max(low, 0) : max(min(high, length + 1), 0)] = [name] * max(
                min(high, length + 1) - max(low, 0), 0
            )
        text = shown.text + (" " if names[length] == "cursor" else "")
        pieces: list[tuple[str, str]] = []
        start = 0
        for index in range(1, len(text) + 1):
            if index == len(text) or names[index] != names[start]:
                pieces.append((text[start:index], names[start]))
                start = index
        return pieces

    def _line_start(self, shown: ShownRow) -> int:
        assert self._page is not None
        return self._page.text.rfind("\n", 0, shown.start) + 1

    def _page_names(self, width: int) -> Strip:
        """The line above the text: the pages, or what to do while quoting."""
        if self._picker is not None:
            text = "Quote: space selects, w b move by word, s sentence, Enter takes, Esc leaves"
            if self._picker.span is not None:
                text = f"Quote, {len(self._picker.quote)} characters: Enter takes it, space gives it up, Esc leaves"
            line = " " + truncate(text, width - 1)
            return Strip([Segment(line, self.named_style("page-open"))]).adjust_cell_length(
                width, self.named_style("text")
            )
        segments = [Segment(" ", self.named_style("text"))]
        room = width - 1
        names = [one_line(page.title, 24) for page in self._pages]
        right = self._position()
        first = self._shown if sum(cell_len(name) + 3 for name in names) > room - len(right) else 0
        if first:
            segments.append(Segment("‹ ", self.named_style("page")))
            room -= 2
        for index, name in enumerate(names[first:], first):
            if cell_len(name) + 4 + len(right) > room:
                segments.append(Segment("›", self.named_style("page")))
                room -= 1
                break
            is_open = index == self._shown
            segments.append(Segment(name, self.named_style("page-open" if is_open else "page")))
            segments.append(Segment("   ", self.named_style("text")))
            room -= cell_len(name) + 3
        if room > len(right):
            segments.append(Segment(" " * (room - len(right) - 1) + right, self.named_style("page")))
        return Strip(segments).adjust_cell_length(width, self.named_style("text"))

    def _position(self) -> str:
        """How far down the view is, and whether the text is as written."""
        if self._page is None:
            return ""
        rows = self._page.row_count
        below = rows - self._height
        part = "all" if below <= 0 else f"{min(round(self.scroll_y) / below, 1):.0%}"
        written = "as written · " if self.page.is_markdown and self._page.is_written else ""
        return written + part
