"""What ``--pedantic`` adds: a matter that is scored as written, and perhaps not as its author meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from rubrictui.ground.errors import RubrictuiError
from rubrictui.matters.building import GATE_LISTS
from rubrictui.matters.gates import check_gate
from rubrictui.matters.lint_keys import lint_keys
from rubrictui.matters.lint_view import DocumentView, View, Views
from rubrictui.matters.model import SEVERITIES, Constraints, Issue
from rubrictui.matters.text import norm

CONCEPT_LISTS = ("required_concepts", "redline_concepts", "settlement_concepts")

_NEGATOR = re.compile(r"\b(?:no|not|never|nothing|none|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_ESCAPE = re.compile(r"\\[A-Za-z]")


def lint_pedantic(views: Views) -> None:
    """All the further warnings, of a matter whose frame is sound."""
    lint_keys(views)
    for document in views.documents.values():
        _headings(document)
    for issue in views.issues:
        _issue(issue, views)
    for kind in ("questions", "escalations"):
        _asked(views.rubric[kind].items(), kind.removesuffix("s"))
    final = views.rubric["final_submission"]
    _concepts(final["required_concepts"])
    if (final["concept_points"].number or 0) > 0 and not final["required_concepts"].items():
        _unreachable(final["concept_points"], "required_concepts")
    _severities(views)
    _budgets(views)


def _headings(document: DocumentView) -> None:
    for line in document.parsed.bare_headings:
        document.findings.warn(
            "section_heading_bare", "a heading without a number is body text. Give it one.", (line, 1)
        )
    seen: dict[str, int] = {}
    for token, line in document.parsed.headings:
        if token in seen:
            document.findings.warn(
                "section_repeated",
                f'section "{token}" began on line {seen[token]}; what follows is added to it.',
                (line, 1),
            )
        seen.setdefault(token, line)


def _issue(issue: View, views: Views) -> None:
    for name in CONCEPT_LISTS:
        _concepts(issue[name])
    default = Issue(id="", anchor="")
    for points, concepts in (("concept_points", "required_concepts"), ("redline_points", "redline_concepts")):
        value = getattr(default, points) if issue[points].is_missing else issue[points].number or 0
        if value > 0 and not issue[concepts].items():
            _unreachable(issue[points], concepts, issue)
    for name in GATE_LISTS:
        for gate in issue[name].items():
            _gate(gate)
    for gate in issue["critical_failure_patterns"].items():
        _own_provision(gate, issue, views)
    if views.has_position(issue):
        _traps(issue, views.positions[issue["id"].text])


def _unreachable(points: View, concepts: str, owner: View | None = None) -> None:
    name = f"{owner.name}.{concepts}" if owner is not None else concepts
    points.warn(
        "points_unreachable",
        f"{points.name} counts in the greatest score, but nobody can earn it: {name} is empty. Set it to 0.",
    )


def _concepts(concepts: View) -> None:
    words = [(concept, norm(concept.text)) for concept in concepts.texts()]
    counts = Counter(word for _, word in words)
    told: set[str] = set()
    for concept, word in words:
        if not word:
            concept.warn("concept_empty", f"{concept.name} is empty: every text holds it.")
            continue
        if counts[word] > 1 and word not in told:
            concept.warn("concept_repeated", f'{concept.name}: "{word}" stands here {counts[word]} times.')
        told.add(word)
        around = next((other for _, other in words if other != word and word in other), None)
        if around is not None:
            concept.warn(
                "concept_inside_another",
                f'{concept.name}: whoever writes "{around}" has written "{word}" too. Make them differ.',
            )


def _gate(gate: View) -> None:
    pattern = gate.value if isinstance(gate.value, str) else gate["pattern"].text
    if not pattern:
        return
    guarded = gate["negation_guard"].value is True
    if not guarded and gate["require_context"].is_missing and gate["exclude_context"].is_missing:
        gate.warn(
            "pattern_unguarded",
            f"{gate.name} fires on denials too: it has neither a negation_guard nor a context.",
        )
    if guarded and gate["negation_scope"].value != "before" and _NEGATOR.search(_ESCAPE.sub(" ", pattern)):
        gate.warn(
            "gate_silences_itself",
            f"{gate.name} has a negator in its own pattern, and its guard looks there. Add negation_scope: before.",
        )


def _own_provision(gate: View, issue: View, views: Views) -> None:
    """A gate that fires on the provision itself costs whoever repeats it in the analysis."""
    provision = views.section(issue["anchor"].text)
    if provision is not None and _fires(gate, norm(provision)):
        gate.warn(
            "gate_fires_on_provision",
            f"{gate.name} fires on the words of {issue['anchor'].text}: an analysis that repeats them is capped.",
        )


def _fires(gate: View, text: str) -> bool:
    """Whether a gate fires; one that is broken, which lint says elsewhere, does not."""
    try:
        return check_gate(gate.value, text).fires
    except RubrictuiError:
        return False


def _traps(issue: View, position: View) -> None:
    """A trap nobody can fall into: its text passes the gates and leaves no concept of a non-negotiable out."""
    for counter in position["counters"].items():
        if counter["trap"].value is not True or not counter["text"].text:
            continue
        text = norm(counter["text"].text)
        needed = [norm(concept.text) for concept in issue["settlement_concepts"].texts()]
        caught = any(_fires(gate, text) for gate in issue["settlement_critical_failure_patterns"].items())
        lost = any(concept not in text for concept in needed)
        if not caught and not lost:
            counter.warn(
                "trap_costs_nothing",
                f"{counter.name} is marked as a trap, but accepting it earns all points of the settlement.",
            )


def _variants(entry: View) -> Iterable[tuple[View, list[str]]]:
    for variant in (entry["concepts"], *entry["aliases"].items()):
        yield variant, [norm(word.text) for word in variant.texts()]


def _asked(entries: list[View], kind: str) -> None:
    """Variants that never decide, because an earlier entry matches whatever holds them."""
    earlier: list[tuple[str, list[str]]] = []
    for entry in entries:
        name = str(entry["id"].value)
        for variant, words in _variants(entry):
            if not words and variant.name.endswith("]"):
                variant.warn("variant_empty", f"{variant.name} is empty and never matches. Remove it.")
                continue
            _concepts(variant)
            shadow = next(
                (
                    other
                    for other, first in earlier
                    if other != name and set(first) != set(words) and _holds(words, first)
                ),
                None,
            )
            if shadow is not None:
                variant.warn(
                    f"{kind}_shadowed",
                    f'{variant.name}: whatever holds these words matches "{shadow}" first. Put "{name}" before it.',
                )
        earlier += [(name, words) for _, words in _variants(entry) if words]


def _holds(words: list[str], first: list[str]) -> bool:
    """Whether every text with all ``words`` has all of ``first``."""
    return all(any(one in word for word in words) for one in first)


def _severities(views: Views) -> None:
    used = {issue["severity"].text for issue in views.issues}
    unused = [word for word in SEVERITIES if word not in used]
    if views.issues and unused:
        views.rubric["issues"].warn(
            "severity_unused", f"no issue is {' or '.join(unused)}, so the right severity is easier to guess."
        )


def _budgets(views: Views) -> None:
    """Limits under which not everything can be earned."""
    constraints = views.matter["constraints"]
    rubric = views.rubric
    settled = [issue for issue in views.issues if views.has_position(issue)]
    rounds = sum(1 + int(views.positions[one["id"].text]["resist_rounds"].number or 0) for one in settled)
    questions, escalations = len(rubric["questions"].items()), len(rubric["escalations"].items())
    documents = {issue["anchor"].text.partition("§")[0].strip() for issue in views.issues}
    redlines = sum(bool(issue["redline_concepts"].items()) for issue in views.issues)
    steps = questions + escalations + rounds + len(documents) + len(views.issues) + redlines + 1
    default = Constraints()
    for key, needed, what in (
        ("maximum_client_questions", questions, "questions of the rubric"),
        ("maximum_escalations", escalations, "escalations of the rubric"),
        ("maximum_negotiation_rounds", rounds, "rounds that closing every position takes"),
        ("maximum_steps", steps, "steps that earning everything takes"),
    ):
        limit = constraints[key]
        allowed = getattr(default, key) if limit.is_missing else limit.number
        if allowed is not None and allowed < needed:
            limit.warn("budget_too_small", f"{key} is {allowed:g}, less than the {needed} {what}.")
