"""Wins when it can, blocks when it must, and else stays near the centre."""
CENTRE = 1.0  #: 0.1..3.0
CARE = 2.0  #: 0.0..6.0


def wins(board, column, row, disc):
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        n = 1
        for sign in (1, -1):
            x, y = column + sign * dx, row + sign * dy
            while 0 <= y < len(board) and 0 <= x < len(board[0]) and board[y][x] == disc:
                n, x, y = n + 1, x + sign * dx, y + sign * dy
        if n >= 4:
            return True
    return False


def act(observation, seat, info):
    board, me = observation["board"], observation["you_are"]
    rows, columns = len(board), len(board[0])

    def worth(column):
        row = rows - 1 - observation["column_heights"][column]
        value = -CENTRE * abs(column - (columns - 1) / 2)
        if wins(board, column, row, me):
            value += 1000
        if wins(board, column, row, 3 - me):
            value += 100
        # What the disc would make room for.
        if row > 0 and wins(board, column, row - 1, 3 - me):
            value -= 10 * CARE
        return value

    return [{"action": "drop", "column": max(observation["legal_columns"], key=worth)}]
