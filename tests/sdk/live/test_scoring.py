"""What an action or a state is worth: by the league's players (`score_actions`, `complete`), and by one's own."""

import math

import pytest
from gertlabs import ConflictError, GertError, rollouts

from episodes import OLD, drop, legal, play_columns, random_player, reset_against_league, reset_self_play

CHEAP = {"min_percentile": 0.0, "max_percentile": 0.4}
# Players that see a line of three and close it.
WATCHFUL = {"min_percentile": 0.4, "max_percentile": 0.7}
STATISTICS = {"min", "max", "mean", "median", "std_dev", "percentiles"}


def record(client, run_id):
    return next(run for run in client.rollout_runs.list() if run["run_id"] == run_id)


def three_in_column_0(client, run_id):
    """p0 to move: column 0 wins at once."""
    episode = reset_self_play(client, run_id, "connect_four", seed=1)
    play_columns(client, run_id, episode, [0, 1, 0, 1, 0, 6])
    return episode["episode_id"]


def check_ranking(result, seat, rows):
    assert result["seat"] == seat and result["total_actions_considered"] == rows == len(result["actions"])
    scored = [row for row in result["actions"] if row["scored"]]
    assert [row["action_rank"] for row in scored] == list(range(1, len(scored) + 1))
    assert [row["score"]["mean"] for row in scored] == sorted((row["score"]["mean"] for row in scored), reverse=True)
    for row in result["actions"]:
        assert row["samples"] == row["scored"] + row["failed"] and STATISTICS <= set(row["score"])
        assert row["failure_rate"] == pytest.approx(row["failed"] / row["samples"])


def test_score_actions_ranks_the_winning_move_first(client, open_run):
    run_id = open_run(max_episodes=60, max_ticks_per_episode=42)
    episode_id = three_in_column_0(client, run_id)
    result = client.rollout_runs.score_actions(
        run_id, episode_id, candidate_actions=[drop(6), drop(0), {"column": 0, "action": "drop"}, drop(9)],
        samples_per_action=12, **WATCHFUL)
    check_ranking(result, "p0", 3)
    best, worse, failed = result["actions"]
    assert best["action"] == {"action": "drop", "column": 0} and best["source"] == "user"
    assert best["score"]["mean"] == 100 and best["win_rate"] == 1 and best["scored"] == 12
    assert worse["score"]["mean"] < 100 and worse["action"]["column"] == 6
    # No such column: every branch of it fails, and a candidate without a sample has no rank.
    assert (failed["failed"], failed["scored"], failed["action_rank"]) == (12, 0, 0)
    assert client.rollout_runs.get_episode(run_id, episode_id)["tick"] == 6, "the episode itself does not move"
    end = client.rollout_runs.step(run_id, episode_id, actions={"p0": [best["action"]]}, expected_tick=6)
    assert end["done"] and end["outcomes"]["p0"] == "won"


def test_score_actions_finds_candidates_by_itself_and_trims(client, open_run):
    run_id = open_run(max_episodes=100, max_ticks_per_episode=42)
    episode_id = three_in_column_0(client, run_id)
    result = client.rollout_runs.score_actions(
        run_id, episode_id, max_actions=7, samples_per_action=2, top_n=3, **CHEAP)
    assert len(result["actions"]) == 3 < result["total_actions_considered"] == 7
    assert result["actions"][0]["action"]["column"] == 0


def test_score_actions_works_with_league_opponents_and_when_all_act_at_once(client, open_run):
    run_id = open_run(max_episodes=60, max_ticks_per_episode=40)
    for start in (reset_against_league(client, run_id, "connect_four", seed=3, **CHEAP),
                  reset_self_play(client, run_id, "grid_serpents", 2, seed=3, max_ticks=20)):
        candidates = legal(start["observation"])[:2]
        result = client.rollout_runs.score_actions(
            run_id, start["episode_id"], candidate_actions=candidates, samples_per_action=3, max_ticks=20)
        check_ranking(result, start["policy_seat"], 2)


