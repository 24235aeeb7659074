"""Letters as files: Markdown, HTML and plain text, worded by templates that a chair may replace.

The ending of a template says what it is for: ``.md``, ``.html`` or ``.txt``, with ``.j2`` after it or not. Templates are
rendered in a sandbox. What they are given is text of others, made safe for the format before it gets there: it can be
no markup in Markdown, is escaped in HTML, and never holds a control character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rubrictui.core.display import visible
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.letters import Letter, letters, recipients
from rubrictui.core.ranking import GateRule
from rubrictui.core.round_report import RoundFacts
from rubrictui.core.sandbox import TemplateFaultError, compiled, rendered, sandbox
from rubrictui.interchange.csv_in import decode
from rubrictui.interchange.markup import markdown_block, markdown_line
from rubrictui.interchange.new_files import stems, write_folder
from rubrictui.interchange.subject_files import read_bytes

if TYPE_CHECKING:
    from jinja2 import Template


class LetterFormat(StrEnum):
    """What a letter is written as; the value is the ending of its file."""

    MARKDOWN = "md"
    HTML = "html"
    TEXT = "txt"


FORMAT_NAMES: Final = {
    "markdown": LetterFormat.MARKDOWN,
    "html": LetterFormat.HTML,
    "text": LetterFormat.TEXT,
}
_ENDINGS: Final = {
    ".md": LetterFormat.MARKDOWN,
    ".markdown": LetterFormat.MARKDOWN,
    ".html": LetterFormat.HTML,
    ".htm": LetterFormat.HTML,
    ".txt": LetterFormat.TEXT,
    ".text": LetterFormat.TEXT,
}
#: What of a letter may have several lines; everything else is one.
_BLOCKS: Final = frozenset({"rationale", "anchor", "description", "band_description", "note", "why"})


class LettersWritten(msgspec.Struct, frozen=True, kw_only=True):
    """The files of the letters, how many subjects got one, and which got none (Entity/record) and why."""

    letters: int
    files: tuple[Path, ...]
    without: tuple[tuple[str, tuple[str, ...]], ...] = ()


def shipped_template(form: LetterFormat) -> str:
    """The wording that ships with the program: what to begin one's own from."""
    return files("rubrictui.interchange").joinpath(f"templates/letter.{form}.j2").read_text(encoding="utf-8")


class LetterTemplates:
    """The templates of one run, ready to render; a format has one."""

    def __init__(self, formats: Iterable[LetterFormat] = (LetterFormat.MARKDOWN, LetterFormat.HTML)) -> None:
        self._templates: dict[LetterFormat, Template] = {}
        self._origin: dict[LetterFormat, str] = {}
        for form in formats:
            self._add(form, shipped_template(form), f"letter.{form}.j2")

    @classmethod
    def of_files(cls, paths: Iterable[Path]) -> LetterTemplates:
        """Templates from files; the formats are those of the files.

        Raises:
            InvalidInputError: a file cannot be read, its ending names no format, two are for one, or it is broken.
        """
        made = cls(())
        for path in paths:
            plain = path.with_suffix("") if path.suffix == ".j2" else path
            form = _ENDINGS.get(plain.suffix.casefold())
            if form is None:
                raise InvalidInputError(
                    f"{path} does not say what it is a template for.",
                    remedy="Let its name end with .md, .html or .txt, or with .j2 after that.",
                )
            if form in made._templates:
                raise InvalidInputError(
                    f"{path} and {made._origin[form]} are templates for the same format.",
                    remedy="Give one of them.",
                )
            made._add(form, decode(read_bytes(path), None, path), str(path))
        return made

    @property
    def formats(self) -> tuple[LetterFormat, ...]:
        """What is written, in the order given."""
        return tuple(self._templates)

    def text(self, letter: Letter, form: LetterFormat) -> str:
        """A letter in one of the formats.

        Raises:
            InvalidInputError: the template asks for what a letter does not have, or does what is not allowed.
        """
        try:
            said = rendered(self._templates[form], _safe(msgspec.to_builtins(letter), form))
        except TemplateFaultError as error:
            raise self._broken(form, error) from None
        return said if form is LetterFormat.HTML else _tidy(said)

    def _add(self, form: LetterFormat, text: str, origin: str) -> None:
        self._origin[form] = origin
        try:
            self._templates[form] = compiled(sandbox(autoescape=form is LetterFormat.HTML), text)
        except TemplateFaultError as error:
            raise self._broken(form, error) from None

    def _broken(self, form: LetterFormat, error: TemplateFaultError) -> InvalidInputError:
        name = next(word for word, one in FORMAT_NAMES.items() if one is form)
        return InvalidInputError(
            f"The letter template {self._origin[form]} fails: {error}.",
            remedy=f"Correct it; rubrictui letters --show-template {name} prints the one that ships.",
        )


def write_letters(
    facts: RoundFacts,
    folder: Path,
    templates: LetterTemplates,
    *,
    gates: str = GateRule.HALF,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> LettersWritten:
    """Write the letters of a round into a folder: for each subject a file in each format, named after its record.

    Args:
        facts: with texts (``Engine.letter_facts``).
        gates: which subjects their gates keep out of the ranking.
        force, progress, cancelled: as ``write_folder`` takes them.

    Raises:
        InvalidInputError: a template is broken, files are there already, or the folder cannot be written to.
        Stopped: ``cancelled`` said so; nothing was written.
    """
    found = recipients(facts)
    chosen = found.subjects
    own = stems("letter", [(one.id, f"{one.entity} {one.record_id}") for one in chosen])
    forms = templates.formats
    names = [f"{stem}.{form}" for stem in own for form in forms]

    def contents() -> Iterator[str]:
        for letter in letters(facts, gates=gates):
            for form in forms:
                yield templates.text(letter, form)

    written = write_folder(folder, names, contents(), force=force, progress=progress, cancelled=cancelled)
    return LettersWritten(letters=len(chosen), files=written, without=found.without)


# -- making text safe ----------------------------------------------------------------------------------------


def _safe(value: Any, form: LetterFormat, is_block: bool = False) -> Any:
    """The data of a letter with every text made safe for its format."""
    if isinstance(value, str):
        return _safe_text(value, form, is_block) if value else value
    if isinstance(value, dict):
        return {name: _safe(item, form, name in _BLOCKS) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(item, form, is_block) for item in value]
    return value


@lru_cache(maxsize=20_000)  # labels, names and anchors come again in every letter
def _safe_text(text: str, form: LetterFormat, is_block: bool) -> str:
    if form is LetterFormat.MARKDOWN:
        return markdown_block(text) if is_block else markdown_line(text)
    return visible(text) if is_block else visible(" ".join(text.split()), newlines=False)


def _tidy(text: str) -> str:
    """Blank lines that branches leave behind count as one."""
    lines: list[str] = []
    for line in text.strip().split("\n"):
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(lines) + "\n"
