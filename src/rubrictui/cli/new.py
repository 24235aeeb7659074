"""``new``: a small rubric to begin from, as a file to fill in; no store needed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands
from rubrictui.core.display import name_fault
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import MAXIMUM_NAME

# Every name is written as JSON writes it, which YAML reads as text whatever is in it.
_TEMPLATE = """\
# A small rubric to begin from. What the fields mean: docs/formats.md.
# Check it: rubrictui validate {file}    Load it: rubrictui load {file}
kind: scale
format: 1
id: {id}  # ids are fixed: loading twice is loading once
name: {scale}
levels:                   # ascending; normalized_value is what a level is worth, 0 to 1
  - {{id: {id}, label: Misses, value: 0, normalized_value: 0}}
  - {{id: {id}, label: Partly, value: 1, normalized_value: 0.5}}
  - {{id: {id}, label: Meets, value: 2, normalized_value: 1}}
---
kind: rubric
format: 1
id: {id}
name: {name}
description: What is scored with it, and for what decision.
version:
  id: {version}
  instructions: |
    What to read first, and what not to hold against it.
  pass_threshold: 0.6     # passed from 0.6 of 1; leave it out and nothing passes or fails
  minimum_completeness: 1 # the share of criteria that must be answered
  criteria:
    - id: {id}
      key: content        # keys are permanent: they tie versions together
      name: Content
      children:           # a node with children is a group
        - id: {id}
          key: clarity
          name: Clarity
          description: The question this criterion answers.
          scale: {scale}
          weight: 2       # counts twice as much as its neighbour
          anchors:        # what each level looks like here; this is what makes two people agree
            Misses: Say what is missing at this level.
            Partly: Say what is there, and what is still missing.
            Meets: Say what has to be there for this level.
        - id: {id}
          key: evidence
          name: Evidence
          description: The question this criterion answers.
          scale: {scale}
          rationale_required: true
          anchors:
            Misses: Say what is missing at this level.
            Partly: Say what is there, and what is still missing.
            Meets: Say what has to be there for this level.
  bands:
    - {{id: {id}, label: Not yet, min_score: 0, max_score: 0.6, display_tone: Warning}}
    - {{id: {id}, label: Good, min_score: 0.6, max_score: 1, display_tone: Success}}
---
kind: publication         # without this document the rubric is loaded as a draft
format: 1
rubric: {name}
version_id: {version}
"""


def register(commands: Commands) -> None:
    parser = commands.add(
        "new",
        "a small rubric to begin from, as a YAML file",
        run,
        description="Print a small rubric with fresh ids and comments, to fill in: a scale of three levels, a "
        "group with two criteria and their anchors, a threshold, bands, and the publication that makes it "
        "version 1.0.0. It needs no store.",
        examples=['rubrictui new "Short talk" -o my-rubric.yaml'],
    )
    parser.add_argument("name", metavar="NAME", help="the rubric's name")
    parser.add_argument("--scale", metavar="NAME", help="the name of its scale (else NAME levels)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write this file, which must not be there yet; else print it"
    )


def run(options: argparse.Namespace, output: Output) -> int:
    from uuid import uuid4

    name = _named(options.name, "rubric")
    scale = _named(
        options.scale if options.scale is not None else f"{name[: MAXIMUM_NAME - 7]} levels", "scale"
    )
    text = rubric_text(name, scale, file=options.output or "FILE", new_id=lambda: str(uuid4()))
    if options.output is not None:
        _write(Path(options.output), text)
        output.say(f"Wrote {options.output}. Fill it in, then: rubrictui load {options.output}")
    if output.json:
        output.data({"name": name, "scale": scale, "file": options.output, "text": text})
    elif options.output is None:
        output.text(text.removesuffix("\n"))
    return 0


def rubric_text(name: str, scale: str, *, file: str, new_id: Callable[[], str]) -> str:
    """The YAML of a rubric to begin from; every id is ``new_id``'s, and ``file`` stands in its first comment."""
    version = new_id()
    lines = [
        line.format(
            id=new_id() if "{id}" in line else "",
            name=json.dumps(name, ensure_ascii=False),
            scale=json.dumps(scale, ensure_ascii=False),
            version=version,
            file=file,
        )
        for line in _TEMPLATE.splitlines()
    ]
    return "\n".join(lines) + "\n"


def _named(text: str, what: str) -> str:
    name = text.strip()
    fault = name_fault(name, MAXIMUM_NAME) if name else "is empty"
    if fault:
        shown = name if len(name) <= 40 else f"{name[:40]}..."
        raise InvalidInputError(f'The name of the {what} "{shown}" {fault}.', remedy="Give it another.")
    return name


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidInputError(f"{path} is there already.", remedy="Name another file.") from None
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be written: {error.strerror}.", remedy="Name another file."
        ) from None
