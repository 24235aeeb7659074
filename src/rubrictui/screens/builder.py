"""The builder: a rubric's draft as a tree that is edited by keys, with the live preview of a sample and its problems.

Opened with ``SCREEN.opener(rubric)``, the rubric by name or id. Every edit is stored before it is shown; the mark at
the top says so. What is stored and what can be undone is the session's (``builder_session.py``), what is drawn and
typed is the widgets'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Input, TextArea

from rubrictui import screens
from rubrictui.core.editing import set_bands
from rubrictui.core.model import Band, NodeType, fold_id
from rubrictui.core.problems import Problem
from rubrictui.core.records import SampleAnswer
from rubrictui.screens import ScreenSpec
from rubrictui.screens.builder_base import FIELDS, PREVIEW, PROBLEMS, TREE
from rubrictui.screens.builder_edits import SEARCH, BuilderEdits, new_id
from rubrictui.widgets.builder_rows import ROOT
from rubrictui.widgets.builder_tree import BuilderTree
from rubrictui.widgets.fields_pane import FieldsPane
from rubrictui.widgets.text import one_line

if TYPE_CHECKING:
    from rubrictui.engine import Engine
    from rubrictui.screens.evaluate_run import Choices

_DRAFT_ACTIONS = frozenset(
    {
        "add",
        "advisory",
        "bands",
        "copy",
        "cut",
        "delete",
        "duplicate",
        "fields",
        "gate",
        "indent",
        "move",
        "move_to",
        "outdent",
        "paste",
        "publish",
        "redo",
        "rekey",
        "rename",
        "rollup",
        "samples",
        "scale",
        "search",
        "search_next",
        "try_judge",
        "undo",
        "version_fields",
        "weight",
        "what_if",
    }
)
"""What needs the draft to be there, and no question to be open."""

NODE_ACTIONS = frozenset(
    {
        "advisory",
        "copy",
        "cut",
        "delete",
        "duplicate",
        "gate",
        "indent",
        "move",
        "move_to",
        "outdent",
        "rekey",
        "rename",
        "rollup",
        "scale",
        "weight",
    }
)
"""What acts on a node, so not on the row of the version."""


def may_act_on(kind: NodeType | None, action: str) -> bool:
    """Whether an action has a meaning on the row under the cursor; None is the row of the version."""
    if action == "scale":
        return kind is NodeType.CRITERION
    if action == "rollup":
        return kind is NodeType.GROUP
    return kind is not None


class BuilderScreen(BuilderEdits):
    """The builder of one rubric."""

    TITLE = "Builder"
    FOOTER_LATER: ClassVar[tuple[str, ...]] = (
        "builder.pane",
        "criteria.level_builder_1",
        "builder.undo",
        "builder.samples",
        "builder.problems",
        "builder.version",
        "builder.what_if",
    )
    """On 80 columns the way to publish and the way back come first; the row itself shows its digits."""
    HELP = (
        "Shape the draft of a rubric. a adds a criterion, g a group; Enter goes to all fields of the row. Everything "
        "is saved as you change it, u takes it back. Digits and n answer the criterion under the cursor as a sample: "
        "the score, its outcome and what every part gives follow at once; s fills a whole sample and keeps several. "
        "P publishes, when no problem blocks it.\n\n"
        "Signs: ✗ blocks publishing, ▵ warns, ▾ an open group, ▸ a folded one."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape", "to_tree", "Tree", key_display="Esc", id="builder.to_tree", tooltip="Back to the tree"
        ),
        Binding(
            "P", "publish", "Publish", id="builder.publish", tooltip="Say what publishing means, and ask"
        ),
        Binding("u", "undo", "Undo", id="builder.undo", tooltip="Take the last change back"),
        Binding("U,ctrl+r", "redo", "Redo", show=False, id="builder.redo", tooltip="Make it once more"),
        Binding(
            "tab",
            "next_pane(1)",
            "Pane",
            key_display="Tab",
            priority=True,
            id="builder.pane",
            tooltip="The next pane",
        ),
        Binding("shift+tab", "next_pane(-1)", "Pane back", show=False, priority=True, id="builder.pane_back"),
        Binding(
            "s",
            "samples",
            "Samples",
            id="builder.samples",
            tooltip="Sample sets: fill, keep, compare with what is published",
        ),
        Binding("o", "problems", "Problems", id="builder.problems", tooltip="What stands against publishing"),
        Binding("e", "preview", "Preview", show=False, id="builder.preview", tooltip="The preview in full"),
        Binding(
            "v", "version_fields", "Version", id="builder.version", tooltip="What holds for the whole version"
        ),
        Binding("b", "bands", "Bands", show=False, id="builder.bands", tooltip="Edit the bands on a ruler"),
        Binding(
            "t",
            "what_if",
            "What if",
            id="builder.what_if",
            tooltip="What this draft would change for real evaluations",
        ),
        Binding(
            "E",
            "try_judge",
            "Try a judge",
            show=False,
            id="builder.try_judge",
            tooltip="Have a rule, a model or an agent answer this draft about a subject",
        ),
        Binding(
            "ctrl+s",
            "say_saved",
            "Saved?",
            show=False,
            priority=True,
            id="builder.say_saved",
            tooltip="Say whether everything is saved",
        ),
        Binding(
            "escape", "leave", "Back", key_display="Esc", id="builder.leave", tooltip="Leave; the draft stays"
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab / shift+tab | The next / previous pane. |
    | s | Sample sets. |
    | o | Problems. |
    | u / U, ctrl+r | Undo / redo. |
    | P | Publish, after a question. |
    | e | The preview in full. |
    | v | The fields of the whole version. |
    | b | Bands. |
    | t | What this draft would change for real evaluations. |
    | E | Have an evaluator answer this draft about a subject. |
    | ctrl+s | Say whether everything is saved; it is, as you change it. |
    | escape | To the tree; from there back. |
    """

    _words = ""
    _tried: Choices | None = None
    """What was chosen when an evaluator was tried last."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing edits before the draft is there, nor while a line is being typed."""
        if action in _DRAFT_ACTIONS and (not self.is_open or self.is_asking):
            return False
        if action in NODE_ACTIONS:
            return may_act_on(self.tree_pane.kind, action)
        if action == "fields" and self.tree_pane.is_typing:
            return False
        if action in ("to_tree", "leave"):
            return not self.is_asking and (self.pane == TREE) == (action == "leave")
        if action == "next_pane":
            return not self.is_asking and not isinstance(self.focused, TextArea | Input)
        return True

    # -- panes

    def action_next_pane(self, step: int) -> None:
        """Go to the next pane that has something to show."""
        panes = [TREE, FIELDS]
        if self.is_open and self.session.problems:
            panes.append(PROBLEMS)
        panes.append(PREVIEW)
        here = panes.index(self.pane) if self.pane in panes else 0
        self.show_pane(panes[(here + step) % len(panes)])

    def action_fields(self) -> None:
        """Edit every field of the row."""
        self.show_pane(FIELDS)

    def action_version_fields(self) -> None:
        """Edit what holds for the whole version."""
        self.tree_pane.go_to(ROOT)
        self._show_fields()
        self.show_pane(FIELDS)

    def action_problems(self) -> None:
        """Go to the problems, and back."""
        if self.pane == PROBLEMS:
            self.show_pane(TREE)
        elif self.is_open and not self.session.problems:
            self.say("Nothing stands against publishing: P publishes.")
        else:
            self.show_pane(PROBLEMS)

    def action_preview(self) -> None:
        """Go to the whole preview, and back."""
        self.show_pane(TREE if self.pane == PREVIEW else PREVIEW)

    # -- searching

    async def action_search(self) -> None:
        """Go to a node by its words, while they are typed."""
        await self.ask_line(
            "Search:", SEARCH, value=self._words, placeholder="words of a name, a key or a description"
        )

    def searched(self, words: str) -> None:
        """The search was ended with these words."""
        self._words = words
        if words:
            count = self.tree_pane.find(words)
            more = "N goes to the next." if count > 1 else ""
            self.say(f"{count or 'No'} found. {more}".strip())

    def action_search_next(self) -> None:
        """The next node with the words searched for."""
        if not self._words:
            self.say("Search first: / takes words.")
        elif not self.tree_pane.find(self._words, after=True):
            self.say(f"No node has {one_line(self._words, 30)}.")

    # -- sample answers

    def on_builder_tree_level_chosen(self, message: BuilderTree.LevelChosen) -> None:
        self._give(message.node.id, SampleAnswer(level_id=message.level.id, level_label=message.level.label))

    def on_builder_tree_number_entered(self, message: BuilderTree.NumberEntered) -> None:
        self._give(message.node.id, SampleAnswer(raw_value=message.value))

    def on_builder_tree_not_applicable_toggled(self, message: BuilderTree.NotApplicableToggled) -> None:
        before = self.session.answers.get(fold_id(message.node.id))
        is_set = before is not None and before.is_not_applicable
        self._give(message.node.id, None if is_set else SampleAnswer(is_not_applicable=True))

    def on_builder_tree_cleared(self, message: BuilderTree.Cleared) -> None:
        self._give(message.node.id, None)

    def _give(self, node_id: str, answer: SampleAnswer | None) -> None:
        self.session.give(node_id, answer)
        self.show_sample()

    @work(exit_on_error=False, exclusive=True, group="samples")
    async def action_samples(self) -> None:
        """The sample sets: fill them, keep several, compare them with what is published."""
        from rubrictui.screens.builder_samples import SamplesScreen

        self.flush()
        await self.app.push_screen_wait(SamplesScreen(self.session))
        self.show_sample()

    @work(exit_on_error=False, exclusive=True, group="samples")
    async def action_what_if(self) -> None:
        """What this draft would change for real evaluations."""
        from rubrictui.screens.builder_what_if import WhatIfScreen

        published = self.session.published
        if published is None:
            self.say("Nothing is published yet, so no evaluation could change.")
            return
        self.flush()
        await self.app.push_screen_wait(WhatIfScreen(self.session.version, published))

    @work(exit_on_error=False, exclusive=True, group="samples")
    async def action_try_judge(self) -> None:
        """Have an evaluator answer this draft about a subject; nothing of it is stored but samples that are kept."""
        from rubrictui.screens.try_judge import TryJudgeScreen

        self.flush()
        screen = TryJudgeScreen(self.session, self._tried)
        await self.app.push_screen_wait(screen)
        self._tried = screen.choices
        self.show_sample()

    # -- bands, scales, rules

    def action_bands(self) -> None:
        """Edit the bands on a ruler."""
        from rubrictui.screens.bands import BandsScreen

        version = self.session.version

        def keep(bands: tuple[Band, ...], step: int, label: str) -> None:
            self.edit(lambda current: set_bands(current, bands), label, run=f"bands {step}", follow=False)

        self.app.push_screen(
            BandsScreen(
                version.rubric_name, version.bands, threshold=version.pass_threshold, new_id=new_id, keep=keep
            )
        )

    def on_fields_pane_bands_asked(self) -> None:
        self.action_bands()

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def on_fields_pane_new_scale_asked(self, message: FieldsPane.NewScaleAsked) -> None:
        """Make a scale, and answer the criterion on it."""
        target = fold_id(message.target)
        node = next((node for node in self.session.version.nodes if fold_id(node.id) == target), None)
        if node is not None and self._may_edit():
            await self._choose_scale(node, begin_new=True)

    def on_screen_resume(self) -> None:
        """Scales may have come or changed meanwhile."""
        if self.is_open:
            self.read_scales()

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def on_fields_pane_rule_test_asked(self, message: FieldsPane.RuleTestAsked) -> None:
        """Try a rule on a subject."""
        from rubrictui.screens.builder_samples import choose_subject
        from rubrictui.widgets.field_rule import RuleTrial, try_rule

        chosen = await choose_subject(self, "Try the rule on which subject?")
        if chosen is None:
            return

        def trial(engine: Engine) -> RuleTrial:
            subject = engine.subject(chosen)
            return try_rule(message.config, message.scale, subject.title or subject.record_id, subject.data)

        self.fields.show_trial(await self.shell.ask(trial))

    # -- publishing, leaving

    @work(exit_on_error=False, exclusive=True, group="publish")
    async def action_publish(self) -> None:
        """Say what publishing means, and ask."""
        self.flush()
        self._show_state()
        session = self.session
        if session.problem or session.clash is not None:
            self.say(f"NOT SAVED, so it cannot be published. {session.problem}", error=True)
            return
        if self._goes_to_unread_text():
            self.say("NOT SAVED: this text cannot be read. Mend it, or empty the field.", error=True)
            return
        spec = screens.load("publish")
        if spec is None:
            self.say("Publish with a publication document: rubrictui load FILE.")
            return
        published = await self.app.push_screen_wait(spec.opener(session.version.rubric_id))
        if isinstance(published, Problem):
            self.go_to_problem(published)
        elif published is not None:
            self.dismiss(None)

    def _goes_to_unread_text(self) -> bool:
        """Go to the first text that was typed and cannot be stored as it is; False where there is none."""
        nodes = {node.id for node in self.session.version.nodes}
        for target, field in self.fields.not_stored:
            if target in nodes and self.tree_pane.go_to(fold_id(target)):
                self._show_fields()
                self.show_pane(FIELDS)
                return self.fields.go_to(field)
        return False

    def action_say_saved(self) -> None:
        """Say whether everything is saved."""
        self.flush()
        if not self.is_open:
            return
        self._show_state()
        if self.session.problem:
            self.say(f"NOT SAVED. {self.session.problem}", error=True)
        else:
            self.say("Everything is saved, as you change it.")

    def action_to_tree(self) -> None:
        """Back to the tree."""
        self.show_pane(TREE)

    def action_leave(self) -> None:
        """Leave. What is not saved is said first."""
        self.flush()
        if self.is_open and not self._may_leave_unsaved and self._goes_to_unread_text():
            self.action_to_tree()
            self._may_leave_unsaved = True
            self.say(
                "NOT SAVED: the text of a field here cannot be read. Esc once more leaves without it.",
                error=True,
            )
            return
        if self.is_open and not self.session.retry() and not self._may_leave_unsaved:
            self._may_leave_unsaved = True
            self._show_state()
            self.say(f"NOT SAVED. {self.session.problem} Esc once more leaves without it.", error=True)
            return
        self.dismiss(None)


SCREEN = ScreenSpec(name="builder", title="Builder", opener=BuilderScreen)
