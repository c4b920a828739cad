"""Broken: starts a program that goes on after it."""
import json
import subprocess
import sys

subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        print(json.dumps({"id": message["id"], "action": []}), flush=True)
