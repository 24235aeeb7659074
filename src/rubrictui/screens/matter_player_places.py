"""Finding one's way in the documents of a matter: searching, and going to sections that are cited."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual import work

from rubrictui.matters.sections import citation_of
from rubrictui.screens import matter_outline as outline
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matter_outline import Target
from rubrictui.screens.matter_player_sending import PlayerSending
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted

if TYPE_CHECKING:
    from rubrictui.screens.matter_session import StepRecord

HIT_COLUMNS = (Column("Section", width=16), Column("Words", minimum=20))
PLACE_COLUMNS = (Column("Section", width=18), Column("Heading", minimum=16), Column("", width=4))

_CITED = re.compile(r"([\w.-]+) ?§ ?([\w.-]*\w)")
_SEARCH, _SEARCH_MATTER = "search", "search matter"


class PlayerPlaces(PlayerSending):
    """The part of the player that searches and goes to places."""

    if TYPE_CHECKING:

        @property
        def listed(self) -> RowsList: ...
        def lines_of(self, target: Target) -> list[Line] | None: ...

    async def action_search(self) -> None:
        """Search within the open document."""
        await self.ask_line("Search", _SEARCH, value=self.reader.words)

    async def action_search_matter(self) -> None:
        """Search all documents; uses a step."""
        await self.ask_line("Find in all documents (a step)", _SEARCH_MATTER)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        purpose, value = message.prompt.purpose, message.value
        await self.end_line()
        if purpose == _SEARCH:
            self.show_reader()
            self.set_focus(self.reader)
            self.reader.search(value)
        elif purpose == _SEARCH_MATTER:
            if len(value.strip()) < 3:
                self.tell("Type at least three characters; no step was used.")
            else:
                self._find_all(value)
        else:
            self.line_given(purpose, value)

    def line_ended(self, purpose: str) -> None:
        self.focus_left()

    @work(exit_on_error=False, exclusive=True, group="act")
    async def _find_all(self, words: str) -> None:
        record = await self.act_if_wanted({"type": "search_matter", "query": words})
        if record is not None and record.result["kind"] == "search":
            self.show_hits(record)

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def show_hits(self, record: StepRecord) -> None:
        result = record.result
        rows = [
            Row(f"{document_id}\t{token}", (citation_of(document_id, token), snippet))
            for (document_id, token), snippet in zip(result["hits"], result["snippets"], strict=True)
        ]
        title = f"“{result['query']}” stands in {counted(result['hit_count'], 'section')}"
        await self._choose_place(
            ChooseScreen(title, HIT_COLUMNS, rows, empty="No section holds these words.")
        )

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def action_go(self) -> None:
        """Go to a section; those that the text in view cites come first."""
        cited = self._cited()
        rows = [self._place_row(*place, "Cited here") for place in cited]
        rows += [
            self._place_row(document["id"], token, document["title"])
            for document in self.session.observation["documents"]
            for token in document["sections"]
            if (document["id"], token) not in cited
        ]
        await self._choose_place(ChooseScreen("Go to which section?", PLACE_COLUMNS, rows))

    def _place_row(self, document_id: str, token: str, section: str) -> Row:
        read = self.session.is_read(document_id, token)
        heading = self.session.heading(document_id, token)
        return Row(
            f"{document_id}\t{token}",
            (citation_of(document_id, token), heading, "read" if read else ""),
            section=section,
            tone="" if read else "muted",
        )

    def _cited(self) -> tuple[tuple[str, str], ...]:
        """The sections cited in what is shown: in the row of the list, else in the section at hand."""
        target = self.target
        text = ""
        lines = self.lines_of(target) if target is not None and self.has_class("-detail") else None
        here: tuple[str, str] | None = None
        if lines is not None:
            text = "\n".join("".join(piece for piece, _ in line) for line in lines)
        elif (here := self.reader.citation) is not None:
            text = self.session.section_text(*here) or ""
        found: dict[tuple[str, str], None] = {}
        for match in _CITED.finditer(text):
            if self.session.resolves(citation_of(*match.groups())):
                found[match.group(1), match.group(2)] = None
        if here is not None:  # "Section 4.2" within the same document
            for token in re.findall(r"(?:[Ss]ections?|[Cc]lauses?|§) ?([\w.-]*\w)", text):
                if self.session.resolves(citation_of(here[0], token)) and token != here[1]:
                    found[here[0], token] = None
        return tuple(found)

    async def _choose_place(self, choice: ChooseScreen) -> None:
        chosen = await self.app.push_screen_wait(choice)
        if chosen is not None:
            document_id, token = chosen.split("\t")
            self.show_reader()
            if self.form_key is None:
                target = Target(outline.SECTION, document_id, token)
                self.listed.go_to(target.row_id)
            self.reader.go_to(document_id, token)
            if self.session.is_read(document_id, token):
                self.set_focus(self.reader)
            else:
                self.tell(f"{citation_of(document_id, token)} is not read yet: Enter in the list reads it.")
                self.focus_left()
