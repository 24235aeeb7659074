"""The report of a round in sections: sentences, tables and plots, whatever it is written as. Pure.

All text is as it is stored: whoever writes it out escapes it for its format. Scores are on the display range of the
version; coefficients and strictness are as they are measured, scores of 0..1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.agreement_report import COEFFICIENTS, CriterionAgreement, Estimate
from rubrictui.core.diagnostics_words import explain_flag
from rubrictui.core.due_times import shown_in
from rubrictui.core.matrix import KIND_WORDS, hidden_words
from rubrictui.core.matrix_building import OUTCOME_WORDS
from rubrictui.core.model import Value
from rubrictui.core.plots import Plot
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import EvaluatorType
from rubrictui.core.round_report import (
    MOST_HISTOGRAMS,
    EvaluatorLine,
    RoundReport,
    SubjectLine,
    evaluator_lines,
)
from rubrictui.core.rounds import Blinding
from rubrictui.core.scoring import SCORING_ENGINE_VERSION
from rubrictui.core.words import counted, estimate_words, figure, listed, withheld_words

#: With more evaluators than this their scores stand in files of numbers alone: a page has no room for them.
MOST_COLUMNS: Final = 12

BLINDING_IN_WORDS: Final = {
    Blinding.STANDARD: "Reviewers saw nothing of each other on a subject before they had submitted on it.",
    Blinding.UNTIL_CLOSED: "Reviewers saw nothing of each other until the round was closed.",
    Blinding.COMMENTS_VISIBLE: "Reviewers saw nothing of each other until the round was closed, but for comments without "
    "names once they had submitted.",
}


class Table(Value, frozen=True, kw_only=True):
    """A table: ``right`` are the columns of numbers; ``tones`` has a word for each row that stands out, or ""."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    right: tuple[int, ...] = ()
    tones: tuple[str, ...] = ()


