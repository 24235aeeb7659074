"""One call of a model: what was sent, what came back, what it took."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rubrictui.core.prompt_records import PromptRun
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.opening_work import open_result
from rubrictui.widgets.detail_pane import LIMIT, DetailPane, Line
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

_SAYS = {"system": "Told to the model", "user": "Sent", "assistant": "The model", "tool": "Given by the tool"}


def tokens_words(run: PromptRun) -> str:
    """Tokens sent and received, "" where the server did not say."""
    if run.input_tokens is None and run.output_tokens is None:
        return ""
    return f"{run.input_tokens or 0:,}+{run.output_tokens or 0:,}"


def cost_words(run: PromptRun) -> str:
    """What it cost, "" where no price is known."""
    return "" if run.cost is None else f"{run.cost:.4g} {run.cost_currency or ''}".rstrip()


def run_lines(run: PromptRun, zone: tzinfo | None) -> list[Line]:
    """The whole call in lines. Messages and reply are text of others; the pane shows them as plain text."""
    lines: list[Line] = [
        [("Evaluator ", "label"), (run.evaluator_name, "")],
        [("Model ", "label"), (f"{run.model or 'none'} {f'({run.provider})' if run.provider else ''}".rstrip(), "")],
        [("When ", "label"), (f"{run.started_at.astimezone(zone):%Y-%m-%d %H:%M:%S}{_took(run)}", "")],
        [("Tokens ", "label"), (tokens_words(run) or "not told", ""), ("  Cost ", "label"), (cost_words(run) or "not known", "")],
    ]  # fmt: skip
    if run.error_message:
        lines.append([("Failed: ", "error"), (run.error_message, "error")])
    for name, value in run.settings.items():
        lines.append([(f"{name} ", "muted"), (str(value), "muted")])
    for message in run.messages:
        role = str(message.get("role", ""))
        lines += [[], [(_SAYS.get(role, role), "heading")], *_pieces(str(message.get("content", "")))]
    lines += [[], [("The reply as it came", "heading")]]
    lines += list(_pieces(run.reply)) if run.reply else [[("There is none.", "muted")]]
    return lines


def _took(run: PromptRun) -> str:
    if run.finished_at is None:
        return ", not finished"
    return f", {(run.finished_at - run.started_at).total_seconds():.1f} s"


def _pieces(text: str) -> Iterator[Line]:
    """The text whole, in pieces that the pane shows whole."""
    for line in text.split("\n"):
        for start in range(0, max(1, len(line)), LIMIT):
            yield [(line[start : start + LIMIT], "")]


class RunScreen(ShellScreen[None]):
    """One call, read only."""

    TITLE = "Call"
    AUTO_FOCUS = "DetailPane"
    HELP = (
        "Both messages as they were sent and the reply as it came, with nothing of it carried out or drawn as markup. "
        "Keys of servers are never kept."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "evaluation", "Evaluation", id="run.evaluation", tooltip="What came of the call"),
        Binding("t", "retry", "Retry", id="run.retry", tooltip="Run the failed evaluation again"),
        Binding("escape", "back", "Back", key_display="Esc", id="run.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | o | The evaluation that came of it. |
    | t | Run the failed evaluation again. |
    | escape | Back. |
    """

    DEFAULT_CSS = "RunScreen DetailPane { height: 1fr; }"

    def __init__(self, run: PromptRun, title: str = "", *, can_retry: bool = False) -> None:
        """
        Args:
            run: the call, whole.
            title: the subject's.
            can_retry: whether its evaluation failed, so that it may be run again.
        """
        super().__init__()
        self._can_retry = can_retry
        self._run = run
        self._title = title

    def compose(self) -> ComposeResult:
        count = counted(len(self._run.messages), "message")
        yield TitleBar(f"Call · {self._title}" if self._title else "Call", count)
        yield DetailPane()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one(DetailPane).show(run_lines(self._run, self.shell.zone))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What came of it is opened when something did; what failed is retried."""
        if action == "evaluation":
            return self._run.evaluation_id is not None
        if action == "retry":
            return self._can_retry
        return True

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_evaluation(self) -> None:
        """The evaluation that came of it."""
        if self._run.evaluation_id is not None:
            await open_result(self, self._run.evaluation_id)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_retry(self) -> None:
        """Run the failed evaluation again."""
        from rubrictui.screens.evaluate import retry

        if self._run.evaluation_id is not None:
            await retry(self, self._run.evaluation_id)

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)
