"""Critical-failure patterns: when one fires, and what saved a text from it (contract, "Gates").

A pattern is searched for ignoring case. A plain one fires on any match. One with a guard or a context looks
at each non-overlapping match on its own, in its sentence, and fires when a single match survives:

* ``negation_guard``: a negator begins between the start of the sentence and the end of the match (its start
  with ``negation_scope: before``), and is a whole word even where it goes on past that point: saved;
* ``require_context`` does not match in the sentence: saved;
* ``exclude_context`` matches in the sentence: saved.

The sentence runs from the last boundary wholly before the match to the first at or after its end
(``sentences.py`` says what a boundary and a negator is).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.errors import GateTimeoutError
from rubrictui.matters.model import GateEntry, Value
from rubrictui.matters.patterns import PatternError, compile_pattern, pattern_problem
from rubrictui.matters.sentences import Sentences

TIME_LIMIT = 1.0
"""Seconds one gate may take on one text; as many more as the text has millions of characters."""

EXPLAINED_MATCHES = 100
"""How many matches a verdict explains; it judges all of them."""

GATE_KEYS = ("pattern", "negation_guard", "negation_scope", "require_context", "exclude_context")
SCOPES = ("span", "before")

Outcome = Literal["fires", "negated", "context_missing", "context_excluded"]


class GateMatch(Value, frozen=True, gc=False):
    """One match and what became of it. All positions are character offsets into the text that was judged.

    Attributes:
        start, end, text: the match.
        outcome: ``fires``, or what saved it: ``negated``, ``context_missing``, ``context_excluded``.
        sentence_start, sentence_end, sentence: the sentence it stands in; for a plain pattern, which
            looks at no sentence, the match itself.
        window_end: where the guard window ends; it begins with the sentence. None without a guard.
        negator, negator_start: the word in the window that saved it.
        context, context_start: what ``exclude_context`` (or, when it fires, ``require_context``) found.
    """

    start: int
    end: int
    text: str
    outcome: Outcome
    sentence_start: int
    sentence_end: int
    sentence: str
    window_end: int | None = None
    negator: str | None = None
    negator_start: int | None = None
    context: str | None = None
    context_start: int | None = None

    @property
    def fires(self) -> bool:
        return self.outcome == "fires"


class GateVerdict(Value, frozen=True):
    """Whether an entry fires on a text, and why.

    Attributes:
        pattern: the pattern as written, by which a fired gate is reported.
        fires: whether at least one match survived its guards.
        matches: the matches in order, the first ``EXPLAINED_MATCHES`` of them.
        match_count: how many there are.
    """

    pattern: str
    fires: bool
    matches: tuple[GateMatch, ...] = ()
    match_count: int = 0


class GateEntryProblem(Value, frozen=True):
    """Why an entry is of no use. ``key`` is the key at fault, "" for the whole entry."""

    code: str
    message: str
    key: str = ""


def check_gate(entry: str | Mapping[str, Any] | GateEntry, text: str) -> GateVerdict:
    """Whether a critical-failure pattern fires on ``text``, as it is given (scoring gives it normalised text).

    Args:
        entry: a pattern, or a mapping with ``pattern`` and any of ``negation_guard``, ``negation_scope``,
            ``require_context``, ``exclude_context``.
        text: any length.

    Raises:
        InvalidInputError: the entry is of no use; every reason is in the message.
        GateTimeoutError: a pattern ran out of time.
    """
    return Gate(entry if isinstance(entry, GateEntry) else gate_entry(entry)).judge(text)


def gate_entry(entry: object) -> GateEntry:
    """An entry as written in a rubric, as a value.

    Raises:
        InvalidInputError: the entry is of no use; every reason is in the message.
    """
    problems = gate_entry_problems(entry)
    if problems:
        raise InvalidInputError("; ".join(problem.message.rstrip(".") for problem in problems) + ".")
    if isinstance(entry, str):
        return GateEntry(pattern=entry, is_plain=True)
    assert isinstance(entry, Mapping)
    return GateEntry(**entry)


def gate_entry_problems(entry: object) -> tuple[GateEntryProblem, ...]:
    """Everything that is wrong with an entry, by the codes lint reports."""
    if isinstance(entry, str):
        reason = pattern_problem(entry)
        if reason is None:
            return ()
        return (GateEntryProblem(code="gate_regex_invalid", message=f"the pattern is no regex: {reason}."),)
    if not isinstance(entry, Mapping):
        return (
            GateEntryProblem(
                code="gate_wrong_type", message="a gate must be a pattern or a mapping with a pattern."
            ),
        )
    return tuple(_mapping_problems(entry))


def _mapping_problems(entry: Mapping[Any, Any]) -> Iterator[GateEntryProblem]:
    unknown = [str(key) for key in entry if key not in GATE_KEYS]
    if unknown:
        known = ", ".join(GATE_KEYS)
        yield GateEntryProblem(
            code="gate_unknown_key",
            message=f"a gate has no key {', '.join(unknown)}. Its keys are {known}.",
            key=unknown[0],
        )
    pattern = entry.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        yield GateEntryProblem(
            code="gate_pattern_missing", message="a gate needs a pattern, as text that is not empty."
        )
    elif (reason := pattern_problem(pattern)) is not None:
        yield GateEntryProblem(
            code="gate_regex_invalid", message=f"the pattern is no regex: {reason}.", key="pattern"
        )
    if not isinstance(entry.get("negation_guard", False), bool):
        yield GateEntryProblem(
            code="gate_guard_not_bool", message="negation_guard must be true or false.", key="negation_guard"
        )
    if entry.get("negation_scope", "span") not in SCOPES:
        yield GateEntryProblem(
            code="gate_scope_invalid", message="negation_scope must be span or before.", key="negation_scope"
        )
    for key in ("require_context", "exclude_context"):
        if key not in entry:
            continue
        context = entry[key]
        if not isinstance(context, str) or not context:
            yield GateEntryProblem(
                code="gate_context_not_string", message=f"{key} must be text that is not empty.", key=key
            )
        elif (reason := pattern_problem(context)) is not None:
            yield GateEntryProblem(
                code="gate_context_regex_invalid", message=f"{key} is no regex: {reason}.", key=key
            )


class _Judged(NamedTuple):
    """A match and what became of it: ``sentence`` is (start, end), None for a plain pattern, which looks at none;
    ``negator`` is (start, end) in the text, ``context`` a match within the sentence."""

    match: Any
    outcome: Outcome
    sentence: tuple[int, int] | None = None
    window_end: int | None = None
    negator: tuple[int, int] | None = None
    context: Any = None


class Gate:
    """An entry ready to judge texts; compiled once, when its matter is loaded."""

    __slots__ = ("_exclude", "_pattern", "_require", "entry")

    def __init__(self, entry: GateEntry) -> None:
        """
        Raises:
            InvalidInputError: a pattern does not compile.
        """
        self.entry = entry
        try:
            self._pattern = compile_pattern(entry.pattern)
            self._require = (
                compile_pattern(entry.require_context) if entry.require_context is not None else None
            )
            self._exclude = (
                compile_pattern(entry.exclude_context) if entry.exclude_context is not None else None
            )
        except PatternError as error:
            raise InvalidInputError(f"the pattern {entry.pattern!r} is no regex: {error}.") from None

    def judge(self, text: str) -> GateVerdict:
        """The full verdict: every match is looked at, whether or not one fired before it.

        Raises:
            GateTimeoutError: a pattern ran out of time.
        """
        explained: list[GateMatch] = []
        count = 0
        fires = False
        for judged in self._judged(text):
            count += 1
            if len(explained) < EXPLAINED_MATCHES:
                explained.append(_explained(text, judged))
            elif not fires and judged.outcome == "fires":
                # Whatever is left unsaid, the match that decides is said.
                explained[-1] = _explained(text, judged)
            fires = fires or judged.outcome == "fires"
        return GateVerdict(
            pattern=self.entry.pattern, fires=fires, matches=tuple(explained), match_count=count
        )

    def fires(self, text: str) -> bool:
        """Whether it fires, without explaining why.

        Raises:
            GateTimeoutError: a pattern ran out of time.
        """
        return self._survivor(text) is not None

    def first_survivor(self, text: str) -> GateMatch | None:
        """The first match that fires; None when the gate does not fire.

        Raises:
            GateTimeoutError: a pattern ran out of time.
        """
        judged = self._survivor(text)
        return _explained(text, judged) if judged is not None else None

    def _survivor(self, text: str) -> _Judged | None:
        limit = _time_limit(text)
        try:
            found = self._pattern.search(text, limit)
        except (TimeoutError, MemoryError):
            raise GateTimeoutError(self.entry.pattern, limit) from None
        if found is None:
            return None
        if not self.entry.is_guarded:
            return _Judged(found, "fires")
        return next((judged for judged in self._judged(text) if judged.outcome == "fires"), None)

    def _judged(self, text: str) -> Iterator[_Judged]:
        entry = self.entry
        limit = _time_limit(text)
        deadline = time.monotonic() + limit
        try:
            found = self._pattern.finditer(text, limit)
            if not entry.is_guarded:
                for match in found:
                    yield _Judged(match, "fires")
                    if time.monotonic() > deadline:
                        raise TimeoutError
                return
            sentences: Sentences | None = None
            contexts: dict[tuple[int, int], tuple[Any, Any]] = {}
            for match in found:
                sentences = sentences or Sentences(text)
                yield self._guarded(match, sentences, contexts, limit)
                if time.monotonic() > deadline:
                    raise TimeoutError
        except (TimeoutError, MemoryError):
            raise GateTimeoutError(entry.pattern, limit) from None

    def _guarded(
        self,
        match: Any,
        sentences: Sentences,
        contexts: dict[tuple[int, int], tuple[Any, Any]],
        limit: float,
    ) -> _Judged:
        start, end = match.span()
        sentence = first, last = sentences.around(start, end)
        entry = self.entry
        window_end: int | None = None
        if entry.negation_guard:
            window_end = start if entry.negation_scope == "before" else end
            negator = sentences.negator(first, window_end)
            if negator is not None:
                return _Judged(match, "negated", sentence, window_end, negator)
        if self._require is None and self._exclude is None:
            return _Judged(match, "fires", sentence, window_end)
        if sentence not in contexts:
            contexts[sentence] = self._contexts(sentences.text[first:last], limit)
        required, excluded = contexts[sentence]
        if self._require is not None and required is None:
            return _Judged(match, "context_missing", sentence, window_end)
        if excluded is not None:
            return _Judged(match, "context_excluded", sentence, window_end, None, excluded)
        return _Judged(match, "fires", sentence, window_end, None, required)

    def _contexts(self, sentence: str, limit: float) -> tuple[Any, Any]:
        """What the required and the excluded context find in a sentence."""
        required = self._require.search(sentence, limit) if self._require is not None else None
        excluded = self._exclude.search(sentence, limit) if self._exclude is not None else None
        return required, excluded


def _time_limit(text: str) -> float:
    return TIME_LIMIT + len(text) / 1_000_000


def _explained(text: str, judged: _Judged) -> GateMatch:
    """A match with all that people are told of it; most matches are never asked for it."""
    match, outcome, sentence, window_end, negator, context = judged
    start, end = match.span()
    first, last = sentence if sentence is not None else (start, end)
    return GateMatch(
        start=start,
        end=end,
        text=text[start:end],
        outcome=outcome,
        sentence_start=first,
        sentence_end=last,
        sentence=text[first:last],
        window_end=window_end,
        negator=text[negator[0] : negator[1]] if negator is not None else None,
        negator_start=negator[0] if negator is not None else None,
        context=context.group() if context is not None else None,
        context_start=first + context.start() if context is not None else None,
    )
