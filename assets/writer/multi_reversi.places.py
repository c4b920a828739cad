"""Weighs corners, edges and turned discs."""
CORNER = 30.0  #: 5.0..60.0
NEAR_CORNER = 12.0  #: 0.0..30.0
EDGE = 4.0  #: 0.0..12.0
FLIPS = 0.5  #: -2.0..3.0


def flips(board, row, col, me):
    size, total = len(board), 0
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            if not (dr or dc):
                continue
            r, c, run = row + dr, col + dc, 0
            while 0 <= r < size and 0 <= c < size and board[r][c] not in (-1, me):
                r, c, run = r + dr, c + dc, run + 1
            if run and 0 <= r < size and 0 <= c < size and board[r][c] == me:
                total += run
    return total


def act(observation, seat, info):
    board, me = observation["board"], int(observation["seat"][1:])
    last = len(board) - 1

    def worth(cell):
        row, col = cell
        value = FLIPS * flips(board, row, col, me)
        near_row, near_col = min(row, last - row), min(col, last - col)
        if near_row == near_col == 0:
            value += CORNER
        elif near_row <= 1 and near_col <= 1:
            corner = board[0 if row <= 1 else last][0 if col <= 1 else last]
            value -= NEAR_CORNER if corner == -1 else -EDGE
        elif near_row == 0 or near_col == 0:
            value += EDGE
        return value

    row, col = max(observation["legal"], key=worth)
    return [{"action": "place", "row": row, "col": col}]
