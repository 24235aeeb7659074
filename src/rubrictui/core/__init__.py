"""The shared scoring core: pure functions over frozen values, without I/O.

Everything a program needs is here by name and imported when it is first asked for, so that ``import
rubrictui.core`` costs next to nothing and nobody loads numpy to score a form:

>>> from rubrictui.core import answers_from_json, compute, version_from_json
>>> result = compute(version_from_json(version_text), answers_from_json(answers_text))  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubrictui.core.agreement import agreement, krippendorff_alpha, quadratic_kappa
    from rubrictui.core.canonical import content_hash, scoring_hash
    from rubrictui.core.consensus import consensus
    from rubrictui.core.diagnostics import diagnose
    from rubrictui.core.errors import InvalidInputError, RubrictuiError, ScoringError
    from rubrictui.core.loading import answers_from_json, to_json, version_from_json
    from rubrictui.core.model import (
        Anchor,
        Answer,
        Band,
        Bump,
        Evidence,
        EvidenceKind,
        Level,
        Node,
        NodeType,
        NotApplicablePolicy,
        Outcome,
        RollupMethod,
        Scale,
        ScaleType,
        ScoredNode,
        ScoreResult,
        VersionSnapshot,
        VersionStatus,
    )
    from rubrictui.core.scoring import compute
    from rubrictui.core.versions import diff_versions

__all__ = [
    "Anchor",
    "Answer",
    "Band",
    "Bump",
    "Evidence",
    "EvidenceKind",
    "InvalidInputError",
    "Level",
    "Node",
    "NodeType",
    "NotApplicablePolicy",
    "Outcome",
    "RollupMethod",
    "RubrictuiError",
    "Scale",
    "ScaleType",
    "ScoreResult",
    "ScoredNode",
    "ScoringError",
    "VersionSnapshot",
    "VersionStatus",
    "agreement",
    "answers_from_json",
    "compute",
    "consensus",
    "content_hash",
    "diagnose",
    "diff_versions",
    "krippendorff_alpha",
    "quadratic_kappa",
    "scoring_hash",
    "to_json",
    "version_from_json",
]

_MODULES = {
    "agreement": "agreement krippendorff_alpha quadratic_kappa",
    "canonical": "content_hash scoring_hash",
    "consensus": "consensus",
    "diagnostics": "diagnose",
    "errors": "InvalidInputError RubrictuiError ScoringError",
    "loading": "answers_from_json to_json version_from_json",
    "model": "Anchor Answer Band Bump Evidence EvidenceKind Level Node NodeType NotApplicablePolicy Outcome "
    "RollupMethod Scale ScaleType ScoreResult ScoredNode VersionSnapshot VersionStatus",
    "scoring": "compute",
    "versions": "diff_versions",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Core(ModuleType):
    """A package whose functions keep their names when modules of the same name are imported.

    ``consensus`` and ``agreement`` are functions here and modules below. The import system writes a
    submodule into its package when it is first loaded, and would put the module where the function is.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Core
