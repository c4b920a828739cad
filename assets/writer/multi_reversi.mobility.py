"""Looks one move ahead: corners, and how few replies are left to the next seat."""
CORNER = 25.0  #: 5.0..60.0
REPLY = 2.0  #: 0.2..6.0
DISC = 0.3  #: -1.0..2.0

AROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]


def turned(board, row, col, me):
    size, cells = len(board), []
    for dr, dc in AROUND:
        r, c, run = row + dr, col + dc, []
        while 0 <= r < size and 0 <= c < size and board[r][c] not in (-1, me):
            run.append((r, c))
            r, c = r + dr, c + dc
        if run and 0 <= r < size and 0 <= c < size and board[r][c] == me:
            cells += run
    return cells


def act(observation, seat, info):
    board, me = observation["board"], int(observation["seat"][1:])
    size, players = len(board), observation.get("player_count", 2)
    corners = {(r, c) for r in (0, size - 1) for c in (0, size - 1)}

    def worth(cell):
        row, col = cell
        after = [line[:] for line in board]
        cells = turned(board, row, col, me)
        for r, c in cells + [(row, col)]:
            after[r][c] = me
        other = (me + 1) % players
        replies = [
            (r, c)
            for r in range(size)
            for c in range(size)
            if after[r][c] == -1 and turned(after, r, c, other)
        ]
        value = DISC * len(cells) - REPLY * len(replies)
        value += CORNER * ((row, col) in corners)
        value -= CORNER * sum(1 for reply in replies if reply in corners)
        return value

    row, col = max(observation["legal"], key=worth)
    return [{"action": "place", "row": row, "col": col}]
