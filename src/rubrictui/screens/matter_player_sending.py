"""Citing, quoting, sending and accepting while a matter is worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from rubrictui.matters.sections import citation_of
from rubrictui.screens import matter_outline as outline
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.matter_player_forms import PlayerForms
from rubrictui.screens.matter_words import draft_words
from rubrictui.widgets.matter_forms import CITATIONS, PLACE, QUOTES, action_of, form_of, problem
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.subject_view import SubjectView

if TYPE_CHECKING:
    from rubrictui.screens.matter_session import StepRecord

OFFER_COLUMNS = (Column("Label", width=18), Column("Their text", minimum=20))

_BUDGET_OF = {"ask": "questions", "escalate": "escalations", "markup": "rounds", "accept": "rounds"}


class PlayerSending(PlayerForms):
    """The part of the player that puts citations and quotes into the open form, and sends it."""

    def __init__(self) -> None:
        super().__init__()
        self._returns = False

    # -- citing and quoting

    def action_cite(self) -> None:
        """Cite the section at hand in the open form."""
        here = self.reader.citation
        if here is None or self.form_key is None:
            return
        citation = citation_of(*here)
        fields = {field.kind: field.name for field in form_of(self.form_key).fields}
        if PLACE in fields:
            self.put(fields[PLACE], citation)
        elif citation in self.values[fields[CITATIONS]]:
            self.tell(f"{citation} is cited already.")
            return
        else:
            self.put(fields[CITATIONS], [*self.values[fields[CITATIONS]], citation])
        unread = "" if self.session.is_read(*here) else " It has not been read yet."
        self.tell(f"Cited: {citation}.{unread}")

    def action_quote(self) -> None:
        """Pick a quote for the open issue; then it is back to the form."""
        if self.kinds_open() & {QUOTES}:
            self._returns = True
            self.show_reader()
            self.set_focus(self.reader)
            self.reader.action_pick()

    def on_subject_view_picking_ended(self) -> None:
        self._picking_over()

    def _picking_over(self) -> None:
        if self._returns:
            self._returns = False
            self.focus_left()

    def on_subject_view_quote_picked(self, message: SubjectView.QuotePicked) -> None:
        if self.form_key is None or QUOTES not in self.kinds_open():
            self.tell("Open an issue first (i); quotes go into it.")
            return
        document_id = message.source
        here = self.reader.section_at(message.start)
        tokens = [here[1]] if here is not None else []
        tokens += [token for token in ("full", *self.session.tokens(document_id)) if token not in tokens]
        for token in tokens:
            citation = citation_of(document_id, token)
            if self.session.holds(citation, message.text):
                self.put("quotes", [*self.values["quotes"], {"citation": citation, "text": message.text}])
                self.tell(f"Quoted from {citation}.")
                self.show_fields(cursor="quotes")
                self._picking_over()
                return
        self.tell("A quote must stand within one section that was read; this one does not.")

    def on_subject_view_refused(self, message: SubjectView.Refused) -> None:
        self.tell(message.reason)

    # -- sending and accepting

    def action_send(self) -> None:
        """Send the open form."""
        key = self.form_key
        if key is None:
            return
        wrong = problem(key, self.values, self.session.resolves)
        if wrong:
            self.tell(f"{wrong} No step was used.")
        elif key == "final" or self.is_last_step:
            self._send_asking(key)
        else:
            self._sent(key, self.act(action_of(key, self.values)))

    @work(exit_on_error=False, exclusive=True, group="act")
    async def _send_asking(self, key: str) -> None:
        action = action_of(key, self.values)
        if key != "final" or await self._wants_to_end():
            self._sent(key, await self.act_if_wanted(action))

    def _sent(self, key: str, record: StepRecord | None) -> None:
        if record is None or record.result["kind"] == "error":
            return  # the form stays, with all that is written in it
        self.session.drop_draft(key)
        self.leave_form()
        self.show_state()

    async def _wants_to_end(self) -> bool:
        drafts = [draft_words(key) for key in self.session.open_drafts() if key != "final"]
        about = "Nothing can be added after it."
        if drafts:
            about += f" Not sent yet: {', '.join(drafts)}."
        if open_points := self.session.offers():
            about += f" Points still open, with an offer: {', '.join(open_points)}."
        if not self.values["summary"].strip():
            about += " The summary is empty."
        return await confirmed(self, "Hand in?", about, yes="Hand in", no="Back")

    @work(exit_on_error=False, exclusive=True, group="act")
    async def action_accept(self) -> None:
        """Accept the other side's text on a point."""
        offers = self.session.offers()
        target = self.target
        label = target.name if target is not None and target.kind == outline.TABLE else ""
        if label not in offers:
            rows = [Row(name, (name, text)) for name, text in offers.items()]
            chosen = await self.app.push_screen_wait(ChooseScreen("Accept which text?", OFFER_COLUMNS, rows))
            if chosen is None:
                return
            label = chosen
        about = f"Their text:\n\n{offers[label]}\n\nThe point closes on it."
        if await confirmed(self, f"Accept their text on {label}?", about, yes="Accept it", no="Back"):
            await self.act_if_wanted({"type": "accept_counterparty", "issue_id": label})

    def is_possible(self, action: str) -> bool | None:
        """Whether an action of the player does something now."""
        session, form = self.session, self.form_key
        if action == "result":
            return session.ended
        if action in ("send", "cite", "quote"):
            wanted = {"cite": {CITATIONS, PLACE}, "quote": {QUOTES}}.get(action)
            writes = form is not None and not session.ended
            return writes and (wanted is None or bool(self.kinds_open() & wanted))
        if action in _BUDGET_OF:
            left = session.budgets[_BUDGET_OF[action]]
            if form is not None or session.ended or not left:
                return False
            return action != "accept" or bool(session.offers())
        if action in ("issue", "redline", "final", "search_matter", "revise"):
            if form is not None or session.ended:
                return False
            target = self.target if self.is_mounted else None
            return action != "revise" or (
                target is not None and target.kind in (outline.ISSUE, outline.REDLINE)
            )
        return True
