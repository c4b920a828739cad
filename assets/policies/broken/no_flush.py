"""Broken: its answers stay in a buffer. (Plain `print` would do elsewhere; here Python is told not to buffer.)"""
import json
import sys

out = open(1, "w", buffering=1 << 16, closefd=False)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        out.write(json.dumps({"id": message["id"], "action": []}) + "\n")
out.flush()
