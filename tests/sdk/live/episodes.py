"""Episodes for tests: resets that mean the same to both SDK versions, players, and a loop written out by hand."""

import random

import gertlabs

# 1.3.0 gives the policy one seat against the league unless told otherwise; since 2.0.0 it has them all.
OLD = gertlabs.__version__.startswith("1.")


def reset_self_play(client, run_id, game, players=2, **settings):
    """An episode whose seats are all ours."""
    seats = {"seats": players} if OLD else {}
    return client.rollout_runs.reset(run_id, game=game, player_count=players, **seats, **settings)


def reset_against_league(client, run_id, game, players=2, **settings):
    """An episode with one seat of ours."""
    seats = {} if OLD else {"opponent_seats": players - 1}
    return client.rollout_runs.reset(run_id, game=game, player_count=players, **seats, **settings)


def legal(observation):
    """The actions that the game lists, each as the list of objects that plays it."""
    actions = [entry["action"] for entry in observation.get("_action_space") or []]
    return [action if isinstance(action, list) else [action] for action in actions]


def random_player(seed):
    """Any legal action; `act_fn` has a seat since 3.0.0."""
    rng = random.Random(seed)

    def act(observation, seat=None):
        actions = legal(observation)
        return rng.choice(actions) if actions else []

    return act


def seat_observations(state):
    return state.get("observations") or {state["policy_seat"]: state["observation"]}


def play_out(client, run_id, reset, act, ticks=10_000):
    """Steps an episode to its end, or so many times. Gives the last answer and each seat's sum of rewards."""
    state, observations = reset, seat_observations(reset)
    seats = reset["policy_seats"]
    rewards = dict.fromkeys(seats, 0)
    for _ in range(ticks):
        if state["done"]:
            break
        actions = {seat: act(observations[seat], seat) for seat in state["on_turn_seats"]}
        choice = {"actions": actions} if len(seats) > 1 else {"action": actions[seats[0]]}
        state = client.rollout_runs.step(run_id, reset["episode_id"], expected_tick=state["tick"], **choice)
        for seat, reward in (state.get("rewards") or {seats[0]: state["reward"]}).items():
            rewards[seat] += reward
        observations = state.get("observations") or {seats[0]: state.get("observation")}
    return state, rewards


def drop(column):
    return [{"action": "drop", "column": column}]


def play_columns(client, run_id, episode, columns):
    """Steps a connect_four episode of self-play through columns, p0 first. Gives the last answer."""
    state = episode
    for column in columns:
        (seat,) = state["on_turn_seats"]
        state = client.rollout_runs.step(
            run_id, episode["episode_id"], actions={seat: drop(column)}, expected_tick=state["tick"])
    return state
