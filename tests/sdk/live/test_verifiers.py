"""`gertlabs.verifiers_env`: the adapter for the `verifiers` framework, driven by the framework's own rollout loop.

Skipped where `verifiers` is not installed; a made-up model answers.
"""

import asyncio
import json

import pytest

vf = pytest.importorskip("verifiers")

from gertlabs.verifiers_env import load_environment  # noqa: E402

from episodes import OLD  # noqa: E402

pytestmark = pytest.mark.skipif(OLD, reason="the adapter's contract is that of 3.4.0")


class FirstLegal(vf.Client):
    """Plays the first action that the last message lists; keeps what it was shown."""

    def __init__(self):
        self.prompts = []

    def setup_client(self, config):
        raise NotImplementedError

    async def to_native_tool(self, tool):
        raise NotImplementedError

    async def to_native_prompt(self, messages):
        raise NotImplementedError

    async def get_native_response(self, *args, **settings):
        raise NotImplementedError

    async def raise_from_native_response(self, response):
        raise NotImplementedError

    async def from_native_response(self, response):
        raise NotImplementedError

    async def close(self):
        pass

    async def get_response(self, prompt, model, sampling_args, tools=None, **settings):
        self.prompts.append(prompt)
        board = json.loads(text_of(prompt[-1]).split("```json\n", 1)[1].split("\n```", 1)[0])
        column = next(column for column in (3, 2, 4, 1, 5, 0, 6) if column in board["legal_columns"])
        answer = json.dumps([{"action": "drop", "column": column}])
        message = vf.ResponseMessage(content=answer, finish_reason="stop", is_truncated=False)
        return vf.Response(id="r", created=0, model=model, message=message)


def text_of(message):
    return message["content"] if isinstance(message, dict) else message.content


def test_an_episode_through_the_frameworks_own_loop(client):
    model = FirstLegal()
    env = load_environment(game="connect_four", client=client, opponent_seats=1, max_episodes=3, num_tasks=2)
    try:
        given = {"prompt": [], "example_id": 0, "info": {"seed": 3}}
        state = asyncio.run(env.rollout(given, model, "made-up"))
    finally:
        env.close()
    # Each turn is shown alone: the rules, and what the seat sees now.
    assert model.prompts and all(len(prompt) == 2 for prompt in model.prompts)
    assert len(model.prompts) == len(state["trajectory"])
    usage = client.billing.usage()
    assert next(iter(usage))["kind"] == "rollout_run"
