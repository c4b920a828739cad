#!/usr/bin/env python3
"""A policy that answers nonsense: text, then wrong shapes, then nothing but a flood on standard error."""
import json
import sys

turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        turns += 1
        if turns == 1:
            print("I think I will play in the middle.", flush=True)
        elif turns == 2:
            print(json.dumps({"id": message["id"], "move": "middle"}), flush=True)  # There is no `action`.
        else:
            for n in range(20_000):
                print(f"garbage.py: line {n} of a very long log", file=sys.stderr)
            print(json.dumps([1, 2, 3]), flush=True)  # A list, but not of objects.
