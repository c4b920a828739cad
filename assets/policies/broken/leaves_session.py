"""Broken: starts a program in a session of its own, which nobody ends."""
import json
import subprocess
import sys

subprocess.Popen(
    ["sleep", "1000"],
    stdin=subprocess.DEVNULL,
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
    start_new_session=True,
)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
