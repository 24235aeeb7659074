"""``worker``: runs the evaluations that ``evaluate --all --enqueue`` queued in a store on PostgreSQL."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrictui.cli._output import Output, counted, number
from rubrictui.cli._parser import Commands

if TYPE_CHECKING:
    from rubrictui.engine.worker import JobDone


def register(commands: Commands) -> None:
    parser = commands.add(
        "worker",
        "run queued evaluations, on PostgreSQL",
        run,
        description="Run the evaluations that evaluate --all --enqueue queued, a few at a time, until it is "
        "interrupted; a running one is finished first. Start as many workers on as many machines as you like: "
        "each job is run once. Jobs of other users are run in their names, which takes administer_evaluations. A store "
        "in a file has no queue: there evaluate --all does the work itself. Needs rubrictui[worker].",
        examples=["rubrictui worker --db postgresql://db.example/rubrics", "rubrictui worker --once"],
    )
    parser.add_argument(
        "--concurrency", metavar="COUNT", type=int, default=4, help="so many at a time, 1 to 256 (4)"
    )
    parser.add_argument("--once", action="store_true", help="end when no job is left")


def job_words(job: JobDone) -> str:
    """One line about a job: the subject by its title, by its id where it is gone."""
    from rubrictui.core.display import visible

    subject = visible(job.title or job.subject, newlines=False)
    return f"{subject}: {job.status}" + (f": {job.message}" if job.message else "")


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.engine.worker import work

    done: list[JobDone] = []

    def told(job: JobDone) -> None:
        done.append(job)
        if output.json:
            output.line(job)
        else:
            output.text(job_words(job))
        output.flush()

    with open_engine(options) as engine:
        work(engine, options.db, concurrency=options.concurrency, wait=not options.once, told=told)
    failed = sum(job.status == "failed" for job in done)
    stopped = sum(job.status == "stopped" for job in done)
    cost = sum(job.cost for job in done)
    output.say(
        f"{counted(len(done), 'job')} run, {failed} failed"
        + (f", {stopped} left: the budget is spent" if stopped else "")
        + (f", cost {number(cost, 4)}" if cost else "")
        + "."
    )
    return 1 if failed or stopped else 0
