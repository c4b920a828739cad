"""Broken: answers, thinks again, and answers once more."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