class Section(Value, frozen=True, kw_only=True):
    """A part of the report under its own heading: sentences, then tables, then plots, then sentences on how to read them."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()


class ReportText(Value, frozen=True, kw_only=True):
    """The whole report. ``made`` says when, for whom and with what it was made."""

    title: str
    about: str
    made: str
    sections: tuple[Section, ...]


def report_text(report: RoundReport) -> ReportText:
    """The report in words."""
    facts = report.facts
    context = facts.table.context or facts.round.context
    display = report.matrix.display
    evaluators = evaluator_lines(report)
    sections = (
        _in_short(report, evaluators),
        _results(report, display),
        _by_evaluator(report, display),
        _criteria(report, display),
        _disagreements(report, display),
        _settled(report, display),
        _agreement(report),
        _evaluators(report, evaluators, display),
        _items(report),
        _plots(report),
        _left_out(report),
        _methods(report, display),
    )
    version = facts.table.version
    due = shown_in(context.due_at, context.due_zone)
    about = [f"{facts.table.rubric_name} {version.number or facts.table.major}", facts.round.state.lower()]
    return ReportText(
        title=context.name or context.record_id,
        about=" · ".join([*about, *([f"due {due}"] if due else [])]),
        made=f"Made {shown_in(facts.at, None)} for {facts.by} with rubrictui {facts.made_with}.",
        sections=tuple(one for one in sections if one is not None),
    )


# -- the sections --------------------------------------------------------------------------------------------


def _in_short(report: RoundReport, evaluators: Sequence[EvaluatorLine]) -> Section:
    facts, display = report.facts, report.matrix.display
    counting = [one for one in evaluators if one.counting and one.evaluator_type is not EvaluatorType.SELF]
    kinds = [
        counted(number, word if word != "person" else "person", _PLURALS.get(word, word))
        for word in dict.fromkeys(KIND_WORDS[one.evaluator_type] for one in counting)
        if (number := sum(KIND_WORDS[one.evaluator_type] == word for one in counting))
    ]
    scores = sum(line.count for line in report.lines)
    who = f" ({listed(kinds)})" if kinds else ""
    said = [
        f"{counted(len(report.lines), 'subject')}, {counted(scores, 'score')} by "
        f"{counted(len(counting), 'evaluator')}{who}."
    ]
    if report.overall.mean is not None:
        low, high = display.score(0.0, 2), display.score(1.0, 2)
        said.append(
            f"The mean of the subjects is {display.score(report.overall.mean, 2)} on {low} to {high}; their means lie "
            f"{display.spread(report.overall.std_dev, 2)} points apart (standard deviation)."
        )
    gated = sum(one.gated_out for one in report.ranking.unranked)
    without = len(report.ranking.unranked) - gated
    said.append(
        f"{len(report.ranking.ranked):,} ranked, {gated:,} kept out by a gate, {without:,} without a score."
    )
    settled = facts.standing
    apart = report.disagreeing
    waiting = sum(line.subject.id not in settled for line in apart)
    said.append(
        f"On {counted(len(apart), 'subject')} the evaluators disagree (a spread from "
        f"{display.spread(facts.table.threshold, 2)} points, or verdicts that differ); "
        f"{len(settled):,} settled, {waiting:,} not settled."
    )
    open_ones = sum((one.assigned or 0) - one.submitted for one in evaluators)
    if open_ones:
        said.append(
            f"The round is not complete: {counted(open_ones, 'review is', 'reviews are')} still open."
        )
    if facts.table.hidden:
        said.append(hidden_words(len(facts.table.hidden)))
    if not facts.reads_all:
        said.append(f"These figures are of what {facts.by} may read alone: they are not the round's.")
    return Section(title="In short", sentences=tuple(said))


_PLURALS: Final = {
    "person": "people",
    "AI": "AI judges",
    "AI agent": "AI agents",
    "rules": "rules",
    "external": "external",
}


def _results(report: RoundReport, display: DisplayRange) -> Section:
    has_settled = bool(report.facts.standing)
    has_bands = any(line.band for line in report.lines)
    header = ["Place", "Subject", "Record", "Score"]
    header += ["Score of record"] if has_settled else []
    header += ["Band"] if has_bands else []
    header += ["n", "Passed", "Median", "Lowest", "Spread", "Note"]
    rows = []
    for line in report.lines:
        row = [line.place, line.subject.title, f"{line.subject.entity}/{line.subject.record_id}"]
        row.append(display.score(line.score, 2))
        row += [_of_record(line)] if has_settled else []
        row += [line.band.label if line.band else ""] if has_bands else []
        row += [
            str(line.count),
            f"{line.passed} of {line.count}" if line.count else "",
            display.score(line.median, 2) if line.median is not None else "",
            display.score(line.lowest, 2) if line.lowest is not None else "",
            display.spread(line.spread, 2) if line.spread is not None else "",
            _note(line),
        ]
        rows.append(tuple(row))
    names = {"Score", "n", "Passed", "Median", "Lowest", "Spread"}
    return Section(
        title="Scores and ranks",
        tables=(
            Table(
                header=tuple(header),
                rows=tuple(rows),
                right=tuple(place for place, name in enumerate(header) if name in names),
                tones=tuple(map(_tone, report.lines)),
            ),
        ),
        notes=(
            report.ranking.method,
            *(
                (
                    "A score of record is what an adjudicator settled; it stands beside the panel's mean and moves no rank.",
                )
                if has_settled
                else ()
            ),
        ),
    )


def _of_record(line: SubjectLine) -> str:
    if line.settled is None:
        return ""
    return f"{line.settled.display_score}, {OUTCOME_WORDS[line.settled.outcome]}"


def _note(line: SubjectLine) -> str:
    parts = [line.note]
    if line.gates_failed and line.place != "gate":
        parts.append(f"a gate failed in {line.gates_failed} of {line.count}")
    if line.flips:
        parts.append("verdicts differ")
    elif line.disagrees:
        parts.append("scores lie apart")
    return ", ".join(part for part in parts if part)


def _tone(line: SubjectLine) -> str:
    if line.place == "gate":
        return "gate"
    return "flip" if line.flips else "spread" if line.disagrees else ""


def _by_evaluator(report: RoundReport, display: DisplayRange) -> Section | None:
    columns = report.matrix.columns
    title = "Scores by evaluator"
    if not columns:
        return None
    if len(columns) > MOST_COLUMNS:
        said = f"The {len(columns)} evaluators do not fit a page; the report as CSV has every evaluation on a row."
        return Section(title=title, sentences=(said,))
    rows = []
    for row in report.matrix.rows:
        cells = [row.name, display.score(row.mean, 2)]
        for cell in row.cells:
            score = "" if cell is None or cell.score is None else display.score(cell.score, 2)
            said = "" if cell is None else cell.answer if not cell.counts or not score else ""
            mark = "gate not met" if cell is not None and cell.gate_failed and cell.counts else ""
            cells.append(" ".join(part for part in (score, said, mark) if part))
        rows.append(tuple(cells))
    return Section(
        title=title,
        tables=(
            Table(
                header=("Subject", "Mean", *(column.heading for column in columns)),
                rows=tuple(rows),
                right=tuple(range(1, len(columns) + 2)),
                tones=tuple(map(_tone, report.lines)),
            ),
        ),
    )


def _criteria(report: RoundReport, display: DisplayRange) -> Section:
    rows = []
    for row in (report.overall, *report.criteria):
        rows.append(
            (
                row.name,
                str(row.subjects),
                display.score(row.mean, 2),
                display.score(row.human_mean, 2),
                display.score(row.ai_mean, 2),
                display.spread(row.std_dev, 2),
                display.spread(row.disagreement, 2),
                display.spread(row.widest, 2),
                row.widest_subject or "",
            )
        )
    return Section(
        title="Criteria",
        tables=(
            Table(
                header=(
                    "Criterion", "Subjects", "Mean", "People", "AI", "Between subjects", "Within a subject", "Widest",
                    "Widest on",
                ),
                rows=tuple(rows),
                right=tuple(range(1, 8)),
                tones=("overall", *("" for _ in report.criteria)),
            ),
        ),
        notes=(
            "Means are of the subjects' means. Between subjects: the standard deviation of those. Within a subject: how "
            "far its highest and lowest score lie apart, on average; the widest is the largest of these.",
        ),
    )  # fmt: skip


def _disagreements(report: RoundReport, display: DisplayRange) -> Section:
    threshold = display.spread(report.facts.table.threshold, 2)
    rows = []
    cells = {row.key: row.cells for row in report.matrix.rows}
    names = [column.name for column in report.matrix.columns]
    for line in report.disagreeing:
        given = [
            (cell.score, name)
            for cell, name, column in zip(cells[line.subject.id], names, report.matrix.columns, strict=True)
            if cell is not None and cell.counts and column.counts and cell.score is not None
        ]
        low, high = (min(given, default=None), max(given, default=None))
        rows.append(
            (
                line.subject.title,
                display.score(line.score, 2),
                display.spread(line.spread, 2) if line.spread is not None else "",
                "" if low is None else f"{display.score(low[0], 2)} {low[1]}",
                "" if high is None else f"{display.score(high[0], 2)} {high[1]}",
                f"{line.passed} of {line.count} passed",
                "verdicts differ" if line.flips else "scores lie apart",
                "settled" if line.settled else "not settled",
            )
        )
    if not rows:
        said = f"No subject has a spread from {threshold} points or verdicts that differ."
        return Section(title="Disagreements", sentences=(said,))
    return Section(
        title="Disagreements",
        sentences=(
            f"{counted(len(rows), 'subject')} with a spread from {threshold} points, or verdicts that differ.",
        ),
        tables=(
            Table(
                header=("Subject", "Mean", "Spread", "Lowest", "Highest", "Verdicts", "Why", "State"),
                rows=tuple(rows),
                right=(1, 2),
                tones=tuple("flip" if line.flips else "spread" for line in report.disagreeing),
            ),
        ),
    )


def _settled(report: RoundReport, display: DisplayRange) -> Section | None:
    facts = report.facts
    if not facts.settled:
        return None
    standing = facts.standing
    lines = {line.subject.id: line for line in report.lines}
    rows, tones = [], []
    for one in facts.settled:
        line = lines.get(one.subject_id)
        before = (
            "" if line is None else f"{display.score(line.score, 2)}, {line.passed} of {line.count} passed"
        )
        stands = standing.get(one.subject_id) is one
        rows.append(
            (
                line.subject.title if line else one.subject_title,
                before,
                f"{one.display_score}, {OUTCOME_WORDS[one.outcome]}",
                one.reason,
                _one_line(one.note),
                one.adjudicator,
                shown_in(one.settled_at, None),
                "stands" if stands else "corrected since",
            )
        )
        tones.append("" if stands else "out")
    reasons = reason_counts(standing.values())
    said = f"{counted(len(standing), 'disagreement')} settled" + (
        f": {listed(reasons, 10)}." if reasons else "."
    )
    return Section(
        title="Settled disagreements",
        sentences=(said,),
        tables=(
            Table(
                header=("Subject", "Panel", "Settled at", "Reason", "Note", "By", "When", ""),
                rows=tuple(rows),
                tones=tuple(tones),
            ),
        ),
        notes=("Settled scores are in no mean, spread, coefficient or rank.",),
    )


def reason_counts(settled: Iterable[Adjudication]) -> list[str]:
    """``3 Slip`` and the like, the most frequent first."""
    found: dict[str, int] = {}
    for one in settled:
        found[one.reason] = found.get(one.reason, 0) + 1
    return [f"{number} {reason}" for reason, number in sorted(found.items(), key=lambda item: -item[1])]


_RAW: Final = ("exact_agreement", "within_one", "percent_agreement", "mean_absolute_error", "bias")
_CHANCE: Final = ("kappa", "alpha_ordinal", "alpha_interval", "alpha_nominal", "ac1", "ac2", "pabak")
_OTHERS: Final = ("prevalence_index", "icc_single", "icc_average")


def _agreement(report: RoundReport) -> Section:
    found = report.agreement
    rows = (found.overall, *found.criteria)
    measured = [row for row in rows if not row.withheld]
    said = [
        f"{counted(found.subjects, 'subject')}, {counted(len(found.evaluators), 'evaluator')}; a coefficient needs at least "
        f"{max(1, found.minimum_sample)} subjects with two ratings or more."
    ]
    held_back = [row for row in rows if row.withheld]
    if held_back and not measured:
        said.append(
            f"All coefficients are withheld: {counted(max(row.sample_size for row in rows), 'usable subject')} at most."
        )
        return Section(title="Agreement", sentences=tuple(said))
    said += [
        f"{row.name}: {withheld_words(row.sample_size, found.minimum_sample)}." for row in held_back[:20]
    ]
    if not found.complete:
        said.append("The work was stopped: some intervals are missing.")
    undefined: dict[str, list[str]] = {}
    for name, words in COEFFICIENTS.items():
        for row in measured:
            one: Estimate = getattr(row, name)
            if one.value is None and words not in undefined.setdefault(estimate_words(one), []):
                undefined[estimate_words(one)].append(words)
    reasons = [f"{why} ({listed(names, len(names))})" for why, names in undefined.items()]
    return Section(
        title="Agreement",
        sentences=tuple(said),
        tables=tuple(
            _coefficients(measured, names, caption)
            for names, caption in (
                (_RAW, "How often, and how nearly, they say the same"),
                (_CHANCE, "Agreement beyond chance"),
                (_OTHERS, "Reliability, and what is used most"),
            )
        ),
        notes=(
            *(
                (
                    f"In brackets 95% bootstrap intervals over subjects: {found.resamples:,} resamples, seed {found.seed}.",
                )
                if found.resamples
                else ()
            ),
            *((f"A dash is no value: {'; '.join(reasons)}.",) if reasons else ()),
        ),
    )


def _coefficients(rows: Sequence[CriterionAgreement], names: Sequence[str], caption: str) -> Table:
    is_last = names is _OTHERS
    header = ["Criterion", "n", *(_capital(COEFFICIENTS[name]) for name in names)]
    found = []
    for row in rows:
        cells = [row.name, str(row.sample_size), *(_estimate(getattr(row, name)) for name in names)]
        if is_last:
            share = row.most_used_share
            used = f"{row.most_used}, {share:.0%}" if row.most_used is not None and share is not None else ""
            cells.append(used)
        found.append(tuple(cells))
    return Table(
        header=(*header, *(("Used most",) if is_last else ())),
        rows=tuple(found),
        caption=caption,
        right=tuple(range(1, len(header))),
        tones=tuple(
            "overall" if place == 0 and row.key == "overall" else "" for place, row in enumerate(rows)
        ),
    )


def _estimate(one: Estimate) -> str:
    if one.value is None:
        return "–"
    ends = f" ({figure(one.low, 2)} to {figure(one.high, 2)})" if one.low is not None else ""
    return f"{figure(one.value, 2)}{ends}"


def _evaluators(report: RoundReport, lines: Sequence[EvaluatorLine], display: DisplayRange) -> Section | None:
    if not lines:
        return None
    strict = {one.evaluator: one for one in report.agreement.overall.severity}
    minimum = report.agreement.minimum_sample
    rows = []
    for line in lines:
        one = strict.get(line.name)
        deviation = "" if one is None or report.agreement.overall.withheld else _severity(one.deviation)
        rows.append(
            (
                line.name,
                KIND_WORDS[line.evaluator_type],
                str(line.counting),
                f"{line.submitted} of {line.assigned}" if line.assigned else "",
                ", ".join(
                    f"{number} {word}"
                    for number, word in (
                        (line.overdue, "overdue"),
                        (line.declined, "declined"),
                        (line.released, "released"),
                        (line.withdrawn, "withdrawn"),
                        (line.superseded, "superseded"),
                    )
                    if number
                ),
                display.score(line.mean, 2),
                deviation,
            )
        )
    notes = [
        "Strictness: the mean of an evaluator's scores (0 to 1) minus what the others gave the same subjects; below zero is "
        "stricter."
    ]
    if report.agreement.overall.withheld:
        notes.append(f"Strictness is {withheld_words(report.agreement.overall.sample_size, minimum)}.")
    return Section(
        title="Evaluators and progress",
        tables=(
            Table(
                header=("Evaluator", "Kind", "Given", "Assigned, done", "", "Mean", "Strictness"),
                rows=tuple(rows),
                right=(2, 5, 6),
            ),
            *_pairs(report),
        ),
        notes=tuple(notes),
    )


def _severity(one: Estimate) -> str:
    if one.value is None:
        return "–"
    ends = f" ({one.low:+.3f} to {one.high:+.3f})" if one.low is not None and one.high is not None else ""
    return f"{one.value:+.3f}{ends}"


def _pairs(report: RoundReport) -> tuple[Table, ...]:
    pairs = [one for one in report.agreement.overall.pairs if not one.withheld]
    if not pairs:
        return ()
    return (
        Table(
            caption="Pairs, overall scores (bias: the second minus the first)",
            header=("First", "Second", "n", "Kappa", "Exact agreement", "Mean absolute error", "Bias"),
            rows=tuple(
                (
                    one.first,
                    one.second,
                    str(one.sample_size),
                    _estimate(one.kappa),
                    _estimate(one.exact_agreement),
                    _estimate(one.mean_absolute_error),
                    _estimate(one.bias),
                )
                for one in pairs
            ),
            right=(2, 3, 4, 5, 6),
        ),
    )


def _items(report: RoundReport) -> Section:
    title = "Criteria worth a look"
    if not report.diagnoses:
        return Section(title=title, sentences=("No criterion is flagged.",))
    rows = []
    for one in report.diagnoses:
        said, advice = explain_flag(one)
        rows.append((one.flag.value, said, advice))
    return Section(
        title=title,
        tables=(Table(header=("Flag", "What was found", "What an author could do"), rows=tuple(rows)),),
        notes=("A flag is a question to the author of the rubric, not a verdict.",),
    )


def _plots(report: RoundReport) -> Section | None:
    if not report.plots:
        return None
    left = len(report.criteria) - MOST_HISTOGRAMS
    notes = (
        (f"Histograms are of the first {MOST_HISTOGRAMS} criteria; {left} more are not drawn.",)
        if left > 0
        else ()
    )
    return Section(title="Plots", plots=report.plots, notes=notes)


def _left_out(report: RoundReport) -> Section:
    said = []
    for one in report.left_out:
        more = one.count - len(one.names)
        names = (
            f": {'; '.join(one.names)}" + (f"; and {more:,} more" if more > 0 else "") if one.names else ""
        )
        number = f" ({one.count:,})" if one.count else ""
        said.append(f"{_capital(one.what)}{number}: {one.why}{names}.")
    return Section(
        title="What these figures leave out", sentences=tuple(said) or ("Nothing: every evaluation counts.",)
    )


def _methods(report: RoundReport, display: DisplayRange) -> Section:
    facts = report.facts
    table, rules = facts.table, facts.round.rules
    version = table.version
    said = [
        f"Scores are worked out from the answers by the rubric's weights and gates (scoring {SCORING_ENGINE_VERSION}), 0 to 1, and shown on "
        f"{display.score(0.0, 2)} to {display.score(1.0, 2)}."
    ]
    if version.pass_threshold is not None:
        said.append(
            f"An evaluation passes from {display.score(version.pass_threshold, 2)} on, when no gate fails."
        )
    said += [
        "Submitted evaluations count, of two by one evaluator on one subject the later; self-assessments never do. "
        "People are averaged as people, judges by prompt and agents as AI; rules and external evaluations are in the mean "
        "of all only.",
        f"A subject disagrees from a spread of {display.spread(table.threshold, 2)} points, highest minus lowest, or when "
        "some passed and some did not.",
        report.ranking.method,
        "Agreement counts answers as they were given: levels by their place on the whole declared scale, numbers as "
        "numbers, overall scores as 0 to 1. Coefficients below the minimum of usable subjects are withheld, and one that is "
        "not defined says so.",
        BLINDING_IN_WORDS[rules.blinding],
    ]
    if rules.reviews_per_subject is not None:
        said.append(f"Each subject was to have {counted(rules.reviews_per_subject, 'review')}.")
    if rules.hidden_fields:
        said.append(f"Hidden from reviewers: {', '.join(rules.hidden_fields)}.")
    versions = Table(
        caption="Versions of the rubric",
        header=("Version", "Evaluations", "", "Content hash", "Scoring hash"),
        rows=tuple(
            (
                f"{table.rubric_name} {one.number}",
                str(one.evaluations),
                "lays out the rows" if one.is_layout else "",
                one.content_hash or "",
                one.scoring_hash or "",
            )
            for one in facts.versions
        ),
        right=(1,),
    )
    return Section(title="Methods", sentences=tuple(said), tables=(versions,) if facts.versions else ())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
