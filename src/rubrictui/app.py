"""The application: it opens the first screen, carries the store to the screens, and leaves cleanly.

Nothing heavy is imported here: the first frame needs Textual and the inbox, no SQL toolkit. What a screen
does lives in its file under ``screens/``; this file only knows how to find them.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType

from rubrictui import screens
from rubrictui.core.errors import InvalidInputError
from rubrictui.shell.keys_in_order import KeysInOrder
from rubrictui.shell.leaving import Leaving
from rubrictui.shell.notices import QuietErrors
from rubrictui.shell.opening import StoreOpening, demo_path
from rubrictui.shell.settings import Settings, error_log_path, load_settings, save_settings, settings_path
from rubrictui.styles.themes import THEMES, TITLES, pick

if TYPE_CHECKING:
    from textual.screen import Screen

    from rubrictui.core.records import InboxRow
    from rubrictui.engine import Engine

T = TypeVar("T")

HOME = "inbox"


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class RubrictuiApp(QuietErrors[int], KeysInOrder[int], inherit_bindings=False):
    """The terminal application.

    Args:
        opening: the store to open; made ready in the background.
        is_demo: whether it is the demo store.
        settings: the user's choices.
        settings_file: where a change of them is kept; None keeps it for this session only.
        notice: one line to show first.
        first: makes the first screen instead of the inbox; the store is then opened when a screen asks for it.
        now: the clock, aware; for tests.
        zone: the viewer's time zone; None is the system's.
    """

    TITLE = "rubrictui"
    CSS_PATH = Path(__file__).parent / "styles" / "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {lambda: _palette().Commands}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "question_mark",
            "help",
            "Help",
            key_display="?",
            id="app.help",
            tooltip="What this screen is and does",
        ),
        Binding("ctrl+p", "command_palette", "Commands", show=False, priority=True, id="app.palette"),
        Binding("ctrl+q", "quit", "Quit", show=False, id="app.quit"),
        Binding("ctrl+c", "help_quit", show=False, system=True),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | ? | Explain the screen. |
    | ctrl+p | The command palette; "Quit" is in it. |
    | ctrl+q | Leave, where the terminal lets it through. |
    """

    def __init__(
        self,
        opening: StoreOpening,
        *,
        is_demo: bool = False,
        settings: Settings | None = None,
        settings_file: Path | None = None,
        notice: str = "",
        first: Callable[[], Screen[Any]] | None = None,
        now: Callable[[], datetime] = utc_now,
        zone: tzinfo | None = None,
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.is_demo = is_demo
        self.zone = zone
        self.now = now
        self.settings = settings or Settings()
        self._settings_file = settings_file
        self._notice = notice
        self._first = first
        self._opening = opening
        self._painted = asyncio.Event()
        self._leaving = Leaving(self._leave, self._save)
        self.animation_level = "none"
        stock = tuple(self.available_themes)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = pick(self.settings.theme, no_color=self.no_color, color_system=self.console.color_system)
        for name in stock:
            self.unregister_theme(name)
        self.set_keymap(self.settings.keys)

    # -- beginning and leaving

    def get_default_screen(self) -> Screen[object]:
        """The home screen is the first one, unless another was asked for."""
        if self._first is not None:
            return self._first()
        home = screens.load(HOME)
        assert home is not None
        return home.opener()

    def on_load(self) -> None:
        if self._first is None:
            self._opening.read_first()

    def on_mount(self) -> None:
        self._leaving.install(asyncio.get_running_loop())

    def on_ready(self) -> None:
        """What waits for the first frame: the engine, then the modules of the other screens."""
        if self._notice:
            self.notify(self._notice, severity="warning", timeout=12)
        self._painted.set()
        self.run_worker(self._warm_up(), exit_on_error=False)

    async def _warm_up(self) -> None:
        if self._first is None:
            await self._opening.engine()
        await asyncio.to_thread(screens.specs)
        # What is loaded now stays. A full collection that walks all of it would hold a key for 0.1 s or more.
        gc.freeze()

    def _leave(self, code: int = 0) -> None:
        """Save what screens hold and leave; the terminal is restored on the way out."""
        self._save()
        self.exit(code or self._opening.exit_code)

    def _save(self) -> None:
        """Make durable what screens hold. Nothing keeps the app from leaving."""
        for screen in reversed(self.screen_stack):
            flush = getattr(screen, "flush", None)
            if callable(flush):
                try:
                    flush()
                except Exception as error:
                    self.log_error(error)

    async def action_quit(self) -> None:
        """Leave; everything is saved."""
        self._leave()

    def action_help_quit(self) -> None:
        """Ctrl+C is for copying in text fields; say how to leave."""
        self.notify("To leave press q in the inbox, or Ctrl+P and choose Quit. Everything is saved.")

    async def on_unmount(self) -> None:
        self._leaving.remove()
        await self._opening.close()

    # -- what screens ask for (screens/base.py, Shell)

    @property
    def store_label(self) -> str:
        """The store in a word or two, for the title line."""
        if self.is_demo:
            return "demo store"
        from rubrictui.store.errors import StoreError
        from rubrictui.store.locations import locate

        try:
            return locate(self._opening.target).label
        except StoreError:  # opening it says why it is none
            return "no store"

    @property
    def matter_folders(self) -> tuple[str, ...]:
        """The folders of legal matters that the user opened."""
        return self.settings.matters

    def remember_matters(self, folders: tuple[str, ...]) -> None:
        """Keep these folders for the next time."""
        self._keep_settings(replace(self.settings, matters=folders))

    async def first_rows(self) -> tuple[InboxRow, ...] | None:
        """The inbox as plain SQL reads it."""
        return await self._opening.first_rows()

    async def engine(self) -> Engine:
        """The engine, once it is ready; it is not even imported before the first frame is painted."""
        await self._painted.wait()
        return await self._opening.engine()

    async def ask(self, call: Callable[[Engine], T]) -> T:
        """What ``call`` makes of the engine, in a thread; says so while the store is still being opened."""
        if not self._opening.is_ready:
            self.notify("Opening the store ...", timeout=2)
        await self._painted.wait()
        return await self._opening.ask(call)

    async def load_samples(self) -> None:
        """Load the sample data into the open store."""
        await self._opening.ask(lambda engine: engine.load_samples())

    async def open_demo(self) -> None:
        """Leave this store and open the demo store."""
        before, self._opening = self._opening, demo_opening()
        self.is_demo = True
        await before.close()
        await self._opening.engine()

    # -- getting around

    def action_open(self, name: str) -> None:
        """Go to the screen ``name``: back to it when it is open, else on top."""
        spec = screens.load(name)
        if spec is None:
            return
        kind = spec.opener if isinstance(spec.opener, type) else None
        for screen in self.screen_stack:
            if kind is not None and isinstance(screen, kind):
                while self.screen is not screen:
                    self.pop_screen()
                return
        self.push_screen(spec.opener())

    def action_help(self) -> None:
        """Explain the screen."""
        from rubrictui.screens.help import HelpScreen

        self.push_screen(HelpScreen.of(self.screen))

    def action_command_palette(self) -> None:
        """Open the command palette."""
        palette = _palette().Palette
        if not palette.is_open(self):
            self.push_screen(palette())

    def action_theme(self, name: str) -> None:
        """Change the theme and keep the choice."""
        if self.no_color:
            self.notify("NO_COLOR is set, so the app stays without colour.")
            return
        self.theme = pick(name, no_color=self.no_color, color_system=self.console.color_system)
        self._keep_settings(replace(self.settings, theme=name))
        self.notify(f"Theme: {TITLES[name]}.")

    def _keep_settings(self, settings: Settings) -> None:
        self.settings = settings
        if self._settings_file is not None:
            save_settings(self._settings_file, settings)


def _palette() -> Any:
    from rubrictui.screens import palette

    return palette


def demo_opening(target: str | Path | None = None) -> StoreOpening:
    """The demo: a store of its own, filled with the samples the first time. Its usual folder may be new."""
    if target is None:
        target = demo_path()
        with contextlib.suppress(OSError):  # opening the store says what is wrong, and where
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return StoreOpening(target, samples=True)


def run(
    target: str | Path | None = None,
    *,
    user: str | None = None,
    demo: bool = False,
    no_mouse: bool | None = None,
    first: Callable[[], Screen[Any]] | None = None,
    opening: StoreOpening | None = None,
) -> int:
    """Open the application and stay until the user leaves.

    Args:
        target: path or URL of the store; None is ``RUBRICTUI_DB`` or the user's own, with ``demo`` the demo's own.
        user: whom to act as; None is the login.
        demo: fill the store with the samples when it is empty.
        no_mouse: True leaves the mouse to the terminal; None decides by the settings, and over SSH for it.
        first: makes the first screen instead of the inbox; no store is opened until a screen needs one.
        opening: the store to open, in place of ``target`` and ``user``.

    Returns:
        The exit code: 0; 1 after an unexpected error; 3 when the store could not be opened; 128 plus the
        number of the signal that ended it.

    Raises:
        InvalidInputError: there is no terminal to draw on.
    """
    if not (sys.__stdin__ and sys.__stdin__.isatty() and sys.__stderr__ and sys.__stderr__.isatty()):
        raise InvalidInputError(
            "The application needs a terminal.", remedy="In a script use the commands: rubrictui --help."
        )
    problem: InvalidInputError | None = None
    try:
        settings = load_settings(settings_path())
    except InvalidInputError as error:
        settings, problem = Settings(), error
    if no_mouse is None:
        no_mouse = bool(os.environ.get("SSH_CONNECTION")) if settings.mouse is None else not settings.mouse
    app = RubrictuiApp(
        opening or (demo_opening(target) if demo else StoreOpening(target, user=user)),
        is_demo=demo,
        settings=settings,
        settings_file=settings_path(),
        notice=str(problem) if problem is not None else "",
        first=first,
    )
    code = app.run(mouse=not no_mouse)
    if code is None:
        print(
            f"rubrictui ended because of an unexpected error; your work is safe. Details: {error_log_path()}",
            file=sys.stderr,
        )
        return 1
    return code
