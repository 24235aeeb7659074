"""Subjects shapes to documents: files read, instants in UTC, references checked as far as they can be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import Context, EvaluationStatus, Subject, SubjectFile, User
from rubrictui.interchange.building import Builder
from rubrictui.interchange.documents import (
    AnswerEntry,
    AssignmentEntry,
    ContextEntry,
    EvaluationEntry,
    SubjectsFile,
)
from rubrictui.interchange.resolving import Names, Resolver, choices
from rubrictui.interchange.shapes import (
    AnswerShape,
    AssignmentShape,
    ContextShape,
    EvaluationShape,
    FileShape,
    SubjectsDocument,
    SubjectShape,
)
from rubrictui.interchange.subject_files import inside, read_bytes, subject_file


class SubjectResolver(Resolver):
    """Subjects documents of one file. ``declare`` runs over every file of a load before ``subjects`` does."""

    def __init__(self, builder: Builder, names: Names, folder: Path | None) -> None:
        super().__init__(builder, names)
        self._folder = folder

    def declare(self, shape: SubjectsDocument) -> None:
        """Make the names of one file known to the others."""
        self.names.users.update(user.name for user in shape.users)
        self.names.contexts.update(f"{one.entity}/{one.record_id}" for one in shape.contexts)
        self.names.subjects.update(f"{one.entity}/{one.record_id}" for one in shape.subjects)

    def subjects(self, shape: SubjectsDocument) -> SubjectsFile:
        self.check_format(shape)
        self._once("user", ((user.name, user) for user in shape.users), "name")
        self._once("context", ((f"{c.entity}/{c.record_id}", c) for c in shape.contexts), "record_id")
        self._once("subject", ((f"{s.entity}/{s.record_id}", s) for s in shape.subjects), "record_id")
        for kind, records in (
            ("user", shape.users),
            ("context", shape.contexts),
            ("subject", shape.subjects),
            ("assignment", shape.assignments),
            ("evaluation", shape.evaluations),
        ):
            for record in records:
                self.own_id(kind, record)
        return SubjectsFile(
            users=tuple(
                User(id=user.id, name=user.name, display_name=user.display_name, roles=user.roles)
                for user in shape.users
            ),
            contexts=tuple(self._context(one) for one in shape.contexts),
            subjects=tuple(self._subject(one) for one in shape.subjects),
            assignments=tuple(self._assignment(one) for one in shape.assignments),
            evaluations=tuple(self._evaluation(one) for one in shape.evaluations),
        )

    def _once(self, kind: str, named: Iterable[tuple[str, Any]], field: str) -> None:
        seen: set[str] = set()
        for name, shape in named:
            if name in seen:
                self.error("duplicate_record", f'the {kind} "{name}" is given twice.', shape, field)
            seen.add(name)

    def _known(self, kind: str, name: str | None, known: set[str], shape: Any) -> None:
        if name is not None and name not in known:
            close = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f' Did you mean "{close[0]}"?' if close else ""
            self.warn(
                f"unknown_{kind}",
                f'the {kind} "{name}" is not in these files; it must be in the store already.{hint}',
                shape,
                kind,
            )

    def _due(self, shape: ContextShape | AssignmentShape, zone_name: str | None) -> datetime | None:
        zone = None
        if zone_name is not None:
            try:
                zone = ZoneInfo(zone_name)
            except (KeyError, ValueError, OSError):
                self.error(
                    "unknown_word",
                    f'"due_zone" is "{zone_name}"; write a time zone such as Europe/Zurich.',
                    shape,
                    "due_zone",
                )
                return None
        if shape.due_at is None:
            return None
        due = shape.due_at
        if due.tzinfo is None:
            if zone is None:
                self.error(
                    "wrong_type",
                    '"due_at" has no offset from UTC. Write one, as in 2027-03-01T17:00:00+00:00.',
                    shape,
                    "due_at",
                )
                return None
            due = due.replace(tzinfo=zone)
        try:
            return due.astimezone(UTC)
        except OverflowError:
            self.error("out_of_range", '"due_at" is out of the calendar.', shape, "due_at")
            return None

    def _context(self, shape: ContextShape) -> ContextEntry:
        self.known_version(shape.rubric, shape)
        return ContextEntry(
            rubric=shape.rubric,
            context=Context(
                id=shape.id,
                entity=shape.entity,
                record_id=shape.record_id,
                name=shape.name,
                description=shape.description,
                due_at=self._due(shape, shape.due_zone),
                due_zone=shape.due_zone,
                self_allowed=shape.self_allowed,
            ),
        )

    def _subject(self, shape: SubjectShape) -> Subject:
        text = shape.text or ""
        if shape.text_file is not None:
            if shape.text is not None:
                self.error("conflict", 'give "text" or "text_file", not both.', shape, "text_file")
            data = self._beside(shape.text_file, shape, "text_file")
            if data is not None:
                try:
                    text = data.decode("utf-8-sig")
                except UnicodeDecodeError:
                    self.error("encoding", f'"{shape.text_file}" is not UTF-8 text.', shape, "text_file")
        self._once("file", ((file.name, file) for file in shape.files), "name")
        return Subject(
            id=shape.id,
            entity=shape.entity,
            record_id=shape.record_id,
            title=shape.title,
            text=text,
            data=shape.data,
            files=tuple(file for file in map(self._file, shape.files) if file is not None),
        )

    def _file(self, shape: FileShape) -> SubjectFile | None:
        if (shape.path is None) == (shape.text is None):
            self.error("conflict", f'give the file "{shape.name}" a "path" or a "text".', shape)
            return None
        if shape.text is not None:
            return subject_file(shape.name, shape.text.encode("utf-8"), media_type=shape.media_type)
        assert shape.path is not None
        data = self._beside(shape.path, shape, "path")
        if data is None:
            return None
        return subject_file(shape.name, data, path=shape.path, media_type=shape.media_type)

    def _beside(self, relative: str, shape: object, field: str) -> bytes | None:
        """The bytes of a file beside the YAML file; None, and a finding, when it cannot be read."""
        if self._folder is None:
            self.error("missing_file", f'"{relative}" has no folder to be looked for in.', shape, field)
            return None
        try:
            return read_bytes(inside(self._folder, relative))
        except InvalidInputError as error:
            self.error("missing_file", str(error), shape, field)
            return None

    def _assignment(self, shape: AssignmentShape) -> AssignmentEntry:
        self._refer(shape)
        self.known_version(shape.rubric, shape)
        return AssignmentEntry(
            id=shape.id,
            subject=shape.subject,
            rubric=shape.rubric,
            user=shape.user,
            context=shape.context,
            due_at=self._due(shape, None),
        )

    def _refer(self, shape: AssignmentShape | EvaluationShape) -> None:
        for field in ("subject", "context"):
            reference = getattr(shape, field)
            if reference is not None and "/" not in reference.strip("/"):
                self.error(
                    "wrong_type",
                    f'"{field}" is "{reference}"; write Entity/record_id, as in Proposal/north.',
                    shape,
                    field,
                )
                return
        self._known("subject", shape.subject, self.names.subjects, shape)
        self._known("context", shape.context, self.names.contexts, shape)
        self._known("user", shape.user, self.names.users, shape)

    def _evaluation(self, shape: EvaluationShape) -> EvaluationEntry:
        self._refer(shape)
        version = self.known_version(shape.rubric, shape)
        given = (shape.reason or "").strip() or self.builder.gives(shape, "reason")
        if shape.status == "Withdrawn" and not given:
            self.error("missing_field", 'a Withdrawn evaluation needs its "reason".', shape, "reason")
        seen: set[str] = set()
        for answer in shape.answers:
            if answer.criterion in seen:
                self.error(
                    "duplicate_record", f'"{answer.criterion}" is answered twice.', answer, "criterion"
                )
            seen.add(answer.criterion)
            self._answer(answer, version)
        return EvaluationEntry(
            id=shape.id,
            subject=shape.subject,
            rubric=shape.rubric,
            user=shape.user,
            context=shape.context,
            evaluator_type=shape.evaluator_type,
            evaluator_name=shape.evaluator_name,
            status=EvaluationStatus(shape.status),
            reason=shape.reason,
            supersedes=shape.supersedes,
            metadata=shape.metadata,
            answers=tuple(
                AnswerEntry(
                    criterion=one.criterion,
                    level=one.level,
                    value=one.value,
                    not_applicable=one.not_applicable,
                    confidence=one.confidence,
                    rationale=one.rationale,
                    evidence=one.evidence,
                )
                for one in shape.answers
            ),
        )

    def _answer(self, shape: AnswerShape, version: VersionSnapshot | None) -> None:
        given = [shape.level is not None, shape.value is not None, shape.not_applicable]
        if sum(given) > 1:
            self.error(
                "conflict",
                f'give "{shape.criterion}" one of level, value and not_applicable.',
                shape,
                "criterion",
            )
        if version is None:
            return
        keys = {node.key: node for node in version.nodes if node.is_criterion}
        node = keys.get(shape.criterion)
        if node is None:
            self.error(
                "unknown_criterion",
                f'"{version.rubric_name}" has no criterion "{shape.criterion}". {choices(list(keys))}',
                shape,
                "criterion",
            )
            return
        scale = next((scale for scale in version.scales if scale.id == node.scale_id), None)
        if shape.level is not None and scale is not None:
            labels = [level.label for level in scale.levels]
            if shape.level not in labels:
                self.error(
                    "unknown_level",
                    f'the scale of "{node.key}" has no level "{shape.level}". {choices(labels)}',
                    shape,
                    "level",
                )
