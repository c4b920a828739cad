"""The official Python SDK, unmodified, against a running arena: what its READMEs show and its docstrings promise.

`.ci/sdk-live.sh` runs this with the interpreter of each SDK version; GERT_BASE_URL and GERT_API_KEY name the arena.
Nothing is skipped when the arena cannot be reached: the first request fails, and with it every test.
"""

import pytest
from gertlabs import GertClient


@pytest.fixture(scope="session")
def client():
    with GertClient(timeout=60) as client:
        client.billing.balance()
        yield client


@pytest.fixture
def open_run(client):
    """Opens runs as `rollout_runs.open` does, and closes them after the test, whatever became of it."""
    opened = []

    def open_one(**settings):
        run = client.rollout_runs.open(**settings)
        opened.append(run["run_id"])
        return run["run_id"]

    yield open_one
    for run_id in opened:
        client.rollout_runs.close(run_id)


@pytest.fixture
def run_id(open_run):
    return open_run(max_episodes=50, max_ticks_per_episode=100)
