"""Generation and dataset builds as the README uses them, and the promise of `gertlabs.transcript`: what it rebuilds from
an export is what the generator sent, byte for byte."""

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading

import gertlabs
import pytest
from gertlabs import ConflictError, ValidationError, transcript

from episodes import OLD

WRITER = "program-writer (offline, templates)"

PROGRAM = """# a
def act(observation, seat, info):
    return [{"action": "drop", "column": observation["legal_columns"][0]}]
"""


@pytest.fixture
def pid(client):
    return next(p["provider_id"] for p in client.providers.list() if p["name"] == WRITER)


def agentic(client, pid, **settings):
    """A short branched session, finished."""
    sub = client.submissions.create(
        game="connect_four", pipeline="agentic", custom_provider_id=pid, max_turns=6, branch=True,
        branch_interval=3, max_actions=2, samples_per_action=2, **settings,
    )
    client.jobs.wait(sub["job_id"], interval=0.1, timeout=240)
    return sub


def export_of(client, tmp_path, **settings):
    job = client.exports.create(format="json", **settings)
    client.jobs.wait(job["job_id"], interval=0.1, timeout=60)
    [path] = client.exports.download_files(job["job_id"], tmp_path)
    return json.loads(pathlib.Path(path).read_text())


def rows(envelope):
    return next(value for value in envelope.values() if isinstance(value, list))


def test_a_one_shot_generation_is_a_submission_that_can_be_evaluated(client, pid):
    sub = client.submissions.create(game="connect_four", custom_provider_id=pid)
    client.jobs.wait(sub["job_id"], interval=0.1, timeout=120)
    made = client.submissions.get(sub["submission_id"])
    assert (made["provider"], made["model"]) == (WRITER, "templates-large")
    assert "branch_config" not in made or made["branch_config"] is None
    ev = client.submissions.evaluate(sub["submission_id"], match_count=4, opponent_models=["random", "ab2"])
    client.jobs.wait(ev["job_id"], interval=0.1, timeout=120)
    assert client.submissions.evaluations(sub["submission_id"])


def test_branch_scores_have_the_members_that_the_sdk_documents(client, pid):
    sub = agentic(client, pid, adopt_percentile=1.0)
    scores = client.jobs.branch_scores(sub["job_id"])
    assert (scores["job_id"], scores["branch_mode"], scores["adopt_percentile"]) == (sub["job_id"], "best_of_n", 1.0)
    assert [point["decision_index"] for point in scores["decision_points"]] == [1, 2]
    for point in scores["decision_points"]:
        assert sum(action["adopted"] for action in point["actions"]) == 1
        assert {action["action_rank"] for action in point["actions"]} >= {1}
        for action in point["actions"]:
            assert set(action["value"]) == {"mean", "std_dev", "min", "max"}
            assert len(action["sample_scores"]) == len(action["sample_turns"]) == 2
    assert client.submissions.get(sub["submission_id"])["branch_config"]["mode"] == "best_of_n"
    ids = [row["submission_id"] for row in client.submissions.list(mine=True, branch_mode="best_of_n")]
    assert sub["submission_id"] in ids


def test_what_cannot_be_is_a_validation_error(client, pid):
    for settings in (
        {"custom_provider_id": "nobody"},
        {"custom_provider_id": pid, "model": "gpt"},
        {"custom_provider_id": pid, "pipeline": "agentic", "branch": True, "rollout_model": "gpt"},
        {"custom_provider_id": pid, "pipeline": "agentic", "branch": True, "rollout_model_after": 5},
    ):
        with pytest.raises(ValidationError):
            client.submissions.create(game="connect_four", **settings)


class Endpoint(http.server.BaseHTTPRequestHandler):
    """A model that writes a program, then reads, edits and plays it, and keeps what it was sent."""

    sent = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        request = json.loads(body)
        self.sent.append(request)
        n, said = len(self.sent), json.dumps(request["messages"])
        call = lambda name, **args: {
            "id": "x", "type": "function", "function": {"name": name, "arguments": json.dumps(args)},
        }
        path = "submission.py"
        if "wrote submission.py" not in said and "edit_file" not in said and "read_file" not in said:
            calls = [call("write_workspace_file", path=path, content=PROGRAM)]
        else:
            calls = [
                call("read_file", path=path),
                call("edit_file", path=path, old_string="# a\n", new_string=f"# a\n# {n}\n"),
                call("apply_patch", patch=f"--- a/{path}\n+++ b/{path}\n@@\n-# a\n+# a\n+# ä{n}\n"),
            ]
        message = {"role": "assistant", "content": f'thought {n} ä "\\ \u2028', "tool_calls": calls}
        answer = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint(client):
    """A registered endpoint; GERT_BIN and GERT_ARENA_DB say how to register it."""
    gert, db = os.environ.get("GERT_BIN"), os.environ.get("GERT_ARENA_DB")
    if not (gert and db and shutil.which(gert)):
        pytest.skip("GERT_BIN and GERT_ARENA_DB are not set")
    Endpoint.sent.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    name = f"recorder-{server.server_port}"
    provider = [gert, "arena", "provider", "--db", db]
    url = f"http://127.0.0.1:{server.server_port}/v1"
    subprocess.run([*provider, "add", name, "--openai", url, "--model", "m"], check=True, capture_output=True)
    yield next(p["provider_id"] for p in client.providers.list() if p["name"] == name)
    subprocess.run([*provider, "remove", name], check=True, capture_output=True)
    server.shutdown()


