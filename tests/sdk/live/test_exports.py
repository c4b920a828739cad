"""Exports as the README uses them: create, wait, load into a data frame or download, with pandas and pyarrow as readers."""

import json
import os

import httpx
import pandas as pd
import pyarrow.parquet as pq
import pytest
from episodes import OLD
from gertlabs import transcript

GAME = "connect_four"


@pytest.fixture(scope="module")
def branched(client):
    """A submission of the offline writer from a branched session, evaluated; what was there before is exported."""
    for export_type in ("submissions", "agentic_branches", "replays", "branch_exploration"):
        wait(client, client.exports.create(export_type=export_type))
    made = client.submissions.create(
        game=GAME, pipeline="agentic", custom_provider_id="program-writer", max_turns=4, branch=True, branch_interval=2,
        max_actions=2, samples_per_action=2)
    client.jobs.wait(made["job_id"], interval=0.2)
    ev = client.submissions.evaluate(made["submission_id"], match_count=4, opponent_models=["random", "ab2"])
    client.jobs.wait(ev["job_id"], interval=0.2)
    yield made["submission_id"]
    client.submissions.delete(made["submission_id"])


def wait(client, job):
    return client.jobs.wait(job["job_id"], interval=0.1)["job_id"]


def test_submissions_load_with_rating_and_attribution(client, branched):
    estimate = client.exports.create(export_type="submissions", game_slug=GAME, format="parquet", dry_run=True)
    assert estimate == {"estimated_credits": 0.0001, "record_count": 1}
    job_id = wait(client, client.exports.create(export_type="submissions", game_slug=GAME, format="parquet"))
    frame = client.exports.load(job_id)
    assert isinstance(frame, pd.DataFrame) and list(frame.submission_id) == [branched]
    row = frame.iloc[0]
    rated = client.submissions.get(branched)
    assert row.elo_rating == rated["elo_rating"] and row.provider == rated["provider"] and row.model == rated["model"]
    assert json.loads(row.branch_config)["mode"] == "best_of_n"
    assert "def act(" in row.code and row.score_mean == json.loads(row.score_stats)["mean"]
    assert json.loads(row.transcript) and json.loads(row.request_context)["system"]


def test_replays_are_turns_that_can_be_trained_on(client, branched):
    job_id = wait(client, client.exports.create(export_type="replays", game_slug=GAME, format="parquet"))
    frame = client.exports.load(job_id)
    assert frame.replay_id.nunique() == 4
    for _, turns in frame.groupby("replay_id", sort=False):
        facts = json.loads(turns["match"].iloc[0])
        assert turns["match"].isna().sum() == len(turns) - 1
        assert len(turns) == facts["ticks"] and list(turns.tick) == list(range(facts["ticks"]))
        assert list(turns.done) == [False] * (len(turns) - 1) + [True]
        for turn in turns.itertuples():
            observation, action = json.loads(turn.observation), json.loads(turn.action)
            assert observation["tick"] == turn.tick and observation["seat"] == turn.player_id
            legal = [choice["action"] for choice in observation["_action_space"]]
            assert (action[0] if isinstance(action, list) else action) in legal
            # Whoever moved is the submission, or a built-in player with its name.
            assert turn.is_submission or (turn.provider, turn.provider_source) == ("arena", "arena")
    assert set(frame[frame.is_submission].submission_id) == {branched}


