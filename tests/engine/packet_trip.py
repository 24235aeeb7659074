"""A packet on its way: exported from a world's store, worked on in another, and returned."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from engine_world import World, answers

from rubrictui.core.model import Answer, Evidence, EvidenceKind
from rubrictui.core.records import EvaluationDetail, Subject
from rubrictui.core.rounds import RoundRules
from rubrictui.engine import Engine
from rubrictui.engine.packet_records import PacketReport
from rubrictui.engine.packets_work import open_work, work_engine
from rubrictui.interchange.packets import Packet, packet_bytes, read_packet

change = msgspec.structs.replace
ROUND = "Round/spring"
BEES = Subject(
    id="s-bees", entity="Paper", record_id="bees", title="Bees", text="Bees dance.", data={"pages": 4}
)
QUOTE = Evidence(kind=EvidenceKind.QUOTE, text="gauges agree", source="text")


def said(**given: Any) -> tuple[Answer, ...]:
    """Answers that can be submitted, by criterion key."""
    return tuple(change(answer, rationale="I read it.") for answer in answers(**given))


def fixed_ids() -> Callable[[], str]:
    count = itertools.count()
    return lambda: f"00000000-0000-4000-8000-{next(count):012d}"


def set_up(world: World, *, rules: RoundRules | None = None, subjects: tuple[str, ...] = ("tides",)) -> None:
    """A round in which rita scores these papers."""
    if "bees" in subjects:
        world.chief.add_subjects([BEES])
    world.chief.open_round("spring", rubric="Paper review", name="Spring", pin=False, rules=rules)
    for name in subjects:
        assign(world, name, "rita")


def assign(world: World, subject: str, user: str) -> str:
    made = world.chief.assign(subject=f"Paper/{subject}", rubric="Paper review", user=user, context=ROUND)
    return made.id


def score(
    engine: Engine, subject: str = "tides", *, submit: bool = True, **given: Any
) -> EvaluationDetail | str:
    """Begin or go on with a draft; submit it or give back its id."""
    draft = engine.open_draft(subject=f"Paper/{subject}", rubric="Paper review", context=ROUND)
    for answer in said(**given):
        engine.save_answer(draft.evaluation.id, answer)
    return engine.submit(draft.evaluation.id) if submit else draft.evaluation.id


class Trip:
    """One packet for rita, exported now, and the store in which she works on it."""

    def __init__(
        self, world: World, folder: Path, *, by: Engine | None = None, name: str = "away", **options: Any
    ) -> None:
        self.world = world
        self.exporter = by or world.chief
        self.packet = self.exporter.export_packet("spring", "rita", **options)
        self.path = folder / f"{name}.work.db"
        data = packet_bytes(self.packet, sign=False)
        assert open_work(data, self.path, where="rita.packet", clock=world.clock)

    def work(self) -> Engine:
        return work_engine(self.path)

    def score(self, subject: str = "tides", *, submit: bool = True, **given: Any) -> str:
        """Score in the packet; the evaluation's id."""
        with self.work() as engine:
            done = score(engine, subject, submit=submit, **given)
        return done if isinstance(done, str) else done.evaluation.id

    def back(self) -> Packet:
        """What she returns, through its file."""
        with self.work() as engine:
            returned = engine.return_packet().packet
        return read_packet(packet_bytes(returned, sign=False), where="rita.return.packet")

    def take_in(self, packet: Packet | None = None, *, dry_run: bool = False) -> PacketReport:
        return self.world.chief.import_packet(packet or self.back(), dry_run=dry_run)


def outcomes(report: PacketReport) -> dict[str, str]:
    """What became of each subject."""
    return {item.subject_title: item.took.value for item in report.items}