def as_chat(state):
    """The rebuilt request in the words of chat completions."""
    messages = [{"role": "system", "content": state["system"]}]
    for message in state["messages"]:
        blocks = message["content"]
        said = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        if message["role"] == "assistant":
            calls = [
                {"id": b["id"], "type": "function", "function": {
                    "name": b["name"],
                    "arguments": json.dumps(b["input"], separators=(",", ":"), ensure_ascii=False)}}
                for b in blocks if b["type"] == "tool_use"
            ]
            messages.append({"role": "assistant", "content": said} | ({"tool_calls": calls} if calls else {}))
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                messages.append({
                    "role": "tool", "tool_call_id": block["tool_use_id"], "content": block.get("content", ""),
                })
        if said:
            messages.append({"role": "user", "content": said})
    return messages


@pytest.mark.skipif(gertlabs.__version__.startswith("1."), reason="1.3.0 rebuilds projection version 1 only")
def test_reconstruct_messages_gives_what_the_generator_sent_byte_for_byte(client, endpoint, tmp_path):
    sub = agentic(client, endpoint)
    envelope = export_of(client, tmp_path, export_type="agentic_branches")
    frame = envelope["request_contexts"][sub["submission_id"]]
    text = envelope["transcripts"][sub["submission_id"]]
    points = [row for row in rows(envelope) if row["submission_id"] == sub["submission_id"]]
    assert [point["decision_index"] for point in points] == [1, 2]
    for point in points:
        state = transcript.reconstruct_messages(
            text if isinstance(text, str) else json.dumps(text, separators=(",", ":"), ensure_ascii=False),
            frame, point["decision_index"], point["pruned"], state_entry_count=point["state_entry_count"],
        )
        rebuilt = json.dumps(as_chat(state), ensure_ascii=False)
        alike = [r for r in Endpoint.sent if json.dumps(r["messages"], ensure_ascii=False) == rebuilt]
        assert len(alike) >= 2, "both candidates were asked for with these bytes"
        tools = [tool["function"]["name"] for tool in alike[0]["tools"]]
        assert tools == [tool["name"] for tool in state["tools"]]
    assert points[1]["pruned"], "something was old news by then"


def test_a_build_is_estimated_run_and_loaded_and_only_one_runs(client, pid):
    order = dict(
        game_tags=["strategy"], custom_provider_id=pid, submission_count=1, match_count=2,
        export_type="both", export_format="json",
    )
    estimate = client.dataset_builds.evaluate_code(dry_run=True, **order)
    assert estimate["estimated_credits"] > 0
    build = client.dataset_builds.evaluate_code(**order)
    with pytest.raises(ConflictError) as refused:
        client.dataset_builds.evaluate_code(**order)
    assert refused.value.body["existing_job_id"] == build["job_id"]
    result = client.jobs.wait(build["job_id"], interval=0.2, timeout=570)["result"]
    types = []
    for export_id in result["export_job_ids"]:
        done = client.jobs.wait(export_id, interval=0.1, timeout=60)
        assert done["result"]["record_count"] >= len(result["submission_ids"])
        types.append(client.exports.get(export_id)["export_type"])
    assert types == ["submissions", "game_replays" if OLD else "replays"]


def test_an_exploration_build_has_one_export(client, pid):
    build = client.dataset_builds.explore(
        game_slug="grid_serpents", custom_provider_id=pid, parent_count=1, samples_per_action=1, max_actions=2,
        explore_interval=20, export_format="json",
    )
    result = client.jobs.wait(build["job_id"], interval=0.1, timeout=120)["result"]
    done = client.jobs.wait(result["export_job_id"], interval=0.1, timeout=60)
    assert done["result"]["record_count"] > 0
