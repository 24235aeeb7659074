"""``matter play``: an episode from standard input, a line an action."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TextIO

import msgspec

from rubrictui.cli._input import STDIN, read_lines
from rubrictui.cli._matter_input import matter_folder, matter_of
from rubrictui.cli._matter_words import (
    HELP,
    CommandError,
    action_of,
    change_lines,
    opening_lines,
    result_lines,
)
from rubrictui.cli._output import Output, counted, number
from rubrictui.ground.errors import InvalidInputError, RubrictuiError
from rubrictui.matters.episode import Episode
from rubrictui.matters.metrics import episode_metrics

PROMPT = "> "


def run(options: argparse.Namespace, output: Output) -> int:
    if not (options.lines or options.record or output.json) and _on_a_terminal():
        return _open_player(options)
    episode = Episode(matter_of(options.matter), seed=options.seed)
    player = _Player(episode, output, rewards=options.rewards, record=_record(options.record))
    try:
        player.open()
        for line in _lines(output):
            player.take(line)
            output.flush()
            if episode.ended or player.left:
                break
    finally:
        player.close()
    player.end()
    return int(player.refused > 0)


def _on_a_terminal() -> bool:
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _open_player(options: argparse.Namespace) -> int:
    """The player on the whole terminal. The work is opened first, so that what is wrong is one line here."""
    from rubrictui.app import run as open_app
    from rubrictui.screens.matter_player import open_player

    player = open_player(matter_folder(options.matter), anew=options.anew, seed=options.seed)
    if options.rewards:
        player.session.practice = True
    return open_app(first=lambda: player, no_mouse=options.no_mouse or None)


class _Player:
    """Turns lines into steps and tells what came of each."""

    def __init__(self, episode: Episode, output: Output, *, rewards: bool, record: TextIO | None) -> None:
        self.episode = episode
        self.output = output
        self.rewards = rewards
        self.refused = 0
        self.left = False
        self._record = record

    def open(self) -> None:
        if self.output.json:
            self.output.line({"observation": self.episode.observation})
        else:
            self.output.text(*opening_lines(self.episode.observation), "")
            self.output.say("Type help for the commands. Ctrl+D leaves.")
        self.output.flush()

    def take(self, line: str) -> None:
        """One line: a command of the player, or an action."""
        word = line.split(None, 1)[0].casefold() if line.strip() else ""
        if not word:
            return
        if word in ("quit", "exit"):
            self.left = True
        elif word == "help" and not self.output.json:
            self.output.text(*HELP)
        elif word == "state" and not self.output.json:
            self.output.text(*opening_lines(self.episode.observation))
        else:
            self._act(line)

    def _act(self, line: str) -> None:
        try:
            action = action_of(line)
        except CommandError as error:
            self.refused += 1
            if self.output.json:
                self.output.line({"error": {"kind": error.code, "key": None, "message": str(error)}})
            else:
                self.output.say(str(error))
            return
        before = self.episode.observation
        observation, reward, terminated, truncated, _ = self.episode.step(action)
        if self._record is not None:
            self._record.write(msgspec.json.encode(action).decode() + "\n")
            self._record.flush()
        if self.output.json:
            self.output.line(
                {
                    "observation": {
                        key: value for key, value in observation.items() if before.get(key) != value
                    },
                    "reward": reward,
                    "terminated": terminated,
                    "truncated": truncated,
                }
            )
            return
        self.output.text(*result_lines(observation["last_result"]), *change_lines(before, observation))
        if self.rewards:
            self.output.text(f"reward {number(reward, 4)}")
        self.output.text("")

    def close(self) -> None:
        if self._record is not None:
            self._record.close()

    def end(self) -> None:
        """The score, when the episode has ended; else how it stands open."""
        if not self.episode.ended:
            left = self.episode.budgets["steps"] or 0
            self.output.say(
                f"The episode is not finished: {counted(left, 'step')} left, no final submission."
            )
            return
        result = self.episode.result()
        if self.output.json:
            metrics = msgspec.structs.asdict(episode_metrics(self.episode.matter, result))
            self.output.line({"result": {**result, "metrics": metrics}})
            return
        critical = "; critical failure" if result["critical_failure"] else ""
        self.output.text(
            f"{'Submitted' if result['terminated'] else 'Out of steps'}: normalized score "
            f"{number(result['normalized_score'], 4)} ({number(result['raw_score'], 4)} of "
            f"{number(result['max_score'], 4)}){critical}"
        )


def _record(name: str | None) -> TextIO | None:
    if name is None:
        return None
    try:
        return open(name, "x", encoding="utf-8")
    except FileExistsError:
        raise RubrictuiError(
            f"{name} is there already.", remedy="Give --record a new name.", code="exists"
        ) from None
    except OSError as error:
        raise InvalidInputError(
            f"{name} cannot be written: {error.strerror or error}.", remedy="Check the folder."
        ) from None


def _lines(output: Output) -> Iterator[str]:
    """Lines of standard input, as they come; with a prompt when a person types them."""
    if not sys.stdin.isatty():
        for _, line in read_lines(STDIN):
            yield line.decode("utf-8", "replace").rstrip("\r\n")
        return
    # A key sequence that is no text must not end the episode.
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    while True:
        try:
            yield input("" if output.json else PROMPT)
        except EOFError:
            return
