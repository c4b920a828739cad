"""Plays the heaviest of the listed actions, with slips."""
import random

SLIPS = 0.1  #: 0.0..0.5
SEED = 3  #: 1..999

rng = random.Random(SEED)


def act(observation, seat, info):
    space = observation.get("_action_space") or []
    if not space:
        return []
    if rng.random() < SLIPS:
        entry = rng.choice(space)
    else:
        entry = max(space, key=lambda entry: entry.get("weight", 1))
    action = entry["action"]
    return action if isinstance(action, list) else [action]
