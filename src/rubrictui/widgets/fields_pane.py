"""The fields of the selected node, or of the whole version, each with an editor that opens in its place.

Values come in through ``show_node`` and ``show_version``; what the author does goes out as messages to the
screen, parsed and checked. Nothing is kept here but what is being typed: what is shown is what is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from rubrictui.core.model import Node, Scale, VersionSnapshot, fold_id
from rubrictui.core.problems import Problem
from rubrictui.widgets.field_editing import EditingPane
from rubrictui.widgets.field_list import FieldsList
from rubrictui.widgets.field_model import Field, FieldKind
from rubrictui.widgets.field_numbers import begins_number
from rubrictui.widgets.field_rows import node_fields, version_fields
from rubrictui.widgets.field_rule import RuleTrial


class FieldsPane(EditingPane):
    """Fields as a list; Enter or typing edits the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "edit", "Edit", id="fields.edit", tooltip="Edit this field, or switch it"),
        Binding("space", "switch", "Switch", id="fields.switch", tooltip="Switch between yes and no"),
        Binding("delete", "clear", "Empty", key_display="Del", id="fields.clear", tooltip="Empty this field"),
        Binding("t", "trial", "Try the rule", id="fields.trial", tooltip="Try the rule on a subject"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Edit the field under the cursor; a digit begins a number at once. |
    | space | Switch between yes and no. |
    | delete | Empty a field that may be empty. |
    | t | On the evaluator's settings: try the rule on a subject. |
    """

    class PaneMessage(Message):
        """About one node; ``target`` is its id, None for the whole version."""

        def __init__(self, pane: FieldsPane, target: str | None) -> None:
            super().__init__()
            self.pane = pane
            self.target = target

        @property
        def control(self) -> FieldsPane:
            return self.pane

    class Changed(PaneMessage):
        """A field is to have ``value``, parsed and checked.

        ``field`` is the name in the model; ``scale`` comes with the Scale (or None), ``anchor`` with (level
        id, text). All changes of one ``edit`` are one step to undo. ``label`` says which field, for people.
        """

        def __init__(
            self, pane: FieldsPane, target: str | None, field: str, value: Any, *, edit: int, label: str
        ) -> None:
            super().__init__(pane, target)
            self.field = field
            self.value = value
            self.edit = edit
            self.label = label

    class RekeyAsked(PaneMessage):
        """The node is to have another key; it is free and may be a key."""

        def __init__(self, pane: FieldsPane, target: str | None, key: str) -> None:
            super().__init__(pane, target)
            self.key = key

    class BandsAsked(PaneMessage):
        """The bands are to be edited."""

    class NewScaleAsked(PaneMessage):
        """The criterion is to be answered on a scale that does not exist yet."""

    class RuleTestAsked(PaneMessage):
        """A rule is to be tried on a subject; ``show_trial`` takes what comes of it."""

        def __init__(
            self,
            pane: FieldsPane,
            target: str | None,
            config: Mapping[str, Any] | None,
            scale: Scale | None,
        ) -> None:
            super().__init__(pane, target)
            self.config = config
            self.scale = scale

    # -- values in

    @property
    def target(self) -> str | None:
        """The id of the node that is shown; None for the whole version."""
        return self._node.id if self._node is not None else None

    @property
    def current(self) -> Field | None:
        """The field under the cursor."""
        return self._list.current

    @property
    def fields_list(self) -> FieldsList:
        """The rows."""
        return self._list

    def set_scales(self, scales: Sequence[Scale], *, frozen: Collection[str] = ()) -> None:
        """What a criterion may be answered on besides the scales of the draft.

        Args:
            frozen: ids of scales that a published version uses.
        """
        self._scales = tuple(scales)
        self._frozen_scales = frozenset(map(fold_id, frozen))

    def show_node(
        self,
        version: VersionSnapshot,
        node: Node,
        *,
        shares: Mapping[str, float | None],
        problems: Iterable[Problem] = (),
        frozen_keys: Collection[str] = (),
    ) -> None:
        """Show one node of a draft. The cursor stays on its field, and what is being typed stays too.

        Args:
            version: the draft.
            node: one of its nodes.
            shares: each node's share (0..1) of its group, by node id.
            problems: of the draft, or of this node alone.
            frozen_keys: keys of the published version that the draft is based on.
        """
        self._show(
            version,
            node,
            node_fields(version, node, shares=shares, problems=problems, frozen_keys=frozen_keys),
        )

    def show_version(self, version: VersionSnapshot, problems: Iterable[Problem] = ()) -> None:
        """Show what holds for the whole version; of the problems those that are about no node."""
        self._show(version, None, version_fields(version, problems=problems))

    def _show(self, version: VersionSnapshot, node: Node | None, rows: tuple[Field, ...]) -> None:
        target = node.id if node is not None else None
        is_other = target != self.target or self._version is None
        if is_other:
            self.close_editor()
            self._list.say()
        self._version, self._node = version, node
        edit = self._edit
        if edit is not None:
            stored = next((row for row in rows if row.id == edit.field.id), None)
            if stored is None:
                self._hide_editor()
            else:
                self._meet(edit, stored)
        self._list.show(
            rows,
            cursor=edit.field.id if edit is not None else None,
            keep_place=not is_other,
            threshold=version.pass_threshold,
        )
        self._say()
        if self.has_focus_within:
            self.refresh_bindings()

    def go_to(self, field: str, level_id: str = "") -> bool:
        """Put the cursor on a field by its name in the model; False when it is not listed."""
        return self._list.go_to(f"{field}:{fold_id(level_id)}" if level_id else field)

    def refuse(self, text: str) -> None:
        """Say in the field under the cursor why something was not taken."""
        self._tell(((text, "error"),))

    def show_trial(self, trial: RuleTrial) -> None:
        """Show what a rule answered, under the evaluator's settings."""
        if self._edit is None:
            self.go_to("evaluator_config")
        self._tell(trial.lines)

    # -- keys of the list

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An editor has its own keys; without one the keys are those of the field under the cursor."""
        if action not in ("edit", "switch", "clear", "trial"):
            return True
        row = self._list.current
        if self._edit is not None or row is None:
            return False
        if action == "edit":
            return row.kind is not FieldKind.FIXED
        if action == "switch":
            return row.kind is FieldKind.BOOLEAN
        if action == "clear":
            return row.optional and (not row.is_unset or (self.target, row.id) in self._unsaved)
        return row.kind is FieldKind.YAML and bool(row.value)

    def on_key(self, event: events.Key) -> None:
        """A digit on a number begins to type it anew."""
        row = self._list.current
        if (
            self._edit is None
            and row is not None
            and row.kind is FieldKind.NUMBER
            and begins_number(event.character)
        ):
            event.stop()
            event.prevent_default()
            self._open(row, typed=event.character)

    def on_click(self, event: events.Click) -> None:
        """A click on the field under the cursor edits it."""
        if event.widget is self._list and self._edit is None:
            self.action_edit()

    def action_edit(self) -> None:
        """Edit the field under the cursor, or switch it."""
        row = self._list.current
        if row is None or row.kind is FieldKind.FIXED:
            return
        if row.kind is FieldKind.BOOLEAN:
            self.action_switch()
        elif row.kind is FieldKind.BANDS:
            self._send(self.BandsAsked(self, self.target))
        else:
            self._open(row)

    def action_switch(self) -> None:
        """Switch between yes and no."""
        row = self._list.current
        if row is not None and row.kind is FieldKind.BOOLEAN:
            self._edits += 1
            self._change(self.target, row, not row.value, self._edits)

    def action_clear(self) -> None:
        """Empty the field under the cursor."""
        row = self._list.current
        if row is None or not row.optional:
            return
        self._unsaved.pop((self.target, row.id), None)
        self._faults.pop((self.target, row.id), None)
        self._list.say()
        if not row.is_unset:
            self._edits += 1
            self._change(self.target, row, "" if row.kind is FieldKind.TEXT else None, self._edits)

    def action_trial(self) -> None:
        """Try the rule on a subject."""
        row = self._list.current
        if row is not None and row.kind is FieldKind.YAML:
            self._ask_trial(self.target, row.value)

    # -- messages out

    def _change(self, target: str | None, row: Field, value: Any, edit: int) -> None:
        carried = (row.level_id, value) if row.name == "anchor" else value
        self._send(self.Changed(self, target, row.name, carried, edit=edit, label=row.label.lower()))

    def _rekey(self, target: str | None, key: str) -> None:
        self._send(self.RekeyAsked(self, target, key))

    def _ask_scale(self, target: str | None) -> None:
        self._send(self.NewScaleAsked(self, target))

    def _ask_trial(self, target: str | None, config: Mapping[str, Any] | None) -> None:
        self._send(self.RuleTestAsked(self, target, config, self._scale()))
