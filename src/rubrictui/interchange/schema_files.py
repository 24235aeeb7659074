"""The public formats as JSON Schema, made from the structs that read them.

``python -m rubrictui.interchange.schema_files`` writes them anew; a test holds the files to the structs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from rubrictui.core.model import Answer, ScoreResult, VersionSnapshot
from rubrictui.core.records import Subject
from rubrictui.interchange.shapes import DOCUMENTS

FOLDER = Path(__file__).parent / "schemas"


def schemas() -> dict[str, dict[str, Any]]:
    """Every schema by its file name."""
    made: dict[str, dict[str, Any]] = {
        "snapshot.schema.json": msgspec.json.schema(VersionSnapshot),
        "answers.schema.json": msgspec.json.schema(tuple[Answer, ...]),
        "result.schema.json": msgspec.json.schema(ScoreResult),
        "subject.schema.json": msgspec.json.schema(Subject),
    }
    # The kinds are told apart by `kind`; one schema for each keeps an editor's messages short.
    references, components = msgspec.json.schema_components(DOCUMENTS.values(), ref_template="#/$defs/{name}")
    made["document.schema.json"] = {"oneOf": list(references), "$defs": components}
    return {
        name: {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        for name, schema in made.items()
    }


def written(schema: dict[str, Any]) -> str:
    """The text of a schema file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        (FOLDER / name).write_text(written(schema), encoding="utf-8")


if __name__ == "__main__":
    main()
