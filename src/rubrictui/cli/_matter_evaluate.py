"""``matter evaluate``: scripted work on a matter into the store, scored by the matter's rules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubrictui.cli._matter_input import actions_file, actions_of, matter_folder
from rubrictui.cli._output import Output
from rubrictui.evaluators.matter import DIRECTORY, MatterEvaluator
from rubrictui.evaluators.matter_rubric import EXTENSION, matter_rubric
from rubrictui.evaluators.matter_work import work_subject
from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.loading import Matter
from rubrictui.matters.replay import replay
from rubrictui.sample_data import matter_folders

if TYPE_CHECKING:
    from rubrictui.core.records import Subject
    from rubrictui.engine import Engine


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._results import evaluation_lines
    from rubrictui.cli._store import open_engine
    from rubrictui.core.score_of_record import score_of_record

    folder = matter_folder(options.matter)
    matter = Matter.from_directory(folder)
    rubric = matter_rubric(matter)
    actions = actions_of(actions_file(options.actions, folder))
    subject = work_subject(
        matter,
        actions,
        replay(matter, actions),
        record_id=options.record,
        entity=options.entity,
        title=options.title or "",
    )
    with open_engine(options) as engine:
        _require_published(engine, rubric.id, rubric.version.id, options.matter)
        if options.context is not None:
            engine.context(options.context)  # refused before the work is stored
        _store(engine, subject, replace=options.replace)
        result = engine.evaluate_record(
            subject=f"{subject.entity}/{subject.record_id}",
            version=rubric.version.id,
            context=options.context,
            evaluator=MatterEvaluator.name,
            settings=_settings(folder),
        )
    for warning in result.warnings:
        output.say(f"warning: {warning}")
    found = result.detail.evaluation
    if output.json:
        output.data(
            {
                "evaluation_id": result.evaluation_id,
                "score": result.score,
                "outcome": result.outcome,
                "score_of_record": score_of_record(found),
                "criteria": result.criteria,
                "unanswered": result.unanswered,
                "hidden": result.hidden,
                "evaluator": (found.metadata or {}).get("Evaluator"),
            }
        )
    elif result.hidden:
        output.text(f"Stored {result.evaluation_id}.")
    else:
        output.text(f"Submitted {result.evaluation_id}.", "", *evaluation_lines(result.detail))
    return 0


def _settings(folder: Path) -> dict[str, Any] | None:
    """Where the evaluator finds the matter. A shipped one it knows, and no path of this machine is kept for it."""
    if folder in matter_folders():
        return None
    return {"Extensions": {EXTENSION: {DIRECTORY: str(folder)}}}


def _require_published(engine: Engine, rubric_id: str, version_id: str, name: str) -> None:
    """Refuse before anything is stored."""
    from rubrictui.core.model import VersionStatus
    from rubrictui.engine import NotFoundError

    try:
        versions = engine.rubric(rubric_id).versions
    except NotFoundError:
        versions = ()
    status = next((one.status for one in versions if one.id == version_id), None)
    if status is not VersionStatus.PUBLISHED:
        state = "not in the store" if status is None else f"a {status.value.lower()} version there"
        raise InvalidInputError(
            f"The rubric of this matter, as the matter is now, is {state}.",
            remedy=f"Store it first: rubrictui matter rubric {name} --publish",
        )


def _store(engine: Engine, subject: Subject, *, replace: bool) -> None:
    """Store the work, and never put other work in the place of what others may be scoring unless that is asked for."""
    from rubrictui.core.canonical import subject_hash
    from rubrictui.engine import NotFoundError

    name = f"{subject.entity}/{subject.record_id}"
    try:
        known = engine.subject(name)
    except NotFoundError:
        known = None
    if known is not None and known.content_hash != subject_hash(subject) and not replace:
        raise InvalidInputError(
            f"{name} is stored with other content.",
            remedy="Give the work a --record of its own, or put it in that one's place with --replace.",
        )
    engine.add_subjects([subject])
