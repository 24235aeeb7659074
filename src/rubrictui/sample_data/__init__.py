"""The worked examples and the shipped rubrics, as YAML files in the format of docs/formats.md.

``scales.yaml`` holds the five scales; ``agents/`` the eight rubrics for agents, one a file; ``examples/`` one
folder an example, with its ``rubric.yaml``, its ``subjects.yaml``, and the texts and files these name;
``publications.yaml`` says which versions ship published; ``people.yaml`` who has scored. The six worked
examples are those of guide section 14. Every id is fixed, so loading the files twice changes nothing.
``matters/`` holds legal matters, one a folder, in the format of docs/matters.md.

All people, firms, places and findings in them are invented.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent


def sample_files() -> tuple[Path, ...]:
    """All sample files in load order: what a file refers to stands in a file before it.

    Scales, rubrics (drafts), publications, people, then subjects with their assignments and evaluations.
    """
    return (
        ROOT / "scales.yaml",
        *sorted(ROOT.glob("agents/*.yaml")),
        *sorted(ROOT.glob("examples/*/rubric.yaml")),
        ROOT / "publications.yaml",
        ROOT / "people.yaml",
        *sorted(ROOT.glob("examples/*/subjects.yaml")),
    )


def matter_folders() -> tuple[Path, ...]:
    """The folders of the shipped legal matters, by name; the folder's name is the name of the matter.

    Each holds ``trajectories/`` beside the matter's own files: actions by which others worked it. Only ``rubrictui matter``
    reads them; the store knows nothing of matters.
    """
    return tuple(sorted(file.parent for file in ROOT.glob("matters/*/matter.yaml")))