def test_decision_points_give_the_models_input_back(client, branched):
    job = client.exports.create(export_type="agentic_branches", format="parquet")
    assert client.jobs.wait(job["job_id"], interval=0.1).get("credits_used", 0) == 0
    frame = client.exports.load(job["job_id"])
    assert set(frame.submission_id) == {branched} and list(frame.decision_index) == [1, 2]
    frames = (
        frame.dropna(subset=["transcript", "request_context"])
        .drop_duplicates("submission_id")
        .set_index("submission_id")
    )
    for row in frame.itertuples():
        actions = json.loads(row.actions)
        assert {action["action_rank"] for action in actions} and all(action["value"] for action in actions)
        context = json.loads(frames.loc[row.submission_id, "request_context"])
        if OLD:
            # 1.3.0 rebuilds version 1 only, and says so.
            with pytest.raises(ValueError):
                transcript.reconstruct_messages("[]", context, int(row.decision_index), row.pruned)
            continue
        state = transcript.reconstruct_messages(
            frames.loc[row.submission_id, "transcript"], context, int(row.decision_index), row.pruned,
            state_entry_count=int(row.state_entry_count))
        assert state["system"] == context["system"] and state["messages"][0]["role"] == "user"


def test_explored_branches_are_rows(client, branched):
    made = client.play.create(game=GAME, seats=2, vs_ai=False, tick_ms=0)
    client.play.branch(made["session_id"], explore={"max_actions": 2, "samples": 2, "model": "random"})
    job_id = wait(client, client.exports.create(export_type="branch_exploration", format="parquet"))
    frame = client.exports.load(job_id)
    assert len(frame) == 4 and set(frame.parent_session_id) == {made["session_id"]}
    assert frame.groupby("action").score.count().tolist() == [2, 2]
    assert all(json.loads(text)["tick"] == 0 for text in frame.observation)


def test_files_are_whole_artifacts_in_both_formats(client, branched, tmp_path):
    for form in ("json", "parquet"):
        client.exports.reset_tracking(game_slug=GAME)
        job_id = wait(client, client.exports.create(export_type="submissions", game_slug=GAME, format=form))
        [path] = client.exports.download_files(job_id, str(tmp_path))
        assert os.path.basename(path) == f"submissions_{job_id}.{form}"
        listed = client.exports.get(job_id)
        assert listed["size_bytes"] == os.path.getsize(path) and listed["export_type"] == "submissions"
    [document] = [json.load(open(path)) for path in map(str, tmp_path.glob("*.json"))]
    [table] = [pq.read_table(path) for path in map(str, tmp_path.glob("*.parquet"))]
    meta = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert meta["schema_version"] == "4" == str(document["schema_version"])
    context = json.loads(meta[f"score_context:{GAME}"])
    assert context["canonical_ticks"] in table.column("score_ticks").to_pylist()
    assert context.keys() == document["score_context"][GAME].keys()
    assert json.loads(meta["completeness"]) == document["completeness"]
    assert meta["exported_at"] and meta[f"game_prompt:{GAME}:1"]
    assert {row["submission_id"] for row in document["records"]} == set(table.column("submission_id").to_pylist())
    texts = dict(zip(table.column("submission_id").to_pylist(), table.column("transcript").to_pylist()))
    assert json.loads(texts[branched]) == document["transcripts"][branched]


def test_what_was_exported_is_left_out_until_it_is_reset(client, branched, tmp_path):
    ask = {"export_type": "submissions", "game_slug": GAME, "format": "parquet"}
    wait(client, client.exports.create(**ask))
    job_id = wait(client, client.exports.create(**ask))
    assert client.exports.load(job_id).empty and client.exports.download_files(job_id, str(tmp_path)) == []
    assert "reset-tracking" in client.exports.download(job_id)["message"]
    client.exports.reset_tracking(game_slug=GAME, export_type="submissions")
    assert branched in set(client.exports.load(wait(client, client.exports.create(**ask))).submission_id)


def test_an_address_needs_no_key_and_cannot_be_changed(client, branched):
    client.exports.reset_tracking()
    job_id = wait(client, client.exports.create(export_type="submissions", game_slug=GAME))
    url = client.exports.download(job_id)["download_url"]
    assert httpx.get(url).status_code == 200
    assert httpx.get(url.replace("expires=", "expires=9")).status_code == 403
    assert httpx.get(url.split("?")[0]).status_code == 403
