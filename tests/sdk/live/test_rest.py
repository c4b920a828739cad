"""The other calls that the live suites leave out: lists in pages of one, jobs, downloads."""

import pytest
from gertlabs import NotFoundError


def test_lists_are_the_same_in_pages_of_one(client):
    for _ in range(3):
        job = client.exports.create(export_type="submissions", format="json")
        client.jobs.wait(job["job_id"], interval=0.1)
        client.play.create(game="connect_four", seats=2, vs_ai=False, max_ticks=4, autostart=True)
    for name, call in [("games", client.games.list), ("exports", client.exports.list),
                       ("sessions", client.sessions.list), ("usage", client.billing.usage)]:
        whole = call(max_items=5)
        assert whole and call(page_size=1, max_items=5) == whole, name


def test_an_export_is_waited_for_and_an_empty_one_has_no_files(client, tmp_path):
    """The other two forms of a download are in `test_exports.py`."""
    ask = {"export_type": "replays", "game_slug": "liars_dice", "format": "json"}
    job_id = client.exports.create(**ask)["job_id"]
    assert client.jobs.wait(job_id, timeout=30)["status"] == "completed"
    assert client.exports.download_files(job_id, str(tmp_path)) == [] and not list(tmp_path.iterdir())
    with pytest.raises(NotFoundError):
        client.jobs.get("no_such_job")
