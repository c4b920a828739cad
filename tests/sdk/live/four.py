"""Connect Four solved exactly, in plain Python and without a line in common with the arena: what the tests believe.

Boards are bit masks, a column after the other with one empty bit between them (the layout of John Tromp's
`fhourstones`). `test_positions.py` checks the solver against results that Tromp published.
"""

import random


class Position:
    """`mine` are the discs of whoever moves, `all` those of both."""

    def __init__(self, width=7, height=6, mine=0, both=0):
        self.width, self.height, self.mine, self.both = width, height, mine, both

    def legal(self):
        return [c for c in range(self.width) if not self.both >> (c * (self.height + 1) + self.height - 1) & 1]

    def _disc(self, column):
        bottom = 1 << column * (self.height + 1)
        return (self.both + bottom) & (((1 << self.height) - 1) << column * (self.height + 1))

    def wins(self, column):
        """Whether a disc there makes four in a row."""
        discs = self.mine | self._disc(column)
        for step in (1, self.height, self.height + 1, self.height + 2):
            pairs = discs & discs >> step
            if pairs & pairs >> 2 * step:
                return True
        return False

    def after(self, column):
        disc = self._disc(column)
        return Position(self.width, self.height, self.both ^ self.mine, self.both | disc)

    @classmethod
    def from_rows(cls, rows, player):
        """An observation's `board`: rows from the top, 0 empty, 1 and 2 the players."""
        height, width = len(rows), len(rows[0])
        mine = both = 0
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                bit = 1 << column * (height + 1) + height - 1 - row
                both |= bit * (cell != 0)
                mine |= bit * (cell == player)
        return cls(width, height, mine, both)


class Solver:
    """Alpha-beta over win, draw and loss. Remembers between which bounds the value of a position lies."""

    def __init__(self):
        self.known = {}

    def value(self, position, low=-1, high=1):
        """1 when whoever moves wins with best play on both sides, 0 a draw, -1 a loss."""
        columns = position.legal()
        if not columns or any(position.wins(column) for column in columns):
            return 1 if columns else 0
        key = (position.mine, position.both)
        least, most = self.known.get(key, (-1, 1))
        if least == most or least >= high:
            return least
        if most <= low:
            return most
        best = -1
        for column in sorted(columns, key=lambda c: abs(2 * c - position.width + 1)):
            best = max(best, -self.value(position.after(column), -high, -max(low, best)))
            if best >= high:
                break
        if best >= high:
            least = max(least, best)
        elif best <= low:
            most = min(most, best)
        else:
            least = most = best
        self.known[key] = (least, most)
        return best

    def values(self, position):
        """The value of every legal column for whoever moves."""
        return {c: 1 if position.wins(c) else -self.value(position.after(c)) for c in position.legal()}

    def best(self, position):
        values = self.values(position)
        return {column for column, value in values.items() if value == max(values.values())}


def decisive_positions(count, plies, seed, solver):
    """Columns that lead to positions, nobody having won, in which some moves are better than others."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        position, columns = Position(), []
        while len(columns) < plies:
            quiet = [c for c in position.legal() if not position.wins(c)]
            if not quiet:
                break
            columns.append(rng.choice(quiet))
            position = position.after(columns[-1])
        if len(columns) == plies and len(set(solver.values(position).values())) > 1:
            found.append((columns, position))
    return found
