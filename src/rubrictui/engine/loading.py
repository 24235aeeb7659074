"""Documents into the store, through the same publish and submit path as everyone's work."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from rubrictui.core.model import VersionStatus
from rubrictui.core.records import EvaluationStatus, Role, User
from rubrictui.engine.adjudicating import Adjudicating
from rubrictui.engine.base import named
from rubrictui.engine.checking import settled
from rubrictui.engine.errors import NameTakenError, NotFoundError, StateError
from rubrictui.engine.work import evaluator
from rubrictui.interchange.documents import (
    ME,
    CategoryFile,
    Document,
    EvaluationEntry,
    Publication,
    RubricFile,
    ScaleFile,
    SubjectsFile,
    answers_for,
)
from rubrictui.store import access, evaluations, rubrics, scales, subjects, users


class LoadReport(msgspec.Struct):
    """What a load has added; what was there already is not counted."""

    categories: int = 0
    scales: int = 0
    rubrics: int = 0
    published: int = 0
    users: int = 0
    contexts: int = 0
    subjects: int = 0
    assignments: int = 0
    evaluations: int = 0

    @property
    def changed(self) -> bool:
        return any(msgspec.structs.astuple(self))


class Loading(Adjudicating):
    """Filling a store from files."""

    def load_documents(self, documents: Iterable[Document], *, publish: bool = True) -> LoadReport:
        """Load what files hold. What carries an id that the store has is left alone, so loading twice is
        loading once; a load that was cut short goes on where it stopped.

        Categories and scales come first; each rubric is published right after it is stored when a publication asks for
        that; then people, contexts and subjects, assignments, and evaluations in the order written. An
        evaluation is stored as its user's; users that are not there are made reviewers.

        Args:
            documents: from any number of files, in any order.
            publish: False leaves publications out, and rubrics Drafts.

        Raises:
            NotPermittedError: the user lacks a role: author for definitions, chair for contexts and
                assignments, administer_evaluations for the evaluations of others.
            PublishRefusedError, SubmitRefusedError, StateError, NotFoundError: as when done by hand.
        """
        given = tuple(documents)
        report = LoadReport()
        for document in given:
            if isinstance(document, CategoryFile):
                report.categories += self._load_category(document)
        for document in given:
            if isinstance(document, ScaleFile):
                report.scales += self._load_scale(document)
        wanted = {d.version_id: d for d in given if isinstance(d, Publication)} if publish else {}
        for document in given:
            if isinstance(document, RubricFile):
                report.rubrics += self._load_rubric(document)
                publication = wanted.pop(document.snapshot.id, None)
                if publication is not None:
                    report.published += self._load_publication(publication)
        for publication in wanted.values():
            report.published += self._load_publication(publication)
        files = [document for document in given if isinstance(document, SubjectsFile)]
        for file in files:
            self._load_people(file, report)
        for file in files:
            self._load_assignments(file, report)
        for file in files:
            for entry in file.evaluations:
                report.evaluations += self._load_evaluation(entry, report)
        return report

    def load_samples(self, *, for_user: str | None = None) -> LoadReport:
        """Load the worked examples, the shipped rubrics, and subjects waiting to be scored.

        Args:
            for_user: whose inbox gets the assignments; the user's own by default.
        """
        from rubrictui.interchange.yaml_reader import read_files
        from rubrictui.sample_data import sample_files

        documents = read_files(sample_files()).require()
        if for_user is not None and for_user != self.user.name:
            documents = tuple(_for_user(document, for_user) for document in documents)
        return self.load_documents(documents, publish=True)

    # -- definitions ---------------------------------------------------------------------------------

    def _load_category(self, file: CategoryFile) -> bool:
        self._require(Role.AUTHOR, doing="load categories")
        with self._write() as connection:
            known = rubrics.categories(connection)
            folded = file.category.name.strip().casefold()
            if any(one.id == file.category.id or one.name.casefold() == folded for one in known):
                return False
            title = named(file.category.name, "category")
            rubrics.put_category(connection, msgspec.structs.replace(file.category, name=title))
            return True

    def _load_scale(self, file: ScaleFile) -> bool:
        with self._read() as connection:
            if scales.load_scales(connection, {file.scale.id}):
                return False
        self.save_scale(file.scale)
        return True

    def _load_rubric(self, file: RubricFile) -> bool:
        with self._read() as connection:
            if rubrics.version_head(connection, file.snapshot.id) is not None:
                return False
        self._require(Role.AUTHOR, doing="load rubrics")
        with self._write() as connection:
            # Another process may be loading the same file: what counts is what stands now.
            if rubrics.version_head(connection, file.snapshot.id) is not None:
                return False
            rubric = rubrics.find_rubric(connection, file.id) or rubrics.find_rubric(connection, file.name)
            version_id = file.snapshot.id or self._new_id()
            if rubric is None:
                self._create_rubric(
                    connection,
                    file.name,
                    category=file.category,
                    description=file.description,
                    id=file.id or None,
                    version_id=version_id,
                )
            else:
                heads = rubrics.version_heads(connection, rubric.id)
                if any(head.status is VersionStatus.DRAFT for head in heads):
                    raise StateError(
                        f'"{rubric.name}" has another draft already.',
                        remedy="Publish or discard it, then load the file again.",
                    )
                based_on = heads[0].id if heads else None
                self._add_draft(connection, rubric.id, version_id, based_on=based_on)
            head = rubrics.version_head(connection, version_id)
            assert head is not None
            known = {scale.id for scale in scales.load_scales(connection)}
            fresh = tuple(scale for scale in file.snapshot.scales if scale.id not in known)
            snapshot = msgspec.structs.replace(file.snapshot, id=version_id, scales=fresh)
            self._save_tree(connection, snapshot, head)
        return True

    def _load_publication(self, publication: Publication) -> bool:
        with self._read() as connection:
            head = rubrics.version_head(connection, publication.version_id)
        if head is None:
            raise NotFoundError(
                f'The version of "{publication.rubric}" to publish is not in the store '
                f"({publication.version_id}).",
                remedy="Load the rubric's file with it.",
            )
        if head.status is not VersionStatus.DRAFT:
            return False
        try:
            self.publish(head.rubric_id, requested_bump=publication.bump, summary=publication.summary or "")
        except StateError:
            with self._read() as connection:
                head = rubrics.version_head(connection, publication.version_id)
            if head is None or head.status is VersionStatus.DRAFT:
                raise
            return False  # another process that loads the same file was quicker
        return True

    # -- work and people -----------------------------------------------------------------------------

    def _load_people(self, file: SubjectsFile, report: LoadReport) -> None:
        for user in file.users:
            with self._read() as connection:
                known = users.find_user(connection, user.id) or users.find_user(connection, user.name)
            if known is None and user.name != ME:
                with suppress(NameTakenError):  # another process that loads the same file was quicker
                    self.add_user(
                        user.name,
                        display_name=user.display_name,
                        roles=user.roles or (Role.REVIEWER,),
                        id=user.id or None,
                    )
                    report.users += 1
        for entry in file.contexts:
            context = entry.context
            with self._read() as connection:
                stored = subjects.find_context(connection, f"{context.entity}/{context.record_id}")
            if stored is None:
                rubric_id = self.rubric(entry.rubric).id if entry.rubric else context.rubric_id
                self.add_context(msgspec.structs.replace(context, rubric_id=rubric_id))
                report.contexts += 1
        with self._read() as connection:
            fresh = [
                subject
                for subject in file.subjects
                if subjects.subject_id(connection, f"{subject.entity}/{subject.record_id}") is None
            ]
        if fresh:
            self.add_subjects(fresh)
            report.subjects += len(fresh)

    def _load_assignments(self, file: SubjectsFile, report: LoadReport) -> None:
        for entry in file.assignments:
            with self._read() as connection:
                if subjects.find_assignment(connection, entry.id) is not None:
                    continue
            made = self.assign(
                subject=entry.subject,
                rubric=entry.rubric,
                user=self._person(entry.user, report).name,
                context=entry.context,
                due_at=entry.due_at,
                id=entry.id,
            )
            report.assignments += made.id == entry.id

    def _load_evaluation(self, entry: EvaluationEntry, report: LoadReport) -> bool:
        person = self._person(entry.user, report)
        if person.id != self.user.id:
            self._require(Role.ADMINISTER_EVALUATIONS, doing="load the evaluations of others")
        return self._acting_as(person)._load_own_evaluation(entry)

    def _load_own_evaluation(self, entry: EvaluationEntry) -> bool:
        by = evaluator(entry.evaluator_type, entry.evaluator_name)
        with self._write() as connection:
            if access.evaluation(connection, self.user, entry.id, for_writing=True) is not None:
                return False
            work = self._work(
                connection,
                subject=entry.subject,
                rubric=entry.rubric,
                version=None,
                context=entry.context,
                assignment=None,
            )
            version = self._frozen(connection, work.version.id)
            answers = answers_for(entry.answers, version)
            extra = {"metadata": entry.metadata}
            if entry.status is EvaluationStatus.DRAFT:
                for answer in answers:
                    settled(version, answer)
                self._no_open_draft(connection, work, by)
                self._fill(
                    connection,
                    work,
                    by,
                    answers,
                    supersedes=entry.supersedes,
                    extra=extra,
                    id=entry.id,
                    check=False,
                )
                return True
            self._store(
                connection,
                work,
                by,
                answers,
                supersedes=entry.supersedes,
                pass_threshold=None,
                extra=extra,
                id=entry.id,
            )
            if entry.status is EvaluationStatus.WITHDRAWN:
                evaluations.end_submitted(
                    connection,
                    entry.id,
                    EvaluationStatus.WITHDRAWN,
                    at=self._clock(),
                    reason=self._reason(entry.reason or ""),
                )
        return True

    def _person(self, name: str, report: LoadReport) -> User:
        """The user behind a name in a file; ``@me`` is whoever loads it. Unknown names become reviewers."""
        if name == ME:
            return self.user
        with self._read() as connection:
            known = users.find_user(connection, name)
        if known is not None:
            return known
        try:
            added = self.add_user(name)
        except NameTakenError:  # another process that loads the same file was quicker
            with self._read() as connection:
                return self._find_user(connection, name)
        report.users += 1
        return added


def load_documents(engine: Loading, documents: Iterable[Document], *, publish: bool = True) -> LoadReport:
    """``engine.load_documents``, for callers that hold an engine and a list."""
    return engine.load_documents(documents, publish=publish)


def _for_user(document: Document, name: str) -> Document:
    """The document with ``@me`` settled to ``name``."""
    if not isinstance(document, SubjectsFile):
        return document
    return msgspec.structs.replace(
        document,
        assignments=tuple(
            msgspec.structs.replace(entry, user=name) if entry.user == ME else entry
            for entry in document.assignments
        ),
        evaluations=tuple(
            msgspec.structs.replace(entry, user=name) if entry.user == ME else entry
            for entry in document.evaluations
        ),
    )