def test_score_actions_refuses_seats_that_cannot_act(client, run_id):
    episode = reset_self_play(client, run_id, "connect_four")
    for seat in ("p1", "p7"):
        with pytest.raises(GertError) as refused:
            client.rollout_runs.score_actions(
                run_id, episode["episode_id"], candidate_actions=[drop(3)], seat=seat, samples_per_action=1)
        assert refused.value.status in {400, 409} and "p1" in str(refused.value)
    start = reset_self_play(client, run_id, "grid_serpents", 4, seed=2)
    actions = {seat: legal(start["observations"][seat])[0] for seat in start["on_turn_seats"]}
    client.rollout_runs.step(run_id, start["episode_id"], actions={**actions, "p2": "nonsense"}, expected_tick=0)
    with pytest.raises(GertError) as refused:
        client.rollout_runs.score_actions(
            run_id, start["episode_id"], candidate_actions=[actions["p2"]], seat="p2", samples_per_action=1)
    assert refused.value.code == "SEAT_FAILED"


def test_complete_values_a_state_and_leaves_it_alive(client, open_run):
    """Two-phase rollouts: drive the near horizon, then let the league finish."""
    run_id = open_run(max_episodes=100, max_ticks_per_episode=42)
    episode = reset_self_play(client, run_id, "connect_four", seed=1)
    play_columns(client, run_id, episode, [3, 0])
    fork = client.rollout_runs.fork(run_id, episode["episode_id"])
    value = client.rollout_runs.complete(run_id, fork["episode_id"], samples=10, **CHEAP)
    assert (value["seat"], value["samples"], value["scored"], value["failed"]) == ("p0", 10, 10, 0)
    assert STATISTICS <= set(value["score"]) and 0 <= value["score"]["mean"] <= 100 and 0 <= value["win_rate"] <= 1
    assert 10 * 5 <= value["ticks_used"] <= 10 * 40
    assert client.rollout_runs.get_episode(run_id, fork["episode_id"])["tick"] == 0
    assert client.rollout_runs.close_episode(run_id, fork["episode_id"])["ticks_used"] == 0
    # The default is 30 samples, and every seat can be asked about.
    other = client.rollout_runs.complete(run_id, episode["episode_id"], seat="p1", max_ticks=42, **CHEAP)
    assert other["seat"] == "p1" and other["samples"] == 30


def test_alone_nobody_wins(client, open_run):
    run_id = open_run(max_episodes=100, max_ticks_per_episode=30)
    episode = client.rollout_runs.reset(run_id, game="grid_serpents", player_count=1, seed=1, max_ticks=30)
    result = client.rollout_runs.score_actions(
        run_id, episode["episode_id"], candidate_actions=legal(episode["observation"])[:2], samples_per_action=5)
    check_ranking(result, "p0", 2)
    assert all(row["scored"] == 5 and "win_rate" not in row for row in result["actions"])


@pytest.mark.skipif(OLD, reason="since 3.4.0")
def test_playouts_claim_their_price_and_no_episode(client):
    before = client.billing.balance()["credits"]
    run_id = client.rollout_runs.open(max_episodes=1, max_ticks_per_episode=42)["run_id"]
    episode_id = three_in_column_0(client, run_id)
    scored = client.rollout_runs.score_actions(
        run_id, episode_id, candidate_actions=[drop(0), drop(6)], samples_per_action=10, **CHEAP)
    completed = client.rollout_runs.complete(run_id, episode_id, samples=20, **CHEAP)
    closed = client.rollout_runs.close(run_id)
    ticks = 6 + scored["ticks_used"] + completed["ticks_used"]
    assert (closed["episodes_used"], closed["ticks_used"]) == (1, ticks)
    assert closed["credits_used"] == pytest.approx(ticks * 0.0004)
    assert client.billing.balance()["credits"] == pytest.approx(before - closed["credits_used"])


