"""Quotes both sides a little inside the house and leans against what it holds."""
EDGE = 0.04  #: 0.01..0.2
SIZE = 12  #: 1..40
LEAN = 0.0006  #: 0.0..0.003


def act(observation, seat, info):
    orders = [{"action": "cancel_all"}]
    for symbol in ("ORE", "ZAP"):
        mark = observation["history"][symbol][-1]
        held = observation["account"]["positions"].get(symbol, 0)
        middle = mark - LEAN * held
        orders.append({"action": "buy", "symbol": symbol, "qty": SIZE, "price": round(middle - EDGE, 2)})
        orders.append({"action": "sell", "symbol": symbol, "qty": SIZE, "price": round(middle + EDGE, 2)})
    return orders
