"""Connect Four: wins where it can, stops the other from winning, and otherwise keeps to the middle."""

DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def lands_at(board, column):
    """The row that a disc dropped there comes to rest in; rows go from the top."""
    return max(row for row in range(len(board)) if board[row][column] == 0)


def wins(board, column, player):
    """Whether a disc of the player there makes four in a row."""
    row = lands_at(board, column)
    for down, right in DIRECTIONS:
        in_a_row = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < len(board) and 0 <= c < len(board[0]) and board[r][c] == player:
                in_a_row += 1
                r, c = r + sign * down, c + sign * right
        if in_a_row >= 4:
            return True
    return False


def act(observation, seat, info):
    board, legal = observation["board"], observation["legal_columns"]
    mine = 1 if seat == "p0" else 2
    middle = (len(board[0]) - 1) / 2
    for player in (mine, 3 - mine):
        for column in legal:
            if wins(board, column, player):
                return [{"action": "drop", "column": column}]
    return [{"action": "drop", "column": min(legal, key=lambda column: abs(column - middle))}]
