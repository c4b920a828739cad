"""Broken: its note holds all that it ever thought."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        print(json.dumps({"id": message["id"], "action": [], "note": "well, " * 400_000}), flush=True)
