"""Errors and notices: one quiet line above the footer, never a traceback over somebody's work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, cast

from rich.console import Console
from textual.app import App, ReturnType
from textual.worker import Worker, WorkerState

from rubrictui.core.errors import RubrictuiError
from rubrictui.shell.error_log import ErrorLog
from rubrictui.shell.settings import error_log_path
from rubrictui.widgets.guard import with_guard
from rubrictui.widgets.text import one_line

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.filter import LineFilter
    from textual.notifications import SeverityLevel


class QuietErrors(App[ReturnType]):
    """An app that shows errors as one line, keeps those nobody foresaw in a file, and goes on.

    Args:
        ansi_color: as for ``App``.
    """

    NOTIFICATION_TIMEOUT = 6.0

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._error_log = ErrorLog(error_log_path())
        # An error that ends the app is printed here; a traceback is for the file, not for the terminal.
        self.error_console = Console(file=cast("IO[str]", self._error_log), markup=False, highlight=False)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, and behind them the guard that lets no control byte of content through."""
        return with_guard(super().get_line_filters())

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """One quiet line above the footer, never parsed as markup; it takes the place of the one before."""
        words = {"error": "Error: ", "warning": "Note: "}.get(severity, "")
        line = f"{title}: {message}" if title else message
        super().notify(words + one_line(line), severity=severity, timeout=timeout, markup=False)

    def on_notify(self) -> None:
        self.clear_notifications()

    def report(self, error: BaseException) -> None:
        """Show an error as one line; one that nobody foresaw also goes to the log, with its traceback."""
        if isinstance(error, RubrictuiError):
            self.notify(str(error), severity="error", timeout=12)
            return
        self.log_error(error)
        self.notify(
            f"Something went wrong ({type(error).__name__}); your work is safe. Details: {self._error_log.path}",
            severity="error",
            timeout=12,
        )

    def log_error(self, error: BaseException) -> None:
        """Write an error nobody foresaw to the log, with its traceback."""
        self._error_log.add(error)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; an error in it is reported, and the app goes on."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            self.report(error)
            return True

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.report(event.worker.error)
