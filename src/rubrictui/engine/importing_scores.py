"""Evaluations that were made elsewhere, into the store: scored by the core, all of a file in one transaction, twice
the same as once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.evidence import check_evidence
from rubrictui.core.loading import to_json
from rubrictui.core.model import Answer, Evidence, EvidenceKind, Outcome, ScoreResult, Value, VersionSnapshot
from rubrictui.core.records import Context, Evaluation, EvaluationStatus, EvaluatorType, Subject
from rubrictui.core.scoring import compute
from rubrictui.engine.checking import storable, submit_problems, unanswered_keys
from rubrictui.engine.errors import ScoresRefusedError
from rubrictui.engine.packets_settling import PacketSettling
from rubrictui.engine.panels import checked_subject
from rubrictui.engine.submitting import result_columns
from rubrictui.engine.work import Evaluator, Work, evaluator
from rubrictui.ground.findings import Findings, has_errors
from rubrictui.interchange.documents import split_reference
from rubrictui.interchange.scores_in_values import ScoreEntry, ScoresRead
from rubrictui.store import access, access_rules, evaluations, subjects
from rubrictui.store.rubrics import VersionHead

ImportedStatus = Literal["new", "superseded", "unchanged"]

#: So many are looked up, checked and stored in one go.
_AT_ONCE = 200


class ImportedScore(Value, frozen=True, kw_only=True):
    """What became (or would become) of one evaluation of a file.

    ``status``: ``new``; ``superseded``, in the place of this evaluator's last one; ``unchanged``, there already with
    the same answers. ``row`` is where its subject stands in the file. The result is None while the user is
    scoring the subject herself (``is_hidden``). ``unanswered`` are keys of criteria without an answer.
    """

    subject: str
    row: int
    status: ImportedStatus
    evaluation_id: str | None = None
    score: float | None = None
    outcome: Outcome | None = None
    unanswered: tuple[str, ...] = ()
    is_hidden: bool = False


class ScoresReport(Value, frozen=True, kw_only=True):
    """An import: every evaluation in the order of the file, and the subjects that came with it, as Entity/record."""

    version_id: str
    rubric_name: str
    version_number: str
    evaluator_type: EvaluatorType
    evaluator_name: str | None
    scores: tuple[ImportedScore, ...] = ()
    subjects_added: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def count(self, status: ImportedStatus) -> int:
        return sum(one.status == status for one in self.scores)


class _Plan(NamedTuple):
    """One evaluation, ready to be stored, or there already (then without a result)."""

    entry: ScoreEntry
    subject: Subject
    answers: tuple[Answer, ...]
    digest: str
    last: Evaluation | None
    result: ScoreResult | None


class ImportingScores(PacketSettling):
    """Taking in what a subject, an outside source, or another machine has answered."""

    def version_to_score(self, rubric: str, context: str | None = None) -> VersionSnapshot:
        """The version that new scores are given with: ``Name@1.2.0``, or of a rubric by name the one that the
        context pins, else the latest Published.

        Raises:
            NoPublishedVersionError, NotFoundError: there is none.
        """
        with self._read() as connection:
            place = self._optional_context(connection, context)
            _, head = self._rubric_and_version(connection, rubric, None, place)
            return self._snapshot(connection, head.id)

    def import_scores(
        self,
        read: ScoresRead,
        *,
        version: str,
        evaluator_type: EvaluatorType,
        evaluator_name: str | None = None,
        context: str | None = None,
        add_subjects: bool = False,
        supersede: bool = False,
        dry_run: bool = False,
    ) -> ScoresReport:
        """Store evaluations that ``interchange.scores_in`` read, all or none; the core scores them.

        Each keeps under ``metadata.Source`` the name and hash of the file and its row. What this evaluator has
        stored before with the same version and the same answers is left alone.

        Args:
            version: the version that the file was read against, by its id.
            evaluator_type: any but Human, whose reviews are submitted by the people themselves.
            evaluator_name: which judge or source; none for Self.
            context: what all of them are for, by id or ``Entity/record``.
            add_subjects: store subjects that are not there, where the file holds their content.
            supersede: replace this evaluator's last evaluation where the answers differ.
            dry_run: change nothing, only tell.

        Raises:
            ScoresRefusedError: something in the file is wrong; all of it is listed, and nothing is stored.
            StateError: the version or the context takes no scores.
            InvalidInputError, NotFoundError: the evaluator or the context is not right.
        """
        by = evaluator(evaluator_type, evaluator_name)
        if by.type is EvaluatorType.HUMAN:
            raise InvalidInputError(
                "A person's reviews are not imported in her name.",
                remedy="Let her submit them, or exchange a packet; other sources are External.",
            )
        with self._read() if dry_run else self._write() as connection:
            return _Import(self, connection, read, by=by, version=version, context=context).run(
                add_subjects=add_subjects, supersede=supersede, dry_run=dry_run
            )


class _Import:
    """One call of ``import_scores``, within its transaction."""

    def __init__(
        self,
        engine: ImportingScores,
        connection: Connection,
        read: ScoresRead,
        *,
        by: Evaluator,
        version: str,
        context: str | None,
    ) -> None:
        self.engine = engine
        self.connection = connection
        self.read = read
        self.by = by
        self.context: Context | None = engine._optional_context(connection, context)
        self.rubric, self.head = engine._rubric_and_version(connection, None, version, self.context)
        engine._check_new(self._work(Subject(record_id="any")), by, correcting=False)
        self.version = engine._snapshot(connection, self.head.id)
        self.findings = Findings(read.shown or read.file)
        self.hidden = access_rules.hidden_subjects(connection, engine.user)
        self.refused = access_rules.hidden_from_login(connection, engine.user)
        self.added: dict[str, Subject] = {}
        self._taken: dict[str, int] = {}

    def run(self, *, add_subjects: bool, supersede: bool, dry_run: bool) -> ScoresReport:
        told: list[ImportedScore] = []
        entries = self.read.entries
        for start in range(0, len(entries), _AT_ONCE):
            part = entries[start : start + _AT_ONCE]
            known = self._subjects(part, add_subjects, dry_run)
            plans = list(self._plans(part, known, supersede))
            writes = not dry_run and not self._is_refused
            told += self._store(plans) if writes else [self._told(plan, None) for plan in plans]
        if self._is_refused:
            found = sorted((*self.read.findings, *self.findings.all), key=lambda one: (one.line, one.column))
            raise ScoresRefusedError(
                f"{found[0]}" + (f" ({len(found) - 1} more)" if len(found) > 1 else ""),
                problems=tuple(found),
                remedy="Nothing was imported.",
            )
        return ScoresReport(
            version_id=self.head.id,
            rubric_name=self.rubric.name,
            version_number=self.head.number or "",
            evaluator_type=self.by.type,
            evaluator_name=self.by.name,
            scores=tuple(told),
            subjects_added=tuple(self.added),
            notes=self.read.notes,
        )

    @property
    def _is_refused(self) -> bool:
        return bool(self.findings.all) or has_errors(self.read.findings)

    # -- subjects ------------------------------------------------------------------------------------

    def _subjects(self, part: Sequence[ScoreEntry], add: bool, dry_run: bool) -> dict[int, Subject]:
        """The subject of each entry, by its place in ``part``; one that cannot be found is told."""
        names = [name for entry in part for one in _references(entry) if (name := _split(one)) is not None]
        ids = subjects.known_subjects(self.connection, names)
        found: dict[int, str] = {}
        fresh: dict[int, Subject] = {}
        for place, entry in enumerate(part):
            known = next((ids[name].id for one in _references(entry) if (name := _split(one)) in ids), None)
            if known is None and "/" not in entry.subject:
                known = subjects.subject_id(self.connection, entry.subject)
            if known is not None:
                found[place] = known
            elif add and entry.content is not None:
                made = self._fresh(entry)
                if made is not None:
                    fresh[place] = made
            else:
                more = " --add-subjects takes it from the file." if entry.content is not None else ""
                more = more or ("" if "/" in entry.subject else " Write Entity/record, or name the entity.")
                self.findings.add(
                    "not_found",
                    f'subject "{_short(entry.subject)}" is not found or not readable.{more}',
                    entry.at,
                )
        if fresh and not dry_run and not self._is_refused:
            now = self.engine._clock()
            subjects.add_rows(
                self.connection,
                [
                    subjects.subject_row(one, id=one.id, at=now, by=self.engine.user.name)
                    for one in fresh.values()
                ],
            )
        self.added |= {f"{one.entity}/{one.record_id}": one for one in fresh.values()}
        whole = {one.id: one for one in subjects.subjects(self.connection, ids=list(set(found.values())))}
        return {**{place: whole[id] for place, id in found.items()}, **fresh}

    def _fresh(self, entry: ScoreEntry) -> Subject | None:
        assert entry.content is not None
        try:
            made = checked_subject(entry.content)
        except RubrictuiError as error:
            self.findings.add(error.code, str(error), entry.at)
            return None
        return msgspec.structs.replace(made, id=self.engine._new_id())

    # -- checking ------------------------------------------------------------------------------------

    def _plans(
        self, part: Sequence[ScoreEntry], known: dict[int, Subject], supersede: bool
    ) -> Iterator[_Plan]:
        last_ones = self._last_ones([one.id for one in known.values()])
        for place, entry in enumerate(part):
            subject = known.get(place)
            if subject is None:
                continue
            if self._is_in_the_way(entry, subject):
                continue
            answers = self._answers(entry, subject)
            if answers is None:
                continue
            digest = _digest(answers)
            last = last_ones.get(subject.id)
            if last is not None and last.status is EvaluationStatus.DRAFT:
                self.findings.add(
                    "wrong_state",
                    f'you have an open draft of "{_short(entry.subject)}" ({last.id}).',
                    entry.at,
                )
                continue
            if last is not None and _said_before(last, self.head, digest):
                yield _Plan(entry, subject, answers, digest, last, None)
                continue
            if last is not None and not supersede:
                self.findings.add(
                    "wrong_state",
                    f'"{_short(entry.subject)}" has other answers of this evaluator already ({last.id}). '
                    "Replace them with --supersede, or withdraw that evaluation.",
                    entry.at,
                )
                continue
            yield _Plan(entry, subject, answers, digest, last, compute(self.version, answers))

    def _is_in_the_way(self, entry: ScoreEntry, subject: Subject) -> bool:
        """Whether the subject may not be scored by this import; it is told then."""
        met = self._taken.setdefault(subject.id, entry.at[0])
        if met != entry.at[0]:
            self.findings.add(
                "duplicate_row",
                f'"{_short(entry.subject)}" is the subject of row {met} by another name.',
                entry.at,
            )
            return True
        if subject.id in self.refused:
            self.findings.add(
                "not_permitted",
                f'you have work of your own on "{_short(entry.subject)}": '
                f"what {self.engine.user.name} does with it is hidden from you.",
                entry.at,
            )
            return True
        return False

    def _answers(self, entry: ScoreEntry, subject: Subject) -> tuple[Answer, ...] | None:
        """The answers as they are stored, when every one may be."""
        before = len(self.findings.all)
        given = entry.answers
        if entry.loose_quotes:
            given = tuple(_with_notes(subject, answer) for answer in given)
        ready: list[Answer] = []
        for answer in given:
            try:
                ready += storable(self.version, [answer])
            except InvalidInputError as error:
                self.findings.add(error.code, str(error), entry.places.get(answer.criterion_id, entry.at))
        for problem in submit_problems(self.version, subject, ready):
            self.findings.add(problem.kind, problem.message, entry.places.get(problem.criterion_id, entry.at))
        return tuple(ready) if len(self.findings.all) == before else None

    def _last_ones(self, ids: Sequence[str]) -> dict[str, Evaluation]:
        """By subject: this evaluator's open draft, else its last submitted evaluation of this major."""
        found = access.evaluations(
            self.connection,
            self.engine.user,
            evaluator_user_id=self.engine.user.id,
            rubric_id=self.rubric.id,
            subject_ids=ids,
            for_writing=True,
        )
        wanted = (*self.by, self.context.id if self.context else None)
        known: dict[str, Evaluation] = {}
        for one in found:  # the latest first
            if (one.evaluator_type, one.evaluator_name, one.context_id) != wanted:
                continue
            counts = one.status is EvaluationStatus.SUBMITTED and one.major_version == self.head.major
            if one.status is EvaluationStatus.DRAFT or (counts and one.subject_id not in known):
                known[one.subject_id] = one
        return known

    # -- storing -------------------------------------------------------------------------------------

    def _store(self, plans: Sequence[_Plan]) -> list[ImportedScore]:
        engine, now = self.engine, self.engine._clock()
        ids: list[str | None] = []
        begun: list[dict[str, Any]] = []
        scores = evaluations.ScoreColumns()
        results: list[dict[str, Any]] = []
        superseded: list[dict[str, Any]] = []
        computed = [plan.result for plan in plans if plan.result is not None]
        fresh = iter(engine._new_ids(len(computed)))
        of_scores = iter(engine._new_ids(sum(len(result.nodes) for result in computed)))
        for plan in plans:
            if plan.result is None:
                ids.append(plan.last.id if plan.last else None)
                continue
            id = next(fresh)
            ids.append(id)
            begun.append(
                {
                    "id": id,
                    "rubric_id": self.rubric.id,
                    "version_id": self.head.id,
                    "major_version": self.head.major,
                    "subject_id": plan.subject.id,
                    "context_id": self.context.id if self.context else None,
                    "evaluator_user_id": engine.user.id,
                    "evaluator_type": self.by.type.value,
                    "evaluator_name": self.by.name,
                    "subject_hash": plan.subject.content_hash,
                    "started_at": now,
                    "updated_at": now,
                    "supersedes_id": plan.last.id if plan.last else None,
                    "metadata": {"Source": self._source(plan)},
                }
            )
            said = {answer.criterion_id: answer for answer in plan.answers}
            scores.add(id, plan.result.nodes, said, ids=of_scores, at=now)
            results.append(result_columns(plan.result, now))
            if plan.last is not None:
                superseded.append({"of": plan.last.id, "at": now, "why": f"Superseded by {id}."})
        if begun:
            kept = evaluations.add_submitted(self.connection, begun, scores, results, superseded=superseded)
            assert kept, "within one write transaction nobody else ends an evaluation"
        return [self._told(plan, id) for plan, id in zip(plans, ids, strict=True)]

    def _source(self, plan: _Plan) -> dict[str, Any]:
        return {
            "File": self.read.file,
            "SHA256": self.read.sha256,
            "Row": plan.entry.at[0],
            "Answers": plan.digest,
            **plan.entry.details,
        }

    def _told(self, plan: _Plan, id: str | None) -> ImportedScore:
        hidden = plan.subject.id in self.hidden and self.by.type is not EvaluatorType.SELF
        known = plan.last if plan.result is None else None
        result = plan.result or known
        status: ImportedStatus = "unchanged" if known else "superseded" if plan.last else "new"
        return ImportedScore(
            subject=f"{plan.subject.entity}/{plan.subject.record_id}",
            row=plan.entry.at[0],
            status=status,
            evaluation_id=id or (known.id if known else None),
            score=None if hidden or result is None else result.normalized_score,
            outcome=None if hidden or result is None else result.outcome,
            unanswered=unanswered_keys(self.version, plan.answers),
            is_hidden=hidden,
        )

    def _work(self, subject: Subject) -> Work:
        return Work(subject, self.rubric.id, self.rubric.name, self.head, self.context, None)


def _references(entry: ScoreEntry) -> tuple[str, ...]:
    return (entry.subject,) if entry.otherwise is None else (entry.subject, entry.otherwise)


def _split(reference: str) -> tuple[str, str] | None:
    try:
        return split_reference(reference)
    except InvalidInputError:
        return None


def _with_notes(subject: Subject, answer: Answer) -> Answer:
    """The answer with a note in the place of each quote that does not stand in the subject."""
    return msgspec.structs.replace(
        answer,
        evidence=tuple(
            one if check_evidence(subject, one) is None else Evidence(kind=EvidenceKind.NOTE, text=one.text)
            for one in answer.evidence
        ),
    )


def _digest(answers: Sequence[Answer]) -> str:
    """What was answered, in any order, as a hash: it tells a file that comes again, also where nothing may be read."""
    ordered = sorted(answers, key=lambda one: one.criterion_id)
    return hashlib.sha256(to_json(ordered)).hexdigest()


def _said_before(last: Evaluation, head: VersionHead, digest: str) -> bool:
    source = (last.metadata or {}).get("Source")
    said = source.get("Answers") if isinstance(source, dict) else None
    return last.version_id == head.id and said == digest


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
