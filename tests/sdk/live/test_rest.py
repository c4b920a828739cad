"""The other calls that the live suites leave out: lists in pages of one, jobs, downloads."""

import pytest
from gertlabs import NotFoundError


def test_lists_are_the_same_in_pages_of_one(client):
    for _ in range(3):
        client.exports.create(export_type="submissions", format="json")
        client.play.create(game="connect_four", seats=2, vs_ai=False, max_ticks=4, autostart=True)
    for name, call in [("games", client.games.list), ("exports", client.exports.list),
                       ("sessions", client.sessions.list), ("usage", client.billing.usage)]:
        whole = call(max_items=5)
        assert whole and call(page_size=1, max_items=5) == whole, name


def test_an_export_is_waited_for_and_an_empty_one_has_no_files(client, tmp_path):
    """The other two forms of a download need something to export, which comes with submissions."""
    job_id = client.exports.create(export_type="agentic_branches", format="json")["job_id"]
    assert client.jobs.wait(job_id, timeout=30)["status"] == "completed"
    assert client.exports.download_files(job_id, str(tmp_path)) == [] and not list(tmp_path.iterdir())
    with pytest.raises(NotFoundError):
        client.jobs.get("no_such_job")
