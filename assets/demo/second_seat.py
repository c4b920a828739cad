"""Connect Four: a program with a fault, so that this can be seen too. It knows nothing but the first seat."""


def act(observation, seat, info):
    columns = {"p0": observation["legal_columns"]}
    return [{"action": "drop", "column": columns[seat][-1]}]
