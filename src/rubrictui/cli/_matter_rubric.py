"""``matter rubric``: a matter as a rubric, printed, written or stored."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrictui.cli._matter_input import matter_of
from rubrictui.cli._output import Output, counted
from rubrictui.evaluators.matter_rubric import CATEGORY, MatterRubric, matter_rubric
from rubrictui.ground.errors import InvalidInputError
from rubrictui.interchange.documents import Document, Publication, RubricFile, ScaleFile
from rubrictui.interchange.yaml_writer import write_documents


def run(options: argparse.Namespace, output: Output) -> int:
    found = matter_rubric(matter_of(options.matter))
    publish = bool(options.publish)
    text = write_documents(rubric_documents(found, publish=publish))
    if options.output is not None:
        _write(Path(options.output), text)
        output.say(f"Wrote {options.output}.")
    if options.load or publish:
        return _load(options, found, output, publish=publish)
    if output.json:
        output.data({**_about(found), "file": options.output, "text": text})
    elif options.output is None:
        output.text(text.removesuffix("\n"))
    return 0


def rubric_documents(rubric: MatterRubric, *, publish: bool) -> tuple[Document, ...]:
    """What is loaded: the scales, the rubric, and where it is wanted the record that publishes it."""
    documents: list[Document] = [ScaleFile(scale=scale) for scale in rubric.version.scales]
    documents.append(
        RubricFile(
            id=rubric.id,
            name=rubric.name,
            category=CATEGORY,
            description=rubric.description,
            snapshot=rubric.version,
        )
    )
    if publish:
        documents.append(Publication(rubric=rubric.name, version_id=rubric.version.id))
    return tuple(documents)


def _load(options: argparse.Namespace, found: MatterRubric, output: Output, *, publish: bool) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options, create=True) as engine:
        known = next((one for one in engine.rubrics() if one.name.casefold() == found.name.casefold()), None)
        if known is not None and known.id != found.id:
            raise InvalidInputError(
                f'There is another rubric named "{found.name}", which was not made from this matter.',
                remedy="Rename that one, or give the matter another title.",
            )
        report = engine.load_documents(rubric_documents(found, publish=publish))
        heads = engine.rubric(found.id).versions
    (version,) = [one for one in heads if one.id == found.version.id]
    if output.json:
        output.data({**_about(found), "status": version.status, "version": version.number, "loaded": report})
    else:
        stands = f"{found.name}: version {version.number}" if version.number else f"{found.name}: a draft"
        criteria = counted(version.criteria_count, "criterion", "criteria")
        output.text(f"{stands}, {criteria}{'' if report.changed else ', there already'}.")
    return 0


def _about(found: MatterRubric) -> dict[str, object]:
    return {
        "name": found.name,
        "rubric_id": found.id,
        "version_id": found.version.id,
        "content_hash": found.content_hash,
    }


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidInputError(f"{path} is there already.", remedy="Name another file with -o.") from None
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be written: {error.strerror or error}.", remedy="Name another file with -o."
        ) from None
