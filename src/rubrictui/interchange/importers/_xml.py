"""XML as elements that know their line. Document types, entities and what lies outside the file are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler

from rubrictui.interchange.importers._report import Place
from rubrictui.interchange.importers._source import Source, UnreadableError

MAX_DEPTH = 200
MAX_ELEMENTS = 500_000

_PROLOG = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?[^>]*>)", re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")


class Element:
    """An element: its name without a prefix, in lower case, and likewise those of its attributes."""

    __slots__ = ("attributes", "children", "column", "line", "name", "parts")

    def __init__(self, name: str, attributes: dict[str, str], line: int, column: int) -> None:
        self.name = name
        self.attributes = attributes
        self.line = line
        self.column = column
        self.children: list[Element] = []
        self.parts: list[str] = []

    @property
    def place(self) -> Place:
        return Place(self.line, self.column, f"line {self.line}")

    @property
    def text(self) -> str:
        """The character data directly inside, outer blanks off."""
        return "".join(self.parts).strip()

    def child(self, *names: str) -> Element | None:
        return next((child for child in self.children if child.name in names), None)

    def value(self, *names: str) -> str:
        """An attribute or, where there is none of that name, the text of a child."""
        for name in names:
            found = self.attributes.get(name)
            if found is not None:
                return found.strip()
            child = self.child(name)
            if child is not None:
                return child.text
        return ""

    def below(self, *names: str) -> Iterator[Element]:
        """Elements of these names at any depth, in document order; what lies inside one is not searched."""
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            if element.name in names:
                yield element
            else:
                waiting.extend(reversed(element.children))


def root_name(text: str) -> str:
    """The name of the root element in lower case, or ""; the text need not be well formed."""
    at = 0
    head = text[:20_000]
    while at < len(head) and (match := _PROLOG.match(head, at)) and match.end() > at:
        at = match.end()
    found = _ROOT.match(head, at)
    return found.group(1).lower() if found else ""


def read_xml(source: Source) -> Element:
    """The root element.

    Raises:
        UnreadableError: it is not well formed, has a document type, is deeper than ``MAX_DEPTH``, or holds more
            than ``MAX_ELEMENTS`` elements; with the line and column.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.expatreader import DefusedExpatParser

    parser = DefusedExpatParser(forbid_dtd=True)
    handler = _Handler(lambda: (parser.getLineNumber() or 1, (parser.getColumnNumber() or 0) + 1))
    parser.setContentHandler(handler)
    try:
        parser.feed(source.text)
        parser.close()
    except DefusedXmlException:
        place = Place(*handler.here())
        raise UnreadableError(
            "a document type or entities have no place in a rubric. Export it again without them.",
            _with_words(place),
            code="unsafe_xml",
        ) from None
    except SAXParseException as error:
        place = Place(error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1)
        raise UnreadableError(
            f"this is not XML: {error.getMessage()}.", _with_words(place), code="not_xml"
        ) from None
    except SAXException as error:
        raise UnreadableError(f"this is not XML: {error.getMessage()}.", Place(), code="not_xml") from None
    if handler.root is None:
        raise UnreadableError("there is no element in it.", Place(), code="not_xml")
    return handler.root


def _with_words(place: Place) -> Place:
    return place._replace(words=f"line {place.line}, column {place.column}")


class _Handler(ContentHandler):
    """Builds the tree. ``here`` tells the line and column that the parser has come to."""

    def __init__(self, here: Callable[[], tuple[int, int]]) -> None:
        super().__init__()
        self.here = here
        self.root: Element | None = None
        self._open: list[Element] = []
        self._count = 0

    def startElement(self, name: str, attrs: object) -> None:
        line, column = self.here()
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) >= MAX_DEPTH:
            what = (
                f"holds more than {MAX_ELEMENTS:,} elements" if self._count > MAX_ELEMENTS else "is too deep"
            )
            raise UnreadableError(
                f"the file {what}. Export a part of it.",
                Place(line, column, f"line {line}"),
                code="too_large",
            )
        values = {_local(key): str(value) for key, value in attrs.items()}  # type: ignore[attr-defined]
        element = Element(_local(name), values, line, column)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def endElement(self, name: str) -> None:
        self._open.pop()

    def characters(self, content: str) -> None:
        self._open[-1].parts.append(content)


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
