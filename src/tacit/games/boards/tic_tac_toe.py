"""Tic-tac-toe: a game of perfect information."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacit.games.boards.board import SquareBoardEncoder, unpack
from tacit.games.game import TERMINAL, Game, State

SQUARES = tuple(column + row for row in "321" for column in "abc")
"""The squares in the order of the actions: rows from the top, as they are drawn."""
LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""Three in a line, as sets of squares: bit n is square n."""
FULL = 0o777
WON = tuple(any(marks & line == line for line in LINES) for marks in range(FULL + 1))
"""[512] whether a player with these squares has three in a line."""
FREE = tuple(
    tuple(square for square in range(9) if not taken >> square & 1) for taken in range(FULL + 1)
)
"""[512] the squares that are left when these are taken."""


@dataclass(frozen=True, slots=True)
class TicTacToeState(State):
    """`moves` are the squares taken in order, one decimal digit each, from 1 to 9.

    `own` are the squares of the player to move, `other` those of the opponent, who moved last.
    """

    moves: int = 0
    own: int = field(default=0, compare=False)
    other: int = field(default=0, compare=False)

    @property
    def player(self) -> int:
        taken = self.own | self.other
        return TERMINAL if taken == FULL or WON[self.other] else taken.bit_count() & 1

    def actions(self) -> tuple[int, ...]:
        return () if WON[self.other] else FREE[self.own | self.other]

    def child(self, action: int) -> TicTacToeState:
        return TicTacToeState(self.moves * 10 + action + 1, self.other, self.own | 1 << action)

    def payoff(self) -> float:
        if not WON[self.other]:
            return 0.0
        return 1.0 if (self.own | self.other).bit_count() & 1 else -1.0

    def public(self) -> int:
        return self.moves

    def private(self, player: int) -> None:
        return None

    def subgame_key(self) -> int:
        """The board; it determines whose turn it is."""
        return self.own << 9 | self.other

    def label(self, action: int) -> str:
        return SQUARES[action]

    def render(self, player: int | None = None) -> str:
        first = (self.own | self.other).bit_count() & 1 == 0
        crosses, rings = (self.own, self.other) if first else (self.other, self.own)
        board = ["X" if crosses >> n & 1 else "O" if rings >> n & 1 else "." for n in range(9)]
        rows = [f"{3 - row}  {' '.join(board[3 * row : 3 * row + 3])}" for row in range(3)]
        return "\n".join([*rows, "   a b c"])


class TicTacToe(Game):
    """Player 1 puts X on an empty square, player 2 puts O, and so on in turn.

    Three marks in a line win 1; a full board without one is a draw. Squares are named as in chess,
    from `a1` at the bottom left to `c3` at the top right.
    """

    name = "tic-tac-toe"
    title = "Tic-tac-toe"
    hidden = False

    def initial(self) -> TicTacToeState:
        return TicTacToeState()

    def encoder(self) -> SquareBoardEncoder:
        return _Encoder()


class _Encoder(SquareBoardEncoder):
    """Own squares, the opponent's, and the free ones; the outputs are the squares."""

    planes, height, width = 3, 3, 3

    def features(self, world: State) -> NDArray[np.float32]:
        assert isinstance(world, TicTacToeState)
        free = FULL & ~(world.own | world.other)
        return unpack(world.own | world.other << 9 | free << 18, 27).reshape(3, 3, 3)
