"""A matter under gymnasium's names."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

from gymnasium.utils.env_checker import check_env
from matter_cases import ISSUE, READ, small_matter

from rubrictui.matters import Episode
from rubrictui.matters.gym import MatterEnv


def test_the_environment_passes_the_checker_of_gymnasium() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(MatterEnv(small_matter(), render_mode="ansi"), skip_render_check=True)


def test_it_gives_what_an_episode_gives() -> None:
    env = MatterEnv(small_matter(), render_mode="ansi")
    episode = Episode(env.matter, seed=4)
    observation, info = env.reset(seed=4)
    assert (observation, info) == (episode.observation, {})
    for action in (READ, ISSUE, {"type": "submit_final", "summary": "Done."}):
        assert env.action_space.contains(action)
        observation, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        assert (observation, reward, terminated, truncated) == episode.step(action)[:4]
    assert info["result"] == episode.result()
    assert json.loads(env.render()) == {"kind": "final_ack"}


def test_gymnasium_is_imported_only_when_it_is_used() -> None:
    code = (
        "import rubrictui.matters as m, sys; m.Matter, m.Episode, m.lint; print('gymnasium' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
