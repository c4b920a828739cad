"""Broken: writes Latin-1."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        text = '{"id":%d,"action":[{"action":"say","text":"h\xe9"}]}\n' % message["id"]
        sys.stdout.buffer.write(text.encode("latin-1"))
        sys.stdout.buffer.flush()
