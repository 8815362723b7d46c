"""Connect four: a game of perfect information, too large to list its states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacit.games.boards.board import BoardEncoder, Turn, unpack
from tacit.games.game import TERMINAL, Game, State

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1
"""Bits of a column: the one above the top row stays empty, so that lines do not wrap around."""
BOTTOM = tuple(1 << HEIGHT * column for column in range(COLUMNS))
CELLS = tuple(((1 << ROWS) - 1) << HEIGHT * column for column in range(COLUMNS))
"""[column] the cells of a column."""
TOP = tuple((column, 1 << HEIGHT * column + ROWS - 1) for column in range(COLUMNS))
ALL_CELLS, ALL_BOTTOM = sum(CELLS), sum(BOTTOM)
DIRECTIONS = (1, HEIGHT - 1, HEIGHT, HEIGHT + 1)


def has_four(stones: int) -> bool:
    """Whether four of `stones` are in a line."""
    for step in DIRECTIONS:
        pairs = stones & stones >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@dataclass(frozen=True, slots=True)
class ConnectFourState(State):
    """`moves` are the columns chosen in order, one decimal digit each, from 1 to 7.

    `own` are the stones of the player to move, `other` those of the opponent, who moved last: sets
    of cells, column by column from the bottom, `HEIGHT` bits each.
    """

    moves: int = 0
    own: int = field(default=0, compare=False)
    other: int = field(default=0, compare=False)
    won: bool = field(default=False, compare=False)

    @property
    def player(self) -> int:
        count = (self.own | self.other).bit_count()
        return TERMINAL if self.won or count == ROWS * COLUMNS else count & 1

    def actions(self) -> tuple[int, ...]:
        if self.won:
            return ()
        taken = self.own | self.other
        return tuple([column for column, top in TOP if not taken & top])

    def child(self, action: int) -> ConnectFourState:
        # Adding one at the bottom carries to the lowest cell that is empty.
        stone = (self.own | self.other) + BOTTOM[action] & CELLS[action]
        stones = self.own | stone
        moves = self.moves * 10 + action + 1
        return ConnectFourState(moves, self.other, stones, has_four(stones))

    def payoff(self) -> float:
        if not self.won:
            return 0.0
        return 1.0 if (self.own | self.other).bit_count() & 1 else -1.0

    def public(self) -> int:
        return self.moves

    def private(self, player: int) -> None:
        return None

    def subgame_key(self) -> int:
        """The board; it determines whose turn it is."""
        return self.own << HEIGHT * COLUMNS | self.other

    def label(self, action: int) -> str:
        return "1234567"[action]

    def render(self, player: int | None = None) -> str:
        first = (self.own | self.other).bit_count() & 1 == 0
        crosses, rings = (self.own, self.other) if first else (self.other, self.own)

        def mark(cell: int) -> str:
            return "X" if crosses >> cell & 1 else "O" if rings >> cell & 1 else "."

        rows = [
            " ".join(mark(HEIGHT * column + row) for column in range(COLUMNS))
            for row in reversed(range(ROWS))
        ]
        return "\n".join([*rows, "1 2 3 4 5 6 7"])


class ConnectFour(Game):
    """Player 1 drops X into one of seven columns, player 2 drops O, and so on in turn.

    A stone falls to the lowest empty cell of its column, which holds six. Four stones in a row,
    column or diagonal win 1; a full board without one is a draw. Columns are named from
    `1` at the left to `7` at the right.
    """

    name = "connect-four"
    title = "Connect four"
    hidden = False

    def initial(self) -> ConnectFourState:
        return ConnectFourState()

    def encoder(self) -> BoardEncoder:
        return _Encoder()


class _Encoder(BoardEncoder):
    """Own stones, the opponent's, and the cells to which a stone may fall; an output per column."""

    planes, height, width, outputs = 3, ROWS, COLUMNS, COLUMNS

    def features(self, world: State) -> NDArray[np.float32]:
        assert isinstance(world, ConnectFourState)
        taken = world.own | world.other
        free = taken + ALL_BOTTOM & ALL_CELLS
        bits = HEIGHT * COLUMNS
        cells = unpack(world.own | world.other << bits | free << 2 * bits, 3 * bits)
        columns = cells.reshape(3, COLUMNS, HEIGHT)[:, :, :ROWS]
        return np.ascontiguousarray(columns.transpose(0, 2, 1)[:, ::-1])

    @property
    def turns(self) -> Sequence[Turn]:
        """The board and its mirror image."""
        return (lambda cells: cells, lambda cells: cells[..., ::-1])

    def turn_outputs(self, turn: Turn) -> NDArray[np.int32]:
        return np.ascontiguousarray(turn(np.arange(COLUMNS, dtype=np.int32)))
