"""Connect Four is solved: near the end of a game everybody can know the best move, and the scorers must find it."""

import pytest
from gertlabs import rollouts

from episodes import drop, reset_self_play
from four import Position, Solver, decisive_positions

PLIES, POSITIONS = 28, 100


@pytest.fixture(scope="module")
def solver():
    return Solver()


@pytest.fixture(scope="module")
def positions(solver):
    """Positions in which it matters what is played."""
    return decisive_positions(POSITIONS, PLIES, seed=1, solver=solver)


@pytest.fixture
def episodes(client, open_run, positions):
    """A live episode in every position: all of them are stepped together, one batch a ply."""
    run_id = open_run(max_episodes=20 * POSITIONS, max_ticks_per_episode=42)
    live = [reset_self_play(client, run_id, "connect_four", seed=1) for _ in positions]
    for ply in range(PLIES):
        steps = [
            {"episode_id": episode["episode_id"], "actions": {f"p{ply % 2}": drop(columns[ply])}, "expected_tick": ply}
            for episode, (columns, _) in zip(live, positions)
        ]
        results = client.rollout_runs.step_batch(run_id, steps)
        assert all(result["ok"] and not result["done"] for result in results)
    return run_id, [episode["episode_id"] for episode in live]


def test_the_solver_knows_what_is_known():
    """John Tromp, https://tromp.github.io/c4/c4.html: nobody can force a win on these boards."""
    for width, height in [(4, 4), (4, 5)]:
        assert Solver().value(Position(width, height)) == 0


def test_the_solver_agrees_with_looking_at_every_game(positions, solver):
    def look(position):
        columns = position.legal()
        if not columns or any(position.wins(column) for column in columns):
            return 1 if columns else 0
        return max(-look(position.after(column)) for column in columns)

    for _, position in positions[:5]:
        while position.both.bit_count() < 33:
            quiet = [column for column in position.legal() if not position.wins(column)]
            if not quiet:
                break
            position = position.after(quiet[0])
        assert solver.value(position) == look(position)


def test_on_policy_scoring_ranks_a_best_move_first(client, episodes, positions, solver):
    """The policy that plays on is perfect, so a wrong ranking is a fork, a seat or a score that was mixed up."""
    run_id, episode_ids = episodes

    def act(observation, seat=None):
        return drop(min(solver.best(Position.from_rows(observation["board"], observation["you_are"]))))

    right = 0
    for episode_id, (_, position) in zip(episode_ids, positions):
        values = solver.values(position)
        result = rollouts.score_actions_on_policy(
            client, run_id, episode_id, candidate_actions=[drop(column) for column in values],
            samples_per_action=1, act_fn=act)
        means = {row["action"]["column"]: row["score"]["mean"] for row in result["actions"]}
        right += means == {column: 50 + 50 * value for column, value in values.items()}
        assert result["actions"][0]["action"]["column"] in solver.best(position)
    assert right == POSITIONS, "win 100, draw 50, loss 0 of every move, not of the best one alone"


def test_the_leagues_best_players_rank_a_best_move_first(client, episodes, positions, solver):
    run_id, episode_ids = episodes
    right = 0
    for episode_id, (_, position) in zip(episode_ids, positions):
        result = client.rollout_runs.score_actions(
            run_id, episode_id, candidate_actions=[drop(column) for column in position.legal()],
            samples_per_action=4, max_ticks=42 - PLIES, min_percentile=0.85, max_percentile=1.0)
        right += result["actions"][0]["action"]["column"] in solver.best(position)
    assert right >= 95, f"{right} of {POSITIONS}"
