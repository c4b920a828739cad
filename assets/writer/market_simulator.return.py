"""Bets that a mark far from its own mean comes back, and trusts fresh estimates."""
WINDOW = 20  #: 5..40
GAP = 0.35  #: 0.1..1.5
SIZE = 25  #: 5..80
TRUST = 0.5  #: 0.0..1.0
MOST = 120  #: 20..200


def act(observation, seat, info):
    orders = []
    for symbol in ("ORE", "ZAP"):
        marks = observation["history"][symbol][-WINDOW:]
        mark, fair = marks[-1], sum(marks) / len(marks)
        for news in observation["news"]:
            if news["symbol"] == symbol and observation["tick"] - news["tick"] <= 10:
                fair += TRUST * (news["estimate"] - fair)
        held = observation["account"]["positions"].get(symbol, 0)
        if fair - mark > GAP and held < MOST:
            orders.append({"action": "buy", "symbol": symbol, "qty": SIZE})
        elif mark - fair > GAP and held > -MOST:
            orders.append({"action": "sell", "symbol": symbol, "qty": SIZE})
    return orders
