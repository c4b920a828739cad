#!/usr/bin/env python3
"""A policy for connect_four that drops into the free column nearest to the middle: better than random, and always
plays the same. In other games it plays the first action listed."""
import json
import sys


def choose(observation):
    space = observation.get("_action_space") or []
    actions = [entry["action"] for entry in space]
    columns = observation.get("columns", 7)
    middle = (columns - 1) / 2 if isinstance(columns, int) else 3
    return sorted(actions, key=lambda action: abs(action.get("column", 0) - middle))[:1]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "centre"}), flush=True)
    elif message["type"] == "observe":
        action = choose(message["observation"])
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
