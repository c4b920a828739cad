"""Connect Four: the first column with room."""


def act(observation, seat, info):
    return [{"action": "drop", "column": observation["legal_columns"][0]}]
