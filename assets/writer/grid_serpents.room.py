"""Takes the way with the most room, and food when it is hungry."""
HUNGRY = 60  #: 20..100
ROOM = 1.0  #: 0.2..3.0
FOOD = 2.0  #: 0.2..6.0
HEADS = 15.0  #: 0.0..40.0

MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def act(observation, seat, info):
    you = observation["you"]
    if not you["alive"]:
        return []
    width, height = observation["width"], observation["height"]
    taken = {tuple(cell) for s in observation["serpents"] for cell in s["body"][:-1]}
    danger = set()
    for other in observation["serpents"]:
        if other["alive"] and other["seat"] != observation["seat"] and other["length"] >= you["length"]:
            ox, oy = other["body"][0]
            danger |= {(ox + dx, oy + dy) for dx, dy in MOVES.values()}

    def free(cell):
        return 0 <= cell[0] < width and 0 <= cell[1] < height and cell not in taken

    def room(cell, most):
        seen, ring = {cell}, [cell]
        while ring and len(seen) < most:
            nearest = []
            for cx, cy in ring:
                for dx, dy in MOVES.values():
                    beside = (cx + dx, cy + dy)
                    if beside not in seen and free(beside):
                        seen.add(beside)
                        nearest.append(beside)
            ring = nearest
        return len(seen)

    def worth(name):
        cell = (you["head"][0] + MOVES[name][0], you["head"][1] + MOVES[name][1])
        if not free(cell):
            return -1000.0
        value = ROOM * min(room(cell, 2 * you["length"] + 4), 2 * you["length"] + 4)
        if observation["food"] and you["health"] <= HUNGRY:
            value -= FOOD * min(abs(cell[0] - fx) + abs(cell[1] - fy) for fx, fy in observation["food"])
        if cell in danger:
            value -= HEADS
        return value

    return [{"action": "move", "direction": max(MOVES, key=worth)}]
