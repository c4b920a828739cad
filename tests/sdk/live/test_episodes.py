"""Whole episodes: `rollouts.run_episode` on every game, and what it reports."""

import gertlabs
import pytest
from gertlabs import rollouts

from episodes import OLD, drop, legal, play_out, random_player, reset_against_league, reset_self_play

ENDS = {"game_complete", "max_ticks"}


def games(client):
    games = [client.games.get(game["slug"]) for game in client.games.list()]
    assert len(games) >= 6
    return games


def test_every_game_is_played_to_the_end_as_run_episode_has_it_by_default(client, open_run):
    """1.3.0: one seat against the league. Since 2.0.0: all seats ours."""
    run_id = open_run(max_episodes=30)
    for game in games(client):
        slug, players = game["slug"], game["default_players"]
        seats = [f"p{seat}" for seat in range(1 if OLD else players)]
        episodes = [
            rollouts.run_episode(client, run_id, game=slug, seed=5, max_ticks=40, act_fn=random_player(1))
            for _ in range(2)
        ]
        for episode in episodes:
            steps = episode["steps"]
            assert episode["game"] == slug and steps[-1]["done"] and not steps[0]["done"], slug
            assert episode["completion_reason"] in ENDS, (slug, episode["completion_reason"])
            assert episode["total_reward"] == pytest.approx(sum(step["reward"] for step in steps)), slug
            assert isinstance(episode["score"], (int, float)), slug
            # In a game for one there is nobody to be better than.
            outcomes = {None} if players == 1 else {"won", "lost", "draw"}
            assert episode.get("outcome") in outcomes, slug
            if not OLD and players > 1:
                assert episode["policy_seats"] == seats and set(episode["ranks"]) == set(seats), slug
                assert episode["failed_seats"] == episode["eliminated_seats"], slug
        # The same seed and the same player: the same episode, opponents included.
        assert episodes[0]["steps"] == episodes[1]["steps"], slug


@pytest.mark.skipif(OLD, reason="`opponent_seats` came with 2.0.0")
def test_every_rated_game_is_played_against_the_league(client, open_run):
    run_id = open_run(max_episodes=30)
    for game in (game for game in games(client) if game["max_players"] > 1):
        slug, players = game["slug"], game["default_players"]
        episode = rollouts.run_episode(
            client, run_id, game=slug, seed=5, max_ticks=40, act_fn=random_player(2),
            opponent_seats=players - 1, min_percentile=0.1, max_percentile=0.9)
        assert episode["completion_reason"] in ENDS and episode["rank"] in range(1, players + 1), slug
        assert "policy_seats" not in episode, slug


def test_rewards_add_up_to_the_scores(client, open_run):
    run_id = open_run(max_episodes=20)
    for game in games(client):
        slug, players = game["slug"], game["default_players"]
        for reset in (reset_self_play, reset_against_league):
            start = reset(client, run_id, slug, players, seed=3, max_ticks=30)
            end, rewards = play_out(client, run_id, start, random_player(3))
            seats = start["policy_seats"]
            scores = end.get("scores") or {seats[0]: end["score"]}
            first = start.get("initial_scores") or {seats[0]: start["initial_score"]}
            for seat in seats:
                assert first[seat] + rewards[seat] == pytest.approx(scores[seat], abs=1e-6), (slug, seat)


def test_an_episode_of_one_player_has_no_rank(client, run_id):
    solo = {} if OLD else {"opponent_seats": 0}
    start = client.rollout_runs.reset(run_id, game="grid_serpents", player_count=1, max_ticks=30, seed=1, **solo)
    assert start["policy_seats"] == ["p0"] and not start.get("opponents")
    end, _ = play_out(client, run_id, start, random_player(4))
    assert end["done"] and "rank" not in end and "outcome" not in end and end["score"] is not None


def test_of_tags_a_game_is_picked_that_has_them_all(client, run_id):
    tags = ["board", "turn_based"]
    slugs = {game["slug"] for game in client.games.list() if set(tags) <= set(game["tags"])}
    assert len(slugs) >= 2
    episode = rollouts.run_episode(client, run_id, tags=tags, max_ticks=6, act_fn=random_player(5))
    assert episode["game"] in slugs
    with pytest.raises(gertlabs.GertError) as refused:
        client.rollout_runs.reset(run_id, tags=["board", "no_such_tag"])
    assert refused.value.status in {400, 404, 409}


def test_malformed_output_ends_the_episode_and_costs(client, run_id):
    """A string is what `parse_action` makes of text without an action: no refused request, a failed seat."""
    for action in ("I would rather not.", [1, 2], 7):
        start = reset_against_league(client, run_id, "connect_four", seed=1)
        end = client.rollout_runs.step(run_id, start["episode_id"], action, expected_tick=start["tick"])
        assert end["done"] and end["completion_reason"] == "policy_failed", action
        assert end["failed_seats"] == start["policy_seats"] and not end.get("eliminated_seats"), action
        assert end["reward"] < 0, action


def test_an_action_that_the_game_rejects_fails_the_seat_too(client, run_id):
    start = reset_self_play(client, run_id, "connect_four")
    end = client.rollout_runs.step(run_id, start["episode_id"], actions={"p0": drop(7)}, expected_tick=0)
    assert "p0" in end["failed_seats"] and end["rewards"]["p0"] < 0


def test_others_play_on_after_a_seat_failed(client, run_id):
    start = reset_self_play(client, run_id, "grid_serpents", 4, seed=2)
    actions = {seat: legal(start["observations"][seat])[0] for seat in start["on_turn_seats"]}
    state = client.rollout_runs.step(
        run_id, start["episode_id"], actions={**actions, "p2": "nonsense"}, expected_tick=start["tick"])
    assert not state["done"] and state["failed_seats"] == ["p2"] and "p2" not in state["on_turn_seats"]
    client.rollout_runs.close_episode(run_id, start["episode_id"])


def test_an_act_fn_that_raises_leaves_no_episode_behind(client, run_id):
    seen = []

    def act(observation, seat=None):
        seen.append(observation)
        raise RuntimeError("my model is out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        rollouts.run_episode(client, run_id, game="connect_four", act_fn=act)
    run = next(run for run in client.rollout_runs.list() if run["run_id"] == run_id)
    assert len(seen) == 1 and run["episodes_used"] == 1
