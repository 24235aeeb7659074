"""The scoring form: the subject on one side, the criteria on the other, everything by keys.

Opened with ``push_screen(ScoringScreen(engine, draft), callback)``; it is dismissed with
``Finished(state, evaluation_id)`` where ``state`` is ``left``, ``submitted`` or ``declined``.
``flush()`` makes everything typed durable; call it before the application leaves.
"""

from __future__ import annotations
