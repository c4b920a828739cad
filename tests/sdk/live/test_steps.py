"""Steps that may be sent again, steps that may not, and 128 of them in one call."""

import pytest
from gertlabs import ConflictError, NotFoundError

from episodes import drop, legal, play_columns, random_player, reset_against_league, reset_self_play


def test_a_step_that_was_applied_replays(client, run_id):
    start = reset_against_league(client, run_id, "connect_four", seed=1)
    episode_id, tick = start["episode_id"], start["tick"]
    first = client.rollout_runs.step(run_id, episode_id, drop(3), expected_tick=tick)
    assert client.rollout_runs.step(run_id, episode_id, drop(3), expected_tick=tick) == first
    assert client.rollout_runs.get_episode(run_id, episode_id)["tick"] == first["tick"] > tick


def test_the_last_step_replays_though_its_episode_is_closed(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    before = play_columns(client, run_id, episode, [0, 1, 0, 1, 0, 1])
    last = {"actions": {"p0": drop(0)}, "expected_tick": before["tick"]}
    end = client.rollout_runs.step(run_id, episode["episode_id"], **last)
    assert end["done"] and end["outcomes"] == {"p0": "won", "p1": "lost"} and end["ranks"] == {"p0": 1, "p1": 2}
    assert end["scores"] == {"p0": 100, "p1": 0} and end["rewards"] == {"p0": 50, "p1": -50}
    assert end["completion_reason"] == "game_complete"
    assert client.rollout_runs.step(run_id, episode["episode_id"], **last) == end
    with pytest.raises(NotFoundError) as gone:
        client.rollout_runs.get_episode(run_id, episode["episode_id"])
    assert gone.value.code == "EPISODE_NOT_FOUND"


def test_a_wrong_tick_is_a_conflict_and_applies_nothing(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    state = play_columns(client, run_id, episode, [3, 3])
    for tick in (0, 7):
        with pytest.raises(ConflictError) as conflict:
            client.rollout_runs.step(run_id, episode["episode_id"], actions={"p0": drop(3)}, expected_tick=tick)
        assert conflict.value.status == 409 and conflict.value.request_id
    assert client.rollout_runs.get_episode(run_id, episode["episode_id"])["tick"] == state["tick"] == 2


def test_without_a_tick_every_step_counts(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    for tick, seat in enumerate(["p0", "p1"]):
        state = client.rollout_runs.step(run_id, episode["episode_id"], actions={seat: drop(3)})
        assert state["tick"] == tick + 1


def test_off_turn_actions_are_skipped(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    state = client.rollout_runs.step(
        run_id, episode["episode_id"], actions={"p0": drop(3), "p1": drop(3)}, expected_tick=0)
    assert state["observations"]["p0"]["column_heights"] == [0, 0, 0, 1, 0, 0, 0]
    assert state["on_turn_seats"] == ["p1"] and not state.get("failed_seats")


def test_one_unknown_episode_fails_its_entry_and_no_other(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    steps = [
        {"episode_id": "no_such_episode", "action": drop(0)},
        {"episode_id": episode["episode_id"], "actions": {"p0": drop(3)}, "expected_tick": 0},
        {"episode_id": episode["episode_id"], "actions": {"p0": drop(3)}, "expected_tick": 30},
    ]
    unknown, applied, conflict = client.rollout_runs.step_batch(run_id, steps)
    assert not unknown["ok"] and unknown["error"]["code"] == "EPISODE_NOT_FOUND"
    assert unknown["episode_id"] == "no_such_episode"
    assert applied["ok"] and applied["tick"] == 1
    assert not conflict["ok"] and conflict["error"]["code"] == "STEP_CONFLICT"


def test_128_episodes_are_stepped_in_one_call(client, open_run):
    """One loop over a batch, as the README's "Vectorized loops" has it, until all episodes are over."""
    run_id = open_run(max_episodes=128, max_ticks_per_episode=100)
    parent = reset_self_play(client, run_id, "connect_four", seed=9)
    episodes = [parent, *client.rollout_runs.fork_batch(run_id, parent["episode_id"], 127)]
    live = {episode["episode_id"]: episode for episode in episodes}
    assert len(live) == 128
    act, scores, batches = random_player(9), [], 0
    while live:
        steps = []
        for episode_id, state in live.items():
            (seat,) = state["on_turn_seats"]
            steps.append({"episode_id": episode_id, "actions": {seat: act(state["observations"][seat])},
                          "expected_tick": state["tick"]})
        results = client.rollout_runs.step_batch(run_id, steps)
        if batches == 1:
            assert client.rollout_runs.step_batch(run_id, steps) == results, "a resent batch replays"
        assert [result["episode_id"] for result in results] == [step["episode_id"] for step in steps]
        assert all(result["ok"] for result in results)
        scores += [result["scores"]["p0"] for result in results if result["done"]]
        live = {result["episode_id"]: result for result in results if not result["done"]}
        batches += 1
    assert len(scores) == 128 and 7 <= batches <= 42
    assert set(scores) <= {0, 50, 100} and len(set(scores)) > 1, "random games do not all end alike"


def test_a_batch_holds_128_at_most(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    step = {"episode_id": episode["episode_id"], "actions": {"p0": drop(3)}, "expected_tick": 0}
    with pytest.raises(Exception) as refused:
        client.rollout_runs.step_batch(run_id, [step] * 129)
    assert refused.value.status == 400
    assert client.rollout_runs.get_episode(run_id, episode["episode_id"])["tick"] == 0


def test_a_simultaneous_game_takes_all_seats_at_once(client, run_id):
    start = reset_self_play(client, run_id, "grid_serpents", 2, seed=4)
    assert start["on_turn_seats"] == ["p0", "p1"]
    actions = {seat: legal(start["observations"][seat])[0] for seat in start["on_turn_seats"]}
    state = client.rollout_runs.step(run_id, start["episode_id"], actions=actions, expected_tick=0)
    assert state["tick"] == 1 and set(state["rewards"]) == {"p0", "p1"}
