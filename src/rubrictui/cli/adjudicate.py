"""``adjudicate``: settling what the reviewers of a round disagree about."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands, Parser, UsageError

if TYPE_CHECKING:
    from rubrictui.core.adjudication import Adjudication, AdjudicationReason, QueueItem, SettlementDesk
    from rubrictui.core.model import Answer, VersionSnapshot

_NOT_APPLICABLE = ("n/a", "na", "not applicable")


def register(commands: Commands) -> None:
    group = commands.group("adjudicate", "settle what reviewers disagree about, once their reviews are in")
    parser = group.add(
        "list",
        "the subjects of a round that wait to be settled, and those that were",
        run_list,
        description="The subjects of a round whose scores lie apart by its threshold or whose verdicts differ, what "
        "is to be settled first, and those that were settled. Subjects on which you have open work are left out.",
    )
    _round(parser)
    parser.add_argument("--all", action="store_true", help="the other subjects that are scored, too")

    parser = group.add(
        "show",
        "one subject: the evaluators side by side, with what is or would be settled",
        run_show,
        description="The evaluations of a subject side by side. The first column is the settlement that stands, else "
        "what you have begun, else the middle of the panel, from which a settlement begins.",
    )
    _round(parser)
    _subject(parser)

    parser = group.add(
        "settle",
        "settle a subject",
        run_settle,
        description="Settle a subject of a round whose reviews are in. It begins from what you have kept of it, else "
        "from the middle of the panel: on scales of levels what most gave, on numbers the median. The settlement "
        "is scored like an evaluation and stands beside the evaluations as the score of record; it is in no mean, "
        "no agreement and no ranking. It stays as it is; --correct settles anew and keeps the first in the record.",
        examples=[
            'rubrictui adjudicate settle Round/spring Bid/north --reason "Evidence missed" --take b.okafor',
            "rubrictui adjudicate settle Round/spring Bid/north --reason 1 --set security=Meets "
            '--why "security=The annex has it." --note "Read with both."',
        ],
    )
    _round(parser)
    _subject(parser)
    parser.add_argument("--reason", metavar="REASON", help="one of `adjudicate reasons`, or its number")
    parser.add_argument("--note", metavar="TEXT", help="what else the panel should know; no letter has it")
    parser.add_argument(
        "--take", metavar="WHO", help="begin from this evaluator's answers (login, name or id), or panel"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=ANSWER",
        action="append",
        default=[],
        help="answer a criterion: a level's label, a number, or n/a; may repeat",
    )
    parser.add_argument(
        "--why", metavar="KEY=TEXT", action="append", default=[], help="a criterion's rationale; may repeat"
    )
    parser.add_argument("--correct", action="store_true", help="settle anew what has been settled")

    parser = group.add(
        "reasons",
        "the reasons that a settlement can have",
        run_reasons,
        description="List the reasons that a settlement can have, or change the list (a chair's to do). What was "
        "settled keeps the words of its day.",
        examples=[
            'rubrictui adjudicate reasons --add "Rules unclear: The rules say both."',
            'rubrictui adjudicate reasons --remove "Slip"',
        ],
    )
    parser.add_argument("--add", metavar="REASON", action="append", default=[], help="may repeat")
    parser.add_argument("--remove", metavar="REASON", action="append", default=[], help="may repeat")
    parser.add_argument("--reset", action="store_true", help="back to the list that a new store has, first")


def _round(parser: Parser) -> None:
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")


def _subject(parser: Parser) -> None:
    parser.add_argument("subject", metavar="SUBJECT", help="Entity/record, or an id")


# -- list and show -----------------------------------------------------------------------------------


def run_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.adjudication import QueueState

    with open_engine(options) as engine:
        queue = engine.adjudication_queue(options.round, everything=options.all)
    if output.json:
        output.data(queue)
        return 0
    shown = queue.display
    output.table(
        ("subject", "title", "state", "n", "mean", "spread", ""),
        [
            (
                f"{one.entity}/{one.record_id}",
                one.title,
                _state(one),
                one.count,
                shown.score(one.mean),
                shown.spread(one.spread),
                _settled(one.settlement) if one.settlement else "≠ verdicts differ" if one.flips else "",
            )
            for one in queue.items
        ],
        right=(3, 4, 5),
    )
    output.say(
        f"{queue.count(QueueState.TO_SETTLE)} to settle, {queue.count(QueueState.WAITING)} waiting for reviews, "
        f"{queue.count(QueueState.SETTLED, QueueState.CHANGED)} settled "
        f"(a disagreement is {shown.spread(queue.threshold, 2)} points or more, or verdicts that differ)."
    )
    if queue.hidden:
        output.say(
            f"{counted(queue.hidden, 'subject')} left out: you have open work on them, or the round holds peers back "
            "until it closes."
        )
    return 0


def _state(one: QueueItem) -> str:
    words = one.state.value.replace("_", " ")
    if one.open_reviews:
        words += f" ({counted(one.open_reviews, 'review')} open)"
    return f"{words}, begun" if one.has_draft else words


def _settled(one: Adjudication) -> str:
    return f"{one.display_score} by {one.adjudicator}: {one.reason}"


def run_show(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.adjudication_matrix import settlement_matrix

    with open_engine(options) as engine:
        desk = engine.settlement_desk(options.round, options.subject)
    matrix, result = settlement_matrix(desk, desk.answers)
    if output.json:
        output.data(
            {
                "context_id": desk.context.id,
                "subject_id": desk.subject.id,
                "version_id": desk.version.id,
                "start": desk.start,
                "answers": [_by_key(desk.version, one) for one in desk.answers],
                "reason": desk.reason,
                "note": desk.note,
                "score": result.normalized_score,
                "outcome": result.outcome,
                "settlement": desk.settlement,
                "history": desk.history,
                "open_reviews": desk.open_reviews,
                "columns": matrix.columns,
                "rows": matrix.rows,
            }
        )
        return 0
    shown = matrix.display
    output.text(f"{matrix.title} · {matrix.about}")
    rows = []
    for row in matrix.rows:
        mark = "≠" if row.flips else "▲" if row.disagrees(matrix.threshold) else ""
        cells: list[object] = []
        for cell in row.cells:
            score = "" if cell is None or cell.score is None else shown.score(cell.score)
            cells.append("" if cell is None else f"{cell.answer} {score}".strip())
        spread = "" if row.spread is None else shown.spread(row.spread)
        rows.append((mark, "  " * len(row.groups) + row.name, spread, *cells))
    names = [column.heading for column in matrix.columns]
    output.table(("", "criterion", "spread", *names), rows, right=(2,))
    _tell_where_it_is(desk, output)
    return 0


def _by_key(version: VersionSnapshot, answer: Answer) -> dict[str, Any]:
    import msgspec

    keys = {node.id: node.key for node in version.nodes}
    return {"criterion": keys.get(answer.criterion_id, ""), **msgspec.to_builtins(answer)}


def _tell_where_it_is(desk: SettlementDesk, output: Output) -> None:
    from rubrictui.core.adjudication_matrix import standing_words

    for one in desk.history:
        output.text(standing_words(one) + (" (corrected since)" if one.superseded_at else ""))
        if one.note:
            output.text(f"  {one.note}")
    if desk.open_reviews:
        output.say(f"It cannot be settled yet: reviews by {', '.join(desk.open_reviews)} are open.")
    if desk.conflict:
        output.say(f"It is not yours to settle, for a conflict of interest: {desk.conflict}")


# -- settle ------------------------------------------------------------------------------------------


def run_settle(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    chosen, reasons = _pairs(options, options.set, "--set"), _pairs(options, options.why, "--why")
    with open_engine(options) as engine:
        desk = engine.settlement_desk(options.round, options.subject)
        supersedes = desk.settlement.id if options.correct and desk.settlement else None
        done = engine.settle(
            options.round,
            options.subject,
            reason=options.reason,
            note=options.note,
            take=options.take,
            answers=_answers(desk, chosen, reasons, keeps=options.take is None),
            supersedes=supersedes,
        )
    if output.json:
        output.data(done)
        return 0
    from rubrictui.core.adjudication_matrix import standing_words

    output.text(f"{done.subject_title}: {standing_words(done)}")
    return 0


def _pairs(options: argparse.Namespace, given: list[str], name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        key, sign, value = one.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise UsageError(
                f'{options.parser.prog}: {name} "{one}" is no KEY=VALUE.',
                remedy="Write a criterion's key, =, and what to put there.",
            )
        found[key.strip()] = value.strip()
    return found


def _answers(
    desk: SettlementDesk, chosen: dict[str, str], reasons: dict[str, str], *, keeps: bool
) -> list[Answer]:
    """The answers that were given, each with the rationale that goes with it."""
    import msgspec

    from rubrictui.core.model import fold_id
    from rubrictui.interchange.documents import AnswerEntry, answers_for

    entries = tuple(_entry(desk.version, key, value, reasons.get(key)) for key, value in chosen.items())
    found = list(answers_for(entries, desk.version))
    alone = [key for key in reasons if key not in chosen]
    if alone:
        named = answers_for(tuple(AnswerEntry(criterion=key) for key in alone), desk.version)
        before = {fold_id(one.criterion_id): one for one in desk.answers} if keeps else {}
        for key, answer in zip(alone, named, strict=True):
            kept = before.get(fold_id(answer.criterion_id))
            if kept is None:
                raise UsageError(
                    f'--why "{key}" has no answer that it goes with.', remedy=f"Give it with --set {key}=..."
                )
            found.append(msgspec.structs.replace(kept, rationale=reasons[key]))
    return found


def _entry(version: VersionSnapshot, key: str, value: str, why: str | None) -> Any:
    from rubrictui.core.model import ScaleType
    from rubrictui.interchange.documents import AnswerEntry

    if value.casefold() in _NOT_APPLICABLE:
        return AnswerEntry(criterion=key, not_applicable=True, rationale=why)
    node = next((one for one in version.nodes if one.key == key), None)
    scale = next((one for one in version.scales if node is not None and one.id == node.scale_id), None)
    if scale is not None and scale.scale_type is ScaleType.NUMERIC:
        try:
            return AnswerEntry(criterion=key, value=float(value), rationale=why)
        except ValueError:
            raise UsageError(f'"{key}" takes a number, not "{value}".', remedy="Write one, or n/a.") from None
    labels = [level.label for level in scale.levels] if scale is not None else []
    fitting = [label for label in labels if label.casefold() == value.casefold()]
    return AnswerEntry(criterion=key, level=fitting[0] if fitting else value, rationale=why)


# -- reasons -----------------------------------------------------------------------------------------


def run_reasons(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.adjudication import DEFAULT_REASONS, AdjudicationReason, reason_of

    changes = bool(options.add or options.remove or options.reset)
    with open_engine(options) as engine:
        found = DEFAULT_REASONS if options.reset else engine.adjudication_reasons()
        if changes:
            gone = [reason_of(one, found) for one in options.remove]
            more = [
                AdjudicationReason(label=label, description=words)
                for label, _, words in (one.partition(":") for one in options.add)
            ]
            found = engine.set_adjudication_reasons([*(one for one in found if one not in gone), *more])
    _print_reasons(found, output)
    return 0


def _print_reasons(found: tuple[AdjudicationReason, ...], output: Output) -> None:
    if output.json:
        output.data(found)
        return
    output.table(
        ("", "reason", "what it means"),
        [(place, one.label, one.description) for place, one in enumerate(found, 1)],
        right=(0,),
    )
