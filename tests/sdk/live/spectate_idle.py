"""A spectator of a session in which nobody moves for longer than a minute: 1.3.0 raises after 60 s of silence."""

import time

from gertlabs import GertClient

IDLE = 60

with GertClient() as client:
    session = client.play.create(game="connect_four", seats=2, vs_ai=False, tick_ms=0)
    session_id = session["session_id"]
    started, kinds = time.monotonic(), []
    with client.play.spectate(session_id) as socket:
        for message in socket:
            kinds.append(message["type"])
            if message["type"] == "game_completed":
                break
            if time.monotonic() - started > IDLE:
                client.sessions.delete(session_id)
    assert time.monotonic() - started > IDLE, kinds
    assert kinds[-1] == "game_completed" and "observation" in kinds and kinds.count("waiting") >= 3, kinds
    print("spectated for", IDLE, "s:", " ".join(kinds))
