"""Prompts: what they are, where one is found, and how its template is rendered, without any call of a model.

Templates are Jinja2 in a sandbox: they read the data they are given and reach nothing else. A name that the data
does not have is an error and not an empty text, so that a misspelt variable is found before it costs money.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rubrictui.core.prompt_records import Prompt, PromptKind
from rubrictui.core.sandbox import TemplateFaultError, compiled, rendered, sandbox
from rubrictui.evaluators import prompts as shipped
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.services import PromptRef

if TYPE_CHECKING:
    from jinja2 import Template


class PromptNotFoundError(EvaluatorError):
    """A prompt was named that neither the store nor the program has."""

    code = "prompt_not_found"


class PromptTemplateError(EvaluatorError):
    """A template that cannot be read or rendered. The message names the prompt and, where known, the line."""

    code = "prompt_template"


class CriterionTextsError(EvaluatorError):
    """The criterion prompt gave no text for some of the criteria."""

    code = "criterion_texts"


#: Finds a prompt of the store; None when it has none of that id or name.
Lookup = Callable[[PromptRef], Prompt | None]


def nothing_stored(ref: PromptRef) -> Prompt | None:
    """The lookup of a caller without a store."""
    del ref
    return None


def shipped_prompts() -> tuple[Prompt, ...]:
    """The prompts that ship with the program."""
    return tuple(
        Prompt(
            id=one.id,
            name=one.name,
            kind=PromptKind(one.kind),
            template=one.template,
            description=one.description,
        )
        for one in shipped.SHIPPED
    )


class PromptBook:
    """Where prompts are found: first in the store, then among the shipped ones.

    What was found once stays so: all runs that share a book work with the same texts.

    Args:
        stored: the store's own lookup.
    """

    def __init__(self, stored: Lookup = nothing_stored) -> None:
        self._stored = stored
        self._found: dict[PromptRef, Prompt | None] = {}

    def find(self, ref: PromptRef) -> Prompt | None:
        """The prompt of this id or name, or None. Letter case of names does not count."""
        if ref not in self._found:
            self._found[ref] = self._stored(ref) or _shipped(ref)
        return self._found[ref]

    def get(self, ref: PromptRef | None, kind: PromptKind, default: str) -> Prompt:
        """The prompt that takes this part: the one named, else the default.

        Raises:
            PromptNotFoundError: there is none of that id or name.
            PromptTemplateError: it is a prompt of another kind.
        """
        wanted = ref if ref is not None and (ref.id or ref.name) else PromptRef(name=default)
        found = self.find(wanted)
        if found is None:
            raise PromptNotFoundError(
                f"The {wanted.name or wanted.id} prompt was not found.",
                remedy="See the prompts with: rubrictui prompt list",
            )
        if found.kind is not kind:
            raise PromptTemplateError(
                f'"{found.name}" is a prompt of the kind {found.kind.value}, and a {kind.value} is needed here.',
                remedy="Name another one, or save it under the right kind.",
            )
        return found


def _shipped(ref: PromptRef) -> Prompt | None:
    name = (ref.name or "").strip().casefold()
    for prompt in _all_shipped():
        if (ref.id and prompt.id == ref.id.strip().lower()) or (name and prompt.name.casefold() == name):
            return prompt
    return None


@lru_cache(maxsize=1)
def _all_shipped() -> tuple[Prompt, ...]:
    return shipped_prompts()


def render(prompt: Prompt, data: Mapping[str, Any]) -> str:
    """The text of a prompt for this data, without outer blank lines.

    Raises:
        PromptTemplateError: the template is broken, asks for what the data does not have, or gives too much text.
    """
    try:
        return _tidy(rendered(_compiled(prompt.template), data))
    except TemplateFaultError as error:
        raise _broken(prompt, str(error)) from None


def check_template(name: str, template: str) -> None:
    """Refuse a template that cannot be read.

    Raises:
        PromptTemplateError: it is broken; the message has the line.
    """
    try:
        _compiled(template)
    except TemplateFaultError as error:
        raise _broken(Prompt(name=name, kind=PromptKind.JUDGE, template=template), str(error)) from None


def names_asked_for(template: str) -> frozenset[str] | None:
    """The variables that a template reads, as far as they can be told; None of one that cannot be read."""
    from jinja2 import Environment, TemplateError
    from jinja2.meta import find_undeclared_variables

    try:
        return frozenset(find_undeclared_variables(Environment(autoescape=False).parse(template)))
    except TemplateError:
        return None


@lru_cache(maxsize=128)
def _compiled(template: str) -> Template:
    return compiled(sandbox(), template)


def _broken(prompt: Prompt, why: str) -> PromptTemplateError:
    return PromptTemplateError(
        f'The template of the prompt "{prompt.name}" fails: {why}.',
        remedy="Correct it; rubrictui prompt preview shows what it gives.",
    )


def _tidy(text: str) -> str:
    """Blank lines that branches leave behind count as one."""
    lines: list[str] = []
    for line in text.strip().split("\n"):
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip() if line.strip() else "")
    return "\n".join(lines)
