"""Bids what its own dice make likely and doubts what they do not."""
from math import comb

DOUBT = 0.35  #: 0.1..0.6
BOLD = 0.5  #: 0.3..0.8
WILD = 1 / 3


def chance(need, dice):
    """That at least so many of so many unseen dice match."""
    if need <= 0:
        return 1.0
    return sum(comb(dice, n) * WILD**n * (1 - WILD) ** (dice - n) for n in range(need, dice + 1))


def act(observation, seat, info):
    mine = observation["your_dice"]
    unseen = observation["total_dice"] - len(mine)

    def likely(quantity, face):
        return chance(quantity - sum(1 for die in mine if die in (1, face)), unseen)

    bid = observation["current_bid"]
    if bid and likely(bid["quantity"], bid["face"]) < DOUBT:
        return [{"action": "challenge"}]
    options = [
        (likely(quantity, int(face)), quantity, int(face))
        for face, quantity in observation["min_next_bids"].items()
        if quantity <= observation["total_dice"]
    ]
    if not options:
        return [{"action": "challenge"}]
    best, quantity, face = max(options)
    if bid and best < BOLD and best < 1 - likely(bid["quantity"], bid["face"]):
        return [{"action": "challenge"}]
    return [{"action": "bid", "quantity": quantity, "face": face}]
