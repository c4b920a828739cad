"""Broken: prints what it thinks to standard output."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        print("thinking about tick", message["tick"])
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
