"""``stats``: consensus, agreement and item analysis of files of ratings, or of numbers given as JSON.

No store is needed. A *case* is the numbers of one measure; a file of ratings is a table of subjects, evaluators
and criteria (``_stats_ratings``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from rubrictui.cli._output import Output, number
from rubrictui.cli._parser import Commands, Parser
from rubrictui.cli._stats_options import add_ratings_options, add_sampling_options, is_asked_for_ratings

if TYPE_CHECKING:
    from rubrictui.core.agreement import Agreement
    from rubrictui.core.consensus import Consensus
    from rubrictui.core.diagnostics import Diagnosis

# What a case may carry beside its own fields: the conformance vectors do.
LABELS = frozenset({"id", "expected", "category", "note"})


def register(commands: Commands) -> None:
    group = commands.group(
        "stats",
        "consensus, agreement and item analysis of given numbers",
        description="Statistics over a file of ratings: CSV with the columns subject, evaluator, criterion, rating "
        "(and type), the same as JSON rows, or a table in JSON. Or over numbers given as JSON: a case, or a list of "
        "cases for a list of results.",
    )

    def add(name: str, summary: str, fields: str, *examples: str) -> Parser:
        case = f" A case is {fields}." if fields else ""
        parser = group.add(
            name,
            summary,
            run if fields else run_ratings,
            description=f"{summary[0].upper()}{summary[1:]}.{case}",
            examples=examples,
        )
        ratings = name not in ("kappa", "alpha")
        help_text = (
            "ratings (CSV or JSON), or a case (JSON)" if fields and ratings else "ratings (CSV or JSON)"
        )
        parser.add_argument(
            "file",
            metavar="FILE",
            nargs="?",
            default="-",
            help=f"{help_text if ratings else 'JSON'}; - or none: standard input",
        )
        parser.set_defaults(measure=name)
        if ratings:
            add_ratings_options(parser)
        return parser

    def add_csv(parser: Parser) -> None:
        parser.add_argument("--csv", action="store_true", help="print CSV (of ratings)")

    def add_criterion(parser: Parser) -> None:
        parser.add_argument("--criterion", metavar="KEY", help="this criterion")

    def add_evaluators(parser: Parser) -> None:
        parser.add_argument("--evaluators", metavar="FIRST SECOND", nargs=2, help="these two, by their names")

    consensus = add(
        "consensus",
        "mean, median and trimmed mean with their spread",
        "{scores, method?, trim?, criteria?}",
        """echo '{"scores": [0.5, 1], "method": "Median"}' | rubrictui stats consensus - --json""",
        "rubrictui stats consensus ratings.csv --version rubric.yaml",
    )
    consensus.add_argument(
        "--trim",
        metavar="SHARE",
        type=float,
        default=0.1,
        help="what the trimmed mean drops from each end (0.1)",
    )
    add_csv(consensus)
    add(
        "kappa",
        "quadratic-weighted kappa of two raters",
        "{pairs, category_count?}",
        """echo '{"pairs": [[0, 0], [1, 2]], "category_count": 3}' | rubrictui stats kappa - --json""",
    )
    add(
        "alpha",
        "Krippendorff's alpha of any number of raters",
        "{units, level?}",
        """echo '{"units": [[1, 1], [2, 3]], "level": "interval"}' | rubrictui stats alpha - --json""",
    )
    agreement = add(
        "agreement",
        "every coefficient of agreement with its interval, pairs and severity; withheld below 20 subjects",
        "{ratings, minimum_sample?, category_count?}",
        """echo '{"ratings": [[1, 1], [2, 3]], "minimum_sample": 2}' | rubrictui stats agreement - --json""",
        "rubrictui stats agreement ratings.csv --levels poor,fair,good",
    )
    add_sampling_options(agreement)
    add_csv(agreement)
    severity = add(
        "severity",
        "how strict each evaluator is beside the others, overall or on one criterion",
        "",
        "rubrictui stats severity ratings.csv --range 0..100",
    )
    add_criterion(severity)
    add_sampling_options(severity)
    add_csv(severity)
    confusion = add(
        "confusion",
        "which answers meet which, of two evaluators or of all",
        "",
        "rubrictui stats confusion ratings.csv --levels no,yes --evaluators Ann Judge",
    )
    add_criterion(confusion)
    add_evaluators(confusion)
    add_csv(confusion)
    diagnostics = add(
        "diagnostics",
        "flags of criteria that tell nothing, never apply, or repeat another",
        "{criteria: [{key, scores, not_applicable?}]}",
        """echo '{"criteria": [{"key": "a", "scores": [0, 1]}]}' | rubrictui stats diagnostics - --json""",
        "rubrictui stats diagnostics ratings.csv --version rubric.yaml",
    )
    add_csv(diagnostics)
    plot = add(
        "plot",
        "a histogram, a Bland-Altman plot or severities, as text, SVG or PNG",
        "",
        "rubrictui stats plot ratings.csv --kind histogram --criterion clarity",
        "rubrictui stats plot ratings.csv --kind bland-altman --evaluators Ann Judge --out plot.svg",
    )
    plot.add_argument(
        "--kind", choices=("histogram", "bland-altman", "severity"), default="histogram", help="(histogram)"
    )
    add_criterion(plot)
    add_evaluators(plot)
    add_sampling_options(plot)
    plot.add_argument("--width", metavar="CELLS", type=int, default=72, help="of the text (72)")
    plot.add_argument("--out", metavar="FILE", help="write it: .svg, or .png (needs rubrictui[plots])")


def run_ratings(options: argparse.Namespace, output: Output) -> int:
    """A measure that only ratings have."""
    from rubrictui.cli import _stats_ratings as ratings
    from rubrictui.cli._input import read_bytes

    getattr(ratings, options.measure)(options, output, ratings.table_of(options, read_bytes(options.file)))
    return 0


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_bytes, shown
    from rubrictui.core.loading import json_value
    from rubrictui.interchange.ratings_in import is_ratings_json

    name, where = options.measure, shown(options.file)
    data = read_bytes(options.file)
    takes_ratings = name not in ("kappa", "alpha")
    value = None
    if not (takes_ratings and _can_only_be_ratings(options, data)):
        value = json_value(data, where)
    if takes_ratings and (value is None or is_ratings_json(value)):
        from rubrictui.cli import _stats_ratings as ratings

        getattr(ratings, name)(options, output, ratings.table_of(options, data))
        return 0
    main_field, kind, tell = _MEASURES[name]
    if isinstance(value, list) and value and all(isinstance(v, dict) and main_field in v for v in value):
        results = [_one(kind, case, f"{where}[{index}]") for index, case in enumerate(value)]
        if output.json:
            output.data(results)
        else:
            for case, result in zip(value, results, strict=True):
                output.text(f"{case.get('id', '')}:".lstrip(":"), *(f"  {line}" for line in tell(result)))
        return 0
    case = value if isinstance(value, dict) else {main_field: value}
    result = _one(kind, case, where)
    if output.json:
        output.data(result)
    else:
        output.text(*tell(result))
    return 0


def _can_only_be_ratings(options: argparse.Namespace, data: bytes) -> bool:
    """Whether the input is no JSON at all, or an option was given that only ratings take."""
    from rubrictui.interchange.ratings_in import is_json

    return is_asked_for_ratings(options) or bool(data.strip() and not is_json(data))


def _one(kind: type[Case], case: dict[str, Any], where: str) -> Any:
    from rubrictui.cli._input import convert

    fields = {key: value for key, value in case.items() if key not in LABELS}
    return convert(fields, kind, where).result()


class ConsensusCase(msgspec.Struct, forbid_unknown_fields=True):
    scores: list[float | None]
    method: str | None = None
    trim: float | None = None
    criteria: list[dict[str, Any]] | None = None

    def result(self) -> Consensus:
        from rubrictui.core.consensus import consensus

        return consensus(self.scores, self.method or "Mean", self.trim, self.criteria)


class KappaCase(msgspec.Struct, forbid_unknown_fields=True):
    pairs: list[list[float | None]]
    category_count: int | None = None

    def result(self) -> float | None:
        from rubrictui.core.agreement import quadratic_kappa

        return quadratic_kappa(self.pairs, self.category_count)


class AlphaCase(msgspec.Struct, forbid_unknown_fields=True):
    units: list[list[float | None]]
    level: str | None = None

    def result(self) -> float | None:
        from rubrictui.core.agreement import krippendorff_alpha

        return krippendorff_alpha(self.units, self.level or "ordinal")


class AgreementCase(msgspec.Struct, forbid_unknown_fields=True):
    ratings: list[list[float | None]]
    minimum_sample: int | None = None
    category_count: int | None = None

    def result(self) -> Agreement:
        from rubrictui.core.agreement import agreement

        return agreement(self.ratings, self.minimum_sample, self.category_count)


class DiagnosticsCase(msgspec.Struct, forbid_unknown_fields=True):
    criteria: list[dict[str, Any]]

    def result(self) -> tuple[Diagnosis, ...]:
        from rubrictui.core.diagnostics import diagnose

        return diagnose(self.criteria)


def _tell_number(value: float | None) -> list[str]:
    return ["not defined" if value is None else number(value)]


def _tell_consensus(found: Consensus) -> list[str]:
    lines = [
        f"{found.method}: {number(found.overall)}",
        f"standard deviation: {number(found.std_dev)}",
        f"range: {number(found.range)}",
        f"evaluations: {found.sample_size}",
    ]
    return lines + [f"{row.key}: {number(row.mean)} (of {row.sample_size})" for row in found.criteria or ()]


def _tell_agreement(found: Agreement) -> list[str]:
    if found.withheld:
        return [f"withheld: {found.sample_size} usable subjects, {found.minimum_sample} are needed"]
    lines = [f"subjects: {found.sample_size}", f"raters: {found.raters}"]
    for name, value in (
        ("kappa", found.kappa),
        ("alpha", found.alpha),
        ("exact agreement", found.exact_agreement),
        ("mean absolute error", found.mean_absolute_error),
        ("bias (second minus first)", found.bias),
    ):
        if value is not None:
            lines.append(f"{name}: {number(value)}")
    for pair in found.pairs:
        kappa = "withheld" if pair.withheld else number(pair.kappa)
        lines.append(
            f"kappa of raters {pair.first + 1} and {pair.second + 1}: {kappa} (of {pair.sample_size})"
        )
    return lines


def _tell_diagnoses(found: Any) -> list[str]:
    lines = [
        f"{row.criterion_key}{f' and {row.other_key}' if row.other_key else ''}: {row.flag}. {row.advice}"
        for row in found
    ]
    return lines or ["no flags"]


Case = ConsensusCase | KappaCase | AlphaCase | AgreementCase | DiagnosticsCase

_MEASURES: dict[str, tuple[str, type[Case], Callable[[Any], list[str]]]] = {
    "consensus": ("scores", ConsensusCase, _tell_consensus),
    "kappa": ("pairs", KappaCase, _tell_number),
    "alpha": ("units", AlphaCase, _tell_number),
    "agreement": ("ratings", AgreementCase, _tell_agreement),
    "diagnostics": ("criteria", DiagnosticsCase, _tell_diagnoses),
}
