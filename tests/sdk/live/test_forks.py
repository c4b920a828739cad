"""Forks: one snapshot, all or nothing, and a key that makes a lost answer harmless."""

import pytest
from gertlabs import ConflictError, NotFoundError

from episodes import drop, play_columns, reset_against_league, reset_self_play


def used(client, run_id):
    return next(run for run in client.rollout_runs.list() if run["run_id"] == run_id)["episodes_used"]


def test_a_fork_goes_on_where_its_parent_stands(client, run_id):
    parent = reset_self_play(client, run_id, "connect_four", seed=1)
    play_columns(client, run_id, parent, [3, 3, 2])
    fork = client.rollout_runs.fork(run_id, parent["episode_id"])
    assert fork["episode_id"] != parent["episode_id"] and fork["on_turn_seats"] == ["p1"]
    assert fork["tick"] == 0, "a fork meters its own ticks"
    assert fork["observations"]["p1"]["column_heights"] == [0, 0, 1, 2, 0, 0, 0]
    play_columns(client, run_id, fork, [6])
    # The parent does not notice.
    state = client.rollout_runs.step(run_id, parent["episode_id"], actions={"p1": drop(0)}, expected_tick=3)
    assert state["observations"]["p0"]["column_heights"] == [1, 0, 1, 2, 0, 0, 0]


def test_a_repeated_key_gives_the_same_children(client, run_id):
    parent = reset_self_play(client, run_id, "connect_four", seed=1)
    play_columns(client, run_id, parent, [3])
    first = client.rollout_runs.fork_batch(run_id, parent["episode_id"], 4, op_key="my-key")
    again = client.rollout_runs.fork_batch(run_id, parent["episode_id"], 4, op_key="my-key")
    assert [fork["episode_id"] for fork in again] == [fork["episode_id"] for fork in first]
    assert len({fork["episode_id"] for fork in first}) == 4 and used(client, run_id) == 5
    assert all(fork["observations"] == first[0]["observations"] for fork in first)
    with pytest.raises(ConflictError) as other_count:
        client.rollout_runs.fork_batch(run_id, parent["episode_id"], 3, op_key="my-key")
    assert other_count.value.code == "CONFLICT" and used(client, run_id) == 5
    # Keys belong to one parent; without a key the SDK makes one.
    other = reset_self_play(client, run_id, "connect_four", seed=2)
    assert len(client.rollout_runs.fork_batch(run_id, other["episode_id"], 3, op_key="my-key")) == 3
    assert len(client.rollout_runs.fork_batch(run_id, other["episode_id"], 2)) == 2
    assert used(client, run_id) == 11


def test_a_batch_that_the_run_cannot_hold_consumes_nothing_until_it_is_extended(client, open_run):
    run_id = open_run(max_episodes=4, max_ticks_per_episode=50)
    parent = reset_self_play(client, run_id, "connect_four")
    with pytest.raises(ConflictError) as exhausted:
        client.rollout_runs.fork_batch(run_id, parent["episode_id"], 4)
    assert exhausted.value.code == "RUN_EXHAUSTED" and used(client, run_id) == 1
    assert client.rollout_runs.extend(run_id, additional_episodes=1)["max_episodes"] == 5
    assert len(client.rollout_runs.fork_batch(run_id, parent["episode_id"], 4)) == 4
    for start in (lambda: client.rollout_runs.fork(run_id, parent["episode_id"]),
                  lambda: reset_self_play(client, run_id, "connect_four")):
        with pytest.raises(ConflictError) as exhausted:
            start()
        assert exhausted.value.code == "RUN_EXHAUSTED"


def test_an_episode_with_league_opponents_cannot_be_forked(client, run_id):
    parent = reset_against_league(client, run_id, "connect_four")
    for fork in (client.rollout_runs.fork, lambda *ids: client.rollout_runs.fork_batch(*ids, 2)):
        with pytest.raises(ConflictError) as refused:
            fork(run_id, parent["episode_id"])
        assert refused.value.code == "FORK_UNSUPPORTED"
    assert used(client, run_id) == 1


def test_closing_tells_what_was_played_and_a_second_time_finds_nothing(client, run_id):
    parent = reset_self_play(client, run_id, "connect_four")
    play_columns(client, run_id, parent, [3, 3])
    fork = client.rollout_runs.fork(run_id, parent["episode_id"])
    assert client.rollout_runs.close_episode(run_id, fork["episode_id"]) == {
        "episode_id": fork["episode_id"], "ticks_used": 0}
    assert client.rollout_runs.close_episode(run_id, parent["episode_id"])["ticks_used"] == 2
    for episode_id in (fork["episode_id"], "no_such_episode"):
        with pytest.raises(NotFoundError) as gone:
            client.rollout_runs.close_episode(run_id, episode_id)
        assert gone.value.code == "EPISODE_NOT_FOUND"
    with pytest.raises(NotFoundError):
        client.rollout_runs.fork(run_id, parent["episode_id"])
