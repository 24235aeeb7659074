"""The score of a draft that is another one after every key, as its author sees it move.

``scoring.compute`` works out a version from nothing. A draft of thousands of nodes changes by a node or by an answer
at a time: here the leaves that changed are read, the groups above them rolled up and shared out anew, with the
functions of ``scoring``, and everything else stays as it was. What comes out is what ``compute`` gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter, is_, is_not

from rubrictui.core.model import Answer, Node, NodeType, ScoredNode, ScoreResult, VersionSnapshot
from rubrictui.core.plan_parts import (
    Group,
    Leaf,
    Reading,
    Rollup,
    Scales,
    Shares,
    check_numbers,
    gate_of,
    group_of,
    read_unanswered,
    rules_of,
)
from rubrictui.core.plan_tree import Folded
from rubrictui.core.scoring import (
    compute,
    group_gate_failed,
    node_row,
    read_or_refuse,
    roll_up,
    take_part,
    verdict,
)
from rubrictui.core.tree import came_and_went, stretch

_BY_KEY = attrgetter("node.key", "node.id")


@dataclass(frozen=True, slots=True)
class LiveScore:
    """What ``compute`` gives, and its rows by node id as written."""

    result: ScoreResult
    rows: Mapping[str, ScoredNode]


class LiveScorer:
    """Scores one state of a draft after the other."""

    def __init__(self) -> None:
        self._board: _Board | None = None

    def score(self, version: VersionSnapshot, answers: Mapping[str, Answer]) -> LiveScore:
        """Score a state of the draft. It costs as much as differs from the state that was scored before.

        Args:
            version: nodes that did not change are the same objects as before.
            answers: one an id, by folded criterion id; those that did not change are the same objects.

        Raises:
            ScoringError: the first illegal answer in walk order, as ``compute``.
            InvalidInputError: a number in the version that cannot be computed with.
        """
        board, self._board = self._board, None  # whatever fails half way is begun anew
        if board is None or not board.reads_alike(version):
            board = _Board(version)
        has_confidence = [answer.confidence for answer in answers.values()].count(None) < len(answers)
        if has_confidence or not board.follow(version):
            result = compute(version, answers.values())
            return LiveScore(result, {row.id: row for row in result.nodes})
        board.read(answers)
        board.settle()
        self._board = board
        return board.told(version)


@dataclass(slots=True, eq=False)
class _Seat:
    """A node that takes part, at a number that it keeps; the version as a whole has number 0."""

    number: int
    node: Node
    own: str
    above: _Seat | None
    leaf: Leaf | None = None
    reading: Reading | None = None
    group: Group | None = None
    children: list[_Seat] = field(default_factory=list)
    rollup: Rollup | None = None

    @property
    def trail(self) -> Iterator[_Seat]:
        """This one and all above it."""
        seat: _Seat | None = self
        while seat is not None:
            yield seat
            seat = seat.above

    @property
    def readings(self) -> Iterator[Reading]:
        """Those of all leaves below, at any depth."""
        waiting = [self]
        while waiting:
            for seat in waiting.pop().children:
                if seat.reading is not None:
                    yield seat.reading
                else:
                    waiting.append(seat)


class _Board:
    """What is known of one state. Lists go by the numbers of seats; free numbers are given again."""

    def __init__(self, version: VersionSnapshot) -> None:
        self._nodes: tuple[Node, ...] = ()
        self._scales, self._policy = version.scales, version.not_applicable_policy
        self._leaves = Scales(version)
        self._fold = Folded()
        self._answers: Mapping[str, Answer] = {}
        whole = Node(id="", key="", node_type=NodeType.GROUP)
        self._whole = _Seat(0, whole, "", None)
        self._seats: dict[str, _Seat] = {"": self._whole}
        self._order: list[int] = []
        self._free: list[int] = []
        self._included = [False]
        self._scores: list[float | None] = [None]
        self._shares = Shares([None], [1.0], [], [])
        self._rows: list[ScoredNode | None] = [None]
        self._by_id: dict[str, ScoredNode] = {}
        # By number: leaves whose score counts, those whose answer is lacking, refused or fails the whole, and gates.
        self._counting: set[int] = set()
        self._unanswered: set[int] = set()
        self._failing: set[int] = set()
        self._refused: set[int] = set()
        self._gates: dict[int, _Seat] = {}
        # What is to be looked at again.
        self._unread: set[_Seat] = set()
        self._other_children: set[_Seat] = {self._whole}
        self._other_scores: set[_Seat] = set()
        self._other_rows: set[_Seat] = set()

    def reads_alike(self, version: VersionSnapshot) -> bool:
        """Whether a leaf whose node is the same object reads answers in this version as it did."""
        return (
            version.not_applicable_policy is self._policy
            and len(version.scales) == len(self._scales)
            and all(map(is_, version.scales, self._scales))
        )

    # -- nodes

    def follow(self, version: VersionSnapshot) -> bool:
        """Take the nodes of the next state; False when not all of them take part in the order in which they stand."""
        old, new, fold = self._nodes, version.nodes, self._fold
        first, old_end, new_end = stretch(old, new, fold.__getitem__)
        gone, come = came_and_went(old, new)
        for node in come:
            check_numbers(node)
        kinds = {fold[node.id]: node.node_type for node in come}
        if len(kinds) < len(come) or "" in kinds or not self._walks(new, first, new_end):
            return False
        changed: set[str] = set()
        for node in gone:
            own = fold[node.id]
            if kinds.get(own) is node.node_type:
                changed.add(own)
            else:
                self._drop(self._seats[own])
        for node in come:
            own = fold[node.id]
            if own in self._seats and own not in changed:
                return False  # another node has its id
            self._place(node, own)
        self._other_children = {seat for seat in self._other_children if self._seats.get(seat.own) is seat}
        for seat in self._other_children:
            children = [(child.number, child.node) for child in sorted(seat.children, key=_BY_KEY)]
            seat.group = group_of(seat.node, seat.number, children, (0, 0))
        slots = [self._seats[fold[node.id]].number for node in new[first:new_end]]
        self._order = [*self._order[:first], *slots, *self._order[old_end:]]
        self._nodes = new
        return True

    def _walks(self, nodes: tuple[Node, ...], first: int, end: int) -> bool:
        """Whether the nodes of a stretch stand in walk order among those outside it, which do."""
        fold = self._fold
        trail = self._seats[fold[nodes[first - 1].id]].trail if first else iter(())
        path = [seat.own for seat in trail if seat.leaf is None and seat.own][::-1]
        for node in nodes[first : end + 1]:
            above = fold[node.parent_id] if node.parent_id else ""
            while path and path[-1] != above:
                path.pop()
            if above and not path:
                return False
            if node.node_type is not NodeType.CRITERION:
                path.append(fold[node.id])
        return True

    def _place(self, node: Node, own: str) -> None:
        """Seat a node that came, or that says something else now."""
        above = self._seats[self._fold[node.parent_id] if node.parent_id else ""]
        seat = self._seats.get(own)
        if seat is None:
            seat = self._seats[own] = _Seat(self._free.pop() if self._free else self._more(), node, own, None)
        else:
            self._leave(seat)
        seat.node, seat.above = node, above
        above.children.append(seat)
        self._other_children.add(above)
        self._other_rows.add(seat)
        if node.node_type is NodeType.CRITERION:
            seat.leaf = self._leaves.leaf(node)
            self._unread.add(seat)
        else:
            self._other_children.add(seat)
        if gate_of(node) is not None:
            self._gates[seat.number] = seat

    def _more(self) -> int:
        number = len(self._rows)
        for values in (self._scores, self._shares.effective, self._shares.path):
            values.append(None)
        self._rows.append(None)
        self._included.append(False)
        return number

    def _leave(self, seat: _Seat) -> None:
        """Take a node out of its group."""
        if seat.above is not None:
            seat.above.children.remove(seat)
            self._other_children.add(seat.above)
        self._gates.pop(seat.number, None)
        self._by_id.pop(seat.node.id, None)

    def _drop(self, seat: _Seat) -> None:
        """Free the seat of a node that is gone."""
        self._leave(seat)
        del self._seats[seat.own]
        number = seat.number
        for numbers in (self._counting, self._unanswered, self._failing, self._refused):
            numbers.discard(number)
        for seats in (self._unread, self._other_children, self._other_scores, self._other_rows):
            seats.discard(seat)
        self._included[number] = False
        self._scores[number] = self._shares.effective[number] = self._shares.path[number] = None
        self._rows[number] = None
        self._free.append(number)

    # -- answers

    def read(self, answers: Mapping[str, Answer]) -> None:
        """Read the answers to leaves that changed, and those that changed themselves."""
        before = self._answers
        if answers is not before:
            owns = [*compress(answers, map(is_not, map(before.get, answers), answers.values()))]
            owns += before.keys() - answers.keys()
            seats = [seat for own in owns if (seat := self._seats.get(own)) is not None]
            self._unread.update([seat for seat in seats if seat.leaf is not None])
            self._answers = answers
        for seat in self._unread:
            leaf, answer = seat.leaf, answers.get(seat.own)
            assert leaf is not None
            reading = read_unanswered(leaf) if answer is None else read_or_refuse(leaf, answer)
            seat.reading = reading
            number = seat.number
            self._included[number], self._scores[number] = reading.counts, reading.score
            for numbers, holds in (
                (self._counting, reading.counts),
                (self._unanswered, reading.unanswered),
                (self._failing, reading.fails_evaluation),
                (self._refused, reading.refusal is not None),
            ):
                (numbers.add if holds else numbers.discard)(number)
            self._other_rows.add(seat)
            if seat.above is not None:
                self._other_scores.add(seat.above)
        self._unread = set()

    # -- scores

    def settle(self) -> None:
        """Roll up the groups with other children or other scores in them, and share out what is below them."""
        touched = {seat for each in self._other_children | self._other_scores for seat in each.trail}
        upwards = sorted(touched, key=lambda seat: len(list(seat.trail)), reverse=True)
        for seat in upwards:
            seat.rollup, self._scores[seat.number] = None, None
        rollups = take_part([seat.group for seat in upwards if seat.group is not None], self._included)
        roll_up(rollups, self._scores)
        at = {seat.number: seat for seat in touched}
        for rollup in rollups:
            at[rollup[0].number].rollup = rollup
        waiting = upwards[::-1]  # no group before the one above it
        for seat in waiting:  # it grows by groups to which another path leads now
            waiting += self._spread(seat, touched)
        # A group without a score may fail its gate for a leaf at any depth.
        gates = {
            seat for seat in self._gates.values() if seat.leaf is None and self._scores[seat.number] is None
        }
        for seat in self._other_rows | touched | gates:
            if seat.above is not None:
                self._rows[seat.number] = self._by_id[seat.node.id] = self._row(seat)
        self._other_children, self._other_scores, self._other_rows = set(), set(), set()

    def _spread(self, seat: _Seat, touched: set[_Seat]) -> list[_Seat]:
        """Give the children of a group their shares; the groups among them whose own children need others now."""
        effective, path = self._shares.effective, self._shares.path
        given: dict[int, tuple[float | None, float | None]] = {}
        if seat.rollup is not None:
            group, parts, cut = seat.rollup
            paths = cut.paths(path[seat.number] if group.best is None else None)
            shares = zip(cut.effective, paths, strict=True)
            given = {number: pair for (number, _), pair in zip(parts, shares, strict=True)}
        following = []
        for child in seat.children:
            number = child.number
            share, part = given.get(number, (None, None))
            if effective[number] == share and path[number] == part:
                continue
            if path[number] != part and child.leaf is None and child not in touched:
                following.append(child)
            effective[number], path[number] = share, part
            self._other_rows.add(child)
        return following

    def _row(self, seat: _Seat) -> ScoredNode:
        gate, reading = gate_of(seat.node), seat.reading
        if reading is None:
            score = self._scores[seat.number]
            failed = gate is not None and group_gate_failed(gate, score, seat.readings)
            return node_row(seat.number, seat.node, self._scores, self._shares, gate_failed=failed)
        return node_row(
            seat.number,
            seat.node,
            self._scores,
            self._shares,
            gate_failed=reading.gate_failed,
            not_applicable=reading.not_applicable,
        )

    def told(self, version: VersionSnapshot) -> LiveScore:
        """The result of the state that was settled."""
        rules = rules_of(version)
        if self._refused:
            seats = [self._seats[self._fold[node.id]] for node in self._nodes]
            readings = [seat.reading for seat in seats if seat.number in self._refused]
            raise next(reading.refusal for reading in readings if reading is not None and reading.refusal)
        rows = self._rows
        result = verdict(
            rules,
            self._scores[0],
            scored=len(self._counting),
            unanswered=len(self._unanswered),
            gate_failed=any(row.gate_failed for number in self._gates if (row := rows[number]) is not None),
            not_applicable_failure=bool(self._failing),
            confidence=None,
            pass_threshold=None,
            nodes=tuple(filter(None, map(rows.__getitem__, self._order))),
        )
        return LiveScore(result, self._by_id.copy())
