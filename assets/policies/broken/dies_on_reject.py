"""Broken: knows three messages only, and falls over the fourth."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "observe":
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
    elif message["type"] != "end":
        raise ValueError("what is a " + message["type"] + "?")
