"""What evaluators see of a subject, by its entity.

Without a provider that is the subject as it is stored: its text, data and files. A provider is registered for
an entity whose meaning lies elsewhere, in code or as an entry point of the group ``rubrictui.content`` named
like the entity. It gets a subject the caller may read, and should show nothing that the caller may not see.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rubrictui.core.records import Subject
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.installed import installed

ContentProvider = Callable[[Subject], SubjectContent | dict[str, Any]]

GROUP: Final = "rubrictui.content"


class ContentProviders:
    """Providers by entity; letter case does not count, and the one registered last holds."""

    def __init__(self) -> None:
        self._by_entity: dict[str, ContentProvider] = {}

    def register(self, entity: str, provider: ContentProvider) -> None:
        """Use ``provider`` for subjects of this entity."""
        self._by_entity[_folded(entity)] = provider

    def forget(self, entity: str) -> None:
        """Take the provider of an entity away again."""
        self._by_entity.pop(_folded(entity), None)

    def provider(self, entity: str) -> ContentProvider | None:
        """The provider of an entity: one registered here, else an installed one, else None.

        Raises:
            EvaluatorError: an installed one cannot be loaded.
        """
        wanted = _folded(entity)
        if wanted not in self._by_entity:
            for entry in installed(GROUP):
                if _folded(entry.name) == wanted:
                    try:
                        self._by_entity[wanted] = entry.load()
                    except Exception as error:
                        raise EvaluatorError(
                            f'The content provider of "{entity}" ({entry.value}) cannot be loaded: {error}.',
                            remedy="Correct or remove that package.",
                        ) from error
        return self._by_entity.get(wanted)

    def content_of(self, subject: Subject) -> SubjectContent:
        """What evaluators see of the subject.

        Raises:
            EvaluatorError: its provider fails, or gives something else than content.
        """
        provider = self.provider(subject.entity)
        if provider is None:
            return stored_content(subject)
        try:
            given = provider(subject)
        except Exception as error:
            raise EvaluatorError(
                f'The content provider of "{subject.entity}" failed: {_words(error)}.',
                remedy="Correct the provider, or take it away.",
            ) from error
        if isinstance(given, SubjectContent):
            return given
        if isinstance(given, dict) and given.keys() <= {"title", "text", "data", "files"}:
            named = {"entity": subject.entity, "record_id": subject.record_id, "title": subject.title}
            import msgspec

            try:
                return msgspec.convert({**named, **given}, SubjectContent)
            except msgspec.ValidationError as error:
                raise _no_content(subject.entity, str(error)) from None
        raise _no_content(subject.entity, f"it gave {type(given).__name__}")


def stored_content(subject: Subject) -> SubjectContent:
    """The subject as it is stored."""
    return SubjectContent(
        entity=subject.entity,
        record_id=subject.record_id,
        title=subject.title,
        text=subject.text,
        data=subject.data,
        files=subject.files,
    )


def _no_content(entity: str, why: str) -> EvaluatorError:
    return EvaluatorError(
        f'The content provider of "{entity}" gave no content: {why}.',
        remedy="Return SubjectContent, or a dictionary of text, data and files.",
    )


def _words(error: BaseException) -> str:
    return (str(error) or type(error).__name__).rstrip(".")


def _folded(entity: str) -> str:
    return entity.strip().casefold()


#: The providers of this process.
content_providers: Final = ContentProviders()
