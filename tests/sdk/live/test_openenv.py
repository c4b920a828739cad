"""`gertlabs.openenv_env.GertEnv`: the adapter stands by itself and needs no package of OpenEnv's."""

import pytest
from gertlabs.openenv_env import GertEnv, load_environment

from episodes import OLD, legal, random_player

AGAINST_LEAGUE = {} if OLD else {"opponent_seats": 1}


def play(env, act, **reset):
    """One episode; gives the observations, the last one included."""
    seen = [env.reset(**reset)]
    while not seen[-1].done:
        seen.append(env.step(act(seen[-1].observation)))
    return seen


def test_an_episode_against_the_league(client):
    env = load_environment(game="connect_four", client=client, max_episodes=3, **AGAINST_LEAGUE)
    try:
        first, *others = play(env, random_player(1), seed=4)
        assert first.reward is None and first.metadata["game"] == "connect_four" and legal(first.observation)
        last = others[-1]
        assert last.metadata["outcome"] in {"won", "lost", "draw"} and last.metadata["rank"] in {1, 2}
        assert sum(step.reward for step in others) == last.metadata["score"] - 50
        assert "Connect" in (env._active_rules if OLD else env.rules)
        assert "board" in env.format(first.observation)
        again = play(env, random_player(1), seed=4)
        assert [step.observation for step in again] == [step.observation for step in [first, *others]]
    finally:
        closed = env.close()
    assert closed["status"] == "closed" and env.close() == closed
    with pytest.raises(RuntimeError):
        env.reset()


def test_text_is_parsed_and_text_without_an_action_loses(client):
    env = GertEnv(game="connect_four", client=client, max_episodes=3, parse=True, **AGAINST_LEAGUE)
    try:
        env.reset(seed=1)
        with pytest.raises(RuntimeError, match="still live"):
            env.reset()
        assert not env.step('The centre: ```json\n[{"action": "drop", "column": 3}]\n```').done
        end = env.step("I do not know.")
        assert end.done and end.reward < 0 and end.metadata["completion_reason"] == "policy_failed"
    finally:
        env.close()


def test_of_tags_every_episode_has_its_game(client):
    env = GertEnv(tags=["board", "turn_based"], client=client, max_episodes=5, **AGAINST_LEAGUE)
    try:
        first = env.reset(seed=1)
        assert first.metadata["game"] in {"connect_four", "multi_reversi"}
    finally:
        env.close()


@pytest.mark.skipif(OLD, reason="since 3.0.0")
def test_a_callback_plays_the_other_seats(client):
    seats = []

    def opponent(observation, seat):
        seats.append(seat)
        return random_player(2)(observation)

    for game, players, seat in [("connect_four", 2, "p1"), ("grid_serpents", 4, "p2"), ("multi_reversi", 4, "p0")]:
        env = GertEnv(game=game, client=client, max_episodes=2, player_count=players, opponent_fn=opponent, seat=seat)
        seats.clear()
        try:
            first, *others = play(env, random_player(3), seed=1)
            assert first.metadata["seat"] == seat and first.observation["seat"] == seat
            assert others[-1].metadata["score"] is not None and others[-1].metadata["failed"] in {True, False}
            assert seats and seat not in seats
        finally:
            env.close()


@pytest.mark.skipif(OLD, reason="since 3.0.0")
def test_a_callback_that_breaks_the_rules_is_told_so(client):
    env = GertEnv(game="connect_four", client=client, max_episodes=2, opponent_fn=lambda observation, seat: "rubbish")
    try:
        start = env.reset(seed=1)
        with pytest.raises(RuntimeError, match="p1"):
            env.step(legal(start.observation)[0])
    finally:
        env.close()


@pytest.mark.skipif(OLD, reason="since 2.0.0")
def test_without_a_callback_one_seat_is_one_too_few(client):
    env = GertEnv(game="connect_four", client=client, max_episodes=2)
    try:
        with pytest.raises(RuntimeError, match="opponent_seats"):
            env.reset()
    finally:
        env.close()


@pytest.mark.skipif(OLD, reason="since 3.0.0")
def test_a_run_grows_when_it_may(client):
    env = GertEnv(game="connect_four", client=client, max_episodes=1, auto_extend=2, **AGAINST_LEAGUE)
    try:
        for seed in range(3):
            play(env, random_player(seed), seed=seed)
    finally:
        assert env.close()["episodes_used"] == 3
