"""The README's rollout examples as printed. What they leave to the reader is supplied: a model, an episode, actions."""

import os
import re
from pathlib import Path

import pytest

from episodes import OLD, drop, play_columns, random_player, reset_self_play


@pytest.fixture(scope="module")
def examples():
    """The code of the section, in order: the loop, the verifiers adapter, scoring on policy."""
    (readme,) = Path(os.environ["GERT_SDK_SDIST"]).glob("README.md")
    section = re.search(r"^## RL rollouts.*?(?=^## )", readme.read_text(), re.DOTALL | re.MULTILINE)
    examples = re.findall(r"^```python\n(.*?)^```", section.group(), re.DOTALL | re.MULTILINE)
    assert len(examples) == 3
    return examples


def test_the_loop(examples, capsys):
    prompts = []

    def my_model(prompt=None, *, system=None, user=None):
        prompts.append((system, user or prompt))
        return "Checking is free:\n```json\n[]\n```"

    assert 'game="pot_limit_omaha_hilo"' in examples[0] and "my_model(" in examples[0]
    exec(compile(examples[0], "README.md, RL rollouts", "exec"), {"my_model": my_model})
    assert re.fullmatch(r"-?[\d.]+(e-?\d+)? (won|lost|draw)\n", capsys.readouterr().out)
    system, user = prompts[0]
    assert '"hand"' in user and user.endswith("Respond with JSON only.")
    assert OLD or system.endswith("Respond with JSON only.") and "Omaha" in system


def test_scoring_on_policy(client, examples, open_run):
    assert "score_actions_on_policy(" in examples[2]
    run_id = open_run(max_episodes=1000)
    episode = reset_self_play(client, run_id, "connect_four", seed=1, min_percentile=0.0, max_percentile=0.4)
    play_columns(client, run_id, episode, [3, 3, 3, 3, 2, 4])
    given = {
        "client": client, "run_id": run_id, "episode_id": episode["episode_id"], "act": random_player(1),
        "a1": drop(2), "a2": drop(4), "a3": drop(0),
    }
    exec(compile("from gertlabs import rollouts\n" + examples[2], "README.md, on policy", "exec"), given)
    assert given["best"]["action_rank"] == 1 and given["best"]["samples"] == 8
    assert client.rollout_runs.get_episode(run_id, episode["episode_id"])["tick"] == 7, "the main line has moved on"
