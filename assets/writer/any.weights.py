"""Draws one of the listed actions, the heavier ones more often."""
import random

SHARPNESS = 2.0  #: 0.0..6.0
SEED = 7  #: 1..999

rng = random.Random(SEED)


def start(info):
    rng.seed(SEED * 1000003 + (info.get("seed") or 0))


def act(observation, seat, info):
    space = observation.get("_action_space") or []
    if not space:
        return []
    weights = [max(float(entry.get("weight", 1)), 1e-6) ** SHARPNESS for entry in space]
    action = rng.choices(space, weights)[0]["action"]
    return action if isinstance(action, list) else [action]
