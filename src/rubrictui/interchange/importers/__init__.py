"""Rubrics that authors already have, in the formats of other programs: read, and told what cannot come along.

One module a format, found by listing this package (``_formats``); those whose name begins with an
underscore are what they share. An importer is a pure function of the bytes: no store, no clock, no chance.
"""

from rubrictui.interchange.importers._formats import Format, format_names, import_rubrics
from rubrictui.interchange.importers._report import Imported, Note
from rubrictui.interchange.importers._source import ImportOptions
from rubrictui.interchange.importers.fitting import Fitted, fitted

__all__ = [
    "Fitted",
    "Format",
    "ImportOptions",
    "Imported",
    "Note",
    "fitted",
    "format_names",
    "import_rubrics",
]
