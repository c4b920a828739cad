"""Goes for the nearest food and keeps away from walls, bodies and longer heads."""
FOOD = 1.0  #: 0.1..4.0
HEADS = 4.0  #: 0.0..12.0
EXITS = 0.8  #: 0.0..3.0

MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def act(observation, seat, info):
    if not observation["you"]["alive"]:
        return []
    width, height = observation["width"], observation["height"]
    taken = {tuple(cell) for s in observation["serpents"] for cell in s["body"][:-1]}
    x, y = observation["you"]["head"]
    rivals = [s for s in observation["serpents"] if s["alive"] and s["seat"] != observation["seat"]]

    def free(cell):
        return 0 <= cell[0] < width and 0 <= cell[1] < height and cell not in taken

    def worth(name):
        cell = (x + MOVES[name][0], y + MOVES[name][1])
        if not free(cell):
            return -1000.0
        value = EXITS * sum(free((cell[0] + dx, cell[1] + dy)) for dx, dy in MOVES.values())
        if observation["food"]:
            value -= FOOD * min(abs(cell[0] - fx) + abs(cell[1] - fy) for fx, fy in observation["food"])
        for rival in rivals:
            rx, ry = rival["body"][0]
            if abs(cell[0] - rx) + abs(cell[1] - ry) == 1 and rival["length"] >= observation["you"]["length"]:
                value -= HEADS
        return value

    return [{"action": "move", "direction": max(MOVES, key=worth)}]
