#!/usr/bin/env python3
"""A policy that plays at random: a template to start from. Works for every game; needs nothing but Python 3.

Replace `choose`. Print only through `send`: anything else on standard output counts as garbage.
For your own messages use standard error: print("thinking", file=sys.stderr).
"""
import sys

sys.path.pop(0)  # This file is called random.py; the module of the standard library is meant below.
import json
import random


def choose(observation):
    """Returns a list of actions: here one entry of `_action_space`, drawn by its weight."""
    space = observation.get("_action_space") if isinstance(observation, dict) else None
    if not space:
        return []  # The game lists no actions; most games take this as "do nothing".
    weights = [entry.get("weight", 1) for entry in space]
    action = random.choices(space, weights)[0]["action"]
    return action if isinstance(action, list) else [action]  # Some games list whole decisions.


def send(message):
    """Writes one line. Without `flush` it may stay in a buffer and the game would wait in vain."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:  # Ends when the input does: then it is time to go.
    message = json.loads(line)
    if message["type"] == "hello":  # A match begins. One process may play many.
        random.seed(f"{message.get('seed')} {message.get('seat')}")  # Same seed, same play.
        send({"type": "ready", "name": "random"})
    elif message["type"] == "observe":  # Our turn.
        action = choose(message["observation"])
        send({"id": message["id"], "action": action, "note": f"tick {message['tick']}"})
    elif message["type"] == "reject":  # Our answer was refused; the same turn is asked again.
        print("refused:", "; ".join(message["reasons"]), file=sys.stderr)
    # "end" carries the result of the match; there is nothing to do for it here.
