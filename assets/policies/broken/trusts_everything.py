"""Broken: takes for granted that every observation lists actions."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        action = message["observation"]["_action_space"][0]["action"]
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
