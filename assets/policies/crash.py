#!/usr/bin/env python3
"""A policy that plays three turns and then crashes: shows what a failure looks like."""
import json
import sys

turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "crash"}), flush=True)
    elif message["type"] == "observe":
        turns += 1
        if turns > 3:
            raise RuntimeError("crash.py gives up after three turns")
        space = message["observation"].get("_action_space") or []
        action = space[0]["action"] if space else []  # The first action listed, if any.
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
