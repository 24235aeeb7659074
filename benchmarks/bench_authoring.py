"""What one change of a large draft costs beside looking at all of it again: problems, shares, plan, score; and diffs.

python benchmarks/bench_authoring.py [--nodes 2500] [--evaluations 10000]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import msgspec

from rubrictui.core import editing
from rubrictui.core.answer_fill import fill_random
from rubrictui.core.authoring import DraftIndex, publish_problems, weight_shares
from rubrictui.core.change_view import change_groups
from rubrictui.core.merging import merge_drafts
from rubrictui.core.model import Anchor, Level, Node, NodeType, Scale, VersionSnapshot
from rubrictui.core.records import SampleAnswer
from rubrictui.core.scoring import compute
from rubrictui.core.versions import diff_versions
from rubrictui.core.whatif import StoredAnswers, rescore

LABELS = ("No", "In part", "Yes")
SCALE = Scale(
    id="scale",
    name="Yes or no",
    levels=tuple(
        Level(id=f"level-{place}", label=label, normalized_value=place / 2, sequence=place)
        for place, label in enumerate(LABELS)
    ),
)


def tree(count: int, fan: int = 6) -> VersionSnapshot:
    """A draft of so many nodes, groups of ``fan`` within groups, every level with an anchor."""
    nodes: list[Node] = []

    def grow(parent: str | None, left: int, sequence: int) -> None:
        place = len(nodes)
        leaf = left <= 1
        anchors = tuple(
            Anchor(scale_level_id=f"level-{level}", descriptor=f"What level {level} means for node {place}.")
            for level in range(len(LABELS))
        )
        nodes.append(
            Node(
                id=f"00000000-0000-4000-8000-{place:012}",
                key=f"node-{place}",
                parent_id=parent,
                name=f"Node {place} of a large rubric",
                node_type=NodeType.CRITERION if leaf else NodeType.GROUP,
                scale_id="scale" if leaf else None,
                weight=1 + place % 3,
                sequence=sequence,
                anchors=anchors if leaf else (),
            )
        )
        children = min(fan, left - 1)
        for child in range(children):
            share, rest = divmod(left - 1, children)
            grow(nodes[place].id, share + (child < rest), child)

    grow(None, count, 0)
    return VersionSnapshot(
        id="draft", rubric_name="Large", pass_threshold=0.7, nodes=tuple(nodes), scales=(SCALE,)
    )


def best(call: Callable[[], Any], times: int = 7) -> float:
    """Milliseconds of processor time, the best of several."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        call()
        found.append(time.process_time() - begun)
    return min(found) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2500)
    parser.add_argument("--evaluations", type=int, default=10_000)
    options = parser.parse_args()

    draft = tree(options.nodes)
    answers = fill_random(draft, 1)
    index = DraftIndex()
    index.problems(draft)
    compute(draft, answers)
    leaf = draft.nodes[len(draft.nodes) // 2].id
    weights = iter(range(5, 10_000))

    def changed() -> VersionSnapshot:
        return editing.set_node(draft, leaf, weight=next(weights)).version

    def one_change() -> None:
        version = changed()
        index.problems(version)
        index.shares(version)
        compute(version, answers)

    def all_again() -> None:
        version = msgspec.structs.replace(changed(), id="")
        publish_problems(version)
        weight_shares(version)
        compute(version, answers)

    def moved() -> None:
        version = editing.move(draft, draft.nodes[1].id, 1).version
        version = editing.set_node(version, leaf, weight=next(weights)).version
        index.problems(version)
        index.shares(version)
        compute(version, answers)

    after, anew = best(one_change), best(all_again)
    print(f"{len(draft.nodes)} nodes, {sum(node.is_criterion for node in draft.nodes)} of them criteria")
    print(f"  an edit itself                                 {best(changed):8.2f} ms")
    print(f"  problems, shares, plan and score after one     {after:8.2f} ms")
    print(
        f"  the same with nothing remembered               {anew:8.2f} ms   {anew / after:.1f} times as much"
    )
    print(f"  after a move and a change                      {best(moved):8.2f} ms")

    other = msgspec.structs.replace(
        draft,
        nodes=tuple(msgspec.structs.replace(n, weight=n.weight + 1, name=f"{n.name}!") for n in draft.nodes),
    )
    found = diff_versions(draft, other)
    print(
        f"  diff, one change                               {best(lambda: diff_versions(draft, changed())):8.2f} ms"
    )
    print(
        f"  diff, {len(found.changes):>5} changes                            {best(lambda: diff_versions(draft, other)):8.2f} ms"
    )
    print(
        f"  those put together for people                  {best(lambda: change_groups(found, draft, other)):8.2f} ms"
    )
    mine, theirs = changed(), editing.delete(draft, draft.nodes[2].id).version
    print(
        f"  merge of two people's drafts                   {best(lambda: merge_drafts(draft, mine, theirs)):8.2f} ms"
    )

    small = tree(60)
    keys = [node.key for node in small.nodes if node.is_criterion]
    given = [SampleAnswer(level_id=level.id, level_label=level.label) for level in SCALE.levels]
    rolled = random.Random(1)
    rows = [
        StoredAnswers(evaluation_id=str(number), answers={key: rolled.choice(given) for key in keys})
        for number in range(options.evaluations)
    ]
    heavier = editing.set_node(small, small.nodes[-1].id, weight=9).version
    took = best(lambda: rescore(small, heavier, rows), 3)
    print(f"{options.evaluations} evaluations of {len(keys)} criteria under two versions: {took:.0f} ms")


if __name__ == "__main__":
    main()
