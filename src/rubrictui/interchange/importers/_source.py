"""The file that is imported: its bytes, and what they say as text, whatever their encoding."""

from __future__ import annotations

import codecs
import re
from functools import cached_property
from typing import TYPE_CHECKING

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value
from rubrictui.interchange.importers._report import Place

if TYPE_CHECKING:
    from rubrictui.interchange.importers._json import JsonFile

MAX_BYTES = 64 * 1024 * 1024

# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")
# What a file may say about itself. Codecs that are no character set are slow on hostile text.
_CHARACTER_SETS = re.compile(
    r"(utf|ucs|iso|windows|cp|latin|us-ascii|ascii|koi8|mac|big5|gb|shift|sjis|euc)", re.IGNORECASE
)


class UnreadableError(InvalidInputError):
    """The bytes are no text of their encoding, or the text not of its format; ``place`` says where."""

    code = "unreadable"

    def __init__(self, message: str, place: Place, *, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.place = place


class ImportOptions(Value, frozen=True, kw_only=True):
    """How to read a file.

    ``minimum`` is ``zero`` (the lowest level of a criterion counts 0) or ``keep`` (its points count as they
    are); None leaves it to the format. ``name`` is the rubric's, where the file holds one; ``title`` serves
    where the file names none, as its own name does.
    """

    encoding: str | None = None
    minimum: str | None = None
    name: str | None = None
    title: str = "Imported rubric"
    category: str | None = None


class Source:
    """The bytes of one file. ``text`` and whatever else is made of them is made once."""

    def __init__(self, data: bytes, *, name: str = "the file", options: ImportOptions | None = None) -> None:
        self.data = data
        self.name = name
        self.options = options or ImportOptions()

    @cached_property
    def text(self) -> str:
        """The text without its byte order mark.

        Raises:
            UnreadableError: a byte that its encoding does not know, with its line and column, or too many bytes.
            InvalidInputError: the encoding that was named is none.
        """
        data = self.data
        if len(data) > MAX_BYTES:
            raise UnreadableError(
                f"the file is larger than {MAX_BYTES >> 20} MB. Split it.", Place(), code="too_large"
            )
        encoding, skip = self._encoding()
        try:
            text = data[skip:].decode(encoding)
        except UnicodeDecodeError as error:
            raise _wrong_byte(error, encoding, skip) from None
        except (LookupError, UnicodeError, ValueError):
            raise InvalidInputError(
                f'There is no text encoding "{encoding[:60]}".',
                remedy="Write one such as utf-8, windows-1252 or utf-16.",
            ) from None
        return text.removeprefix("\ufeff")

    @cached_property
    def begins(self) -> str:
        """The first character that is no blank; "" when there is none."""
        return self.text[:10_000].lstrip()[:1]

    @cached_property
    def json(self) -> JsonFile:
        """The value of the text as JSON.

        Raises:
            UnreadableError: it is no JSON.
        """
        from rubrictui.interchange.importers._json import JsonFile

        return JsonFile(self)

    def _encoding(self) -> tuple[str, int]:
        """The encoding, and how many bytes its mark takes."""
        named = self.options.encoding
        if named is not None:
            return named, 0
        for mark, encoding in _MARKS:
            if self.data.startswith(mark):
                return encoding, len(mark)
        declared = _DECLARED.match(self.data[:400])
        if declared:
            word = declared.group(1).decode("ascii")
            # Whoever could read the declaration as ASCII does not read UTF-16, whatever it says.
            if _CHARACTER_SETS.match(word) and not word.lower().startswith(("utf-16", "utf-32", "ucs")):
                return word, 0
        return "utf-8", 0


def _wrong_byte(error: UnicodeDecodeError, encoding: str, skip: int) -> UnreadableError:
    before = error.object[: error.start].decode(encoding, "replace")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    byte = error.object[error.start] if error.start < len(error.object) else 0
    return UnreadableError(
        f"byte {error.start + skip + 1} (0x{byte:02x}) is not {encoding.upper()}. "
        "Name the encoding with --encoding, for example windows-1252 or utf-16.",
        Place(line, column, f"line {line}, column {column}"),
        code="encoding",
    )
