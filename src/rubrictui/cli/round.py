"""``round``: a round of review from its opening to its end."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted, number, short
from rubrictui.cli._parser import Commands, Parser

if TYPE_CHECKING:
    from rubrictui.core.rounds import AssignmentPlan, Round, RoundEvent, RoundRules
    from rubrictui.engine import Engine

BLINDINGS = ("standard", "until_closed", "comments_visible")


def register(commands: Commands) -> None:
    group = commands.group("round", "rounds of review: open, assign, look, close")
    parser = group.add(
        "open",
        "open a round",
        run_open,
        description="Open a round: what is scored with which rubric, by whom, until when, and what reviewers see "
        "of each other. The latest published version of the rubric is pinned unless --latest is given.",
        examples=[
            'rubrictui round open Round/spring --rubric "Vendor proposal" --subject Bid/north --subject Bid/south '
            "--reviewer a.moreau --reviewer b.okafor --each 2 --due 2027-03-01T17:00 --zone Europe/Zurich",
            'rubrictui round open Round/grants --rubric "Grant application" --blinding until_closed --hide applicant',
        ],
    )
    parser.add_argument("round", metavar="ROUND", help="Entity/record, as in Round/spring")
    parser.add_argument("--rubric", metavar="RUBRIC[@VERSION]", required=True, help="what to score with")
    parser.add_argument(
        "--latest", action="store_true", help="each review takes the latest version of its day"
    )
    parser.add_argument(
        "--subject", metavar="SUBJECT", action="append", default=[], help="Entity/record or an id; may repeat"
    )
    parser.add_argument("--entity", metavar="NAME", help="every subject of this entity as well")
    parser.add_argument("--reviewer", metavar="NAME", action="append", default=[], help="a login; may repeat")
    _rule_options(parser)

    parser = group.add("change", "change a round", run_change, description="Change what is given of a round.")
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--add-subject", metavar="SUBJECT", action="append", default=[], help="may repeat")
    parser.add_argument("--add-reviewer", metavar="NAME", action="append", default=[], help="may repeat")
    parser.add_argument(
        "--remove-reviewer", metavar="NAME", action="append", default=[], help="needs --reason; may repeat"
    )
    parser.add_argument("--reason", metavar="TEXT", default="", help="why somebody is removed")
    _rule_options(parser)

    group.add("list", "the rounds of the store", run_list)

    parser = group.add(
        "show",
        "where a round stands: reviewers, subjects, disagreements",
        run_show,
        description="Where a round stands. A reviewer sees her own line and subjects; of subjects on which you have "
        "open work of your own, nothing that comes from others is shown or counted.",
    )
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--log", action="store_true", help="what happened to the round, instead")

    parser = group.add("close", "take no more evaluations in a round", run_close)
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--reason", metavar="TEXT", default="", help="kept in the round's log")
    parser.add_argument("--release", action="store_true", help="release every assignment that is still open")

    parser = group.add("reopen", "take evaluations in a closed round again", run_reopen)
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="kept in the round's log")

    parser = group.add(
        "assign",
        "assign the subjects of a round evenly, or as a CSV file says",
        run_assign,
        description="Assign the subjects of a round to its reviewers: each subject so many, loads even, conflicts of "
        "interest left out, the same again for the same seed. Or from a CSV file with the columns subject and "
        "reviewer, and due if wanted. All of it is assigned, or nothing.",
        examples=[
            "rubrictui round assign Round/spring --each 3 --seed 7",
            "rubrictui round assign Round/spring --csv who.csv --entity Bid",
        ],
    )
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument(
        "--each", metavar="K", type=_whole, help="reviews a subject (else what the round says)"
    )
    parser.add_argument(
        "--seed", metavar="N", type=_whole, default=0, help="another seed, another even outcome (0)"
    )
    parser.add_argument("--reviewer", metavar="NAME", action="append", help="only these; may repeat")
    parser.add_argument("--subject", metavar="SUBJECT", action="append", help="only these; may repeat")
    parser.add_argument("--partly", action="store_true", help="assign what is possible")
    parser.add_argument("--csv", metavar="FILE", help="assign what this file says instead")
    parser.add_argument("--entity", metavar="NAME", default="", help="of subjects in the file that name none")
    parser.add_argument("--encoding", metavar="NAME", help="of the file (UTF-8)")
    parser.add_argument("--zone", metavar="ZONE", help="the time zone of its due times, as Europe/Zurich")

    parser = group.add(
        "release",
        "take open assignments of a round back, with a reason",
        run_release,
        description="Take open assignments back: all of a reviewer, all of a subject, or one reviewer's of one "
        "subject. A draft begun for one is withdrawn, which takes administer_evaluations.",
    )
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--reviewer", metavar="NAME", help="whose")
    parser.add_argument("--subject", metavar="SUBJECT", help="of what")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="kept with each assignment")

    parser = group.add("decline", "give an assignment of your own back, with a reason", run_decline)
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("subject", metavar="SUBJECT", help="Entity/record, or an id")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="kept with the assignment")
    parser.add_argument("--conflict", action="store_true", help="declare a conflict of interest as well")

    parser = group.add(
        "conflict",
        "declare or withdraw a conflict of interest",
        run_conflict,
        examples=['rubrictui round conflict Bid/north --reason "Former employer."'],
    )
    parser.add_argument("subject", metavar="SUBJECT", help="Entity/record, or an id")
    parser.add_argument("--reviewer", metavar="NAME", help="whose (your own when left out)")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why")
    parser.add_argument("--withdraw", action="store_true", help="take it back; a chair's to do")
    parser = group.add("conflicts", "the conflicts of interest", run_conflicts)
    parser.add_argument("--round", metavar="ROUND", help="only with subjects of this round")


def _rule_options(parser: Parser) -> None:
    parser.add_argument("--name", metavar="TEXT", help="how people call it")
    parser.add_argument("--description", metavar="TEXT", help="what it is about")
    parser.add_argument("--due", metavar="TIME", help="when reviews are due, as 2027-03-01T17:00+01:00")
    parser.add_argument("--zone", metavar="ZONE", help="the time zone of --due, as Europe/Zurich")
    parser.add_argument("--each", metavar="K", type=_whole, help="reviews each subject is to have")
    parser.add_argument(
        "--self-allowed", action="store_true", default=None, help="self-assessments are welcome"
    )
    parser.add_argument("--blinding", choices=BLINDINGS, help="what reviewers see of each other")
    parser.add_argument("--naming", choices=("anonymous", "named"), help="of reviewers in letters")
    parser.add_argument(
        "--hide", metavar="FIELD", action="append", help="a data field that reviewers do not see; may repeat"
    )
    parser.add_argument(
        "--threshold", metavar="SPREAD", type=_share, help="scores so far apart (0 to 1) are a disagreement"
    )


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number') from None


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is no number') from None
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def _rules(options: argparse.Namespace, before: RoundRules) -> RoundRules:
    """The rules before, with what is given."""
    import msgspec

    from rubrictui.core.rounds import Blinding, Naming

    given: dict[str, Any] = {
        "blinding": None if options.blinding is None else Blinding(options.blinding),
        "naming": None if options.naming is None else Naming(options.naming),
        "hidden_fields": None if options.hide is None else tuple(options.hide),
        "disagreement_threshold": options.threshold,
        "reviews_per_subject": options.each,
    }
    return msgspec.structs.replace(
        before, **{key: value for key, value in given.items() if value is not None}
    )


def run_open(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine, rubric_and_version
    from rubrictui.cli._times import parse_due
    from rubrictui.core.rounds import RoundRules
    from rubrictui.interchange.documents import split_reference

    entity, record = split_reference(options.round)
    due = parse_due(options.due, options.zone)
    with open_engine(options) as engine:
        rubric, version = rubric_and_version(engine, options.rubric)
        subjects = list(options.subject)
        if options.entity:
            listed = engine.subjects(entity=options.entity, content=False)
            subjects += [one.id for one in listed]
        opened = engine.open_round(
            record,
            entity=entity,
            rubric=rubric,
            version=version,
            pin=not options.latest,
            name=options.name or "",
            description=options.description,
            subjects=subjects,
            reviewers=options.reviewer,
            due_at=due,
            due_zone=options.zone,
            self_allowed=bool(options.self_allowed),
            rules=_rules(options, RoundRules()),
        )
    return _print_round(opened, output)


def run_change(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.cli._times import parse_due

    due = parse_due(options.due, options.zone)
    with open_engine(options) as engine:
        before = engine.round(options.round)
        rules = _rules(options, before.rules)
        changed = engine.change_round(
            options.round,
            name=options.name,
            description=options.description,
            due_at=due,
            due_zone=options.zone,
            self_allowed=options.self_allowed,
            rules=rules if rules != before.rules else None,
        )
        if options.add_subject:
            changed = engine.add_round_subjects(options.round, options.add_subject)
        if options.add_reviewer:
            changed = engine.add_reviewers(options.round, options.add_reviewer)
        for name in options.remove_reviewer:
            changed = engine.remove_reviewer(options.round, name, options.reason)
    return _print_round(changed, output)


def _print_round(found: Round, output: Output) -> int:
    if output.json:
        output.data(found)
        return 0
    output.text(*_head(found))
    return 0


def _head(found: Round) -> list[str]:
    from rubrictui.core.due_times import shown_here, shown_in

    context, rules = found.context, found.rules
    lines = [f"{context.entity}/{context.record_id}  {context.name} ({found.state.lower()})"]
    with_ = f"{found.rubric_name or 'no rubric'} {found.version_number or '(latest)'}"
    lines.append(
        f"{with_}, {counted(found.subject_count, 'subject')}, {counted(len(found.reviewers), 'reviewer')}"
    )
    if context.due_at is not None:
        said = shown_in(context.due_at, context.due_zone)
        lines.append(f"due {said} (here {shown_here(context.due_at)})")
    each = "" if rules.reviews_per_subject is None else f", {rules.reviews_per_subject} reviews a subject"
    own = ", self-assessments welcome" if context.self_allowed else ""
    lines.append(
        f"blinding {rules.blinding}, letters {rules.naming}, disagreement from {number(rules.disagreement_threshold)}"
        f"{each}{own}"
    )
    if rules.hidden_fields:
        lines.append(f"hidden from reviewers: {', '.join(rules.hidden_fields)}")
    return lines


def run_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.core.due_times import shown_in

    with open_engine(options) as engine:
        found = engine.rounds()
    if output.json:
        output.data([{**_asdict(one), "state": one.state} for one in found])
        return 0
    output.table(
        ("round", "name", "state", "subjects", "reviewers", "due"),
        [
            (
                f"{one.context.entity}/{one.context.record_id}",
                one.context.name,
                one.state.lower(),
                one.subject_count,
                len(one.reviewers),
                shown_in(one.context.due_at, one.context.due_zone),
            )
            for one in found
        ],
        right=(3, 4),
    )
    return 0


def _asdict(value: Any) -> dict[str, Any]:
    import msgspec

    return msgspec.structs.asdict(value)


def run_show(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        if options.log:
            return _print_log(engine, options.round, output)
        found = engine.round_overview(options.round)
    if output.json:
        output.data({**_asdict(found), "state": found.round.state})
        return 0
    output.text(*_head(found.round), "")
    output.table(
        ("reviewer", "login", "assigned", "begun", "submitted", "declined", "released", "overdue", "hidden"),
        [
            (
                one.display_name or one.user_name,
                one.user_name,
                one.assigned,
                "–" if one.begun is None else one.begun,
                one.submitted,
                one.declined,
                one.released,
                one.overdue,
                one.hidden,
            )
            for one in found.reviewers
        ],
        right=range(2, 9),
    )
    output.text("")
    apart = set(found.disagreements)
    output.table(
        ("subject", "title", "done", "mean", "spread", ""),
        [
            (
                f"{one.entity}/{one.record_id}",
                short(one.title),
                f"{'?' if one.done is None else one.done}/{one.wanted or one.assigned}",
                found.display.score(one.mean, 2),
                found.display.spread(one.spread, 2),
                "hidden while you review it"
                if one.is_blind
                else ("≠ verdicts" if one.flips else "≠") * (one.subject_id in apart),
            )
            for one in found.subjects
        ],
        right=(3, 4),
    )
    if found.hidden:
        output.say(
            f"{counted(found.hidden, 'subject')} on which you have open work of your own: nothing of others is shown."
        )
    return 0


def _print_log(engine: Engine, ref: str, output: Output) -> int:
    from rubrictui.core.due_times import shown_here

    events = engine.round_log(ref)
    if output.json:
        output.data(events)
        return 0
    output.table(
        ("when", "who", "what", "reason"),
        [
            (shown_here(one.at), one.by, words, one.reason or "")
            for one, words in zip(events, event_words(events), strict=True)
        ],
    )
    return 0


def event_words(events: Iterable[RoundEvent]) -> list[str]:
    """What happened, an event each; of changed rules which, from what to what."""
    found: list[str] = []
    before: dict[str, Any] = {}
    for one in events:
        words = one.what.replace("_", " ")
        rules = one.details.get("rules") if isinstance(one.details, dict) else None
        if isinstance(rules, dict):
            changed = [
                key for key in sorted({*before, *rules}) if before and before.get(key) != rules.get(key)
            ]
            if changed:
                each = (
                    f"{key.replace('_', ' ')}: {before.get(key, 'none')} to {rules.get(key, 'none')}"
                    for key in changed
                )
                words += f" ({'; '.join(each)})"
            before = rules
        found.append(words)
    return found


def run_close(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        closed = engine.close_round(options.round, options.reason, release=options.release)
        left = sum(one.status == "Open" for one in engine.assignments(context=options.round))
    if left:
        output.say(f"{counted(left, 'assignment')} still open: `round release` takes them back.")
    return _print_round(closed, output)


def run_reopen(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        return _print_round(engine.reopen_round(options.round, options.reason), output)


def run_assign(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.cli._times import parse_due

    rows = None
    if options.csv is not None:
        from rubrictui.interchange.assignments_in import read_assignments

        def due(text: str) -> datetime | None:
            return parse_due(text, options.zone)

        rows = read_assignments(options.csv, encoding=options.encoding, entity=options.entity, due=due)
    with open_engine(options) as engine:
        if rows is not None:
            plan = engine.assign_listed(options.round, rows)
        else:
            plan = engine.assign_balanced(
                options.round,
                per_subject=options.each,
                reviewers=options.reviewer,
                subjects_in=options.subject,
                seed=options.seed,
                partly=options.partly,
            )
        names = {user.id: user.name for user in engine.users()}
        subjects = {one.id: f"{one.entity}/{one.record_id}" for one in engine.subjects(content=False)}
    return _print_plan(plan, names, subjects, output)


def _print_plan(plan: AssignmentPlan, names: dict[str, str], subjects: dict[str, str], output: Output) -> int:
    if output.json:
        output.data(plan)
        return 0
    output.table(
        ("subject", "reviewer"),
        sorted((subjects[one.subject_id], names[one.user_id]) for one in plan.made),
    )
    kept = f", {counted(len(plan.kept), 'assignment')} kept" if plan.kept else ""
    output.say(f"{counted(len(plan.made), 'assignment')} made{kept}.", *plan.uncovered)
    return 0


def run_release(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        ended = engine.release_from_round(
            options.round, options.reason, reviewer=options.reviewer, subject=options.subject
        )
    if output.json:
        output.data(ended)
    else:
        output.text(f"{counted(len(ended), 'assignment')} released.")
    return 0


def run_decline(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.engine import NotFoundError

    with open_engine(options) as engine:
        own = engine.assignments(context=options.round, subject=options.subject)
        found = next((one for one in own if one.status == "Open" and one.user_id == engine.user.id), None)
        if found is None:
            raise NotFoundError(
                f"You have no open assignment of {options.subject} in {options.round}.",
                remedy="The inbox lists yours.",
            )
        ended = engine.decline(found.id, options.reason)
        if options.conflict:
            engine.declare_conflict(options.subject, options.reason)
    if output.json:
        output.data(ended)
    else:
        output.text(f"Declined: {options.subject}.")
    return 0


def run_conflict(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        if options.withdraw:
            name = options.reviewer or engine.user.name
            engine.withdraw_conflict(options.subject, user=name)
            if output.json:
                output.data({"withdrawn": True, "reviewer": name, "subject": options.subject})
            else:
                output.text(f"Withdrawn: {name} and {options.subject}.")
            return 0
        declared = engine.declare_conflict(options.subject, options.reason, user=options.reviewer)
    if output.json:
        output.data(declared)
    else:
        output.text(f"{declared.user_name} does not score {declared.subject_title}: {declared.reason}")
    return 0


def run_conflicts(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.conflicts(context=options.round)
    if output.json:
        output.data(found)
    else:
        output.table(
            ("reviewer", "subject", "reason", "declared by"),
            [(one.user_name, one.subject_title, one.reason, one.declared_by or "") for one in found],
        )
    return 0
