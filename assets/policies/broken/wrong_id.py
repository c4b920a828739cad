"""Broken: counts the turns itself instead of repeating the id."""
import json
import sys

turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "observe":
        turns += 1
        print(json.dumps({"id": turns + 1000, "action": []}), flush=True)
