"""Submissions as the README uses them: upload, evaluate, wait, read the rating; and what is refused."""

import time

import pytest
from gertlabs import ConflictError, GertError, InsufficientCreditsError, NotFoundError, PermissionError, ValidationError

FIRST = """
def act(observation, seat, info):
    return [{"action": "drop", "column": observation["legal_columns"][0]}]
"""

BROKEN = "def act(observation:"


@pytest.fixture
def upload(client):
    """Uploads programs, and deletes them after the test."""
    made = []

    def upload_one(code=FIRST, **settings):
        settings.setdefault("game", "connect_four")
        created = client.submissions.create(language="python", code=code, **settings)
        made.append(created["submission_id"])
        return created

    yield upload_one
    left = {row["submission_id"] for row in client.submissions.list(mine=True)}
    for submission_id in left.intersection(made):
        client.submissions.delete(submission_id)


def test_the_readmes_example_ends_with_a_rating(client, upload):
    began = time.monotonic()
    sub = upload(provider="lab", model="first")
    ev = client.submissions.evaluate(sub["submission_id"], match_count=20)
    job = client.jobs.wait(ev["job_id"], interval=0.1)
    rated = client.submissions.get(sub["submission_id"])
    assert isinstance(rated["elo_rating"], (int, float)) and 0 < rated["elo_error"] < 350
    assert (rated["provider"], rated["model"]) == ("lab", "first")
    newest = client.submissions.evaluations(sub["submission_id"])["evaluations"][0]
    assert newest["eval_run_id"] == ev["eval_run_id"] and newest["status"] == "completed"
    assert newest["reward"] == rated["elo_rating"] == job["result"]["reward"]
    assert time.monotonic() - began < 120, "two minutes for all of it"


def test_lists_and_filters(client, upload):
    ids = [upload(model=model)["submission_id"] for model in ("one", "two")]
    mine = client.submissions.list(game="connect_four", mine=True, page_size=1)
    assert [row["submission_id"] for row in mine][:2] == ids[::-1]
    everybody = client.submissions.list(game="connect_four", page_size=5)
    assert {row.get("provider_source") for row in everybody} >= {"arena"}
    branched = client.submissions.list(mine=True, branch_mode="measure,best_of_n")
    assert not {row["submission_id"] for row in branched} & set(ids)


def test_a_dry_run_says_what_would_be_deleted(client, upload):
    ids = [upload(model="to-delete")["submission_id"] for _ in range(2)]
    dry = client.submissions.bulk_delete(models=["to-delete"])
    assert dry["matched"] == 2 and {row["submission_id"] for row in dry["sample"]} == set(ids)
    with pytest.raises(ConflictError):
        client.submissions.bulk_delete(models=["to-delete"], dry_run=False, confirm=True, expected_count=3)
    assert client.submissions.bulk_delete(models=["to-delete"])["matched"] == 2
    client.submissions.bulk_delete(models=["to-delete"], dry_run=False, confirm=True, expected_count=2)
    assert client.submissions.bulk_delete(models=["to-delete"])["matched"] == 0
    with pytest.raises(NotFoundError):
        client.submissions.get(ids[0])


def test_a_batch_evaluates_several(client, upload):
    ids = [upload()["submission_id"] for _ in range(2)]
    started = client.submissions.batch_evaluate(submission_ids=ids, match_count=2, opponent_models=["random", "ab2"])
    for entry in started["evaluations"]:
        assert client.jobs.wait(entry["job_id"], interval=0.1)["status"] == "completed"


def test_what_is_broken_fails_its_check(client, upload):
    created = upload(BROKEN)
    with pytest.raises(GertError) as failed:
        client.jobs.wait(created["job_id"], interval=0.1)
    assert "startup_failed" in str(failed.value)
    with pytest.raises(ConflictError):
        client.submissions.evaluate(created["submission_id"])


def test_refusals_have_their_kinds(client, upload):
    sub = upload()["submission_id"]
    # 10,000 matches of 600 ticks are 2,400 credits.
    market = upload("def act(observation, seat, info): return []", game="market_simulator")["submission_id"]
    system = next(row for row in client.submissions.list(game="connect_four") if row.get("model") == "random")
    for kind, call in [
        (NotFoundError, lambda: client.submissions.get("sub_nobody")),
        (NotFoundError, lambda: client.submissions.delete("sub_nobody")),
        (PermissionError, lambda: client.submissions.delete(system["submission_id"])),
        (PermissionError, lambda: client.submissions.evaluate(system["submission_id"])),
        (ValidationError, lambda: client.submissions.create(game="connect_four", language="python")),
        (ValidationError, lambda: client.submissions.evaluate(sub, match_count=0)),
        (InsufficientCreditsError, lambda: client.submissions.evaluate(market, match_count=10_000)),
    ]:
        with pytest.raises(kind):
            call()
