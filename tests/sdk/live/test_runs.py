"""Runs and their money; and what each SDK version may say in a reset."""

import pytest
from gertlabs import ConflictError, GertError, InsufficientCreditsError, NotFoundError, ValidationError

from episodes import OLD, play_columns, random_player, reset_against_league, reset_self_play

TICK = 0.0004


def test_a_run_holds_its_price_and_settles_at_what_was_played(client):
    before = client.billing.balance()["credits"]
    run = client.rollout_runs.open(max_episodes=10)
    assert run["max_episodes"] == 10 and run["estimated_credits"] == pytest.approx(4.0) and run["expires_at"]
    episode = reset_self_play(client, run["run_id"], "connect_four")
    play_columns(client, run["run_id"], episode, [3, 3, 3])
    closed = client.rollout_runs.close(run["run_id"])
    assert closed["status"] == "closed" and (closed["ticks_used"], closed["episodes_used"]) == (3, 1)
    assert closed["credits_used"] == pytest.approx(3 * TICK)
    assert client.billing.balance()["credits"] == pytest.approx(before - 3 * TICK)
    assert client.rollout_runs.close(run["run_id"]) == closed, "closing again changes nothing"
    with pytest.raises(ConflictError) as refused:
        reset_self_play(client, run["run_id"], "connect_four")
    assert refused.value.code == "RUN_CLOSED"


def test_runs_are_listed_newest_first_in_pages_of_one(client, open_run):
    opened = [open_run(max_episodes=1, max_ticks_per_episode=10) for _ in range(3)]
    listed = client.rollout_runs.list(status="active", page_size=1)
    assert [run["run_id"] for run in listed][:3] == opened[::-1]
    assert listed[0]["status"] == "active" and listed[0]["ticks_per_episode"] == 10
    client.rollout_runs.close(opened[1])
    assert opened[1] not in [run["run_id"] for run in client.rollout_runs.list(status="active")]
    closed = client.rollout_runs.list(status="closed", max_items=1)
    assert closed[0]["run_id"] == opened[1] and closed[0]["closed_at"]


def test_what_cannot_be_paid_is_not_opened(client):
    before = client.rollout_runs.list(status="active")
    with pytest.raises(InsufficientCreditsError) as short:
        client.rollout_runs.open(max_episodes=1_000_000, max_ticks_per_episode=10_000)
    assert short.value.status in {400, 402} and short.value.request_id
    assert client.rollout_runs.list(status="active") == before


def test_requests_that_make_no_sense_are_told_so(client, open_run):
    run_id = open_run(max_episodes=5, max_ticks_per_episode=20)
    reset = client.rollout_runs.reset
    for kind, start in [
        (NotFoundError, lambda: reset(run_id, game="no_such_game")),
        (NotFoundError, lambda: reset("no_such_run", game="connect_four")),
        (NotFoundError, lambda: client.rollout_runs.close("no_such_run")),
        (ValidationError, lambda: reset(run_id, game="connect_four", player_count=9)),
        (ValidationError, lambda: reset(run_id, game="connect_four", min_percentile=0.9, max_percentile=0.1)),
        (ValidationError, lambda: reset(run_id, game="connect_four", opponent_source="theirs")),
        (ValidationError, lambda: client.rollout_runs.open(max_episodes=0)),
        (ValidationError, lambda: client.rollout_runs.extend(run_id, additional_episodes=0)),
    ]:
        with pytest.raises(kind) as refused:
            start()
        assert refused.value.code and refused.value.request_id
    run = next(run for run in client.rollout_runs.list() if run["run_id"] == run_id)
    assert run["episodes_used"] == 0, "a refused reset is not counted"


def test_a_league_that_is_too_thin_is_named(client, run_id):
    with pytest.raises(GertError) as thin:
        reset_against_league(client, run_id, "connect_four", opponent_models=["nobody"])
    assert thin.value.status == 409 and "connect_four" in str(thin.value)


def test_opponents_come_from_the_band_and_the_seed_draws_the_same(client, run_id):
    settings = {"seed": 11, "min_percentile": 0.0, "max_percentile": 0.3}
    one, two = (reset_against_league(client, run_id, "connect_four", **settings) for _ in range(2))
    (seat,) = {"p0", "p1"} - set(one["policy_seats"])
    assert list(one["opponents"]) == [seat] and one["opponents"][seat]["player_type"] == "code"
    assert one["opponents"] == two["opponents"] and one["observation"] == two["observation"] and one["seed"] == 11


def test_a_curriculum_runs_without_a_band(client, open_run):
    run_id = open_run(max_episodes=5, auto_curriculum=True, curriculum_band_width=0.3, curriculum_ewma_alpha=0.5)
    from gertlabs import rollouts

    settings = {} if OLD else {"opponent_seats": 1}
    for _ in range(2):
        episode = rollouts.run_episode(client, run_id, game="connect_four", act_fn=random_player(6), **settings)
        assert episode["outcome"] in {"won", "lost", "draw"}
    run = next(run for run in client.rollout_runs.list() if run["run_id"] == run_id)
    assert run["auto_curriculum"] is True and run["episodes_used"] == 2


@pytest.mark.skipif(not OLD, reason="`seats` and `anchor_opponents` went with 2.0.0")
def test_seats_and_anchors_of_1_3_0(client, run_id):
    reset = client.rollout_runs.reset
    for settings, policy_seats, opponents in [
        ({}, 1, 3), ({"seats": 2}, 2, 2), ({"seats": 4}, 4, 0), ({"seats": 3, "anchor_opponents": 1}, 3, 1),
    ]:
        start = reset(run_id, game="grid_serpents", player_count=4, **settings)
        assert len(start["policy_seats"]) == policy_seats and len(start.get("opponents") or {}) == opponents, settings
        assert start["score_higher_is_better"] is True
    for settings in ({"seats": 3}, {"anchor_opponents": 1}, {"seats": 2, "anchor_opponents": 2}):
        with pytest.raises(ValidationError):
            reset(run_id, game="connect_four", **settings)


@pytest.mark.skipif(OLD, reason="1.3.0 has its own base path")
def test_the_words_of_1_3_0_are_refused_by_name(client, run_id):
    for word in ("seats", "anchor_opponents"):
        with pytest.raises(ValidationError) as refused:
            client.request("POST", f"/rollout-runs/{run_id}/episodes", json={"game": "connect_four", word: 1})
        assert word in str(refused.value)


@pytest.mark.skipif(OLD, reason="`difficulty` came with 2.0.0")
def test_difficulty_is_refused_where_a_game_has_none(client, run_id):
    with pytest.raises(ValidationError) as refused:
        client.rollout_runs.reset(run_id, game="connect_four", difficulty=0.5)
    assert "difficulty" in str(refused.value)
