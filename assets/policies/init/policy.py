#!/usr/bin/env python3
"""A policy for GAME. Write your own `act`; the rest speaks the protocol.

Print as you like: `print` goes to standard error, which `gert` shows as a log.
"""
import json
import random
import sys


def act(observation, seat, info):
    """Returns a list of actions, one action, or [] for nothing. Here: one of those that the game lists."""
    space = observation.get("_action_space") if isinstance(observation, dict) else None
    if not space:
        return []
    weights = [entry.get("weight", 1) for entry in space]
    return random.choices(space, weights)[0]["action"]


def start(info):
    """A match begins: `info` has game, rules, seat, player_count, config and seed."""
    random.seed(f"{info.get('seed')} {info.get('seat')}")  # Same seed, same play.


def end(result):
    """The match is over: `result` has score, rank, outcome and reason."""


def main():
    answers, sys.stdout = sys.stdout, sys.stderr
    info = {}
    for line in sys.stdin:  # Ends when the input does: then it is time to go.
        message = json.loads(line)
        answer = None
        if message["type"] == "hello":
            info = message
            start(info)
            answer = {"type": "ready", "name": "my policy"}
        elif message["type"] == "observe":
            action = act(message["observation"], info.get("seat"), info)
            answer = {"id": message["id"], "action": action}
        elif message["type"] == "reject":  # The same turn is asked again.
            print("refused:", "; ".join(message["reasons"]))
        elif message["type"] == "end":
            end(message["result"])
        if answer is not None:
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
