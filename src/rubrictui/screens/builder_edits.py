"""What the keys of the tree do to a draft: each is one edit, stored at once, and undone with ``u``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal
from uuid import uuid4

from textual import work
from textual.message import Message

from rubrictui.core.editing import (
    Edited,
    EditError,
    add_node,
    copy_subtree,
    delete,
    duplicate,
    indent,
    move,
    move_to,
    outdent,
    paste,
    rekey,
    rename,
    set_anchor,
    set_node,
    set_version,
    use_scale,
    with_scales,
)
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.explain import number
from rubrictui.core.model import Node, NodeType, RollupMethod, VersionSnapshot, fold_id
from rubrictui.screens.builder_base import TREE, BuilderBase
from rubrictui.screens.builder_clip import clip_of, keep_clip
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.scale_choice import ScaleChoiceScreen
from rubrictui.widgets.builder_rows import ROOT, is_group
from rubrictui.widgets.fields_pane import FieldsPane
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted, one_line

NAME_CRITERION, NAME_GROUP, RENAME, REKEY, WEIGHT, GATE = (
    "name_criterion",
    "name_group",
    "rename",
    "rekey",
    "weight",
    "gate",
)
SEARCH = "search"

TOP_LEVEL = "(top)"

GROUP_COLUMNS = (
    Column("Group", share=3, minimum=24),
    Column("Children", width=8, right=True),
    Column("Key", minimum=12, drop=1),
)
_ROLLUPS = (RollupMethod.WEIGHTED_MEAN, RollupMethod.MINIMUM, RollupMethod.MAXIMUM)
_ROLLUP_WORDS = {
    RollupMethod.WEIGHTED_MEAN: "the weighted mean",
    RollupMethod.MINIMUM: "its lowest child",
    RollupMethod.MAXIMUM: "its highest child",
}


def new_id() -> str:
    """A fresh id as the store keeps them."""
    return str(uuid4())


def title_of(node: Node) -> str:
    """A node by its name, cut for a line."""
    return one_line(node.name or node.key, 40)


class BuilderEdits(BuilderBase):
    """The builder's keys that edit."""

    _delete_asked: str | None = None

    # -- the way of every edit

    def edit(
        self,
        change: Callable[[VersionSnapshot], Edited],
        label: str,
        *,
        at: str | None = None,
        run: str | None = None,
        follow: bool = True,
        in_fields: bool = False,
        said: str = "",
    ) -> bool:
        """Make an edit, store it, show it. A refusal is said where it was made and changes nothing.

        Args:
            label: what is done, in words.
            at: the node it is done at.
            run: edits in a row with the same word undo as one.
            follow: put the cursor where the edit leads.
            in_fields: it was made in the fields, so a refusal is said there.
            said: what is said when it is done.
        """
        self._delete_asked = None
        if not self._may_edit():
            return False
        try:
            edited = change(self.session.version)
        except EditError as error:
            text = f"{error.message} {error.remedy}".strip()
            (self.fields.refuse if in_fields else self.tree_pane.note)(text)
            return False
        if not self.session.apply(edited, label, at=at, run=run):
            return False
        self._may_leave_unsaved = False
        self.show_draft(focus=fold_id(edited.focus) if follow else None, said=said)
        return True

    def _may_edit(self) -> bool:
        if not self.is_open:
            return False
        if self.session.is_closed:
            self.say(f"{self.session.problem} Nothing can be changed here any more.", error=True)
            return False
        return True

    @property
    def _node(self) -> Node | None:
        return self.tree_pane.current

    def _where(self, kind: NodeType | None = None) -> tuple[Node | None, Literal["inside", "after"]]:
        """Where something new goes, and beside what; no node stands for the end of the top level.

        A criterion goes inside the group of the row, else after the row. A group goes after the group of the row,
        because most rubrics are flat: ``>`` puts it into the one above.
        """
        node = self._node
        if node is None:
            return None, "after"
        if kind is NodeType.GROUP:
            parent = self.tree_pane.shape.node(self.tree_pane.shape.parent(fold_id(node.id)))
            return (parent if not is_group(node) and parent is not None else node), "after"
        return node, "inside" if is_group(node) else "after"

    # -- adding

    async def action_add(self, kind: str) -> None:
        """Ask for the name of a new criterion or group."""
        if not self._may_edit():
            return
        what, purpose = ("group", NAME_GROUP) if kind == NodeType.GROUP else ("criterion", NAME_CRITERION)
        at, where = self._where(NodeType(kind))
        place = "" if at is None else f" {'in' if where == 'inside' else 'after'} {title_of(at)}"
        await self.ask_line(f"New {what}{place}:", purpose, placeholder="its name; Enter adds it, Esc leaves")

    def _add(self, kind: NodeType, name: str) -> None:
        at, where = self._where(kind)
        place = at.id if at is not None else None
        own = new_id()
        made = self.edit(
            lambda version: add_node(version, kind, id=own, name=name, at=place, where=where),
            f"add the {kind.value.lower()} {one_line(name, 40)}",
        )
        node = self._node
        if made and node is not None and node.is_criterion and not node.scale_id:
            self.tree_pane.note("c chooses the scale it is answered on.")

    # -- one-line questions

    def line_ended(self, purpose: str) -> None:
        self.show_pane(TREE)

    def on_prompt_line_typed(self, message: PromptLine.Typed) -> None:
        if message.prompt.purpose == SEARCH:
            self.tree_pane.find(message.value)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        purpose, value = message.prompt.purpose, message.value
        if purpose in (WEIGHT, GATE) and value:
            try:
                float(value.replace(",", "."))
            except ValueError:
                self.say(f"{one_line(value, 20)} is no number: type one such as 0.5, or Esc.")
                return
        await self.end_line()
        node = self._node
        if purpose == NAME_CRITERION and value:
            self._add(NodeType.CRITERION, value)
        elif purpose == NAME_GROUP and value:
            self._add(NodeType.GROUP, value)
        elif purpose == SEARCH:
            self.searched(value)
        elif node is not None and value:
            self._change_by_prompt(node, purpose, value)
        elif node is not None and purpose == GATE:
            self._set(node, "take the gate off", is_gate=False)

    def _change_by_prompt(self, node: Node, purpose: str, value: str) -> None:
        title = title_of(node)
        if purpose == RENAME:
            base_keys = self.session.base_keys
            self.edit(
                lambda version: rename(version, node.id, value, base_keys=base_keys),
                f"rename {title}",
                at=node.id,
            )
        elif purpose == REKEY:
            self.edit(lambda version: rekey(version, node.id, value), f"re-key {title}", at=node.id)
        elif purpose == WEIGHT:
            self._set(node, "weigh", weight=float(value.replace(",", ".")))
        elif purpose == GATE:
            minimum = float(value.replace(",", "."))
            self._set(node, "set the gate of", is_gate=True, gate_minimum_score=minimum)

    def searched(self, words: str) -> None:
        """The search was ended with these words."""

    def _set(self, node: Node, doing: str, *, said: str = "", **changes: object) -> bool:
        return self.edit(
            lambda version: set_node(version, node.id, **changes),
            f"{doing} {title_of(node)}",
            at=node.id,
            said=said,
        )

    # -- what a node says

    async def action_rename(self) -> None:
        """Ask for another name."""
        if (node := self._node) is not None:
            await self.ask_line("Name:", RENAME, value=node.name, placeholder="a name")

    async def action_rekey(self) -> None:
        """Ask for another key, and say what that means when it was published."""
        if (node := self._node) is not None:
            base = self.session.published or self.session.opened.based_on
            is_published = node.key in self.session.base_keys
            label = (
                f"Key (in {base.number}: changing it is Major)"
                if base is not None and is_published
                else "Key:"
            )
            await self.ask_line(label, REKEY, value=node.key, placeholder="a short permanent key")

    async def action_weight(self) -> None:
        """Ask for another weight."""
        if (node := self._node) is not None:
            await self.ask_line(
                f"Weight of {title_of(node)}:",
                WEIGHT,
                value=number(node.weight),
                placeholder="0 or more",
                selected=True,
            )

    async def action_gate(self) -> None:
        """Ask for the minimum of a gate; nothing takes the gate off."""
        if (node := self._node) is not None:
            minimum = node.gate_minimum_score
            await self.ask_line(
                f"Gate: lowest score (0 to 1) that passes {title_of(node)}:",
                GATE,
                value=number(minimum) if node.is_gate and minimum is not None else "",
                placeholder="such as 0.5; nothing for no gate",
                selected=True,
            )

    def action_advisory(self) -> None:
        """Let it count, or only be shown."""
        if (node := self._node) is not None:
            self._set(
                node, "count" if node.is_advisory else "make advisory", is_advisory=not node.is_advisory
            )

    def action_rollup(self) -> None:
        """The next way a group adds up."""
        node = self._node
        if node is None:
            return
        current = _ROLLUPS.index(node.rollup_method or RollupMethod.WEIGHTED_MEAN)
        following = _ROLLUPS[(current + 1) % len(_ROLLUPS)]
        said = f"It scores {_ROLLUP_WORDS[following]}. r changes it again."
        self._set(node, "roll up", said=said, rollup_method=following)

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def action_scale(self) -> None:
        """Choose the scale a criterion is answered on."""
        node = self._node
        if node is None or not self._may_edit():
            return
        await self._choose_scale(node)

    async def _choose_scale(self, node: Node, *, begin_new: bool = False) -> None:
        title = f"{title_of(node)}: answered on which scale?"
        chosen = await self.app.push_screen_wait(
            ScaleChoiceScreen(title, self.session.version, current=node.scale_id, begin_new=begin_new)
        )
        if chosen is None:
            return
        # It may have been made or edited on the way.
        scales = await self.shell.ask(lambda engine: engine.scales())
        self.take_scales(scales)
        known = {fold_id(scale.id): scale for scale in (*self.session.version.scales, *scales)}
        scale = known.get(fold_id(chosen))
        if scale is None:
            self.say("This scale was deleted meanwhile.", error=True)
            return
        self.edit(
            lambda current: use_scale(current, node.id, scale),
            f"answer {title_of(node)} on {one_line(scale.name or 'a scale', 30)}",
            at=node.id,
        )

    # -- where a node stands

    def action_move(self, step: int) -> None:
        """Move among the siblings."""
        if (node := self._node) is not None:
            self.edit(lambda version: move(version, node.id, step), f"move {title_of(node)}")

    def action_indent(self) -> None:
        """Put it into the group above."""
        if (node := self._node) is not None:
            self.edit(lambda version: indent(version, node.id), f"indent {title_of(node)}")

    def action_outdent(self) -> None:
        """Take it out of its group."""
        if (node := self._node) is not None:
            self.edit(lambda version: outdent(version, node.id), f"outdent {title_of(node)}")

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def action_move_to(self) -> None:
        """Choose another group for it."""
        node = self._node
        if node is None or not self._may_edit():
            return
        shape = self.tree_pane.shape
        own = fold_id(node.id)
        start = shape.place[own]
        inside = set(shape.ids[start : start + shape.below(own) + 1])
        rows = [Row(id=TOP_LEVEL, cells=("The top level", str(len(shape.children.get(ROOT, ()))), ""))]
        rows += [
            Row(
                id=each.id,
                cells=(each.name or each.key, str(len(shape.children.get(fold_id(each.id), ()))), each.key),
                indent=2 * (depth + 1),
            )
            for each, depth in zip(shape.version.nodes, shape.depths, strict=True)
            if is_group(each) and fold_id(each.id) not in inside
        ]
        choice = ChooseScreen(
            f"Move {title_of(node)} into which group?",
            GROUP_COLUMNS,
            rows,
            cursor=node.parent_id or TOP_LEVEL,
        )
        chosen = await self.app.push_screen_wait(choice)
        if chosen is not None:
            parent = None if chosen == TOP_LEVEL else chosen
            self.edit(lambda version: move_to(version, node.id, parent), f"move {title_of(node)}")

    # -- whole subtrees

    def action_duplicate(self) -> None:
        """Put a copy right after it."""
        if (node := self._node) is not None:
            self.edit(
                lambda version: duplicate(version, node.id, new_id=new_id),
                f"duplicate {title_of(node)}",
                at=node.id,
            )

    def action_copy(self) -> None:
        """Copy it with all that is inside."""
        if (node := self._node) is not None:
            self.tree_pane.note(self._keep(node, "Copied"))

    def action_cut(self) -> None:
        """Copy it and delete it."""
        node = self._node
        if node is not None and self._may_edit():
            kept = self._keep(node, "Cut")
            label = f"cut {title_of(node)}"
            self.edit(lambda version: delete(version, node.id), label, at=node.id, said=kept)

    def _keep(self, node: Node, done: str) -> str:
        """Keep a copy for pasting; what was done, in words."""
        clip = copy_subtree(self.session.version, node.id)
        keep_clip(self.app, clip)
        inside = len(clip.nodes) - 1
        more = f" with {counted(inside, 'node')} inside" if inside else ""
        return f"{done}: {title_of(node)}{more}. p pastes it, here or in another rubric."

    async def action_paste(self) -> None:
        """Paste what was copied: inside a group, else after the row."""
        copied = clip_of(self.app)
        if copied is None:
            self.tree_pane.note("Nothing was copied yet: y copies, x cuts.")
            return
        try:
            clip = with_scales(copied, await self.shell.ask(lambda engine: engine.scales()))
        except RubrictuiError:
            clip = copied  # the store keeps its scales all the same, and says itself what is wrong
        at, where = self._where()
        place = at.id if at is not None else None
        top = clip.nodes[0]
        self.edit(
            lambda version: paste(version, clip, at=place, where=where, new_id=new_id),
            f"paste {title_of(top)}",
        )

    def action_delete(self) -> None:
        """Delete it; what has children is deleted when the key comes twice."""
        node = self._node
        if node is None:
            return
        inside = self.tree_pane.shape.below(fold_id(node.id))
        if inside and self._delete_asked != node.id:
            self._delete_asked = node.id
            self.tree_pane.note(
                f"d once more deletes it with {counted(inside, 'node')} inside; u brings it back."
            )
            return
        title = title_of(node)
        said = f"Deleted: {title}. u brings it back."
        self.edit(lambda version: delete(version, node.id), f"delete {title}", at=node.id, said=said)

    # -- undo

    def action_undo(self) -> None:
        """Take the last edit back."""
        self._step("Undone", self.session.undo if self.is_open else None, "There is nothing to undo.")

    def action_redo(self) -> None:
        """Make the edit that was taken back once more."""
        self._step("Done again", self.session.redo if self.is_open else None, "There is nothing to redo.")

    def _step(
        self, done: str, step: Callable[[], tuple[str, str | None] | None] | None, nothing: str
    ) -> None:
        self._delete_asked = None
        if step is None or not self._may_edit():
            return
        taken = step()
        if taken is None:
            self.say(nothing)
            return
        label, focus = taken
        self.show_draft(focus=fold_id(focus) or None, said=f"{done}: {label}.")

    async def on_builder_tree_cursor_moved(self) -> None:
        self._delete_asked = None

    # -- the fields

    def on_fields_pane_changed(self, message: FieldsPane.Changed) -> None:
        """A field was changed in the pane."""
        target, field, value = message.target, message.field, message.value
        base_keys = self.session.base_keys

        def change(version: VersionSnapshot) -> Edited:
            if target is None:
                return set_version(version, **{field: value})
            if field == "name":
                return rename(version, target, value, base_keys=base_keys)
            if field == "anchor":
                level_id, text = value
                return set_anchor(version, target, level_id, text)
            if field == "scale":
                return use_scale(version, target, value)
            return set_node(version, target, **{field: value})

        node = next((node for node in self.session.version.nodes if node.id == target), None)
        of = title_of(node) if node is not None else "the version"
        self.edit(
            change,
            f"{message.label} of {of}",
            at=target,
            run=f"field {message.edit}",
            follow=False,
            in_fields=True,
        )

    def take_typed(self, typed: Message) -> None:
        if isinstance(typed, FieldsPane.Changed):
            self.on_fields_pane_changed(typed)

    def on_fields_pane_rekey_asked(self, message: FieldsPane.RekeyAsked) -> None:
        """Another key was typed in the pane."""
        target = message.target
        if target is not None:
            self.edit(
                lambda version: rekey(version, target, message.key),
                f"re-key to {one_line(message.key, 40)}",
                at=target,
                in_fields=True,
            )
