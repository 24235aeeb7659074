"""A matter as a `gymnasium` environment (extra ``rubrictui[gym]``): what an episode does, under the usual names.

Actions and observations are JSON objects, the same that ``Episode`` takes and gives, so their spaces say just that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rubrictui.ground.errors import RubrictuiError
from rubrictui.matters.episode import Episode
from rubrictui.matters.loading import Matter

try:
    import gymnasium
except ImportError:  # the extra is not installed
    raise RubrictuiError(
        "gymnasium is not installed.",
        remedy="Install it: pip install 'rubrictui[gym]'.",
        code="extra_missing",
    ) from None


class JsonObject(gymnasium.Space[dict[str, Any]]):
    """The space of JSON objects. ``sample`` draws among the examples it is given."""

    def __init__(self, examples: list[dict[str, Any]], seed: int | None = None) -> None:
        super().__init__(None, None, seed)
        self.examples = examples

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A copy of one of the examples, drawn with the space's own random numbers."""
        del mask, probability
        return dict(self.examples[int(self.np_random.integers(len(self.examples)))])

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a mapping that JSON can hold."""
        if not isinstance(x, dict):
            return False
        try:
            msgspec.json.encode(x)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return False
        return True


class MatterEnv(gymnasium.Env[dict[str, Any], Any]):
    """One matter; ``reset`` begins a new episode on it.

    Args:
        matter: a loaded matter, or the directory of one.
        render_mode: ``"ansi"`` to have ``render`` give the last result as text.

    Raises:
        InvalidInputError: the matter cannot be loaded, or has problems.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012 - gymnasium's own declaration

    def __init__(self, matter: Matter | str | Path, render_mode: str | None = None) -> None:
        self.matter = matter if isinstance(matter, Matter) else Matter.from_directory(matter)
        self.render_mode = render_mode
        self.episode = Episode(self.matter)
        readings = [{"type": "read_document", "document_id": name} for name in self.matter.documents]
        self.action_space = JsonObject([*readings, {"type": "submit_final", "summary": ""}])
        self.observation_space = JsonObject([self.episode.observation])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new episode. ``options`` is not used."""
        super().reset(seed=seed, options=options)
        self.episode = Episode(self.matter, seed=seed or 0)
        return self.episode.observation, {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """As ``Episode.step``; ``info["result"]`` holds the score once the episode has ended.

        Raises:
            EpisodeEnded: the episode had ended before.
            GateTimeoutError: a critical-failure pattern ran out of time.
        """
        observation, reward, terminated, truncated, info = self.episode.step(action)
        if terminated or truncated:
            info["result"] = self.episode.result()
        return observation, reward, terminated, truncated, info

    def render(self) -> Any:
        """The last result as indented JSON in mode ``ansi``; None otherwise."""
        if self.render_mode != "ansi":
            return None
        last = self.episode.observation["last_result"]
        return msgspec.json.format(msgspec.json.encode(last), indent=2).decode()
