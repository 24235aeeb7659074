"""Writing while a matter is worked: forms and their fields, kept at every change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rubrictui.matters.sections import FULL, citation_of
from rubrictui.screens import matter_outline as outline
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.matter_outline import Target
from rubrictui.screens.matter_words import draft_words
from rubrictui.widgets.block_list import BlockList
from rubrictui.widgets.detail_pane import DetailPane, Line
from rubrictui.widgets.matter_form import MatterEditor, MatterForm
from rubrictui.widgets.matter_forms import (
    CITATIONS,
    LINE,
    PLACE,
    QUOTES,
    TEXT,
    MatterField,
    Values,
    blank,
    form_of,
    is_blank,
)
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rationale_editor import RationaleEditor

if TYPE_CHECKING:
    from rubrictui.screens.matter_session import Action, MatterSession, StepRecord
    from rubrictui.widgets.matter_reader import MatterReader

_FIELD = "field "


class PlayerForms(ShellScreen[None]):
    """The part of the player that writes. A form is open when ``form_key`` names its draft."""

    if TYPE_CHECKING:
        session: MatterSession

        @property
        def reader(self) -> MatterReader: ...
        @property
        def target(self) -> Target | None: ...
        def show_state(self, *, cursor: str | None = None) -> None: ...
        def show_reader(self) -> None: ...
        def tell(self, text: str) -> None: ...
        def focus_left(self) -> None: ...
        @property
        def is_last_step(self) -> bool: ...
        def act(self, action: Action) -> StepRecord | None: ...
        async def act_if_wanted(self, action: Action) -> StepRecord | None: ...

    def __init__(self) -> None:
        super().__init__()
        self.form_key: str | None = None
        self._editor: MatterEditor | None = None

    # -- opening

    async def action_ask(self) -> None:
        """Ask the client."""
        self.open_form("ask")
        await self._write_first()

    def action_escalate(self) -> None:
        """Tell the supervisor of a point."""
        self.open_form("escalate")

    async def action_final(self) -> None:
        """Write the final submission."""
        self.open_form("final")
        await self._write_first()

    def action_issue(self) -> None:
        """Write an issue; it begins with the section at hand as its first citation."""
        here = self._cited_here()
        self.open_form("issue", issue_id=self.session.new_label(), citations=[here] if here else [])

    def action_redline(self) -> None:
        """Rewrite the section at hand."""
        self.open_form("redline", issue_id=self._label_at_hand(), place=self._cited_here())

    def action_markup(self) -> None:
        """Send the other side a text on a point."""
        label = self._label_at_hand()
        self.open_form("markup", issue_id=label, place=self._place_of(label) or self._cited_here())

    def action_revise(self) -> None:
        """Revise the issue or redline under the cursor."""
        target = self.target
        if target is None or target.kind not in (outline.ISSUE, outline.REDLINE):
            return
        observation = self.session.observation
        if target.kind == outline.ISSUE:
            shown = observation["submitted_issues"][int(target.name)]
            self.open_form(f"revise issue:{shown['issue_id']}", **shown)
            return
        shown = observation["submitted_redlines"][int(target.name)]
        place = citation_of(shown["document_id"], shown["section"])
        self.open_form(f"revise redline:{shown['issue_id']} at {place}", **shown, place=place)

    def _cited_here(self) -> str:
        """The section at hand as a citation, when it is in view and was read; "" for none."""
        here = self.reader.citation
        if here is None or here[1] == FULL or self.has_class("-detail") or not self.session.is_read(*here):
            return ""
        return citation_of(*here)

    def _label_at_hand(self) -> str:
        """The label of the row under the cursor; else of the issue that cites the section at hand first."""
        target = self.target
        observation = self.session.observation
        if target is not None and target.kind == outline.ISSUE:
            return str(observation["submitted_issues"][int(target.name)]["issue_id"])
        if target is not None and target.kind == outline.REDLINE:
            return str(observation["submitted_redlines"][int(target.name)]["issue_id"])
        if target is not None and target.kind == outline.TABLE:
            return target.name
        here = self._cited_here()
        for issue in observation["submitted_issues"]:
            if here and here in issue["citations"]:
                return str(issue["issue_id"])
        return ""

    def _place_of(self, label: str) -> str:
        """Where the issue or redline of a label stands."""
        for issue in self.session.observation["submitted_issues"]:
            if issue["issue_id"] == label and issue["citations"]:
                return str(issue["citations"][0])
        for line in self.session.observation["submitted_redlines"]:
            if line["issue_id"] == label:
                return citation_of(line["document_id"], line["section"])
        return ""

    def open_form(self, key: str, **known: Any) -> None:
        """Open a form, as it was left, else with what is known.

        Args:
            key: the draft's key.
            known: values for a new form.
        """
        values = self.session.drafts.get(key)
        if values is None or is_blank(key, values):
            values = blank(key, **known)
            self.session.drafts[key] = values
        else:
            self.tell(f"{draft_words(key)}: here is what you wrote before.")
        self.form_key = key
        self.show_reader()
        self.add_class("-form")
        self.show_fields(cursor=self._first_empty(key, values))
        self.set_focus(self.query_one(MatterForm))
        self.refresh_bindings()

    def _first_empty(self, key: str, values: Values) -> str:
        fields = form_of(key).fields
        return next((field.name for field in fields if not values[field.name]), fields[-1].name)

    async def _write_first(self) -> None:
        """Begin to write at once, where there is but one thing to write; the next key is on its way."""
        if self.form_key is not None:
            await self._write(form_of(self.form_key).fields[0])

    def show_fields(self, *, cursor: str | None = None) -> None:
        if self.form_key is not None:
            form = self.query_one(MatterForm)
            form.show_form(self.form_key, self.values, self.session.resolves, cursor=cursor)

    @property
    def values(self) -> Values:
        """What is written in the open form."""
        return self.session.drafts[self.form_key or ""]

    def put(self, field: str, value: Any) -> None:
        """Change a field of the open form and keep it."""
        if self.form_key is not None:
            self.session.put_draft(self.form_key, {**self.values, field: value})
            self.show_fields()
            self.refresh_bindings()

    def draft_lines(self, key: str) -> list[Line]:
        """What a half-written form holds, to read in the list."""
        values = self.session.drafts.get(key, {})
        lines: list[Line] = [
            [(f"{draft_words(key)}, not sent", "heading")],
            [("Enter goes on writing it.", "muted")],
        ]
        for field in form_of(key).fields:
            value = values.get(field.name)
            if value:
                if field.kind == QUOTES:
                    value = " ".join(f"{item['citation']} “{item['text']}”" for item in value)
                text = ", ".join(value) if isinstance(value, list) else str(value)
                lines += [[], [(field.title, "label")], [(text, "")]]
        return lines

    # -- writing fields

    async def on_block_list_selected(self, message: BlockList.Selected) -> None:
        field = self.query_one(MatterForm).field
        if field is not None:
            await self._write(field)

    async def _write(self, field: MatterField) -> None:
        """Open what a field is written with."""
        if self.form_key is None or self._editor is not None:
            return
        if field.kind == TEXT:
            title = f"{field.title} · Esc back to the form, all is kept"
            self._editor = MatterEditor(field.name, title, self.values[field.name])
            await self.mount(self._editor, before="KeyFooter")
            self._editor.take_focus()
        elif field.kind in (LINE, PLACE):
            await self.ask_line(field.title, _FIELD + field.name, value=self.values[field.name])
        elif field.kind == CITATIONS:
            await self.ask_line("Citation, as msa §4.2", _FIELD + field.name)
        self.refresh_bindings()

    def on_prompt_line_typed(self, message: PromptLine.Typed) -> None:
        """Lines of a form are kept while they are typed."""
        field = message.prompt.purpose.removeprefix(_FIELD)
        if self.form_key is not None and isinstance(self.values.get(field), str):
            self.session.put_draft(self.form_key, {**self.values, field: message.value})

    def line_given(self, purpose: str, value: str) -> None:
        """A line of the form was given."""
        field = purpose.removeprefix(_FIELD)
        if self.form_key is None or field not in self.values:
            return
        if isinstance(self.values[field], list):
            if value:
                self.put(field, [*self.values[field], value])
        else:
            self.put(field, value)
            self._to_next(field)
        self.set_focus(self.query_one(MatterForm))

    def _to_next(self, field: str) -> None:
        names = [one.name for one in form_of(self.form_key or "").fields]
        following = names.index(field) + 1
        self.show_fields(cursor=names[following] if following < len(names) else field)

    def on_rationale_editor_typed(self, message: RationaleEditor.Typed) -> None:
        self.store_typed()

    def store_typed(self) -> None:
        """Keep the text that is being written."""
        if self._editor is not None and self.form_key is not None:
            field, text = self._editor.field, self._editor.text
            if self.values.get(field) != text:
                self.session.put_draft(self.form_key, {**self.values, field: text})

    async def action_close_text(self) -> None:
        """Back from a text to the form; all of it is kept."""
        await self._close_editor()
        self.show_fields()
        self.focus_left()
        self.refresh_bindings()

    async def _close_editor(self) -> None:
        self.store_typed()
        if self._editor is not None:
            editor, self._editor = self._editor, None
            await editor.remove()

    def on_rationale_editor_phrases_requested(self, message: RationaleEditor.PhrasesRequested) -> None:
        here = self.reader.citation
        if here is not None:
            message.editor.insert(citation_of(*here))

    def on_rationale_editor_external_requested(self, message: RationaleEditor.ExternalRequested) -> None:
        from textual.app import SuspendNotSupported

        from rubrictui.core.errors import RubrictuiError
        from rubrictui.screens.scoring_external import edit

        self.store_typed()
        try:
            with self.app.suspend():
                text = edit(message.editor.text)
        except SuspendNotSupported:
            self.tell("This terminal cannot be lent to an editor: write here.")
        except RubrictuiError as error:
            self.tell(str(error))
        else:
            if text is not None:
                message.editor.put(text)

    def on_matter_form_changed(self, message: MatterForm.Changed) -> None:
        self.put(message.field, message.value)

    def kinds_open(self) -> set[str]:
        return {field.kind for field in form_of(self.form_key).fields} if self.form_key is not None else set()

    # -- closing

    def leave_form(self) -> None:
        self.form_key = None
        self.remove_class("-form")
        self.focus_left()
        self.refresh_bindings()

    async def close_open(self) -> bool:
        """Close the innermost thing that is open; False when nothing is. What is written stays."""
        if self.is_asking:
            await self.end_line()
            return True
        if self._editor is not None:
            await self._close_editor()
            self.show_fields()
            self.focus_left()
            return True
        if self.form_key is None:
            return False
        if not self.query_one(MatterForm).has_focus and not self.query_one(DetailPane).has_focus:
            self.focus_left()
            return True
        key = self.form_key
        if is_blank(key, self.values):
            self.session.drop_draft(key)
        else:
            self.tell(f"{draft_words(key)} is kept; it stands in the list under Begun.")
        self.leave_form()
        self.show_state()
        return True
