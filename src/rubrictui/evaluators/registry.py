"""Evaluators by name: built in, installed as entry points of the group ``rubrictui.evaluators``, or registered in code.

Nothing is imported before its name is asked for. Of several under one name the one of the highest priority
runs; of equals, one registered in code before an installed one before a built-in one, so that a built-in can be
replaced under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Final, NamedTuple

from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators.base import RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError, NotRunnableError, UnknownEvaluatorError
from rubrictui.evaluators.installed import installed

GROUP: Final = "rubrictui.evaluators"

#: Built-in evaluators: name, and where its class is.
BUILT_IN: Final = {
    "LLM": "rubrictui.evaluators.llm:LLMEvaluator",
    "Decision": "rubrictui.evaluators.decision:DecisionEvaluator",
    "Agent": "rubrictui.evaluators.agent:AgentEvaluator",
    "Deterministic": "rubrictui.evaluators.deterministic:DeterministicEvaluator",
    "Matter": "rubrictui.evaluators.matter:MatterEvaluator",
}

#: Old names, used where nothing is registered under them.
ALIASES: Final = {"ai": "agent", "aiprompt": "llm"}

#: Types whose evaluations are stored and not run: what they are, and how they come in.
NOT_RUN: Final = {
    "Human": (EvaluatorType.HUMAN, "A person scores in the form, or with: rubrictui submit FILE"),
    "Self": (EvaluatorType.SELF, "A subject's own assessment is stored with: rubrictui submit FILE"),
    "External": (EvaluatorType.EXTERNAL, "Another system's scores are stored with: rubrictui submit FILE"),
}


class EvaluatorInfo(NamedTuple):
    """What is known of one registered evaluator.

    ``problem`` says in one line why it cannot run, "" when it can; ``origin`` is where it comes from;
    ``replaced`` tells that another one of its name runs instead.
    """

    name: str
    evaluator_type: EvaluatorType | None
    runnable: bool
    origin: str
    priority: int | None
    problem: str
    replaced: bool = False


class _Candidate(NamedTuple):
    name: str
    origin: str
    rank: int
    load: Callable[[], object]


class EvaluatorRegistry:
    """Evaluators by name. One of these serves a process (``registry``); tests make their own."""

    def __init__(self) -> None:
        self._registered: list[_Candidate] = []

    def register(self, evaluator: type[RubricEvaluator], *, name: str | None = None) -> type[RubricEvaluator]:
        """Register a class under its name (or another one); of two the later holds. Usable as a decorator."""
        own = name or evaluator.name
        origin = f"{evaluator.__module__}:{evaluator.__qualname__}"
        self._registered.append(_Candidate(own, origin, 2 + len(self._registered), lambda: evaluator))
        return evaluator

    def forget(self, name: str) -> None:
        """Take away what was registered in code under this name."""
        self._registered = [one for one in self._registered if _folded(one.name) != _folded(name)]

    def find(self, name: str) -> type[RubricEvaluator]:
        """The class that runs under a name.

        Raises:
            UnknownEvaluatorError: nothing of that name is registered.
            NotRunnableError: it is a person's, or another system's.
            EvaluatorError: it is installed and cannot be loaded.
        """
        wanted = _folded(name)
        found = [one for one in self._candidates() if _folded(one.name) == wanted]
        if not found and wanted in ALIASES:
            wanted = ALIASES[wanted]
            found = [one for one in self._candidates() if _folded(one.name) == wanted]
        if not found:
            for other, (_, how) in NOT_RUN.items():
                if _folded(other) == wanted:
                    raise NotRunnableError(f"The evaluator {other} is not run by the program.", remedy=how)
            known = ", ".join(sorted({one.name for one in self._candidates()}, key=str.casefold))
            raise UnknownEvaluatorError(f'There is no evaluator "{name}".', remedy=f"There are {known}.")
        loaded = [(_loaded(one), one.rank) for one in found]
        return max(loaded, key=lambda one: (one[0].priority, one[1]))[0]

    def create(self, name: str) -> RubricEvaluator:
        """An evaluator ready to run.

        Raises:
            NotRunnableError: it cannot run here; the message says what is missing.
            UnknownEvaluatorError, EvaluatorError: as ``find``.
        """
        found = self.find(name)
        problem = found.why_not_runnable()
        if problem:
            raise NotRunnableError(f"The evaluator {found.name} cannot run here: {problem}")
        try:
            return found()
        except Exception as error:
            raise EvaluatorError(
                f"The evaluator {found.name} cannot be made: {error or type(error).__name__}.",
                remedy="Its class takes no arguments; correct it.",
            ) from error

    def evaluators(self) -> tuple[EvaluatorInfo, ...]:
        """Everything registered, by name, what cannot be loaded with why; those that are not run come last."""
        rows: list[tuple[EvaluatorInfo, int]] = []
        for one in self._candidates():
            try:
                found = _loaded(one)
            except EvaluatorError as error:
                rows.append((EvaluatorInfo(one.name, None, False, one.origin, None, str(error)), -1))
                continue
            problem = found.why_not_runnable()
            info = EvaluatorInfo(
                one.name, found.evaluator_type, not problem, one.origin, found.priority, problem
            )
            rows.append((info, one.rank))
        runs: dict[str, tuple[int, int]] = {}
        for info, rank in rows:
            if info.priority is not None:
                key = _folded(info.name)
                runs[key] = max(runs.get(key, (info.priority, rank)), (info.priority, rank))
        listed = [
            info._replace(
                replaced=info.priority is not None and runs[_folded(info.name)] != (info.priority, rank)
            )
            for info, rank in rows
        ]
        listed.sort(key=lambda info: (_folded(info.name), info.replaced))
        stored = [
            EvaluatorInfo(name, kind, False, "built in", None, how) for name, (kind, how) in NOT_RUN.items()
        ]
        return (*listed, *stored)

    def _candidates(self) -> Iterator[_Candidate]:
        for name, target in BUILT_IN.items():
            yield _Candidate(name, "built in", 0, _importer(target))
        for entry in installed(GROUP):
            yield _Candidate(entry.name, _origin(entry), 1, entry.load)
        yield from self._registered


def _importer(target: str) -> Callable[[], object]:
    def load() -> object:
        module, _, name = target.partition(":")
        return getattr(import_module(module), name)

    return load


def _origin(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else ""
    return f"{package} ({entry.value})" if package else entry.value


def _loaded(candidate: _Candidate) -> type[RubricEvaluator]:
    try:
        found = candidate.load()
    except Exception as error:  # a plugin may fail in any way, and must not take the others along
        raise EvaluatorError(
            f'The evaluator "{candidate.name}" from {candidate.origin} cannot be loaded: '
            f"{str(error) or type(error).__name__}.",
            remedy="Correct or remove that package.",
        ) from error
    if not (isinstance(found, type) and issubclass(found, RubricEvaluator)):
        raise EvaluatorError(
            f'"{candidate.name}" from {candidate.origin} is no evaluator.',
            remedy="Derive its class from rubrictui.evaluators.base.RubricEvaluator.",
        )
    return found


def _folded(name: str) -> str:
    return name.strip().casefold()


#: The evaluators of this process.
registry: Final = EvaluatorRegistry()
