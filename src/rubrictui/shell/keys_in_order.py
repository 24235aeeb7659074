"""Keys typed faster than the app answers, each handled where the one before has led.

Over a slow line ``r`` and the words after it arrive together. Textual hands all of them to the widget that has
the focus when they arrive, so words meant for the field that ``r`` opens would act as shortcuts. Here a key
waits until the one before it has been handled, bindings, focus and new screens included.
"""

from __future__ import annotations

import asyncio
from collections import deque

from textual import events
from textual.app import App, ReturnType
from textual.message import Message

PATIENCE_SECONDS = 0.5
"""After which a key is taken to have been handled: its widget has gone, and its answer with it."""


class KeyHandled(Message):
    """Follows a key through the same queues, so it comes to the app after the key has been handled."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self.turn = turn


class KeysInOrder(App[ReturnType]):
    """An app that handles one key at a time."""

    _turn = 0
    _waiting: deque[events.Key | events.Paste] | None = None
    _busy = False

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not self.screen_stack:
            return  # typed while the app was leaving
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._busy:
            self._queue.append(event)
        else:
            await self._hand_on(event)

    @property
    def _queue(self) -> deque[events.Key | events.Paste]:
        if self._waiting is None:
            self._waiting = deque()
        return self._waiting

    async def _hand_on(self, event: events.Key | events.Paste) -> None:
        target = self.focused or self.screen
        character = event.character if isinstance(event, events.Key) else None
        await super().on_event(event)
        if isinstance(event, events.Key) and target.check_consume_key(event.key, character):
            return  # a text field takes it as text, and its own queue keeps the order
        self._busy = True
        self._turn += 1
        turn = self._turn
        if not target.post_message(KeyHandled(turn)):
            self.call_later(self._go_on, turn)
        asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self.call_later, self._go_on, turn)

    def on_key_handled(self, event: KeyHandled) -> None:
        """The key has been handled; what it asked of the app and of a new screen comes before the next one."""
        self.call_later(self._after_key, event.turn)

    def _after_key(self, turn: int) -> None:
        if self.screen_stack:
            self.screen.call_after_refresh(self.call_later, self._go_on, turn)

    async def _go_on(self, turn: int) -> None:
        if turn != self._turn or not self._busy or not self.screen_stack:
            return
        self._busy = False
        while self._queue and not self._busy:
            await self._hand_on(self._queue.popleft())
