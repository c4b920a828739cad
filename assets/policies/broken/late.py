"""Broken: answers every turn, but a second and a half too late."""
import json
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "observe":
        time.sleep(1.5)
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
