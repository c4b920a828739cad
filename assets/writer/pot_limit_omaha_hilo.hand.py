"""Raises strong hands, calls fair ones while they are cheap, folds the rest."""
RAISE = 3.0  #: 1.0..6.0
CALL = 1.0  #: 0.0..3.0
LOW = 1.2  #: 0.0..3.0
PRICE = 0.35  #: 0.1..0.8

CLASSES = ["high", "pair", "two pair", "three", "straight", "flush", "full", "four", "straight flush"]


def strength(hand):
    text = (hand or {}).get("high") or ""
    value = max([i for i, name in enumerate(CLASSES) if text.startswith(name)] or [0])
    low = (hand or {}).get("low") or "no low"
    return value + (LOW if low and not low.startswith("no") else 0.0)


def act(observation, seat, info):
    space = [entry["action"] for entry in observation.get("_action_space") or []]
    by_name = {}
    for action in space:
        by_name.setdefault(action["action"], action)
    value = strength(observation.get("hand"))
    to_call, pot = observation.get("to_call", 0), max(observation.get("pot", 1), 1)
    if value >= RAISE and "raise" in by_name:
        return [by_name["raise"]]
    if "check" in by_name:
        return [by_name["check"]]
    if "call" in by_name and (value >= CALL or to_call <= PRICE * pot * 0.3):
        return [by_name["call"]]
    return [by_name.get("fold") or by_name.get("call") or space[0]]
