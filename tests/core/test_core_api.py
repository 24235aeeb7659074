"""The names that stay: ``from rubrictui.core import ...``, and what they cost to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

STABLE = [
    "compute",
    "diff_versions",
    "consensus",
    "quadratic_kappa",
    "krippendorff_alpha",
    "agreement",
    "diagnose",
    "version_from_json",
    "answers_from_json",
    "content_hash",
    "scoring_hash",
    "ScoringError",
    "VersionSnapshot",
    "Node",
    "Scale",
    "Level",
    "Band",
    "Answer",
    "ScoreResult",
    "ScoredNode",
]


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_every_stable_name_is_there_and_callable() -> None:
    import rubrictui.core

    for name in STABLE:
        assert callable(getattr(rubrictui.core, name)), name
        assert name in rubrictui.core.__all__
        assert name in dir(rubrictui.core)


def test_an_unknown_name_is_an_attribute_error_and_a_module_is_itself() -> None:
    import rubrictui.core
    from rubrictui.core import canonical

    assert canonical.__name__ == "rubrictui.core.canonical"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rubrictui.core.nothing


@pytest.mark.parametrize("name", ["consensus", "agreement"])
def test_a_function_keeps_its_name_when_the_module_of_that_name_is_loaded_first(name: str) -> None:
    code = f"import rubrictui.core.{name}; from rubrictui.core import {name}; print(type({name}).__name__)"
    assert run(code) == "function"


def test_importing_the_core_loads_no_submodule_and_scoring_no_heavy_one() -> None:
    loaded = "print(sorted(m for m in sys.modules if m.split('.')[0] in {'numpy', 'krippendorff', 'sqlalchemy', 'textual'}))"
    assert (
        run("import sys, rubrictui.core; print([m for m in sys.modules if m.startswith('rubrictui.core.')])")
        == "[]"
    )
    assert (
        run(f"import sys; from rubrictui.core import compute, version_from_json, content_hash; {loaded}")
        == "[]"
    )
    assert run(f"import sys; import rubrictui.core.batch; {loaded}") == "[]"
