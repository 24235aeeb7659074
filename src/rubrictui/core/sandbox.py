"""Templates that people write, rendered where they reach nothing but the data they are given.

Jinja2 in its sandbox. A name that the data does not have is an error and not an empty text, so that a misspelt one is
found; what would fill the memory is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from jinja2 import Environment, Template

T = TypeVar("T")

#: No rendered text is longer; a template that loops without end is stopped here.
MOST_CHARACTERS: Final = 2_000_000

#: How often a template may repeat a text or a list with ``*``.
_MOST_REPEATED: Final = 100_000

_AT_A_TIME: Final = 50


class TemplateFaultError(Exception):
    """What is wrong with a template, in a few words, with its line where that is known."""


def sandbox(*, autoescape: bool = False) -> Environment:
    """An environment for templates of people: blocks take no lines of their own.

    Args:
        autoescape: escape what is put in for HTML.
    """
    from jinja2 import StrictUndefined
    from jinja2.exceptions import SecurityError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Sandbox(ImmutableSandboxedEnvironment):
        """Repeating and raising to a power are limited: one short template could fill the memory."""

        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if operator == "**":
                raise SecurityError("powers are not allowed")
            for one, other in ((left, right), (right, left)):
                is_repeat = isinstance(one, str | list | tuple) and isinstance(other, int)
                if is_repeat and len(one) * other > _MOST_REPEATED:
                    raise SecurityError("it repeats too much")
            return super().call_binop(context, operator, left, right)

    return Sandbox(
        undefined=StrictUndefined, autoescape=autoescape, trim_blocks=True, lstrip_blocks=True, cache_size=0
    )


def compiled(environment: Environment, template: str) -> Template:
    """A template, ready to render.

    Raises:
        TemplateFaultError: it is broken.
    """
    return _told(lambda: environment.from_string(template))


def rendered(template: Template, data: Mapping[str, Any]) -> str:
    """The text of a template for this data.

    Raises:
        TemplateFaultError: it asks for what the data does not have, does what is not allowed, or gives too much text.
    """
    return _told(lambda: _text(template, data))


def _text(template: Template, data: Mapping[str, Any]) -> str:
    pieces: list[str] = []
    size = 0
    found = template.generate(dict(data))
    while some := list(islice(found, _AT_A_TIME)):
        pieces += some
        size += sum(map(len, some))
        if size > MOST_CHARACTERS:
            raise TemplateFaultError(f"it gives more than {MOST_CHARACTERS:,} characters")
    return "".join(pieces)


def _told(work: Callable[[], T]) -> T:
    from jinja2 import TemplateError

    try:
        return work()
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        message = (getattr(error, "message", None) or str(error) or type(error).__name__).rstrip(".")
        raise TemplateFaultError(f"line {line}: {message}" if line else message) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise TemplateFaultError(str(error) or type(error).__name__) from None
