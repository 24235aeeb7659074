"""``stats``: consensus, agreement and item analysis of numbers given as JSON; no store needed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from rubrictui.cli._output import Output, number
from rubrictui.cli._parser import Commands

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
        description="Statistics over numbers given as JSON: a case, or a list of cases for a list of results.",
    )

    def add(name: str, summary: str, fields: str, example: str) -> None:
        parser = group.add(
            name,
            summary,
            run,
            description=f"{summary[0].upper()}{summary[1:]}. A case is {fields}.",
            examples=[f"echo '{example}' | rubrictui stats {name} - --json"],
        )
        parser.add_argument(
            "file", metavar="FILE", nargs="?", default="-", help="JSON; - or none: standard input"
        )
        parser.set_defaults(measure=name)

    add(
        "consensus",
        "mean, median or trimmed mean of the scores of one subject",
        "{scores, method?, trim?, criteria?}",
        '{"scores": [0.5, 1], "method": "Median"}',
    )
    add(
        "kappa",
        "quadratic-weighted kappa of two raters",
        "{pairs, category_count?}",
        '{"pairs": [[0, 0], [1, 2]], "category_count": 3}',
    )
    add(
        "alpha",
        "Krippendorff's alpha of any number of raters",
        "{units, level?}",
        '{"units": [[1, 1], [2, 3]], "level": "interval"}',
    )
    add(
        "agreement",
        "kappa, alpha, exact agreement, error and bias; withheld below 20 subjects",
        "{ratings, minimum_sample?, category_count?}",
        '{"ratings": [[1, 1], [2, 3]], "minimum_sample": 2}',
    )
    add(
        "diagnostics",
        "flags of criteria that tell nothing, never apply, or repeat another",
        "{criteria: [{key, scores, not_applicable?}]}",
        '{"criteria": [{"key": "a", "scores": [0, 1]}]}',
    )


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_json, shown

    name, where = options.measure, shown(options.file)
    value = read_json(options.file)
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
