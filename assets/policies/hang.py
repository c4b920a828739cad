#!/usr/bin/env python3
"""A policy that plays three turns and then never answers: shows what a missed time limit looks like."""
import json
import sys

turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "hang"}), flush=True)
    elif message["type"] == "observe":
        turns += 1
        if turns > 3:
            print("hang.py has stopped answering", file=sys.stderr, flush=True)
            continue
        space = message["observation"].get("_action_space") or []
        action = space[0]["action"] if space else []  # The first action listed, if any.
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
