"""Looks some moves ahead with alpha-beta and counts open lines at the horizon."""
import time

DEPTH = 3  #: 1..5
CENTRE = 3.0  #: 0.0..6.0
THREE = 9.0  #: 1.0..30.0
SECONDS = 0.05  #: 0.02..0.06


def lines_of(rows, columns):
    lines = []
    for row in range(rows):
        for column in range(columns):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * dr, column + i * dc) for i in range(4)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    lines.append(cells)
    return lines


class Search:
    def __init__(self, board, me):
        self.rows, self.columns = len(board), len(board[0])
        self.board = [row[:] for row in board]
        self.me = me
        self.lines = lines_of(self.rows, self.columns)
        self.through = {}
        for line in self.lines:
            for cell in line:
                self.through.setdefault(cell, []).append(line)
        self.heights = [sum(1 for row in board if row[c]) for c in range(self.columns)]
        middle = (self.columns - 1) / 2
        self.order = sorted(range(self.columns), key=lambda c: abs(c - middle))
        self.until = time.monotonic() + SECONDS

    def value(self, disc):
        total = 0.0
        for line in self.lines:
            seen = [self.board[r][c] for r, c in line]
            mine, theirs = seen.count(disc), seen.count(3 - disc)
            if mine and not theirs:
                total += THREE if mine == 3 else mine
            elif theirs and not mine:
                total -= THREE if theirs == 3 else theirs
        middle = self.columns // 2
        for row in self.board:
            total += CENTRE * ((row[middle] == disc) - (row[middle] == 3 - disc))
        return total

    def best(self, disc, depth, alpha, beta):
        """The value for the one who moves, and the column."""
        moves = [c for c in self.order if self.heights[c] < self.rows]
        if not moves:
            return 0.0, None
        if depth == 0 or time.monotonic() > self.until:
            return self.value(disc), moves[0]
        choice = moves[0]
        for column in moves:
            row = self.rows - 1 - self.heights[column]
            self.board[row][column] = disc
            self.heights[column] += 1
            if any(all(self.board[r][c] == disc for r, c in line) for line in self.through[row, column]):
                value = 10000.0 + depth
            else:
                value = -self.best(3 - disc, depth - 1, -beta, -alpha)[0]
            self.heights[column] -= 1
            self.board[row][column] = 0
            if value > alpha:
                alpha, choice = value, column
            if alpha >= beta:
                break
        return alpha, choice


def act(observation, seat, info):
    search = Search(observation["board"], observation["you_are"])
    _, column = search.best(search.me, DEPTH, -1e9, 1e9)
    return [{"action": "drop", "column": column}]
