"""The agreement and consensus of a round as blocks to read: tables in words, nothing that is not a number shown as one.
Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rubrictui.core.agreement_report import (
    COEFFICIENTS,
    AgreementReport,
    CriterionAgreement,
    Estimate,
)
from rubrictui.core.confusion import Confusion
from rubrictui.core.consensus_panel import CriterionSpread, CriterionSummary, PanelConsensus
from rubrictui.core.plots import Plot
from rubrictui.core.plots_text import plot_text
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.words import estimate_words, figure, interval, withheld_words
from rubrictui.widgets.block_list import Block
from rubrictui.widgets.text import Line, counted, one_line, pad, wrap

#: A confusion matrix shows at most so many categories.
MOST_CATEGORIES = 12


# -- agreement -----------------------------------------------------------------------------------------------


def agreement_blocks(report: AgreementReport) -> list[Block]:
    """A block for the overall scores and one for each criterion: a line closed, all coefficients open."""
    return [_agreement_block(row, report) for row in (report.overall, *report.criteria)]


def _agreement_block(row: CriterionAgreement, report: AgreementReport) -> Block:
    size = f"{counted(row.sample_size, 'subject')} with two ratings or more, {counted(row.raters, 'rater')}"

    def closed(width: int) -> list[Line]:
        if row.withheld:
            said = withheld_words(row.sample_size, report.minimum_sample)
        else:
            said = _in_short(row)
        return [
            [(one_line(row.name, width), "title")],
            [(f"  {one_line(said, width - 2)}", "warning" if row.withheld else "text")],
        ]

    def opened(width: int) -> list[Line]:
        lines: list[Line] = [[(one_line(row.name, width), "title")], [(f"  {size}", "muted")]]
        if row.withheld:
            return [*lines, [(f"  {withheld_words(row.sample_size, report.minimum_sample)}", "warning")]]
        lines.append([(f"  {'measure':<36}{'value':>8}  95% interval", "label")])
        for name, words in COEFFICIENTS.items():
            one: Estimate = getattr(row, name)
            room = max(width - 48, 8)
            value = figure(one.value) if one.value is not None else "none"
            said = wrap(interval(one), room) if interval(one) else [""]
            lines.append(
                [
                    (f"  {words:<36}{value:>8}  ", "text" if one.value is not None else "muted"),
                    (said[0], "muted"),
                ]
            )
            lines += [[(" " * 48, "text"), (more, "muted")] for more in said[1:]]
        if row.most_used is not None and row.most_used_share is not None:
            used = f'  used most: "{row.most_used}", {row.most_used_share:.0%} of {counted(row.ratings, "rating")}'
            lines.append([(one_line(used, width), "muted")])
        return [*lines, [("", "text")]]

    return Block(id=f"agreement:{row.key}", closed=closed, opened=opened)


def _in_short(row: CriterionAgreement) -> str:
    """The two figures that say most: where answers are levels, and where they are numbers."""
    if row.confusion is not None:
        return f"alpha {estimate_words(row.alpha_ordinal)} · exact agreement {_share(row.exact_agreement)}"
    error = figure(row.mean_absolute_error.value)
    return f"alpha {estimate_words(row.alpha_interval)} · mean absolute error {error}"


def _share(one: Estimate) -> str:
    return f"{one.value:.0%}" if one.value is not None else estimate_words(one)


# -- evaluators ----------------------------------------------------------------------------------------------


def evaluator_blocks(report: AgreementReport, severity: Plot) -> list[Block]:
    """How strict each evaluator is, as a dot plot and in numbers, and every pair of them."""
    overall = report.overall

    def strict(width: int) -> list[Line]:
        lines: list[Line] = [[("How strict each evaluator is (mean deviation from the others)", "title")]]
        if overall.withheld:
            said = withheld_words(overall.sample_size, report.minimum_sample)
            return [*lines, [(f"  {said}", "warning")], [("", "text")]]
        lines += _plot_lines(severity, width)[1:]
        for one in overall.severity:
            said = f"{counted(one.sample_size, 'subject')}, {estimate_words(one.deviation)}"
            lines.append([(f"  {pad(one_line(one.evaluator, 28), 29)}", "text"), (said, "muted")])
        return [
            *lines,
            [("  Below 0 is stricter than the others; scores are 0 to 1.", "muted")],
            [("", "text")],
        ]

    def pairs(width: int) -> list[Line]:
        lines: list[Line] = [[("Pairs, overall scores (bias is second minus first)", "title")]]
        if not overall.pairs:
            return [*lines, [("  There are no two evaluators.", "muted")]]
        room = max(min(width - 36, 44), 20)
        lines.append([(f"  {pad('pair', room)}{'n':>5}{'bias':>9}  kappa", "label")])
        for one in overall.pairs:
            names = pad(one_line(f"{one.first}, {one.second}", room - 1), room)
            if one.withheld:
                said = "withheld"
                lines.append([(f"  {names}{one.sample_size:>5}{'':>9}  {said}", "muted")])
                continue
            kappa = one_line(estimate_words(one.kappa), max(width - room - 18, 8))
            lines.append([(f"  {names}{one.sample_size:>5}{figure(one.bias.value):>9}  {kappa}", "text")])
        return [*lines, [("", "text")]]

    return [Block(id="strict", closed=strict), Block(id="pairs", closed=pairs)]


# -- consensus -----------------------------------------------------------------------------------------------


def consensus_blocks(found: PanelConsensus, display: DisplayRange) -> list[Block]:
    """Each subject with the deviation of each evaluator, then each criterion over the subjects."""
    blocks = [_heading("over", "Criteria, over all subjects", _SPREAD_HEAD)]
    blocks += [_spread_block(row, display) for row in (found.overall, *found.criteria)]
    blocks.append(
        _heading("subjects", f"Subjects (trimmed mean: {found.trim:.0%} from each end)", _SUMMARY_HEAD)
    )
    blocks += [
        _summary_block(f"subject:{place}", one.subject, one.overall, one.criteria, display)
        for place, one in enumerate(found.subjects)
    ]
    return blocks


_SPREAD_HEAD = f"{'mean':>7}{'people':>8}{'AI':>7}{'apart':>8}{'widest':>8}"
_SUMMARY_HEAD = f"{'mean':>7}{'median':>8}{'trimmed':>8}{'range':>7}{'n':>4}"


def _heading(name: str, title: str, figures: str) -> Block:
    def draw(width: int) -> list[Line]:
        room = max(width - len(figures) - 2, 12)
        return [[(one_line(title, width), "title")], [("  " + " " * room, "text"), (figures, "label")]]

    return Block(id=f"heading:{name}", closed=draw)


def _spread_block(row: CriterionSpread, display: DisplayRange) -> Block:
    cells = (
        f"{display.score(row.mean):>7}{display.score(row.human_mean):>8}{display.score(row.ai_mean):>7}"
        f"{display.spread(row.disagreement):>8}{display.spread(row.widest):>8}"
    )
    more = []
    if row.widest_subject is not None:
        more.append(f"widest on {row.widest_subject}")
    if row.std_dev is not None:
        more.append(f"subjects lie {display.spread(row.std_dev, 2)} apart (standard deviation)")
    more.append(counted(row.subjects, "subject"))
    return _figures_block(f"spread:{row.key}", row.name, cells, lambda: [", ".join(more)])


def _summary_block(
    id: str, name: str, row: CriterionSummary, criteria: Sequence[CriterionSummary], display: DisplayRange
) -> Block:
    cells = (
        f"{display.score(row.mean):>7}{display.score(row.median):>8}{display.score(row.trimmed_mean):>8}"
        f"{display.spread(row.range):>7}{row.sample_size:>4}"
    )

    def more() -> list[str]:
        parts = [f"standard deviation {display.spread(row.std_dev, 2)}"]
        if row.human_count:
            parts.append(f"people {display.score(row.human_mean, 2)} (n {row.human_count})")
        if row.ai_count:
            parts.append(f"AI {display.score(row.ai_mean, 2)} (n {row.ai_count})")
        if row.self_score is not None:
            parts.append(f"self {display.score(row.self_score, 2)}, in no figure")
        lines = [", ".join(parts)]
        for one in row.deviations:
            apart = "" if one.deviation is None else f", {_signed(one.deviation, display)} from the mean"
            lines.append(f"{one.evaluator} ({one.type.value}): {display.score(one.score, 2)}{apart}")
        lines += [
            f"{one.key}: mean {display.score(one.mean)}, range {display.spread(one.range)}, n {one.sample_size}"
            for one in criteria
        ]
        return lines

    return _figures_block(id, name, cells, more)


def _signed(value: float, display: DisplayRange) -> str:
    words = display.spread(value, 2)
    return words if words.startswith("-") else f"+{words}"


def _figures_block(id: str, name: str, cells: str, more: Callable[[], list[str]]) -> Block:
    def closed(width: int) -> list[Line]:
        room = max(width - len(cells) - 2, 12)
        return [[("  ", "text"), (pad(one_line(name, room), room), "text"), (cells, "text")]]

    def opened(width: int) -> list[Line]:
        room = max(width - len(cells) - 2, 12)
        lines: list[Line] = [[("▌ ", "label"), (pad(one_line(name, room), room), "title"), (cells, "text")]]
        lines += [
            [("    ", "text"), (part, "muted")] for text in more() for part in wrap(one_line(text), width - 4)
        ]
        return lines

    return Block(id=id, closed=closed, opened=opened)


# -- confusion and plots -------------------------------------------------------------------------------------


def confusion_blocks(rows: Iterable[CriterionAgreement], minimum: int) -> list[Block]:
    """A confusion matrix for each criterion on levels."""
    return [_confusion_block(row, minimum) for row in rows]


def _confusion_block(row: CriterionAgreement, minimum: int) -> Block:
    def draw(width: int) -> list[Line]:
        lines: list[Line] = [[(one_line(row.name, width), "title")]]
        found = row.confusion
        if row.withheld:
            lines.append([(f"  {withheld_words(row.sample_size, minimum)}", "warning")])
        elif found is None:
            lines.append([("  Its scale has no levels or steps to tell apart.", "muted")])
        else:
            lines += _confusion_lines(found, width)
        return [*lines, [("", "text")]]

    return Block(id=f"confusion:{row.key}", closed=draw)


def _confusion_lines(found: Confusion, width: int) -> list[Line]:
    if found.first is not None:
        about = f"{found.first} down, {found.second} across, {counted(found.total, 'subject')}"
    else:
        about = "every pair of ratings of a subject, both ways round"
    # Of a long scale, the categories that nobody used say nothing.
    used = [
        place
        for place in range(len(found.labels))
        if len(found.labels) <= MOST_CATEGORIES
        or any(found.counts[place])
        or any(row[place] for row in found.counts)
    ]
    left_out = len(used) - MOST_CATEGORIES
    used = used[:MOST_CATEGORIES]
    names = max(min(width // 4, 18), 8)
    cell = max(min((width - names - 3) // max(len(used), 1), 12), 4)
    head = "".join(f"{one_line(found.labels[place], cell - 1):>{cell}}" for place in used)
    lines: list[Line] = [
        [(f"  {one_line(about, width - 2)}", "muted")],
        [("  " + " " * names + head, "label")],
    ]
    for place in used:
        line: Line = [("  " + pad(one_line(found.labels[place], names - 1), names), "label")]
        for other in used:
            count = found.counts[place][other]
            style = "success" if place == other and count else "text" if count else "muted"
            line.append((f"{count if count else '·':>{cell}}", style))
        lines.append(line)
    if left_out > 0:
        lines.append([(f"  and {counted(left_out, 'category', 'categories')} more", "muted")])
    return lines


def plot_blocks(plots: Sequence[Plot]) -> list[Block]:
    """Plots as text, one below the other."""
    return [Block(id=f"plot:{place}", closed=_drawn(plot)) for place, plot in enumerate(plots)]


def _drawn(plot: Plot) -> Callable[[int], list[Line]]:
    return lambda width: [*_plot_lines(plot, width), [("", "text")]]


def _plot_lines(plot: Plot, width: int) -> list[Line]:
    first, *rest = plot_text(plot, min(width - 3, 100))
    return [[(first, "title")], *([("  ", "text"), (line, "text")] for line in rest)]