@pytest.mark.skipif(not OLD, reason="until 3.3.0")
def test_playouts_of_1_3_0_claim_episodes_and_keep_them(client, open_run):
    """ceil(candidates * samples * max_ticks / max_ticks_per_episode), 409 when over budget (README of 1.3.0)."""
    run_id = open_run(max_episodes=20, max_ticks_per_episode=42)
    episode_id = three_in_column_0(client, run_id)
    used = 1
    for candidates, samples, max_ticks in [(2, 3, 42), (1, 5, 20), (2, 1, 1)]:
        client.rollout_runs.score_actions(
            run_id, episode_id, candidate_actions=[drop(column) for column in range(candidates)],
            samples_per_action=samples, max_ticks=max_ticks, **CHEAP)
        used += math.ceil(candidates * samples * max_ticks / 42)
        assert record(client, run_id)["episodes_used"] == used
    with pytest.raises(ConflictError) as exhausted:
        client.rollout_runs.complete(run_id, episode_id, **CHEAP)
    assert exhausted.value.code == "RUN_EXHAUSTED" and record(client, run_id)["episodes_used"] == used
    client.rollout_runs.extend(run_id, additional_episodes=30)
    answer = client.rollout_runs.complete(run_id, episode_id, **CHEAP)
    assert answer["samples"] == 30 and answer["score_higher_is_better"] is True
    assert record(client, run_id)["episodes_used"] == used + 30


def test_scoring_on_policy_has_the_shape_of_score_actions(client, open_run):
    run_id = open_run(max_episodes=60, max_ticks_per_episode=42)
    episode_id = three_in_column_0(client, run_id)
    candidates = [drop(6), drop(0), drop(9)]
    result = rollouts.score_actions_on_policy(
        client, run_id, episode_id, candidate_actions=candidates, samples_per_action=4, act_fn=random_player(1))
    check_ranking(result, "p0", 3)
    assert result["actions"][0]["action"] == {"action": "drop", "column": 0}
    assert result["actions"][0]["score"]["mean"] == 100 and result["actions"][0]["win_rate"] == 1
    assert result["actions"][2]["failed"] == 4, "a rejected candidate fails its samples"
    scored = client.rollout_runs.score_actions(
        run_id, episode_id, candidate_actions=candidates, samples_per_action=2, **CHEAP)
    assert set(result["actions"][0]) <= set(scored["actions"][0]) and set(result) <= set(scored)
    assert record(client, run_id)["ticks_used"] == 6 + result["ticks_used"] + scored["ticks_used"]


def test_scoring_on_policy_with_a_cheap_tail(client, open_run):
    run_id = open_run(max_episodes=150, max_ticks_per_episode=42)
    episode = reset_self_play(client, run_id, "connect_four", seed=1)
    asked = []

    def batch(observations, seats=None):
        asked.append(len(observations))
        return [random_player(7)(observation) for observation in observations]

    result = rollouts.score_actions_on_policy(
        client, run_id, episode["episode_id"], candidate_actions=[drop(3), drop(0)], samples_per_action=3,
        act_batch_fn=batch, phase_ticks=2, tail_samples=5, tail_max_ticks=42, **CHEAP)
    check_ranking(result, "p0", 2)
    assert asked == [6, 6], "one call a tick for all forks together"
    run = record(client, run_id)
    assert run["ticks_used"] == result["ticks_used"]
    assert run["episodes_used"] == (1 + 6 + 6 * 5 if OLD else 1 + 6)


def test_scoring_on_policy_consumes_nothing_when_the_run_is_exhausted(client, open_run):
    run_id = open_run(max_episodes=5, max_ticks_per_episode=42)
    episode_id = three_in_column_0(client, run_id)
    score = {"candidate_actions": [drop(0), drop(6)], "samples_per_action": 3, "act_fn": random_player(1)}
    with pytest.raises(GertError) as exhausted:
        rollouts.score_actions_on_policy(client, run_id, episode_id, **score)
    assert exhausted.value.code == "RUN_EXHAUSTED" and record(client, run_id)["episodes_used"] == 1
    client.rollout_runs.extend(run_id, additional_episodes=2)
    assert rollouts.score_actions_on_policy(client, run_id, episode_id, **score)["actions"][0]["action_rank"] == 1
